"""Citations, references and definitions of real legal and technical documents: how many are found, and how fast."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from common import DATA, Report, arguments, shared
from legal_truth import (
    GDPR_DEFINITIONS,
    GDPR_OTHER_NAMES,
    GDPR_REFERENCES,
    missing,
    references_of,
    resolution,
    terms_by_eye,
    units_cited,
)

from hierdoc import Document, Source, load_config
from hierdoc.citations import find_citations, section_key
from hierdoc.defaults.chunkers import StructureChunker
from hierdoc.errors import PluginLoadError
from hierdoc.plugin import ComponentKind, default_registry
from hierdoc.structure import find_definitions, find_references, flatten, section_tree, understand


def main() -> None:
    """Print and save."""
    repetitions = 1 if arguments().quick else 7
    report = Report("references", "citations, references and definitions found, and their speed")
    gdpr = _converted("legal/gdpr.html")
    _definitions(report, gdpr)
    _references(report, gdpr)
    _speed(report, repetitions)
    report.save()


def _definitions(report: Report, gdpr: Document) -> None:
    found = understand(gdpr).definitions
    inside = [one for one in found if (one.section_id or "").startswith("art_4")]
    elsewhere = sorted(one.term for one in found if one not in inside)
    rows = [
        {"document": "GDPR, Article 4", "expected": GDPR_DEFINITIONS, "found": len(inside)},
        {"document": "GDPR, elsewhere", "expected": len(GDPR_OTHER_NAMES), "found": len(elsewhere)},
    ]
    try:
        bill = _converted("legal/bill-hr8847.pdf", "markitdown")
    except PluginLoadError:
        bill = None
    if bill:
        by_eye = terms_by_eye(bill.text)
        terms = [one.term for one in understand(bill).definitions]
        held = len(by_eye) - sum(missing(by_eye, terms).values())
        rows.append({"document": "H.R. 8847, 'X' means", "expected": len(by_eye), "found": held})
    report.table("definitions", rows)
    report.target("definitions in Article 4", len(inside), ">=", GDPR_DEFINITIONS)
    report.target("others in the Regulation", len(elsewhere), "<=", len(GDPR_OTHER_NAMES))


def _references(report: Report, gdpr: Document) -> None:
    rows = []
    for name in (
        "legal/gdpr.html",
        "legal/de/bdsg_2018.md",
        "legal/de/stgb.md",
        "legal/de/gg.md",
        "legal/us-constitution.md",
        "legal/alabama-constitution.md",
    ):
        document = gdpr if name == "legal/gdpr.html" else _converted(name)
        counted = resolution(references_of(document))
        rows.append(
            {
                "document": name,
                "to itself": counted.own,
                "resolved": f"{counted.share:.1%}",
                "to other works": counted.foreign,
            }
        )
        if name == "legal/gdpr.html":
            share = counted.share
    report.table("references", rows)
    report.target("GDPR references to itself that are resolved", share, ">=", 0.98)
    found = references_of(gdpr)
    rows = []
    for article, expected in GDPR_REFERENCES.items():
        units = units_cited(gdpr, found, article)
        lost, wrong = missing(expected, units), missing(units, expected)
        rows.append(
            {
                "section": article,
                "by hand": len(expected),
                "found": len(units),
                "missing": sum(lost.values()),
                "wrong": sum(wrong.values()),
            }
        )
    report.table("references counted by hand", rows)
    eips = [
        _converted(f"technical/eips/{file.name}")
        for file in sorted((DATA / "technical" / "eips").glob("*.md"))
    ]
    held = {f"eip_{document.metadata.get('eip')}" for document in eips}
    to_others = [
        one.reference.work
        for document in eips
        for one in references_of(document)
        if one.reference.work.startswith("eip_")
    ]
    report.table(
        "EIPs that cite each other",
        [
            {
                "documents": len(eips),
                "references to EIPs": len(to_others),
                "of these in the corpus": sum(work in held for work in to_others),
            }
        ],
    )


def _speed(report: Report, repetitions: int) -> None:
    rows = []
    for name, files in (
        ("EIPs", sorted(shared("technical", "eips").glob("*.md"))),
        (
            "constitutions",
            [shared("legal", "alabama-constitution.md"), shared("legal", "us-constitution.md")],
        ),
        ("German laws", sorted(shared("legal", "de").glob("*.md"))),
    ):
        texts = [file.read_text("utf-8") for file in files]
        size = sum(len(text.encode()) for text in texts) / 1e6
        rows.append({"documents": name, "MB": size, **_speeds(texts, size, repetitions)})
    report.table("speed", rows, "processor time, the least of several runs")


def _speeds(texts: Sequence[str], size: float, repetitions: int) -> dict[str, float]:
    """Megabytes per second of each step."""
    trees = [section_tree(text) for text in texts]
    flats = [flatten(tree) for tree in trees]
    keys = [[section_key(entry.section.title) for entry in flat] for flat in flats]
    documents = [Document("a.md", "a", text) for text in texts]
    chunker = StructureChunker()
    steps: dict[str, Callable[[], Sequence[object]]] = {
        "find_citations MB/s": lambda: [find_citations(text) for text in texts],
        "find_references MB/s": lambda: list(map(find_references, texts, flats, keys)),
        "find_definitions MB/s": lambda: [
            find_definitions(text, "a", tree) for text, tree in zip(texts, trees, strict=True)
        ],
        "text to chunks MB/s": lambda: [chunker.chunk(understand(one)) for one in documents],
    }
    return {name: size / _least(repetitions, work) for name, work in steps.items()}


def _least(repetitions: int, work: Callable[[], Sequence[object]]) -> float:
    """The least processor time, in seconds."""
    times = []
    for _ in range(repetitions):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def _converted(name: str, provider: str = "auto") -> Document:
    path = shared(*name.split("/"))
    providers, config = default_registry(), load_config({"converter": provider})
    converter = providers.open(ComponentKind.CONVERTER, config.converter)
    document: Document = asyncio.run(converter.convert(Source(name, path.read_bytes())))
    return document


if __name__ == "__main__":
    main()
