"""Near-twins on one shelf: is the first hit what was asked for, is what is certain right, is what is there said to be missing?

first %     queries with one place whose first hit stands in it
five %      likewise within the first five
told %      queries with one place that a hit in it is certain of, and no other
wrong       certain hits in another place than the one that is named, or where none or several are
alike %     queries with several places that are told to be ambiguous
denied      queries for what is there that it is said to be missing for
absent %    queries for what is not there that it is said to be missing for
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from common import Report
from shelves_truth import Asked, Place, Shelf, read, shelves

from hierdoc import Hit, Index, SearchResult


def main() -> None:
    """Print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrong", action="store_true", help="print what is wrong")
    parser.add_argument("--only", default="", help="shelves whose names contain this")
    parser.add_argument("--file", default="", help="a shelf of your own instead")
    options = parser.parse_args()
    chosen = [read(Path(options.file))] if options.file else shelves()
    chosen = [one for one in chosen if options.only in one.name]
    rows: dict[tuple[str, str], Counter[str]] = {}
    for shelf in chosen:
        for kind, count in measured(shelf, loud=options.wrong).items():
            rows[shelf.name, kind] = count
            for whole in ((shelf.name, "all"), ("all", kind), ("all", "all")):
                rows[whole] = rows.get(whole, Counter()) + count
    report = Report("shelves", "Near-twins on one shelf.", [])
    report.table("by shelf", [_row(one[0], rows[one]) for one in rows if one[1] == "all"])
    report.table("by kind", [_row(one[1], rows[one]) for one in rows if one[0] == "all"])
    wrong = rows["all", "all"]["wrong"] if rows else 0
    report.target("certain and wrong", wrong, "<=", 0)
    if not (options.only or options.file):
        report.save()


def measured(shelf: Shelf, *, loud: bool = False) -> dict[str, Counter[str]]:
    """What the queries of each kind come to."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in shelf.texts.items():
            file = Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        config = {"source": folder, "vector": "in-memory", "keyword": "in-memory"}
        with Index.open(config) as index:
            index.ingest()
            for asked in shelf.asked:
                result = index.search(asked.query, top_k=5)
                count, faults = _answered(asked, result)
                counts[asked.kind] += count
                if loud and faults:
                    print(f"{shelf.name} {asked.kind}: {asked.query!r}: {'; '.join(faults)}")
    return counts


def _answered(asked: Asked, result: SearchResult) -> tuple[Counter[str], list[str]]:
    """What one query comes to, and what is wrong, in words."""
    right = [any(_is_right(hit, one) for one in asked.places) for hit in result.hits]
    certain = [(hit, good) for hit, good in zip(result.hits, right, strict=True) if hit.certain]
    single = len(asked.places) == 1
    wrong = [hit for hit, good in certain if not (good and single)]
    count = Counter({"queries": 1, "certain": len(certain), "wrong": len(wrong)})
    missing = [one.text for one in result.missing]
    faults = [f"CERTAIN AND WRONG {_shown(hit)} ({hit.why})" for hit in wrong[:1]]
    if asked.places and missing:
        count["denied"] += 1
        faults.append(f"denied {missing}")
    if not asked.places:
        count += Counter({"absent": 1, "absent told": bool(missing)})
        if not missing and asked.kind == "cited":
            faults.append("absence not told")
        return count, faults
    if single:
        first, five = right[:1] == [True], any(right)
        told = bool(certain) and not wrong
        count += Counter({"answerable": 1, "first": first, "five": five, "told": told})
        if not first:
            best = _shown(result.hits[0]) if result.hits else "nothing"
            where = right.index(True) + 1 if five else "absent"
            faults.append(f"not first but {where}; first {best} certain {bool(certain)}")
        elif not told and asked.kind == "cited":
            faults.append(f"not told; ambiguous {list(map(_name, result.ambiguous))}")
        return count, faults
    alike = bool(result.ambiguous)
    if not alike:
        faults.append("ambiguity not told")
    return count + Counter({"several": 1, "alike": alike}), faults


def _is_right(hit: Hit, place: Place) -> bool:
    """Whether a hit stands in a place: the section that it names, or its chunk where it names none."""
    if not f"/{hit.chunk.source}".endswith(f"/{place.file}"):
        return False
    named = next((one for one in hit.chunk.sections if one.id == hit.named), None)
    if named:
        return place.start <= named.char_start < place.end
    return hit.chunk.char_start < place.end and hit.chunk.char_end > place.start


def _shown(hit: Hit) -> str:
    return f"{_name(hit.chunk.source)} {hit.section_id}"


def _name(source: str) -> str:
    return Path(source).name


def _row(name: str, count: Counter[str]) -> dict[str, object]:
    def share(part: str, whole: str) -> float | None:
        return 100 * count[part] / count[whole] if count[whole] else None

    return {
        "asked": name,
        "n": count["queries"],
        "first %": share("first", "answerable"),
        "five %": share("five", "answerable"),
        "told %": share("told", "answerable"),
        "certain": count["certain"],
        "wrong": count["wrong"],
        "several": count["several"],
        "alike %": share("alike", "several"),
        "denied": count["denied"],
        "absent": count["absent"],
        "absent %": share("absent told", "absent"),
    }


if __name__ == "__main__":
    main()
