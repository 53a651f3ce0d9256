"""Certainty: whether what a search calls certain is the one place that the query names.

Citations are made from the numbers that stand in the documents' own headings, read here by a regular expression of each tradition:

    named       the number with the name of its document, where the document has that number once
    alone       the number; certain only where one document has it, and has it once
    repeated    the number with the name of a document that has it in several places: nothing is certain
    absent      a number that no document has, and a number with the name of a work that is not there: nothing is certain

A hit that is certain is right if it stands in the section that the heading begins.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from common import Report, arguments, shared

from hierdoc import Index, SearchResult

PRECISION = 99.9
"""Per cent of what is certain that is to be right."""


@dataclass(frozen=True)
class Place:
    """A section as its document's own heading gives it.

    Attributes:
        source: The document.
        name: What the document is called.
        number: As the heading writes it: `§ 12a`, `Article L221-18`.
        start: Where the heading begins.
        end: Where the next heading of its level or an outer one begins.
    """

    source: str
    name: str
    number: str
    start: int
    end: int


@dataclass(frozen=True)
class Tradition:
    """Documents of one kind.

    Attributes:
        folders: Patterns of files, within the shared data.
        number: Finds a heading's level, as the length of its first group, and its number, as its second.
        name: The name of a document, from its text and file name.
        query: How a number and a name are put together.
        absent: Queries for what is not there.
    """

    folders: Sequence[str]
    number: re.Pattern[str]
    name: Callable[[str, Path], str]
    query: str
    absent: Sequence[str]


def _title(text: str, file: Path) -> str:
    found = re.search(r"(?m)^# (.+)$", text)
    return found[1].strip() if found else file.stem


def _short_title(text: str, file: Path) -> str:
    title = _title(text, file)
    found = re.search(r"\(([^()]{2,40})\)\s*$", title)
    return found[1] if found else title


def _rfc(text: str, file: Path) -> str:
    return file.stem.upper().replace("RFC", "RFC ")


TRADITIONS = {
    "German laws": Tradition(
        ["legal/gesetze/*.md"],
        re.compile(r"(?m)^(#{1,6}) ((?:§|Art\.?|Artikel) [0-9]+[a-z]{0,2})(?![\w.])"),
        _short_title,
        "{number} {name}",
        ["§ 98765", "§ 3 Fernstraßenkreuzungsgesetz", "§ 1 XyzAbcG", "Art 5 Seehafengebührenordnung"],
    ),
    "French codes": Tradition(
        ["legal/fr/*.md"],
        re.compile(r"(?m)^(#{1,6}) (Article [^\n]+)$"),
        lambda text, file: _title(text, file),
        "{number} du {name}",
        ["Article L999-99", "Article 12 du code de l'aviation lunaire", "Article 49 B du code minier", "Article 98765"],
    ),
    "Alabama's amendments": Tradition(
        ["legal/alabama-constitution.md"],
        re.compile(r"(?m)^(#{1,6}) (Amendment [0-9]+)\b"),
        lambda text, file: "Alabama Constitution",
        "{number} {name}",
        ["Amendment 4321", "Amendment 5 of the Ohio Constitution"],
    ),
    "EIPs": Tradition(
        ["technical/eips/*.md"],
        re.compile(r"(?m)^(#{2,6}) ([A-Z][A-Za-z ]+)$"),
        lambda text, file: file.stem.upper(),
        "{number} of {name}",
        ["EIP-999999", "Rationale of EIP-987654"],
    ),
    "RFCs": Tradition(
        ["technical/rfc/*.txt"],
        re.compile(r"(?m)^()([0-9]+(?:\.[0-9]+){0,3})\.?  ?(?=\S)"),
        _rfc,
        "Section {number} of {name}",
        ["Section 4.2.2 of RFC 7234", "RFC 4321", "Section 77.1 of RFC 7230", "Section 99.9"],
    ),
    "Security requirements": Tradition(
        ["technical/asvs/*.md", "technical/nist-800-63b/*.md"],
        re.compile(r"(?m)^(#{2,6}) (V?[0-9]+(?:\.[0-9]+)+)\b"),
        lambda text, file: "",
        "{number} {name}",
        ["V77.1", "99.4.1", "V6.99"],
    ),
}  # fmt: skip


def main() -> None:
    """Measure each tradition in an index of its own; `--quick` asks a tenth."""
    options = arguments()
    report = Report("certainty", "What is certain, and whether it is right.", [])
    rows = []
    shared("legal")
    for name, tradition in TRADITIONS.items():
        rows += measured(name, tradition, 15 if options.quick else 400)
    report.table("certain hits", rows)
    whole = sum(int(row["wrong"]) for row in rows), sum(int(row["certain"]) for row in rows)
    report.target(
        "certain and right, per cent", 100 * (1 - whole[0] / max(1, whole[1])), ">=", PRECISION
    )
    report.save()


def measured(name: str, tradition: Tradition, most: int) -> Iterator[dict[str, object]]:
    """A row for each kind of query."""
    files = [file for pattern in tradition.folders for file in sorted(shared().glob(pattern))]
    with tempfile.TemporaryDirectory() as folder:
        config = {
            "source": [str(file) for file in files],
            "vector": {"provider": "sqlite", "path": folder},
            "keyword": {"provider": "tantivy", "path": folder},
        }
        with Index.open(config) as index:
            index.ingest()
            sources = {Path(source).name: source for source in index.documents()}
            places = [
                one for file in files for one in places_of(file, sources[file.name], tradition)
            ]
            for kind, asked in queries(tradition, places, most).items():
                if asked:
                    found = [(index.search(query), right) for query, right in asked]
                    yield {"documents": name, "query": kind, **judged(found)}


def places_of(file: Path, source: str, tradition: Tradition) -> Iterator[Place]:
    """The numbered sections of a document."""
    text = file.read_text(encoding="utf-8")
    name = tradition.name(text, file)
    text = re.sub(r"(?ms)^```.*?^```", lambda code: code[0].replace("#", " "), text)
    headings = [(found.start(), len(found[1])) for found in re.finditer(r"(?m)^(#{1,6}) ", text)]
    numbers = list(tradition.number.finditer(text))
    appended = _APPENDED.search(text)  # what lies in an appendix is cited with it
    before = {
        found[2].strip() for found in numbers if appended and found.start() < appended.start()
    }
    numbers = [
        found
        for found in numbers
        if not appended or found.start() < appended.start() or found[2].strip() not in before
    ]
    if not headings:
        headings = [(found.start(), 1) for found in numbers]
    for found in numbers:
        level = len(found[1]) or 1
        later = (start for start, depth in headings if start > found.start() and depth <= level)
        yield Place(source, name, found[2].strip(), found.start(), next(later, len(text)))


_APPENDED = re.compile(r"(?m)^#{1,6} (?:Anlage|Anhang|Annexe)\b")


def queries(
    tradition: Tradition, places: Sequence[Place], most: int
) -> dict[str, list[tuple[str, Place | None]]]:
    """Queries of each kind, each with the one place that it names, None where there is no such."""
    drawn = random.Random(7)
    by_number: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        by_number[place.number.casefold()].append(place)
    in_document = Counter((place.source, place.number.casefold()) for place in places)
    once = [one for one in places if in_document[one.source, one.number.casefold()] == 1]
    often = [one for one in places if in_document[one.source, one.number.casefold()] > 1]

    def some(chosen: Sequence[Place]) -> list[Place]:
        return drawn.sample(list(chosen), min(most, len(chosen)))

    def named(place: Place) -> str:
        return tradition.query.format(number=place.number, name=place.name).strip()

    alone = drawn.sample(sorted(by_number), min(most, len(by_number)))
    made: dict[str, list[tuple[str, Place | None]]] = {
        "named": [(named(one), one) for one in some(once) if one.name],
        "repeated": [(named(one), None) for one in some(often) if one.name],
        "absent": [(query, None) for query in tradition.absent],
    }
    made["alone"] = [
        (by_number[number][0].number, by_number[number][0] if len(by_number[number]) == 1 else None)
        for number in alone
    ]
    return made


def judged(found: Sequence[tuple[SearchResult, Place | None]]) -> dict[str, object]:
    """How many hits are certain, and how many of these are wrong."""
    certain = wrong = first = told = 0
    examples = []
    for result, place in found:
        hits = [hit for hit in result.hits if hit.certain]
        bad = [hit for hit in hits if place is None or not _stands_in(hit.chunk, place)]
        certain += len(hits)
        wrong += len(bad)
        if bad:
            examples.append(
                f"{result.query!r}: {Path(bad[0].chunk.source).name} {bad[0].section_id}"
            )
        if place is not None and result.hits:
            first += _stands_in(result.hits[0].chunk, place)
            told += bool(hits) and not bad
    answerable = sum(place is not None for _, place in found)
    for example in examples[:3]:
        print(f"  certain and wrong: {example}")
    return {
        "queries": len(found),
        "first %": 100 * first / answerable if answerable else None,
        "told for certain %": 100 * told / answerable if answerable else None,
        "certain": certain,
        "wrong": wrong,
    }


def _stands_in(chunk: object, place: Place) -> bool:
    return (
        chunk.source == place.source  # type: ignore[attr-defined]
        and chunk.char_start < place.end  # type: ignore[attr-defined]
        and chunk.char_end > place.start  # type: ignore[attr-defined]
    )


if __name__ == "__main__":
    main()
