"""Questions about a document that they name: contracts, each question with its exact characters, and filings, each with its page.

first %         questions whose first hit holds some of the wanted characters
right document  questions whose first hit is of the contract that is named
within %        of the wanted characters, how many are in the best hits of 32,000 characters together, by question
precision %     of the characters of the first hit, how many are wanted
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import statistics
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from common import Report, shared, stores

from hierdoc import AsyncIndex, Hit

BUDGET = 32_000
"""Characters of hits that are looked at."""

Span = tuple[int, int]


def main() -> None:
    """Print and save."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--embedder", choices=("static", "minilm", "minilm-int8"), default="static")
    parser.add_argument("--only", choices=("contracts", "filings"), help="one of the two")
    parser.add_argument("--first", type=int, help="only so many filings, the first by name")
    parser.add_argument("--keep", type=Path, help="folder in which the indexes stay")
    parser.add_argument("--quick", action="store_true", help="few questions: measures nothing")
    options = parser.parse_args()
    name = "spans" if options.embedder == "static" else f"spans-{options.embedder}"
    report = Report(name, "Questions about a named contract, answered by exact spans.", [])
    if options.only != "filings":
        named_contracts(report, options)
    if options.only != "contracts" and not options.quick:
        named_filings(report, options)
    report.save()


def named_contracts(report: Report, options: argparse.Namespace) -> None:
    """The questions that name a contract."""
    lines = shared("legal", "contracts", "cuad-questions.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in lines][:: 8 if options.quick else 1]
    rows = asyncio.run(measured(questions, options.embedder, options.keep))
    report.table("questions that name their contract", rows)
    hybrid = next(row for row in rows if row["mode"] == "hybrid")
    report.target("first hit right, per cent", float(hybrid["first %"]), ">=", 40)
    report.target("wanted characters within 32,000, per cent", float(hybrid["within %"]), ">=", 85)
    report.target("precision of the first hit, per cent", float(hybrid["precision %"]), ">=", 12)


def named_filings(report: Report, options: argparse.Namespace) -> None:
    """The questions that name a filing."""
    row = asyncio.run(filings(options.embedder, options.keep, options.first))
    report.table("questions that name a filing", [row])
    wanted = 65 if options.embedder == "static" else 75
    report.target("page within five, per cent", float(row["page %"]), ">=", wanted)
    report.target("right document first, per cent", float(row["right document %"]), ">=", 97)


def opened(source: str, folder: Path, embedder: str) -> AsyncIndex:
    """An index of these files with the embedded stores."""
    chosen_stores = {
        kind: {"provider": name, "path": str(folder)}
        for kind, name in (("vector", "sqlite"), ("keyword", "tantivy"))
    }
    chosen: Any = embedder
    if embedder == "minilm-int8":
        chosen = {"provider": "minilm", "threads": 1}
    elif embedder == "minilm":
        chosen = {"provider": "fastembed", "path": str(shared("models", "all-MiniLM-L6-v2-onnx"))}
    return AsyncIndex.open({"source": source, "embedder": chosen, **chosen_stores})


async def filings(embedder: str, keep: Path | None, first: int | None) -> dict[str, Any]:
    """What the questions about filings come to, about so many filings only if a number is given."""
    files = ("questions.jsonl", "questions-2.jsonl")
    lines = [
        line for name in files for line in shared("filings", name).read_text("utf-8").splitlines()
    ]
    files_read = sorted(shared("filings").glob("*.pdf"))[:first]
    asked = [json.loads(line) for line in lines]
    asked = [one for one in asked if any(one["source"] == file.name for file in files_read)]
    right, named = [], []
    certain = wrong = 0
    with stores(keep, f"filings {embedder}") as folder:
        source = shared("filings") / "*.pdf"
        if first:
            source = folder / "filings" / "*.pdf"
            shutil.rmtree(source.parent, ignore_errors=True)
            source.parent.mkdir()
            for file in files_read:
                shutil.copy(file, source.parent)
        async with opened(str(source), folder, embedder) as index:
            await index.ingest()
            for question in asked:
                result = await index.search(question["question"], top_k=5)
                source, pages = question["source"], {one["page"] for one in question["evidence"]}
                right.append(any(is_of(hit, source) and covers(hit, pages) for hit in result.hits))
                named.append(is_of(result.hits[0], source))
                certain += bool(result.scope)
                wrong += bool(result.scope) and source not in {
                    Path(one).name for one in result.scope
                }
    return {
        "filings": len(files_read),
        "questions": len(asked),
        "page %": 100 * statistics.mean(right),
        "right document %": 100 * statistics.mean(named),
        "named": certain,
        "wrongly": wrong,
    }


def covers(hit: Hit, pages: Collection[int]) -> bool:
    """Whether a hit lies on one of these pages."""
    first, last = hit.chunk.page_start or 0, hit.chunk.page_end or 0
    return any(first <= page <= last for page in pages)


async def measured(
    questions: Sequence[dict[str, Any]], embedder: str, keep: Path | None
) -> list[dict[str, Any]]:
    """A row for each mode."""
    with stores(keep, f"contracts {embedder}") as folder:
        async with opened(str(shared("legal", "contracts", "cuad")), folder, embedder) as index:
            await index.ingest()
            return [await row(index, mode, questions) for mode in ("hybrid", "keyword", "semantic")]


async def row(index: AsyncIndex, mode: str, questions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What one mode comes to."""
    first: list[bool] = []
    named: list[bool] = []
    within: list[float] = []
    precision: list[float] = []
    for one in questions:
        result = await index.search(one["question"], mode=mode, top_k=40)
        wanted = [(start, end) for start, end in one["spans"]]
        hits = [hit for hit in result.hits if hit.chunk.text]
        of_document = [is_of(hit, one["source"]) for hit in hits]
        overlaps = [
            overlap(hit, wanted) if ok else 0 for hit, ok in zip(hits, of_document, strict=True)
        ]
        first.append(bool(overlaps and overlaps[0]))
        named.append(bool(of_document and of_document[0]))
        precision.append(overlaps[0] / len(hits[0].chunk.text) if hits else 0.0)
        spent = found = 0
        for hit, shared_characters in zip(hits, overlaps, strict=True):
            if spent + len(hit.chunk.text) > BUDGET:
                break
            spent += len(hit.chunk.text)
            found += shared_characters
        within.append(min(1.0, found / sum(end - start for start, end in wanted)))
    return {
        "mode": mode,
        "questions": len(questions),
        "first %": 100 * statistics.mean(first),
        "right document %": 100 * statistics.mean(named),
        "within %": 100 * statistics.mean(within),
        "precision %": 100 * statistics.mean(precision),
    }


def is_of(hit: Hit, source: str) -> bool:
    """Whether a hit is of this document."""
    return Path(hit.chunk.source).name == source


def overlap(hit: Hit, spans: Sequence[Span]) -> int:
    """Characters of a hit that are wanted."""
    chunk = hit.chunk
    return sum(
        max(0, min(chunk.char_end, end) - max(chunk.char_start, start)) for start, end in spans
    )


if __name__ == "__main__":
    main()
