"""What the backends of `weaviate` ask of a server, and what they make of failures: on a stand-in that fails as it is told."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from pydantic import ValidationError

from hierdoc import StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.filters import Equals
from hierdoc.plugin import ComponentKind, Registry
from hierdoc_testing.corpus import SPEC, direction, make_record
from hierdoc_weaviate import WeaviateConfig, WeaviateVectorConfig
from hierdoc_weaviate.connection import grpc_target
from hierdoc_weaviate.keyword import WeaviateKeywordBackend
from hierdoc_weaviate.objects import has_any
from hierdoc_weaviate.protocol import batch_delete_pb2, batch_pb2, search_get_pb2
from hierdoc_weaviate.vector import WeaviateVectorBackend

BUSY = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED)
WEIGHTS = {"semantic": 0.6, "keyword": 0.2, "exact": 0.2}

Scenario = Callable[[Any], Awaitable[Any]]


def run(backend: Any, scenario: Scenario) -> Any:
    async def whole() -> Any:
        try:
            await backend.prepare(SPEC)
            return await scenario(backend)
        finally:
            await backend.aclose()

    return asyncio.run(whole())


def vector(node: Any, **fields: Any) -> WeaviateVectorBackend:
    return WeaviateVectorBackend(WeaviateVectorConfig(**node.fields(**fields)))


def keyword(node: Any, **fields: Any) -> WeaviateKeywordBackend:
    return WeaviateKeywordBackend(WeaviateConfig(**node.fields(**fields)))


async def nothing(backend: Any) -> None:
    """A scenario in which the backend is only opened."""


async def delete(backend: Any) -> None:
    await backend._corpus.delete(has_any("tags", ["some"]))


def is_of_records(request: Any) -> bool:
    """Whether a request writes records, and not marks or the manifest."""
    return "place" in request.objects[0].properties.non_ref_properties


def check(config: WeaviateConfig) -> str | None:
    found = Registry().find(ComponentKind.VECTOR, "weaviate").check
    assert found is not None

    async def checked() -> str | None:
        return await found(config)

    return asyncio.run(checked())


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between attempts, none of which is waited for."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("hierdoc_weaviate.connection.asyncio.sleep", sleep)
    return waited


class TestConfiguration:
    def test_the_module_is_light(self) -> None:
        script = "import sys, hierdoc_weaviate; sys.exit(bool({'weaviate', 'grpc', 'httpx'} & set(sys.modules)))"
        assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0

    @pytest.mark.parametrize(
        "fields",
        [
            {"url": "localhost:8080"},
            {"url": "http://user:word@host:8080"},
            {"grpc_url": "host:50051"},
            {"collection": "1laws"},
            {"collection": "my laws"},
            {"tenant": "a/b"},
            {"api_key": "schlüssel"},
        ],
    )
    def test_wrong_fields_are_refused(self, fields: dict[str, str]) -> None:
        with pytest.raises(ValidationError):
            WeaviateConfig(**fields)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("url", "grpc_url", "expected"),
        [
            ("http://localhost:8080", None, "http://localhost:50051"),
            ("https://db.example", None, "https://db.example:50051"),
            ("http://[::1]:8080", None, "http://[::1]:50051"),
            (
                "https://abc.c0.gcp.weaviate.cloud",
                None,
                "https://grpc-abc.c0.gcp.weaviate.cloud:443",
            ),
            ("https://db.example", "https://grpc.example", "https://grpc.example:443"),
            ("http://db.example", "http://grpc.example:1234", "http://grpc.example:1234"),
        ],
    )
    def test_the_grpc_interface_is_found(
        self, url: str, grpc_url: str | None, expected: str
    ) -> None:
        assert grpc_target(url, grpc_url).geturl() == expected


class TestRequests:
    def test_a_collection_is_made_for_our_terms_and_vectors(self, node: Any) -> None:
        run(vector(node, collection="laws", k1=1.5, ef=64, m=8), nothing)
        (made,) = node.asked("POST /v1/schema")
        assert made["class"] == "Laws_vector"
        assert made["invertedIndexConfig"]["bm25"] == {"k1": 1.5, "b": 0.75}
        assert made["invertedIndexConfig"]["stopwords"] == {"preset": "none"}
        index = made["vectorConfig"]["default"]["vectorIndexConfig"]
        assert (index["distance"], index["ef"], index["maxConnections"]) == ("dot", 64, 8)
        (words,) = [one for one in made["properties"] if one["name"] == "words"]
        assert (words["tokenization"], words["indexSearchable"]) == ("whitespace", True)

    def test_a_tenant_is_made_in_a_collection_with_tenants(self, node: Any) -> None:
        node.failures += [("GET /v1/schema/Laws_keyword/tenants/de", 404, {})]
        run(keyword(node, collection="laws", tenant="de"), delete)
        assert node.asked("POST /v1/schema")[0]["multiTenancyConfig"]["enabled"]
        assert node.asked("POST /v1/schema/Laws_keyword/tenants") == [[{"name": "de"}]]
        (manifest,) = node.asked("BatchObjects")
        assert manifest.objects[0].tenant == "de"
        assert node.asked("Search")[0].tenant == node.asked("BatchDelete")[0].tenant == "de"

    @pytest.mark.parametrize("fusion", ["relative_score", "ranked"])
    def test_a_hybrid_search_is_one_request_with_weights_and_filter(
        self, node: Any, fusion: str
    ) -> None:
        async def scenario(backend: Any) -> None:
            await backend.hybrid_search("gas", direction(1), 5, WEIGHTS, Equals("kind", "table"))

        run(vector(node, fusion=fusion), scenario)
        asked = node.asked("Search")[-1]
        assert asked.hybrid_search.query == "gas"
        assert asked.hybrid_search.alpha == pytest.approx(0.75)
        assert asked.hybrid_search.FusionType.Name(asked.hybrid_search.fusion_type) == (
            f"FUSION_TYPE_{fusion.upper()}"
        )
        assert len(asked.hybrid_search.near_vector.vectors[0].vector_bytes) == 4 * SPEC.dimensions
        assert asked.filters.target.property == "tags"
        assert asked.limit == 100

    @pytest.mark.parametrize("text", ["", "…"])
    def test_a_query_without_words_asks_for_vectors_alone(self, node: Any, text: str) -> None:
        run(vector(node), lambda backend: backend.hybrid_search(text, direction(1), 5, WEIGHTS))
        asked = node.asked("Search")[-1]
        assert asked.HasField("near_vector")
        assert not asked.HasField("hybrid_search")

    def test_weights_are_asked_for(self, node: Any) -> None:
        for weights in ({"semantic": 1}, {"semantic": 1, "keyword": -1}):
            with pytest.raises(ValueError, match="'keyword'"):
                run(
                    vector(node),
                    lambda backend, given=weights: backend.hybrid_search(
                        "x", direction(1), 5, given
                    ),
                )

    def test_batches_keep_to_the_limits(self, node: Any) -> None:
        async def scenario(backend: Any) -> None:
            await backend.upsert([make_record(str(number)) for number in range(25)])
            await backend.upsert([make_record(f"long{n}", "x" * 2_500_000) for n in range(3)])

        run(vector(node, batch_size=10), scenario)
        sent = [len(one.objects) for one in node.asked("BatchObjects") if is_of_records(one)]
        assert sent == [10, 10, 5, 1, 1, 1]

    def test_documents_are_marked_while_their_records_are_written(self, node: Any) -> None:
        run(vector(node), lambda backend: backend.upsert([make_record("a"), make_record("b")]))
        kinds = ["records" if is_of_records(one) else "marks" for one in node.asked("BatchObjects")]
        assert kinds == ["marks", "marks", "records", "marks"]  # the first is the manifest
        assert node.requests[-1][0] == "BatchDelete"

    def test_the_key_is_sent_to_both_interfaces(self, node: Any) -> None:
        run(vector(node, api_key="s3cret"), delete)
        assert set(node.identities) == {"Bearer s3cret"}
        assert len(node.identities) > 3


class TestFailures:
    @pytest.mark.parametrize("code", BUSY)
    def test_a_busy_server_is_asked_again(
        self, node: Any, pauses: list[float], code: grpc.StatusCode
    ) -> None:
        node.failures += [("BatchDelete", code, {})] * 2
        run(vector(node), delete)
        assert pauses == [0.2, 0.4]

    @pytest.mark.parametrize("status", [429, 502, 503, 504])
    def test_a_busy_rest_interface_is_asked_again(
        self, node: Any, pauses: list[float], status: int
    ) -> None:
        node.failures += [("GET /v1/meta", status, {})] * 2
        run(vector(node), nothing)
        assert pauses == [0.2, 0.4]

    def test_a_server_says_how_long_to_wait(self, node: Any, pauses: list[float]) -> None:
        node.failures += [
            ("GET /v1/meta", 429, {"retry-after": "7"}),
            ("GET /v1/meta", 429, {"retry-after": "100000"}),
            ("GET /v1/meta", 429, {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}),
            ("BatchDelete", BUSY[1], {"retry-after": "3"}),
            ("BatchDelete", BUSY[0], {"grpc-retry-pushback-ms": "1500"}),
        ]
        run(vector(node), delete)
        assert pauses == [7, 60, 0.8, 3, 1.5]

    def test_patience_has_an_end_and_the_error_says_what_to_do(
        self, node: Any, pauses: list[float]
    ) -> None:
        node.failures += [("BatchDelete", BUSY[1], {})] * 2
        with pytest.raises(StoreError, match="RESOURCE_EXHAUSTED: as the test says") as caught:
            run(vector(node, retries=1), delete)
        assert "retries" in str(caught.value.hint)
        node.failures += [("GET /v1/meta", 503, {})] * 2
        with pytest.raises(StoreError, match="503: as the test says") as caught:
            run(vector(node, retries=1), nothing)
        assert "retries" in str(caught.value.hint)

    def test_what_is_wrong_is_not_asked_again(self, node: Any, pauses: list[float]) -> None:
        node.failures += [("BatchDelete", grpc.StatusCode.UNKNOWN, {})]
        with pytest.raises(StoreError, match="UNKNOWN: as the test says"):
            run(vector(node), delete)
        assert pauses == []

    def test_no_answer_in_time_is_a_clear_error(self, node: Any) -> None:
        node.failures += [("BatchDelete", "hang", {})]
        with pytest.raises(StoreError, match=r"no answer within 0\.3 seconds") as caught:
            run(vector(node, timeout=0.3, retries=0), delete)
        assert "timeout" in str(caught.value.hint)

    @pytest.mark.parametrize(
        "code", [grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED]
    )
    def test_a_wrong_key_is_named_and_not_shown(
        self, node: Any, pauses: list[float], code: grpc.StatusCode
    ) -> None:
        node.failures += [("GET /v1/meta", 401, {})]
        for scenario in (nothing, delete):
            with pytest.raises(StoreError, match=rf"401|{code.name}") as caught:
                run(vector(node, api_key="wr0ng"), scenario)
            assert "api_key" in str(caught.value.hint)
            assert "wr0ng" not in f"{caught.value!r} {caught.value.hint} {caught.value.__cause__!r}"
            node.failures += [("BatchDelete", code, {})]
        assert pauses == []

    def test_records_that_are_refused_are_named(self, node: Any) -> None:
        refused = batch_pb2.BatchObjectsReply.BatchError(index=1, error="no space left")
        done = batch_pb2.BatchObjectsReply()
        node.replies["BatchObjects"] = [done, done, batch_pb2.BatchObjectsReply(errors=[refused])]
        records = [make_record(name) for name in "abc"]
        with pytest.raises(PartialWriteError, match=r"1 of 3 .*no space left") as caught:
            run(vector(node), lambda backend: backend.upsert(records))
        assert caught.value.failed == {"b": "no space left"}

    @pytest.mark.parametrize(
        ("before", "lost"), [(0, None), (1, None), (2, "2345"), (3, "45"), (4, "012345")]
    )
    def test_where_the_server_fails_half_way_the_rest_is_named(
        self, node: Any, before: int, lost: str | None
    ) -> None:
        async def scenario(backend: Any) -> None:
            waiting = {len(node.asked("BatchObjects")) + before + 1}
            node.due = lambda method: (
                (grpc.StatusCode.INTERNAL, {})
                if method == "BatchObjects" and len(node.asked(method)) in waiting
                else None
            )
            await backend.upsert([make_record(number) for number in "012345"])

        with pytest.raises(StoreError, match="INTERNAL") as caught:
            run(vector(node, batch_size=2), scenario)
        named = caught.value.failed if isinstance(caught.value, PartialWriteError) else None
        assert (None if named is None else "".join(named)) == lost

    def test_records_that_are_not_deleted_are_an_error(self, node: Any) -> None:
        node.replies["BatchDelete"] = [batch_delete_pb2.BatchDeleteReply(matches=3, failed=2)]
        with pytest.raises(StoreError, match="2 of 3 records were not deleted"):
            run(vector(node), lambda backend: backend.delete_documents(["a.md"]))

    def test_deletion_goes_on_while_something_is_left(self, node: Any) -> None:
        node.replies["BatchDelete"] = [
            batch_delete_pb2.BatchDeleteReply(matches=10_000, successful=10_000),
            batch_delete_pb2.BatchDeleteReply(matches=1, successful=1),
        ]
        run(vector(node), lambda backend: backend.delete_documents(["a.md"]))
        assert len(node.asked("BatchDelete")) == 3

    def test_no_server_is_a_clear_error(self) -> None:
        config = WeaviateVectorConfig(url="http://127.0.0.1:9", retries=0)
        with pytest.raises(
            StoreError, match=r"127\.0\.0\.1:9 \(REST\): it cannot be reached"
        ) as caught:
            run(WeaviateVectorBackend(config), nothing)
        assert caught.value.hint == "Start the server, or check `url`."

    def test_no_grpc_interface_is_a_clear_error(self, node: Any) -> None:
        with pytest.raises(
            StoreError, match=r"127\.0\.0\.1:9 \(gRPC\): it cannot be reached"
        ) as caught:
            run(vector(node, grpc_url="http://127.0.0.1:9", retries=0), nothing)
        assert caught.value.hint == "Start the server, or check `grpc_url`."

    @pytest.mark.parametrize(
        ("version", "said"), [("", "is no Weaviate"), ("1.32.9", r"1\.32\.9; it must be 1\.33")]
    )
    def test_another_server_and_an_old_one_are_refused(
        self, node: Any, version: str, said: str
    ) -> None:
        node.version = version
        with pytest.raises(StoreError, match=said):
            run(vector(node), nothing)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's words are not waited for."""
    monkeypatch.setattr("hierdoc_weaviate.probing.PATIENCE", 0.0)


