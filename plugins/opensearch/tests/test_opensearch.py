"""The plugin `opensearch` on the wire: what is asked of a node, and what is made of its answers.

All are shape tests: they run against a stand-in that takes what OpenSearch documents, not against OpenSearch itself.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from hierdoc import AsyncIndex, Chunk, Filter, IndexMismatchError, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.filters import And, Equals, In, Not, Or, Under
from hierdoc.plugin import ComponentKind, DocumentVersion, IndexSpec, Record, Registry
from hierdoc_opensearch import OpenSearchConfig, OpenSearchVectorConfig
from hierdoc_opensearch.fields import selection
from hierdoc_opensearch.keyword import OpenSearchKeywordBackend
from hierdoc_opensearch.vector import OpenSearchVectorBackend

SPEC = IndexSpec("embedder", 4)
BUSY = json.dumps(
    {"error": {"type": "circuit_breaking_exception", "reason": "Data too large"}, "status": 429}
)
LOST = {"type": "node_disconnected_exception", "reason": "gone"}

Scenario = Callable[[Any], Awaitable[Any]]


def record(id: str, text: str = "text", vector: Any = (1, 0, 0, 0), **fields: Any) -> Record:
    chunk = Chunk(fields.pop("source", "doc.md"), text, 0, len(text), 1, 1, id=id, **fields)
    return Record(chunk, DocumentVersion("hash", "pipeline", 1), np.array(vector, np.float32))


def run(backend: Any, scenario: Scenario, spec: IndexSpec = SPEC, **options: Any) -> Any:
    async def whole() -> Any:
        try:
            await backend.prepare(spec, **options)
            return await scenario(backend)
        finally:
            await backend.aclose()

    return asyncio.run(whole())


def keyword(node: Any, **fields: Any) -> OpenSearchKeywordBackend:
    return OpenSearchKeywordBackend(OpenSearchConfig(url=node.url, **fields))


def vector(node: Any, **fields: Any) -> OpenSearchVectorBackend:
    return OpenSearchVectorBackend(OpenSearchVectorConfig(url=node.url, **fields))


async def nothing(backend: Any) -> None:
    """A scenario in which the backend is only opened."""


async def _awaited(work: Awaitable[Any]) -> Any:
    return await work


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Makes pauses short, and tells how long they would have been."""
    pauses: list[float] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await real(0)

    monkeypatch.setattr("hierdoc_opensearch.connection.asyncio.sleep", sleep)
    return pauses


class TestConfiguration:
    @pytest.mark.parametrize(
        "fields",
        [
            {"url": "localhost:9200"},
            {"url": "http://admin:secret@host"},
            {"url": "http://admin:a/secret@host"},
            {"url": "http://host:9200?api_key=secret"},
            {"url": ["http://host:9200", "http://admin:secret@host"]},
            {"url": []},
            {"api_key": "secret\u200b"},
            {"username": "admin"},
            {"password": "secret"},
            {"username": "admin", "password": "secret", "api_key": "secret"},
            {"collection": "Laws"},
            {"collection": "-laws"},
            {"b": 2},
            {"timeout": 0},
            {"host": "x"},
        ],
    )
    def test_impossible_settings_are_refused_without_showing_them(
        self, fields: dict[str, Any]
    ) -> None:
        with pytest.raises(ValidationError) as caught:
            OpenSearchConfig.model_validate(fields)
        assert "secret" not in str(caught.value)

    def test_one_name_is_two_providers(self) -> None:
        registry = Registry()
        assert registry.find(ComponentKind.KEYWORD, "opensearch").config is OpenSearchConfig
        assert registry.find(ComponentKind.VECTOR, "opensearch").config is OpenSearchVectorConfig

    def test_the_top_module_does_not_import_the_library(self) -> None:
        code = (
            "import sys, hierdoc_opensearch\n"
            "sys.exit(bool({'opensearchpy', 'numpy', 'aiohttp'} & set(sys.modules)))"
        )
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class TestFilters:
    @pytest.mark.parametrize(
        ("filter", "query"),
        [
            (Equals("kind", "table"), {"term": {"kind": {"value": "table"}}}),
            (Under([]), {"match_all": {}}),
            (Under(["A", "b"]), {"term": {"parent_chain": {"value": '["A", "b"]'}}}),
            (And(), {"match_all": {}}),
            (Or(), {"match_none": {}}),
            (In("kind", []), {"match_none": {}}),
            (
                Not(Equals("kind", "table")),
                {"bool": {"must_not": [{"term": {"kind": {"value": "table"}}}]}},
            ),
        ],
    )
    def test_shape_of_a_filter(self, filter: Filter, query: dict[str, Any]) -> None:
        assert selection(filter) == query


