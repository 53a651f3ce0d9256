"""The record store: one SQLite file, the truth of which the faiss index is derived.

Rows are never used twice. Each write raises the generation, by which an index tells whether it is of the present state.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hierdoc import Filter, IndexDamagedError, IndexLockedError, StoreError
from hierdoc.plugin import (
    REBUILD,
    DocumentState,
    IndexSpec,
    Record,
    from_store_text,
    make_manifest,
    make_private_folder,
    record_tags,
    require_manifest,
    states_from_rows,
    to_store_text,
)
from hierdoc_faiss.filters import condition

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA_VERSION = 2
"""Raised with every change of the tables or of what stands in them."""

_SPARE = 1_000_000
"""With fewer bytes free than these a disk is full."""

_TABLES = """
CREATE TABLE manifest (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE chunks (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    records INTEGER NOT NULL,
    payload TEXT NOT NULL,
    vector BLOB NOT NULL
);
CREATE INDEX chunks_place ON chunks (source, ordinal, id);
CREATE TABLE tags (tag TEXT, row INTEGER, PRIMARY KEY (tag, row)) WITHOUT ROWID;
CREATE INDEX tags_row ON tags (row)
"""


@dataclass(frozen=True)
class State:
    """Which state of which store this is.

    Attributes:
        store: Another one each time the store is made anew.
        generation: Raised by each write.
    """

    store: str
    generation: int


class RecordStore:
    """The store; used by one thread.

    Args:
        path: The file; its folder is made too.
        timeout: Seconds to wait for other processes that write.

    Attributes:
        is_read_only: Whether the file or its folder can only be read.
    """

    def __init__(self, path: Path, timeout: float) -> None:
        self._path = path
        self.is_read_only = False
        self._manifest: dict[str, Any] = {}
        with self.reported():
            make_private_folder(path.parent)
            self._connection = self._open(path, timeout)
            self._identity = _identity(path)

    def has_its_name(self) -> bool:
        """Whether the file is still the one of its name: it may have been deleted, and another made in its place.

        Raises:
            IndexDamagedError: There is none of its name.
        """
        with self.reported():
            try:
                return _identity(self._path) == self._identity
            except FileNotFoundError as error:
                raise IndexDamagedError(
                    f"{self._path} is gone", hint="`hierdoc ingest` makes it anew."
                ) from error

    def _open(self, path: Path, timeout: float) -> sqlite3.Connection:
        connection = sqlite3.connect(path, timeout=timeout, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("BEGIN IMMEDIATE")  # fails where nothing can be written
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            connection.close()
            log = path.with_name(path.name + "-wal")
            if not (_is_read_only(error) or self._is_full(error)) or (
                log.exists() and log.stat().st_size
            ):
                raise
            # SQLite has no place to note who reads: then nobody writes either.
            place = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
            connection = sqlite3.connect(place, uri=True, isolation_level=None)
            self.is_read_only = True
        return connection

    def prepare(self, spec: IndexSpec, reset: bool) -> None:
        """Make the tables unless they are there for the same purpose."""
        self._manifest = make_manifest(SCHEMA_VERSION, spec)
        if self.is_read_only and not reset:
            with self.reported():
                self.require()
            return
        with self.reported(), self._transaction(check=False):
            if reset or not self._tables():
                for table in ("manifest", "chunks", "tags"):
                    self._connection.execute(f"DROP TABLE IF EXISTS {table}")
                for statement in _TABLES.split(";\n"):
                    self._connection.execute(statement)
                values = {**self._manifest, "store": uuid.uuid4().hex, "generation": 0}
                self._connection.executemany(
                    "INSERT INTO manifest VALUES (?, ?)",
                    [(key, json.dumps(value)) for key, value in values.items()],
                )
            self.require()

    def require(self) -> State:
        """The present state; raises IndexMismatchError if the store was made for something else."""
        found = {
            key: json.loads(value)
            for key, value in self._connection.execute("SELECT * FROM manifest")
        }
        state = State(found.pop("store", ""), found.pop("generation", 0))
        require_manifest(found, self._manifest, f"{self._path}: the index")
        return state

    def write(
        self,
        records: Sequence[Record],
        vectors: NDArray[np.float32],
        replaced: Collection[str] = (),
    ) -> tuple[State, list[int], list[int]]:
        """Write records with ids of their own in one transaction.

        Args:
            records: What to write; those of the same ids give way.
            vectors: float32 of shape [len(records), dimensions].
            replaced: Documents all of whose records give way too.

        Returns:
            The new state, the rows that gave way, and the rows of the records.
        """
        with self.reported(), self._transaction():
            gone = self._delete("id", [record.id for record in records]) + self._delete(
                "source", replaced
            )
            rows = []
            for record, vector in zip(records, vectors, strict=True):
                chunk, version = record.chunk, record.version
                cursor = self._connection.execute(
                    """
                    INSERT INTO chunks (id, source, ordinal, content_hash, fingerprint, records, payload, vector)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                    (
                        to_store_text(chunk.id),
                        to_store_text(chunk.source),
                        chunk.ordinal,
                        to_store_text(version.content_hash),
                        to_store_text(version.fingerprint),
                        version.records,
                        record.to_json(),
                        vector.astype("<f4").tobytes(),
                    ),
                )
                rows.append(int(cursor.lastrowid or 0))
            listed = sorted(
                (tag, row)
                for row, record in zip(rows, records, strict=True)
                for tag in record_tags(record)
            )
            self._connection.executemany("INSERT INTO tags VALUES (?, ?)", listed)
            return self._raised(), gone, rows

    def delete(self, sources: Sequence[str]) -> tuple[State, list[int]]:
        """Delete documents in one transaction; the new state and the rows that were theirs."""
        with self.reported(), self._transaction():
            gone = self._delete("source", sources)
            return self._raised(), gone

    def state(self) -> State:
        """The present state."""
        with self.reported():
            return self.require()

    @contextmanager
    def one_state(self) -> Iterator[None]:
        """Let all reading within see the same state of the store, whoever writes."""
        with self.reported():
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def rows(self, filter: Filter | None) -> NDArray[np.int64]:
        """The rows that a filter selects."""
        sql, parameters = ("1", []) if filter is None else condition(filter)
        with self.reported():
            found = self._connection.execute(f"SELECT row FROM chunks WHERE {sql}", parameters)  # noqa: S608
            return np.fromiter((row for (row,) in found), np.int64)

    def ids(self, rows: Iterable[int]) -> dict[int, str]:
        """The chunk ids of rows."""
        listed = json.dumps(list(rows))
        with self.reported():
            found = self._connection.execute(
                "SELECT row, id FROM chunks WHERE row IN (SELECT value FROM json_each(?))",
                (listed,),
            )
            return {row: from_store_text(chunk_id) for row, chunk_id in found}

    def vectors(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
        """Rows and their vectors, float32 of shape [some, dimensions], some thousands at a time."""
        found = self._connection.execute("SELECT row, vector FROM chunks ORDER BY row")
        while batch := found.fetchmany(4096):
            data = np.frombuffer(b"".join(vector for _, vector in batch), "<f4")
            numbers = np.array([row for row, _ in batch], np.int64)
            yield numbers, data.astype(np.float32).reshape(len(batch), -1)

    def get(self, ids: Sequence[str], vectors: bool) -> list[Record]:
        """Records by id, in no order, unknown ones left out."""
        listed = json.dumps([to_store_text(one) for one in ids])
        return self._select("id IN (SELECT value FROM json_each(?))", [listed], vectors)

    def find(self, filter: Filter, limit: int) -> list[Record]:
        """Records that the filter selects, by source and position."""
        sql, parameters = condition(filter)
        return self._select(f"{sql} ORDER BY source, ordinal, id LIMIT ?", [*parameters, limit])

    def page(self, after: int, size: int, vectors: bool) -> list[tuple[int, Record]]:
        """The next rows with their records."""
        where = "row > ? ORDER BY row LIMIT ?"
        with self.reported():
            found = self._connection.execute(
                f"SELECT payload, vector, row FROM chunks WHERE {where}",  # noqa: S608
                (after, size),
            )
            return [
                (row, _record(payload, vector if vectors else None))
                for payload, vector, row in found
            ]

    def documents(self) -> dict[str, DocumentState]:
        """What is held of every document."""
        columns = "source, content_hash, fingerprint, records"
        with self.reported():
            found = self._connection.execute(
                f"SELECT {columns}, count(*) FROM chunks GROUP BY {columns}"  # noqa: S608
            ).fetchall()
        return states_from_rows(found)

    def count(self) -> int:
        """The number of records."""
        with self.reported():
            return int(self._connection.execute("SELECT count(*) FROM chunks").fetchone()[0])

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @contextmanager
    def reported(self) -> Iterator[None]:
        """Say in hierdoc's terms what SQLite and the file system complain of."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            text = str(error)
            if "locked" in text:
                raise IndexLockedError(
                    f"{self._path}: another process is writing to the index",
                    hint="Wait until it has finished, then try again.",
                ) from error
            if self._is_full(error):
                raise StoreError(
                    f"{self._path}: no space left: {text}",
                    hint="Free some space and try again; what was in the index before is still there.",
                ) from error
            if _is_read_only(error):
                raise StoreError(
                    f"{self._path} can only be read: {text}",
                    hint="Check that the folder of the index can be written to.",
                ) from error
            raise StoreError(
                f"{self._path}: {text}",
                hint=f"See to the folder's permissions and free space. {REBUILD}",
            ) from error

    def _is_full(self, error: Exception) -> bool:
        """Whether there is no space; of the small file by which SQLite notes who reads it says no more than "disk I/O error"."""
        if "disk I/O error" in str(error) or self.is_read_only:
            with suppress(OSError):
                return shutil.disk_usage(self._path.parent).free < _SPARE
        return "full" in str(error)

    def _select(self, where: str, parameters: Sequence[Any], vectors: bool = False) -> list[Record]:
        columns = "payload, vector" if vectors else "payload"
        with self.reported():
            found = self._connection.execute(
                f"SELECT {columns} FROM chunks WHERE {where}",  # noqa: S608 - values are parameters
                parameters,
            )
            return [_record(*row) for row in found]

    def _delete(self, column: str, values: Collection[str]) -> list[int]:
        chosen = f"SELECT row FROM chunks WHERE {column} IN (SELECT value FROM json_each(?))"  # noqa: S608
        listed = json.dumps([to_store_text(value) for value in values])
        rows = [row for (row,) in self._connection.execute(chosen, (listed,))]
        for table in ("tags", "chunks"):
            self._connection.execute(
                f"DELETE FROM {table} WHERE row IN (SELECT value FROM json_each(?))",  # noqa: S608
                (json.dumps(rows),),
            )
        return rows

    def _raised(self) -> State:
        self._connection.execute(
            "UPDATE manifest SET value = CAST(value AS INTEGER) + 1 WHERE key = 'generation'"
        )
        return self.require()

    @contextmanager
    def _transaction(self, *, check: bool = True) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            if check:
                self.require()  # another process may have made it anew
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _tables(self) -> bool:
        found = self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'manifest'")
        return found.fetchone() is not None


def _is_read_only(error: Exception) -> bool:
    return "readonly" in str(error) or "unable to open" in str(error)


def _record(payload: str, vector: bytes | None = None) -> Record:
    numbers = None if vector is None else np.frombuffer(vector, "<f4").astype(np.float32)
    return Record.from_json(payload, numbers)


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino
