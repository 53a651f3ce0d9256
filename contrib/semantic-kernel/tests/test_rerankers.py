"""Chat services of Semantic Kernel's as rerankers, against a server that speaks as OpenAI's API does."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("semantic_kernel", reason="Semantic Kernel is installed in an environment of its own")  # fmt: skip

from hierdoc import HierdocError, Hit, Index, Usage
from hierdoc_remote.loopback import Loopback, chat_in_json, failure, serving
from hierdoc_semantic_kernel import (
    ServiceNavigatorConfig,
    ServiceRerankerConfig,
    open_navigator,
    open_reranker,
)
from hierdoc_testing import make_hits

SERVICE = "semantic_kernel.connectors.ai.open_ai:OpenAIChatCompletion"

TEXTS = ["Bees dance.", "Ships pay the fee.", "Cargo is weighed."]


def last_first(prompt: str) -> dict[str, Any]:
    """All excerpts from the last to the first or, of an outline, its last entry."""
    if "<outline>" in prompt:
        shown = prompt.partition("<outline>")[2].partition("</outline>")[0]
        numbers = [int(one) for one in re.findall(r"^ *(\d+) ", shown, re.MULTILINE)]
        return {"sections": [{"id": numbers[-1], "reason": "weighs"}], "open": []}
    numbers = [int(one) for one in re.findall(r"^\[(\d+)\]", prompt, re.MULTILINE)]
    return {"order": numbers[::-1]}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    with serving(chat_in_json(last_first)) as loopback:
        monkeypatch.setenv("OPENAI_BASE_URL", loopback.url)
        yield loopback


@pytest.fixture
def settings(server: Loopback, tmp_path: Path) -> dict[str, Any]:
    return {
        "service": SERVICE,
        "arguments": {"ai_model_id": "gpt"},
        "secrets": {"api_key": "sk-1"},
        "model": "gpt",
        "retries": 0,
        "cache_path": tmp_path,
    }


def reranked(reranker: Any) -> tuple[Sequence[Hit], Usage]:
    async def call() -> tuple[Sequence[Hit], Usage]:
        try:
            hits = await reranker.rerank("What is weighed?", make_hits(TEXTS), 3)
            return hits, reranker.account.usage
        finally:
            await reranker.aclose()

    return asyncio.run(call())


def test_shape_of_the_listwise_reranker(server: Loopback, settings: dict[str, Any]) -> None:
    hits, usage = reranked(open_reranker(ServiceRerankerConfig(**settings)))
    assert [hit.chunk.text for hit in hits] == TEXTS[::-1]
    assert usage == Usage(1, 100, output=9)
    again, usage = reranked(open_reranker(ServiceRerankerConfig(**settings)))
    assert [hit.chunk.text for hit in again] == TEXTS[::-1]
    assert (usage, len(server.requests)) == (Usage(), 1)


def test_shape_of_the_navigator(settings: dict[str, Any]) -> None:
    hits, _ = reranked(open_navigator(ServiceNavigatorConfig(**settings)))
    assert hits[0].chunk.text == "Cargo is weighed."
    assert "the outline leads here: weighs" in str(hits[0].why)


def test_shape_of_a_failure_the_order_of_the_fusion_stays_and_says_why(
    server: Loopback, settings: dict[str, Any], tmp_path: Path
) -> None:
    server.handle = lambda *_: failure(400, "too long for the key sk-1")
    (tmp_path / "act.md").write_text("# Act\n\n## Fees\n\nShips pay.\n\n## Bees\n\nBuzz.\n")
    reranker = {**settings, "provider": "semantic-kernel", "cache_path": str(tmp_path / "cache")}
    config = {
        "source": str(tmp_path / "act.md"),
        "reranker": reranker,
        "vector": "in-memory",
        "keyword": "in-memory",
        "chunker": {"provider": "structure", "max_chunk_tokens": 100, "min_chunk_tokens": 0},
    }
    with Index.open(config) as index:
        index.ingest()
        result = index.search("what do ships and bees")
    assert len(result.hits) > 1
    (degraded,) = result.degraded
    assert degraded.leg == "rerank"
    assert "too long for the key ***" in degraded.reason


@pytest.mark.parametrize("answer", [{}, {"order": []}, {"order": ["one"]}])
def test_another_answer_than_was_asked_for_is_none(
    server: Loopback, settings: dict[str, Any], answer: Any
) -> None:
    server.handle = chat_in_json(lambda _: answer)
    with pytest.raises(HierdocError, match="is not what was asked for"):
        reranked(open_reranker(ServiceRerankerConfig(**settings)))
