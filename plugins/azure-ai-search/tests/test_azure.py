"""The plugin `azure-ai-search` on the wire: what is asked of the service, and what is made of its answers.

All are shape tests: they run against a stand-in that takes what Azure documents, not against Azure AI Search itself.
"""

from __future__ import annotations

import asyncio
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
from hierdoc_azure_ai_search import AzureConfig, AzureVectorConfig, _check
from hierdoc_azure_ai_search.backend import AzureBackend, AzureKeywordBackend, AzureVectorBackend
from hierdoc_azure_ai_search.fields import selection

SPEC = IndexSpec("embedder", 4)
FIRST = np.array([1, 0, 0, 0], np.float32)
Scenario = Callable[[Any], Awaitable[Any]]


def record(id: str, text: str = "text", vector: Any = (1, 0, 0, 0), **fields: Any) -> Record:
    chunk = Chunk(fields.pop("source", "doc.md"), text, 0, len(text), 1, 1, id=id, **fields)
    return Record(chunk, DocumentVersion("hash", "pipeline", 1), np.array(vector, np.float32))


def vectors(server: Any, **fields: Any) -> AzureVectorBackend:
    return AzureVectorBackend(AzureVectorConfig(**{**server.fields, **fields}))


def keyword(server: Any, **fields: Any) -> AzureKeywordBackend:
    return AzureKeywordBackend(AzureConfig(**{**server.fields, **fields}))


def run(store: AzureBackend, scenario: Scenario, spec: IndexSpec = SPEC, **options: Any) -> Any:
    async def whole() -> Any:
        try:
            await store.prepare(spec, **options)  # type: ignore[attr-defined]
            return await scenario(store)
        finally:
            await store.aclose()

    return asyncio.run(whole())


async def nothing(store: AzureBackend) -> None:
    """A scenario in which the backend is only opened."""


