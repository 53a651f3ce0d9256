"""The vector backend `opensearch`: records, k-NN over their vectors, and hybrid queries that the cluster fuses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hierdoc import Filter, Match, StoreError
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    IndexSpec,
    Record,
    best_matches_async,
    ranked,
    require_weights,
    unique_records,
    unit_query,
    unit_vectors,
)
from hierdoc_opensearch import OpenSearchVectorConfig
from hierdoc_opensearch.cluster import Cluster
from hierdoc_opensearch.fields import (
    ORDER,
    any_of,
    chunk_id_of,
    document_id,
    mappings,
    selection,
    within,
)
from hierdoc_opensearch.fusing import fused, pipeline
from hierdoc_opensearch.index import MOST_HITS, PAGE, selecting
from hierdoc_opensearch.keyword import OpenSearchBackend

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DEPTH = 200
"""Candidates of each leg of a hybrid search, at least."""

_VECTOR_NUMBERS = 40_000
"""Numbers of vectors in one answer: more would be read for longer than an event loop should wait."""


class OpenSearchVectorBackend(OpenSearchBackend):
    """One index of records.

    Attributes:
        capabilities: All filters, native hybrid search, persistence and several processes.
    """

    capabilities = ALL_FILTERS | {
        Capability.NATIVE_HYBRID,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    def __init__(self, config: OpenSearchVectorConfig) -> None:
        super().__init__(config, "vector")
        self._fusion = config.fusion
        self._graph = {"m": config.m, "ef_construction": config.ef_construction}
        self._effort = config.ef_search
        self._spec: IndexSpec | None = None
        self._cluster: Cluster | None = None

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the index, or make it.

        Raises:
            IndexMismatchError: It was made for another spec, analysis or formula, and `reset` is false.
            StoreError: The cluster does not answer, is too old or holds no vectors, or somebody else made the index.
        """
        self._spec = None
        self._cluster = await self._connection.cluster_with_vectors()
        manifest = self._manifest() | {"embedder": spec.embedder, "dimensions": spec.dimensions}
        method = {
            "name": "hnsw",
            "engine": "lucene",
            "space_type": "cosinesimil",
            "parameters": self._graph,
        }
        vector = {"type": "knn_vector", "dimension": spec.dimensions, "method": method}
        record = {"type": "keyword", "index": False, "doc_values": False}
        await self._prepare(mappings(manifest, vector=vector, record=record), {"knn": True}, reset)
        self._spec = spec

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in bulk requests; one with a known id replaces it whole.

        Raises:
            PartialWriteError: The cluster would not take some, or failed after it had taken others.
            StoreError: A vector is missing or wrong, or the cluster failed; nothing was written.
        """
        dimensions = self._prepared.dimensions
        last = unique_records(records)
        if last:
            await self._write(last, await asyncio.to_thread(_stored, last, dimensions))

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Up to `limit` matches by cosine similarity, best first, ties by chunk id; 10,000 at most.

        Records whose vector has length 0 are left out: the cluster cannot hold it.

        Raises:
            QueryError: The vector is not of the index's dimensions.
        """
        query = unit_query(vector, self._prepared.dimensions)
        if limit < 1:
            return []
        if not query.any():
            return await self._unscored(limit, filter)

        async def found(wanted: int) -> list[Match]:
            hits = await self._index.search(
                {
                    "query": self._nearest(query, wanted, filter),
                    "size": wanted,
                    "_source": {"includes": ["chunk_id"]},
                }
            )
            return [Match(chunk_id_of(hit["_source"]), _cosine(hit["_score"])) for hit in hits]

        return await best_matches_async(found, limit, MOST_HITS)

    async def hybrid_search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        weights: Mapping[str, float],
        filter: Filter | None = None,
    ) -> Sequence[Match]:
        """The text by BM25 and the vector by cosine in one request, fused by the cluster; by hierdoc where it cannot.

        A leg with no weight or nothing to look for takes no part.

        Raises:
            QueryError: The vector is not of the index's dimensions.
            ValueError: `weights` has none for `semantic` or `keyword`, or a negative one.
        """
        query = unit_query(vector, self._prepared.dimensions)
        require_weights(weights)
        terms = await self._query_terms(text)
        semantic = weights["semantic"] if query.any() else 0.0
        keyword = weights["keyword"] if terms else 0.0
        if limit < 1 or not (semantic or keyword):
            return []
        if not keyword:
            return await self.search(query, limit, filter)
        if not semantic:
            return await self._matches(any_of(terms), limit, filter)
        share = semantic / (semantic + keyword)
        depth = min(max(2 * limit, _DEPTH), MOST_HITS)
        if self._cluster is None or not self._cluster.fuses(self._fusion):
            rankings = await asyncio.gather(
                self.search(query, depth, filter), self._matches(any_of(terms), depth, filter)
            )
            return fused(self._fusion, rankings, [share, 1 - share])[:limit]
        legs = [self._nearest(query, depth, filter), within(any_of(terms), filter)]
        hits = await self._index.search(
            {
                "query": {"hybrid": {"queries": legs}},
                "size": depth,
                "_source": {"includes": ["chunk_id"]},
                "search_pipeline": pipeline(self._fusion, [share, 1 - share]),
            }
        )
        found = [Match(chunk_id_of(hit["_source"]), float(hit["_score"])) for hit in hits]
        return ranked(found, limit)

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, in the order asked for, unknown ids left out; with their vectors if asked."""
        self._index.require_open()
        unique = list(dict.fromkeys(ids))
        page = self._page(vectors)
        found: dict[str, Record] = {}
        for start in range(0, len(unique), page):
            wanted = [document_id(chunk_id) for chunk_id in unique[start : start + page]]
            for source in await self._index.get(wanted, _fields(vectors)):
                record = self._record(source, vectors)
                found[record.id] = record
        return [found[chunk_id] for chunk_id in ids if chunk_id in found]

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Up to `limit` records that the filter selects, by source and position in the document."""
        self._index.require_open()
        body = selecting(filter, _fields(False)) | {"sort": [{name: "asc"} for name in ORDER]}
        records = [
            self._record(hit["_source"], False)
            async for hits in self._index.pages(body, max(limit, 0))
            for hit in hits
        ]
        return sorted(records, key=lambda one: (one.chunk.source, one.chunk.ordinal, one.id))

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages."""
        self._index.require_open()
        body = selecting(None, _fields(vectors)) | {"sort": [{"key": "asc"}]}
        async for hits in self._index.pages(body, page=self._page(vectors)):
            yield [self._record(hit["_source"], vectors) for hit in hits]

    @property
    def _prepared(self) -> IndexSpec:
        if self._spec is None:
            raise StoreError("the index is not open", hint="Call `prepare` first.")
        return self._spec

    def _page(self, vectors: bool) -> int:
        """Records that are read in one request."""
        if not vectors:
            return PAGE
        return min(PAGE, max(1, _VECTOR_NUMBERS // self._prepared.dimensions))

    def _record(self, source: Mapping[str, Any], vectors: bool) -> Record:
        vector = None
        if vectors:
            numbers = source.get("vector") or np.zeros(self._prepared.dimensions)
            vector = np.array(numbers, np.float32)
        return Record.from_json(source["record"], vector)

    def _nearest(
        self, query: NDArray[np.float32], count: int, filter: Filter | None
    ) -> dict[str, Any]:
        """The query for the nearest vectors; its filter is applied while the graph is searched."""
        clause: dict[str, Any] = {"vector": query.tolist(), "k": max(count, self._effort)}
        if filter is not None:
            clause["filter"] = selection(filter)
        return {"knn": {"vector": clause}}

    async def _unscored(self, limit: int, filter: Filter | None) -> list[Match]:
        """Where there is no direction to look in, all are equal."""
        body = selecting(filter, ["chunk_id"]) | {"sort": [{"tie": "asc"}, {"key": "asc"}]}
        found = [
            Match(chunk_id_of(hit["_source"]), 0.0)
            async for hits in self._index.pages(body, limit)
            for hit in hits
        ]
        return ranked(found, limit)


def _stored(records: Sequence[Record], dimensions: int) -> list[dict[str, Any]]:
    """The fields that only this backend has: record and vector, unless that has length 0."""
    fields = []
    for record, vector in zip(records, unit_vectors(records, dimensions), strict=True):
        one: dict[str, Any] = {"record": record.to_json()}
        if vector.any():
            one["vector"] = vector.tolist()
        fields.append(one)
    return fields


def _fields(vectors: bool) -> list[str]:
    return ["record", "vector"] if vectors else ["record"]


def _cosine(score: float) -> float:
    """The cosine, of which OpenSearch's score for the space `cosinesimil` is (1 + cosine) / 2."""
    return min(max(2.0 * score - 1.0, -1.0), 1.0)
