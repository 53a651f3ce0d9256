"""Structure: what splitters make of hard inputs, how fast they are, and how true sections and parent chains are to real documents.

The share of documents whose structure is preserved goes by this rule. Markdown: headings, levels and lines are those of
markdown-it-py, which also makes one of a long paragraph above a rule. HTML: every heading element is a section's title, in order. PDF: with an outline, at least 90 % of its
entries are sections; without one, at least 90 % of the chunks stand under a heading. And of every document the chunks
hold all text that is not white space.

What is true of a bill, a filing and an outline is told by `structure_truth`, without hierdoc. What is true of law that is printed
here, and of law that is made here, is told by `printed_structure`. Definitions and references of the
GDPR and other laws: see `bench_references.py`. Headings by typography and the speed of conversion: see `bench_pdf.py`.
"""

from __future__ import annotations

import asyncio
import gc
import html
import re
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import printed_structure
import structure_truth as truth
from common import DATA, Report, arguments, shared
from legal_truth import missing, terms_by_eye
from structure_peers import Split, hierdoc, splitters
from structure_probes import own_probes, probe

from hierdoc import Chunk, Document, Source, load_config
from hierdoc.defaults.chunkers import StructureChunker
from hierdoc.plugin import ComponentKind, default_registry
from hierdoc.structure import find_headings, front_matter_end, section_tree, understand
from hierdoc.structure.markdown import LONGEST_SETEXT

HEADINGS_AND_CHUNKS, EVERYTHING = 60.0, 30.0
"""Megabytes per second that are aimed at."""

BILL, FILINGS, PRESERVED, OUTLINE, LISTED, FALSE = 99.0, 95.0, 95.0, 90.0, 99.0, 1.0
"""Per cent that are aimed at."""


DOCUMENTS = 8
"""Made of each tradition."""


def main() -> None:
    """Print all tables; PDFs are left out with `--quick`."""
    options = arguments()
    report = Report(
        "structure",
        "Structure and chunks.",
        ["markdown-it-py", "haystack-ai", "langchain-text-splitters", "llama-index-core",
         "semantic-text-splitter", "chonkie"],
    )  # fmt: skip
    peers, missing = splitters()
    note = f"not installed: {', '.join(missing)}" if missing else ""
    probes(report, peers, note)
    throughput(report, peers, note, 1 if options.quick else 5)
    documents(report, with_pdfs=not options.quick)
    contents(report)
    printed_structure.law(report)
    printed_structure.made_documents(report, documents=1 if options.quick else DOCUMENTS)
    report.save()


def probes(report: Report, peers: dict[str, Split], note: str) -> None:
    """Inputs on which splitters are known to fail."""
    verdicts = {name: probe(split) for name, split in peers.items()}
    rows: list[dict[str, object]] = [
        {"probe": one, **{name: verdicts[name][one] for name in peers}}
        for one in verdicts["hierdoc"]
    ]
    for one, verdict in own_probes().items():
        rows.append({"probe": one, **dict.fromkeys(peers), "hierdoc": verdict})
    report.table("hard inputs", rows, note)
    passed = sum(row["hierdoc"] == "ok" for row in rows)
    report.target(
        "hard inputs that hierdoc reads rightly, of all, %", 100 * passed / len(rows), ">=", 100
    )


