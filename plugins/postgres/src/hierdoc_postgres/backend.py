"""What the vector and the keyword backend have in common: opening, writing, deleting, counting."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from hierdoc import Analyzer, StoreError
from hierdoc.plugin import (
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    RecordTerms,
    Worker,
    record_terms,
    states_from_rows,
    to_store_text,
    unique_records,
)
from hierdoc_postgres import terms as words
from hierdoc_postgres.database import Connection, Database
from hierdoc_postgres.filters import digest, tags
from hierdoc_postgres.tables import Tables

T = TypeVar("T")

_BATCH = 1_000
"""Records that are analysed and written at a time, within one transaction."""

_TURN = 200
"""Rows read, or ids and lines written, after which the event loop has its turn."""

_ROWS = 50
"""Rows written after which the event loop has its turn; the client turns each of their tags into bytes by itself."""

_ANALYZE_AFTER = 1_000
"""Records after which the planner's statistics are taken anew."""

_COLUMNS = (
    "row", "key", "document", "id", "source", "ordinal", "content_hash", "fingerprint", "records", "tags", "length",
)  # fmt: skip
_TYPES = (
    "int8", "uuid", "uuid", "text", "text", "int4", "text", "text", "int4", "uuid[]", "int4",
)  # fmt: skip


@dataclass(frozen=True)
class Written:
    """A record on its way: how often its terms count, and the values of the columns that its kind of backend adds."""

    record: Record
    counts: Counter[str]
    own: tuple[Any, ...]


