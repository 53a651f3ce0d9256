"""The vector backend `sql-server`: writes in one thread, one after the other, reads in any."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from hierdoc import Filter, Match, StoreError
from hierdoc.plugin import (
    REBUILD,
    DocumentState,
    DocumentVersion,
    IndexSpec,
    Record,
    Worker,
    from_store_text,
    make_manifest,
    record_tags,
    require_manifest,
    states_from_rows,
    tag,
    to_store_text,
    unique_records,
    unit_query,
    unit_vectors,
)
from hierdoc_sql_server import SqlServerConfig
from hierdoc_sql_server import statements as sql
from hierdoc_sql_server.server import Connection, Server

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")

SCHEMA = 1
"""Raised with every change of the tables or of what stands in them."""

_BATCH = 100
"""Records in one statement that writes, at most."""

_BATCH_CHARACTERS = 2_000_000
"""Of their payloads, unless one alone has more."""

_LOOKED_UP = 5_000
"""Ids or documents in one statement."""

_PAGE = 500
"""Records in a page of `scan`."""

_MOST = 2**31 - 1
"""Rows that a statement can be asked for."""


class SqlServerBackend:
    """Tables in one schema.

    A call of `upsert`, `replace_documents` or `delete_documents` is one transaction: all of it is written or, where something
    fails, nothing. One writer at a time; readers never wait, and each of their statements sees one state.

    Attributes:
        capabilities: All filters, documents replaced as a whole, persistence, several processes.
    """

    capabilities = SqlServerConfig.capabilities

    def __init__(self, config: SqlServerConfig) -> None:
        self._collection = config.collection
        self._server = Server(config)
        self._writer = Worker("hierdoc-sql-server-writer")
        self._names = sql.names(config.collection)
        self._spec: IndexSpec | None = None

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Connect, and make the tables unless they are there.

        Raises:
            IndexMismatchError: They were made for something else, and `reset` is false.
            IndexLockedError: Another process writes.
            StoreError: The server does not answer or refuses, has no vectors, or takes none as long.
        """
        if spec.dimensions > sql.MOST_DIMENSIONS:
            raise StoreError(
                f"sql-server: vectors of {spec.dimensions} dimensions are too long",
                hint=f"SQL Server takes {sql.MOST_DIMENSIONS}. Use a smaller embedder, or another vector backend.",
            )

        def work() -> None:
            self._spec = None
            self._server.require()
            self._server.write(lambda connection: self._prepare(connection, spec, reset))
            self._spec = spec

        await self._writer.run(work)

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in one transaction; one with a known id replaces it whole.

        Raises:
            IndexLockedError: Another process kept writing; nothing was written.
            StoreError: The server refuses, or a record is not usable; nothing was written.
        """
        await self._write(records, replaced=False)

    async def replace_documents(self, records: Sequence[Record]) -> None:
        """Make these the only records of their documents, in one transaction.

        Raises:
            IndexLockedError: Another process kept writing; nothing was written.
            StoreError: The server refuses, or a record is not usable; nothing was written.
        """
        await self._write(records, replaced=True)

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents in one transaction; unknown ones are no error."""

        def work() -> None:
            assert self._prepared
            if sources:
                self._change(lambda connection: self._delete_documents(connection, set(sources)))

        await self._writer.run(work)

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Up to `limit` matches by cosine similarity, best first, ties by chunk id: all vectors that the filter selects are compared.

        Raises:
            QueryError: The vector is not of the index's dimensions, or the filter is too large for the server.
        """
        query = unit_query(vector, self._prepared.dimensions)
        if limit < 1:
            return []
        where, parameters = sql.condition(filter, self._names)
        rows = await self._rows(
            sql.NEAREST, [min(limit, _MOST), _written(query), *parameters], where=where
        )
        found = [
            Match(from_store_text(name), max(-1.0, min(1.0, -float(distance))))
            for name, distance in rows
        ]
        return sorted(found, key=lambda match: (-match.score, match.chunk_id))

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, in the order asked for, unknown ids left out; with their vectors if asked."""
        wanted = list(dict.fromkeys(ids))
        found: dict[str, Record] = {}
        for some in _portions(wanted, _LOOKED_UP):
            keys = sql.as_json(tag("id", one) for one in some)
            rows = await self._records(sql.AMONG, [keys], _MOST, sql.BY_KEY, vectors=vectors)
            found |= {record.id: record for _, record in rows}
        return [found[one] for one in ids if one in found]

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Up to `limit` records that the filter selects, by source and position in the document.

        Raises:
            QueryError: The filter is too large for the server.
        """
        assert self._prepared
        if limit < 1:
            return []
        where, parameters = sql.condition(filter, self._names)
        rows = await self._records(where, parameters, limit, sql.BY_PLACE)
        return [record for _, record in rows]

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages."""
        where, parameters = "1 = 1", list[object]()
        while rows := await self._records(where, parameters, _PAGE, sql.BY_KEY, vectors=vectors):
            yield [record for _, record in rows]
            if len(rows) < _PAGE:
                return
            where, parameters = sql.AFTER, [rows[-1][0]]

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        return states_from_rows(await self._rows(sql.STATES))

    async def count(self) -> int:
        """The number of records."""
        ((count,),) = await self._rows(sql.COUNT)
        return int(count)

    async def aclose(self) -> None:
        """Close the connections; calling it again does nothing."""
        self._spec = None
        await self._writer.aclose(self._server.close)

    @property
    def _prepared(self) -> IndexSpec:
        if self._spec is None:
            raise StoreError("the index is not open", hint="Call `prepare` first.")
        return self._spec

    def _statement(self, statement: str, **more: str) -> str:
        """A statement with the names in it, and the type of the vectors."""
        dimensions = int(self._prepared.dimensions)
        return statement.format(**self._names, vector=f"vector({dimensions})", **more)

    async def _rows(
        self, statement: str, parameters: Sequence[object] = (), **more: str
    ) -> list[tuple[Any, ...]]:
        complete = self._statement(statement, **more)
        return await self._read(lambda connection: connection.rows(complete, parameters))

    async def _records(
        self,
        where: str,
        parameters: Sequence[object],
        limit: int,
        order: str,
        *,
        vectors: bool = False,
    ) -> list[tuple[str, Record]]:
        """Records with the hexadecimal digits of their keys."""
        column = sql.VECTOR_COLUMN if vectors else ""
        statement = self._statement(sql.RECORDS, where=where, column=column, order=order)

        def work(connection: Connection) -> list[tuple[str, Record]]:
            rows = connection.rows(statement, [min(limit, _MOST), *parameters])
            return [(bytes(key).hex(), _record(*rest)) for key, *rest in rows]

        return await self._read(work)

    async def _read(self, work: Callable[[Connection], T]) -> T:
        assert self._prepared
        return await asyncio.to_thread(self._server.read, work)

    def _prepare(self, connection: Connection, spec: IndexSpec, reset: bool) -> None:
        """Within a transaction: make the tables unless they are there for the same purpose."""
        storable = IndexSpec(to_store_text(spec.embedder), spec.dimensions)
        manifest = make_manifest(SCHEMA, storable)
        ((there,),) = connection.rows(sql.SCHEMA_EXISTS, [self._collection])
        if there is None:
            connection.rows(sql.MAKE_SCHEMA.format(**self._names))
        ((there,),) = connection.rows(sql.TABLE_EXISTS, [self._names["manifest"]])
        if there is not None and not reset:
            self._require_manifest(connection, sql.MANIFEST, manifest)
            return
        if there is not None:  # nobody writes meanwhile
            connection.rows(sql.LOCKED_MANIFEST.format(**self._names))
        vector = f"vector({int(spec.dimensions)})"
        for statement in (*sql.DROPPED, *sql.MADE):
            connection.rows(statement.format(**self._names, vector=vector))
        connection.rows(sql.WRITE_MANIFEST.format(**self._names), [json.dumps(manifest)])

    def _require_manifest(
        self, connection: Connection, statement: str, wanted: Mapping[str, Any]
    ) -> None:
        rows = connection.rows(statement.format(**self._names))
        found = json.loads(rows[0][0]) if rows else None
        place = f"{self._server.place}: the schema {self._collection}"
        require_manifest(found, wanted, place, or_else="name another `collection`")

    def _change(self, work: Callable[[Connection], None]) -> None:
        """Do it in one transaction, alone; searches go on with what was before."""
        spec = self._prepared
        manifest = make_manifest(SCHEMA, IndexSpec(to_store_text(spec.embedder), spec.dimensions))

        def alone(connection: Connection) -> None:
            # Another process may have made it anew.
            self._require_manifest(connection, sql.LOCKED_MANIFEST, manifest)
            work(connection)

        self._server.write(alone)

    async def _write(self, records: Sequence[Record], *, replaced: bool) -> None:
        def work() -> None:
            last = unique_records(records)
            vectors = unit_vectors(last, self._prepared.dimensions)
            if not last:
                return
            # Before the transaction: what is wrong with a record is said before anything is locked.
            batches = [
                (sql.as_json(tag("id", record.id) for record, _ in batch), _rows_of(batch))
                for batch in _batches(list(zip(last, vectors, strict=True)))
            ]

            def write(connection: Connection) -> None:
                if replaced:
                    self._delete_documents(connection, {one.chunk.source for one in last})
                for keys, tables in batches:
                    connection.rows(self._statement(sql.DELETE_CHUNKS), [keys])
                    for statement, rows in zip(sql.INSERTS, tables, strict=True):
                        connection.rows(self._statement(statement), [rows])

            self._change(write)

        await self._writer.run(work)

    def _delete_documents(self, connection: Connection, sources: Collection[str]) -> None:
        for some in _portions(sorted(sources), _LOOKED_UP):
            documents = sql.as_json(tag("source", one) for one in some)
            connection.rows(self._statement(sql.DELETE_DOCUMENTS), [documents])


