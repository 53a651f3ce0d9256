"""The keyword backend over `rank_bm25.BM25Okapi`, which is built anew at the first search after a change."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rank_bm25 import BM25Okapi

from hierdoc import Analyzer, Filter, Match
from hierdoc.plugin import ALL_FILTERS, DocumentState, DocumentVersion, IndexSpec, Record, matches


@dataclass(frozen=True)
class _Built:
    """The library's index over a state of the records, in their order."""

    records: Sequence[Record]
    okapi: BM25Okapi


class RankBm25Backend:
    """Keeps records in memory and scores all of them at every search.

    Args:
        k1: How soon repetitions of a term stop counting.
        b: How much long chunks are held back, from 0 to 1.
        epsilon: Which share of the average idf a term gets whose own would be negative.

    Attributes:
        capabilities: All filters.
    """

    capabilities = ALL_FILTERS

    def __init__(self, k1: float = 1.5, b: float = 0.75, epsilon: float = 0.25) -> None:
        self._parameters = {"k1": k1, "b": b, "epsilon": epsilon}
        self._analyzer = Analyzer()
        self._lock = threading.Lock()
        self._records: dict[str, Record] = {}
        self._built: _Built | None = None

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Forget everything, if asked to."""
        if reset:
            self._change({})

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records; one with a known id replaces it whole."""
        self._change(self._records | {record.id: record for record in records})

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents."""
        gone = set(sources)
        held = self._records.values()
        self._change({one.id: one for one in held if one.chunk.source not in gone})

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Sequence[Match]:
        """Up to `limit` matches: chunks with a word of the query, by BM25Okapi's scores."""
        return await asyncio.to_thread(self._search, text, limit, filter)

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        versions: dict[str, list[DocumentVersion]] = {}
        for record in self._records.values():
            versions.setdefault(record.chunk.source, []).append(record.version)
        return {
            source: DocumentState(held[0] if len(set(held)) == 1 else None, len(held))
            for source, held in versions.items()
        }

    async def count(self) -> int:
        """The number of records."""
        return len(self._records)

    async def aclose(self) -> None:
        """Nothing to let go of."""

    def _change(self, records: dict[str, Record]) -> None:
        with self._lock:
            self._records, self._built = records, None

    def _search(self, text: str, limit: int, filter: Filter | None) -> list[Match]:
        built = self._build()
        if built is None:
            return []
        languages = {record.chunk.language for record in built.records}
        terms = self._analyzer.query_terms(text, languages)
        with np.errstate(invalid="ignore"):  # 0/0 for empty chunks where b is 1; they match nothing
            scores = built.okapi.get_scores(terms).tolist()
        found = [
            Match(record.id, score)
            for record, score, terms_of_record in zip(
                built.records, scores, built.okapi.doc_freqs, strict=True
            )
            if not terms_of_record.keys().isdisjoint(terms)
            and (filter is None or matches(filter, record.fields()))
        ]
        return sorted(found, key=lambda match: (-match.score, match.chunk_id))[:limit]

    def _build(self) -> _Built | None:
        """The library's index of the present records; None where there is no word in them, which it cannot take."""
        with self._lock:
            if self._built is None:
                records = list(self._records.values())
                corpus = [self._analyzer.terms(one.text, one.chunk.language) for one in records]
                if any(corpus):
                    self._built = _Built(records, BM25Okapi(corpus, **self._parameters))
            return self._built
