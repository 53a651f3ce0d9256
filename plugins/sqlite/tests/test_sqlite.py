"""What only the `sqlite` vector backend promises: a file that lasts, other processes, crashes, and a full or broken disk."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc import (
    Chunk,
    IndexDamagedError,
    IndexLockedError,
    IndexMismatchError,
    QueryError,
    StoreError,
)
from hierdoc.filters import And, Contains, Equals, In, Not, Or, Under
from hierdoc.plugin import DocumentVersion, IndexSpec, Record
from hierdoc_sqlite import backend as vector_sqlite
from hierdoc_sqlite import schema as sqlite_schema
from hierdoc_sqlite.backend import SqliteVectorBackend
from hierdoc_sqlite.filters import condition, decode_chain, encode_chain

SPEC = IndexSpec("embedder", 8)
QUERY = np.ones(8, np.float32)

Scenario = Callable[[SqliteVectorBackend], Awaitable[Any]]


def document(source: str, count: int, version: str = "1") -> list[Record]:
    return [
        Record(
            Chunk(
                source,
                f"text of {source} in version {version} " * 20,
                0,
                1,
                1,
                1,
                id=f"{source}#{version}.{n}",
                ordinal=n,
                section_keys=(f"key {source} {n}",),
                parent_chain=(source, f"section {n}"),
            ),
            DocumentVersion(version, "pipeline", count),
            np.random.default_rng(n).standard_normal(8).astype(np.float32),
        )
        for n in range(count)
    ]


def run(folder: Path, scenario: Scenario, *, reset: bool = False, timeout: float = 0.05) -> Any:
    async def main() -> Any:
        backend = SqliteVectorBackend(folder, timeout=timeout)
        try:
            await backend.prepare(SPEC, reset=reset)
            return await scenario(backend)
        finally:
            await backend.aclose()

    return asyncio.run(main())


async def held(backend: SqliteVectorBackend) -> set[str]:
    return {record.id for record in [one async for page in backend.scan() for one in page]}


async def found(backend: SqliteVectorBackend) -> set[str]:
    return {match.chunk_id for match in await backend.search(QUERY, 10_000)}


async def nothing(backend: SqliteVectorBackend) -> None:
    """For tests of opening."""


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """The folder of an index with two documents."""
    folder = tmp_path / "new" / "folder"
    run(folder, lambda backend: backend.replace_documents([*document("a", 3), *document("b", 2)]))
    return folder


IDS = {"a#1.0", "a#1.1", "a#1.2", "b#1.0", "b#1.1"}


# The file


def test_what_was_written_is_there_after_opening_again(index: Path) -> None:
    assert run(index, held) == IDS
    assert run(index, found) == IDS
    states = run(index, lambda backend: backend.documents())
    assert all(state.complete for state in states.values())


def test_a_closed_index_is_one_file(index: Path) -> None:
    assert [path.name for path in index.iterdir()] == ["index.db"]


def test_no_file_stays_open_after_closing(index: Path) -> None:
    async def use(backend: SqliteVectorBackend) -> None:
        await backend.upsert(document("c", 1))
        await found(backend)
        assert len(open_files()) >= 2

    def open_files() -> list[str]:
        return [file.path for file in psutil.Process().open_files() if str(index) in file.path]

    run(index, use)
    assert open_files() == []


def test_a_strange_path_is_no_problem(tmp_path: Path) -> None:
    folder = tmp_path / "a?b#c%20d&mode=memory 'ä"
    run(folder, lambda backend: backend.upsert(document("a", 1)))
    assert run(folder, held) == {"a#1.0"}
    assert (folder / "index.db").exists()


def test_opening_does_not_read_vectors(index: Path) -> None:
    with closing(sqlite3.connect(index / "index.db")) as connection, connection:
        connection.execute("UPDATE vectors SET vector = x'00'")

    async def read(backend: SqliteVectorBackend) -> None:
        assert await held(backend) == IDS
        with pytest.raises(StoreError, match="cannot be read"):
            await found(backend)

    run(index, read)


def test_deleted_space_is_used_again(tmp_path: Path) -> None:
    async def rewrite(backend: SqliteVectorBackend) -> None:
        for version in "123456789":
            await backend.replace_documents(document("a", 300, version))

    run(tmp_path, lambda backend: backend.replace_documents(document("a", 300)))
    before = (tmp_path / "index.db").stat().st_size
    run(tmp_path, rewrite)
    assert (tmp_path / "index.db").stat().st_size < 2 * before
    with closing(sqlite3.connect(tmp_path / "index.db")) as connection:
        assert connection.execute("SELECT max(row) FROM chunks").fetchone() == (299,)


@pytest.mark.parametrize("table", ["chunks", "texts", "vectors", "listed", "documents"])
def test_a_deleted_document_leaves_nothing_behind(index: Path, table: str) -> None:
    run(index, lambda backend: backend.delete_documents(["a", "b"]))
    with closing(sqlite3.connect(index / "index.db")) as connection:
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


@pytest.mark.parametrize(
    "filter",
    [
        Contains("headings", "h"),
        Or(Contains("section_keys", "a"), Contains("section_keys", "b")),
        And(Contains("terms", "t"), In("source", ["a", "b"])),
        Or(And(Contains("headings", "h"), Equals("source", "a")), Contains("terms", "t")),
        And(Contains("ancestor_keys", "a"), Not(Equals("kind", "table"))),
        Under(["a", "b"]),
        Equals("source", "a"),
        Equals("section_id", "s"),
    ],
    ids=str,
)
def test_finding_looks_up_and_does_not_go_through_the_corpus(index: Path, filter: Any) -> None:
    sql, parameters = condition(filter)
    statement = f"""
        EXPLAIN QUERY PLAN SELECT row FROM chunks JOIN documents USING (document)
        WHERE {sql} ORDER BY source, ordinal, id LIMIT 5
    """
    with closing(sqlite3.connect(index / "index.db")) as connection:
        plan = [row[3] for row in connection.execute(statement, parameters)]
    assert not [step for step in plan if step.startswith("SCAN chunks")], plan


HEADINGS = st.lists(st.text("\x00\x01\x02a", max_size=3), max_size=3)


@given(HEADINGS, HEADINGS)
def test_encoded_chains_begin_with_each_other_where_the_chains_do(
    one: list[str], other: list[str]
) -> None:
    assert decode_chain(encode_chain(one)) == tuple(one)
    begins = one[: len(other)] == other
    assert encode_chain(one).startswith(encode_chain(other)) == begins


# What fails


@pytest.mark.parametrize("spec", [IndexSpec("another", 8), IndexSpec("embedder", 9)])
def test_an_index_of_another_embedder_is_refused(index: Path, spec: IndexSpec) -> None:
    backend = SqliteVectorBackend(index)
    with pytest.raises(IndexMismatchError) as caught:
        asyncio.run(backend.prepare(spec))
    asyncio.run(backend.aclose())
    for one in (SPEC, spec):
        assert f"'{one.embedder}' with {one.dimensions} dimensions" in str(caught.value)
    assert "hierdoc ingest --force" in (caught.value.hint or "")
    assert run(index, held) == IDS


@pytest.mark.parametrize(("version", "age"), [(99, "newer"), (0, "older")])
def test_an_index_of_another_schema_is_refused(index: Path, version: int, age: str) -> None:
    with closing(sqlite3.connect(index / "index.db")) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(IndexMismatchError, match=f"{age} version.*schema {version}") as caught:
        run(index, nothing)
    assert "hierdoc ingest --force" in (caught.value.hint or "")
    assert run(index, held, reset=True) == set()


def test_a_database_of_another_program_is_never_touched(tmp_path: Path) -> None:
    file = tmp_path / "index.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE mine (value)")
    before = file.read_bytes()
    for reset in (False, True):
        with pytest.raises(StoreError, match="another program") as caught:
            run(tmp_path, nothing, reset=reset)
        assert caught.value.hint
    assert file.read_bytes() == before


@pytest.mark.parametrize("content", [b"# not a database\n" * 100, b"SQLite format 3\x00" * 2000])
def test_a_file_that_is_no_database_is_refused_and_reset_replaces_it(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "index.db").write_bytes(content)
    with pytest.raises(StoreError, match="damaged or not an index") as caught:
        run(tmp_path, nothing)
    assert "hierdoc ingest --force" in (caught.value.hint or "")
    run(tmp_path, lambda backend: backend.upsert(document("a", 1)), reset=True)
    assert run(tmp_path, found) == {"a#1.0"}


def test_an_empty_file_is_an_empty_index(tmp_path: Path) -> None:
    (tmp_path / "index.db").touch()
    assert run(tmp_path, held) == set()


@pytest.mark.parametrize("start", range(0, 100, 7))
def test_damage_anywhere_is_reported_as_such(tmp_path: Path, start: int) -> None:
    run(tmp_path, lambda backend: backend.replace_documents(document("a", 200)))
    file = tmp_path / "index.db"
    content = bytearray(file.read_bytes())
    position = len(content) * start // 100
    content[position : position + 20_000] = b"\xa5" * len(content[position : position + 20_000])
    file.write_bytes(content)

    async def use(backend: SqliteVectorBackend) -> None:
        await held(backend)
        await found(backend)
        await backend.documents()
        await backend.find(Equals("source", "a"), 999)
        await backend.find(Contains("section_keys", "key a 3"), 9)
        await backend.replace_documents(document("a", 200, "2"))

    with suppress(StoreError):  # what is damaged may be free space; no other error is allowed
        run(tmp_path, use)
    run(tmp_path, lambda backend: backend.replace_documents(document("a", 3)), reset=True)
    assert len(run(tmp_path, found)) == 3


def test_only_the_owner_may_read_a_new_index(tmp_path: Path) -> None:
    def mode(path: Path) -> int:
        return path.stat().st_mode & 0o777

    old = tmp_path / "there"
    old.mkdir(mode=0o755)
    for folder, wanted in ((tmp_path / "new", 0o700), (old, 0o755)):
        run(folder, nothing)
        assert mode(folder) == wanted
        assert {mode(file) for file in folder.iterdir()} == {0o600}


def overwrite(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "index.db")) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE texts SET text = CAST('The text' AS BLOB)",
        "UPDATE texts SET context = CAST('elsewhere' AS BLOB)",
        "UPDATE texts SET rest = CAST('{}' AS BLOB)",
        "UPDATE texts SET text = 7",
        "UPDATE texts SET checksum = checksum + 1",
        "UPDATE documents SET title = CAST('Another' AS BLOB)",
        "UPDATE chunks SET kind = CAST('table' AS BLOB)",
        "UPDATE chunks SET ordinal = ordinal + 1",
    ],
)
def test_an_altered_record_is_never_given(tmp_path: Path, statement: str) -> None:
    run(tmp_path, lambda backend: backend.upsert(document("a", 3)))
    overwrite(tmp_path, statement)

    async def read(backend: SqliteVectorBackend) -> None:
        for asked in (
            backend.find(Equals("source", "a"), 9),
            backend.get([record.id for record in document("a", 3)]),
            held(backend),
        ):
            with pytest.raises(IndexDamagedError) as caught:
                await asked
            assert "hierdoc ingest --force" in (caught.value.hint or "")

    run(tmp_path, read)


def test_an_altered_vector_is_never_compared(tmp_path: Path) -> None:
    run(tmp_path, lambda backend: backend.upsert(document("a", 3)))
    overwrite(tmp_path, "UPDATE vectors SET vector = zeroblob(length(vector))")
    with pytest.raises(IndexDamagedError):
        run(tmp_path, found)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM manifest WHERE key = 'dimensions'",
        "UPDATE manifest SET value = '{'",
        "UPDATE manifest SET value = CAST(x'ff00' AS TEXT)",
        "DROP TABLE texts",
        "UPDATE documents SET source = x'ff'",
        "UPDATE chunks SET row = 1 << 50 WHERE row = 0",
        "UPDATE chunks SET id = 'a' || row",
    ],
)
def test_what_cannot_be_understood_is_an_error_of_the_store(tmp_path: Path, statement: str) -> None:
    run(tmp_path, lambda backend: backend.upsert(document("a", 3)))
    overwrite(tmp_path, statement)

    async def use(backend: SqliteVectorBackend) -> None:
        await backend.documents()
        await found(backend)
        await held(backend)

    with pytest.raises(StoreError) as caught:
        run(tmp_path, use)
    assert caught.value.hint


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="file") as caught:
        run(tmp_path / "file" / "folder", nothing)
    assert caught.value.hint


def test_a_folder_in_place_of_the_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "index.db").mkdir()
    with pytest.raises(StoreError) as caught:
        run(tmp_path, nothing)
    assert caught.value.hint


def test_a_locked_index_can_be_searched_but_not_written_to(index: Path) -> None:
    async def use(backend: SqliteVectorBackend) -> None:
        with pytest.raises(IndexLockedError, match="another process") as caught:
            await backend.upsert(document("c", 1))
        assert caught.value.hint
        assert await found(backend) == await held(backend) == IDS

    with closing(sqlite3.connect(index / "index.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        run(index, use)
        with pytest.raises(IndexLockedError):
            run(index, nothing, reset=True)
    assert run(index, held) == IDS


def test_a_writer_waits_for_another_to_finish(index: Path) -> None:
    async def use(backend: SqliteVectorBackend) -> None:
        other = sqlite3.connect(index / "index.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        writing = asyncio.ensure_future(backend.upsert(document("c", 1)))
        await asyncio.sleep(0)
        other.execute("COMMIT")
        other.close()
        await writing

    run(index, use, timeout=30)
    assert run(index, held) == IDS | {"c#1.0"}


def test_a_full_disk_is_reported_and_costs_nothing_that_was_there(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect

    def connect_to_full_disk(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        connection.execute("PRAGMA max_page_count = 40")
        return connection

    async def use(backend: SqliteVectorBackend) -> None:
        with pytest.raises(StoreError, match="no space left") as caught:
            await backend.replace_documents([*document("a", 900, "2"), *document("c", 900)])
        assert "still there" in (caught.value.hint or "")
        assert await held(backend) == await found(backend) == IDS
        await backend.replace_documents(document("a", 1, "3"))

    monkeypatch.setattr(sqlite_schema.sqlite3, "connect", connect_to_full_disk)
    run(index, use)
    monkeypatch.undo()
    assert run(index, held) == {"a#3.0", "b#1.0", "b#1.1"}


def test_a_filter_beyond_the_limits_of_sqlite_is_refused(index: Path) -> None:
    huge = Or(*(Equals("kind", str(n)) for n in range(300_000)))

    async def use(backend: SqliteVectorBackend) -> None:
        with pytest.raises(QueryError, match="too large") as caught:
            await backend.find(huge, 5)
        assert caught.value.hint
        assert await found(backend) == IDS

    run(index, use)


@pytest.fixture
def unprivileged(index: Path) -> Iterator[Path]:
    """The index in a folder that this process can read and not write."""
    if not hasattr(os, "geteuid"):
        pytest.skip("permissions work otherwise here")
    with tempfile.TemporaryDirectory() as parent:
        os.chmod(parent, 0o755)
        folder = Path(parent, "index")
        shutil.copytree(index, folder)
        os.chmod(folder / "index.db", 0o444)
        os.chmod(folder, 0o555)
        before = os.geteuid()
        if before == 0:  # may write anywhere
            for path in (folder, folder / "index.db"):
                os.chown(path, 65534, 65534)
            os.seteuid(65534)
        try:
            yield folder
        finally:
            os.chmod(folder, 0o755)
            os.seteuid(before)


def test_a_folder_that_can_only_be_read_can_be_searched(unprivileged: Path) -> None:
    async def use(backend: SqliteVectorBackend) -> None:
        assert await found(backend) == await held(backend) == IDS
        assert len(await backend.find(Equals("source", "a"), 9)) == 3
        with pytest.raises(StoreError, match="only be read") as caught:
            await backend.upsert(document("c", 1))
        assert caught.value.hint

    run(unprivileged, use)
    with pytest.raises(StoreError):
        run(unprivileged, nothing, reset=True)
    with pytest.raises(StoreError, match=r"[Pp]ermission"):
        run(unprivileged / "new", nothing)


def test_a_file_that_can_only_be_read_can_be_searched(unprivileged: Path) -> None:
    os.chmod(unprivileged, 0o755)

    async def use(backend: SqliteVectorBackend) -> None:
        assert await found(backend) == IDS
        with pytest.raises(StoreError, match="written to"):
            await backend.upsert(document("c", 1))

    run(unprivileged, use)


# Reading on the event loop


def test_a_query_that_takes_long_moves_to_the_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_sqlite, "_HASTE", -1)

    async def use(backend: SqliteVectorBackend) -> None:
        await backend.replace_documents(document("a", 2000))
        await found(backend)
        ended = Not(Contains("section_keys", "key a 7"))
        assert len(await backend.find(ended, 50)) == 50
        assert len(await backend.search(QUERY, 9999, ended)) == 1999
        assert len(await backend.get([f"a#1.{n}" for n in range(100)])) == 100

    run(tmp_path, use)


def test_an_index_that_another_process_has_to_itself_is_reported_as_locked(index: Path) -> None:
    with closing(sqlite3.connect(index / "index.db", isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(IndexLockedError):
            run(index, held)
    assert run(index, held) == IDS


# Other processes


def test_what_others_write_is_found_at_the_next_search(index: Path) -> None:
    async def use(backend: SqliteVectorBackend) -> None:
        assert await found(backend) == IDS
        for steps in range(1, 6):
            other = SqliteVectorBackend(index)
            await other.prepare(SPEC)
            await other.replace_documents(document("a", steps, f"v{steps}"))
            await other.delete_documents(["b"])
            expected = {f"a#v{steps}.{n}" for n in range(steps)}
            assert await found(backend) == expected
            await other.replace_documents(document("b", 7 - steps, "again"))
            await other.aclose()
            assert await found(backend) == expected | {f"b#again.{n}" for n in range(7 - steps)}
            matches = await backend.search(QUERY, 99, Equals("source", "b"))
            assert len(matches) == 7 - steps

    run(index, use)


def test_only_what_has_changed_is_read_again(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hierdoc.plugin.vectors import VectorMatrix

    read: list[str] = []
    put = VectorMatrix.put

    def noting(self: VectorMatrix, rows: Any, ids: Any, vectors: Any) -> None:
        read.extend(ids)
        put(self, rows, ids, vectors)

    monkeypatch.setattr(VectorMatrix, "put", noting)

    async def use(backend: SqliteVectorBackend) -> None:
        await found(backend)
        assert set(read) == IDS
        read.clear()
        await backend.replace_documents(document("b", 1, "2"))
        await found(backend)
        assert read == ["b#2.0"]
        read.clear()
        await backend.delete_documents(["a"])
        assert await found(backend) == {"b#2.0"}
        assert read == []

    run(index, use)


@pytest.mark.parametrize("small", [0, 1_000_000])
def test_searches_amid_changes_see_one_state_each(
    index: Path, monkeypatch: pytest.MonkeyPatch, small: int
) -> None:
    """In the thread, between looking up rows and going through them, another search may read what has changed."""
    monkeypatch.setattr("hierdoc_sqlite.search._SMALL", small)
    versions = {
        frozenset(f"b#v{version}.{n}" for n in range(1 + version % 7)) for version in range(30)
    }

    async def use(backend: SqliteVectorBackend) -> None:
        writer = SqliteVectorBackend(index, timeout=5)
        await writer.prepare(SPEC)
        await writer.replace_documents(document("b", 1, "v0"))

        async def write() -> None:
            for version in range(30):
                await writer.replace_documents(document("b", 1 + version % 7, f"v{version}"))

        async def search(filter: Any) -> None:
            while not writing.done():
                matches = await backend.search(QUERY, 100, filter)
                await asyncio.sleep(0)
                found = frozenset(match.chunk_id for match in matches)
                assert found & {"a#1.0"} if filter is None else not found & IDS
                assert frozenset(one for one in found if one.startswith("b")) in versions

        writing = asyncio.ensure_future(write())
        await asyncio.gather(
            writing, *(search(Equals("source", "b")) for _ in range(4)), search(None)
        )
        await writer.aclose()

    run(index, use, timeout=5)


def test_records_that_are_no_longer_remembered_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hierdoc_sqlite.cache._KEPT", 2)

    async def scenario(backend: SqliteVectorBackend) -> None:
        await backend.upsert(document("a.md", 9))
        ids = [f"a.md#1.{n}" for n in range(9)]
        for wanted in (ids[:3], ids[3:], ids[::-1], ids):
            assert [record.id for record in await backend.get(wanted)] == wanted
        for record in document("a.md", 9):
            (found,) = await backend.find(Contains("section_keys", record.chunk.section_keys[0]), 9)
            assert found.chunk == record.chunk
        assert len(backend._records._recent) <= 2 + 9

    run(tmp_path, scenario)


def test_records_that_another_connection_has_changed_are_read_again(tmp_path: Path) -> None:
    async def scenario(backend: SqliteVectorBackend) -> None:
        await backend.upsert(document("a.md", 2))
        (before,) = await backend.get(["a.md#1.1"])
        other = SqliteVectorBackend(tmp_path)
        await other.prepare(SPEC)
        (renamed,) = document("b.md", 2)[1:]
        changed = replace(renamed.chunk, id=before.id, source="a.md")
        await other.upsert([replace(renamed, chunk=changed)])
        await other.aclose()
        (after,) = await backend.get(["a.md#1.1"])
        assert "b.md" in after.chunk.text
        assert "b.md" not in before.chunk.text

    run(tmp_path, scenario)


def test_what_others_write_makes_forget_only_what_they_changed(tmp_path: Path) -> None:
    async def scenario(backend: SqliteVectorBackend) -> None:
        for name in ("a.md", "b.md", "c.md"):
            await backend.upsert(document(name, 2))
        ids = [f"{name}#1.{number}" for name in ("a.md", "b.md", "c.md") for number in (0, 1)]
        before = {record.id: record for record in await backend.get([*ids, "d.md#1.0"])}
        other = SqliteVectorBackend(tmp_path)
        await other.prepare(SPEC)
        await other.delete_documents(["a.md"])
        await other.upsert(document("d.md", 1))  # in a row that one of a.md had
        await other.upsert(document("b.md", 1))
        await other.aclose()
        after = {record.id: record for record in await backend.get([*ids, "d.md#1.0"])}
        assert set(after) == {*ids[2:], "d.md#1.0"}
        assert [one for one in after if after[one] is before.get(one)] == [ids[3], *ids[4:]]

    run(tmp_path, scenario)


def test_what_others_write_makes_forget_everything_where_it_is_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hierdoc_sqlite.cache._FEW_CHANGES", 3)

    async def scenario(backend: SqliteVectorBackend) -> None:
        await backend.upsert(document("a.md", 5))
        ids = [f"a.md#1.{number}" for number in range(5)]
        await backend.get(ids)
        await backend.delete_documents(["a.md"])
        assert await backend.get(ids) == []
        await backend.upsert(document("a.md", 5))
        before = await backend.get(ids)
        await backend.upsert(document("b.md", 1))
        after = await backend.get(ids)
        assert all(one is other for one, other in zip(before, after, strict=True))

    run(tmp_path, scenario)


def test_an_index_made_anew_by_another_process_is_searched_anew(index: Path) -> None:
    async def use(backend: SqliteVectorBackend) -> None:
        assert await found(backend) == IDS
        other = SqliteVectorBackend(index)
        await other.prepare(SPEC, reset=True)
        assert await found(backend) == set()
        await other.replace_documents(document("new", 2))
        assert await found(backend) == {"new#1.0", "new#1.1"}
        await other.aclose()
        await backend.upsert(document("mine", 1))
        assert await found(backend) == {"new#1.0", "new#1.1", "mine#1.0"}

    run(index, use)


def test_an_index_made_anew_for_another_embedder_is_not_mixed_with(index: Path) -> None:
    async def use(backend: SqliteVectorBackend) -> None:
        await found(backend)
        other = SqliteVectorBackend(index)
        await other.prepare(IndexSpec("another", 3), reset=True)
        await other.aclose()
        with pytest.raises(IndexMismatchError, match="another"):
            await backend.search(QUERY, 5)
        with pytest.raises(IndexMismatchError, match="another"):
            await backend.upsert(document("c", 1))

    run(index, use)


def test_many_processes_may_make_an_index_at_once(tmp_path: Path) -> None:
    writers = [Writer(tmp_path, f"once {n}") for n in range(3)]
    for writer in writers:
        writer.process.communicate()
        assert writer.process.returncode == 0
    assert set(run(tmp_path, lambda backend: backend.documents())) == {f"{n}" for n in range(3)}


def test_a_reader_sees_only_whole_documents(tmp_path: Path) -> None:
    async def read(backend: SqliteVectorBackend) -> None:
        versions = set()
        while len(versions) < 12:
            seen = [
                [match.chunk_id for match in await backend.search(QUERY, 999)],
                [one.id for one in await backend.find(Equals("source", "doc"), 999)],
                [one.id async for page in backend.scan() for one in page],
            ]
            for chunk_ids in seen:
                kinds = {name.split("#")[1].split(".")[0] for name in chunk_ids}
                assert len(kinds) <= 1
                assert len(chunk_ids) in (0, 40)
                versions |= kinds
            assert all(state.complete for state in (await backend.documents()).values())

    with Writer(tmp_path, "replace") as writer:
        writer.lines(1)
        run(tmp_path, read, timeout=30)


@pytest.mark.parametrize("lines", [0, 1, 2, 5, 9, 14])
def test_a_killed_writer_leaves_a_row_of_whole_documents(tmp_path: Path, lines: int) -> None:
    with Writer(tmp_path, "append") as writer:
        written = writer.lines(lines)
        writer.process.kill()
        writer.process.wait()

    async def check(backend: SqliteVectorBackend) -> None:
        states = await backend.documents()
        assert all(state.complete for state in states.values())
        assert set(states) == {str(n) for n in range(len(states))}
        assert len(states) >= written
        assert await held(backend) == await found(backend)
        assert len(await held(backend)) == await backend.count() == 40 * len(states)
        await backend.replace_documents(document("after", 3))
        assert len(await found(backend)) == 40 * len(states) + 3

    run(tmp_path, check)


SCRIPT = """
import asyncio, sys
from pathlib import Path

sys.path[:0] = {path!r}
from test_sqlite import SPEC, SqliteVectorBackend, document


async def main():
    backend = SqliteVectorBackend(Path({folder!r}), timeout=30)
    await backend.prepare(SPEC)
    if {task!r}.startswith("once"):
        await backend.replace_documents(document({task!r}.split()[1], 3))
        await backend.aclose()
        return
    for n in range(100_000):
        records = document("doc", 40, str(n)) if {task!r} == "replace" else document(str(n), 40)
        await backend.replace_documents(records)
        print(n, flush=True)


asyncio.run(main())
"""


class Writer:
    """A process that writes one document of 40 chunks after another, until it is killed."""

    def __init__(self, folder: Path, task: str) -> None:
        script = SCRIPT.format(path=[str(Path(__file__).parent)], folder=str(folder), task=task)
        self.process = subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
        )

    def lines(self, count: int) -> int:
        """Waits until so many documents are written."""
        assert self.process.stdout is not None
        for n in range(count):
            assert self.process.stdout.readline() == f"{n}\n"
        return count

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(autouse=True, scope="module")
def _connections_are_closed() -> Iterator[None]:
    yield
    gc.collect()  # a connection left open would warn
