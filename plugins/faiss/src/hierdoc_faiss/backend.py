"""The vector backend: records in SQLite, vectors in faiss, all work in one thread."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from hierdoc import Filter, IndexDamagedError, Match
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    SyncVectorBackend,
)
from hierdoc_faiss import FaissConfig
from hierdoc_faiss.index import FaissIndex
from hierdoc_faiss.store import RecordStore

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PAGE = 500
"""Records in a page of `scan`."""


class FaissBackend(SyncVectorBackend):
    """One folder: `records.db`, which is the truth, and the index, which is made of it whenever it is not of the same state.

    A write is one transaction: where it fails, nothing was written. Another process that keeps writing is an `IndexLockedError`.
    """

    capabilities = ALL_FILTERS | {
        Capability.ATOMIC_REPLACE,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    def __init__(self, config: FaissConfig) -> None:
        super().__init__("faiss")
        self._config = config
        self._folder = config.path / "faiss" / config.collection
        self._opened: RecordStore | None = None
        self._index: FaissIndex | None = None

    async def replace_documents(self, records: Sequence[Record]) -> None:
        """Make these the only records of their documents, in one transaction.

        Raises:
            StoreError: A vector is missing or wrong, or the disk is full; nothing was written.
            IndexLockedError: Another process kept writing; nothing was written.
        """
        sources = {record.chunk.source for record in records}
        await self.write(records, partial(self._write, replaced=sources))

    def do_prepare(self, spec: IndexSpec, reset: bool) -> None:
        """Open the store; the index is read when it is needed."""
        if self._opened is None or not _has_its_name(self._opened):
            self._reopen()
        assert self._opened is not None
        self._index = None
        self._opened.prepare(spec, reset)
        self._index = FaissIndex(self._folder, self._config, spec.dimensions)

    def do_upsert(self, records: Sequence[Record], vectors: NDArray[np.float32]) -> None:
        """Write records in one transaction."""
        self._write(records, vectors)

    def do_delete(self, sources: Sequence[str]) -> None:
        """Delete documents in one transaction."""
        store, index = self._open
        before = store.state()
        after, gone = store.delete(sources)
        index.change(store, before, after, gone, [], np.zeros((0, 0), np.float32))

    def do_search(
        self, query: NDArray[np.float32], limit: int, filter: Filter | None
    ) -> Iterable[Match]:
        """The best `limit` and all that tie with the last of them."""
        store, index = self._open
        with store.one_state():  # another process may write meanwhile
            index.follow(store)
            rows = None if filter is None else store.rows(filter)
            found = index.search(query, limit, rows)
            ids = store.ids(row for _, row in found)
        return [Match(ids[row], score) for score, row in found if row in ids]

    def do_get(self, ids: Sequence[str], vectors: bool) -> Iterable[Record]:
        """Records by id."""
        return self._open[0].get(ids, vectors)

    def do_find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Records that the filter selects."""
        return self._open[0].find(filter, limit)

    def do_page(self, after: int | None, vectors: bool) -> tuple[Sequence[Record], int | None]:
        """The next rows; what is written meanwhile may come too."""
        page = self._open[0].page(-1 if after is None else after, _PAGE, vectors)
        return [record for _, record in page], page[-1][0] if page else None

    def do_documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document."""
        return self._open[0].documents()

    def do_count(self) -> int:
        """The number of records."""
        return self._open[0].count()

    def do_close(self) -> None:
        """Save the index and close the files."""
        store, self._opened = self._opened, None
        index, self._index = self._index, None
        if store is None:
            return
        try:
            if index is not None and not store.is_read_only and _has_its_name(store):
                with store.reported():
                    index.save()
        finally:
            store.close()

    @property
    def _open(self) -> tuple[RecordStore, FaissIndex]:
        assert self._opened is not None
        assert self._index is not None
        if not self._opened.has_its_name():
            self.do_prepare(self.spec, False)
        return self._opened, self._index

    def _reopen(self) -> None:
        before = self._opened
        self._opened = RecordStore(self._folder / "records.db", self._config.timeout)
        if before is not None:
            before.close()

    def _write(
        self,
        records: Sequence[Record],
        vectors: NDArray[np.float32],
        replaced: Collection[str] = (),
    ) -> None:
        store, index = self._open
        before = store.state()
        after, gone, rows = store.write(records, vectors, replaced)
        index.change(store, before, after, gone, rows, vectors)


def _has_its_name(store: RecordStore) -> bool:
    with suppress(IndexDamagedError):
        return store.has_its_name()
    return False
