"""The database of an index: its tables, how it is opened, and what its errors mean.

The name of a row of `chunks` is its number, by which `listed`, `texts` and `vectors` know the chunk as well. Numbers of deleted
chunks stand in `freed` until they are used again. Each write stamps the rows that it sets or frees with one number, `change`, higher
than all before: what happened since a reader last looked is a range of an index.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from json import dumps, loads
from pathlib import Path
from typing import Any

from hierdoc import IndexDamagedError, IndexLockedError, StoreError
from hierdoc.plugin import REBUILD, IndexSpec, make_manifest, make_private_folder, require_manifest

SCHEMA_VERSION = 3
"""Raised with every change of the tables or of what stands in them."""

_APPLICATION = 0x68646F63
"""Marks the file as hierdoc's ("hdoc")."""

_PAGE = 16_384
"""Bytes. Vectors of 1 KB fill pages of 4 KB to three quarters, these to 94 %."""

_SPARE = 1_000_000
"""With fewer bytes free than these a disk is full."""

_DAMAGE = (
    "not a database",
    "malformed",
    "no such table",
    "no such column",
    "unsupported file format",
    "Could not decode",
    "too big",
    "constraint failed",
)
"""What SQLite says of a file that is not what was written; our statements are right, and so is what we write."""

_TABLES = """
CREATE TABLE manifest (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (  -- what chunks share; a document whose records disagree has several rows
    document INTEGER PRIMARY KEY,
    source BLOB NOT NULL,
    title BLOB NOT NULL,
    language BLOB,
    content_hash BLOB NOT NULL,
    fingerprint BLOB NOT NULL,
    records INTEGER NOT NULL,  -- how many there should be
    held INTEGER NOT NULL  -- how many there are
);
CREATE INDEX documents_source ON documents (source);
CREATE TABLE chunks (
    row INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    document INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    section_id BLOB,
    kind BLOB NOT NULL,
    chain BLOB NOT NULL,
    change INTEGER NOT NULL
);
CREATE INDEX chunks_position ON chunks (document, ordinal);
CREATE INDEX chunks_section ON chunks (section_id);
CREATE INDEX chunks_kind ON chunks (kind);
CREATE INDEX chunks_chain ON chunks (chain);
CREATE INDEX chunks_change ON chunks (change);
CREATE TABLE freed (row INTEGER PRIMARY KEY, change INTEGER NOT NULL);
CREATE INDEX freed_change ON freed (change);
CREATE TABLE listed (
    field INTEGER, value BLOB, row INTEGER, PRIMARY KEY (field, value, row)
) WITHOUT ROWID;
CREATE TABLE texts (
    row INTEGER PRIMARY KEY, text BLOB NOT NULL, context BLOB NOT NULL, rest BLOB NOT NULL,
    checksum INTEGER NOT NULL  -- CRC-32 of the whole record
);
CREATE TABLE vectors (row INTEGER PRIMARY KEY, vector BLOB NOT NULL, checksum INTEGER NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a database says of itself.

    Attributes:
        spec: What the index was made for.
        generation: Another one each time the index is made anew.
    """

    spec: IndexSpec
    generation: str


FileState = tuple[int, int, int]
"""Inode, time of the last change and size."""

FileIdentity = tuple[int, int]
"""Device and inode."""


@dataclass(frozen=True, slots=True)
class Database:
    """An open index.

    Attributes:
        reader: To read with; does not wait for others unless told so by `PRAGMA busy_timeout`.
        writer: To write with; None where the file or its folder can only be read.
        manifest: What it was made for.
        refusal: Why there is no writer.
        frozen: The state of the file where SQLite cannot note who reads, and so does not see what others write; None elsewhere.
        identity: By which the file is told from another of its name.
    """

    reader: sqlite3.Connection
    writer: sqlite3.Connection | None
    manifest: Manifest
    refusal: StoreError | None = None
    frozen: FileState | None = None
    identity: FileIdentity = (0, 0)

    def thawed(self, path: Path, timeout: float) -> Database:
        """The same with the file opened again, if others have changed it since."""
        if self.frozen is None or self.frozen == file_state(path):
            return self
        self.reader.close()
        reader, frozen = open_reader(path, timeout)
        return replace(self, reader=reader, frozen=frozen)