class TestIndex:
    def test_an_index_is_made_behind_an_alias(self, node: Any) -> None:
        run(vector(node, collection="laws", shards=2, replicas=0, k1=0.9), nothing)
        (made,) = node.asked("PUT /laws-vector-000001")
        assert made["aliases"] == {"laws-vector": {}}
        settings = made["settings"]["index"]
        assert (settings["number_of_shards"], settings["number_of_replicas"]) == (2, 0)
        assert settings["similarity"]["hierdoc"] == {"type": "BM25", "k1": 0.9, "b": 0.75}
        assert settings["knn"] is True
        fields = made["mappings"]["properties"]
        assert fields["text"]["analyzer"] == fields["words"]["analyzer"] == "whitespace"
        assert fields["words"]["index_options"] == "freqs"
        assert fields["vector"]["dimension"] == 4
        assert fields["vector"]["method"]["space_type"] == "cosinesimil"
        assert made["mappings"]["_meta"]["hierdoc"]["embedder"] == "embedder"

    def test_a_reset_moves_the_alias_and_drops_the_old_index(self, node: Any) -> None:
        async def fill(backend: Any) -> None:
            await backend.upsert([record("a")])

        run(keyword(node), fill)
        node.indices["hierdoc-keyword-000002"] = node.indices["hierdoc-keyword-000001"].__class__(
            {}, {}, {}
        )
        assert run(keyword(node), lambda backend: backend.count(), reset=True) == 0
        assert list(node.indices) == ["hierdoc-keyword-000002"]
        (moved,) = node.asked("POST /_aliases")
        assert [list(action) for action in moved["actions"]] == [["add"], ["remove_index"]]

    def test_an_index_that_appears_meanwhile_is_taken(self, node: Any) -> None:
        missing = json.dumps({"error": {"type": "index_not_found_exception"}, "status": 404})
        run(keyword(node), nothing)
        node.failures += [("GET /hierdoc-keyword", 404, missing)]
        assert run(keyword(node), lambda backend: backend.count()) == 0

    def test_another_embedder_is_refused(self, node: Any) -> None:
        run(vector(node), nothing)
        with pytest.raises(IndexMismatchError, match="other"):
            run(vector(node), nothing, IndexSpec("other", 4))

    def test_another_analysis_is_refused_by_the_keyword_index(self, node: Any) -> None:
        run(keyword(node), nothing)
        with pytest.raises(IndexMismatchError, match="analyzer"):
            run(keyword(node, language="de"), nothing)

    def test_somebody_elses_index_is_left_alone(self, node: Any) -> None:
        body = {"settings": {"index": {}}, "mappings": {"properties": {}}}
        node._create("hierdoc-keyword", body)
        for reset in (False, True):
            with pytest.raises(StoreError, match="not made by hierdoc"):
                run(keyword(node), nothing, reset=reset)
        assert not node.asked("DELETE .*")


