"""The backends `mongodb`: look-ups in the collection, searches in the indexes beside it once these show all that was written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hierdoc import Filter, Match, StoreError, reciprocal_rank_fusion
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    from_store_text,
    make_manifest,
    ranked,
    require_weights,
    unique_records,
    unit_query,
    unit_vectors,
)
from hierdoc_mongodb import MongoConfig, MongoVectorConfig
from hierdoc_mongodb.connection import RefusedError
from hierdoc_mongodb.corpus import MOST_HITS, Corpus
from hierdoc_mongodb.fields import (
    RECORDS,
    SCHEMA,
    Stage,
    fused,
    nearest,
    scored,
    selection,
    tokens,
    unpacked,
    with_phrases,
    with_words,
)
from hierdoc_mongodb.server import NO_FUSION, fuses

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RANK_CONSTANT = 60
"""That of `$rankFusion`."""

_DEPTH = 100
"""Candidates of each leg of a hybrid search, at least."""

_MOST_TERMS = 1000
"""Terms in one search; Lucene takes 1,024 clauses."""

_PORTION, _MOST_PORTIONS = 1000, 20
"""Matches for each portion of a query with very many terms, at least; and so many portions count."""

_PAGE, _VECTOR_PAGE = 1000, 200
"""Records in a page of a scan, and with their vectors."""


class MongoBackend:
    """What both backends have in common: a collection.

    Args:
        config: The deployment, and how texts are indexed.
        kind: `keyword` or `vector`.
    """

    def __init__(self, config: MongoConfig, kind: str) -> None:
        self._corpus = Corpus(config, kind)
        self._spec: IndexSpec | None = None

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents; unknown ones are no error."""
        corpus = self._opened
        if sources:
            await corpus.delete(list(dict.fromkeys(sources)))

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        return await self._opened.documents()

    async def count(self) -> int:
        """The number of records."""
        return await self._opened.count()

    async def aclose(self) -> None:
        """Close the connections; calling it again does nothing.

        Nothing is waited for: whoever opens the collection next sees by a note in it that searches may not show all yet.
        """
        await self._corpus.connection.aclose()

    @property
    def _opened(self) -> Corpus:
        if self._spec is None:
            raise StoreError("the index is not open", hint="Call `prepare` first.")
        return self._corpus

    async def _settled(self) -> Corpus:
        """The collection, when searches show all that was written before."""
        corpus = self._opened
        await corpus.settle()
        return corpus


