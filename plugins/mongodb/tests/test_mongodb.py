"""The plugin `mongodb` on the wire: what is asked of the server, and what is made of its answers.

All are shape tests: they run against a stand-in that takes what MongoDB documents, not against MongoDB itself.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import ssl
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import bson
import numpy as np
import pytest
from pydantic import ValidationError

from hierdoc import AsyncIndex, Chunk, Filter, IndexMismatchError, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.filters import And, Contains, Equals, In, Not, Or, Under
from hierdoc.plugin import DocumentVersion, IndexSpec, Record
from hierdoc_mongodb import MongoConfig, MongoVectorConfig, _check
from hierdoc_mongodb.backend import MongoKeywordBackend, MongoVectorBackend
from hierdoc_mongodb.fields import selection, token

SPEC = IndexSpec("embedder", 4)
FIRST = np.array([1, 0, 0, 0], np.float32)
HALVES = {"semantic": 0.5, "keyword": 0.5}
Scenario = Callable[[Any], Awaitable[Any]]


def record(id: str, text: str = "text", vector: Any = (1, 0, 0, 0), **fields: Any) -> Record:
    chunk = Chunk(fields.pop("source", "doc.md"), text, 0, len(text), 1, 1, id=id, **fields)
    return Record(chunk, DocumentVersion("hash", "pipeline", 1), np.array(vector, np.float32))


def vectors(server: Any, **fields: Any) -> MongoVectorBackend:
    return MongoVectorBackend(MongoVectorConfig(**{**server.fields, **fields}))


def keyword(server: Any, **fields: Any) -> MongoKeywordBackend:
    return MongoKeywordBackend(MongoConfig(**{**server.fields, **fields}))


def run(store: Any, scenario: Scenario, spec: IndexSpec = SPEC, **options: Any) -> Any:
    async def whole() -> Any:
        try:
            await store.prepare(spec, **options)
            return await scenario(store)
        finally:
            await store.aclose()

    return asyncio.run(whole())


async def nothing(store: Any) -> None:
    """A scenario in which the backend is only opened."""


def ids(matches: Any) -> list[str]:
    return [one.chunk_id for one in matches]


ATLAS = "mongodb+srv://cluster0.abcde.mongodb.net/?retryWrites=true&w=majority&appName=Cluster0"


@pytest.mark.parametrize("url", [ATLAS, "mongodb://one:27017,two:27017/?replicaSet=rs0&tls=true"])
def test_addresses_are_taken_as_they_are_copied(url: str) -> None:
    assert MongoConfig(url=url).url == url


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "cluster0.abcde.mongodb.net"},
        {"url": "https://cluster0.abcde.mongodb.net"},
        {"url": "mongodb://tests:secret@localhost"},
        {"url": "mongodb://localhost/secret"},
        {"url": "mongodb://localhost/?tlsAllowInvalidCertificates=true"},
        {"url": "mongodb://localhost/?authMechanismProperties=AWS_SESSION_TOKEN:secret"},
        {"username": "tests"},
        {"password": "secret"},
        {"database": "a.b"},
        {"collection": "system.laws"},
        {"collection": "$laws"},
        {"m": 8},
        {"ef": 10_001},
    ],
)
def test_a_wrong_configuration_is_refused_without_its_secrets(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        MongoVectorConfig(**fields)
    assert "secret" not in str(caught.value)


class TestShapeOfIndexes:
    def test_definitions_say_how_vectors_and_words_are_searched(self, server: Any) -> None:
        run(vectors(server, m=32, ef_construction=200, collection="laws"), nothing)
        made = server.collections["laws-vector"].indexes
        assert set(made["hierdoc_words"].definition["mappings"]["fields"]) == {
            "tags",
            "mark",
            "words",
        }
        vector, *filters = made["hierdoc_vectors"].definition["fields"]
        assert (vector["numDimensions"], vector["similarity"]) == (4, "cosine")
        assert vector["hnswOptions"] == {"maxEdges": 32, "numEdgeCandidates": 200}
        assert [one["path"] for one in filters] == ["tags", "mark"]

    def test_the_usual_graph_is_not_spoken_of(self, server: Any) -> None:
        run(vectors(server), nothing)
        vector, *_ = (
            server.collections["hierdoc-vector"].indexes["hierdoc_vectors"].definition["fields"]
        )
        assert "hnswOptions" not in vector

    def test_indexes_are_waited_for_until_they_answer(self, server: Any) -> None:
        run(keyword(server), lambda store: store.search("word", 5))
        assert len(server.stages("$listSearchIndexes")) == 4  # none, pending, building, ready

    def test_an_index_that_another_process_has_just_made_is_taken(self, server: Any) -> None:
        there = {"ok": 0.0, "code": 68, "errmsg": "Duplicate Index"}
        server.failures = [("createSearchIndexes", there)]
        run(keyword(server), nothing)
        assert len(server.asked("createSearchIndexes")) == 2

    def test_an_index_that_cannot_be_made_is_an_error(
        self, server: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        failed = {
            "name": "hierdoc_words",
            "status": "FAILED",
            "queryable": False,
            "message": "too many",
        }
        monkeypatch.setattr(server, "_state", lambda index: failed)
        with pytest.raises(
            StoreError, match="cannot make the index 'hierdoc_words': too many"
        ) as caught:
            run(keyword(server), nothing)
        assert caught.value.hint

    def test_an_index_that_is_never_ready_is_an_error(
        self, server: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("hierdoc_mongodb.corpus._READY_WITHIN", 0.05)
        building = {"name": "hierdoc_words", "status": "BUILDING", "queryable": False}
        monkeypatch.setattr(server, "_state", lambda index: building)
        with pytest.raises(StoreError, match="has not made its indexes within") as caught:
            run(keyword(server), nothing)
        assert caught.value.hint

    def test_another_analysis_is_refused_until_the_reset(self, server: Any) -> None:
        run(keyword(server), lambda store: store.upsert([record("a")]))
        with pytest.raises(IndexMismatchError):
            run(keyword(server, language="de"), nothing)
        run(keyword(server, language="de"), nothing, reset=True)
        with pytest.raises(IndexMismatchError):
            run(keyword(server), nothing)

    def test_somebody_elses_collection_is_left_alone(self, server: Any) -> None:
        server._collection("hierdoc-vector").put({"_id": "theirs"})
        with pytest.raises(StoreError, match="not made by hierdoc"):
            run(vectors(server), nothing, reset=True)
        assert "theirs" in server.collections["hierdoc-vector"].held


@pytest.mark.parametrize(
    "filter",
    [
        Equals("kind", "$where: x"),
        Not(Contains("headings", "x' eq 'x")),
        Not(Or()),
        And(),
        Not(And(Or(Equals("kind", "$x"), Not(Under(["x.y"]))), In("source", []))),
        In("source", [f"{number}.x" for number in range(5000)]),
    ],
    ids=lambda one: str(one)[:40],
)
def test_shape_of_filters_that_hold_nothing_that_was_typed(server: Any, filter: Filter) -> None:
    assert not re.search(r"x|where", str(selection(filter)))

    async def scenario(store: MongoVectorBackend) -> None:  # parsed by the stand-in
        await store.search(FIRST, 5, filter)
        await store.find(filter, 5)
        await store.hybrid_search("text", FIRST, 5, HALVES, filter)

    run(vectors(server), scenario)


def test_shape_of_deep_filters(server: Any) -> None:
    deep: Filter = Equals("kind", "content")
    for _ in range(60):  # MongoDB takes 100 levels
        deep = Not(And(Or(deep)))
    found = run(vectors(server), lambda store: _written(store, [record("a")], store.find(deep, 5)))
    assert [one.id for one in found] == ["a"]


async def _written(store: Any, records: list[Record], then: Awaitable[Any]) -> Any:
    await store.upsert(records)
    return await then


class TestShapeOfSearches:
    RECORDS = (
        record("a", "berth"),
        record("b", "anchor", (0.5, 1, 0, 0)),
        record("c", "buoy", (0, 0, 1, 0)),
    )

    def hybrid(self, server: Any, text: str = "anchor", **fields: Any) -> Any:
        weights = {"semantic": 0.6, "keyword": 0.2}
        kind = Equals("kind", "content")

        async def scenario(store: MongoVectorBackend) -> Any:
            await store.upsert(self.RECORDS)
            return await store.hybrid_search(text, FIRST, 5, weights, kind)

        return run(vectors(server, **fields), scenario)

    def test_the_server_fuses_by_the_weights_with_the_filter_in_both_legs(
        self, server: Any
    ) -> None:
        matches = self.hybrid(server)
        asked = server.stages("$rankFusion")[-1]
        assert asked["combination"]["weights"] == {"semantic": 0.6, "keyword": 0.2}
        near, words = (asked["input"]["pipelines"][name][0] for name in ("semantic", "keyword"))
        assert near["$vectorSearch"]["filter"] == selection(Equals("kind", "content"))
        assert near["$vectorSearch"]["limit"] == 100
        assert words["$search"]["compound"]["filter"]
        assert words["$search"]["compound"]["must"][0]["text"]["query"] == token("anchor")
        assert ids(matches) == ["b", "a", "c"]
        assert matches[0].score == pytest.approx(0.6 / 62 + 0.2 / 61)

    @pytest.mark.parametrize("fusion", ["none", "off", "basic"])
    def test_what_the_server_cannot_fuse_is_fused_here_alike(
        self, server: Any, fusion: str
    ) -> None:
        native = [(one.chunk_id, pytest.approx(one.score)) for one in self.hybrid(server)]
        asked = len(server.stages("$rankFusion"))
        server.fusion = fusion
        assert [(one.chunk_id, one.score) for one in self.hybrid(server)] == native
        assert len(server.stages("$rankFusion")) == asked + 1  # the question alone

    def test_a_server_that_stops_fusing_does_no_harm(self, server: Any) -> None:
        async def scenario(store: MongoVectorBackend) -> Any:
            await store.upsert(self.RECORDS)
            server.fusion = "none"
            return [await store.hybrid_search("anchor", FIRST, 5, HALVES) for _ in range(2)]

        one, other = run(vectors(server), scenario)
        assert ids(one) == ids(other) == ["b", "a", "c"]
        assert len(server.stages("$rankFusion")) == 2

    def test_a_leg_without_weight_takes_no_part(self, server: Any) -> None:
        async def scenario(store: MongoVectorBackend) -> Any:
            await store.upsert(self.RECORDS)
            asked = len(server.stages("$rankFusion"))
            by_words = await store.hybrid_search("anchor", FIRST, 5, {"semantic": 0, "keyword": 1})
            nearest = await store.hybrid_search("anchor", FIRST, 1, {"semantic": 1, "keyword": 0})
            assert len(server.stages("$rankFusion")) == asked
            return by_words, nearest

        by_words, nearest = run(vectors(server), scenario)
        assert (ids(by_words), ids(nearest)) == (["b"], ["a"])

    def test_a_graph_is_asked_for_candidates_and_an_exact_search_for_none(
        self, server: Any
    ) -> None:
        for fields in ({"ef": 50}, {"exact": True}):
            run(vectors(server, **fields), lambda store: store.search(FIRST, 100))
        graph, exact = server.stages("$vectorSearch")
        assert (graph["numCandidates"], graph["limit"]) == (202, 101)
        assert (exact["exact"], "numCandidates" in exact) == (True, False)

    def test_phrases_are_asked_for_in_every_language_that_is_held(self, server: Any) -> None:
        async def scenario(store: MongoKeywordBackend) -> Any:
            await store.upsert(
                [record("a", "harbour fees", language="en"), record("b", "Recht", language="de")]
            )
            return await store.search_phrase("harbour fees", 5)

        assert ids(run(keyword(server), scenario)) == ["a"]
        assert len(server.stages("$search")[-1]["phrase"]["query"]) == 2

    def test_many_terms_are_asked_for_in_portions(self, server: Any) -> None:
        async def scenario(store: MongoKeywordBackend) -> Any:
            await store.upsert([record("a", "word0"), record("b", "word2999 word1")])
            return await store.search(" ".join(f"word{number}" for number in range(3000)), 5)

        assert ids(run(keyword(server), scenario)) == ["b", "a"]

    def test_a_vector_of_length_0_is_kept_and_not_found_by_it(self, server: Any) -> None:
        async def scenario(store: MongoVectorBackend) -> Any:
            await store.upsert([record("a", vector=(0, 0, 0, 0)), record("b")])
            (read,) = await store.get(["a"], vectors=True)
            assert not read.vector.any()
            return await store.search(FIRST, 5), await store.search(np.zeros(4, np.float32), 5)

        near, without = run(vectors(server), scenario)
        assert (ids(near), ids(without)) == (["b"], ["a", "b"])


class TestShapeOfWrites:
    def test_nothing_is_waited_for_between_writes_and_look_ups(self, server: Any) -> None:
        async def scenario(store: MongoVectorBackend) -> None:
            for number in range(4):
                await store.upsert([record(f"{number}", source=f"{number}.md")])
                assert await store.count() == number + 1
                assert len(await store.find(Equals("kind", "content"), 9)) == number + 1
            assert not server.stages("$search")
            assert not server.stages("$vectorSearch")

        run(vectors(server), scenario)

    def test_a_search_waits_until_all_writes_show(self, server: Any) -> None:
        async def scenario(store: MongoVectorBackend) -> None:
            await store.upsert([record(f"{number}") for number in range(20)])
            assert len(await store.search(FIRST, 50)) == 20
            asked = len(server.commands)
            assert len(await store.search(FIRST, 50)) == 20
            assert len(server.commands) == asked + 1  # it knows that they do

        run(vectors(server), scenario)

    def test_what_is_deleted_takes_no_place_among_the_best(self, server: Any) -> None:
        async def scenario(store: MongoVectorBackend) -> Any:
            await store.upsert([record(f"{number}", source="other.md") for number in range(9)])
            await store.upsert([record("left", vector=(0, 1, 0, 0))])
            await store.search(FIRST, 5)
            await store.delete_documents(["other.md"])
            return await store.search(FIRST, 1)

        assert ids(run(vectors(server), scenario)) == ["left"]

    def test_what_never_shows_is_an_error(self, server: Any) -> None:
        async def scenario(store: MongoVectorBackend) -> None:
            await store.upsert([record("a")])
            server.hidden = True
            with pytest.raises(StoreError, match="does not show") as caught:
                await store.search(FIRST, 5)
            assert caught.value.hint
            assert await store.count() == 1

        run(vectors(server, visible_within=0.2), scenario)

    def test_what_a_killed_process_wrote_is_waited_for_by_the_next(self, server: Any) -> None:
        run(vectors(server), lambda store: store.upsert([record(f"{one}") for one in range(9)]))

        async def scenario(store: MongoVectorBackend) -> Any:
            found = await store.search(FIRST, 20)
            assert server.collections["hierdoc-vector"].held[0]["mark"] == 2
            return found

        assert len(run(vectors(server), scenario)) == 9
        assert (
            len(run(vectors(server), scenario)) == 9
        )  # nothing was written since, so no mark is raised

    def test_nothing_is_written_where_the_collection_was_dropped(self, server: Any) -> None:
        async def scenario(store: MongoVectorBackend) -> None:
            server.collections.clear()
            with pytest.raises(StoreError, match="was dropped") as caught:
                await store.upsert([record("a")])
            assert caught.value.hint
            assert not server.collections["hierdoc-vector"].held

        run(vectors(server), scenario)

    def test_a_document_that_is_refused_is_named(self, server: Any) -> None:
        server.refused = ("poison", -121)

        async def scenario(store: MongoVectorBackend) -> None:
            records = [record(f"{number}", "poison" if number == 5 else "x") for number in range(9)]
            with pytest.raises(PartialWriteError, match="refused by the test") as caught:
                await store.upsert(records)
            assert list(caught.value.failed) == ["5"]
            assert await store.count() == 8

        run(vectors(server), scenario)

    def test_a_document_that_the_server_was_too_busy_for_is_sent_again(self, server: Any) -> None:
        server.refused = ("later", 112)

        async def scenario(store: MongoVectorBackend) -> None:
            await store.upsert([record("a", "later"), record("b")])
            assert await store.count() == 2

        run(vectors(server), scenario)
        assert [len(one["updates"]) for one in server.asked("update")[-2:]] == [2, 1]

    def test_what_no_majority_confirms_is_written_again(self, server: Any) -> None:
        unconfirmed = {"code": 64, "errmsg": "waiting for replication timed out"}

        async def scenario(store: MongoVectorBackend) -> None:
            await store.upsert([record("a")])
            server.failures = [
                ("update", {"ok": 1.0, "n": 2, "nModified": 0, "writeConcernError": unconfirmed})
            ]
            await store.upsert([record("b"), record("c")])
            assert await store.count() == 3

        run(vectors(server), scenario)

    def test_a_failure_after_some_batches_names_the_rest(self, server: Any) -> None:
        async def scenario(store: MongoVectorBackend) -> None:
            await store.upsert([record("0")])
            taken, failing = server._update, {"ok": 0.0, "code": 11600, "errmsg": "shutdown"}

            def update(name: str, command: Any) -> Any:
                server.failures = [("update", failing)]
                return taken(name, command)

            server._update = update
            with pytest.raises(PartialWriteError) as caught:
                await store.upsert([record(f"{number}") for number in range(4)])
            assert list(caught.value.failed) == ["2", "3"]

        run(vectors(server, batch_size=2, retries=0), scenario)

    @pytest.mark.nightly
    def test_what_is_too_large_for_a_document_fails_by_name(self, server: Any) -> None:
        async def scenario(store: MongoVectorBackend) -> None:
            large = record("large", "x" * 16_800_000)
            with pytest.raises(PartialWriteError, match="16 MB") as caught:
                await store.upsert([record("a"), large, record("b")])
            assert list(caught.value.failed) == ["large"]
            assert await store.count() == 2

        run(vectors(server), scenario)

    def test_an_id_that_is_too_long_fails_by_name(self, server: Any) -> None:
        async def scenario(store: MongoVectorBackend) -> None:
            with pytest.raises(PartialWriteError) as caught:
                await store.upsert([record("a"), record("x" * 40_000)])
            assert list(caught.value.failed) == ["x" * 40_000]

        run(vectors(server), scenario)

    @pytest.mark.nightly
    def test_requests_are_no_larger_than_some_megabytes(self, server: Any) -> None:
        async def scenario(store: MongoVectorBackend) -> None:
            await store.upsert([record(f"{number}", "x" * 3_000_000) for number in range(6)])
            assert await store.count() == 6

        run(vectors(server), scenario)
        sizes = [len(bson.encode({"updates": one["updates"]})) for one in server.asked("update")]
        assert len(sizes) >= 3
        assert max(sizes) < 9_000_000


@pytest.mark.usefixtures("swept")
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
class TestShapeOfFailures:
    @pytest.mark.parametrize(
        ("code", "message", "labels"),
        [
            (10107, "not primary", ["RetryableWriteError"]),
            (11600, "interrupted at shutdown", []),
            (462, "rate limit exceeded", ["SystemOverloadedError", "RetryableError"]),
            (9999, "something of a later version", ["RetryableError"]),
        ],
    )
    def test_a_server_that_is_busy_or_gives_way_is_asked_again(
        self, server: Any, code: int, message: str, labels: list[str]
    ) -> None:
        failing = {"ok": 0.0, "code": code, "errmsg": message, "errorLabels": labels}

        async def scenario(store: MongoVectorBackend) -> None:
            await store.upsert([record("a")])
            server.failures = [(one, failing) for one in ("update", "find", "aggregate") * 2]
            await store.upsert([record("b")])
            assert len(await store.find(Equals("kind", "content"), 9)) == 2
            assert len(await store.search(FIRST, 5)) == 2

        run(vectors(server), scenario)
        assert not server.failures

    def test_a_search_server_that_reads_its_index_is_waited_for(self, server: Any) -> None:
        starting = {
            "ok": 0.0,
            "code": 8,
            "errmsg": "cannot query search index while in state NOT_STARTED",
        }

        async def scenario(store: MongoVectorBackend) -> Any:
            server.failures = [("aggregate", starting)] * 2
            return await store.search(FIRST, 5)

        assert run(vectors(server), scenario) == []

    def test_a_server_that_stays_busy_is_an_error(self, server: Any) -> None:
        async def scenario(store: MongoVectorBackend) -> None:
            server.failures = [("aggregate", {"ok": 0.0, "code": 462, "errmsg": "too busy"})] * 2
            with pytest.raises(StoreError, match=r"462: too busy") as caught:
                await store.count()
            assert caught.value.hint

        run(vectors(server, retries=1), scenario)

    def test_a_connection_that_ends_in_the_middle_is_made_again(self, server: Any) -> None:
        async def scenario(store: MongoVectorBackend) -> None:
            await store.upsert([record("a")])
            server.failures = [("aggregate", "cut"), ("find", "cut"), ("update", "cut")]
            assert await store.count() == 1
            assert len(await store.get(["a"])) == 1
            await store.upsert([record("b")])
            assert await store.count() == 2

        run(vectors(server), scenario)

    def test_a_cursor_that_is_lost_is_read_anew(self, server: Any) -> None:
        async def scenario(store: MongoVectorBackend) -> Any:
            await store.upsert([record(f"{number:04d}") for number in range(1200)])
            server.failures = [("getMore", {"ok": 0.0, "code": 11600, "errmsg": "shutdown"})]
            return await store.find(Equals("kind", "content"), 1100)

        assert [one.id for one in run(vectors(server), scenario)] == [
            f"{n:04d}" for n in range(1100)
        ]
        assert not server.failures

    def test_a_wrong_password_is_an_error_that_hides_it(self, server: Any) -> None:
        with pytest.raises(StoreError) as caught:
            run(vectors(server, password="a-very-secret-password"), nothing)
        assert "Authentication failed" in str(caught.value)
        assert "password" in str(caught.value.hint)
        assert "a-very-secret-password" not in repr(caught.value) + str(caught.value.__cause__)

    def test_a_user_who_may_not_is_told_what_is_needed(self, server: Any) -> None:
        server.failures = [
            ("create", {"ok": 0.0, "code": 13, "errmsg": "not authorized on hierdoc"})
        ]
        with pytest.raises(StoreError, match="13: not authorized") as caught:
            run(vectors(server), nothing)
        assert "readWrite" in str(caught.value.hint)

    def test_a_server_without_search_is_refused_with_the_reason(self, server: Any) -> None:
        server.searches = False
        with pytest.raises(StoreError, match="31082") as caught:
            run(vectors(server), nothing)
        assert "mongot" in str(caught.value.hint)

    def test_nobody_there_is_an_error_with_a_way_out(self) -> None:
        fields = {"url": "mongodb://127.0.0.1:9/?directConnection=true", "timeout": 0.3}
        with pytest.raises(StoreError, match="cannot be reached") as caught:
            run(MongoVectorBackend(MongoVectorConfig(**fields)), nothing)
        assert caught.value.hint

    def test_a_host_without_a_name_is_an_error_with_a_way_out(self) -> None:
        fields = {"url": "mongodb+srv://cluster0.hierdoc.invalid", "timeout": 0.3, "retries": 0}
        with pytest.raises(StoreError, match="cannot be reached") as caught:
            run(MongoVectorBackend(MongoVectorConfig(**fields)), nothing)
        assert caught.value.hint


def test_shape_of_tls(server: Any, tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here, which makes the certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    named = [
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        str(key),
        "-out",
        str(certificate),
    ]
    subprocess.run([*made, *named], check=True, capture_output=True)
    server.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.tls.load_cert_chain(certificate, key)
    url = server.fields["url"] + "&tls=true"
    with pytest.raises(StoreError, match=r"(?i)certificate") as caught:
        run(vectors(server, url=url, timeout=1), nothing)
    assert "ca_certs" in str(caught.value.hint)
    run(vectors(server, ca_certs=str(certificate)), lambda store: store.upsert([record("a")]))
    assert "a" in server.collections["hierdoc-vector"].held


@pytest.mark.parametrize(
    ("fusion", "who"),
    [("full", "it fuses hybrid searches"), ("none", "so hierdoc fuses hybrid searches")],
)
def test_shape_of_the_check(server: Any, fusion: str, who: str) -> None:
    server.fusion = fusion
    config = MongoVectorConfig(**server.fields)
    assert "no collection yet: the first ingest makes one" in asyncio.run(_check(config))
    run(vectors(server), nothing)
    told = asyncio.run(_check(config))
    assert "MongoDB 8.0.13" in told
    assert who in told
    assert told.endswith("collections: hierdoc-vector")


def test_shape_of_an_ingest_and_its_searches(server: Any, tmp_path: Path) -> None:
    (tmp_path / "act.md").write_text("# Act\n\n## Section 1\n\nShips have berths.\n")
    stores = {"provider": "mongodb", **server.fields}
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