class TestWriting:
    def test_records_are_sent_in_bulk_and_seen_after_one_refresh(self, node: Any) -> None:
        async def scenario(backend: Any) -> None:
            await backend.upsert([record(str(n)) for n in range(25)])
            assert await backend.count() == 25

        run(keyword(node, batch_size=10), scenario)
        bulks = [body for method, path, body in node.requests if path.endswith("_bulk")]
        assert [body.count("\n") for body in bulks] == [20, 20, 10]
        assert len(node.asked("POST /hierdoc-keyword/_refresh")) == 1

    def test_refresh_can_be_left_to_the_index(self, node: Any) -> None:
        async def scenario(backend: Any) -> None:
            await backend.upsert([record("a")])
            assert await backend.count() == 0
            node.indices["hierdoc-keyword-000001"].refresh()
            assert await backend.count() == 1

        run(keyword(node, refresh=False), scenario)
        assert not node.asked("POST /hierdoc-keyword/_refresh")

    def test_items_that_are_refused_are_named_and_the_others_written(self, node: Any) -> None:
        node.rejected += [("verboten", 400, "mapper_parsing_exception")]

        async def scenario(backend: Any) -> None:
            with pytest.raises(PartialWriteError, match="1 of 3") as caught:
                await backend.upsert([record("a"), record("b", "verboten"), record("c")])
            assert list(caught.value.failed) == ["b"]
            assert "mapper_parsing_exception: rejected by the test" in caught.value.failed["b"]
            assert await backend.count() == 2

        run(keyword(node), scenario)

    def test_items_that_the_node_is_too_busy_for_are_sent_again_alone(
        self, node: Any, no_pauses: list[float]
    ) -> None:
        node.rejected += [("verboten", 429, "rejected_execution_exception")] * 2

        async def scenario(backend: Any) -> None:
            await backend.upsert([record("a"), record("b", "verboten"), record("c")])
            assert await backend.count() == 3

        run(keyword(node), scenario)
        bulks = [body.count("\n") for _, path, body in node.requests if path.endswith("_bulk")]
        assert bulks == [6, 2, 2]
        assert no_pauses == [0.2, 0.4]

    def test_items_that_stay_refused_are_named(self, node: Any, no_pauses: list[float]) -> None:
        node.rejected += [("verboten", 429, "rejected_execution_exception")] * 9

        async def scenario(backend: Any) -> None:
            with pytest.raises(PartialWriteError) as caught:
                await backend.upsert([record("a"), record("b", "verboten")])
            assert list(caught.value.failed) == ["b"]

        run(keyword(node, retries=2), scenario)

    def test_a_request_that_is_too_large_is_halved(self, node: Any) -> None:
        async def scenario(backend: Any) -> None:
            node.failures += [("POST .*/_bulk", 413, "Request Entity Too Large")]
            await backend.upsert([record(str(n)) for n in range(5)])
            assert await backend.count() == 5

        run(keyword(node), scenario)
        bulks = [body.count("\n") for _, path, body in node.requests if path.endswith("_bulk")]
        assert bulks == [10, 4, 6]

    def test_where_the_node_fails_half_way_the_rest_is_named(self, node: Any) -> None:
        taken = json.dumps({"errors": False, "items": [{"index": {"status": 201}}] * 2})

        async def scenario(backend: Any) -> None:
            records = [record(str(n)) for n in range(6)]
            node.failures += [("POST .*/_bulk", 200, taken), ("POST .*/_bulk", 500, "broken disk")]
            with pytest.raises(PartialWriteError, match="500: broken disk") as caught:
                await backend.upsert(records)
            assert list(caught.value.failed) == ["2", "3", "4", "5"]

        run(keyword(node, batch_size=2), scenario)

    def test_where_nothing_was_written_the_error_is_whole(self, node: Any) -> None:
        async def scenario(backend: Any) -> None:
            node.failures += [("POST .*/_bulk", 500, "broken disk")]
            with pytest.raises(StoreError, match="500: broken disk") as caught:
                await backend.upsert([record("a")])
            assert not isinstance(caught.value, PartialWriteError)

        run(keyword(node), scenario)

    def test_conflicts_of_a_deletion_are_tried_again(
        self, node: Any, no_pauses: list[float]
    ) -> None:
        conflict = json.dumps({"deleted": 0, "version_conflicts": 1, "failures": []})

        async def scenario(backend: Any) -> None:
            await backend.upsert([record("a")])
            node.failures += [("POST .*/_delete_by_query", 200, conflict)]
            await backend.delete_documents(["doc.md"])
            assert await backend.count() == 0

        run(keyword(node), scenario)
        assert no_pauses == [0.2]


