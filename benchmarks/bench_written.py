"""Documents written by hand in many traditions: sections and chains, definitions, references, and what is certain.

Each document of `written/` is printed in several ways. Sections that it marks are to be found under those that lie around them;
terms that it marks are to be found defined, and no others; citations are asked of an index that holds all documents in one print: with
the document's name, alone where one document has the number, and such as name nothing or several places, where nothing may be certain.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from common import Report
from printed_truth import LOOKS, Printed, first_letter
from word_print import print_to_pdf
from written_truth import FOLDER, Written, documents, prints, target

from hierdoc import Document, Hit, Index, SearchResult, Source, load_config
from hierdoc.plugin import ComponentKind, Converter, default_registry
from hierdoc.structure import flatten, understand
from hierdoc.structure.sections import is_enumerated

FIRST = (
    "written",
    "markdown",
    "flat",
    "bold",
    "html",
    *(f"pdf-{look}" for look in LOOKS),
    "rst",
    "word",
    "word-bold",
    "office",
)


def main() -> None:
    """Print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="one print of each document, no questions"
    )
    parser.add_argument("--folder", default="", help="of `written`, such as `layouts`")
    parser.add_argument("--wrong", action="store_true", help="print what is wrong")
    parser.add_argument("--only", default="", help="documents whose names contain this")
    parser.add_argument("--names", default="", help="a file with names of documents, one a line")
    parser.add_argument("--without", default="", help="likewise, of those to leave out")
    parser.add_argument("--prints", default="", help="these prints alone, with spaces between them")
    options = parser.parse_args()
    chosen = documents(FOLDER / options.folder)
    shown = {one.name for one in chosen}
    if options.names:
        shown = set(Path(options.names).read_text().split())
    if options.without:
        shown -= set(Path(options.without).read_text().split())
    if options.only:
        shown = {name for name in shown if options.only in name}
    report = Report(
        "-".join(filter(None, ("written", options.folder))),
        "Documents written by hand: structure, definitions, citations.",
        [],
    )
    ways = options.prints.split() or (["written"] if options.quick else FIRST)
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    by_print: dict[str, Counter[str]] = defaultdict(Counter)
    for way in ways:
        with tempfile.TemporaryDirectory() as folder:
            held = _held(folder, way, chosen)
            for one in held.values():
                if one.written.name in shown:
                    say = Say(f"[{way}] {one.written.name}:", loud=options.wrong)
                    found = structure(one, say) + definitions(one, say)
                    rows[one.written.tradition] += found
                    by_print[way] += found
            if held and not options.quick:
                say = Say(f"[{way}]", loud=options.wrong)
                for one, found in citations(folder, held, shown, say):
                    rows[one.written.tradition] += found
                    by_print[way] += found
    if not by_print:
        parser.error(f"there is no such print or document: {' '.join(ways)}")
    _tables(report, rows, by_print)
    if not (options.names or options.without or options.only or options.prints):
        report.save()


@dataclass(frozen=True)
class Say:
    """Prints what is wrong, behind the name of the document, if that is wanted."""

    name: str
    loud: bool

    def __call__(self, *words: object) -> None:
        """Print these words."""
        if self.loud:
            print(self.name, *words)


