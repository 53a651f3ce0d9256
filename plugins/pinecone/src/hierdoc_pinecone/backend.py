"""The vector backend `pinecone`: writes in one thread, one after the other, reads in any."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from hierdoc import Filter, Match, StoreError
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    Worker,
    make_manifest,
    unique_records,
    unit_query,
    unit_vectors,
)
from hierdoc_pinecone import PineconeConfig
from hierdoc_pinecone.namespace import Namespace
from hierdoc_pinecone.records import SCHEMA, key_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")


class PineconeBackend:
    """One namespace of records.

    Attributes:
        capabilities: All filters and persistence.
    """

    capabilities = ALL_FILTERS | {Capability.PERSISTENT}

    def __init__(self, config: PineconeConfig) -> None:
        self._namespace = Namespace(config)
        self._writer = Worker("hierdoc-pinecone-writer")
        self._spec: IndexSpec | None = None
        self._closed = False

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the namespace, or make it and its index.

        Raises:
            IndexMismatchError: It was made for another spec, and `reset` is false.
            StoreError: Pinecone does not answer or refuses, or somebody else uses the namespace.
        """

        def work() -> None:
            self._spec = None
            manifest = make_manifest(SCHEMA, spec)
            self._namespace.prepare(manifest, spec.dimensions, reset=reset)
            self._spec = spec

        await self._writer.run(work)

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in batches; one with a known id replaces it whole.

        Raises:
            PartialWriteError: Pinecone would not take some, or failed after it had taken others.
            StoreError: A vector is missing or wrong, or Pinecone failed; nothing was written.
        """

        def work() -> None:
            dimensions = self._prepared.dimensions
            last = unique_records(records)
            if last:
                self._namespace.write(last, unit_vectors(last, dimensions))

        await self._writer.run(work)

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents; unknown ones are no error."""

        def work() -> None:
            assert self._prepared
            if sources:
                self._namespace.delete(list(dict.fromkeys(sources)))

        await self._writer.run(work)

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Up to `limit` matches by cosine similarity, best first, ties by chunk id; 10,000 at most.

        Raises:
            QueryError: The vector is not of the index's dimensions.
        """
        query = unit_query(vector, self._prepared.dimensions)
        if limit < 1:
            return []
        if not query.any():
            return await self._read(lambda: self._without_direction(limit, filter))
        found = await self._read(lambda: self._namespace.search(query, limit, filter))
        ranked = sorted((-max(-1.0, min(1.0, one.score)), one.chunk_id) for one in found)
        return [Match(chunk_id, -negated) for negated, chunk_id in ranked[:limit]]

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, in the order asked for, unknown ids left out; with their vectors if asked."""
        keys = [key_of(one) for one in ids]
        found = await self._read(lambda: self._namespace.read(keys, vectors=vectors))
        return [found[key] for key in keys if key in found]

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Up to `limit` records that the filter selects, by source and position in the document."""
        return await self._read(lambda: self._namespace.find(filter, limit) if limit > 0 else [])

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages."""
        ids = await self._read(self._namespace.all)
        size = 8 * self._namespace.page_size(vectors)
        for start in range(0, len(ids), size):
            keys = [one.key for one in ids[start : start + size]]
            read = partial(self._namespace.read, keys, vectors=vectors)
            yield list((await self._read(read)).values())

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        return await self._read(self._namespace.documents)

    async def count(self) -> int:
        """The number of records."""
        return len(await self._read(self._namespace.all))

    async def aclose(self) -> None:
        """Wait until what was written is shown, and close the connections; calling it again does nothing.

        Raises:
            StoreError: It is not shown in time.
        """

        def work() -> None:
            try:
                if self._spec is not None:
                    self._namespace.settle()
            finally:
                self._namespace.close()

        self._closed = True
        await self._writer.aclose(work)

    @property
    def _prepared(self) -> IndexSpec:
        if self._spec is None:
            raise StoreError("the index is not open", hint="Call `prepare` first.")
        return self._spec

    async def _read(self, work: Callable[[], T]) -> T:
        """What `work` gives, when all that was written before is shown."""
        if self._closed:
            raise StoreError("the index is closed", hint="Open it again.")
        assert self._prepared
        if not self._namespace.settled:
            await self._writer.run(self._namespace.settle)
        try:
            return await asyncio.to_thread(work)
        except RuntimeError as error:
            if not self._closed:
                raise
            raise StoreError("the index is closed", hint="Open it again.") from error

    def _without_direction(self, limit: int, filter: Filter | None) -> list[Match]:
        """Matches for a query of length 0, to which nothing is similar: the first by id, which score 0."""
        return [Match(one, 0.0) for one in self._namespace.every(filter)[:limit]]