def throughput(report: Report, peers: dict[str, Split], note: str, repetitions: int) -> None:
    """Megabytes of markdown per second of processor time, the best of several runs, in turns."""
    corpora = {
        "EIPs": [
            path.read_text("utf-8") for path in sorted(shared("technical", "eips").glob("*.md"))
        ],
        "constitution": [shared("legal", "alabama-constitution.md").read_text("utf-8")],
    }
    ways: dict[str, Callable[[str], object]] = {
        "hierdoc, headings": find_headings,
        "hierdoc, sections": section_tree,
        "hierdoc, headings and chunks": hierdoc(domain="none"),
        "hierdoc, with implied sections": peers["hierdoc"],
        "hierdoc, with definitions and references": hierdoc(
            extract_definitions=True, extract_references=True
        ),
        **{name: split for name, split in peers.items() if name != "hierdoc"},
    }
    seconds: dict[tuple[str, str], float] = {}
    for _ in range(repetitions):
        for name, way in ways.items():
            for corpus, texts in corpora.items():
                taken = _cpu(way, texts)
                seconds[name, corpus] = min(seconds.get((name, corpus), taken), taken)
    sizes = {
        name: sum(len(text.encode()) for text in texts) / 1e6 for name, texts in corpora.items()
    }
    both = sum(sizes.values())

    def rate(name: str) -> float:
        return both / sum(seconds[name, corpus] for corpus in corpora)

    report.table(
        "megabytes per second, one core",
        [
            {"way": name, **{c: sizes[c] / seconds[name, c] for c in corpora}, "both": rate(name)}
            for name in ways
        ],
        note,
    )
    report.target(
        "headings and chunks, MB/s", rate("hierdoc, headings and chunks"), ">=", HEADINGS_AND_CHUNKS
    )
    report.target(
        "with definitions and references, MB/s",
        rate("hierdoc, with definitions and references"), ">=", EVERYTHING,
    )  # fmt: skip


def documents(report: Report, *, with_pdfs: bool) -> None:
    """How true sections and chunks are to each document of the shared data."""
    suffixes = {".md", ".html", *([".pdf"] if with_pdfs else [])}
    paths = [path for path in sorted(DATA.rglob("*")) if path.suffix in suffixes]
    chunker = StructureChunker()
    rows, failed = [], []
    outlines: list[dict[str, object]] = []
    filings: list[dict[str, object]] = []
    right = counted = 0
    for path in paths:
        try:
            document = understand(_converted(path))
        except Exception as error:  # named in the table: the converter is not what is measured
            failed.append(f"{path.name}: {type(error).__name__}")
            continue
        chunks = chunker.chunk(document)
        kept = preserved(path, document, chunks)
        rows.append((path.suffix, kept, path.name))
        if path.suffix != ".pdf":
            continue
        outlines += _outlines(path, document)
        _bill(report, path, document, chunks)
        items, statements = truth.filing_chains(chunks, document.text, truth.statement_pages(path))
        if items.all:
            right, counted = (
                right + items.right + statements.right,
                counted + items.all + statements.all,
            )
            filings.append(
                {"filing": path.name, "chunks of items": items.all, "name their item, %": items.percent,
                 "chunks of statements": statements.all, "name their statement, %": statements.percent}
            )  # fmt: skip
    if outlines:
        report.table(
            "headings of PDFs beside the file's outline, %", outlines,
            "below: of the headings in both, those that stand below the one that the outline puts them below",
        )  # fmt: skip
    if filings:
        report.table("parent chains of filings", filings)
        report.target(
            "filings' chunks that name item and statement, %", 100 * right / counted, ">=", FILINGS
        )
    kinds = sorted({suffix for suffix, _, _ in rows})
    lost = [name for _, kept, name in rows if not kept]
    report.table(
        "documents whose structure is preserved",
        [
            {
                "format": kind,
                "documents": sum(one == kind for one, _, _ in rows),
                "preserved": sum(one == kind and kept for one, kept, _ in rows),
            }
            for kind in kinds
        ],
        "; ".join(["lost: " + ", ".join(lost) if lost else "", *failed]).strip("; "),
    )
    share = 100 * sum(kept for _, kept, _ in rows) / max(1, len(rows) + len(failed))
    report.target("documents whose structure is preserved, %", share, ">=", PRESERVED)


def contents(report: Report) -> None:
    """Section numbers of plain text beside those that its own table of contents lists."""
    rows: list[dict[str, object]] = []
    shares = []
    for path in sorted(shared("technical", "rfc").glob("*.txt")):
        document = understand(_converted(path))
        recall, false = truth.numbers_agreement(document.text, document.sections)
        shares.append((recall, false))
        rows.append(
            {"text": path.name, "listed": recall.all, "found, %": recall.percent, "sections": false.all,
             "false, %": false.percent}
        )  # fmt: skip
    report.table("section numbers of plain text beside its own table of contents", rows)
    listed, found = (sum(one[side].all for one in shares) for side in (0, 1))
    right, wrong = (sum(one[side].right for one in shares) for side in (0, 1))
    report.target("listed section numbers that are found, %", 100 * right / listed, ">=", LISTED)
    report.target("section numbers that are false, %", 100 * wrong / found, "<=", FALSE)


