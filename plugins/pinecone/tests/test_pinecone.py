"""The plugin `pinecone` on the wire: what is asked of the service, and what is made of its answers.

All are shape tests: they run against a stand-in that takes what Pinecone documents, not against Pinecone itself.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from hierdoc import AsyncIndex, Chunk, Filter, IndexMismatchError, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.filters import And, Contains, Equals, In, Not, Or, Under
from hierdoc.plugin import DocumentVersion, IndexSpec, Record
from hierdoc_pinecone import PineconeConfig, _check
from hierdoc_pinecone.backend import PineconeBackend
from hierdoc_pinecone.records import MOST_METADATA, VectorId, make_vectors, selection

SPEC = IndexSpec("embedder", 4)
KEY = "one-of-the-tests"
Scenario = Callable[[PineconeBackend], Awaitable[Any]]


def record(id: str, text: str = "text", vector: Any = (1, 0, 0, 0), **fields: Any) -> Record:
    chunk = Chunk(fields.pop("source", "doc.md"), text, 0, len(text), 1, 1, id=id, **fields)
    return Record(chunk, DocumentVersion("hash", "pipeline", 1), np.array(vector, np.float32))


def backend(server: Any, **fields: Any) -> PineconeBackend:
    return PineconeBackend(PineconeConfig(**{"api_key": KEY, "url": server.url, **fields}))


def run(store: PineconeBackend, scenario: Scenario, spec: IndexSpec = SPEC, **options: Any) -> Any:
    async def whole() -> Any:
        try:
            await store.prepare(spec, **options)
            return await scenario(store)
        finally:
            await store.aclose()

    return asyncio.run(whole())


async def nothing(store: PineconeBackend) -> None:
    """A scenario in which the backend is only opened."""


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Makes pauses short, and tells how long they would have been."""
    made: list[float] = []
    monkeypatch.setattr("hierdoc_pinecone.service.time.sleep", made.append)
    return made


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"api_key": "secret\u200b"},
        {"api_key": KEY, "url": "http://key:secret@host"},
        {"api_key": KEY, "index": "Laws"},
        {"api_key": KEY, "index": "x" * 41},
        {"api_key": KEY, "collection": "a b"},
        {"api_key": KEY, "batch_size": 1001},
        {"api_key": KEY, "cloud": "moon"},
    ],
)
def test_a_wrong_configuration_is_refused_without_its_secrets(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        PineconeConfig(**fields)
    assert "secret" not in str(caught.value)


class TestShapeOfIndexes:
    def test_the_first_index_is_made_and_waited_for(self, server: Any, pauses: list[float]) -> None:
        run(backend(server, index="laws", cloud="gcp", region="europe-west4"), nothing)
        (body,) = server.asked("POST /indexes")
        assert body["name"] == "laws-4"
        assert server.indexes["laws-4"].dimension == 4
        assert server.indexes["laws-4"].place == {"cloud": "gcp", "region": "europe-west4"}
        assert pauses

    def test_an_index_that_is_there_serves_several_collections(
        self, server: Any, pauses: list[float]
    ) -> None:
        for name in ("one", "two"):
            run(backend(server, collection=name), lambda store: store.upsert([record("a")]))
        assert len(server.asked("POST /indexes")) == 1
        assert sorted(server.indexes["hierdoc-4"].namespaces) == ["one", "two"]

    def test_another_length_of_vectors_is_refused_until_the_reset(
        self, server: Any, pauses: list[float]
    ) -> None:
        run(backend(server), lambda store: store.upsert([record("a")]))
        longer = IndexSpec("embedder", 5)
        with pytest.raises(IndexMismatchError):
            run(backend(server), nothing, longer)
        run(backend(server), nothing, longer, reset=True)
        with pytest.raises(IndexMismatchError):
            run(backend(server), nothing)
        assert sorted(server.indexes) == ["hierdoc-4", "hierdoc-5"]

    def test_somebody_elses_namespace_is_left_alone(self, server: Any, pauses: list[float]) -> None:
        run(backend(server, collection="mine"), nothing)
        log = server.indexes["hierdoc-4"].namespaces["mine"].log
        log[:] = [
            ("clear", None),
            ("upsert", [{"id": "x", "values": [1, 0, 0, 0], "metadata": {}}]),
        ]
        space = type(server.indexes["hierdoc-4"].namespaces["mine"])()
        space.log = log
        space.shown("query"), space.shown("query"), space.shown("list"), space.shown("list")
        server.indexes["hierdoc-4"].namespaces["mine"] = space
        with pytest.raises(StoreError, match="not made by hierdoc"):
            run(backend(server, collection="mine"), nothing)


class TestShapeOfVectors:
    def test_a_long_record_is_spread_over_vectors_that_all_fit(self) -> None:
        made = make_vectors(record("long", '"法\\' * 100_000), np.ones(4, np.float32))
        sizes = [len(json.dumps(one["metadata"], ensure_ascii=False).encode()) for one in made]
        assert len(made) > 30
        assert max(sizes) <= MOST_METADATA
        assert made[-1]["metadata"]["part"] == 0, "a record shows when all of it is there"

    def test_an_id_tells_what_is_asked_for_most(self) -> None:
        (made,) = make_vectors(record("ch/1 ä", ordinal=300), np.ones(4, np.float32))
        told = VectorId.read(made["id"])
        assert told is not None
        assert (told.chunk_id, told.ordinal) == ("ch/1 ä", 300)
        assert made["id"].isascii()

    @pytest.mark.parametrize("name", ["x" * 500, "caf\udce9"])
    def test_an_id_that_is_long_or_no_text_is_looked_up(
        self, server: Any, pauses: list[float], name: str
    ) -> None:
        async def scenario(store: PineconeBackend) -> Any:
            await store.upsert([record(name)])
            return [one.chunk_id for one in await store.search(np.array([1, 0, 0, 0]), 5)]

        assert run(backend(server), scenario) == [name]

    def test_numbers_keep_their_bits_on_the_way(self) -> None:
        vector = np.random.default_rng(0).normal(size=200).astype(np.float32)
        (made,) = make_vectors(record("a"), vector)
        assert np.array_equal(np.array(made["values"], np.float32), vector)

    def test_too_many_values_to_filter_by_fail_by_name(
        self, server: Any, pauses: list[float]
    ) -> None:
        many = record("many", headings=tuple(f"heading {number}" for number in range(1000)))

        async def scenario(store: PineconeBackend) -> None:
            with pytest.raises(PartialWriteError) as caught:
                await store.upsert([record("a"), many, record("b")])
            assert list(caught.value.failed) == ["many"]
            assert await store.count() == 2

        run(backend(server), scenario)


class TestShapeOfFilters:
    @pytest.mark.parametrize(
        "filter",
        [
            Equals("kind", '"}]}'),
            Not(Contains("headings", "$ne")),
            Not(Or()),
            And(),
            Not(And(Or(Equals("kind", "a"), Not(Under(["b"]))), In("source", []))),
            Not(Not(In("source", [str(number) for number in range(25_000)]))),
        ],
        ids=str,
    )
    def test_no_condition_needs_a_negation_or_holds_what_was_typed(self, filter: Filter) -> None:
        text = json.dumps(selection(filter))
        assert "$not" not in text
        assert "heading" not in text
        assert '\\"' not in text
        sizes = [len(one) for one in _lists(selection(filter))]
        assert max(sizes, default=0) <= 10_000
        assert min(sizes, default=1) >= 1


def _lists(condition: Any) -> list[list[Any]]:
    if isinstance(condition, dict):
        return [one for value in condition.values() for one in _lists(value)]
    if isinstance(condition, list):
        return [condition, *(one for value in condition for one in _lists(value))]
    return []


class TestShapeOfWrites:
    def test_batches_keep_to_the_limits(self, server: Any, pauses: list[float]) -> None:
        big = [record(f"{number:03d}", "x" * 30_000) for number in range(120)]
        run(backend(server, batch_size=1000), lambda store: store.upsert(big))
        written = [body["vectors"] for body in server.asked("POST .*/upsert")]
        assert sum(one["id"].count("_") for some in written for one in some) == 120
        assert len([some for some in written if len(some) > 1]) > 1

    def test_what_was_there_under_an_id_goes_when_it_is_written_again(
        self, server: Any, pauses: list[float]
    ) -> None:
        async def scenario(store: PineconeBackend) -> None:
            await store.upsert([record("a", "x" * 200_000)])
            await store.upsert([record("a", "short", source="other.md", ordinal=7)])
            assert await store.count() == 1
            assert set(await store.documents()) == {"other.md"}

        run(backend(server), scenario)
        space = server.indexes["hierdoc-4"].namespaces["default"]
        space.shown("list"), space.shown("list")
        assert len([one for one in space.shown("list") if not one.startswith("!")]) == 1

    def test_nothing_is_waited_for_between_writes(self, server: Any, pauses: list[float]) -> None:
        async def scenario(store: PineconeBackend) -> None:
            before = len(server.asked("GET .*/list"))
            for number in range(5):
                await store.delete_documents([f"{number}.md"])
                await store.upsert([record(f"{number}", source=f"{number}.md")])
            assert len(server.asked("GET .*/list")) == before
            assert await store.count() == 5

        run(backend(server), scenario)

    def test_a_read_waits_until_writes_show(self, server: Any, pauses: list[float]) -> None:
        async def scenario(store: PineconeBackend) -> None:
            for number in range(3):
                await store.upsert([record(f"{number}")])
                found = await store.search(np.array([1, 0, 0, 0], np.float32), 5)
                assert len(found) == number + 1

        run(backend(server), scenario)

    def test_what_never_shows_is_an_error(self, server: Any, pauses: list[float]) -> None:
        async def scenario(store: PineconeBackend) -> None:
            await store.upsert([record("a")])
            server.hidden = True
            with pytest.raises(StoreError, match="does not show") as caught:
                await store.count()
            assert caught.value.hint
            server.hidden = False

        run(backend(server, visible_within=0.5), scenario)

    def test_a_record_that_is_refused_is_named_and_the_others_are_written(
        self, server: Any, pauses: list[float]
    ) -> None:
        server.refused = "poison"

        async def scenario(store: PineconeBackend) -> None:
            records = [record(f"{number}", "poison" if number == 5 else "x") for number in range(9)]
            with pytest.raises(PartialWriteError) as caught:
                await store.upsert(records)
            assert list(caught.value.failed) == ["5"]
            assert await store.count() == 8

        run(backend(server), scenario)


class TestShapeOfFailures:
    @pytest.mark.parametrize("status", [429, 500, 503])
    def test_a_busy_service_is_asked_again(
        self, server: Any, pauses: list[float], status: int
    ) -> None:
        async def scenario(store: PineconeBackend) -> None:
            told = json.dumps({"code": 8, "message": "too many requests", "details": []})
            server.failures = [("POST .*/upsert", status, {"retry-after": "7"}, told)] * 2
            await store.upsert([record("a")])
            assert await store.count() == 1

        run(backend(server), scenario)
        assert pauses.count(7.0) == 2

    def test_a_service_that_stays_busy_is_an_error(self, server: Any, pauses: list[float]) -> None:
        async def scenario(store: PineconeBackend) -> None:
            server.failures = [("POST .*/upsert", 429, {}, '{"message": "slow down"}')] * 2
            with pytest.raises(StoreError, match="429: slow down") as caught:
                await store.upsert([record("a")])
            assert not isinstance(caught.value, PartialWriteError)
            assert caught.value.hint

        run(backend(server, retries=1), scenario)

    def test_a_failure_after_some_batches_names_the_rest(
        self, server: Any, pauses: list[float]
    ) -> None:
        async def scenario(store: PineconeBackend) -> None:
            server.failures = [("none", 0, {}, "")]
            upserts = store._namespace._send
            calls: list[int] = []

            def sending(batch: Any) -> Any:
                calls.append(1)
                if len(calls) == 2:
                    server.failures = [("POST .*/upsert", 503, {}, "{}")]
                return upserts(batch)

            store._namespace._send = sending  # type: ignore[method-assign]
            with pytest.raises(PartialWriteError) as caught:
                await store.upsert([record(f"{number}") for number in range(4)])
            assert list(caught.value.failed) == ["2", "3"]

        run(backend(server, batch_size=2, retries=0), scenario)

    def test_a_wrong_key_is_an_error_that_hides_it(self, server: Any) -> None:
        with pytest.raises(StoreError) as caught:
            run(backend(server, api_key="a-very-secret-key"), nothing)
        assert "401" in str(caught.value)
        assert "api_key" in str(caught.value.hint)
        assert "a-very-secret-key" not in repr(caught.value) + str(caught.value.__cause__)

    def test_nobody_there_is_an_error_with_a_way_out(self) -> None:
        store = PineconeBackend(PineconeConfig(api_key=KEY, url="http://127.0.0.1:9", retries=0))
        with pytest.raises(StoreError, match="cannot be reached") as caught:
            run(store, nothing)
        assert caught.value.hint

    def test_what_is_no_pinecone_is_told_apart(self, server: Any) -> None:
        server.failures = [("GET /indexes", 200, {"content-type": "text/html"}, "<html>")]
        with pytest.raises(StoreError) as caught:
            run(backend(server, retries=0), nothing)
        assert caught.value.hint


def test_shape_of_the_check(server: Any, pauses: list[float]) -> None:
    config = PineconeConfig(api_key=KEY, url=server.url)
    assert asyncio.run(_check(config)) == "no index yet: the first ingest makes one"
    run(backend(server), nothing)
    assert asyncio.run(_check(config)) == "indexes: hierdoc-4"


def test_shape_of_an_ingest_and_its_searches(
    server: Any, tmp_path: Path, pauses: list[float]
) -> None:
    (tmp_path / "act.md").write_text("# Act\n\n## Section 1\n\nShips have berths.\n")
    vector = {"provider": "pinecone", "api_key": KEY, "url": server.url}
    config = {"source": str(tmp_path), "vector": vector, "keyword": "in-memory"}

    async def whole() -> None:
        async with AsyncIndex.open(config) as index:
            assert not (await index.ingest()).failures
            (hit, *_) = (await index.search("Section 1")).hits
            assert hit.certain
        (tmp_path / "act.md").write_text("# Act\n\n## Section 1\n\nShips have anchors.\n")
        async with AsyncIndex.open(config) as index:
            assert (await index.ingest()).counts["updated"] == 1
            (hit, *_) = (await index.search("anchors")).hits
            assert "anchors" in hit.chunk.text

    asyncio.run(whole())
