"""The built-in `sqlite` vector backend: records and vectors in one SQLite file, searched exactly in memory.

Two connections: one writes, in a thread; one reads, on the event loop where it is a matter of a millisecond. Vectors are read
at the first search and stay in memory; later searches read only what has changed since, whoever changed it. They are gone through
in a thread of their own where they are many, while the connection answers others.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from hierdoc import Filter, IndexDamagedError, Match, QueryError, StoreError
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    unique_records,
)
from hierdoc.plugin.worker import Later, Worker
from hierdoc_sqlite.cache import RecordCache
from hierdoc_sqlite.filters import condition, encode
from hierdoc_sqlite.rows import select_records
from hierdoc_sqlite.schema import (
    Database,
    FileIdentity,
    check,
    file_identity,
    is_passing,
    is_too_large,
    open_database,
    reading_errors,
    store_errors,
    transaction,
)
from hierdoc_sqlite.writes import delete_sources, write_records

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hierdoc_sqlite.search import VectorCache

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

_HASTE = 0.01
"""Seconds that a query may take on the event loop before it is cut off and asked again in the thread."""

_FEW = 200
"""So many records at most are read on the event loop: for a hundred hits, and what they are chosen from."""

_REMEMBERED = 500
"""Records of one call that are remembered; a search for a hundred hits reads more than are few, and the next the same ones."""

_UNITED = 60
"""So many look-ups at most make one statement."""

_PAGE = 256
"""Records in a page of `scan`; more where a document has more."""


class SqliteVectorBackend:
    """One SQLite file, `index.db` in a folder; the truth of an index.

    A call of `upsert`, `replace_documents` or `delete_documents` is one transaction: all of it is written or, where something
    fails, nothing. Processes that are forked must open it themselves.

    Args:
        path: The folder.
        timeout: Seconds to wait for other processes that write.
    """

    capabilities = ALL_FILTERS | {
        Capability.ATOMIC_REPLACE,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    def __init__(self, path: Path, *, timeout: float = 5.0) -> None:
        self._path = path / "index.db"
        self._place = str(self._path)
        self._timeout = timeout
        self._writes = Worker("hierdoc-sqlite-write")
        self._reads = Worker("hierdoc-sqlite-read")
        self._scans = Worker("hierdoc-sqlite-scan")
        self._database: Database | None = None
        self._cache: VectorCache | None = None
        self._records = RecordCache()
        self._following = asyncio.Lock()

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the index, or make it.

        Args:
            spec: What the index is made for.
            reset: Make it anew, also where it is damaged or made for something else.

        Raises:
            IndexMismatchError: It was made for another spec or by another version, and `reset` is false.
            IndexLockedError: Another process did not let go of it in time.
            StoreError: The file is not an index, or cannot be read.
        """
        await self._reads.run(self._close_reader)
        await self._writes.run(partial(self._reopen, spec, reset))

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in one transaction; one with a known id replaces it whole.

        Raises:
            StoreError: A vector is missing or wrong, or the disk is full; nothing was written.
            IndexLockedError: Another process kept writing.
        """
        await self._write_records(records)

    async def replace_documents(self, records: Sequence[Record]) -> None:
        """Make these the only records of their documents, all in one transaction.

        Raises:
            StoreError: A vector is missing or wrong, or the disk is full; nothing was written.
            IndexLockedError: Another process kept writing.
        """
        await self._write_records(records, {record.chunk.source for record in records})

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents; unknown ones are no error."""
        if sources:
            await self._write(lambda connection: delete_sources(connection, sources))

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Up to `limit` matches by cosine similarity, best first, ties by chunk id.

        Raises:
            QueryError: The vector is not of the index's dimensions, or the filter is too large.
            IndexMismatchError: Another process made the index anew with another embedder.
        """
        from hierdoc.plugin.vectors import unit_query  # what does not search starts without

        query = unit_query(vector, self._open.manifest.spec.dimensions)
        while True:
            look = partial(self._vectors, filter=filter)
            hasty = partial(look, hasty=True)
            known = partial(self._known_vectors, filter=filter)
            cache, state, rows = await self._read(look, hasty, known)
            scan = partial(cache.scan, state, rows, query, limit)
            found = await self._scans.run(scan, partial(scan, hasty=True))
            if found is not None:  # else another search has read what changed meanwhile
                return found

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, in the order asked for, unknown ids left out; with their vectors if asked."""
        work = partial(_get, ids=ids, vectors=vectors, cache=self._records)
        known = None if vectors else partial(self._records.remembered, ids=ids)
        return await self._read(work, work if len(ids) <= _FEW else None, known)

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Up to `limit` records that the filter selects, by source and position in the document.

        Raises:
            QueryError: The filter is too large.
        """
        (records,) = await self.find_each([(filter, limit)])
        return records

    async def find_each(self, requests: Sequence[tuple[Filter, int]]) -> Sequence[Sequence[Record]]:
        """What `find` gives for each filter and limit; of some dozens in one statement.

        Raises:
            QueryError: A filter is too large.
        """
        work = partial(_find_each, requests=requests, cache=self._records)
        few = sum(limit for _, limit in requests) <= _FEW * _UNITED
        return await self._read(work, work if few else None)

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages of whole documents, by source.

        A page is of one state of the index; what is written meanwhile shows in the pages that follow.
        """
        after: bytes | None = None
        while found := await self._read(partial(_page, after=after, vectors=vectors)):
            page, after = found
            yield page

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        cache = self._records
        return await self._read(cache.documents, known=cache.remembered_documents)

    async def count(self) -> int:
        """The number of records."""
        cache = self._records
        return await self._read(cache.count, cache.count, cache.remembered_count)

    async def aclose(self) -> None:
        """Close the connections and end the threads; calling it again does nothing."""
        await self._scans.aclose(lambda: None)
        await self._reads.aclose(self._close_reader)
        await self._writes.aclose(self._close_writer)  # the last to close tidies up the files

    @property
    def _open(self) -> Database:
        if self._database is None:
            raise StoreError("the index is not open", hint="Call `prepare` first.")
        return self._database

    async def _write_records(
        self, records: Sequence[Record], replaced: Collection[str] = ()
    ) -> None:
        if not records:
            return

        def work(connection: sqlite3.Connection) -> None:
            from hierdoc.plugin.vectors import unit_vectors

            last = unique_records(records)
            vectors = unit_vectors(last, self._spec.dimensions)
            write_records(connection, last, vectors, replaced)

        await self._write(work)

    async def _write(self, work: Work[None]) -> None:
        await self._follow()
        if self._open.writer is None:
            raise self._open.refusal or StoreError(f"{self._path} can only be read")

        def alone() -> None:
            writer = self._open.writer
            assert writer is not None
            with store_errors(self._path), transaction(writer):
                check(writer, self._path, self._spec)  # another process may have made it anew
                work(writer)

        await self._writes.run(alone)

    async def _read(
        self,
        work: Work[T],
        hasty: Work[T] | None = None,
        known: Work[T | None] | None = None,
    ) -> T:
        """What `work` returns, all of one state of the database.

        Args:
            work: Takes its time.
            hasty: Does the same, fast, or raises `Later`.
            known: Gives the same, of what was read before, with at most one statement, or None.
        """
        await self._follow()

        def patient() -> T:
            reader = self._open.reader
            with reading_errors(self._path):
                reader.execute(f"PRAGMA busy_timeout = {round(self._timeout * 1000)}")
                try:
                    with _one_state(reader):
                        return work(reader)
                finally:
                    reader.execute("PRAGMA busy_timeout = 0")

        def fast() -> T:
            reader = self._open.reader
            with reading_errors(self._path):
                if known is not None and (found := _at_once(known, reader)) is not None:
                    return found
                if hasty is None:
                    raise Later
                with _one_state(reader), _cut_off(reader):
                    return hasty(reader)

        return await self._reads.run(patient, None if hasty is None and known is None else fast)

    def _known_vectors(
        self, connection: sqlite3.Connection, filter: Filter | None
    ) -> tuple[VectorCache, int, NDArray[np.int64] | None] | None:
        known = None if self._cache is None else self._cache.known(connection, filter)
        return None if self._cache is None or known is None else (self._cache, *known)

    def _vectors(
        self, connection: sqlite3.Connection, filter: Filter | None, hasty: bool = False
    ) -> tuple[VectorCache, int, NDArray[np.int64] | None]:
        if self._cache is None:
            if hasty:
                raise Later
            from hierdoc_sqlite.search import VectorCache

            self._cache = VectorCache(self._path, self._open.manifest)
        with _refusing_too_large():
            return self._cache, *self._cache.current(connection, filter, hasty=hasty)

    def _reopen(self, spec: IndexSpec, reset: bool) -> None:
        self._close_writer()
        self._spec = spec
        self._database = open_database(self._path, spec, reset, self._timeout)

    async def _follow(self) -> None:
        """Go on with the file that now has the name, if it is another one than was opened.

        Somebody deleted the index, or it was damaged and made anew. SQLite would go on with the old file, which nobody sees.

        Raises:
            IndexDamagedError: There is none.
            IndexMismatchError: It was made for another spec.
        """
        if self._open.frozen is not None:
            await self._reads.run(self._thaw)
            return
        if self._identity() == self._open.identity:
            return
        async with self._following:
            before = self._open
            if self._identity() != before.identity:  # nobody else was faster
                await self._reads.run(self._exchange)
                if before.writer is not None:
                    await self._writes.run(before.writer.close)

    def _identity(self) -> FileIdentity:
        try:
            return file_identity(self._place)
        except FileNotFoundError as error:
            raise IndexDamagedError(
                f"{self._path} is gone", hint="`hierdoc ingest` makes it anew."
            ) from error
        except OSError as error:
            raise StoreError(f"{self._path}: {error.strerror or error}") from error

    def _exchange(self) -> None:
        before = self._open
        self._database = open_database(self._path, self._spec, False, self._timeout)
        self._cache, self._records = None, RecordCache()
        before.reader.close()

    def _thaw(self) -> None:
        with reading_errors(self._path):
            thawed = self._open.thawed(self._path, self._timeout)
        if thawed is not self._database:
            self._database, self._cache, self._records = thawed, None, RecordCache()

    def _close_reader(self) -> None:
        self._cache = None
        self._records = RecordCache()
        if self._database is not None:
            self._database.reader.close()

    def _close_writer(self) -> None:
        database, self._database = self._database, None
        if database is not None and database.writer is not None:
            database.writer.close()


