"""The plugin `azure-cosmos-nosql` on the wire: what is asked of the service, and what is made of its answers.

All are shape tests: they run against a stand-in that takes what Azure Cosmos DB documents, not against Azure itself.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from hierdoc import AsyncIndex, Filter, IndexMismatchError, QueryError, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.filters import And, Contains, Equals, In, Not, Or, Under
from hierdoc.plugin import IndexSpec
from hierdoc_azure_cosmos_nosql import CosmosConfig, _check
from hierdoc_azure_cosmos_nosql.backend import CosmosBackend, _gain
from hierdoc_azure_cosmos_nosql.items import fused, selection, token
from hierdoc_testing import SPEC, direction, make_record

KEY = "b25lIG9mIHRoZSB0ZXN0cw=="
Scenario = Callable[[CosmosBackend], Awaitable[Any]]
BOTH = {"semantic": 0.5, "keyword": 0.5}


def backend(server: Any, **fields: Any) -> CosmosBackend:
    return CosmosBackend(CosmosConfig(**{**server.fields, **fields}))


def run(store: CosmosBackend, scenario: Scenario, spec: IndexSpec = SPEC, **options: Any) -> Any:
    async def whole() -> Any:
        try:
            await store.prepare(spec, **options)
            return await scenario(store)
        finally:
            await store.aclose()

    return asyncio.run(whole())


async def nothing(store: CosmosBackend) -> None:
    """A scenario in which the backend is only opened."""


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Makes pauses short, and tells how long they would have been."""
    made: list[float] = []
    sleep = asyncio.sleep

    async def paused(seconds: float, result: Any = None) -> Any:
        made.append(seconds)
        return await sleep(0, result)

    monkeypatch.setattr("hierdoc_azure_cosmos_nosql.service.asyncio.sleep", paused)
    return made


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "https://host"},
        {"url": "https://key:secret@host", "api_key": KEY},
        {"url": "https://host", "api_key": "secret\u200b"},
        {"url": "https://host", "api_key": KEY, "collection": "a/b"},
        {"url": "https://host", "api_key": KEY, "database": ""},
        {"url": "https://host", "api_key": KEY, "index": "hnsw"},
        {"url": "https://host", "api_key": KEY, "throughput": 100},
    ],
)
def test_a_wrong_configuration_is_refused_without_its_secrets(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        CosmosConfig(**fields)
    assert "secret" not in str(caught.value)


class TestShapeOfContainers:
    @pytest.mark.parametrize(
        ("index", "kind"),
        [("diskann", "diskANN"), ("quantized-flat", "quantizedFlat"), ("flat", "flat")],
    )
    def test_the_first_one_is_made_with_its_policies(
        self, server: Any, index: str, kind: str
    ) -> None:
        run(backend(server, collection="laws", index=index), nothing)
        (body,) = server.asked("POST /dbs/hierdoc/colls")
        assert body["partitionKey"]["paths"] == ["/document"]
        (vectors,) = body["vectorEmbeddingPolicy"]["vectorEmbeddings"]
        assert vectors["dimensions"] == SPEC.dimensions
        assert body["indexingPolicy"]["vectorIndexes"] == [{"path": "/vector", "type": kind}]
        assert body["fullTextPolicy"]["fullTextPaths"][0]["path"] == "/words"

    def test_vectors_too_long_for_the_flat_index_are_refused(self, server: Any) -> None:
        with pytest.raises(StoreError, match="506 dimensions") as caught:
            run(backend(server, index="flat"), nothing, IndexSpec("long", 506))
        assert "quantized-flat" in str(caught.value.hint)

    def test_another_length_of_vectors_is_refused_until_the_reset(self, server: Any) -> None:
        run(backend(server), lambda store: store.upsert([make_record("a")]))
        shorter = IndexSpec("embedder", 8)
        with pytest.raises(IndexMismatchError):
            run(backend(server), nothing, shorter)
        assert run(backend(server), lambda store: store.count(), shorter, reset=True) == 0

    def test_somebody_elses_container_is_left_alone(self, server: Any) -> None:
        run(backend(server), nothing)
        container = server.databases["hierdoc"]["hierdoc"]
        container.items = {("x", "x"): {"id": "x", "document": "x", "_rid": "1"}}
        for reset in (False, True):
            with pytest.raises(StoreError, match="not made by hierdoc"):
                run(backend(server), nothing, reset=reset)
        assert list(container.items) == [("x", "x")]


class TestShapeOfQueries:
    @pytest.mark.parametrize(
        "filter",
        [
            Equals("kind", '"}]}'),
            Not(Contains("headings", "$ne")),
            Not(Or()),
            And(),
            Not(And(Or(Equals("kind", "a"), Not(Under(["b"]))), In("source", []))),
            In("source", ["a' OR 1=1", "b"]),
        ],
        ids=str,
    )
    def test_no_condition_holds_what_was_typed(self, filter: Filter) -> None:
        literals = re.findall(r'"([^"]*)"', selection(filter))
        assert all(re.fullmatch(r"[0-9a-f]{32}", one) for one in literals)
        assert "OR 1" not in selection(filter)

    def test_words_reach_the_service_as_digits(self, server: Any) -> None:
        async def scenario(store: CosmosBackend) -> None:
            await store.upsert([make_record("a", 'He said "zanzibar"; -- )')])
            for text in ('"zanzibar', "zanzibar) OR (true", "zanzibar']"):
                found = await store.hybrid_search(text, direction(1), 5, BOTH)
                assert [one.chunk_id for one in found] == ["a"]

        run(backend(server), scenario)
        asked = [one for one in server.queries() if "RANK" in one]
        assert asked
        assert not [one for one in asked if "zanzibar" in one.lower()]
        terms = [re.findall(r'"([^"]*)"', one.partition("RANK")[2]) for one in asked]
        assert all(re.fullmatch(r"\d{12}", one) for some in terms for one in some)

    def test_both_legs_are_one_query_with_their_weights(self, server: Any) -> None:
        async def scenario(store: CosmosBackend) -> None:
            await store.upsert([make_record("a", "zanzibar"), make_record("b", "berth")])
            await store.hybrid_search("zanzibar", direction(1), 5, {"semantic": 2, "keyword": 1})

        run(backend(server), scenario)
        (asked,) = {one for one in server.queries() if "RANK" in one}
        assert re.search(
            r"ORDER BY RANK RRF\(VectorDistance\(c\.vector, .*\), FullTextScore\(c\.words, ", asked
        )
        assert json.loads(asked[asked.rindex("[") : -1]) == [2.0, pytest.approx(_gain(1))]

    def test_the_first_with_a_word_is_as_far_ahead_as_in_plain_fusion(self) -> None:
        for matching in (1, 7, 100):
            first, behind = 1 / 61, 1 / (61 + matching)
            assert _gain(matching) * (first - behind) == pytest.approx(1 / 61)

    def test_a_zero_vector_leaves_the_words_alone(self) -> None:
        text = fused(np.zeros(4, np.float32), ["berth"], (0.0, 1.0), 5, None)
        assert text.endswith(f'ORDER BY RANK FullTextScore(c.words, "{token("berth")}")')

    def test_all_that_tie_with_the_last_are_asked_for(self, server: Any) -> None:
        async def scenario(store: CosmosBackend) -> Any:
            await store.upsert(
                [make_record(f"{number:03d}", source=f"{number}.md") for number in range(90)]
            )
            return await store.search(direction(1), 5)

        found = run(backend(server), scenario)
        assert [one.chunk_id for one in found] == ["000", "001", "002", "003", "004"]

    def test_a_filter_that_is_too_long_is_the_questions_fault(self, server: Any) -> None:
        many = In("source", [str(number) for number in range(20_000)])

        async def scenario(store: CosmosBackend) -> None:
            with pytest.raises(QueryError) as caught:
                await store.find(many, 5)
            assert "smaller filters" in str(caught.value.hint)

        run(backend(server), scenario)


class TestShapeOfWrites:
    def test_batches_keep_to_the_limits_and_to_one_document(self, server: Any) -> None:
        records = [make_record(f"{n:03d}", "x" * 3000, source=f"{n % 2}.md") for n in range(500)]
        run(backend(server), lambda store: store.upsert(records))
        batches = [one for one in server.asked("POST .*/docs") if isinstance(one, list)]
        assert sum(map(len, batches)) == 500
        assert max(map(len, batches)) == 100
        for batch in batches:
            assert len({one["resourceBody"]["document"] for one in batch}) == 1
            assert len(json.dumps(batch)) < 1_000_000

    def test_an_id_moves_with_its_record_to_another_document(self, server: Any) -> None:
        async def scenario(store: CosmosBackend) -> None:
            await store.upsert([make_record("a", "x" * 600_000, source="old.md")])
            await store.upsert([make_record("a", "new", source="new.md")])
            assert set(await store.documents()) == {"new.md"}

        run(backend(server), scenario)
        assert len(server.databases["hierdoc"]["hierdoc"].items) == 2, "the record and the manifest"

    def test_a_long_record_is_spread_over_items(self, server: Any) -> None:
        long = make_record("long", "sæ" * 400_000)

        async def scenario(store: CosmosBackend) -> None:
            await store.upsert([long])
            assert [one.chunk for one in await store.get(["long"])] == [long.chunk]
            assert await store.count() == 1
            await store.delete_documents([long.chunk.source])

        run(backend(server), scenario)
        assert len(server.databases["hierdoc"]["hierdoc"].items) == 1, "the manifest"

    def test_a_record_that_is_refused_is_named_and_the_others_are_written(
        self, server: Any
    ) -> None:
        server.refused = "poison"

        async def scenario(store: CosmosBackend) -> None:
            records = [make_record(f"{n}", "poison" if n == 5 else "x") for n in range(9)]
            with pytest.raises(PartialWriteError, match="refused by the test") as caught:
                await store.upsert(records)
            assert list(caught.value.failed) == ["5"]
            assert await store.count() == 8

        run(backend(server), scenario)


class TestShapeOfFailures:
    @pytest.mark.parametrize(("status", "waited"), [(429, 7.0), (449, 0.2), (503, 0.5)])
    def test_a_busy_service_is_asked_again(
        self, server: Any, pauses: list[float], status: int, waited: float
    ) -> None:
        async def scenario(store: CosmosBackend) -> None:
            told = '{"code": "busy", "message": "Request rate is large"}'
            headers = {"x-ms-retry-after-ms": "7000"} if status == 429 else {}
            server.failures = [("POST .*/docs", status, headers, told)] * 3
            await store.upsert([make_record("a")])
            assert await store.count() == 1

        run(backend(server), scenario)
        assert waited in pauses

    def test_a_service_that_stays_busy_is_an_error(self, server: Any, pauses: list[float]) -> None:
        async def scenario(store: CosmosBackend) -> None:
            server.failures = [("POST .*/docs", 429, {"x-ms-retry-after-ms": "1"}, "{}")] * 99
            with pytest.raises(StoreError, match="answers 429") as caught:
                await store.upsert([make_record("a")])
            assert not isinstance(caught.value, PartialWriteError)
            assert "throughput" in str(caught.value.hint)
            server.failures = []
            assert await store.count() == 0

        run(backend(server, retries=1), scenario)

    def test_a_failure_after_some_batches_names_the_rest(
        self, server: Any, pauses: list[float]
    ) -> None:
        async def scenario(store: CosmosBackend) -> None:
            written = store._service.ask
            calls: list[int] = []

            async def asking(request: Any) -> Any:
                calls.append(1)
                if len(calls) == 3:  # the second document's look-up
                    server.failures = [("POST .*/docs", 403, {}, "{}")]
                return await written(request)

            store._service.ask = asking  # type: ignore[method-assign]
            with pytest.raises(PartialWriteError) as caught:
                await store.upsert([make_record(f"{n}", source=f"{n}.md") for n in range(2)])
            assert list(caught.value.failed) == ["1"]

        run(backend(server, concurrency=1, retries=0), scenario)

    def test_a_wrong_key_is_an_error_that_hides_it(self, server: Any) -> None:
        with pytest.raises(StoreError) as caught:
            run(backend(server, api_key="YS12ZXJ5LXNlY3JldC1rZXk="), nothing)
        assert "401" in str(caught.value)
        assert "api_key" in str(caught.value.hint)
        assert "YS12ZXJ5" not in repr(caught.value) + str(caught.value.__cause__)

    def test_a_key_that_is_none_is_an_error(self, server: Any) -> None:
        with pytest.raises(StoreError) as caught:
            run(backend(server, api_key="not base64!", retries=0), nothing)
        assert caught.value.hint

    def test_nobody_there_is_an_error_with_a_way_out(self, server: Any) -> None:
        with pytest.raises(StoreError, match="cannot be reached") as caught:
            run(backend(server, url="http://127.0.0.1:9", retries=0), nothing)
        assert caught.value.hint


def test_shape_of_the_check(server: Any) -> None:
    config = CosmosConfig(**server.fields)
    assert asyncio.run(_check(config)) == "no container yet: the first ingest makes one"
    run(backend(server), nothing)
    assert asyncio.run(_check(config)) == "container 'hierdoc' in database 'hierdoc'"


def test_shape_of_an_ingest_and_its_searches(server: Any, tmp_path: Path) -> None:
    (tmp_path / "act.md").write_text("# Act\n\n## Section 1\n\nShips have berths.\n")
    fields = {name: str(value) for name, value in server.fields.items()}
    store = {"provider": "azure-cosmos-nosql", **fields}
    config = {"source": str(tmp_path), "vector": store, "keyword": None}

    async def whole() -> None:
        async with AsyncIndex.open(config) as index:
            assert not (await index.ingest()).failures
            (hit, *_) = (await index.search("Section 1")).hits
            assert hit.certain
        (tmp_path / "act.md").write_text("# Act\n\n## Section 1\n\nShips have anchors.\n")
        async with AsyncIndex.open(config) as index:
            assert (await index.ingest()).counts["updated"] == 1
            result = await index.search("anchors")
            assert not result.degraded
            assert "anchors" in result.hits[0].chunk.text

    asyncio.run(whole())
