"""A hundred tool calls at once: while nothing else happens, beside an ingest in the same process, and beside one in a process of its own.

Each call is another one: searches, sections and outlines of documents that the ingest leaves alone. The three are measured in one run, so
compare them with each other: times are this machine's. Processor time is that of the thread that answers.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from statistics import median

from common import Report, arguments

from hierdoc import Config, Index, load_config
from hierdoc_tools.corpus import Corpus
from hierdoc_tools.tools import Tools

CALLS, SECTIONS = 100, 20
P95_MS, STILL_MS = 100, 50
WORDS = [
    "harbour",
    "berth",
    "quay",
    "vessel",
    "master",
    "cargo",
    "tide",
    "pilot",
    "anchor",
    "lantern",
    "ballast",
    "manifest",
]

Round = tuple[list[float], float, float, float]
"""Seconds of each call; those of the thread's processor time; the longest that the event loop stood still, and computed."""


def main() -> None:
    """Ask beside nothing, beside ingests, and after them."""
    options = arguments()
    documents = 2 * CALLS if options.quick else 500
    report = Report("calls", "Calls at once.", ["hierdoc-tools", "hierdoc-sqlite"])
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "made")
        chunks = _make(made, documents)
        rows = []
        for apart in (False, True):
            copy = Path(folder, f"copy-{apart}")
            shutil.copytree(made, copy)
            measured = asyncio.run(_measured(_config(copy), apart=apart))
            where = "in a process of its own" if apart else "in the same process"
            rows += [_row(f"{when}, ingest {where}", some) for when, some in measured.items()]
    report.table(
        f"{CALLS} calls at once, {chunks:,} chunks",
        rows,
        "medians over the rounds, but for the longest; an answer that is wrong ends the benchmark",
    )
    if not options.quick:
        beside = next(
            row for row in rows if row["when"].startswith("beside") and "own" in row["when"]
        )
        report.target("p95 beside an ingest, ms", beside["p95 ms"], "<=", P95_MS)
        report.target("the event loop computes at most, ms", beside["computed ms"], "<=", STILL_MS)
    report.save()


def _make(folder: Path, documents: int) -> int:
    """An index of documents of about twenty chunks each, and a source in which every second one has changed since; its chunks."""
    (folder / "docs").mkdir(parents=True)
    for number in range(documents):
        _write(folder, number)
    with Index.open(_config(folder)) as index:
        index.ingest()
        chunks = index.count()
    for number in range(0, documents, 2):
        _write(folder, number, "changed")
    return chunks


def _write(folder: Path, number: int, note: str = "") -> None:
    parts = [f"# Rule {number}\n"]
    for section in range(1, SECTIONS + 1):
        told = " ".join(WORDS[(number + section + one) % len(WORDS)] for one in range(150))
        heading = f"## Section {section} Matter {number}x{section}"
        parts.append(f"{heading}\n\nword{number}x{section} {told} {note}\n")
    (folder / "docs" / f"rule-{number}.md").write_text("\n".join(parts))


def _config(folder: Path) -> Config:
    return load_config(
        {
            "source": str(folder / "docs"),
            "vector": {"provider": "sqlite", "path": str(folder / "index")},
            "keyword": {"provider": "tantivy", "path": str(folder / "index")},
            "chunker": {"provider": "structure", "max_chunk_tokens": 300, "chunk_overlap": 0},
        }
    )


async def _measured(config: Config, *, apart: bool) -> dict[str, list[Round]]:
    async with Corpus(config, ingest=False, apart=apart) as corpus:
        tools = await _warm(corpus)
        quiet = [await _round(tools) for _ in range(5)]
    beside: list[Round] = []
    async with Corpus(config, ingest=True, apart=apart) as corpus:
        tools = await _warm(corpus)
        while not corpus.files_read:  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.01)
        while corpus.building:
            beside.append(await _round(tools))
            await asyncio.sleep(0.3)
        return {"quiet": quiet, "beside": beside, "after": [await _round(tools) for _ in range(3)]}


async def _warm(corpus: Corpus) -> Tools:
    tools = Tools(corpus)
    await tools.call("search", {"query": "harbour"})
    return tools


async def _round(tools: Tools) -> Round:
    still = asyncio.create_task(_still())
    used = time.thread_time()
    took = await asyncio.gather(*(_call(tools, number) for number in range(CALLS)))
    used = time.thread_time() - used
    still.cancel()
    return (sorted(took), used, *(await still))


async def _call(tools: Tools, number: int) -> float:
    document, section = 2 * number + 1, number % SECTIONS + 1
    word = f"word{document}x{section}"
    name, given, expected = (
        ("search", {"query": word, "top_k": 3}, word),
        ("section", {"reference": f"Section {section}", "in": f"rule-{document}.md"}, word),
        ("outline", {"document": f"rule-{document}.md"}, f"Matter {document}x{section}"),
    )[number % 3]
    begun = time.perf_counter()
    answer = await tools.call(name, given)
    took = time.perf_counter() - begun
    assert expected in answer.text, answer.text[:500]
    return took


async def _still() -> tuple[float, float]:
    """Between two turns of the event loop, at most: the seconds, and those of the processor in its thread."""
    longest = computed = 0.0
    with suppress(asyncio.CancelledError):
        while True:
            begun, used = time.perf_counter(), time.thread_time()
            await asyncio.sleep(0.005)
            longest = max(longest, time.perf_counter() - begun - 0.005)
            computed = max(computed, time.thread_time() - used)
    return longest, computed


def _row(when: str, rounds: list[Round]) -> dict[str, object]:
    return {
        "when": when,
        "rounds": len(rounds),
        "p50 ms": 1000 * median(median(took) for took, *_ in rounds),
        "p95 ms": 1000 * median(took[int(len(took) * 0.95) - 1] for took, *_ in rounds),
        "CPU ms a call": 1000 * median(used for _, used, *_ in rounds) / CALLS,
        "stood still ms": 1000 * max(still for *_, still, _ in rounds),
        "computed ms": 1000 * max(computed for *_, computed in rounds),
    }


if __name__ == "__main__":
    main()
