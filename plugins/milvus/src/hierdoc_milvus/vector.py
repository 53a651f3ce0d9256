"""The vector backend `milvus`: records, their vectors, and hybrid searches that Milvus fuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from pymilvus import AnnSearchRequest, WeightedRanker

from hierdoc import Filter, Match
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    SyncVectorBackend,
    best_matches,
    from_store_text,
    make_manifest,
    ranked,
    require_weights,
    unit_query,
)
from hierdoc_milvus import MilvusVectorConfig
from hierdoc_milvus.collection import MOST_HITS, PAGE, Collection, matched
from hierdoc_milvus.rows import SCHEMA, key_of, read_chunk_id, read_record, selection

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DEPTH = 100
"""Candidates of each leg of a hybrid search, at least."""

_VECTOR_PAGE = 200
"""Rows in one answer with their vectors."""


class MilvusVectorBackend(SyncVectorBackend):
    """One collection of records.

    Attributes:
        capabilities: All filters, native hybrid search and persistence; several processes on a server.
    """

    def __init__(self, config: MilvusVectorConfig) -> None:
        super().__init__("milvus")
        self.capabilities = ALL_FILTERS | {
            Capability.NATIVE_HYBRID,
            Capability.PERSISTENT,
            *([] if config.path is not None else [Capability.MULTI_PROCESS]),
        }
        self._config = config
        self._collection = Collection(config, "vector")

    def do_prepare(self, spec: IndexSpec, reset: bool) -> None:
        """Open the collection, or make it."""
        config = self._config
        index: dict[str, Any] = {"index_type": config.index.upper()}
        if config.index == "hnsw":
            index["params"] = {"M": config.m, "efConstruction": config.ef_construction}
        analyzer = self._collection.analyzer.fingerprint
        manifest = make_manifest(SCHEMA, spec, analyzer=analyzer, bm25=[config.k1, config.b])
        self._collection.prepare(manifest, spec.dimensions, index, reset=reset)

    def do_upsert(self, records: Sequence[Record], vectors: NDArray[np.float32]) -> None:
        """Write records in batches."""
        self._collection.write(records, vectors)

    def do_delete(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents."""
        self._collection.delete(sources)

    def do_search(
        self, query: NDArray[np.float32], limit: int, filter: Filter | None
    ) -> Iterable[Match]:
        """The nearest vectors; at most 16,384."""
        expression = selection(filter)

        def search(wanted: int) -> list[Match]:
            return _cosines(
                self._collection.search(
                    wanted,
                    expression,
                    data=[query.tolist()],
                    anns_field="vector",
                    search_params=self._effort(wanted),
                )
            )

        return best_matches(search, limit, MOST_HITS)

    async def hybrid_search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        weights: Mapping[str, float],
        filter: Filter | None = None,
    ) -> Sequence[Match]:
        """The text by BM25 and the vector by cosine in one request, fused by Milvus.

        A leg with no weight or nothing to look for takes no part.

        Raises:
            QueryError: The vector is not of the index's dimensions.
            ValueError: `weights` has none for `semantic` or `keyword`, or a negative one.
        """
        require_weights(weights)

        def work() -> list[Match]:
            query = unit_query(vector, self.spec.dimensions)
            words = self._collection.words(text)
            semantic = float(weights["semantic"]) if query.any() else 0.0
            keyword = float(weights["keyword"]) if words else 0.0
            depth = min(max(limit, _DEPTH), MOST_HITS)
            expression = selection(filter)
            if limit < 1 or not semantic + keyword:
                return []
            nearest = {
                "data": [query.tolist()],
                "anns_field": "vector",
                "param": self._effort(depth),
            }
            by_words = {"data": [words], "anns_field": "sparse", "param": {"metric_type": "BM25"}}
            if semantic and keyword:
                share = semantic / (semantic + keyword)
                requests = [
                    AnnSearchRequest(**leg, limit=depth, expr=expression or None)
                    for leg in (nearest, by_words)
                ]
                ranker = WeightedRanker(share, 1.0 - share, norm_score=True)
                return ranked(matched(self._collection.fused(requests, ranker, depth)), limit)
            leg = nearest if semantic else by_words
            parameters = leg.pop("param")
            hits = self._collection.search(depth, expression, search_params=parameters, **leg)
            return ranked(_cosines(hits) if semantic else matched(hits), limit)

        return await self._run(work)

    def do_get(self, ids: Sequence[str], vectors: bool) -> Iterable[Record]:
        """Records by id."""
        fields = ["record", *(["vector"] if vectors else [])]
        return map(read_record, self._collection.read(list(map(key_of, ids)), fields))

    def do_find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """The first records by source and position: Milvus orders by its own keys, so the places of all come first."""
        places = sorted(
            (from_store_text(row["source"]), int(row["ordinal"]), read_chunk_id(row), row["key"])
            for row in self._collection.all(["source", "ordinal", "chunk_id"], selection(filter))
        )[:limit]
        rows = self._collection.read([place[3] for place in places], ["key", "record"])
        found = {row["key"]: read_record(row) for row in rows}
        return [found[place[3]] for place in places if place[3] in found]

    def do_page(self, after: Any, vectors: bool) -> tuple[Sequence[Record], Any]:
        """Records by key."""
        fields = ["record", *(["vector"] if vectors else [])]
        size = _VECTOR_PAGE if vectors else PAGE
        rows = self._collection.page(after or "", fields, size=size)
        last = rows[-1]["key"] if len(rows) == size else None
        return list(map(read_record, rows)), last

    def do_documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document."""
        return self._collection.documents()

    def do_count(self) -> int:
        """The number of records."""
        return self._collection.count()

    def do_close(self) -> None:
        """Close the connection."""
        self._collection.connection.close()

    def reported(self) -> AbstractContextManager[None]:
        """Turns Milvus's errors into hierdoc's."""
        return self._collection.connection.reported()

    def _effort(self, wanted: int) -> dict[str, Any]:
        parameters = {"ef": max(self._config.ef, wanted)} if self._config.index == "hnsw" else {}
        return {"metric_type": "IP", "params": parameters}


def _cosines(hits: Sequence[Mapping[str, Any]]) -> list[Match]:
    return [Match(read_chunk_id(hit["entity"]), float(hit["distance"])) for hit in hits]