@pytest.mark.usefixtures("hasty")
class TestCheck:
    def test_it_asks_both_interfaces(self, node: Any) -> None:
        check(WeaviateVectorConfig(**node.fields()))
        asked = [name for name, _ in node.requests]
        assert asked[:3] == ["GET /v1/meta", "GET /v1/schema", "Check"]

    @pytest.mark.parametrize("best", [False, True])
    def test_it_says_whether_bm25_finds_what_was_just_written(self, node: Any, best: bool) -> None:
        found = search_get_pb2.SearchReply()
        hit = found.results.add()
        hit.properties.non_ref_props.fields["chunk_id"].text_value = "best" if best else "other"
        node.replies["Search"] = [
            search_get_pb2.SearchReply(),
            found,
        ]  # the first is asked for the manifest
        said = check(WeaviateVectorConfig(**node.fields(collection="Handbook", tenant="de")))
        assert (said is None) == best
        assert best or "PERSISTENCE_MEMTABLES_FLUSH_DIRTY_AFTER_SECONDS=1" in str(said)
        made = node.asked("POST /v1/schema")[0]
        assert made["class"].startswith("Handbook_probe")
        assert not made["multiTenancyConfig"]["enabled"]
        assert node.requests[-1][0] == f"DELETE /v1/schema/{made['class']}"

    def test_a_key_that_may_not_make_collections_is_no_error(self, node: Any) -> None:
        node.failures += [("POST /v1/schema", 403, {})]
        assert "could not be tried" in str(check(WeaviateVectorConfig(**node.fields())))

    @pytest.mark.parametrize(
        ("failure", "said"),
        [
            (("GET /v1/schema", 403, {}), "403"),
            (("Check", grpc.StatusCode.UNAUTHENTICATED, {}), "UNAUTHENTICATED"),
        ],
    )
    def test_it_says_what_is_refused(self, node: Any, failure: Any, said: str) -> None:
        node.failures += [failure]
        with pytest.raises(StoreError, match=said):
            check(WeaviateVectorConfig(**node.fields()))


