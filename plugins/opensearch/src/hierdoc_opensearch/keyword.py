"""The keyword backend `opensearch`: BM25 and phrases over terms of hierdoc's analyzer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hierdoc import Analyzer, Filter, Match, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.filters import In
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    make_manifest,
    ranked,
    record_terms,
    unique_records,
)
from hierdoc_opensearch import OpenSearchConfig
from hierdoc_opensearch.connection import Connection
from hierdoc_opensearch.fields import (
    MOST_TERMS,
    SCHEMA,
    any_of,
    chunk_id_of,
    document_id,
    mappings,
    phrase,
    selection,
    source_of,
    within,
)
from hierdoc_opensearch.index import CorpusIndex

_SLICE = 2000
"""Records that are analysed before they are sent."""

_VARIANTS_FOR = 60.0
"""Seconds for which it is remembered which languages other processes have added."""


class OpenSearchBackend:
    """What both backends have in common: an index of records.

    Args:
        config: The cluster, and how texts are indexed.
        kind: `keyword` or `vector`.
    """

    def __init__(self, config: OpenSearchConfig, kind: str) -> None:
        self._connection = Connection(config)
        self._index = CorpusIndex(self._connection, config, kind)
        self._analyzer = Analyzer(config.language)
        self._bm25 = [config.k1, config.b]
        self._variants: frozenset[str] = frozenset()
        self._variants_until = 0.0

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents; unknown ones are no error."""
        self._index.require_open()
        if sources:
            await self._index.delete(selection(In("source", tuple(sources))))

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        return await self._index.documents()

    async def count(self) -> int:
        """The number of records."""
        return await self._index.count()

    async def aclose(self) -> None:
        """Close the connections; calling it again does nothing."""
        await self._connection.aclose()

    def _manifest(self) -> dict[str, Any]:
        return make_manifest(SCHEMA, analyzer=self._analyzer.fingerprint, bm25=self._bm25)

    async def _prepare(
        self, mapping: Mapping[str, Any], settings: Mapping[str, Any], reset: bool
    ) -> None:
        await self._index.prepare(mapping, settings, reset=reset)
        self._variants, self._variants_until = frozenset(), 0.0

    async def _write(
        self, records: Sequence[Record], more: Sequence[Mapping[str, Any]] | None = None
    ) -> None:
        """Write records, each with an id of its own, with more fields for each."""
        failed: dict[str, str] = {}
        for start in range(0, len(records), _SLICE):
            part = records[start : start + _SLICE]
            extra = more[start : start + _SLICE] if more else [{}] * len(part)
            documents = await asyncio.to_thread(self._documents, part, extra)
            try:
                refused = await self._index.write(documents)
            except StoreError as error:
                if not start:
                    raise
                failed |= {record.id: str(error) for record in records[start:]}
                break
            failed |= {part[place].id: reason for place, reason in refused.items()}
        await self._index.refresh()
        if failed:
            reason = next(iter(failed.values()))
            raise PartialWriteError(
                f"{self._index.place}: {len(failed)} of {len(records)} records were not written; "
                f"the first: {reason}",
                failed=failed,
                hint="Run `hierdoc ingest` again once the reason is out of the way.",
            )

    def _documents(
        self, records: Sequence[Record], more: Sequence[Mapping[str, Any]]
    ) -> list[tuple[str, Mapping[str, Any]]]:
        documents: list[tuple[str, Mapping[str, Any]]] = []
        for record, extra in zip(records, more, strict=True):
            terms = record_terms(record, self._analyzer)
            documents.append((document_id(record.id), {**source_of(record, terms), **extra}))
            self._variants |= {terms.variant}
        return documents

    async def _known_variants(self) -> frozenset[str]:
        """The variants of the analyzer that texts of the index were analysed with."""
        if time.monotonic() >= self._variants_until:
            self._variants |= await self._index.variants()
            self._variants_until = time.monotonic() + _VARIANTS_FOR
        return self._variants

    async def _query_terms(self, text: str) -> Sequence[str]:
        """The terms of a query; of one with too many of them those that say most."""
        terms = self._analyzer.query_terms(text, await self._known_variants())
        if len(set(terms)) <= MOST_TERMS:
            return terms
        best = await self._index.best_terms(terms, MOST_TERMS)
        return [term for term in terms if term in best]

    async def _matches(
        self, query: Mapping[str, Any], limit: int, filter: Filter | None
    ) -> list[Match]:
        """The best hits of a query, ties by chunk id."""
        body = {
            "query": within(query, filter),
            "_source": {"includes": ["chunk_id"]},
            "sort": [{"_score": "desc"}, {"tie": "asc"}, {"key": "asc"}],
            "track_scores": True,
        }
        matches = [
            Match(chunk_id_of(hit["_source"]), float(hit["_score"]))
            async for page in self._index.pages(body, limit)
            for hit in page
        ]
        return ranked(matches, limit)


class OpenSearchKeywordBackend(OpenSearchBackend):
    """One index of terms.

    Attributes:
        capabilities: All filters, phrases, persistence and several processes.
    """

    capabilities = ALL_FILTERS | {
        Capability.PHRASES,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    def __init__(self, config: OpenSearchConfig) -> None:
        super().__init__(config, "keyword")

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the index, or make it; any spec will do.

        Raises:
            IndexMismatchError: It was made for another analysis or formula, and `reset` is false.
            StoreError: The cluster does not answer or is too old, or somebody else made the index.
        """
        await self._connection.cluster()
        await self._prepare(mappings(self._manifest()), {}, reset)

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in bulk requests; one with a known id replaces it whole.

        Raises:
            PartialWriteError: The cluster would not take some, or failed after it had taken others.
            StoreError: The cluster failed; nothing was written.
        """
        self._index.require_open()
        last = unique_records(records)
        if last:
            await self._write(last)

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Sequence[Match]:
        """Up to `limit` matches by BM25; a filter does not change their scores.

        A query may have any length; of more than 1,000 different terms those count that say most.
        """
        self._index.require_open()
        terms = await self._query_terms(text)
        if not terms or limit < 1:
            return []
        return await self._matches(any_of(terms), limit, filter)

    async def search_phrase(
        self, phrase_text: str, limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Chunks in which the phrase's words follow each other."""
        self._index.require_open()
        variants = _phrases(self._analyzer, phrase_text, await self._known_variants())
        if not variants or limit < 1:
            return []
        return await self._matches(phrase(variants), limit, filter)


def _phrases(
    analyzer: Analyzer, text: str, variants: Collection[str]
) -> Collection[tuple[str, ...]]:
    found = {tuple(analyzer.phrase_terms(text, variant)) for variant in variants}
    return {terms for terms in found if terms}
