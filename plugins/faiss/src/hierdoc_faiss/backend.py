"""The vector backend: records in SQLite, vectors in faiss, all work in one thread."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from hierdoc import Filter, Match, StoreError
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    Worker,
    unit_query,
    unit_vectors,
)
from hierdoc_faiss import FaissConfig
from hierdoc_faiss.index import FaissIndex
from hierdoc_faiss.store import RecordStore

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")

_PAGE = 500
"""Records in a page of `scan`."""


class FaissBackend:
    """One folder: `records.db`, which is the truth, and the index, which is made of it whenever it is not of the same state."""

    capabilities = ALL_FILTERS | {
        Capability.ATOMIC_REPLACE,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    def __init__(self, config: FaissConfig) -> None:
        self._config = config
        self._folder = config.path / "faiss" / config.collection
        self._worker = Worker("hierdoc-faiss")
        self._spec = IndexSpec("", 0)
        self._store: RecordStore | None = None
        self._index: FaissIndex | None = None

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the index, or make it.

        Raises:
            IndexMismatchError: It was made for something else, and `reset` is false.
            IndexLockedError: Another process did not let go of it in time.
            StoreError: The folder cannot be used, or its file is not an index.
        """

        def work() -> None:
            if self._store is None:
                self._store = RecordStore(self._folder / "records.db", self._config.timeout)
            self._index = None
            self._store.prepare(spec, reset)
            self._spec = spec
            self._index = FaissIndex(self._folder, self._config, spec.dimensions)

        await self._worker.run(work)

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in one transaction; one with a known id replaces it whole.

        Raises:
            StoreError: A vector is missing or wrong, or the disk is full; nothing was written.
            IndexLockedError: Another process kept writing; nothing was written.
        """
        await self._write(records, ())

    async def replace_documents(self, records: Sequence[Record]) -> None:
        """Make these the only records of their documents, in one transaction.

        Raises:
            StoreError: A vector is missing or wrong, or the disk is full; nothing was written.
            IndexLockedError: Another process kept writing; nothing was written.
        """
        await self._write(records, {record.chunk.source for record in records})

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents in one transaction; unknown ones are no error."""
        if not sources:
            return

        def work(store: RecordStore, index: FaissIndex) -> None:
            before = store.state()
            after, gone = store.delete(list(dict.fromkeys(sources)))
            index.change(store, before, after, gone, [], np.zeros((0, 0), np.float32))

        await self._run(work)

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Up to `limit` matches by cosine similarity, best first, ties by chunk id.

        Raises:
            QueryError: The vector is not of the index's dimensions.
        """

        def work(store: RecordStore, index: FaissIndex) -> list[Match]:
            query = unit_query(vector, self._spec.dimensions)
            if limit < 1:
                return []
            index.follow(store)
            rows = None if filter is None else store.rows(filter)
            found = index.search(query, limit, rows)
            ids = store.ids(row for _, row in found)
            ranked = sorted(
                (-max(-1.0, min(1.0, score)), ids[row]) for score, row in found if row in ids
            )
            return [Match(chunk_id, -negated) for negated, chunk_id in ranked[:limit]]

        return await self._run(work)

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, in the order asked for, unknown ids left out; with their vectors if asked."""

        def work(store: RecordStore, index: FaissIndex) -> list[Record]:
            found = {record.id: record for record in store.get(ids, vectors)}
            return [found[one] for one in ids if one in found]

        return await self._run(work)

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Up to `limit` records that the filter selects, by source and position in the document."""
        return await self._run(lambda store, index: store.find(filter, max(limit, 0)))

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages; what is written meanwhile may come too."""
        after = -1
        while page := await self._run(partial(_page, after=after, vectors=vectors)):
            after = page[-1][0]
            yield [record for _, record in page]

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        return await self._run(lambda store, index: store.documents())

    async def count(self) -> int:
        """The number of records."""
        return await self._run(lambda store, index: store.count())

    async def aclose(self) -> None:
        """Save the index, close the files and end the thread; calling it again does nothing."""

        def work() -> None:
            store, self._store = self._store, None
            index, self._index = self._index, None
            if store is None:
                return
            try:
                if index is not None:
                    with store.reported():
                        index.save()
            finally:
                store.close()

        await self._worker.aclose(work)

    async def _write(self, records: Sequence[Record], replaced: Collection[str]) -> None:
        def work(store: RecordStore, index: FaissIndex) -> None:
            last = list({record.id: record for record in records}.values())
            vectors = unit_vectors(last, self._spec.dimensions)
            before = store.state()
            after, gone, rows = store.write(last, vectors, replaced)
            index.change(store, before, after, gone, rows, vectors)

        await self._run(work) if records else await self._run(lambda store, index: None)

    async def _run(self, work: Callable[[RecordStore, FaissIndex], T]) -> T:
        def opened() -> T:
            if self._store is None or self._index is None:
                raise StoreError("faiss: the index is not open", hint="Call `prepare` first.")
            return work(self._store, self._index)

        return await self._worker.run(opened)


def _page(
    store: RecordStore, index: FaissIndex, after: int, vectors: bool
) -> list[tuple[int, Record]]:
    return store.page(after, _PAGE, vectors)
