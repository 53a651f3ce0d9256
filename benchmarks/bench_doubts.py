"""Doubts: whether sane documents raise none, and documents with a fault put in raise one.

Documents are made by `made_law`, printed with all headings at one level. Faults are put into the longest run of sections: their headings
are lost, some of them come twice, its two halves change places; all sections that the table of contents lists there are cut out;
all lines run together, as some converters leave them. Of the real documents, the table shows how many raise doubts: whether these are
right was judged by hand.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from common import DATA, Report, arguments, shared
from made_law import TRADITIONS, made
from printed_truth import Part, as_markdown, walk

from hierdoc import Document, Source, load_config
from hierdoc.plugin import ComponentKind, default_registry
from hierdoc.structure import find_doubts, understand

RECALL, ALARMS = 95.0, 0.0
"""Per cent of faults that are to be doubted, and of sane documents that may be."""

Body = list[str | Part]
SHORTEST = 10
"""Sections of a run into which a fault is put."""


def main() -> None:
    """Both tables."""
    options = arguments()
    report = Report("doubts", "Doubts about the structure of documents.")
    shared("legal")
    seeds = range(1 if options.quick else 6)
    documents = [made(tradition, seed) for tradition in TRADITIONS for seed in seeds]
    rows: list[dict[str, object]] = []
    for name, fault in FAULTS.items():
        broken = [one for parts in documents if (one := _with_fault(parts, fault)) is not None]
        rows.append(_row(name, [as_markdown(parts, "flat").text for parts in broken]))
    texts = [as_markdown(parts, "flat").text for parts in documents]
    rows.append(_row("lines run together", [" ".join(text.split()) for text in texts]))
    rows.append(_row("none", texts))
    report.table("made documents with a fault", rows)
    faults = rows[:-1]
    doubted, number = (
        sum(int(str(row[name])) for row in faults) for name in ("doubted", "documents")
    )
    report.target("faults that are doubted, %", 100 * doubted / max(1, number), ">=", RECALL)
    report.target(
        "sane documents that are doubted, %", float(str(rows[-1]["doubted %"])), "<=", ALARMS
    )
    if not options.quick:
        report.table("real documents", [*map(_real, ("legal", "technical"))])
    report.save()


def _row(name: str, texts: Sequence[str]) -> dict[str, object]:
    found = sum(bool(_doubts(text)) for text in texts)
    return {
        "fault": name, "documents": len(texts), "doubted": found,
        "doubted %": 100 * found / max(1, len(texts)),
    }  # fmt: skip


def _doubts(text: str) -> tuple[str, ...]:
    return find_doubts(understand(Document("made.md", "made", text), definitions=False))


def _real(folder: str) -> dict[str, object]:
    config = load_config({}).converter
    converter = default_registry().open(ComponentKind.CONVERTER, config)
    files = [
        one
        for one in sorted((DATA / folder).rglob("*"))
        if one.suffix in (".md", ".txt", ".html", ".rst")
    ]
    doubted = []
    for file in files:
        document = asyncio.run(converter.convert(Source(file.name, file.read_bytes(), file)))
        if doubts := find_doubts(understand(document, definitions=False)):
            doubted.append(file.name)
            print(f"  {file.name}: {doubts[0]}")
    return {"documents": folder, "number": len(files), "doubted": len(doubted)}


def _with_fault(
    parts: Sequence[Part], fault: Callable[[Body, int, int], Body]
) -> list[Part] | None:
    """The parts with a fault in their longest run of sections; None where all runs are short."""
    longest = max(walk(parts), key=lambda part: len(_run(part.body)))
    run = _run(longest.body)
    if len(run) < SHORTEST or (
        fault is _cut_out and not any(part.kind == "aside" for part in walk(parts))
    ):
        return None
    broken = replace(longest, body=tuple(fault(list(longest.body), run.start, run.stop)))
    return [_replaced(part, longest, broken) for part in parts]


def _run(body: Sequence[str | Part]) -> range:
    """Where the sections of a body stand."""
    places = [
        place for place, one in enumerate(body) if isinstance(one, Part) and one.kind == "section"
    ]
    return range(places[0], places[-1] + 1) if places else range(0)


def _replaced(part: Part, old: Part, new: Part) -> Part:
    if part is old:
        return new
    body = tuple(one if isinstance(one, str) else _replaced(one, old, new) for one in part.body)
    return replace(part, body=body)


def _without_headings(body: Body, first: int, last: int) -> Body:
    lost: Body = []
    for one in body[first + 2 : first + 8]:
        lost += (
            [text for text in one.body if isinstance(text, str)] if isinstance(one, Part) else [one]
        )
    return [*body[: first + 2], *lost, *body[first + 8 :]]


def _twice(body: Body, first: int, last: int) -> Body:
    return [*body[: first + 5], *body[first + 2 :]]


def _exchanged(body: Body, first: int, last: int) -> Body:
    half = (first + last) // 2
    return [*body[:first], *body[half:last], *body[first:half], *body[last:]]


def _cut_out(body: Body, first: int, last: int) -> Body:
    return [*body[: first + 1], *body[last - 1 :]]


FAULTS: dict[str, Callable[[Body, int, int], Body]] = {
    "headings lost": _without_headings,
    "sections twice": _twice,
    "halves exchanged": _exchanged,
    "listed, but cut out": _cut_out,
}


if __name__ == "__main__":
    main()
