"""An optional base of vector backends over a synchronous library: an author writes plain methods, the base makes them async.

class MyBackend(SyncVectorBackend):
    def do_prepare(self, spec, reset): ...
    def do_upsert(self, records, vectors): ...      # and seven more of the kind
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from hierdoc.errors import StoreError
from hierdoc.filters import Filter
from hierdoc.models import Match
from hierdoc.plugin.capabilities import Capability
from hierdoc.plugin.protocols import IndexSpec
from hierdoc.plugin.records import DocumentState, Record
from hierdoc.plugin.stores import unique_records
from hierdoc.plugin.vectors import unit_query, unit_vectors
from hierdoc.plugin.worker import Worker

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")


class SyncVectorBackend(ABC):
    """Calls the author's `do_` methods in one thread, one at a time: a library that is not safe for threads is safe here.

    The base checks vectors and makes them of length 1, drops what a later record of the same batch replaces, orders and cuts
    matches and records as the protocol wants them, and refuses calls before `prepare`.

    Args:
        name: Of the store, for the thread and for messages.

    Attributes:
        capabilities: What the store can do; with `ATOMIC_REPLACE` the author adds `replace_documents`, over `write`.
    """

    capabilities: frozenset[Capability]

    def __init__(self, name: str) -> None:
        self._name = name
        self._worker = Worker(f"hierdoc-{name}")
        self._spec: IndexSpec | None = None

    @abstractmethod
    def do_prepare(self, spec: IndexSpec, reset: bool) -> None:
        """Open the store or make it; see `VectorBackend.prepare`."""

    @abstractmethod
    def do_upsert(self, records: Sequence[Record], vectors: NDArray[np.float32]) -> None:
        """Write records, each with an id of its own.

        Args:
            records: One or more.
            vectors: float32 of shape [len(records), dimensions], of length 1 or 0.
        """

    @abstractmethod
    def do_delete(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents, one or more, each named once; unknown ones are no error."""

    @abstractmethod
    def do_search(
        self, query: NDArray[np.float32], limit: int, filter: Filter | None
    ) -> Iterable[Match]:
        """At least the best `limit` matches and, of those that tie with the last, the first by chunk id; in any order.

        Args:
            query: float32 of shape [dimensions], of length 1 or 0.
            limit: 1 or more.
            filter: Which records to consider.
        """

    @abstractmethod
    def do_get(self, ids: Sequence[str], vectors: bool) -> Iterable[Record]:
        """Records by id, in any order, unknown ids left out; no id is asked for twice."""

    @abstractmethod
    def do_find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """The first `limit`, 1 or more, that the filter selects, by source and position in the document."""

    @abstractmethod
    def do_page(self, after: Any, vectors: bool) -> tuple[Sequence[Record], Any]:
        """Some records, and what to pass as `after` for those that follow: None to begin with, and None at the end."""

    @abstractmethod
    def do_documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source; `document_states` counts."""

    def do_count(self) -> int:
        """The number of records: the sum over all documents, unless the store knows a faster way."""
        return sum(state.records for state in self.do_documents().values())

    def do_close(self) -> None:  # noqa: B027 - not every store has something to close
        """Let go of files and connections; called once, also where the store was never prepared."""

    def reported(self) -> AbstractContextManager[None]:
        """What surrounds each call: a place to turn the library's errors into hierdoc's."""
        return nullcontext()

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """See `VectorBackend.prepare`."""

        def work() -> None:
            self._spec = None
            with self.reported():
                self.do_prepare(spec, reset)
            self._spec = spec

        await self._worker.run(work)

    async def upsert(self, records: Sequence[Record]) -> None:
        """See `VectorBackend.upsert`."""
        await self.write(records, self.do_upsert)

    async def write(
        self,
        records: Sequence[Record],
        work: Callable[[Sequence[Record], NDArray[np.float32]], None],
    ) -> None:
        """Do `work` on records, each with an id of its own, and their vectors of length 1 or 0; of no records, nothing.

        Raises:
            StoreError: A vector is missing or wrong; nothing was written.
        """

        def checked() -> None:
            last = unique_records(records)
            if last:
                work(last, unit_vectors(last, self.spec.dimensions))

        await self._run(checked)

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """See `VectorBackend.delete_documents`."""
        unique = list(dict.fromkeys(sources))
        await self._run(lambda: self.do_delete(unique) if unique else None)

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """See `VectorBackend.search`."""

        def work() -> list[Match]:
            query = unit_query(vector, self.spec.dimensions)
            if limit < 1:
                return []
            found = [
                (-max(-1.0, min(1.0, match.score)), match.chunk_id)  # rounding can lead beyond
                for match in self.do_search(query, limit, filter)
            ]
            return [Match(chunk_id, -negated) for negated, chunk_id in sorted(found)[:limit]]

        return await self._run(work)

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """See `VectorBackend.get`."""

        def work() -> list[Record]:
            found = {record.id: record for record in self.do_get(list(dict.fromkeys(ids)), vectors)}
            return [found[one] for one in ids if one in found]

        return await self._run(work)

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """See `VectorBackend.find`."""
        return await self._run(lambda: self.do_find(filter, limit) if limit > 0 else [])

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """See `VectorBackend.scan`."""
        page, after = await self._run(partial(self.do_page, None, vectors))
        while after is not None:
            yield page
            page, after = await self._run(partial(self.do_page, after, vectors))
        if page:
            yield page

    async def documents(self) -> Mapping[str, DocumentState]:
        """See `VectorBackend.documents`."""
        return await self._run(self.do_documents)

    async def count(self) -> int:
        """See `VectorBackend.count`."""
        return await self._run(self.do_count)

    async def aclose(self) -> None:
        """See `VectorBackend.aclose`."""

        def work() -> None:
            with self.reported():
                self.do_close()

        await self._worker.aclose(work)

    @property
    def spec(self) -> IndexSpec:
        """What the store was prepared for; for use within the `do_` methods."""
        assert self._spec is not None
        return self._spec

    async def _run(self, work: Callable[[], T]) -> T:
        def opened() -> T:
            if self._spec is None:
                raise StoreError(
                    f"{self._name}: the index is not open", hint="Call `prepare` first."
                )
            with self.reported():
                return work()

        return await self._worker.run(opened)
