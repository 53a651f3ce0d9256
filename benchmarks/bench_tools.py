"""Which of 200 tools a request needs: by meaning, by words and both, on 50 requests of our own writing; and how long a search takes."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Sequence
from typing import Any

from common import Report, arguments
from tool_requests import requests, tools

from hierdoc_tool_index import FoundTool, ToolIndex

EMBEDDERS = ("static", "minilm")
ROUNDS = 5
MOST_MS = 1.0
"""What a request may take."""


def main() -> None:
    """Ask every request in every mode."""
    options = arguments()
    report = Report(
        "tools", "Choosing among tools.", ["hierdoc-tool-index", "hierdoc-static", "hierdoc-minilm"]
    )
    embedders = EMBEDDERS[:1] if options.quick else EMBEDDERS
    rows = [row for embedder in embedders for row in asyncio.run(measured(embedder))]
    report.table(
        f"{len(requests())} requests, {len(tools())} tools",
        rows,
        f"found: the tool is among the first 1, 3, 5, 10; best and median of {ROUNDS} rounds over all requests",
    )
    if not options.quick:
        slowest = max(row["p50 ms"] for row in rows if row["embedder"] != "minilm")
        report.target("a request, p50 ms", slowest, "<=", MOST_MS)
    report.save()


async def measured(embedder: str) -> list[dict[str, Any]]:
    """A row for each mode."""
    index = ToolIndex(embedder=embedder)
    await index.add(tools())
    modes = ("hybrid", "semantic", "keyword") if embedder == "static" else ("hybrid", "semantic")
    rows = []
    for mode in modes:
        ranks: list[int | None] = []
        times: list[float] = []
        for _ in range(ROUNDS):
            ranks = []
            for request, name in requests():
                started = time.perf_counter()
                found = await index.search(request, top_k=10, mode=mode)  # type: ignore[arg-type]
                times.append((time.perf_counter() - started) * 1000)
                ranks.append(_rank(found, name))
        rows.append(
            {
                "embedder": embedder if mode != "keyword" else "",
                "mode": mode,
                **{f"top {k}": _share(ranks, k) for k in (1, 3, 5, 10)},
                "best ms": min(times),
                "p50 ms": statistics.median(times),
            }
        )
    await index.aclose()
    return rows


def _rank(found: Sequence[FoundTool], name: str) -> int | None:
    names = [one.name for one in found]
    return names.index(name) + 1 if name in names else None


def _share(ranks: Sequence[int | None], k: int) -> float:
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


if __name__ == "__main__":
    main()