def open_database(path: Path, spec: IndexSpec, reset: bool, timeout: float) -> Database:
    """Open an index; make it if it does not exist.

    Args:
        path: The file; its folder is made too.
        spec: What the index is made for.
        reset: Make it anew, even where it is damaged or was made for something else.
        timeout: Seconds to wait for other processes.

    Raises:
        IndexMismatchError: The index was made for another spec or by another version, and `reset` is false.
        IndexLockedError: Others did not let go of it in time.
        StoreError: It is not an index, or cannot be read or written.
    """
    with reading_errors(path):
        writer = refusal = None
        try:
            make_private_folder(path.parent)
            writer = _open_writer(path, spec, reset, timeout)
        except sqlite3.OperationalError as error:
            if reset or not _size(path) or not _is_unwritable(error, path):
                raise
            refusal = StoreError(
                f"{path} can only be read",
                hint="Check that the folder of the index can be written to.",
            )
            if _is_full(error, path):
                refusal = _store_error(error, path)
        reader = None
        try:
            reader, frozen = open_reader(path, timeout)
            manifest = check(reader, path, spec)
            return Database(reader, writer, manifest, refusal, frozen, file_identity(path))
        except BaseException:
            for connection in (reader, writer):
                if connection is not None:
                    connection.close()
            raise


def check(connection: sqlite3.Connection, path: Path, spec: IndexSpec) -> Manifest:
    """The database's manifest, if it belongs to `spec`.

    Raises:
        IndexMismatchError: It does not, or another version of hierdoc made it.
        StoreError: It is not an index.
    """
    _require_ours(connection, path)
    version = _pragma(connection, "user_version")
    kept = {} if version != SCHEMA_VERSION else _manifest_values(connection)
    generation = kept.pop("generation", "")
    require_manifest(
        {**kept, "schema": version},
        make_manifest(SCHEMA_VERSION, spec),
        str(path),
        or_else="configure the embedder that made it",
    )
    return Manifest(spec, generation)


def read_manifest(connection: sqlite3.Connection) -> Manifest:
    """What the database says of itself now."""
    found = _manifest_values(connection)
    return Manifest(IndexSpec(found["embedder"], found["dimensions"]), found["generation"])


def _manifest_values(connection: sqlite3.Connection) -> dict[str, Any]:
    return {key: loads(value) for key, value in connection.execute("SELECT * FROM manifest")}


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all or nothing; waits for other writers as long as the connection's timeout says."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite ends it by itself where the disk is full
            connection.execute("ROLLBACK")
        raise


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system complain of into hierdoc's errors."""
    try:
        yield
    except sqlite3.Error as error:
        raise _store_error(error, path) from error
    except OSError as error:
        raise StoreError(
            f"{path}: {error.strerror or error}",
            hint="Check that the folder of the index exists and can be written to.",
        ) from error


@contextmanager
def reading_errors(path: Path) -> Iterator[None]:
    """The same where nothing is done but to read: values that cannot be understood are damage too."""
    try:
        with store_errors(path):
            yield
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        TypeError,
        ValueError,
    ) as error:
        raise IndexDamagedError(
            f"{path} is damaged: {type(error).__name__}: {error}", hint=REBUILD
        ) from error


def is_passing(error: sqlite3.Error) -> bool:
    """Whether the same may succeed with more time: somebody else holds the file, or the work was cut off."""
    return "locked" in str(error) or str(error) == "interrupted"


def is_too_large(error: sqlite3.Error) -> bool:
    """Whether a statement exceeds SQLite's limits: parameters, depth, length."""
    signs = ("too many SQL variables", "too large", "parser stack overflow", "too many terms")
    return any(sign in str(error) for sign in signs)


def _open_writer(path: Path, spec: IndexSpec, reset: bool, timeout: float) -> sqlite3.Connection:
    _touch(path)
    try:
        return _make_ready(_connect(path, "rwc", timeout), path, spec, reset, timeout)
    except (sqlite3.DatabaseError, IndexDamagedError) as error:
        damaged = isinstance(error, IndexDamagedError) or _is_damage(error)
        if not reset or not damaged:
            raise
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    _touch(path)
    return _make_ready(_connect(path, "rwc", timeout), path, spec, reset, timeout)


def _touch(path: Path) -> None:
    """Make the file so that nobody else may read it; those beside it get its permissions."""
    if not path.exists():
        path.touch(mode=0o600)


def _make_ready(
    connection: sqlite3.Connection, path: Path, spec: IndexSpec, reset: bool, timeout: float
) -> sqlite3.Connection:
    try:
        connection.execute(f"PRAGMA page_size = {_PAGE}")
        if _has_tables(connection):
            _require_ours(connection, path)
        if _pragma(connection, "journal_mode") != "wal":
            _use_wal(connection, timeout)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -65536")  # in KiB: the inner pages of all indexes
        connection.execute("PRAGMA journal_size_limit = 67108864")
        if reset and _pragma(connection, "quick_check(1)") != "ok":
            raise IndexDamagedError(
                f"{path} is damaged", hint=REBUILD
            )  # what was free is used again
        if reset or not _has_tables(connection):
            with transaction(connection):
                if reset or not _has_tables(connection):  # nobody else was faster
                    _create(connection, spec)
    except BaseException:
        connection.close()
        raise
    return connection