def searches(server: Any) -> list[Any]:
    return list(server.asked("POST .*search.post.search"))


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Makes pauses short, and tells how long they would have been."""
    made: list[float] = []
    monkeypatch.setattr("hierdoc_azure_ai_search.service.time.sleep", made.append)
    return made


URL = "https://name.search.windows.net"


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"url": URL},
        {"url": "name.search.windows.net", "api_key": "key"},
        {"url": "https://key:secret@host", "api_key": "key"},
        {"url": URL, "api_key": "secret\u200b"},
        {"url": URL, "api_key": "key", "collection": "Laws"},
        {"url": URL, "api_key": "key", "collection": "laws-"},
        {"url": URL, "api_key": "key", "batch_size": 1001},
        {"url": URL, "api_key": "key", "m": 3},
    ],
)
def test_a_wrong_configuration_is_refused_without_its_secrets(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        AzureVectorConfig(**fields)
    assert "secret" not in str(caught.value)


class TestShapeOfIndexes:
    def test_the_definition_says_how_vectors_and_words_are_searched(
        self, server: Any, pauses: list[float]
    ) -> None:
        run(vectors(server, m=8, ef=300, k1=1.5, collection="laws"), nothing)
        made = server.indexes["laws-vector"].definition
        assert made["similarity"]["k1"] == 1.5
        (graph,) = made["vectorSearch"]["algorithms"]
        assert graph["hnswParameters"] == {
            "m": 8,
            "efConstruction": 400,
            "efSearch": 300,
            "metric": "cosine",
        }
        assert "semantic" not in made

    def test_a_flat_index_has_no_graph(self, server: Any, pauses: list[float]) -> None:
        run(vectors(server, index="flat"), nothing)
        (one,) = server.indexes["hierdoc-vector"].definition["vectorSearch"]["algorithms"]
        assert one["kind"] == "exhaustiveKnn"

    def test_another_formula_is_refused_until_the_reset(
        self, server: Any, pauses: list[float]
    ) -> None:
        run(keyword(server), lambda store: store.upsert([record("a")]))
        with pytest.raises(IndexMismatchError):
            run(keyword(server, b=0.5), nothing)
        run(keyword(server, b=0.5), nothing, reset=True)
        with pytest.raises(IndexMismatchError):
            run(keyword(server), nothing)

    def test_somebody_elses_index_is_left_alone(self, server: Any, pauses: list[float]) -> None:
        run(vectors(server), nothing)
        index = server.indexes["hierdoc-vector"]
        index.definition = {**index.definition, "fields": index.definition["fields"][:2]}
        with pytest.raises(StoreError, match="not made by hierdoc"):
            run(vectors(server), nothing, reset=True)

    def test_an_empty_index_that_does_not_say_what_for_is_taken_and_not_dropped(
        self, server: Any, pauses: list[float]
    ) -> None:
        run(vectors(server), nothing)
        server.indexes["hierdoc-vector"].held.clear()
        run(vectors(server), lambda store: store.upsert([record("a")]))
        assert not server.asked("DELETE .*")


@pytest.mark.parametrize(
    "filter",
    [
        Equals("kind", "') or true or ('"),
        Not(Contains("headings", "x' eq 'x")),
        Not(Or()),
        And(),
        Not(And(Or(Equals("kind", "'"), Not(Under(["b,c"]))), In("source", []))),
        In("source", [f"{number}'," for number in range(5000)]),
    ],
    ids=lambda one: str(one)[:40],
)
def test_shape_of_filters_that_hold_nothing_that_was_typed(
    server: Any, pauses: list[float], filter: Filter
) -> None:
    assert "true" not in selection(filter)
    assert "x" not in selection(filter)
    run(vectors(server), lambda store: store.search(FIRST, 5, filter))  # parsed by the stand-in


class TestShapeOfSearches:
    def test_weights_go_with_the_vector(self, server: Any, pauses: list[float]) -> None:
        async def scenario(store: AzureVectorBackend) -> Any:
            await store.upsert([record("a", "berth"), record("b", "anchor", (0, 1, 0, 0))])
            weights = {"semantic": 0.6, "keyword": 0.2}
            return await store.hybrid_search("anchor", FIRST, 5, weights, Equals("kind", "content"))

        matches = run(vectors(server), scenario)
        asked = searches(server)[-1]
        (vector,) = asked["vectorQueries"]
        assert vector["weight"] == pytest.approx(3.0)
        assert vector["k"] == 100
        assert asked["vectorFilterMode"] == "preFilter"
        assert asked["searchFields"] == "words"
        assert [one.chunk_id for one in matches] == ["b", "a"]

    def test_a_leg_without_weight_takes_no_part(self, server: Any, pauses: list[float]) -> None:
        async def scenario(store: AzureVectorBackend) -> None:
            await store.upsert([record("a", "berth")])
            await store.hybrid_search("berth", FIRST, 5, {"semantic": 0, "keyword": 1})
            assert "vectorQueries" not in searches(server)[-1]
            await store.hybrid_search("berth", FIRST, 5, {"semantic": 1, "keyword": 0})
            assert searches(server)[-1].get("search") is None

        run(vectors(server), scenario)

    def test_the_semantic_ranker_reads_what_was_typed(
        self, server: Any, pauses: list[float]
    ) -> None:
        async def scenario(store: AzureVectorBackend) -> Any:
            await store.upsert(
                [record("a", "ship ship ship"), record("b", "ship berths in port", (0, 1, 0, 0))]
            )
            weights = {"semantic": 1, "keyword": 1}
            return await store.hybrid_search("berths in port", FIRST, 5, weights)

        matches = run(vectors(server, semantic_ranker=True), scenario)
        assert searches(server)[-1]["semanticQuery"] == "berths in port"
        assert [one.chunk_id for one in matches] == ["b", "a"]
        assert matches[0].score > matches[1].score

    def test_nothing_that_was_typed_reaches_the_query_syntax(
        self, server: Any, pauses: list[float]
    ) -> None:
        async def scenario(store: AzureKeywordBackend) -> None:
            await store.upsert([record("a", 'He said "a b" + c')])
            for text in ('"a b', "a + -b", "(a | b*)", "a~ OR b:c", "\\"):
                await store.search(text, 5)
                await store.search_phrase(text, 5)

        run(keyword(server), scenario)  # the stand-in refuses operators

    def test_many_terms_are_asked_for_in_portions(self, server: Any, pauses: list[float]) -> None:
        async def scenario(store: AzureKeywordBackend) -> Any:
            await store.upsert([record("a", "word0"), record("b", "word2999 word1")])
            return await store.search(" ".join(f"word{number}" for number in range(3000)), 5)

        assert [one.chunk_id for one in run(keyword(server), scenario)] == ["b", "a"]

    def test_more_than_a_thousand_matches_come_in_several_answers(
        self, server: Any, pauses: list[float]
    ) -> None:
        async def scenario(store: AzureVectorBackend) -> Any:
            await store.upsert([record(f"{number:04d}") for number in range(1200)])
            return await store.search(FIRST, 1150)

        found = run(vectors(server), scenario)
        assert [one.chunk_id for one in found] == [f"{number:04d}" for number in range(1150)]


class TestShapeOfWrites:
    def test_nothing_is_waited_for_between_writes(self, server: Any, pauses: list[float]) -> None:
        async def scenario(store: AzureVectorBackend) -> None:
            for number in range(4):
                await store.upsert([record(f"{number}", source=f"{number}.md")])
            assert not searches(server)
            assert await store.count() == 4

        run(vectors(server), scenario)

    def test_what_is_deleted_before_it_shows_stays_deleted(
        self, server: Any, pauses: list[float]
    ) -> None:
        async def scenario(store: AzureVectorBackend) -> None:
            await store.upsert([record("a"), record("b", source="other.md")])
            await store.delete_documents(["doc.md"])
            assert await store.count() == 1
            assert set(await store.documents()) == {"other.md"}

        run(vectors(server), scenario)

    def test_what_never_shows_is_an_error(self, server: Any, pauses: list[float]) -> None:
        async def scenario(store: AzureVectorBackend) -> None:
            await store.upsert([record("a")])
            server.hidden = True
            with pytest.raises(StoreError, match="does not show") as caught:
                await store.count()
            assert caught.value.hint
            server.hidden = False

        run(vectors(server, visible_within=0.5), scenario)

    def test_a_document_that_is_refused_is_named(self, server: Any, pauses: list[float]) -> None:
        server.refused = ("poison", -400)

        async def scenario(store: AzureVectorBackend) -> None:
            records = [record(f"{number}", "poison" if number == 5 else "x") for number in range(9)]
            with pytest.raises(PartialWriteError, match="refused by the test") as caught:
                await store.upsert(records)
            assert list(caught.value.failed) == ["5"]
            assert await store.count() == 8

        run(vectors(server), scenario)

    def test_a_document_that_the_service_was_too_busy_for_is_sent_again(
        self, server: Any, pauses: list[float]
    ) -> None:
        server.refused = ("later", 503)

        async def scenario(store: AzureVectorBackend) -> None:
            await store.upsert([record("a", "later"), record("b")])
            assert await store.count() == 2

        run(vectors(server), scenario)
        sent = server.asked("POST .*search.index")
        assert [len(one["value"]) for one in sent[-2:]] == [2, 1]

    def test_a_request_that_is_too_large_is_cut(self, server: Any, pauses: list[float]) -> None:
        async def scenario(store: AzureVectorBackend) -> None:
            server.failures = [("POST .*search.index", 413, {}, "{}")]
            await store.upsert([record(f"{number}") for number in range(6)])
            assert await store.count() == 6

        run(vectors(server), scenario)

    def test_a_path_that_is_too_long_fails_by_name(self, server: Any, pauses: list[float]) -> None:
        async def scenario(store: AzureVectorBackend) -> None:
            long = record("long", source="x" * 40_000)
            with pytest.raises(PartialWriteError) as caught:
                await store.upsert([record("a"), long])
            assert list(caught.value.failed) == ["long"]

        run(vectors(server), scenario)


class TestShapeOfFailures:
    @pytest.mark.parametrize("status", [429, 503])
    def test_a_busy_service_is_asked_again(
        self, server: Any, pauses: list[float], status: int
    ) -> None:
        async def scenario(store: AzureVectorBackend) -> None:
            busy = (
                "POST .*search.index",
                status,
                {"retry-after": "7"},
                '{"error": {"message": "busy"}}',
            )
            server.failures = [busy] * 2
            await store.upsert([record("a")])
            assert await store.count() == 1

        run(vectors(server), scenario)
        assert pauses.count(7.0) == 2

    def test_a_service_that_stays_busy_is_an_error(self, server: Any, pauses: list[float]) -> None:
        async def scenario(store: AzureVectorBackend) -> None:
            busy = (
                "POST .*search.index",
                503,
                {},
                '{"error": {"code": "", "message": "too busy"}}',
            )
            server.failures = [busy] * 2
            with pytest.raises(StoreError, match=r"503: .*too busy") as caught:
                await store.upsert([record("a")])
            assert not isinstance(caught.value, PartialWriteError)
            assert caught.value.hint

        run(vectors(server, retries=1), scenario)

    def test_an_answer_that_is_cut_off_is_asked_for_again(
        self, server: Any, pauses: list[float]
    ) -> None:
        async def scenario(store: AzureVectorBackend) -> None:
            await store.upsert([record("a")])
            server.failures = [("POST .*search.post.search", 200, {}, '{"value": [')]
            assert await store.count() == 1

        run(vectors(server), scenario)

    def test_a_failure_after_some_batches_names_the_rest(
        self, server: Any, pauses: list[float]
    ) -> None:
        async def scenario(store: AzureVectorBackend) -> None:
            taken = store._corpus._upload

            def uploading(documents: Any) -> Any:
                if len(server.asked("POST .*search.index")) == 2:
                    server.failures = [("POST .*search.index", 503, {}, "{}")]
                return taken(documents)

            store._corpus._upload = uploading  # type: ignore[method-assign]
            with pytest.raises(PartialWriteError) as caught:
                await store.upsert([record(f"{number}") for number in range(4)])
            assert list(caught.value.failed) == ["2", "3"]

        run(vectors(server, batch_size=2, retries=0), scenario)

    def test_a_wrong_key_is_an_error_that_hides_it(self, server: Any) -> None:
        with pytest.raises(StoreError) as caught:
            run(vectors(server, api_key="a-very-secret-key"), nothing)
        assert "403" in str(caught.value)
        assert "api_key" in str(caught.value.hint)
        assert "a-very-secret-key" not in repr(caught.value) + str(caught.value.__cause__)

    def test_nobody_there_is_an_error_with_a_way_out(self) -> None:
        fields = {"url": "https://127.0.0.1:9", "api_key": "key", "retries": 0}
        with pytest.raises(StoreError, match="cannot be reached") as caught:
            run(AzureVectorBackend(AzureVectorConfig(**fields)), nothing)
        assert caught.value.hint


def test_shape_of_the_check(server: Any, pauses: list[float]) -> None:
    config = AzureVectorConfig(**server.fields)
    assert asyncio.run(_check(config)) == "no index yet: the first ingest makes one"
    run(vectors(server), nothing)
    assert asyncio.run(_check(config)) == "indexes: hierdoc-vector"


def test_shape_of_an_ingest_and_its_searches(
    server: Any, tmp_path: Path, pauses: list[float]
) -> None:
    (tmp_path / "act.md").write_text("# Act\n\n## Section 1\n\nShips have berths.\n")
    fields = {name: str(value) for name, value in server.fields.items()}
    stores = {"provider": "azure-ai-search", **fields}
    config = {"source": str(tmp_path), "vector": stores, "keyword": stores}

    async def whole() -> None:
        async with AsyncIndex.open(config) as index:
            assert not (await index.ingest()).failures
            (hit, *_) = (await index.search("Section 1")).hits
            assert hit.certain
            phrase = await index.search('"have berths"')
            assert phrase.hits[0].certain
        (tmp_path / "act.md").write_text("# Act\n\n## Section 1\n\nShips have anchors.\n")
        async with AsyncIndex.open(config) as index:
            assert (await index.ingest()).counts["updated"] == 1
            (hit, *_) = (await index.search("anchors")).hits
            assert "anchors" in hit.chunk.text

    asyncio.run(whole())
