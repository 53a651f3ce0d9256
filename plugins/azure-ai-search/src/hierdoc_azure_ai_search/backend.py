"""The backends `azure-ai-search`: writes in one thread, one after the other, reads in any."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from hierdoc import Filter, Match, StoreError
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    Worker,
    make_manifest,
    ranked,
    require_weights,
    unique_records,
    unit_query,
    unit_vectors,
)
from hierdoc_azure_ai_search import AzureConfig, AzureVectorConfig
from hierdoc_azure_ai_search.corpus import MOST_TERMS, PAGE, Corpus, nearest, within
from hierdoc_azure_ai_search.fields import (
    EVERYTHING,
    RANKER,
    SCHEMA,
    chunk_id_of,
    key_of,
    selection,
    tokens,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")

_DEPTH = 100
"""Candidates of each leg of a hybrid search, at least."""

_PORTION, _MOST_PORTIONS = 1000, 20
"""Matches for each portion of a query with very many terms, at least; and so many portions count."""

_VECTOR_PAGE = 100
"""Documents in one answer with their vectors."""


class AzureBackend:
    """What both backends have in common: an index.

    Args:
        config: The service, and how texts are indexed.
        kind: `keyword` or `vector`.
    """

    def __init__(self, config: AzureConfig, kind: str) -> None:
        self._corpus = Corpus(config, kind)
        self._writer = Worker(f"hierdoc-azure-{kind}")
        self._spec: IndexSpec | None = None
        self._closed = False

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents; unknown ones are no error."""

        def work() -> None:
            assert self._prepared
            if sources:
                self._corpus.delete(list(dict.fromkeys(sources)))

        await self._writer.run(work)

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        return await self._read(self._corpus.documents)

    async def count(self) -> int:
        """The number of records."""
        return await self._read(self._corpus.tally)

    async def aclose(self) -> None:
        """Wait until what was written is shown, and close the connections; calling it again does nothing.

        Raises:
            StoreError: It is not shown in time.
        """

        def work() -> None:
            try:
                if self._spec is not None and not self._corpus.settled:
                    self._corpus.settle()
            finally:
                self._corpus.close()

        self._closed = True
        await self._writer.aclose(work)

    @property
    def _prepared(self) -> IndexSpec:
        if self._spec is None:
            raise StoreError("the index is not open", hint="Call `prepare` first.")
        return self._spec

    async def _prepare(
        self, spec: IndexSpec, manifest: dict[str, Any], dimensions: int | None, reset: bool
    ) -> None:
        def work() -> None:
            self._spec = None
            self._corpus.prepare(manifest, dimensions, reset=reset)
            self._spec = spec

        await self._writer.run(work)

    async def _read(self, work: Callable[[], T]) -> T:
        """What `work` gives, when all that was written before is shown."""
        if self._closed:
            raise StoreError("the index is closed", hint="Open it again.")
        assert self._prepared
        if not self._corpus.settled:
            await self._writer.run(self._corpus.settle)
        return await asyncio.to_thread(work)