@pytest.mark.usefixtures("hasty")
class TestEncryption:
    def test_the_authorities_that_are_named_vouch_for_both_interfaces(
        self, tmp_path: Path, make_node: Any
    ) -> None:
        key, certificate = self._certificate(tmp_path)
        node = make_node(*self._secured(key, certificate))
        run(vector(node, ca_certs=str(certificate)), delete)
        check(WeaviateVectorConfig(**node.fields(ca_certs=str(certificate))))

    def test_authorities_that_cannot_be_read_are_a_clear_error(
        self, tmp_path: Path, node: Any
    ) -> None:
        (tmp_path / "empty.pem").write_text("")
        for name in ("empty.pem", "missing.pem"):
            url = node.url.replace("http:", "https:")
            config = WeaviateVectorConfig(**node.fields(url=url, ca_certs=str(tmp_path / name)))
            with pytest.raises(StoreError, match=rf"{name} cannot be read") as caught:
                run(WeaviateVectorBackend(config), nothing)
            assert "PEM" in str(caught.value.hint)

    def test_an_unknown_server_is_refused_with_the_way_out(
        self, tmp_path: Path, make_node: Any
    ) -> None:
        node = make_node(*self._secured(*self._certificate(tmp_path)))
        with pytest.raises(StoreError, match="cannot be reached") as caught:
            run(vector(node), nothing)
        assert "`ca_certs`" in str(caught.value.hint)
        assert node.requests == []

    def _certificate(self, folder: Path) -> tuple[Path, Path]:
        openssl = shutil.which("openssl")
        if openssl is None:
            pytest.skip("openssl is not installed")
        key, certificate = folder / "key.pem", folder / "certificate.pem"
        subprocess.run(
            [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-keyout", str(key), "-out", str(certificate), "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
            check=True, capture_output=True,
        )  # fmt: skip
        return key, certificate

    def _secured(self, key: Path, certificate: Path) -> tuple[Any, ssl.SSLContext]:
        pair = (key.read_bytes(), certificate.read_bytes())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        return grpc.ssl_server_credentials([pair]), context


def test_a_record_that_cannot_be_read_is_a_clear_error(node: Any) -> None:
    hit = search_get_pb2.SearchResult()
    hit.properties.non_ref_props.fields["record"].text_value = "{"

    async def scenario(backend: Any) -> None:
        node.replies["Search"] = [search_get_pb2.SearchReply(results=[hit])]
        with pytest.raises(StoreError, match="cannot be read") as caught:
            await backend.get(["a"])
        assert "--force" in str(caught.value.hint)

    run(vector(node), scenario)