class TestSearching:
    def test_shape_of_a_keyword_search(self, node: Any) -> None:
        async def scenario(backend: Any) -> None:
            await backend.upsert([record("a", "gas costs")])
            await backend.search("gas gas", 5, Equals("kind", "content"))

        run(keyword(node), scenario)
        asked = node.asked("POST /hierdoc-keyword/_search")[-1]
        (clause,) = asked["query"]["bool"]["must"][0]["bool"]["should"]
        assert clause == {"term": {"words": {"value": "gas", "boost": 2}}}
        assert asked["query"]["bool"]["filter"] == [{"term": {"kind": {"value": "content"}}}]
        assert asked["sort"][0] == {"_score": "desc"}

    @pytest.mark.parametrize(
        ("fusion", "processor"),
        [("normalization", "normalization-processor"), ("rrf", "score-ranker-processor")],
    )
    def test_a_hybrid_search_is_one_request_with_its_own_pipeline(
        self, node: Any, fusion: str, processor: str
    ) -> None:
        async def scenario(backend: Any) -> None:
            await backend.upsert([record("a", "gas")])
            query = np.array([0, 1, 0, 0], np.float32)
            weights = {"semantic": 0.6, "keyword": 0.2}
            await backend.hybrid_search("gas", query, 5, weights, Equals("kind", "content"))

        run(vector(node, fusion=fusion), scenario)
        asked = node.asked("POST /hierdoc-vector/_search")[-1]
        nearest, words = asked["query"]["hybrid"]["queries"]
        by_kind = {"term": {"kind": {"value": "content"}}}
        assert nearest["knn"]["vector"]["filter"] == by_kind
        assert words["bool"]["filter"] == [by_kind]
        (step,) = asked["search_pipeline"]["phase_results_processors"]
        weights = step[processor]["combination"]["parameters"]["weights"]
        assert weights == pytest.approx([0.75, 0.25])

    @pytest.mark.parametrize(
        ("fusion", "number", "plugins"),
        [("rrf", "2.19.1", ["knn", "neuralsearch"]), ("normalization", "3.2.0", ["knn"])],
    )
    def test_what_the_cluster_cannot_fuse_is_fused_here_with_the_same_result(
        self, node: Any, fusion: str, number: str, plugins: list[str]
    ) -> None:
        query = np.array([0.2, 1, 0, 0], np.float32)
        weights = {"semantic": 0.3, "keyword": 0.6, "exact": 0.1}

        async def scenario(backend: Any) -> Any:
            texts = ["gas " * n + "oil " * (9 - n) for n in range(9)]  # no two score the same
            records = [record(str(n), one, vector=(1, n, 0, 0)) for n, one in enumerate(texts)]
            await backend.upsert(records)
            return await backend.hybrid_search("gas oil", query, 5, weights)

        by_cluster = run(vector(node, fusion=fusion), scenario)
        assert "hybrid" in node.asked("POST /hierdoc-vector/_search")[-1]["query"]
        node.version["number"] = number
        node.plugins = [one for one in node.plugins if one.split(".")[2] in plugins]
        asked = len(node.asked("POST /hierdoc-vector/_search"))
        here = run(vector(node, fusion=fusion), scenario)
        searches = node.asked("POST /hierdoc-vector/_search")[asked:]
        assert not [one for one in searches if "hybrid" in one.get("query", {})]
        assert [match.chunk_id for match in here] == [match.chunk_id for match in by_cluster]
        scores = [match.score for match in by_cluster]
        assert [match.score for match in here] == pytest.approx(scores, abs=1e-6)

    def test_at_least_so_many_candidates_are_examined_as_the_configuration_says(
        self, node: Any
    ) -> None:
        async def scenario(backend: Any) -> None:
            await backend.upsert([record("a")])
            await backend.search(np.array([0, 1, 0, 0], np.float32), 5)

        run(vector(node, ef_search=77), scenario)
        asked = node.asked("POST /hierdoc-vector/_search")[-1]
        assert (asked["query"]["knn"]["vector"]["k"], asked["size"]) == (77, 6)

    @pytest.mark.parametrize(
        ("path", "answer", "told"),
        [
            (
                "_search",
                {"_shards": {"failed": 1, "failures": [{"reason": LOST}]}, "hits": {"hits": []}},
                "1 shards failed because of node_disconnected_exception: gone",
            ),
            ("_search", {"timed_out": True, "hits": {"hits": []}}, "the search was cut off"),
            ("_mget", {"docs": [{"error": LOST}, {"found": False}]}, "1 records cannot be read"),
            ("_count", {"count": 0, "_shards": {"failed": 2}}, "2 shards failed without a reason"),
        ],
    )
    def test_an_answer_that_lacks_something_is_asked_for_again_and_never_taken(
        self, node: Any, no_pauses: list[float], path: str, answer: dict[str, Any], told: str
    ) -> None:
        async def scenario(backend: Any) -> None:
            query = np.array([0, 1, 0, 0], np.float32)
            work: dict[str, Callable[[], Awaitable[Any]]] = {
                "_search": lambda: backend.search(query, 5),
                "_mget": lambda: backend.get(["a", "b"]),
                "_count": lambda: backend.count(),
            }
            await backend.upsert([record("a", "gas")])
            whole = repr(await work[path]())
            node.failures += [(f"POST .*/{path}", 200, json.dumps(answer))] * 2
            assert repr(await work[path]()) == whole
            node.failures += [(f"POST .*/{path}", 200, json.dumps(answer))] * 4
            with pytest.raises(StoreError, match=told):
                await work[path]()

        run(vector(node), scenario)
        assert no_pauses == [0.2, 0.4, 0.2, 0.4, 0.8]


