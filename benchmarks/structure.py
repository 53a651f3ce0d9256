"""Structure: what splitters make of hard inputs, how fast they are, and how true sections and parent chains are to real documents.

The share of documents whose structure is preserved goes by this rule. Markdown: headings, levels and lines are those of
markdown-it-py. HTML: every heading element is a section's title, in order. PDF: with an outline, at least 90 % of its
entries are sections; without one, at least 90 % of the chunks stand under a heading. And of every document the chunks
hold all text that is not white space.
"""

from __future__ import annotations

import asyncio
import gc
import html
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import structure_truth as truth
from common import DATA, Report, arguments, shared
from structure_peers import Split, hierdoc, splitters
from structure_probes import own_probes, probe

from hierdoc import Chunk, Document, Kind, Source, default_registry, load_config
from hierdoc.builtin.chunkers import StructureChunker
from hierdoc.structure import understand
from hierdoc.structure.markdown import find_headings, front_matter_end
from hierdoc.structure.sections import section_tree

HEADINGS_AND_CHUNKS, EVERYTHING = 60.0, 30.0
"""Megabytes per second that are aimed at."""

BILL, FILINGS, PRESERVED, OUTLINE = 99.0, 95.0, 95.0, 90.0
"""Per cent that are aimed at."""


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
    converter = default_registry().open(Kind.CONVERTER, load_config({}).converter)
    chunker = StructureChunker()
    rows, failed = [], []
    filings: list[truth.Share] = []
    for path in paths:
        source = Source(path.name, path.read_bytes(), path)
        try:
            document = asyncio.run(converter.convert(source))
        except Exception as error:  # named in the table: the converter is not what is measured
            failed.append(f"{path.name}: {type(error).__name__}")
            continue
        document = understand(document)
        chunks = chunker.chunk(document)
        kept = preserved(path, document, chunks)
        rows.append((path.suffix, kept, path.name))
        if path.suffix == ".pdf":
            filings += _of_pdf(report, path, document, chunks)
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
    if filings:
        right, all_ = sum(one.right for one in filings), sum(one.all for one in filings)
        report.target(
            "filings' chunks that name item and statement, %",
            100 * right / max(1, all_),
            ">=",
            FILINGS,
        )


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


def _of_pdf(
    report: Report, path: Path, document: Document, chunks: Sequence[Chunk]
) -> list[truth.Share]:
    """Print what can be told of one PDF; the shares of its chunks that name item and statement, if it is a filing."""
    outline = truth.pdf_outline(path)
    if outline:
        names = ("recall", "precision", "level accuracy")
        shares = truth.outline_agreement(outline, document.sections)
        figures = {name: one.percent for name, one in zip(names, shares, strict=True)}
        report.table(f"headings of {path.name}, %", [{"entries": len(outline), **figures}])
    places = truth.bill_places(document.text)
    if places and any(title for _, title, _ in places):
        share = truth.bill_chains(document, chunks)
        report.target(
            f"sections of {path.name} under their TITLE and CHAPTER, % of {share.all}",
            share.percent or 0.0, ">=", BILL,
        )  # fmt: skip
        return []
    items, statements = truth.filing_chains(chunks, document.text)
    if not items.all:
        return []
    report.table(
        f"chunks of {path.name} with a true parent chain, %",
        [{"chunks": items.all, "item": items.percent, "of statements": statements.all,
          "item and statement": statements.percent}],
    )  # fmt: skip
    outside = replace(items, all=items.all - statements.all)
    right = max(0, items.right - statements.all) + statements.right
    return [truth.Share(min(right, outside.all + statements.right), items.all)]


def _by_markdown_it(text: str) -> list[tuple[int, int]]:
    """Level and line of each heading outside of lists and quotes; front matter is read as blank lines."""
    from markdown_it import MarkdownIt

    behind = front_matter_end(text)
    tokens = MarkdownIt("commonmark").parse("\n" * text.count("\n", 0, behind) + text[behind:])
    return [
        (int(token.tag[1]), token.map[0] + 1)
        for token in tokens
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


def _cpu(way: Callable[[str], object], texts: Sequence[str]) -> float:
    gc.collect()
    started = time.process_time()
    for text in texts:
        way(text)
    return time.process_time() - started


if __name__ == "__main__":
    main()
