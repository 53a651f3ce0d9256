"""Keyword search in memory: over any (id, text) pairs, and as the `in-memory` keyword backend."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from hierdoc import Analyzer, Filter, Match
from hierdoc.defaults.bm25 import Bm25Index, Variant
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    InMemoryKeywordBase,
    Record,
    RecordTerms,
    record_terms,
)

# Up to so many chunks a search is done at once: it takes a millisecond or two, hardly more than a change of threads.
_INLINE_CHUNKS = 50_000
_INLINE_CHUNKS_ONE_BY_ONE = (
    5_000  # where a filter or a phrase is tried on one chunk after the other
)
_INLINE_CHARACTERS = 1_000


class KeywordIndex:
    """BM25 and phrases over texts, for use without a backend; several threads may share it.

        index = KeywordIndex()
        index.add("list_files", "List the files in a folder")
        index.search("which files are there?", limit=3)

    Args:
        k1: How soon repetitions of a term stop counting.
        b: How much long texts are held back, from 0 to 1.
        variant: The formula; see `hierdoc.defaults.bm25`.
        language: How words are stemmed; see `Analyzer`.
    """

    def __init__(
        self,
        *,
        k1: float = 1.5,
        b: float = 0.75,
        variant: Variant = "lucene",
        language: str = "auto",
    ) -> None:
        self._analyzer = Analyzer(language)
        self._index = Bm25Index(k1, b, variant)
        self._variant_of: dict[str, str] = {}
        self._variants: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._index)

    def add(self, id: str, text: str, language: str | None = None) -> None:
        """Hold a text; one of that id is replaced."""
        terms = self._analyzer.terms(text, language)
        self._add(id, RecordTerms(self._analyzer.variant(language), terms, Counter(terms)))

    def add_record(self, record: Record) -> None:
        """Hold a record by its chunk's id, its fields weighted; one of that id is replaced."""
        self._add(record.id, record_terms(record, self._analyzer))

    def remove(self, id: str) -> None:
        """Forget a text; an unknown one is no error."""
        with self._lock:
            self._note_variant(id, None)
            self._index.remove(id)

    def search(
        self, text: str, limit: int = 10, allowed: Callable[[str], bool] | None = None
    ) -> list[Match]:
        """The best texts that have any word of the query, best first, ties by id.

        Args:
            text: What a user typed; no character has a special meaning.
            limit: How many; fewer come back only where fewer match.
            allowed: Says of an id whether it may be found.
        """
        terms = self._analyzer.query_terms(text, self._known_variants())
        return [Match(*found) for found in self._index.search(terms, limit, allowed)]

    def search_phrase(
        self, phrase: str, limit: int = 10, allowed: Callable[[str], bool] | None = None
    ) -> list[Match]:
        """The best texts in which the phrase's words follow each other, best first, ties by id."""
        best: dict[str, float] = {}
        variants = self._known_variants()
        for terms in {tuple(self._analyzer.phrase_terms(phrase, one)) for one in variants}:
            for chunk_id, score in self._index.search_phrase(terms, limit, allowed):
                best[chunk_id] = max(score, best.get(chunk_id, score))
        found = [Match(*one) for one in best.items()]
        return sorted(found, key=lambda match: (-match.score, match.chunk_id))[:limit]

    def _add(self, id: str, terms: RecordTerms) -> None:
        with self._lock:
            self._note_variant(id, terms.variant)
            self._index.add(id, terms.text, terms.counts)

    def _note_variant(self, id: str, variant: str | None) -> None:
        old = self._variant_of.pop(id, None)
        if old is not None:
            self._variants[old] -= 1
        if variant is not None:
            self._variant_of[id] = variant
            self._variants[variant] += 1

    def _known_variants(self) -> list[str]:
        with self._lock:
            return sorted(variant for variant, count in self._variants.items() if count)


class InMemoryKeywordBackend(InMemoryKeywordBase):
    """The keyword backend that keeps everything in memory and forgets it at the end.

    Args:
        k1: How soon repetitions of a term stop counting.
        b: How much long chunks are held back, from 0 to 1.
        variant: The formula; see `hierdoc.defaults.bm25`.
        language: How words are stemmed; see `Analyzer`.

    Attributes:
        capabilities: Phrases and all filters.
    """

    capabilities = ALL_FILTERS | {Capability.PHRASES}

    def __init__(
        self,
        k1: float = 1.5,
        b: float = 0.75,
        variant: Variant = "lucene",
        language: str = "auto",
    ) -> None:
        super().__init__()
        self._new_index = partial(KeywordIndex, k1=k1, b=b, variant=variant, language=language)
        self._index = self._new_index()

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Sequence[Match]:
        """Up to `limit` matches by BM25."""
        most = _INLINE_CHUNKS if filter is None else _INLINE_CHUNKS_ONE_BY_ONE
        return await self._run(self._index.search, most, text, limit, filter)

    async def search_phrase(
        self, phrase: str, limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Chunks in whose text the phrase's words follow each other."""
        return await self._run(
            self._index.search_phrase, _INLINE_CHUNKS_ONE_BY_ONE, phrase, limit, filter
        )

    def put(self, record: Record) -> None:
        """Index a record."""
        self._index.add_record(record)

    def drop(self, id: str) -> None:
        """Forget a record."""
        self._index.remove(id)

    def clear(self) -> None:
        """Forget all records."""
        self._index = self._new_index()

    async def _run(
        self,
        find: Callable[[str, int, Callable[[str], bool] | None], list[Match]],
        most: int,
        text: str,
        limit: int,
        filter: Filter | None,
    ) -> list[Match]:
        allowed = self.allows(filter)
        if len(self._fields) <= most and len(text) <= _INLINE_CHARACTERS:
            return find(text, limit, allowed)
        return await asyncio.to_thread(find, text, limit, allowed)
