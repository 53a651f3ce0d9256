"""What is sent to each API, and what happens where the answer cannot be used."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from hierdoc import AsyncIndex, HierdocError, Hit, SearchResult, Usage
from hierdoc_cohere import CohereConfig, RerankPrices, open_reranker
from hierdoc_remote.loopback import Loopback, failure, reply, reranks, serving
from hierdoc_testing import make_hits

TEXTS = ["Bees dance.", "Ships pay the fee.", "Cargo is weighed."]


pytestmark = pytest.mark.usefixtures("no_pauses")


@pytest.fixture
def server() -> Iterator[Loopback]:
    with serving(reranks) as loopback:
        yield loopback


def rerank(server: Loopback, **settings: Any) -> Sequence[Hit]:
    async def call() -> Sequence[Hit]:
        given = {"base_url": server.url, "model": "rerank-v3.5", **settings}
        reranker = open_reranker(CohereConfig(**given))
        try:
            return list(await reranker.rerank("ships fee", make_hits(TEXTS), 3))
        finally:
            await reranker.aclose()

    return asyncio.run(call())


class TestShapeOfRequests:
    def test_cohere(self, server: Loopback) -> None:
        hits = rerank(server, api_key=SecretStr("co-1"))
        ((path, headers, body),) = server.requests
        assert path == "/v1/rerank"
        assert headers["authorization"] == "Bearer co-1"
        assert body == {"model": "rerank-v3.5", "query": "ships fee", "documents": TEXTS}
        assert hits[0].chunk.text == "Ships pay the fee."

    def test_jina(self, server: Loopback) -> None:
        hits = rerank(server, api="jina", model="jina-reranker-v2-base-multilingual")
        assert server.bodies[0]["return_documents"] is False
        assert hits[0].chunk.text == "Ships pay the fee."

    def test_voyage(self, server: Loopback) -> None:
        hits = rerank(server, api="voyage", model="rerank-2.5")
        assert server.bodies[0]["documents"] == TEXTS
        assert hits[0].chunk.text == "Ships pay the fee."

    def test_text_embeddings_inference(self, server: Loopback) -> None:
        hits = rerank(server, api="tei", model="")
        assert server.bodies == [{"query": "ships fee", "texts": TEXTS, "truncate": True}]
        assert hits[0].chunk.text == "Ships pay the fee."

    def test_fields_may_be_added(self, server: Loopback) -> None:
        rerank(server, extra={"max_tokens_per_doc": 512})
        assert server.bodies[0]["max_tokens_per_doc"] == 512

    def test_texts_go_out_in_batches_and_scores_are_compared_across_them(
        self, server: Loopback
    ) -> None:
        hits = rerank(server, batch_size=1)
        assert len(server.requests) == 3
        assert [hit.score for hit in hits] == [0.5, 0, 0]


class TestShapeOfFailures:
    @pytest.mark.parametrize(
        "answer",
        [
            {},
            {"results": [{"index": 0, "relevance_score": 1}]},
            {"results": [{"index": one, "relevance_score": "high"} for one in range(3)]},
            [{"index": 7, "score": 1.0}] * 3,
            5,
        ],
    )
    def test_an_answer_without_a_score_for_each_text_is_none(
        self, server: Loopback, answer: Any
    ) -> None:
        server.handle = lambda *_: reply(answer)
        with pytest.raises(HierdocError, match="no score for each text"):
            rerank(server)

    def test_a_refusal_is_said_without_the_key(self, server: Loopback) -> None:
        server.handle = lambda *_: failure(401, "invalid api token co-secret")
        with pytest.raises(HierdocError, match=r"invalid api token \*\*\*"):
            rerank(server, api_key=SecretStr("co-secret"))

    def test_a_busy_server_is_asked_again(self, server: Loopback) -> None:
        server.failures = [failure(429, "slow down")]
        assert rerank(server)[0].chunk.text == "Ships pay the fee."


class TestInASearch:
    ACT = """# Harbour Act

## Section 1 Fees

Ships pay the fee in crowns, and the fee is due at noon.

## Section 2 Cargo

Cargo is weighed by the harbour master, who collects what is owed.

## Section 3 Bees

