"""Many calls at once, beside an ingest."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hierdoc import Index, load_config
from hierdoc_tools.corpus import Corpus
from hierdoc_tools.tools import Answer, Tools

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
    """Prints the 95th percentile of how long calls took, and how long the event loop stood still at most, by the clock and by what it computed."""
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

    async def ask() -> tuple[list[tuple[float, Answer]], bool, tuple[float, float]]:
        async with Corpus(config, ingest=True, apart=True) as corpus:
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

    answers, beside, (stood, computed) = asyncio.run(ask())
    assert beside, "the ingest was over before the calls were"
    for number, (_, answer) in enumerate(answers):
        assert answer.data is not None, answer.text
        _, _, expected = _call(number)
        assert expected in answer.text, (number, answer.text[:500])
    took = sorted(seconds for seconds, _ in answers)
    p95 = took[int(len(took) * 0.95) - 1]
    record_property("load", [p95, stood, computed])
    print(
        f"\n{CALLS} calls at once, {chunks:,} chunks: p50 {took[CALLS // 2] * 1e3:.0f} ms, p95 {p95 * 1e3:.0f} ms, "
        f"the event loop stood still for {stood * 1e3:.0f} ms at most and computed for {computed * 1e3:.0f}"
    )
    assert p95 < 10
    assert computed < 0.05  # what other programs take from it does not count


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


async def _longest_stand_still() -> tuple[float, float]:
    """Of two turns of the event loop that come one after the other, the seconds between, and those of the processor in its thread."""
    longest = computed = 0.0
    try:
        while True:
            begun, used = time.perf_counter(), time.thread_time()
            await asyncio.sleep(0.005)
            longest = max(longest, time.perf_counter() - begun - 0.005)
            computed = max(computed, time.thread_time() - used)
    except asyncio.CancelledError:
        return longest, computed
