"""The built-in `in-memory` vector backend: what `sqlite` promises, without the file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from heapq import nsmallest
from typing import TYPE_CHECKING, Any

import numpy as np

from hierdoc import Filter, Match, StoreError
from hierdoc.filters import And, Contains, Equals, In, Not, Or, Under
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    make_manifest,
    require_manifest,
    unique_records,
)
from hierdoc.plugin.vectors import VectorMatrix, unit_query, unit_vectors
from hierdoc.plugin.worker import Later, Worker

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEW = 100
"""So many records at most are written or copied on the event loop."""

_SMALL = 5_000_000
"""Numbers in a matrix that is searched on the event loop: about half a millisecond."""

_HANDFUL = 2_000
"""Rows that a part of a filter may select for it to be worked out on the event loop."""

_PAGE = 256
"""Records in a page of `scan`; more where a document has more."""


class InMemoryVectorBackend:
    """Records and vectors in memory, searched exactly, gone at the end; each call sees and makes whole changes."""

    capabilities = ALL_FILTERS | {Capability.ATOMIC_REPLACE}

    def __init__(self) -> None:
        self._worker = Worker("hierdoc-memory")
        self._spec: IndexSpec | None = None
        self._clear(0)

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Make the store ready for `spec`; empty it first with `reset`.

        Raises:
            IndexMismatchError: It was made for another spec, and `reset` is false.
        """
        if self._spec is None or reset:
            self._spec = spec
            await self._worker.run(partial(self._clear, spec.dimensions))
        else:
            require_manifest(make_manifest(1, self._spec), make_manifest(1, spec), "the index")

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records; one with a known id replaces it whole.

        Raises:
            StoreError: A vector is missing or wrong; nothing was written.
        """
        await self._write(records)

    async def replace_documents(self, records: Sequence[Record]) -> None:
        """Make these the only records of their documents, all at once.

        Raises:
            StoreError: A vector is missing or wrong; nothing was written.
        """
        await self._write(records, {record.chunk.source for record in records})

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents; unknown ones are no error."""

        def work() -> None:
            self._remove({row for source in sources for row in self._holding("source", source)})

        await self._worker.run(work)

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Up to `limit` matches by cosine similarity, best first, ties by chunk id.

        Raises:
            QueryError: The vector is not of the index's dimensions.
        """
        query = unit_query(vector, self._open.dimensions)

        def work(most: float = np.inf) -> Sequence[Match]:
            if filter is None:
                return self._matrix.search(query, limit)
            rows = self._select(filter, most)
            return self._matrix.search(query, limit, np.fromiter(rows, np.int64, len(rows)))

        small = len(self._matrix) * self._matrix.dimensions <= _SMALL
        return await self._worker.run(work, partial(work, _HANDFUL) if small else None)

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, in the order asked for, unknown ids left out; with their vectors if asked."""

        def work() -> Sequence[Record]:
            rows = [self._rows[chunk_id] for chunk_id in ids if chunk_id in self._rows]
            return self._copies(rows, vectors)

        return await self._worker.run(work, work if len(ids) <= _FEW else None)

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Up to `limit` records that the filter selects, by source and position in the document."""

        def work(most: float = np.inf) -> Sequence[Record]:
            return self._copies(self._in_order(self._select(filter, most), max(limit, 0)), False)

        return await self._worker.run(work, partial(work, _HANDFUL))

    async def find_each(self, requests: Sequence[tuple[Filter, int]]) -> Sequence[Sequence[Record]]:
        """What `find` gives for each filter and limit."""

        def work(most: float = np.inf) -> Sequence[Sequence[Record]]:
            return [
                self._copies(self._in_order(self._select(one, most), max(limit, 0)), False)
                for one, limit in requests
            ]

        return await self._worker.run(work, partial(work, _HANDFUL))

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages of whole documents, by source."""
        left = await self._worker.run(lambda: sorted(self._holders["source"], reverse=True))

        def page() -> Sequence[Record]:
            rows: list[int] = []
            while left and len(rows) < _PAGE:
                held = self._holding("source", left.pop())
                rows += self._in_order(held, len(held))
            return self._copies(rows, vectors)

        while left:
            if records := await self._worker.run(page):
                yield records

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""

        def work() -> Mapping[str, DocumentState]:
            return {
                source: DocumentState.of(self._records[row].version for row in rows)
                for source, rows in self._holders["source"].items()
            }

        return await self._worker.run(work)

    async def count(self) -> int:
        """The number of records."""

        def work() -> int:
            return len(self._records)

        return await self._worker.run(work, work)

    async def aclose(self) -> None:
        """Forget everything and end the thread; calling it again does nothing."""
        await self._worker.aclose(partial(self._clear, 0))

    @property
    def _open(self) -> IndexSpec:
        if self._spec is None:
            raise StoreError("the index is not open", hint="Call `prepare` first.")
        return self._spec

    def _clear(self, dimensions: int) -> None:
        self._matrix = VectorMatrix(dimensions)
        self._records: dict[int, Record] = {}
        self._rows: dict[str, int] = {}
        self._free: list[int] = []
        self._holders: defaultdict[str, dict[Any, set[int]]] = defaultdict(dict)

    async def _write(self, records: Sequence[Record], replaced: Collection[str] = ()) -> None:
        dimensions = self._open.dimensions

        def work() -> None:
            last = unique_records(records)
            vectors = unit_vectors(last, dimensions)
            old = {self._rows[record.id] for record in last if record.id in self._rows}
            for source in replaced:
                old |= self._holding("source", source)
            self._remove(old)
            self._add(last, vectors)

        await self._worker.run(work, work if len(records) <= _FEW else None)

    def _add(self, records: Sequence[Record], vectors: NDArray[np.float32]) -> None:
        rows = []
        for record in records:
            row = self._free.pop() if self._free else len(self._records)
            rows.append(row)
            self._records[row] = replace(record, vector=None)  # the matrix has it
            self._rows[record.id] = row
            for field, value in _entries(record):
                self._holders[field].setdefault(value, set()).add(row)
        self._matrix.put(rows, [record.id for record in records], vectors)

    def _remove(self, rows: Collection[int]) -> None:
        self._matrix.drop(list(rows))
        self._free.extend(rows)
        for row in rows:
            record = self._records.pop(row)
            del self._rows[record.id]
            for field, value in _entries(record):
                holders = self._holders[field]
                held = holders.get(value, set())  # a value may stand twice in a record
                held.discard(row)
                if not held:
                    holders.pop(value, None)

    def _copies(self, rows: Sequence[int], vectors: bool) -> list[Record]:
        records = [self._records[row] for row in rows]
        if not vectors:
            return records
        return [
            replace(record, vector=self._matrix.vector(row))
            for row, record in zip(rows, records, strict=True)
        ]

    def _in_order(self, rows: Collection[int], limit: int) -> list[int]:
        def place(row: int) -> tuple[str, int, str]:
            chunk = self._records[row].chunk
            return chunk.source, chunk.ordinal, chunk.id

        return nsmallest(limit, rows, key=place)

    def _holding(self, field: str, value: Hashable) -> AbstractSet[int]:
        return self._holders[field].get(value, frozenset())

    def _select(self, filter: Filter, most: float) -> AbstractSet[int]:
        """The rows that a filter selects; `Later` where a part of it selects more than `most`."""
        if isinstance(filter, (Equals, Contains)):
            rows = self._holding(filter.field, filter.value)
        elif isinstance(filter, Under):
            rows = self._holding("parent_chain", tuple(filter.chain))
        elif isinstance(filter, In):
            rows = set().union(*(self._holding(filter.field, value) for value in filter.values))
        elif isinstance(filter, And):
            parts = sorted((self._select(part, most) for part in filter.filters), key=len)
            rows = set(parts[0]).intersection(*parts[1:]) if parts else self._records.keys()
        elif isinstance(filter, Or):
            rows = set().union(*(self._select(part, most) for part in filter.filters))
        else:
            assert isinstance(filter, Not)  # `require_capabilities` refuses a `Compare`
            rows = self._records.keys() - self._select(filter.filter, most)
        if len(rows) > most:
            raise Later
        return rows


def _entries(record: Record) -> Iterator[tuple[str, Any]]:
    """Under which values of which fields a record is looked up; its parent chain under all of its beginnings."""
    for field, value in record.fields().items():
        if field == "parent_chain":
            for length in range(len(value) + 1):
                yield field, tuple(value[:length])
        elif isinstance(value, tuple):
            for one in value:
                yield field, one
        else:
            yield field, value