@dataclass(frozen=True)
class Held:
    """A document in one print: as it was read, and where its entries stand in it."""

    written: Written
    document: Document
    printed: Printed
    file: str

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each section begins that was found, by its id."""
        return {one.section.id: one.section.char_start for one in flatten(self.document.sections)}


def _held(folder: str, way: str, chosen: Sequence[Written]) -> dict[str, Held]:
    """The documents that have this print, written to a folder, by the names of their files.

    `office` is a Word file that LibreOffice prints as PDF; where that is not installed, there are none.
    """
    shown: list[tuple[Written, Path, Callable[[str], Printed]]] = []
    for written in chosen:
        for name, data, suffix, located in prints(written):
            if name == way:
                file = Path(folder) / f"{written.name}.{suffix}"
                file.write_bytes(data)
                shown.append((written, file, located))
    if way == "office":
        files = [file for _, file, _ in shown]
        shown = [(written, file.with_suffix(".pdf"), located) for written, file, located in shown]
        if not print_to_pdf(files):
            return {}
        for file in files:
            file.unlink()
    held: dict[str, Held] = {}
    for written, file, located in shown:
        document = understand(_converted(file))
        held[file.name] = Held(written, document, located(document.text), file.name)
    return held


def structure(held: Held, say: Say) -> Counter[str]:
    """The document's sections beside those that it marks. Enumerated subsections that are not marked count as nothing."""
    written, document, marks = held.written, held.document, held.printed.marks
    places = {mark.place: index for index, mark in enumerate(marks) if mark.place >= 0}
    count: Counter[str] = Counter()
    seen: set[int] = set()
    chains: list[tuple[int, ...]] = []
    text = document.text
    title = _letters(written.entries[0].heading)
    for one in flatten(document.sections):
        around = chains[one.parent] if one.parent >= 0 else ()
        index = places.get(first_letter(text, one.section.char_start), -1)
        kind = marks[index].kind if index >= 0 else "section"
        if index in seen:
            index = -1
        running = title.startswith(_letters(one.section.title)[:50])  # above pages too, as headers
        if (
            kind == "title"
            or (index < 0 and running)
            or (index < 0 and is_enumerated(text, one.section))
        ):
            chains.append(around)
            continue
        chains.append((*around, index))
        if kind == "aside":
            continue
        if index < 0:
            count["false"] += 1
            say("false", repr(one.section.title[:60]))
            continue
        seen.add(index)
        wanted = []
        parent = marks[index].parent
        while parent >= 0:
            if marks[parent].kind != "title":
                wanted.append(parent)
            parent = marks[parent].parent
        what = "items" if kind == "item" else "sections"
        right = around == tuple(
            one for one in reversed(wanted) if marks[one].kind != "aside" or one in around
        )
        count[f"{what} right"] += right
        count[f"{what} found"] += 1
        count["foreign"] += not set(around) <= set(wanted)
        if not right:
            titles = [text[marks[i].place :][:25].split("\n")[0] if i >= 0 else "?" for i in around]
            say(
                "chain",
                repr(text[marks[index].place :][:40].split("\n")[0]),
                "stands under",
                titles,
            )
    for index, mark in enumerate(marks):
        if mark.kind in ("section", "item"):
            count["items" if mark.kind == "item" else "sections"] += 1
            if index not in seen:
                say(
                    "absent",
                    mark.kind,
                    repr(text[max(0, mark.place) :][:50].split("\n")[0]),
                    "" if mark.place >= 0 else "(not located)",
                )
    return count


def definitions(held: Held, say: Say) -> Counter[str]:
    """Terms that are found beside those that are marked."""
    found = {one.term.casefold().strip() for one in held.document.definitions}
    marked = {term.casefold() for term in held.written.terms}
    for term in sorted(marked - found):
        say("definition absent", term)
    for term in sorted(found - marked):
        say("definition false", term)
    return Counter(
        {
            "terms": len(marked),
            "terms found": len(marked & found),
            "terms false": len(found - marked),
        }
    )


def citations(
    folder: str, held: Mapping[str, Held], shown: Collection[str], say: Say
) -> Iterator[tuple[Held, Counter[str]]]:
    """How citations are answered, for each document."""
    with Index.open({"source": folder, "vector": "in-memory", "keyword": "in-memory"}) as index:
        index.ingest()
        for one in held.values():
            if one.written.name not in shown:
                continue
            count: Counter[str] = Counter()
            for kind, query, wanted in asked(one.written):
                if wanted is None or one.printed.marks[wanted].place >= 0:
                    count += _answered(one, index.search(query, top_k=5), wanted, kind, say)
            yield one, count


