"""The vector backend `redis`: records, their vectors, and hybrid searches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from hierdoc import Filter, Match
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    SyncVectorBackend,
    best_matches,
    make_manifest,
    ranked,
    require_weights,
    unit_query,
)
from hierdoc_redis import RedisVectorConfig
from hierdoc_redis.corpus import MOST_HITS, Corpus
from hierdoc_redis.hashes import (
    SCHEMA,
    digest,
    nearest_query,
    read_id,
    read_record,
    selection,
    words_query,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DEPTH = 100
"""Candidates of each leg of a hybrid search, at least."""


class RedisVectorBackend(SyncVectorBackend):
    """The records of one corpus.

    Attributes:
        capabilities: All filters, hybrid search, persistence and several processes.
    """

    capabilities = ALL_FILTERS | {
        Capability.NATIVE_HYBRID,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    def __init__(self, config: RedisVectorConfig) -> None:
        super().__init__("redis")
        self._config = config
        self._corpus = Corpus(config, "vector")
        self._fuses: bool | None = None

    def do_prepare(self, spec: IndexSpec, reset: bool) -> None:
        """Open the index, or make it."""
        config = self._config
        options: dict[str, Any] = {
            "TYPE": "FLOAT32",
            "DIM": spec.dimensions,
            "DISTANCE_METRIC": "IP",
        }
        if config.index == "hnsw":
            options |= {"M": config.m, "EF_CONSTRUCTION": config.ef_construction}
        flat = [part for option in options.items() for part in option]
        manifest = make_manifest(SCHEMA, spec, analyzer=self._corpus.analyzer.fingerprint)
        self._corpus.prepare(manifest, [config.index.upper(), len(flat), *flat], reset=reset)
        self._fuses = self._corpus.connection.knows("FT.HYBRID")

    def do_upsert(self, records: Sequence[Record], vectors: NDArray[np.float32]) -> None:
        """Write records, so many in one transaction."""
        self._corpus.write(records, vectors)

    def do_delete(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents."""
        self._corpus.delete(sources)

    def do_search(
        self, query: NDArray[np.float32], limit: int, filter: Filter | None
    ) -> Iterable[Match]:
        """The nearest vectors; at most 10,000."""
        return best_matches(lambda wanted: self._nearest(query, wanted, filter), limit, MOST_HITS)

    async def hybrid_search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        weights: Mapping[str, float],
        filter: Filter | None = None,
    ) -> Sequence[Match]:
        """The text by BM25 and the vector by cosine, fused by Redis 8.4 and later in one request, else here from two.

        A leg with no weight or nothing to look for takes no part.

        Raises:
            QueryError: The vector is not of the index's dimensions.
            ValueError: `weights` has none for `semantic` or `keyword`, or a negative one.
        """
        require_weights(weights)

        def work() -> list[Match]:
            query = unit_query(vector, self.spec.dimensions)
            terms = self._corpus.terms(text)
            semantic = float(weights["semantic"]) if query.any() else 0.0
            keyword = float(weights["keyword"]) if terms else 0.0
            depth = min(max(limit, _DEPTH), MOST_HITS)
            if limit < 1 or not semantic + keyword:
                return []
            share = semantic / (semantic + keyword)
            if not keyword:
                return ranked(self._nearest(query, depth, filter), limit)
            if not semantic:
                return ranked(self._corpus.by_words(terms, depth, filter), limit)
            if self._fuses:
                return ranked(self._fused(terms, query, depth, share, filter), limit)
            by_words = self._corpus.by_words(terms, depth, filter)
            return ranked(fused(self._nearest(query, depth, filter), by_words, share), limit)

        return await self._run(work)

    def do_get(self, ids: Sequence[str], vectors: bool) -> Iterable[Record]:
        """Records by id."""
        return self._records(list(map(digest, ids)), vectors)

    def do_find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """The first records by source and position."""
        order = ("SORTBY", "place", "ASC", "RETURN", 1, "record")
        hits = self._corpus.found(selection(filter), limit, *order)
        return [read_record(hit[b"record"]) for hit in hits]

    def do_page(self, after: Any, vectors: bool) -> tuple[Sequence[Record], Any]:
        """Records in no order, each once."""
        cursor, seen = after or (0, set())
        following, held = self._corpus.page(cursor)
        new = [one.decode() for one in held if one not in seen]
        records = list(self._records(new, vectors))
        return records, (following, seen | held.keys()) if following else None

    def do_documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document."""
        return self._corpus.documents()

    def do_count(self) -> int:
        """The number of records."""
        return self._corpus.count()

    def do_close(self) -> None:
        """Close the connection."""
        self._corpus.connection.close()

    def reported(self) -> AbstractContextManager[None]:
        """Turns Redis's errors into hierdoc's."""
        return self._corpus.connection.reported()

    def _records(self, digests: Sequence[str], vectors: bool) -> Iterable[Record]:
        names = ["record", *(["vector"] if vectors else [])]
        return (read_record(*values) for values in self._corpus.read(digests, *names))

    def _nearest(
        self, query: NDArray[np.float32], limit: int, filter: Filter | None
    ) -> list[Match]:
        hits = self._corpus.found(
            nearest_query(filter, f"EF_RUNTIME {self._effort(limit)} " if self._is_graph else ""),
            limit,
            *("PARAMS", 4, "k", limit, "vector", _bytes(query)),
            *("SORTBY", "distance", "ASC", "RETURN", 2, "id", "distance"),
        )
        return [Match(read_id(hit[b"id"]), 1.0 - float(hit[b"distance"])) for hit in hits]

    def _fused(
        self,
        terms: Sequence[str],
        query: NDArray[np.float32],
        depth: int,
        share: float,
        filter: Filter | None,
    ) -> list[Match]:
        knn: list[Any] = ["K", depth]
        if self._is_graph:
            knn += ["EF_RUNTIME", self._effort(depth)]
        linear = ["ALPHA", 1.0 - share, "BETA", share, "WINDOW", depth]
        hits = self._corpus.fused(
            *("SEARCH", words_query(terms, filter), "SCORER", "BM25STD.NORM"),
            *("VSIM", "@vector", "$vector", "KNN", len(knn), *knn, "FILTER", selection(filter)),
            *("COMBINE", "LINEAR", len(linear), *linear),
            *("LOAD", 2, "@id", "@__score", "LIMIT", 0, depth),
            *("PARAMS", 2, "vector", _bytes(query)),
        )
        return [Match(read_id(hit[b"id"]), float(hit[b"__score"])) for hit in hits]

    @property
    def _is_graph(self) -> bool:
        return self._config.index == "hnsw"

    def _effort(self, wanted: int) -> int:
        return max(self._config.ef, wanted)


def fused(nearest: Sequence[Match], by_words: Sequence[Match], share: float) -> list[Match]:
    """What a server that fuses would make of two legs: cosines between 0 and 1, and scores by the best one, weighted.

    Args:
        nearest: By cosine.
        by_words: By BM25.
        share: The weight of the first, from 0 to 1; the second has the rest.
    """
    scores = {match.chunk_id: share * (1.0 + match.score) / 2 for match in nearest}
    top = max((match.score for match in by_words), default=0.0)
    for match in by_words:
        gained = (1.0 - share) * (match.score / top if top > 0 else 1.0)
        scores[match.chunk_id] = scores.get(match.chunk_id, 0.0) + gained
    return [Match(chunk_id, score) for chunk_id, score in scores.items()]


def _bytes(vector: NDArray[np.float32]) -> bytes:
    numbers: bytes = vector.astype("<f4").tobytes()
    return numbers
