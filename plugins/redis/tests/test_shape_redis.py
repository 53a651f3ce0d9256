"""What the backends of `redis` make of configurations, servers that lack something, strangers, users and failures."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import pytest
import redis
from pydantic import ValidationError

import hierdoc_redis
from hierdoc import IndexMismatchError, Match, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc_redis import RedisConfig, RedisVectorConfig
from hierdoc_redis.corpus import Corpus
from hierdoc_redis.hashes import words_query
from hierdoc_redis.keyword import RedisKeywordBackend
from hierdoc_redis.vector import RedisVectorBackend, fused
from hierdoc_testing.corpus import SPEC, make_record

Fields = Callable[..., dict[str, Any]]


def run(backend: Any, scenario: Callable[[Any], Awaitable[Any]], **options: Any) -> Any:
    async def whole() -> Any:
        try:
            await backend.prepare(SPEC, **options)
            return await scenario(backend)
        finally:
            await backend.aclose()

    return asyncio.run(whole())


def vector(fields: dict[str, Any]) -> RedisVectorBackend:
    return RedisVectorBackend(RedisVectorConfig(**{"retries": 0, **fields}))


async def count(backend: Any) -> int:
    found: int = await backend.count()
    return found


def check(fields: dict[str, Any]) -> None:
    (found,) = hierdoc_redis.hierdoc_keyword_backends()
    assert found.check is not None
    asyncio.run(found.check(RedisConfig(**{"retries": 0, **fields})))


class TestConfiguration:
    @pytest.mark.parametrize(
        "fields",
        [
            {"url": "http://localhost:6379"},
            {"url": "redis://:secret@localhost:6379"},
            {"url": "redis://localhost:6379/1"},
            {"username": "hierdoc"},
            {"collection": "my laws"},
        ],
    )
    def test_wrong_fields_are_refused(self, fields: dict[str, str]) -> None:
        with pytest.raises(ValidationError) as caught:
            RedisConfig(**fields)  # type: ignore[arg-type]
        assert "secret" not in str(caught.value)

    def test_weights_are_asked_for(self) -> None:
        for weights in ({"semantic": 1}, {"semantic": 1, "keyword": -1}):
            with pytest.raises(ValueError, match="'keyword'"):
                asyncio.run(vector({}).hybrid_search("x", None, 5, weights))  # type: ignore[arg-type]


class TestServersThatLackSomething:
    @pytest.mark.parametrize("version", ["6.2.14", "7.4.2"])
    def test_an_old_one_is_refused(self, fields: Fields, relay: Any, version: str) -> None:
        relay.version = version
        with pytest.raises(StoreError, match=f"version {version}.*from Redis 8.0 on") as caught:
            run(vector(fields()), count)
        assert caught.value.hint

    def test_one_without_the_module_is_refused(self, fields: Fields, relay: Any) -> None:
        relay.commands.clear()
        with pytest.raises(StoreError, match="cannot search") as caught:
            run(vector(fields()), count)
        assert "module" in str(caught.value.hint)

    def test_a_real_redis_6_is_refused(self, fields: Fields, shared_server: Any) -> None:
        url = f"redis://127.0.0.1:{shared_server.port}"
        with pytest.raises(StoreError, match=r"from Redis 8\.0 on"):
            check(fields(url=url))

    def test_one_that_does_not_fuse_gives_the_ranks_of_one_that_does(
        self, fields: Fields, relay: Any
    ) -> None:
        async def found(backend: Any) -> list[str]:
            texts = ["a berth for ships", "a berth", "rain and ships", "nothing of it"]
            records = [make_record(f"r{n}", text) for n, text in enumerate(texts)]
            await backend.upsert(records)
            weights = {"semantic": 0.4, "keyword": 0.6}
            query = np.asarray(records[2].vector)
            matches = await backend.hybrid_search("berth ships", query, 4, weights)
            return [match.chunk_id for match in matches]

        native = run(vector(fields("a")), found)
        assert [one[0] for one in relay.asked if one[0] == b"FT.HYBRID"]
        relay.asked.clear()
        relay.commands.remove("FT.HYBRID")
        assert run(vector(fields("b")), found) == native
        assert {one[0] for one in relay.asked} == {b"FT.SEARCH"}

    def test_one_that_still_reads_its_data_is_waited_for(self, fields: Fields, relay: Any) -> None:
        relay.indexing = 2
        assert run(vector(fields()), count) == 0
        relay.indexing = 10_000
        with pytest.raises(StoreError, match="still being built"):
            run(vector(fields(timeout=0.5)), count)
        relay.indexing = 0

    def test_a_hybrid_search_that_is_cut_short_is_an_error(
        self, fields: Fields, relay: Any
    ) -> None:
        async def search(backend: Any) -> None:
            await backend.upsert([make_record("a", "a berth")])
            relay.warnings = [b"Timeout limit was reached"]
            await backend.hybrid_search("berth", _query(), 5, {"semantic": 1, "keyword": 1})

        with pytest.raises(StoreError, match="Timeout limit") as caught:
            run(vector(fields()), search)
        assert "timeout" in str(caught.value.hint)


class TestStrangers:
    def test_somebody_elses_index_is_left_alone(self, fields: Fields, relay: Any) -> None:
        given = fields()
        client = redis.Redis(port=relay.port, protocol=2)
        name = f"{given['collection']}:vector"
        client.execute_command(
            *("FT.CREATE", name, "ON", "HASH", "PREFIX", 1, "x:", "SCHEMA", "a", "TEXT")
        )
        client.close()
        for reset in (False, True):
            with pytest.raises(StoreError, match="was not made by hierdoc"):
                run(vector(given), count, reset=reset)

    def test_another_analysis_is_refused(self, fields: Fields) -> None:
        given = fields()
        run(RedisKeywordBackend(RedisConfig(**given)), count)
        with pytest.raises(IndexMismatchError, match="analyzer"):
            run(RedisKeywordBackend(RedisConfig(**given, language="de")), count)

    def test_a_reset_leaves_no_keys_but_those_of_others(
        self, fields: Fields, shared_server: Any
    ) -> None:
        given = fields()
        client = redis.Redis(port=shared_server.port)
        client.set(f"{given['collection']}x", "theirs")

        async def fill(backend: Any) -> None:
            await backend.upsert([make_record("a"), make_record("b")])

        run(vector(given), fill)
        run(vector(given), count, reset=True)
        keys = {*client.scan_iter(f"{given['collection']}*")}
        client.close()
        assert keys == {
            f"{given['collection']}x".encode(),
            f"{given['collection']}:vector:about".encode(),
        }


class TestFailures:
    @pytest.mark.parametrize(
        ("message", "hint"),
        [
            ("OOM command not allowed when used memory > 'maxmemory'.", "memory"),
            ("READONLY You can't write against a read only replica.", "primary"),
            ("NOPERM this user has no permissions to run the 'hset' command", "permissions"),
        ],
    )
    def test_a_write_that_is_refused_says_what_to_do(
        self, fields: Fields, relay: Any, message: str, hint: str
    ) -> None:
        async def write(backend: Any) -> None:
            relay.failures.append(("HSET", message))
            await backend.upsert([make_record("a")])

        with pytest.raises(StoreError) as caught:
            run(vector(fields()), write)
        assert hint in str(caught.value.hint)

    def test_a_failure_in_the_middle_names_what_was_not_written(
        self, fields: Fields, relay: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write, writes = Corpus._write, []

        def counted(corpus: Corpus, batch: Any) -> None:
            writes.append(batch)
            if len(writes) == 2:
                relay.failures.append(("HSET", "OOM command not allowed"))
            write(corpus, batch)

        async def scenario(backend: Any) -> int:
            with pytest.raises(PartialWriteError) as caught:
                await backend.upsert([make_record(f"r{number}") for number in range(5)])
            assert sorted(caught.value.failed) == ["r2", "r3", "r4"]
            held: int = await backend.count()
            return held

        monkeypatch.setattr(Corpus, "_write", counted)
        assert run(vector(fields(batch_size=2)), scenario) == 2

    def test_a_transaction_that_is_refused_in_part_writes_nothing(
        self, fields: Fields, relay: Any
    ) -> None:
        async def write(backend: Any) -> int:
            relay.failures.append(("SADD", "OOM command not allowed"))
            with pytest.raises(StoreError):
                await backend.upsert([make_record("a"), make_record("b")])
            held: int = await backend.count()
            return held

        assert run(vector(fields()), write) == 0

    def test_a_server_that_is_away_is_named(self, fields: Fields) -> None:
        with pytest.raises(StoreError, match=r"127\.0\.0\.1:1:") as caught:
            check(fields(url="redis://127.0.0.1:1"))
        assert "Start the server" in str(caught.value.hint)

    def test_a_server_that_drops_what_it_holds_is_reported(
        self, make_server: Any, fields: Fields, relay_of: Any
    ) -> None:
        server = make_server("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")
        with pytest.raises(StoreError, match="drops what it holds"):
            check(fields(url=relay_of(server)))


class TestUsers:
    def test_the_user_and_the_password_are_sent_and_never_shown(
        self, make_server: Any, fields: Fields, relay_of: Any
    ) -> None:
        server = make_server(
            *"--user hierdoc on >correct-horse ~* &* +@all --user default off".split()
        )
        url = relay_of(server, "hierdoc", "correct-horse")
        check(fields(url=url, username="hierdoc", password="correct-horse"))
        with pytest.raises(StoreError) as caught:
            check(fields(url=url, username="hierdoc", password="wrong-horse"))
        assert "wrong-horse" not in str(caught.value)
        assert "username" in str(caught.value.hint)
        with pytest.raises(StoreError) as caught:
            check(fields(url=url))
        assert "password" in str(caught.value.hint)


class TestQueries:
    def test_terms_of_any_characters_are_letters_and_digits(self) -> None:
        query = words_query(["berth", "§", 'a"b)|-{$', "berth"], None)
        inside = query.removeprefix("@words:(").removesuffix(")")
        words = inside.split("|")
        assert len(words) == 3
        assert all(word.isalnum() and word.islower() for word in words)

    def test_legs_are_weighted(self) -> None:
        nearest, words = [Match("a", 0.8), Match("b", 0.2)], [Match("b", 12.0), Match("c", 3.0)]
        scores = {match.chunk_id: match.score for match in fused(nearest, words, 0.25)}
        assert scores == pytest.approx({"a": 0.225, "b": 0.15 + 0.75, "c": 0.1875})

    @pytest.mark.filterwarnings("ignore:.* is an experimental")
    def test_a_hybrid_search_is_what_the_client_of_redis_would_send(
        self, fields: Fields, relay: Any
    ) -> None:
        made = pytest.importorskip("redis.commands.search.hybrid_query")

        async def search(backend: Any) -> None:
            await backend.hybrid_search("berth", _query(), 5, {"semantic": 1, "keyword": 3})

        run(vector(fields()), search)
        (sent,) = [one[2:] for one in relay.asked if one[0] == b"FT.HYBRID"]
        knn = made.HybridVsimQuery(
            "@vector", "$vector", made.VectorSearchMethods.KNN, {"K": 100},
            filter=made.HybridFilter(sent[sent.index(b"FILTER") + 1].decode()),
        )  # fmt: skip
        words = made.HybridSearchQuery(sent[1].decode(), scorer="BM25STD.NORM")
        combined = made.CombineResultsMethod(
            made.CombinationMethods.LINEAR, ALPHA=0.75, BETA=0.25, WINDOW=100
        )
        expected = [*made.HybridQuery(words, knn).get_args(), *combined.get_args()]
        assert [one.decode() for one in sent[: len(expected)]] == list(map(str, expected))


def _query() -> Any:
    return np.asarray(make_record("q").vector)