def _answered(
    held: Held, result: SearchResult, wanted: int | None, kind: str, say: Say
) -> Counter[str]:
    """What one query comes to."""
    certain = [hit for hit in result.hits if hit.certain]
    wrong = [hit for hit in certain if not _is_right(held, hit, wanted)]
    count = Counter({"queries": 1, "certain": len(certain), "certain wrong": len(wrong)})
    shown = f"{held.file} ({kind}): {result.query!r}"
    if wrong:
        source = Path(wrong[0].chunk.source).name
        say(f"CERTAIN AND WRONG {shown} -> {source} {wrong[0].section_id}: {wrong[0].why}")
    if wanted is None:
        return count
    first = bool(result.hits) and _is_right(held, result.hits[0], wanted)
    told = bool(certain) and not wrong
    if not (first and told):
        lacks = " ".join(one for one, has in (("first", first), ("told", told)) if not has)
        said = [one.text for one in result.missing]
        best = f"{Path(result.hits[0].chunk.source).name} {result.hits[0].section_id}" if result.hits else ""  # fmt: skip
        say(f"{shown}: not {lacks}; ambiguous {result.ambiguous}, missing {said}, first {best}")
    return count + Counter({"answerable": 1, "first": first, "told": told})


def _is_right(held: Held, hit: Hit, wanted: int | None) -> bool:
    """Whether a hit stands in the entry that was asked for: the section that it names, or its chunk where it names none."""
    if wanted is None or Path(hit.chunk.source).name != held.file:
        return False
    start, end = _extent(held.printed, wanted)
    place = held.places.get(hit.named or "")
    if place is not None and hit.chunk.char_start <= place < hit.chunk.char_end:
        return start <= first_letter(held.document.text, place) < end
    return hit.chunk.char_start < end and hit.chunk.char_end > start


def asked(written: Written) -> list[tuple[str, str, int | None]]:
    """Citations of a document: of what kind, as asked, and the entry that they lead to."""
    made: list[tuple[str, str, int | None]] = []
    own = Counter(one.number.casefold() for one in written.entries if one.number and one.asked)
    for index, one in enumerate(written.entries):
        if not one.number or not one.asked:
            continue
        wanted = index if own[one.number.casefold()] == 1 else None
        kind = "named" if wanted is not None else "repeated"
        number = (
            one.number
            if one.number[:1].isalpha() or "§" in one.number
            else f"{written.unit} {one.number}"
        )
        made += [(kind, form.format(n=number.strip()), wanted) for form in written.asks]
    for query, where in written.queries:
        made.append(("given", query, None if where is None else target(written, where)))
    return made


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _extent(printed: Printed, index: int) -> tuple[int, int]:
    """From where an entry begins to where the next begins that does not lie in it."""
    marks = printed.marks
    inner = {index}
    for number in range(index + 1, len(marks)):
        if (
            marks[number].parent in inner
            or marks[number].kind == "title"
            or marks[number].place < 0
        ):
            inner.add(number)
        elif marks[number].place >= 0:
            return marks[index].place, marks[number].place
    return marks[index].place, len(printed.text)


def _converted(file: Path) -> Document:
    source = Source(file.name, file.read_bytes(), file)
    document: Document = asyncio.run(_converter().convert(source))
    return document


@cache
def _converter() -> Converter:
    """One for all: each has processes of its own, which take a second to begin."""
    config = load_config({"converter": "auto"}).converter
    converter: Converter = default_registry().open(ComponentKind.CONVERTER, config)
    return converter


def _tables(
    report: Report, rows: dict[str, Counter[str]], by_print: dict[str, Counter[str]]
) -> None:
    def share(part: int, whole: int) -> float | str:
        return 100 * part / whole if whole else ""

    def row(name: str, count: Counter[str]) -> dict[str, object]:
        return {
            "documents": name,
            "sections": count["sections"],
            "chain %": share(count["sections right"], count["sections"]),
            "items": count["items"],
            "chain of items %": share(count["items right"], count["items"]),
            "foreign": count["foreign"],
            "false": count["false"],
            "terms": count["terms"],
            "recall %": share(count["terms found"], count["terms"]),
            "precision %": share(count["terms found"], count["terms found"] + count["terms false"]),
            "citations": count["queries"],
            "first %": share(count["first"], count["answerable"]),
            "told %": share(count["told"], count["answerable"]),
            "certain": count["certain"],
            "wrong": count["certain wrong"],
        }

    whole: Counter[str] = sum(rows.values(), Counter())
    report.table(
        "by tradition", [*(row(name, rows[name]) for name in sorted(rows)), row("all", whole)]
    )
    report.table("by print", [row(name, count) for name, count in by_print.items()])


if __name__ == "__main__":
    sys.exit(main())