def _batches(
    records: Sequence[tuple[Record, NDArray[np.float32]]],
) -> Iterator[list[tuple[Record, NDArray[np.float32]]]]:
    """Records for one statement each."""
    batch: list[tuple[Record, NDArray[np.float32]]] = []
    size = 0
    for one in records:
        more = len(one[0].text)
        if batch and (len(batch) == _BATCH or size + more > _BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += more
    if batch:
        yield batch


def _rows_of(batch: Sequence[tuple[Record, NDArray[np.float32]]]) -> tuple[str, str, str]:
    """The rows of records in each table, as JSON."""
    tables: dict[str, list[object]] = defaultdict(list)
    for record, vector in batch:
        chunk, version = record.chunk, record.version
        key = tag("id", record.id)
        tables["chunks"].append(
            {
                "chunk": key,
                "document": tag("source", chunk.source),
                "version": _digest(version),
                "id": to_store_text(chunk.id),
                "source": to_store_text(chunk.source),
                "ordinal": chunk.ordinal,
                "content_hash": to_store_text(version.content_hash),
                "fingerprint": to_store_text(version.fingerprint),
                "records": version.records,
                "vector": _written(vector),
            }
        )
        tables["payloads"].append({"chunk": key, "payload": record.to_json()})
        tables["tags"] += [{"tag": one, "chunk": key} for one in record_tags(record)]
    return (
        sql.as_json(tables["chunks"]),
        sql.as_json(tables["payloads"]),
        sql.as_json(tables["tags"]),
    )


def _digest(version: DocumentVersion) -> str:
    """32 hexadecimal digits that stand for the version of a document."""
    parts = [version.content_hash, version.fingerprint, version.records]
    return blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def _written(vector: NDArray[np.float32]) -> str:
    """A vector as SQL Server reads it, each number with as many digits as it takes to read the same one."""
    return "[" + ",".join(map(str, vector)) + "]"


def _record(payload: str, vector: str | None = None) -> Record:
    if vector is None:
        return Record.from_json(payload)
    try:
        numbers = np.array(json.loads(vector), np.float32)
    except ValueError as error:
        raise StoreError("a vector in the index cannot be read", hint=REBUILD) from error
    return Record.from_json(payload, numbers)


def _portions(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