class MongoKeywordBackend(MongoBackend):
    """One collection of terms.

    Attributes:
        capabilities: All filters, phrases and persistence.
    """

    capabilities = ALL_FILTERS | {Capability.PHRASES, Capability.PERSISTENT}

    def __init__(self, config: MongoConfig) -> None:
        super().__init__(config, "keyword")

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the collection, or make it; any spec will do.

        Raises:
            IndexMismatchError: It was made for another analysis, and `reset` is false.
            StoreError: The server does not answer or cannot search, or somebody else made the collection.
        """
        self._spec = None
        manifest = make_manifest(SCHEMA, analyzer=self._corpus.analyzer.fingerprint)
        await self._corpus.prepare(manifest, None, reset=reset)
        self._spec = spec

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in batches; one with a known id replaces it whole.

        Raises:
            PartialWriteError: The server would not take some, or failed after it had taken others.
            StoreError: It failed; nothing was written.
        """
        corpus = self._opened
        if records:
            await corpus.write(unique_records(records))

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Sequence[Match]:
        """Up to `limit` matches by BM25, best first, ties by chunk id; 10,000 at most. The first 20,000 terms count."""
        corpus = await self._settled()
        terms = await corpus.terms(text)
        if not terms or limit < 1:
            return []
        if len(terms) <= _MOST_TERMS:
            return await self._found(with_words(tokens(terms), filter), limit)
        # BM25 adds up over terms, so a query of too many for one search is asked in portions.
        scores: dict[str, float] = {}
        for start in range(0, min(len(terms), _MOST_PORTIONS * _MOST_TERMS), _MOST_TERMS):
            some = with_words(tokens(terms[start : start + _MOST_TERMS]), filter)
            for match in await self._found(some, max(limit, _PORTION)):
                scores[match.chunk_id] = scores.get(match.chunk_id, 0.0) + match.score
        return ranked([Match(*one) for one in scores.items()], limit)

    async def search_phrase(
        self, phrase: str, limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Chunks in whose text the phrase's words follow each other; limit, order and filter as in `search`."""
        corpus = await self._settled()
        variants = await corpus.variants()

        def analysed() -> list[str]:
            forms = {tokens(corpus.analyzer.phrase_terms(phrase, one)) for one in variants}
            return sorted(form for form in forms if form)

        forms = await asyncio.to_thread(analysed)
        return await self._found(with_phrases(forms, filter), limit) if forms and limit > 0 else []

    async def _found(self, stages: Sequence[Stage], limit: int) -> list[Match]:
        return await self._corpus.best(limit, lambda wanted: _first(stages, wanted), float)


class MongoVectorBackend(MongoBackend):
    """One collection of records.

    Attributes:
        capabilities: All filters, native hybrid search and persistence.
    """

    capabilities = ALL_FILTERS | {Capability.NATIVE_HYBRID, Capability.PERSISTENT}

    def __init__(self, config: MongoVectorConfig) -> None:
        super().__init__(config, "vector")
        self._config = config
        self._fuses = True

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the collection, or make it.

        Raises:
            IndexMismatchError: It was made for another spec or analysis, and `reset` is false.
            StoreError: The server does not answer or cannot search, or somebody else made the collection.
        """
        self._spec = None
        manifest = make_manifest(SCHEMA, spec, analyzer=self._corpus.analyzer.fingerprint)
        await self._corpus.prepare(manifest, spec.dimensions, reset=reset)
        self._fuses = await fuses(self._corpus.connection)
        self._spec = spec

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in batches; one with a known id replaces it whole.

        Raises:
            PartialWriteError: The server would not take some, or failed after it had taken others.
            StoreError: A vector is missing or wrong, or the server failed; nothing was written.
        """
        corpus, dimensions = self._opened, self._dimensions
        if records:
            last = unique_records(records)
            await corpus.write(last, await asyncio.to_thread(unit_vectors, last, dimensions))

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Up to `limit` matches by cosine similarity, best first, ties by chunk id; 10,000 at most.

        Records whose vector has length 0 are left out.

        Raises:
            QueryError: The vector is not of the index's dimensions.
        """
        query = unit_query(vector, self._dimensions)
        if limit < 1:
            return []
        if not query.any():  # nothing is similar to it: the first by id, which score 0
            found = await self._corpus.documents_of(
                selection(filter), ["_id"], limit=limit, by=["_id"]
            )
            return [Match(from_store_text(one["_id"]), 0.0) for one in found]
        return await self._nearest(query, limit, filter)

    async def hybrid_search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        weights: Mapping[str, float],
        filter: Filter | None = None,
    ) -> Sequence[Match]:
        """The text by BM25 and the vector by cosine, fused by their ranks: by the server in one request, or here from two where it cannot.

        A leg with no weight or nothing to look for takes no part.

        Raises:
            QueryError: The vector is not of the index's dimensions.
            ValueError: `weights` has none for `semantic` or `keyword`, or a negative one.
        """
        query = unit_query(vector, self._dimensions)
        require_weights(weights)
        corpus = await self._settled()
        terms = (await corpus.terms(text))[:_MOST_TERMS]
        semantic = float(weights["semantic"]) if query.any() else 0.0
        keyword = float(weights["keyword"]) if terms else 0.0
        if limit < 1 or not semantic + keyword:
            return []
        if not keyword:
            return await self._nearest(query, limit, filter)
        by_words = with_words(tokens(terms), filter)
        if not semantic:
            return await self._worded(by_words, limit)
        depth = min(max(limit, _DEPTH), MOST_HITS)
        if self._fuses:
            legs = nearest(query, depth, filter, self._config), [*by_words, {"$limit": depth}]
            stages = [*fused(*legs, semantic, keyword), {"$limit": depth}, scored("score")]
            try:
                return (await corpus.matches(stages, float))[:limit]
            except RefusedError as error:
                if error.code not in NO_FUSION:
                    raise
                self._fuses = False  # another server of the deployment, which is being updated
        rankings = await asyncio.gather(
            self._nearest(query, depth, filter), self._worded(by_words, depth)
        )
        ids = [[match.chunk_id for match in ranking] for ranking in rankings]
        best = reciprocal_rank_fusion(ids, _RANK_CONSTANT, [semantic, keyword])
        return [Match(chunk_id, score) for chunk_id, score in best[:limit]]

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, in the order asked for, unknown ids left out; with their vectors if asked."""
        read = await self._opened.read(ids, _fields(vectors))
        found = {record.id: record for record in await self._records(read, vectors)}
        return [found[one] for one in ids if one in found]

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Up to `limit` records that the filter selects, by source and position in the document."""
        corpus = self._opened
        if limit < 1:
            return []
        found = await corpus.documents_of(selection(filter), _fields(False), limit=limit)
        return await self._records(found, False)

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages."""
        page, condition = _VECTOR_PAGE if vectors else _PAGE, RECORDS
        while True:
            found = await self._opened.documents_of(
                condition, _fields(vectors), limit=page, by=["_id"]
            )
            if found:
                yield await self._records(found, vectors)
            if len(found) < page:
                return
            condition = {"_id": {"$gt": found[-1]["_id"]}}

    @property
    def _dimensions(self) -> int:
        assert self._opened
        assert self._spec is not None
        return self._spec.dimensions

    async def _nearest(
        self, query: NDArray[np.float32], limit: int, filter: Filter | None
    ) -> list[Match]:
        corpus = await self._settled()

        def search(wanted: int) -> list[Stage]:
            return [*nearest(query, wanted, filter, self._config), scored("vectorSearchScore")]

        return await corpus.best(limit, search, _cosine)

    async def _worded(self, by_words: Sequence[Stage], limit: int) -> list[Match]:
        return await self._corpus.best(limit, lambda wanted: _first(by_words, wanted), float)

    async def _records(self, found: Sequence[Mapping[str, Any]], vectors: bool) -> list[Record]:
        dimensions = self._dimensions

        def read() -> list[Record]:
            return [
                Record.from_json(
                    one["record"], unpacked(one.get("vector"), dimensions) if vectors else None
                )
                for one in found
            ]

        return await asyncio.to_thread(read)


def _first(stages: Sequence[Stage], wanted: int) -> list[Stage]:
    """The stages that find the best by words."""
    return [*stages, {"$limit": wanted}, scored("searchScore")]


def _fields(vectors: bool) -> list[str]:
    return ["record", "vector"] if vectors else ["record"]


def _cosine(score: float) -> float:
    """The cosine, of which MongoDB's score is `(1 + cosine) / 2`."""
    return min(max(2.0 * score - 1.0, -1.0), 1.0)
