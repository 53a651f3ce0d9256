"""Keyword search in memory: over any (id, text) pairs, and as the `in-memory` keyword backend."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from hierdoc import Analyzer, Filter, Match
from hierdoc.defaults.bm25 import Bm25Index, Variant
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    DocumentVersion,
    IndexSpec,
    Record,
    matches,
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
        terms, variant = self._analyzer.terms(text, language), self._analyzer.variant(language)
        with self._lock:
            self._note_variant(id, variant)
            self._index.add(id, terms)

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


class InMemoryKeywordBackend:
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
        self._new_index = partial(KeywordIndex, k1=k1, b=b, variant=variant, language=language)
        self._writing = threading.Lock()
        self._clear()

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Forget everything, if asked to."""
        if reset:
            self._clear()

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records; one with a known id replaces it whole."""
        await asyncio.to_thread(self._upsert, records)

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents."""
        await asyncio.to_thread(self._delete, sources)

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Sequence[Match]:
        """Up to `limit` matches by BM25."""
        most = _INLINE_CHUNKS if filter is None else _INLINE_CHUNKS_ONE_BY_ONE
        return await self._run(self._index.search, most, text, limit, filter)

    async def search_phrase(
        self, phrase: str, limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Chunks in which the phrase's words follow each other."""
        return await self._run(
            self._index.search_phrase, _INLINE_CHUNKS_ONE_BY_ONE, phrase, limit, filter
        )

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        return await asyncio.to_thread(self._documents)

    async def count(self) -> int:
        """The number of records."""
        return len(self._fields)

    async def aclose(self) -> None:
        """Nothing to let go of."""

    def _clear(self) -> None:
        self._index = self._new_index()
        self._fields: dict[str, dict[str, Any]] = {}
        self._versions: dict[str, dict[str, DocumentVersion]] = {}  # by source, then by chunk id

    def _upsert(self, records: Sequence[Record]) -> None:
        with self._writing:
            for record in records:
                self._forget_place(record.id)
                # The index comes last: what a search in another thread finds there has its fields.
                self._fields[record.id] = record.fields()
                self._versions.setdefault(record.chunk.source, {})[record.id] = record.version
                self._index.add(record.id, record.text, record.chunk.language)

    def _delete(self, sources: Sequence[str]) -> None:
        with self._writing:
            for source in sources:
                for chunk_id in self._versions.pop(source, {}):
                    self._index.remove(chunk_id)
                    del self._fields[chunk_id]

    def _forget_place(self, id: str) -> None:
        """A chunk may come back as another document's."""
        if id in self._fields:
            source = self._fields[id]["source"]
            del self._versions[source][id]
            if not self._versions[source]:
                del self._versions[source]

    def _documents(self) -> dict[str, DocumentState]:
        with self._writing:
            return {
                source: DocumentState(_common(versions.values()), len(versions))
                for source, versions in self._versions.items()
            }

    async def _run(
        self,
        find: Callable[[str, int, Callable[[str], bool] | None], list[Match]],
        most: int,
        text: str,
        limit: int,
        filter: Filter | None,
    ) -> list[Match]:
        fields = self._fields
        allowed = None if filter is None else lambda one: matches(filter, fields[one])
        if len(fields) <= most and len(text) <= _INLINE_CHARACTERS:
            return find(text, limit, allowed)
        return await asyncio.to_thread(find, text, limit, allowed)


def _common(versions: Collection[DocumentVersion]) -> DocumentVersion | None:
    """The version that all records share, if they do."""
    distinct = set(versions)
    return distinct.pop() if len(distinct) == 1 else None