class PostgresBackend:
    """Tables in one schema.

    A call of `upsert`, `replace_documents` or `delete_documents` is one transaction: all of it is written or, where something
    fails, nothing. One writer at a time; readers never wait.
    """

    kind: str
    own_columns: tuple[tuple[str, str], ...]
    """Names and types, for COPY, of the columns that this kind adds."""

    capabilities: frozenset[Capability]

    def __init__(self, database: Database, collection: str, language: str) -> None:
        self._database = database
        self._collection = collection
        self._analyzer = Analyzer(language)
        self._tables: Tables | None = None
        self._worker = Worker("hierdoc-postgres")
        self._unanalyzed = 0

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Connect, and make the tables unless they are there.

        Raises:
            IndexMismatchError: They were made for something else, and `reset` is false.
            IndexLockedError: They are to be made anew, and another process writes.
            StoreError: The server does not answer or refuses, or lacks pgvector.
        """
        tables = self._tables_for(spec)

        async def work(connection: Connection) -> None:
            await tables.prepare(connection, reset=reset)
            await self._after_prepare(connection, tables)

        await self._database.prepare(work, with_vectors=self.kind == "vector")
        self._tables = tables

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in one transaction; one with a known id replaces it whole.

        Raises:
            StoreError: The server refuses, or a record is not usable; nothing was written.
            IndexLockedError: Another process kept writing; nothing was written.
        """
        await self._write(records, ())

    async def replace_documents(self, records: Sequence[Record]) -> None:
        """Make these the only records of their documents, in one transaction.

        Raises:
            StoreError: The server refuses, or a record is not usable; nothing was written.
            IndexLockedError: Another process kept writing; nothing was written.
        """
        await self._write(records, {record.chunk.source for record in records})

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents in one transaction; unknown ones are no error."""
        if not sources:
            return

        async def work(connection: Connection) -> None:
            await self._delete(connection, (), sources)

        await self._change(work)

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        statement = self._open.sql(
            "SELECT source, content_hash, fingerprint, records, count(*) FROM {chunks} GROUP BY 1, 2, 3, 4"
        )
        return states_from_rows(await self._fetch(statement))

    async def count(self) -> int:
        """The number of records."""
        ((count,),) = await self._fetch(self._open.sql("SELECT chunks FROM {manifest}"))
        return int(count)

    async def aclose(self) -> None:
        """Close the connections; calling it again does nothing."""
        self._tables = None
        await self._worker.aclose(lambda: None)
        await self._database.aclose()

    @abstractmethod
    def _tables_for(self, spec: IndexSpec) -> Tables: ...

    @abstractmethod
    def _written(self, records: Sequence[Record]) -> Sequence[Written]:
        """What is written of records with ids of their own; computed in a thread."""

    async def _after_prepare(self, connection: Connection, tables: Tables) -> None:
        """Bring what may differ between two configurations of one index up to date."""

    def _terms(self, record: Record) -> RecordTerms:
        return record_terms(record, self._analyzer)

    def _variants(self, records: Sequence[Record]) -> set[str]:
        return {self._analyzer.variant(record.chunk.language) for record in records}

    @property
    def _open(self) -> Tables:
        if self._tables is None:
            raise StoreError(
                f"{self._database.name}: the index is not open", hint="Call `prepare` first."
            )
        return self._tables

    async def _fetch(
        self, statement: Any, parameters: Sequence[Any] = (), *, binary: bool = False
    ) -> list[Any]:
        async def work(connection: Connection) -> list[Any]:
            cursor = await connection.execute(statement, parameters, binary=binary)
            rows: list[Any] = []
            while some := await cursor.fetchmany(_TURN):
                rows += some
                await asyncio.sleep(0)
            return rows

        return await self._database.run(work)

    async def _query_terms(self, text: str) -> list[str]:
        """The terms of a query in all languages that the index holds."""
        ((variants,),) = await self._fetch(self._open.sql("SELECT variants FROM {manifest}"))
        if len(text) > 10_000:
            return await self._worker.run(partial(self._analyzer.query_terms, text, variants))
        return self._analyzer.query_terms(text, variants)

    async def _write(self, records: Sequence[Record], replaced: Collection[str]) -> None:
        self._open  # noqa: B018 - raises where it is not open
        if not records:
            return
        last = unique_records(records)
        # Before the transaction: what is wrong with a record is said before anything is locked.
        await self._worker.run(partial(self._require_usable, last))

        async def work(connection: Connection) -> None:
            await self._delete(connection, (), replaced)
            for batch in _batches(last, _BATCH):
                ready = await self._worker.run(partial(self._written, batch))
                await self._delete(connection, [record.id for record in batch], ())
                await self._insert(connection, ready)

        await self._change(work)
        self._unanalyzed += len(last)
        if self._unanalyzed >= _ANALYZE_AFTER:
            self._unanalyzed = 0
            await self._fetch_none("ANALYZE {chunks}, {postings}")

    def _require_usable(self, records: Sequence[Record]) -> None:
        """Raise StoreError where a record cannot be written."""

    async def _fetch_none(self, statement: str) -> None:
        composed = self._open.sql(statement)

        async def work(connection: Connection) -> None:
            await connection.execute(composed)

        await self._database.run(work, writes=True)

    async def _change(self, work: Any) -> None:
        """Do it in one transaction, alone; searches go on with what was before."""
        tables = self._open

        async def alone(connection: Connection) -> None:
            async with connection.transaction():
                await connection.execute("SET LOCAL statement_timeout = 0")
                await connection.execute(tables.sql("LOCK TABLE {manifest} IN EXCLUSIVE MODE"))
                await tables.require(connection)  # another process may have made it anew
                await work(connection)

        await self._database.run(alone, writes=True)

    async def _delete(
        self, connection: Connection, ids: Sequence[str], sources: Collection[str]
    ) -> None:
        statement = """
            WITH gone AS (
                DELETE FROM {chunks} WHERE key = ANY(%s::uuid[]) OR document = ANY(%s::uuid[]) RETURNING row, length
            ),
            unposted AS (DELETE FROM {postings} WHERE row IN (SELECT row FROM gone))
            UPDATE {manifest} SET chunks = chunks - number, words = words - total
            FROM (SELECT count(*) AS number, coalesce(sum(length), 0) AS total FROM gone) AS counted
            WHERE number > 0
        """
        composed = self._open.sql(statement)
        for some in _batches(ids, _TURN):
            await connection.execute(composed, ([digest("id", one) for one in some], []))
        for some in _batches(list(sources), _TURN):
            await connection.execute(composed, ([], [digest("source", one) for one in some]))

    async def _insert(self, connection: Connection, written: Sequence[Written]) -> None:
        tables = self._open
        words_written, variants = await self._worker.run(
            lambda: (
                sum(one.counts.total() for one in written),
                sorted(self._variants([one.record for one in written])),
            )
        )
        cursor = await connection.execute(
            tables.sql(
                """
                UPDATE {manifest} SET next_row = next_row + %s, chunks = chunks + %s, words = words + %s,
                    variants = ARRAY(SELECT DISTINCT unnest(variants || %s::text[]))
                RETURNING next_row
                """
            ),
            (
                len(written),
                len(written),
                words_written,
                variants,
            ),
        )
        ((end,),) = await cursor.fetchall()
        start = int(end) - len(written)
        await self._copy_chunks(connection, start, written)
        lines = await self._worker.run(
            lambda: [
                words.postings(row, one.counts) for row, one in enumerate(written, start=start)
            ]
        )
        copy_postings = tables.sql("COPY {postings} FROM STDIN")
        async with connection.cursor() as cursor, cursor.copy(copy_postings) as copy:
            for start in range(0, len(lines), _TURN):
                await copy.write("".join(lines[start : start + _TURN]))
                await asyncio.sleep(0)

    async def _copy_chunks(
        self, connection: Connection, start: int, written: Sequence[Written]
    ) -> None:
        from psycopg import sql

        columns = [*_COLUMNS, *(name for name, _ in self.own_columns)]
        statement = self._open.sql(
            "COPY {chunks} ({columns}) FROM STDIN (FORMAT binary)",
            columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
        )
        rows = await self._worker.run(
            lambda: [_row(row, one) for row, one in enumerate(written, start=start)]
        )
        async with connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.set_types([*_TYPES, *(form for _, form in self.own_columns)])
            for number, row in enumerate(rows):
                if number % _ROWS == 0:
                    await asyncio.sleep(0)
                await copy.write_row(row)


def _batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _row(row: int, written: Written) -> tuple[Any, ...]:
    chunk, version = written.record.chunk, written.record.version
    return (
        row,
        digest("id", chunk.id),
        digest("source", chunk.source),
        to_store_text(chunk.id),
        to_store_text(chunk.source),
        chunk.ordinal,
        to_store_text(version.content_hash),
        to_store_text(version.fingerprint),
        version.records,
        tags(written.record),
        written.counts.total(),
        *written.own,
    )
