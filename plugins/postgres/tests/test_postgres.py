"""What is particular to PostgreSQL: configuration, errors, lost connections, the approximate index, BM25, injection."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from math import log1p
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from hierdoc import (
    Analyzer,
    CapabilityError,
    ConfigError,
    IndexLockedError,
    IndexMismatchError,
    StoreError,
)
from hierdoc.filters import Equals
from hierdoc.plugin import ComponentKind, IndexSpec, default_registry
from hierdoc_postgres import PostgresKeywordConfig, PostgresVectorConfig
from hierdoc_postgres import vector as vector_module
from hierdoc_postgres.keyword import PostgresKeywordBackend
from hierdoc_postgres.vector import PostgresVectorBackend
from hierdoc_testing import DIMENSIONS, SPEC, direction, directions, make_record


def vector_backend(dsn: str, collection: str, **fields: Any) -> PostgresVectorBackend:
    config = {"dsn": dsn, "collection": collection, **fields}
    return PostgresVectorBackend(PostgresVectorConfig.model_validate(config))


def keyword_backend(dsn: str, collection: str, **fields: Any) -> PostgresKeywordBackend:
    config = {"dsn": dsn, "collection": collection, **fields}
    return PostgresKeywordBackend(PostgresKeywordConfig.model_validate(config))


def run(backend: Any, scenario: Callable[[], Awaitable[Any]], spec: IndexSpec = SPEC) -> Any:
    async def whole() -> Any:
        try:
            await backend.prepare(spec)
            return await scenario()
        finally:
            await backend.aclose()

    return asyncio.run(whole())


def toward(number: int) -> Any:
    return direction(*np.eye(DIMENSIONS)[number])


# Configuration


@pytest.mark.parametrize(
    "collection",
    ["", "a-b", 'a"; DROP SCHEMA public; --', "a.b", "1a", "pg_mine", "PG_x", "ä", "a" * 64, "a\n"],
)
def test_a_collection_is_a_plain_name(collection: str) -> None:
    for model in (PostgresVectorConfig, PostgresKeywordConfig):
        with pytest.raises(ValidationError):
            model.model_validate({"dsn": "host=x", "collection": collection})


@pytest.mark.parametrize(
    "fields", [{"index": "ivf"}, {"ef_search": 0}, {"connections": 0}, {"timeout": 0}, {"b": 2}]
)
def test_impossible_settings_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PostgresVectorConfig.model_validate({"dsn": "host=x", **fields})


def test_the_top_module_does_not_import_the_driver() -> None:
    code = (
        "import sys, hierdoc_postgres; sys.exit('psycopg' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("kind", [ComponentKind.VECTOR, ComponentKind.KEYWORD])
def test_a_missing_driver_gives_the_install_line(
    kind: ComponentKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("hierdoc_postgres.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    registry = default_registry()
    config = registry.find(kind, "postgres").config.model_validate(
        {"provider": "postgres", "dsn": "host=x"}
    )
    with pytest.raises(Exception, match="psycopg") as raised:
        registry.open(kind, config)
    assert raised.value.hint == "pip install 'hierdoc[postgres]'"


def test_the_password_is_in_no_representation_and_no_error(server: Any, collection: str) -> None:
    config = PostgresVectorConfig.model_validate(
        {"dsn": server.dsn("open-sesame"), "collection": collection}
    )
    assert "open-sesame" not in f"{config!r} {config.model_dump_json()}"
    backend = PostgresVectorBackend(config)
    with pytest.raises(StoreError, match="password authentication failed") as raised:
        run(backend, backend.count)
    assert "open-sesame" not in f"{raised.value} {raised.value.hint}"


def test_a_malformed_dsn_is_refused_without_repeating_it() -> None:
    with pytest.raises(ConfigError, match="dsn cannot be read") as raised:
        vector_backend("host=h password=open-sesame x y=z", "c")
    assert "open-sesame" not in f"{raised.value} {raised.value.__cause__}"


@pytest.mark.parametrize("password", ["open@sesame", "open/sesame", "open@se/sa@me", "a/b?c@d"])
def test_a_password_that_ends_early_is_refused_without_showing_its_rest(password: str) -> None:
    with pytest.raises(ConfigError, match="dsn") as raised:
        vector_backend(f"postgresql://user:{password}@host:5432/database", "c")
    told = f"{raised.value} {raised.value.__cause__}"
    assert not [piece for piece in password.split("@") if len(piece) > 1 and piece in told]
    assert "%40" in str(raised.value.hint) or "PASSWORD" in str(raised.value.hint)


def test_an_encoded_password_is_taken() -> None:
    vector_backend("postgresql://user:open%40ses%2Fame@host:5432/database", "c")


def test_a_server_that_does_not_answer_is_named(server: Any) -> None:
    backend = keyword_backend("postgresql://user:secret@127.0.0.1:1/x", "c", timeout=2)
    with pytest.raises(StoreError, match=r"postgres at 127\.0\.0\.1, x") as raised:
        run(backend, backend.count)
    assert "server runs" in str(raised.value.hint)


def test_doctor_checks_the_server(server: Any) -> None:
    for kind in (ComponentKind.VECTOR, ComponentKind.KEYWORD):
        provider = default_registry().find(kind, "postgres")
        assert provider.check is not None
        for password, is_well in (("correct-horse", True), ("wrong", False)):
            config = provider.config.model_validate(
                {"provider": "postgres", "dsn": server.dsn(password)}
            )
            if is_well:
                asyncio.run(provider.check(config))  # type: ignore[arg-type]
            else:
                with pytest.raises(StoreError):
                    asyncio.run(provider.check(config))  # type: ignore[arg-type]


# The index and what it was made for


def test_other_tables_of_the_schema_are_left_alone(server: Any, dsn: str, collection: str) -> None:
    server.execute(f"CREATE SCHEMA {collection}")
    server.execute(f"CREATE TABLE {collection}.chunks (mine text)")
    backend = vector_backend(dsn, collection)
    run(backend, lambda: backend.prepare(SPEC, reset=True))
    assert server.execute(f"SELECT * FROM {collection}.chunks") == []


def test_an_index_of_another_schema_version_is_refused(
    server: Any, dsn: str, collection: str
) -> None:
    backend = vector_backend(dsn, collection)
    run(backend, backend.count)
    server.execute(
        f"""UPDATE {collection}.hierdoc_vector_manifest SET made_for = made_for || '{{"schema": 99}}'"""
    )
    with pytest.raises(IndexMismatchError, match="schema 99"):
        run(vector_backend(dsn, collection), backend.count)


def test_an_index_without_words_is_refused_where_hybrid_search_is_on(
    dsn: str, collection: str
) -> None:
    backend = vector_backend(dsn, collection, hybrid=False)
    run(backend, backend.count)
    with pytest.raises(IndexMismatchError) as raised:
        run(vector_backend(dsn, collection), backend.count)
    assert "--force" in str(raised.value.hint)


def test_an_index_that_another_process_made_anew_is_not_written_to(
    dsn: str, collection: str
) -> None:
    mine, theirs = vector_backend(dsn, collection), vector_backend(dsn, collection)

    async def scenario() -> None:
        await theirs.prepare(IndexSpec("another", DIMENSIONS), reset=True)
        await theirs.aclose()
        with pytest.raises(IndexMismatchError, match="another"):
            await mine.upsert([make_record("a", vector=toward(0))])

    run(mine, scenario)


def test_the_approximate_index_follows_the_configuration(
    server: Any, dsn: str, collection: str
) -> None:
    found = []
    for index in ("exact", "hnsw", "exact"):
        backend = vector_backend(dsn, collection, index=index)
        run(backend, backend.count)
        found.append(
            server.execute(
                f"SELECT count(*) FROM pg_indexes WHERE schemaname = '{collection}' AND indexdef LIKE '%hnsw%'"
            )
        )
    assert found == [[(0,)], [(1,)], [(0,)]]


def test_vectors_too_long_for_the_approximate_index_are_refused(dsn: str, collection: str) -> None:
    backend = vector_backend(dsn, collection)
    with pytest.raises(StoreError, match="2001 dimensions") as raised:
        run(backend, backend.count, IndexSpec("long", 2001))
    assert "index: exact" in str(raised.value.hint)
    exact = vector_backend(dsn, collection, index="exact")
    assert run(exact, exact.count, IndexSpec("long", 2001)) == 0


def test_the_approximate_index_fills_the_limit_under_a_selective_filter(
    server: Any, dsn: str, collection: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_module, "_EXACT_UNTIL", 0)
    backend = vector_backend(dsn, collection, hybrid=False)
    vectors = directions(3000, seed=2)

    async def scenario() -> None:
        await backend.upsert(
            [
                make_record(
                    f"{number:04d}", vector=vector, kind="table" if number % 100 == 0 else "content"
                )
                for number, vector in enumerate(vectors)
            ]
        )
        found = await backend.search(vectors[1], 20, Equals("kind", "table"))
        assert len(found) == 20
        expected = sorted(
            (-float(vectors[n] @ vectors[1]), f"{n:04d}") for n in range(0, 3000, 100)
        )
        assert [match.chunk_id for match in found] == [one for _, one in expected[:20]]
        everything = await backend.search(vectors[1], 10)
        best = {f"{n:04d}" for n in np.argsort(vectors @ vectors[1])[-10:]}
        assert len(best & {match.chunk_id for match in everything}) >= 8

    run(backend, scenario)


# Connections and other writers


def test_a_lost_connection_is_replaced(server: Any, dsn: str, collection: str) -> None:
    backend = vector_backend(dsn, collection)
    kill = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'hierdoc' AND pid <> pg_backend_pid()"
    )

    async def scenario() -> None:
        for number in range(3):
            await asyncio.to_thread(server.execute, kill)
            await backend.upsert([make_record(str(number), vector=toward(number))])
            await asyncio.to_thread(server.execute, kill)
            assert await backend.count() == number + 1

    run(backend, scenario)


def test_who_waits_too_long_for_another_writer_is_told(
    server: Any, dsn: str, collection: str
) -> None:
    import psycopg

    backend = vector_backend(dsn, collection, timeout=0.5)

    async def scenario() -> None:
        with psycopg.connect(dsn) as other:
            other.execute(f"LOCK TABLE {collection}.hierdoc_vector_manifest IN EXCLUSIVE MODE")
            with pytest.raises(IndexLockedError):
                await backend.upsert([make_record("a", vector=toward(0))])
            assert await backend.count() == 0  # readers do not wait

    run(backend, scenario)


def test_a_failure_in_the_middle_leaves_what_was_before(
    server: Any, dsn: str, collection: str
) -> None:
    backend = keyword_backend(dsn, collection)

    async def scenario() -> None:
        await backend.upsert([make_record("a", "old words")])
        refuse = f"ALTER TABLE {collection}.hierdoc_keyword_postings ADD CHECK (frequency < 3)"
        await asyncio.to_thread(server.execute, refuse)
        with pytest.raises(StoreError):
            await backend.replace_documents([make_record("a", "new new new")])
        assert [match.chunk_id for match in await backend.search("old", 5)] == ["a"]
        assert await backend.count() == 1

    run(backend, scenario)


def test_nothing_of_a_deleted_document_stays_in_any_table(
    server: Any, dsn: str, collection: str
) -> None:
    backend = vector_backend(dsn, collection)

    async def scenario() -> None:
        await backend.upsert([make_record("a", "some words", vector=toward(0), source="a.md")])
        await backend.delete_documents(["a.md"])

    run(backend, scenario)
    for table in ("chunks", "postings"):
        assert server.execute(f"SELECT * FROM {collection}.hierdoc_vector_{table}") == []
    totals = f"SELECT chunks, words FROM {collection}.hierdoc_vector_manifest"
    assert server.execute(totals) == [(0, 0)]


@pytest.mark.parametrize(
    "odd", ["'; DROP TABLE x; --", "$1", "%s", "%(a)s", "{chunks}", '"', "\\", "a\tb\nc", "\\N"]
)
def test_no_value_becomes_part_of_a_statement(dsn: str, collection: str, odd: str) -> None:
    backend, words = vector_backend(dsn, collection), keyword_backend(dsn, collection)

    async def scenario() -> None:
        await words.prepare(SPEC)
        records = [
            make_record("plain", "harmless", vector=toward(1)),
            make_record(odd, f"word {odd}", vector=toward(0), source=odd, title=odd),
        ]
        for one in (backend, words):
            await one.upsert(records)
        assert [one.chunk.source for one in await backend.find(Equals("title", odd), 9)] == [odd]
        assert [one.chunk_id for one in await words.search(f"word {odd}", 9)] == [odd]
        assert [one.chunk_id for one in await words.search_phrase("word", 9)] == [odd]
        await words.search_phrase(odd, 9)
        weights = {"semantic": 0.5, "keyword": 0.5}
        found = await backend.hybrid_search(f"word {odd}", toward(0), 9, weights)
        assert found[0].chunk_id == odd
        for one in (backend, words):
            await one.delete_documents([odd])
            assert await one.count() == 1
        await words.aclose()

    run(backend, scenario)


# Scores


def test_scores_are_those_of_bm25(dsn: str, collection: str) -> None:
    texts = {
        "a": "gas gas gas limit",
        "b": "the base fee of gas",
        "c": "fee",
        "d": "other words entirely here",
    }
    backend = keyword_backend(dsn, collection, k1=1.5, b=0.6)

    async def scenario() -> Mapping[str, float]:
        await backend.upsert([make_record(name, text) for name, text in texts.items()])
        return {match.chunk_id: match.score for match in await backend.search("gas fee fee", 9)}

    analyzer = Analyzer()
    terms = {
        name: analyzer.terms(make_record(name, text).text, make_record(name, text).chunk.language)
        for name, text in texts.items()
    }
    mean = sum(map(len, terms.values())) / len(terms)

    def score(name: str) -> float:
        total = 0.0
        for term in analyzer.query_terms("gas fee fee"):
            df = sum(term in one for one in terms.values())
            tf = terms[name].count(term)
            norm = 1.5 * (1 - 0.6 + 0.6 * len(terms[name]) / mean)
            total += log1p((len(terms) - df + 0.5) / (df + 0.5)) * tf * 2.5 / (tf + norm)
        return total

    found = run(backend, scenario)
    assert found == pytest.approx({name: score(name) for name in "abc"}, rel=1e-5)


def test_a_phrase_is_found_as_often_as_it_occurs(dsn: str, collection: str) -> None:
    backend = keyword_backend(dsn, collection, b=0)

    async def scenario() -> Mapping[str, float]:
        await backend.upsert(
            [
                make_record("once", "base fee of gas and gas"),
                make_record("thrice", "base fee base fee base fee"),
                make_record("apart", "base of the fee"),
            ]
        )
        found = await backend.search_phrase("base fee", 9)
        return {match.chunk_id: match.score for match in found}

    found = run(backend, scenario)
    assert list(found) == ["thrice", "once"]
    saturated = {count: count * 2.2 / (count + 1.2) for count in (1, 3)}
    assert found["thrice"] / found["once"] == pytest.approx(saturated[3] / saturated[1], rel=1e-5)


def test_hybrid_scores_are_weighted_reciprocal_ranks(dsn: str, collection: str) -> None:
    backend = vector_backend(dsn, collection, rrf_k=10)

    async def scenario() -> Mapping[str, float]:
        await backend.upsert(
            [
                make_record("near", "nothing", vector=toward(0)),
                make_record("both", "harbour", vector=direction(2, 1)),
                make_record("far", "harbour harbour", vector=toward(1)),
            ]
        )
        weights = {"semantic": 0.7, "keyword": 0.2, "exact": 9.0}
        found = await backend.hybrid_search("harbour", toward(0), 9, weights)
        return {match.chunk_id: match.score for match in found}

    found = run(backend, scenario)
    by_words = {"far": 1, "both": 2}
    by_vector = {"near": 1, "both": 2, "far": 3}
    expected = {
        name: 0.7 / (10 + rank) + (0.2 / (10 + by_words[name]) if name in by_words else 0)
        for name, rank in by_vector.items()
    }
    assert found == pytest.approx(expected)


def test_hybrid_search_that_is_switched_off_is_refused(dsn: str, collection: str) -> None:
    backend = vector_backend(dsn, collection, hybrid=False)

    async def scenario() -> None:
        with pytest.raises(CapabilityError):
            await backend.hybrid_search("x", toward(0), 1, {"semantic": 1.0, "keyword": 1.0})

    run(backend, scenario)


def test_the_whole_way(dsn: str, collection: str, check_pipeline: Any) -> None:
    backend = {"provider": "postgres", "dsn": dsn, "collection": collection}
    check_pipeline({"vector": backend, "keyword": backend})
