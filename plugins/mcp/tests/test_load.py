"""Many calls at once, beside an ingest."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hierdoc import Index, load_config
from hierdoc_mcp.corpus import Corpus
from hierdoc_mcp.tools import Answer, Tools

DOCUMENTS, SECTIONS, CALLS = 500, 20, 100
WORDS = "harbour berth quay vessel master cargo tide pilot anchor lantern ballast manifest".split()


def write(folder: Path, number: int, note: str = "") -> None:
    """A document of about twenty chunks, each with a word of its own."""
    parts = [f"# Rule {number}\n"]
    for section in range(1, SECTIONS + 1):
        told = " ".join(WORDS[(number + section + one) % len(WORDS)] for one in range(150))
        parts.append(
            f"## Section {section} Matter {number}x{section}\n\nword{number}x{section} {told} {note}\n"
        )
    (folder / f"rule-{number}.md").write_text("\n".join(parts))


@pytest.mark.nightly
def test_a_hundred_calls_beside_an_ingest_are_answered_rightly_event_loop(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Prints the 95th percentile of how long calls took, and how long the event loop stood still at most."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(DOCUMENTS):
        write(folder, number)
    config = load_config(
        {
            "source": str(folder),
            "vector": {"provider": "sqlite", "path": str(tmp_path / "index")},
            "keyword": {"provider": "tantivy", "path": str(tmp_path / "index")},
            "chunker": {"provider": "structure", "max_chunk_tokens": 300, "chunk_overlap": 0},
        }
    )
    with Index.open(config) as index:
        index.ingest()
        chunks = index.count()
    assert chunks >= 10_000
    for number in range(0, DOCUMENTS, 2):
        write(folder, number, "changed")

    async def ask() -> tuple[list[tuple[float, Answer]], bool, float]:
        async with Corpus(config, ingest=True) as corpus:
            tools = Tools(corpus)
            warm = await tools.call("search", {"query": "harbour"})
            assert not warm.failed, warm.text
            while corpus.building and not corpus.files_read:  # noqa: ASYNC110 - there is no event
                await asyncio.sleep(0.01)
            stood = asyncio.create_task(_longest_stand_still())
            asked = [_timed(tools, *_call(number)) for number in range(CALLS)]
            answers = await asyncio.gather(*asked)
            beside = corpus.building
            stood.cancel()
            return answers, beside, await stood

    answers, beside, stood = asyncio.run(ask())
    assert beside, "the ingest was over before the calls were"
    for number, (_, answer) in enumerate(answers):
        assert answer.data is not None, answer.text
        _, _, expected = _call(number)
        assert expected in answer.text, (number, answer.text[:500])
    took = sorted(seconds for seconds, _ in answers)
    p95 = took[int(len(took) * 0.95) - 1]
    record_property("load", [p95, stood])
    print(
        f"\n{CALLS} calls at once, {chunks:,} chunks: p50 {took[CALLS // 2] * 1e3:.0f} ms, p95 {p95 * 1e3:.0f} ms, "
        f"the event loop stood still for {stood * 1e3:.0f} ms at most"
    )
    assert p95 < 10


def _call(number: int) -> tuple[str, dict[str, object], str]:
    """A tool, arguments, and what the answer must have; of a document that does not change."""
    document, section = 2 * number + 1, number % SECTIONS + 1
    word = f"word{document}x{section}"
    return (
        ("search", {"query": word, "top_k": 3}, word),
        ("section", {"reference": f"Section {section}", "in": f"rule-{document}.md"}, word),
        ("outline", {"document": f"rule-{document}.md"}, f"Matter {document}x{section}"),
    )[number % 3]


async def _timed(
    tools: Tools, name: str, arguments: dict[str, object], expected: str
) -> tuple[float, Answer]:
    begun = time.perf_counter()
    answer = await tools.call(name, arguments)
    return time.perf_counter() - begun, answer


async def _longest_stand_still() -> float:
    longest = 0.0
    try:
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(0.005)
            longest = max(longest, time.perf_counter() - begun - 0.005)
    except asyncio.CancelledError:
        return longest


@pytest.mark.nightly
@pytest.mark.alone
def test_it_is_there_in_a_second_and_answers_in_five(ingested: Path) -> None:
    """Best of five, so that a busy moment does not count; prints what a server without tools takes."""
    bare = [sys.executable, "-c", BARE]
    ours = [str(Path(sys.executable).with_name("hierdoc")), "mcp"]
    least, _ = map(min, zip(*(_started(bare, ingested) for _ in range(5)), strict=True))
    there, answered = map(min, zip(*(_started(ours, ingested) for _ in range(5)), strict=True))
    print(
        f"\ninitialised in {there:.2f} s ({least:.2f} s without tools), answered in {answered:.2f} s"
    )
    assert there < max(1.0, 1.5 * least)
    assert answered < 5


BARE = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
async def main():
    server = Server("bare")
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
anyio.run(main)
"""


def _started(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds until the server is initialised, and until it has answered a call."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello |= {"clientInfo": {"name": "test", "version": "1"}}
    call = {"name": "search", "arguments": {"query": "fee"}}
    begun = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as ran:  # fmt: skip
        assert ran.stdin is not None
        assert ran.stdout is not None
        seconds = []
        for number, (method, params) in enumerate(
            (("initialize", hello), ("tools/call", call)), start=1
        ):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            ran.stdin.write(json.dumps(message) + "\n")
            if number == 1:
                ran.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
            ran.stdin.flush()
            assert json.loads(ran.stdout.readline())["id"] == number
            seconds.append(time.perf_counter() - begun)
        ran.stdin.close()
    return seconds[0], seconds[1]