class TestConnection:
    @pytest.mark.parametrize("status", [429, 502, 503, 504])
    def test_a_busy_node_is_asked_again(
        self, node: Any, no_pauses: list[float], status: int
    ) -> None:
        async def scenario(backend: Any) -> None:
            node.failures += [("POST .*/_count", status, BUSY)] * 2
            assert await backend.count() == 0

        run(keyword(node), scenario)
        assert no_pauses == [0.2, 0.4]

    def test_where_one_node_does_not_answer_the_next_is_asked_from_then_on(
        self, node: Any, no_pauses: list[float]
    ) -> None:
        async def scenario(backend: Any) -> None:
            for _ in range(3):
                assert await backend.count() == 0

        urls = ("http://127.0.0.1:9", node.url)
        run(OpenSearchKeywordBackend(OpenSearchConfig(url=urls)), scenario)
        assert no_pauses == [0.2]

    def test_nodes_of_which_none_answers_are_told_and_closed(self) -> None:
        urls = ("http://127.0.0.1:9", "http://127.0.0.1:19")
        backend = OpenSearchKeywordBackend(OpenSearchConfig(url=urls, retries=0))
        with pytest.raises(StoreError, match=r"127\.0\.0\.1:9, 127\.0\.0\.1:19: it cannot"):
            run(backend, nothing)

    def test_patience_has_an_end_and_the_error_tells_status_and_reason(
        self, node: Any, no_pauses: list[float]
    ) -> None:
        async def scenario(backend: Any) -> None:
            node.failures += [("POST .*/_count", 429, BUSY)] * 2
            with pytest.raises(StoreError, match="429 circuit_breaking_exception: Data too large"):
                await backend.count()

        run(keyword(node, retries=1), scenario)

    def test_a_password_may_hold_any_character(self, node: Any) -> None:
        node.basic("admin", "pässwörd…")
        run(keyword(node, username="admin", password="pässwörd…"), nothing)

    def test_the_user_is_sent_and_the_password_never_told(self, node: Any) -> None:
        node.basic("admin", "s3cret")
        run(keyword(node, username="admin", password="s3cret"), nothing)
        node.failures += [("GET /", 401, "wr0ng is not the password")]
        with pytest.raises(StoreError, match="401") as caught:
            run(keyword(node, username="admin", password="wr0ng"), nothing)
        assert "wr0ng" not in f"{caught.value} {caught.value.hint}"
        assert "password" in str(caught.value.hint)

    def test_an_api_key_is_sent(self, node: Any) -> None:
        node.authorization = "ApiKey s3cret"
        run(keyword(node, api_key="s3cret"), nothing)

    def test_no_node_is_a_clear_error(self) -> None:
        backend = OpenSearchKeywordBackend(OpenSearchConfig(url="http://127.0.0.1:9", retries=0))
        with pytest.raises(StoreError, match=r"127\.0\.0\.1:9: it cannot be reached") as caught:
            run(backend, nothing)
        assert caught.value.hint == "Start the cluster, or check `url`."

    def test_elasticsearch_is_not_mistaken(self, node: Any) -> None:
        node.version = {"number": "8.1.0"}
        with pytest.raises(StoreError, match="no OpenSearch"):
            run(keyword(node), nothing)

    def test_an_old_node_is_a_clear_error(self, node: Any) -> None:
        node.version = {"distribution": "opensearch", "number": "2.9.0"}
        with pytest.raises(StoreError, match=r"2\.9\.0; it must be 2\.10 or later"):
            run(keyword(node), nothing)

    def test_a_cluster_without_the_plugin_for_vectors_takes_words_only(self, node: Any) -> None:
        node.plugins = []
        with pytest.raises(StoreError, match="no plugin k-NN") as caught:
            run(vector(node), nothing)
        assert "`keyword`" in str(caught.value.hint)
        run(keyword(node), nothing)

    def test_a_user_who_may_not_see_the_plugins_is_taken_to_have_them(self, node: Any) -> None:
        node.failures += [("GET /_nodes/plugins", 403, "no permissions")]
        run(vector(node), nothing)

    @pytest.mark.parametrize(
        ("number", "plugins", "fusion", "told"),
        [
            ("3.2.0", 2, "rrf", "3.2.0 with k-NN, with neural-search; the cluster fuses by rrf"),
            ("2.19.1", 2, "rrf", "2.19.1 with k-NN, with neural-search; hierdoc fuses by rrf"),
            (
                "2.10.0",
                1,
                "normalization",
                "2.10.0 with k-NN, without neural-search; hierdoc fuses by normalization",
            ),
        ],
    )
    def test_the_check_tells_version_plugins_and_who_fuses(
        self, node: Any, number: str, plugins: int, fusion: str, told: str
    ) -> None:
        node.version["number"] = number
        node.plugins = node.plugins[:plugins]
        config = OpenSearchVectorConfig.model_validate({"url": node.url, "fusion": fusion})
        assert self.checked(ComponentKind.VECTOR, config) == f"OpenSearch {told}"

    def test_the_check_raises_where_the_backend_would(self, node: Any) -> None:
        node.plugins = []
        with pytest.raises(StoreError, match="k-NN"):
            self.checked(ComponentKind.VECTOR, OpenSearchVectorConfig(url=node.url))
        words = self.checked(ComponentKind.KEYWORD, OpenSearchConfig(url=node.url))
        assert words == "OpenSearch 3.2.0 without k-NN, without neural-search"
        node.version["number"] = "1.3.0"
        with pytest.raises(StoreError, match=r"1\.3\.0"):
            self.checked(ComponentKind.KEYWORD, OpenSearchConfig(url=node.url))

    def checked(self, kind: ComponentKind, config: OpenSearchConfig) -> Any:
        check = Registry().find(kind, "opensearch").check
        assert check is not None
        return asyncio.run(_awaited(check(config)))