def preserved(path: Path, document: Document, chunks: Sequence[Chunk]) -> bool:
    """Whether a document's structure is preserved, by the rule in the module's docstring."""
    if not holds_everything(document, chunks):
        return False
    if path.suffix == ".md":
        return _by_markdown_it(document.text) == [
            (one.level, one.line) for one in find_headings(document.text)
        ]
    titles = [truth.folded(section.title) for _, section in truth.walk(document.sections)]
    if path.suffix == ".html":
        elements = re.findall(
            r"(?is)<(h[1-6])\b[^>]*>(.*?)</\1>", path.read_text("utf-8", "replace")
        )
        following = iter(titles)
        wanted = [truth.folded(html.unescape(re.sub(r"<[^>]*>", "", text))) for _, text in elements]
        return all(any(one in title for title in following) for one in wanted if one)
    outline = truth.pdf_outline(path)
    if outline:
        recall = truth.outline_agreement(outline, document.sections)[0].percent
        return recall is not None and recall >= OUTLINE
    return sum(bool(chunk.parent_chain) for chunk in chunks) >= 0.9 * len(chunks)


def holds_everything(document: Document, chunks: Sequence[Chunk]) -> bool:
    """Whether all text that is not white space lies in a chunk."""
    behind = 0
    for chunk in chunks:
        if document.text[behind : max(behind, chunk.char_start)].strip():
            return False
        behind = max(behind, chunk.char_end)
    return not document.text[behind:].strip()


def _converted(path: Path, converter: object = "auto") -> Document:
    config = load_config({"converter": converter}).converter
    opened = default_registry().open(ComponentKind.CONVERTER, config)
    document: Document = asyncio.run(opened.convert(Source(path.name, path.read_bytes(), path)))
    return document


def _outlines(path: Path, document: Document) -> list[dict[str, object]]:
    """Agreement of headings with a PDF's outline, where it has one: as converted, and by typography alone."""
    outline = truth.pdf_outline(path)
    if not outline:
        return []
    names = ("recall", "precision", "level", "below")
    hidden = understand(_converted(path, {"provider": "pdf", "outline": False}))
    return [
        {"file": path.name, "entries": len(outline), "outline": seen}
        | {
            name: share.percent
            for name, share in zip(
                names, truth.outline_agreement(outline, one.sections), strict=True
            )
        }
        for seen, one in (("used", document), ("hidden", hidden))
    ]


def _bill(report: Report, path: Path, document: Document, chunks: Sequence[Chunk]) -> None:
    """Print how many sections of a bill stand under their TITLE and CHAPTER, and how many of its definitions are found."""
    places = truth.bill_places(document.text)
    if not any(title for _, title, _ in places):
        return
    share = truth.bill_chains(document, chunks)
    report.target(
        f"sections of {path.name} under their TITLE and CHAPTER, % of {share.all}",
        share.percent or 0.0, ">=", BILL,
    )  # fmt: skip
    by_eye = terms_by_eye(document.text)
    lost = missing(by_eye, [one.term for one in document.definitions])
    report.target(
        f"definitions of {path.name}, 'X' means, of {len(by_eye)}",
        len(by_eye) - lost.total(), ">=", len(by_eye),
    )  # fmt: skip


def _by_markdown_it(text: str) -> list[tuple[int, int]]:
    """Level and line of each heading outside of lists and quotes; front matter is read as blank lines."""
    from markdown_it import MarkdownIt

    behind = front_matter_end(text)
    tokens = MarkdownIt("commonmark").parse("\n" * text.count("\n", 0, behind) + text[behind:])
    return [
        (int(token.tag[1]), token.map[0] + 1)
        for token, inline in pairwise(tokens)
        if token.type == "heading_open"
        and token.level == 0
        and token.map
        and (token.markup[0] == "#" or len(inline.content) <= LONGEST_SETEXT)
    ]


def _cpu(way: Callable[[str], object], texts: Sequence[str]) -> float:
    gc.collect()
    started = time.process_time()
    for text in texts:
        way(text)
    return time.process_time() - started


if __name__ == "__main__":
    main()
