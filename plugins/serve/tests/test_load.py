"""Many requests at once over HTTP, beside an ingest."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from hierdoc import Index, load_config

DOCUMENTS, SECTIONS, CALLS = 500, 20, 100
WORDS = "harbour berth quay vessel master cargo tide pilot anchor lantern ballast manifest".split()

CONFIG = """
source: docs
vector: {provider: sqlite, path: index}
keyword: {provider: tantivy, path: index}
chunker: {provider: structure, max_chunk_tokens: 300, chunk_overlap: 0}
"""


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
@pytest.mark.alone
def test_a_hundred_requests_beside_an_ingest_are_answered_rightly(
    harbour: ModuleType, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Prints how long requests took, during the ingest and after it."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(DOCUMENTS):
        write(folder, number)
    (tmp_path / "hierdoc.yaml").write_text(CONFIG)
    with Index.open(load_config(tmp_path / "hierdoc.yaml")) as index:
        index.ingest()
        assert index.count() >= 10_000
    for number in range(0, DOCUMENTS, 2):
        write(folder, number, "changed")

    async def ask(address: str) -> tuple[list[float], list[float]]:
        limits = httpx.Limits(max_connections=CALLS)
        async with httpx.AsyncClient(base_url=address, limits=limits, timeout=60) as client:
            await client.get("/api/search", params={"query": "harbour"})
            assert (await client.get("/health")).json() == {"status": "building"}
            beside = await _all(client)
            assert (await client.get("/health")).json() == {"status": "building"}, "too late"
            while (await client.get("/health")).json() != {"status": "ok"}:  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.2)
            return beside, await _all(client)

    given = ("serve", "--port", "0", "--ingest", "--rate", "0")
    with harbour.running(*given, cwd=tmp_path) as address:
        beside, after = asyncio.run(ask(address))
    for when, took in (("beside an ingest", beside), ("after it", after)):
        took.sort()
        p50, p95 = took[CALLS // 2] * 1e3, took[int(CALLS * 0.95) - 1] * 1e3
        record_property(when, [p50, p95])
        print(f"\n{CALLS} requests at once {when}: p50 {p50:.0f} ms, p95 {p95:.0f} ms", end="")
        assert p95 < 10_000


async def _all(client: httpx.AsyncClient) -> list[float]:
    return list(await asyncio.gather(*(_one(client, number) for number in range(CALLS))))


async def _one(client: httpx.AsyncClient, number: int) -> float:
    """Ask about a document that does not change, and look at the answer."""
    document, section = 2 * number + 1, number % SECTIONS + 1
    word = f"word{document}x{section}"
    path, given, expected = _CALLS[number % 4]
    asked: dict[str, Any] = {
        name: value.format(document=document, section=section) for name, value in given.items()
    }
    begun = time.perf_counter()
    response = await client.get(path, params=asked)
    took = time.perf_counter() - begun
    assert response.status_code == 200, response.text[:500]
    assert (word if expected == "word" else f"Matter {document}x{section}") in response.text
    return took


_CALLS = (
    ("/api/search", {"query": "word{document}x{section}", "top_k": "3"}, "word"),
    ("/api/section", {"reference": "Section {section}", "in": "rule-{document}.md"}, "word"),
    ("/api/outline", {"document": "rule-{document}.md"}, "heading"),
    ("/", {"query": "word{document}x{section}", "top_k": "3"}, "word"),
)