def test_shape_of_the_whole_way_on_real_documents(
    node: Any, shared_data: Path, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for file in sorted((shared_data / "technical" / "eips").glob("*.md"))[:12]:
        shutil.copy(file, docs)
    first, second, *_ = sorted(docs.iterdir())
    cluster = {"provider": "opensearch", "url": node.url}
    settings: Mapping[str, Any] = {"source": str(docs), "vector": cluster, "keyword": cluster}

    async def whole() -> None:
        async with AsyncIndex.open(settings) as index:
            report = await index.ingest()
            assert report.counts["added"] == 12
            assert not report.failures
            for mode in ("hybrid", "semantic", "keyword", "exact"):
                query = "Rationale" if mode == "exact" else "gas cost of storage"
                result = await index.search(query, mode=mode)
                assert result.hits, mode
                assert not result.degraded
            changed = (
                first.read_text("utf-8") + "\n\n## Zanzibar\n\nThe zanzibar clause stands here.\n"
            )
            first.write_text(changed, "utf-8")
            second.unlink()
            report = await index.ingest()
            assert (report.counts["updated"], report.counts["removed"]) == (1, 1)
            assert report.embedded < 10
            hit = (await index.search('"zanzibar clause stands"')).hits[0]
            assert hit.certain
            count = await index.count()
        async with AsyncIndex.open(settings) as index:
            assert (await index.ingest()).counts["unchanged"] == 11
            assert await index.count() == count
            await index.remove(hit.chunk.source)
            assert hit.chunk.source not in await index.documents()

    asyncio.run(whole())


def test_doctor_shows_what_the_check_found(
    node: Any, run: Callable[..., Any], tmp_path: Path
) -> None:
    cluster = {"provider": "opensearch", "url": node.url}
    config = {"source": str(tmp_path), "vector": cluster, "keyword": cluster}
    (tmp_path / "hierdoc.yaml").write_text(json.dumps(config))
    checks = json.loads(run("doctor", "--json").stdout)["checks"]
    told = {one["check"]: one["detail"] for one in checks}
    found = "works: OpenSearch 3.2.0 with k-NN, with neural-search"
    assert told["keyword opensearch"] == found
    assert told["vector opensearch"] == f"{found}; the cluster fuses by normalization"
