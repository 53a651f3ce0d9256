"""The vector backend `weaviate`: records, their vectors, and hybrid searches that Weaviate fuses."""

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
    make_manifest,
    ranked,
    require_weights,
    unique_records,
    unit_query,
    unit_vectors,
)
from hierdoc_weaviate import WeaviateVectorConfig
from hierdoc_weaviate.corpus import MOST_HITS
from hierdoc_weaviate.keyword import WeaviateBackend, scored
from hierdoc_weaviate.objects import (
    SCHEMA,
    VECTOR,
    WORDS,
    chunk_id_of,
    object_id,
    selection,
    text_of,
)
from hierdoc_weaviate.protocol import base_pb2, base_search_pb2

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DEPTH = 100
"""Candidates of each leg of a hybrid search, at least."""

_PAGE = 500
"""Records in one answer."""

_FUSIONS = {
    "ranked": base_search_pb2.Hybrid.FUSION_TYPE_RANKED,
    "relative_score": base_search_pb2.Hybrid.FUSION_TYPE_RELATIVE_SCORE,
}


class WeaviateVectorBackend(WeaviateBackend):
    """One collection of records, or one tenant of it.

    Attributes:
        capabilities: All filters, native hybrid search, persistence and several processes.
    """

    capabilities = ALL_FILTERS | {
        Capability.NATIVE_HYBRID,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    def __init__(self, config: WeaviateVectorConfig) -> None:
        super().__init__(config, "vector")
        self._vector_config = config
        self._spec: IndexSpec | None = None

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the collection, or make it.

        Raises:
            IndexMismatchError: It was made for another spec, analysis or formula, and `reset` is false.
            StoreError: The server does not answer or is too old, or somebody else made the collection.
        """
        self._spec = None
        manifest = make_manifest(SCHEMA, spec, analyzer=self._analyzer.fingerprint)
        await self._prepare(manifest, _vectors(self._vector_config), reset)
        self._spec = spec

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in batches; one with a known id replaces it whole.

        Raises:
            PartialWriteError: The server would not take some, or failed after it had taken others.
            StoreError: A vector is missing or wrong, or the server failed; nothing was written.
        """
        dimensions = self._prepared.dimensions
        last = unique_records(records)
        await self._write(last, await asyncio.to_thread(unit_vectors, last, dimensions))

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

        # With a filter, be it one that selects all, Weaviate compares every vector of so many; its graph loses some of those that are equal.
        async def search(wanted: int) -> list[Match]:
            hits = await self._corpus.search(
                ["chunk_id"],
                wanted,
                near_vector=_near(query),
                metadata={"distance": True},
                filters=selection(filter),
            )
            return await asyncio.to_thread(_cosines, hits)

        return await best_matches_async(search, limit, MOST_HITS)

    async def hybrid_search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        weights: Mapping[str, float],
        filter: Filter | None = None,
    ) -> Sequence[Match]:
        """The text by BM25 and the vector by cosine in one request, fused by Weaviate.

        A leg with no weight or nothing to look for takes no part.

        Raises:
            QueryError: The vector is not of the index's dimensions.
            ValueError: `weights` has none for `semantic` or `keyword`, or a negative one.
        """
        query = unit_query(vector, self._prepared.dimensions)
        require_weights(weights)
        words = await self._words(text)
        semantic = float(weights["semantic"]) if query.any() else 0.0
        keyword = float(weights["keyword"]) if words else 0.0
        if limit < 1 or not semantic + keyword:
            return []
        asked: dict[str, Any]
        if not keyword:
            asked = {"near_vector": _near(query), "metadata": {"distance": True}}
        elif not semantic:
            words_alone = base_search_pb2.BM25(query=words, properties=[WORDS])
            asked = {"bm25_search": words_alone, "metadata": {"score": True}}
        else:
            hybrid = base_search_pb2.Hybrid(
                query=words,
                properties=[WORDS],
                alpha=semantic / (semantic + keyword),
                fusion_type=_FUSIONS[self._vector_config.fusion],
                near_vector=_near(query),
                targets=base_search_pb2.Targets(target_vectors=[VECTOR]),
            )
            asked = {"hybrid_search": hybrid, "metadata": {"score": True}}
        depth = min(max(limit, _DEPTH), MOST_HITS)
        hits = await self._corpus.search(["chunk_id"], depth, filters=selection(filter), **asked)
        read = scored if keyword else _cosines
        return ranked(await asyncio.to_thread(read, hits), limit)

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, in the order asked for, unknown ids left out; with their vectors if asked."""
        self._corpus.require_open()
        unique = list(dict.fromkeys(ids))
        found: dict[str, Record] = {}
        for start in range(0, len(unique), _PAGE):
            wanted = [object_id(chunk_id) for chunk_id in unique[start : start + _PAGE]]
            hits = await self._corpus.read(wanted, ["record"], vectors=vectors)
            for record in await asyncio.to_thread(_records, hits, vectors):
                found[record.id] = record
        return [found[chunk_id] for chunk_id in ids if chunk_id in found]

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Up to `limit` records that the filter selects, by source and position in the document."""
        self._corpus.require_open()
        return [
            record
            async for hits in self._corpus.in_order(filter, ["record"], limit)
            for record in await asyncio.to_thread(_records, hits, False)
        ]

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages."""
        self._corpus.require_open()
        async for hits in self._corpus.all(["record"], vectors=vectors, page=_PAGE):
            yield await asyncio.to_thread(_records, hits, vectors)

    @property
    def _prepared(self) -> IndexSpec:
        if self._spec is None:
            raise StoreError("the index is not open", hint="Call `prepare` first.")
        return self._spec


def _vectors(config: WeaviateVectorConfig) -> dict[str, Any]:
    """How a collection holds its vectors: of length 1, compared by their dot product, and as they are."""
    index: dict[str, Any] = {"distance": "dot", "skipDefaultQuantization": True}
    if config.index == "hnsw":
        index |= {
            "maxConnections": config.m,
            "efConstruction": config.ef_construction,
            "ef": -1 if config.ef is None else config.ef,
            "flatSearchCutoff": config.exact_up_to,
        }
    one: dict[str, Any] = {
        "vectorizer": {"none": {}},
        "vectorIndexType": config.index,
        "vectorIndexConfig": index,
    }
    return {"vectorConfig": {VECTOR: one}}


def _near(query: NDArray[np.float32]) -> base_search_pb2.NearVector:
    vector = base_pb2.Vectors(
        name=VECTOR,
        vector_bytes=query.astype("<f4").tobytes(),
        type=base_pb2.Vectors.VECTOR_TYPE_SINGLE_FP32,
    )
    targets = base_search_pb2.Targets(target_vectors=[VECTOR])
    return base_search_pb2.NearVector(vectors=[vector], targets=targets)


def _cosines(hits: Sequence[Any]) -> list[Match]:
    """Hits as matches: Weaviate's distance is the dot product with another sign."""
    return [
        Match(chunk_id_of(hit), min(max(-float(hit.metadata.distance), -1.0), 1.0)) for hit in hits
    ]


def _records(hits: Sequence[Any], vectors: bool) -> list[Record]:
    return [
        Record.from_json(text_of(hit, "record"), _vector(hit) if vectors else None) for hit in hits
    ]


def _vector(hit: Any) -> NDArray[np.float32]:
    return np.frombuffer(hit.metadata.vectors[0].vector_bytes, "<f4").astype(np.float32)