Whoever keeps bees shall tell the harbour master.
"""

    def search(self, server: Loopback, folder: Path, query: str, **rerank: Any) -> SearchResult:
        (folder / "docs").mkdir(exist_ok=True)
        (folder / "docs" / "act.md").write_text(self.ACT)
        settings = {
            "source": str(folder / "docs"),
            "vector": "in-memory",
            "keyword": "in-memory",
            "chunker": {"provider": "structure", "max_chunk_tokens": 100},
            "reranker": {
                "provider": "cohere",
                "base_url": server.url,
                "model": "rerank-v3.5",
                "retries": 0,
            },
            "search": {"rerank": rerank},
        }

        async def scenario() -> SearchResult:
            async with AsyncIndex.open(settings) as index:
                await index.ingest()
                return await index.search(query)

        return asyncio.run(scenario())

    def bees_first(self, path: str, body: Any) -> Any:
        rows = [
            {"index": number, "relevance_score": float("bees" in text)}
            for number, text in enumerate(body["documents"])
        ]
        return reply({"results": rows})

    def test_its_order_is_the_results(self, server: Loopback, tmp_path: Path) -> None:
        server.handle = self.bees_first
        result = self.search(server, tmp_path, "what do ships pay")
        assert "bees" in result.hits[0].chunk.text
        assert result.degraded == ()

    def test_what_is_certain_stays_first_and_is_not_shown(
        self, server: Loopback, tmp_path: Path
    ) -> None:
        server.handle = self.bees_first
        result = self.search(server, tmp_path, "Section 2")
        assert result.hits[0].certain
        assert result.hits[0].section_id == "sec_2"
        shown = [text for body in server.bodies for text in body["documents"]]
        assert not any("Cargo" in text for text in shown)

    def test_a_failure_leaves_the_order_of_the_fusion_and_is_listed(
        self, server: Loopback, tmp_path: Path
    ) -> None:
        server.handle = lambda *_: failure(500, "out of order")
        result = self.search(server, tmp_path, "what do ships pay")
        assert "Ships pay" in result.hits[0].chunk.text
        (degradation,) = result.degraded
        assert degradation.leg == "rerank"
        assert "out of order" in degradation.reason

    def test_so_does_an_answer_that_comes_late(self, server: Loopback, tmp_path: Path) -> None:
        server.latency = 0.5
        result = self.search(server, tmp_path, "what do ships pay", timeout=0.05)
        assert "Ships pay" in result.hits[0].chunk.text
        assert "longer than 0.05 seconds" in result.degraded[0].reason


class TestConfiguration:
    @pytest.mark.parametrize(
        ("settings", "wanted"),
        [({"api": "tei"}, "give the `base_url`"), ({"api": "jina"}, "give the `model`")],
    )
    def test_what_an_api_needs_is_asked_for(self, settings: dict[str, Any], wanted: str) -> None:
        with pytest.raises(ValidationError, match=wanted):
            CohereConfig(**settings)


class TestCost:
    @pytest.mark.parametrize(
        ("hits", "batch_size", "requests"),
        [(0, None, 0), (50, None, 1), (150, None, 2), (50, 20, 3)],
    )
    def test_as_many_requests_are_told_as_are_sent(
        self, hits: int, batch_size: int | None, requests: int
    ) -> None:
        config = CohereConfig(model="rerank-v3.5", batch_size=batch_size)
        usage = open_reranker(config).estimate(hits, 300)
        assert (usage.requests, usage.cost) == (requests, None)
        assert usage.uncached >= 300 * hits

    def test_cohere_is_paid_by_searches_of_a_hundred_texts(self) -> None:
        config = CohereConfig(
            model="rerank-v3.5", batch_size=1_000, prices=RerankPrices(searches=2)
        )
        usage = open_reranker(config).estimate(150, 300)
        assert (usage.requests, usage.cost) == (1, pytest.approx(2 * 2 / 1000))

    def test_jina_and_voyage_are_paid_by_tokens(self) -> None:
        config = CohereConfig(api="jina", model="jina-reranker-v3", prices=RerankPrices(input=0.05))
        usage = open_reranker(config).estimate(50, 300)
        assert usage.cost == pytest.approx(usage.uncached * 0.05 / 1e6)

    @pytest.mark.parametrize(
        ("api", "model", "prices", "tokens", "cost"),
        [
            ("cohere", "rerank-v3.5", {"searches": 2}, 0, 2 / 1000),
            ("jina", "jina-reranker-v3", {"input": 0.05}, 15, 15 * 0.05 / 1e6),
            ("voyage", "rerank-2.5", {"input": 0.05}, 15, 15 * 0.05 / 1e6),
            ("tei", "", {}, 0, 0),
        ],
    )
    def test_what_the_server_counts_is_counted(
        self, server: Loopback, api: str, model: str, prices: Any, tokens: int, cost: float
    ) -> None:
        async def call() -> Usage:
            given = {"api": api, "model": model, "base_url": server.url, "prices": prices}
            reranker = open_reranker(CohereConfig.model_validate(given))
            try:
                await reranker.rerank("ships fee", make_hits(TEXTS), 3)
                return reranker.usage
            finally:
                await reranker.aclose()

        assert asyncio.run(call()) == Usage(1, tokens, cost=pytest.approx(cost))

    def test_a_dry_run_tells_it_by_the_longest_chunk(
        self, server: Loopback, tmp_path: Path
    ) -> None:
        (tmp_path / "act.md").write_text(f"# Act\n\n{'Ships pay. ' * 100}\n")
        config = {
            "source": str(tmp_path / "act.md"),
            "vector": "in-memory",
            "keyword": "in-memory",
            "reranker": {"provider": "cohere", "base_url": server.url, "model": "rerank-v3.5"},
            "search": {"rerank": {"candidates": 30}},
        }

        async def call() -> tuple[Usage | None, Usage | None]:
            async with AsyncIndex.open(config) as index:
                before = (await index.ingest(dry=True)).search_usage
                await index.ingest()
                return before, (await index.ingest(dry=True)).search_usage

        planned, held = asyncio.run(call())
        assert planned == held
        assert planned
        assert planned.requests == 1
        assert planned.uncached > 30 * 200
        assert not server.requests