def file_state(path: Path) -> FileState:
    """By which a file is known to be the same as before."""
    status = path.stat()
    return status.st_ino, status.st_mtime_ns, status.st_size


def file_identity(path: str | Path) -> FileIdentity:
    """By which a file is told from one that stands in its place."""
    status = os.stat(path)
    return status.st_dev, status.st_ino


def open_reader(path: Path, timeout: float) -> tuple[sqlite3.Connection, FileState | None]:
    """A connection to read with, and `Database.frozen`."""
    reader, frozen = _connect(path, "ro", timeout), None
    try:
        _has_tables(reader)
    except sqlite3.OperationalError as error:
        reader.close()
        # In a folder that cannot be written to, or on a full disk, SQLite has no place to note who reads.
        if not _is_unwritable(error, path) or _size(path.with_name(path.name + "-wal")):
            raise
        frozen = file_state(path)
        reader = _connect(path, "ro&immutable=1", timeout)
    reader.execute("PRAGMA temp_store = MEMORY")
    reader.execute("PRAGMA busy_timeout = 0")
    reader.execute("PRAGMA cache_size = -16384")  # in KiB
    return reader, frozen


def _connect(path: Path, mode: str, timeout: float) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=False,  # a Worker lets one thread at a time at it
    )


def _use_wal(connection: sqlite3.Connection, timeout: float) -> None:
    """Switch to write-ahead logging; SQLite itself does not wait where several processes do so at once."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if not is_passing(error) or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def _create(connection: sqlite3.Connection, spec: IndexSpec) -> None:
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    for (name,) in connection.execute(tables).fetchall():
        connection.execute('DROP TABLE "{}"'.format(name.replace('"', '""')))
    for statement in _TABLES.split(";\n"):
        if statement.strip():
            connection.execute(statement)
    values = {
        "embedder": spec.embedder,
        "dimensions": spec.dimensions,
        "generation": uuid.uuid4().hex,
    }
    connection.executemany(
        "INSERT INTO manifest VALUES (?, ?)", [(key, dumps(value)) for key, value in values.items()]
    )
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _require_ours(connection: sqlite3.Connection, path: Path) -> None:
    if _pragma(connection, "application_id") != _APPLICATION:
        raise StoreError(
            f"{path} is a database of another program",
            hint="Move it away, or choose another folder for the index.",
        )


def _has_tables(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None


def _pragma(connection: sqlite3.Connection, name: str) -> Any:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def _size(path: Path) -> int:
    with suppress(FileNotFoundError):
        return path.stat().st_size
    return 0


def _is_damage(error: sqlite3.Error) -> bool:
    return any(sign in str(error) for sign in _DAMAGE)


def _is_read_only(error: sqlite3.Error) -> bool:
    return "readonly" in str(error) or "unable to open" in str(error)


def _is_unwritable(error: sqlite3.Error, path: Path) -> bool:
    return _is_read_only(error) or _is_full(error, path)


def _is_full(error: sqlite3.Error, path: Path) -> bool:
    """Whether there is no space; of the small file by which SQLite notes who reads it says no more than "disk I/O error"."""
    if "disk I/O error" in str(error):
        with suppress(OSError):
            return shutil.disk_usage(path.parent).free < _SPARE
    return "full" in str(error)


def _store_error(error: sqlite3.Error, path: Path) -> StoreError:
    text = str(error)
    if "locked" in text:
        return IndexLockedError(
            f"{path}: another process is writing to the index",
            hint="Wait until it has finished, then try again.",
        )
    if _is_damage(error):
        # What never was an index is not ours to replace unasked.
        kind = StoreError if "not a database" in text else IndexDamagedError
        return kind(f"{path} is damaged or not an index: {text}", hint=REBUILD)
    if _is_full(error, path):
        hint = "Free some space and try again; what was in the index before is still there."
        return StoreError(f"{path}: no space left: {text}", hint=hint)
    if _is_read_only(error):
        hint = "Check that the folder of the index exists and can be written to."
        return StoreError(f"{path} cannot be opened or written to: {text}", hint=hint)
    hint = "Check the disk; what was in the index before is still there."
    return StoreError(f"{path}: {text}", hint=hint)
