"""Structure of law that is printed here: acts of Congress from their XML, and documents that no one wrote.

`printed_truth` prints, `uslm` reads the XML, `made_law` makes documents. Alone, this script prints these two tables.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from common import Report, arguments, shared
from made_law import TRADITIONS, made
from printed_truth import Part, Printed, Score, agreement, as_markdown, as_pdf, as_text, located
from uslm import read

from hierdoc import Document, Source, load_config
from hierdoc.plugin import ComponentKind, default_registry
from hierdoc.structure import understand

RIGHT, FOREIGN, FALSE = 99.0, 0.2, 1.0
"""Per cent of sections that are to have the right chain, and that may stand under a foreign heading; per cent that may be false."""

PRINTS: dict[str, Callable[[Sequence[Part]], Printed]] = {
    "markdown, authors' levels": as_markdown,
    "markdown, one level": partial(as_markdown, levels="flat"),
    "markdown, levels left out": partial(as_markdown, levels="skips"),
    "markdown, bold lines": partial(as_markdown, levels="bold"),
    "markdown, underlined": partial(as_markdown, levels="setext"),
    "text": as_text,
    "text, at the margin": partial(as_text, width=60, plain=True),
    "text, with pages": partial(as_text, paged=True),
}


def main() -> None:
    """Both tables."""
    options = arguments()
    report = Report(
        "printed_structure", "Structure of printed and of made law.", ["reportlab", "lxml"]
    )
    law(report)
    made_documents(report, documents=1 if options.quick else 8)
    report.save()


def law(report: Report) -> None:
    """Acts of Congress, printed from their XML, with and without bookmarks as PDF too."""
    scores: dict[str, Score] = {}
    note = ""
    for path in sorted(shared("legal", "uslm").glob("*.xml")):
        parts = read(path)
        for name, printed in PRINTS.items():
            scores[name] = scores.get(name, Score()) + _score(printed(parts))
        for name, bookmarks in (("PDF", False), ("PDF, with bookmarks", True)):
            try:
                data, blocks = as_pdf(parts, bookmarks=bookmarks)
            except ImportError:
                note = "PDF: reportlab is not installed"
                continue
            document = _converted(data)
            score = agreement(
                located(document.text, blocks), understand(document, definitions=False)
            )
            scores[name] = scores.get(name, Score()) + score
    report.table(
        "acts of Congress printed from their XML",
        [{"printed as": name, **score.row()} for name, score in scores.items()],
        note,
    )
    _targets(report, "printed acts", sum(scores.values(), Score()))


def made_documents(report: Report, documents: int) -> None:
    """Made documents of each tradition, in each print.

    Args:
        report: Takes the table.
        documents: How many of each tradition.
    """
    rows: list[dict[str, object]] = []
    totals: dict[str, Score] = {}
    for tradition in TRADITIONS:
        for name, printed in PRINTS.items():
            score = sum(
                (_score(printed(made(tradition, seed))) for seed in range(documents)), Score()
            )
            rows.append({"tradition": tradition.name, "printed as": name, **score.row()})
            totals[tradition.name] = totals.get(tradition.name, Score()) + score
    report.table("made documents", rows)
    for name, score in totals.items():
        _targets(report, name, score)


def _score(printed: Printed) -> Score:
    document = Document("made.md", "made", printed.text)
    return agreement(printed, understand(document, definitions=False))


def _targets(report: Report, name: str, score: Score) -> None:
    row = {key: float(str(value)) for key, value in score.row().items()}
    report.target(f"{name}: right chain, %", row["right chain %"], ">=", RIGHT)
    report.target(f"{name}: with a foreign heading, %", row["foreign %"], "<=", FOREIGN)
    report.target(f"{name}: false, %", row["false %"], "<=", FALSE)


def _converted(data: bytes) -> Document:
    config = load_config({"converter": "pdf"}).converter
    converter = default_registry().open(ComponentKind.CONVERTER, config)
    document: Document = asyncio.run(
        converter.convert(Source("printed.pdf", data, Path("printed.pdf")))
    )
    return document


if __name__ == "__main__":
    main()
