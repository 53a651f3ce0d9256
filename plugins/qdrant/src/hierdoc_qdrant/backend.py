"""The vector backend `qdrant`: records in a collection of points, dense and sparse vectors, fused by Qdrant."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hierdoc import Analyzer, Filter, Match, StoreError
from hierdoc.errors import PartialWriteError, PluginLoadError
from hierdoc.filters import In
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    best_matches_async,
    document_states,
    make_manifest,
    ranked,
    read_state_key,
    record_terms,
    require_weights,
    unique_records,
    unit_query,
    unit_vectors,
)
from hierdoc_qdrant import QdrantConfig
from hierdoc_qdrant.points import SCHEMA, Point, make_point, point_id, read_chunk_id, read_record
from hierdoc_qdrant.sparse import Bm25
from hierdoc_qdrant.store import Leg, RefusedError, Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PAGE = 128
"""Records read in one request."""

_LIGHT_PAGE = 4096
"""Points read in one request where only their place is asked for."""

_MOST_SOURCES = 500
"""Documents deleted in one request."""

_BATCH_NUMBERS = 50_000
"""Numbers of dense vectors in one request: more would be turned into JSON for longer than an event loop should wait."""

_BATCH_CHARACTERS = 4_000_000
"""Characters of texts in one request; a server takes 32 MB."""

_DEPTH = 100
"""Candidates of each leg of a hybrid search, at least."""

_VARIANTS_FOR = 60.0
"""Seconds for which it is remembered which languages other processes have added."""


def open_backend(config: QdrantConfig) -> QdrantBackend:
    """The backend of a configuration; nothing is connected to or read yet.

    Raises:
        PluginLoadError: qdrant-edge is needed and not installed.
    """
    if config.path is not None:
        try:
            from hierdoc_qdrant.edge import EdgeStore
        except ImportError as error:
            raise PluginLoadError(
                f"an embedded Qdrant needs qdrant-edge, which does not import: {error}",
                hint="pip install 'hierdoc-qdrant[embedded]'",
            ) from error
        store: Store = EdgeStore(config.path, config.collection, exact=config.exact)
        return QdrantBackend(store, config, {Capability.PERSISTENT})
    from hierdoc_qdrant.client import ClientStore, MemoryStore

    if config.location is not None:
        return QdrantBackend(MemoryStore(config), config, set())
    kept = {Capability.PERSISTENT, Capability.MULTI_PROCESS}
    return QdrantBackend(ClientStore(config), config, kept)


class QdrantBackend:
    """One collection of a Qdrant.

    Args:
        store: Where the collection is.
        config: How texts are analysed and records are written.
        claimed: Capabilities of the store, besides those of every Qdrant.

    Attributes:
        capabilities: All filters and native hybrid search, and those of the store.
    """

    def __init__(self, store: Store, config: QdrantConfig, claimed: Collection[Capability]) -> None:
        self.capabilities = ALL_FILTERS | {Capability.NATIVE_HYBRID} | frozenset(claimed)
        self._store = store
        self._batch_size = config.batch_size
        self._analyzer = Analyzer(config.language)
        self._bm25 = Bm25(config.k1, config.b, config.average_length)
        self._spec: IndexSpec | None = None
        self._variants: frozenset[str] = frozenset()
        self._variants_until = 0.0

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the collection, or make it with its payload indexes.

        Raises:
            IndexMismatchError: It was made for another spec, analysis or formula, and `reset` is false.
            IndexLockedError: Another process has the folder open.
            StoreError: The server does not answer or is too old, or somebody else made the collection.
        """
        bm25 = [self._bm25.k1, self._bm25.b, self._bm25.average_length]
        analyzer = self._analyzer.fingerprint
        manifest = make_manifest(SCHEMA, spec, analyzer=analyzer, bm25=bm25)
        self._spec = None
        await self._store.prepare(manifest, spec.dimensions, reset=reset)
        self._spec = spec
        self._variants, self._variants_until = frozenset(), 0.0

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in batches; one with a known id replaces it whole.

        Raises:
            PartialWriteError: Qdrant refused some, or failed after it had taken others.
            StoreError: A vector is missing or wrong, or Qdrant failed; nothing was written.
        """
        dimensions = self._open.dimensions
        last = unique_records(records)
        vectors = await asyncio.to_thread(unit_vectors, last, dimensions)
        failed: dict[str, str] = {}
        written = 0
        for batch in self._batches(last):
            rows = [last[row] for row in batch]
            try:
                points = await asyncio.to_thread(self._points, rows, vectors[list(batch)])
                refused = await self._write(points)
            except StoreError as error:
                if not written:
                    raise
                failed |= {record.id: str(error) for record in last[batch.start :]}
                break
            failed |= {rows[row].id: reason for row, reason in refused.items()}
            written += len(rows) - len(refused)
        if failed:
            reason = next(iter(failed.values()))
            raise PartialWriteError(
                f"{len(failed)} of {len(last)} records were not written; the first: {reason}",
                failed=failed,
                hint="Run `hierdoc ingest` again once the reason is out of the way.",
            )

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents; unknown ones are no error."""
        self._require_open()
        for start in range(0, len(sources), _MOST_SOURCES):
            await self._store.delete(In("source", sources[start : start + _MOST_SOURCES]))

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Up to `limit` matches by cosine similarity, best first, ties by chunk id.

        Raises:
            QueryError: The vector is not of the index's dimensions.
        """
        query = unit_query(vector, self._open.dimensions)
        if limit < 1:
            return []

        async def found(wanted: int) -> list[Match]:
            return [
                Match(read_chunk_id(one.payload), min(max(one.score, -1.0), 1.0))
                for one in await self._store.nearest(query, wanted, filter)
            ]

        return await best_matches_async(found, limit)

    async def hybrid_search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        weights: Mapping[str, float],
        filter: Filter | None = None,
    ) -> Sequence[Match]:
        """The text by BM25 and the vector by cosine in one request, fused by Qdrant.

        The score is Σ weight / (60 + rank) over the legs, ranks from 1 (reciprocal rank fusion, Cormack et al., SIGIR 2009).
        A leg with no weight or nothing to look for takes no part.

        Raises:
            QueryError: The vector is not of the index's dimensions.
            ValueError: `weights` has none for `semantic` or `keyword`, or a negative one.
        """
        query = unit_query(vector, self._open.dimensions)
        require_weights(weights)
        terms = self._analyzer.query_terms(text, await self._known_variants())
        legs = []
        if query.any() and weights["semantic"]:
            legs.append(Leg(query, float(weights["semantic"])))
        if terms and weights["keyword"]:
            legs.append(Leg(self._bm25.query(terms), float(weights["keyword"])))
        if not legs or limit < 1:
            return []
        found = await self._store.fused(legs, max(limit, _DEPTH), filter)
        return ranked([Match(read_chunk_id(one.payload), one.score) for one in found], limit)

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, in the order asked for, unknown ids left out; with their vectors if asked."""
        self._require_open()
        found: dict[str, Record] = {}
        unique = list(dict.fromkeys(ids))
        for start in range(0, len(unique), _PAGE):
            wanted = [point_id(chunk_id) for chunk_id in unique[start : start + _PAGE]]
            for one in await self._store.read(wanted, vectors=vectors):
                record = read_record(one.payload, one.vector)
                found[record.id] = record
        return [found[chunk_id] for chunk_id in ids if chunk_id in found]

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Up to `limit` records that the filter selects, by source and position in the document."""
        self._require_open()
        if limit < 1:
            return []
        found, following = await self._store.page(filter, min(limit, _PAGE), fields=["record"])
        if following is None:
            return sorted((read_record(one.payload) for one in found), key=_place)
        # Qdrant has the order of its own ids: first the places of all, then the records of those that come first.
        places: list[tuple[str, int, str]] = []
        fields = ("state", "ordinal", "chunk_id")
        after = None
        while True:
            found, after = await self._store.page(filter, _LIGHT_PAGE, after, fields=fields)
            for one in found:
                source, _ = read_state_key(one.payload["state"])
                places.append((source, one.payload["ordinal"], read_chunk_id(one.payload)))
            if after is None:
                break
        return await self.get([chunk_id for _, _, chunk_id in sorted(places)[:limit]])

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages."""
        self._require_open()
        after = None
        while True:
            found, after = await self._store.page(
                None, _PAGE, after, fields=["record"], vectors=vectors
            )
            if found:
                yield [read_record(one.payload, one.vector) for one in found]
            if after is None:
                return

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        self._require_open()
        held = await self._store.tally("state")
        return document_states((*read_state_key(state), records) for state, records in held.items())

    async def count(self) -> int:
        """The number of records."""
        self._require_open()
        return await self._store.count()

    async def check(self) -> None:
        """Raise `StoreError` where the store would not work."""
        await self._store.check()

    async def aclose(self) -> None:
        """Let go of connections, threads and files; calling it again does nothing."""
        await self._store.aclose()

    @property
    def _open(self) -> IndexSpec:
        if self._spec is None:
            raise StoreError("the index is not open", hint="Call `prepare` first.")
        return self._spec

    def _require_open(self) -> None:
        assert self._open

    def _batches(self, records: Sequence[Record]) -> Iterator[range]:
        """Rows that fit in one request."""
        most = max(1, min(self._batch_size, _BATCH_NUMBERS // max(1, self._open.dimensions)))
        start = characters = 0
        for row, record in enumerate(records):
            size = len(record.chunk.text) + len(record.chunk.context)
            if row > start and (row - start >= most or characters + size > _BATCH_CHARACTERS):
                yield range(start, row)
                start, characters = row, 0
            characters += size
        if start < len(records):
            yield range(start, len(records))

    def _points(self, records: Sequence[Record], vectors: NDArray[np.float32]) -> list[Point]:
        points = []
        for record, vector in zip(records, vectors, strict=True):
            terms = record_terms(record, self._analyzer)
            sparse = self._bm25.document(terms.counts)
            points.append(make_point(record, vector, sparse, terms.variant))
        self._variants |= {str(point.payload["variant"]) for point in points}
        return points

    async def _write(self, points: Sequence[Point]) -> dict[int, str]:
        """Write points, all that are acceptable.

        Returns:
            The rows of those that were refused, and why.
        """
        try:
            await self._store.write(points)
        except RefusedError as error:
            if len(points) == 1:
                return {0: str(error)}
        else:
            return {}
        half = len(points) // 2
        refused = await self._write(points[:half])
        rest = await self._write(points[half:])
        return refused | {half + row: reason for row, reason in rest.items()}

    async def _known_variants(self) -> frozenset[str]:
        """The variants of the analyzer that texts of the collection were analysed with."""
        if time.monotonic() >= self._variants_until:
            self._variants |= frozenset(await self._store.tally("variant"))
            self._variants_until = time.monotonic() + _VARIANTS_FOR
        return self._variants


def _place(record: Record) -> tuple[str, int, str]:
    return record.chunk.source, record.chunk.ordinal, record.id