class AzureKeywordBackend(AzureBackend):
    """One index of terms.

    Attributes:
        capabilities: All filters, phrases and persistence.
    """

    capabilities = ALL_FILTERS | {Capability.PHRASES, Capability.PERSISTENT}

    def __init__(self, config: AzureConfig) -> None:
        super().__init__(config, "keyword")
        self._bm25 = [config.k1, config.b]

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the index, or make it; any spec will do.

        Raises:
            IndexMismatchError: It was made for another analysis or formula, and `reset` is false.
            StoreError: The service does not answer, or somebody else made the index.
        """
        analyzer = self._corpus.analyzer.fingerprint
        manifest = make_manifest(SCHEMA, analyzer=analyzer, bm25=self._bm25)
        await self._prepare(spec, manifest, None, reset)

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in batches; one with a known id replaces it whole.

        Raises:
            PartialWriteError: The service would not take some, or failed after it had taken others.
            StoreError: It failed; nothing was written.
        """

        def work() -> None:
            assert self._prepared
            self._corpus.write(unique_records(records))

        await self._writer.run(work)

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Sequence[Match]:
        """Up to `limit` matches by BM25, best first, ties by chunk id; 10,000 at most. The first 20,000 terms count."""

        def work() -> list[Match]:
            terms = self._corpus.terms(text)
            if not terms or limit < 1:
                return []
            if len(terms) <= MOST_TERMS:
                return self._found(tokens(terms), "words", limit, filter)
            # BM25 adds up over terms, so a query of too many for one search is asked in portions.
            scores: dict[str, float] = {}
            for start in range(0, min(len(terms), _MOST_PORTIONS * MOST_TERMS), MOST_TERMS):
                some = tokens(terms[start : start + MOST_TERMS])
                for match in self._found(some, "words", max(limit, _PORTION), filter):
                    scores[match.chunk_id] = scores.get(match.chunk_id, 0.0) + match.score
            return ranked([Match(*one) for one in scores.items()], limit)

        return await self._read(work)

    async def search_phrase(
        self, phrase: str, limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Chunks in whose text the phrase's words follow each other; limit, order and filter as in `search`."""

        def work() -> list[Match]:
            analyzer = self._corpus.analyzer
            forms = {tokens(analyzer.phrase_terms(phrase, one)) for one in self._corpus.variants()}
            asked = " | ".join(f'"{form}"' for form in sorted(forms) if form)
            return self._found(asked, "phrase", limit, filter) if asked and limit > 0 else []

        return await self._read(work)

    def _found(self, asked: str, field: str, limit: int, filter: Filter | None) -> list[Match]:
        return self._corpus.best(
            limit,
            _scored,
            search_text=asked,
            search_fields=[field],
            search_mode="any",
            select=["chunk_id"],
            filter=selection(filter),
        )


class AzureVectorBackend(AzureBackend):
    """One index of records.

    Attributes:
        capabilities: All filters, native hybrid search and persistence.
    """

    capabilities = ALL_FILTERS | {Capability.NATIVE_HYBRID, Capability.PERSISTENT}

    def __init__(self, config: AzureVectorConfig) -> None:
        super().__init__(config, "vector")
        self._config = config

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the index, or make it.

        Raises:
            IndexMismatchError: It was made for another spec, analysis or formula, and `reset` is false.
            StoreError: The service does not answer, or somebody else made the index.
        """
        config, analyzer = self._config, self._corpus.analyzer.fingerprint
        made_for = {"bm25": [config.k1, config.b], "semantic_ranker": config.semantic_ranker}
        manifest = make_manifest(SCHEMA, spec, analyzer=analyzer, **made_for)
        await self._prepare(spec, manifest, spec.dimensions, reset)

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in batches; one with a known id replaces it whole.

        Raises:
            PartialWriteError: The service would not take some, or failed after it had taken others.
            StoreError: A vector is missing or wrong, or the service failed; nothing was written.
        """

        def work() -> None:
            dimensions = self._prepared.dimensions
            last = unique_records(records)
            self._corpus.write(last, unit_vectors(last, dimensions))

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
        if not query.any():  # nothing is similar to it: the first by id, which score 0
            found = await self._read(
                lambda: list(self._corpus.in_order(selection(filter), ["chunk_id"]))
            )
            return [Match(one, 0.0) for one in sorted(map(chunk_id_of, found))[:limit]]
        asked = {"search_text": None, "select": ["chunk_id"], **within(filter)}
        return await self._read(
            lambda: self._corpus.best(
                limit, _cosine, vector_queries=[nearest(query, limit)], **asked
            )
        )

    async def hybrid_search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        weights: Mapping[str, float],
        filter: Filter | None = None,
    ) -> Sequence[Match]:
        """The text by BM25 and the vector by cosine in one request, fused by Azure.

        A leg with no weight or nothing to look for takes no part.

        Raises:
            QueryError: The vector is not of the index's dimensions.
            ValueError: `weights` has none for `semantic` or `keyword`, or a negative one.
        """
        query = unit_query(vector, self._prepared.dimensions)
        require_weights(weights)

        def work() -> list[Match]:
            words = tokens(self._corpus.terms(text)[:MOST_TERMS])
            semantic = float(weights["semantic"]) if query.any() else 0.0
            keyword = float(weights["keyword"]) if words else 0.0
            if limit < 1 or not semantic + keyword:
                return []
            depth = max(limit, _DEPTH)
            asked: dict[str, Any] = {"select": ["chunk_id"], "search_text": None, **within(filter)}
            if semantic:
                weight = semantic / keyword if keyword else None
                asked["vector_queries"] = [nearest(query, depth, weight)]
            if keyword:
                asked |= {"search_text": words, "search_fields": ["words"], "search_mode": "any"}
            read = _scored if keyword else _cosine
            if self._config.semantic_ranker and keyword:
                asked |= {
                    "query_type": "semantic",
                    "semantic_configuration_name": RANKER,
                    "semantic_query": text,
                }
                read = _reranked
            return ranked([read(one) for one in self._corpus.hits(depth, **asked)], limit)

        return await self._read(work)

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, in the order asked for, unknown ids left out; with their vectors if asked."""
        keys = list(dict.fromkeys(map(key_of, ids)))
        fields = ["about", *(["vector"] if vectors else [])]
        page = _VECTOR_PAGE if vectors else PAGE
        work = partial(self._records, lambda: self._corpus.read(keys, fields, page), vectors)
        found = {record.id: record for record in await self._read(work)}
        return [found[one] for one in ids if one in found]

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Up to `limit` records that the filter selects, by source and position in the document."""
        asked = partial(self._corpus.in_order, selection(filter), ["about"], limit)
        return await self._read(partial(self._records, asked, False))

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages."""
        fields = ["about", *(["vector"] if vectors else [])]
        page = _VECTOR_PAGE if vectors else PAGE
        condition = EVERYTHING
        while True:
            asked = partial(self._corpus.in_order, condition, [*fields], page, page)
            found = await self._read(lambda: list(asked()))  # noqa: B023 - awaited at once
            if found:
                yield await asyncio.to_thread(self._records, lambda: found, vectors)  # noqa: B023
            if len(found) < page:
                return
            condition = f"place gt '{found[-1]['place']}'"

    def _records(self, asked: Callable[[], Any], vectors: bool) -> list[Record]:
        dimensions = self._prepared.dimensions

        def vector(found: Any) -> NDArray[np.float32] | None:
            if not vectors:
                return None
            values = found.get("vector")
            return np.array(values, np.float32) if values else np.zeros(dimensions, np.float32)

        return [Record.from_json(one["about"], vector(one)) for one in asked()]


def _scored(found: Any) -> Match:
    return Match(chunk_id_of(found), float(found["@search.score"]))


def _cosine(found: Any) -> Match:
    """Azure's score of a vector is `1 / (2 - cosine)`."""
    cosine = 2.0 - 1.0 / float(found["@search.score"])
    return Match(chunk_id_of(found), min(max(round(cosine, 7), -1.0), 1.0))


def _reranked(found: Any) -> Match:
    """What the semantic ranker has read comes before what it has not."""
    score = found.get("@search.reranker_score")
    return _scored(found) if score is None else Match(chunk_id_of(found), 1.0 + float(score))