def _get(
    connection: sqlite3.Connection, ids: Sequence[str], vectors: bool, cache: RecordCache
) -> Sequence[Record]:
    if not vectors and len(ids) <= _REMEMBERED:
        return cache.by_ids(connection, ids)
    records = select_records(connection, "id = ?", map(encode, dict.fromkeys(ids)), vectors=vectors)
    found = {record.id: record for record in records}
    return [found[chunk_id] for chunk_id in ids if chunk_id in found]


def _find_each(
    connection: sqlite3.Connection, requests: Sequence[tuple[Filter, int]], cache: RecordCache
) -> list[list[Record]]:
    found: list[list[Record]] = []
    for start in range(0, len(requests), _UNITED):
        some = requests[start : start + _UNITED]
        parts = [(*condition(one), max(limit, 0)) for one, limit in some]
        with _refusing_too_large():
            found += cache.by_conditions(connection, parts)
    return found


def _page(
    connection: sqlite3.Connection, after: bytes | None, vectors: bool
) -> tuple[list[Record], bytes] | None:
    """The records of the next documents, and the last of these; None at the end."""
    statement = """
        SELECT source, sum(held) FROM documents WHERE source > ? GROUP BY source ORDER BY source
    """
    start = -1 if after is None else after  # bytes of any length come after numbers
    sources: list[bytes] = []
    records = 0
    for source, held in connection.execute(statement, (start,)):
        sources.append(source)
        records += held
        if records >= _PAGE:
            break
    if not sources:
        return None
    of_source = "document IN (SELECT document FROM documents WHERE source = ?) ORDER BY ordinal, id"
    return list(select_records(connection, of_source, sources, vectors=vectors)), sources[-1]


class _one_state:  # noqa: N801 - used like a function
    """Lets all reading within see the same state of the database; as a class, since every search does it several times."""

    __slots__ = ("_connection",)

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN")

    def __exit__(self, *error: object) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


class _cut_off:  # noqa: N801 - used like a function
    """Raises `Later` where reading takes too long for the event loop, or would have to wait."""

    __slots__ = ("_connection",)

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        deadline = time.perf_counter() + _HASTE
        self._connection.set_progress_handler(lambda: time.perf_counter() > deadline, 1000)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.set_progress_handler(None, 0)
        if isinstance(error, sqlite3.OperationalError) and is_passing(error):
            raise Later from error


def _at_once(work: Work[T], connection: sqlite3.Connection) -> T:
    """What `work`, which hardly reads, returns; raises `Later` where it would have to wait."""
    try:
        return work(connection)
    except sqlite3.OperationalError as error:
        if is_passing(error):
            raise Later from error
        raise


@contextmanager
def _refusing_too_large() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if is_too_large(error):
            raise QueryError(
                f"the filter is too large for SQLite: {error}",
                hint="Ask with several smaller filters; `In` may have any number of values.",
            ) from error
        raise
