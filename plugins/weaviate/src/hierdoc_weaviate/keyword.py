"""The keyword backend `weaviate`: BM25 over terms of hierdoc's analyzer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hierdoc import Analyzer, Filter, Match, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    DocumentVersion,
    IndexSpec,
    Record,
    best_matches_async,
    document_states,
    make_manifest,
    read_state_key,
    record_terms,
    tag,
    unique_records,
)
from hierdoc_weaviate import WeaviateConfig
from hierdoc_weaviate.connection import Connection
from hierdoc_weaviate.corpus import MOST_HITS, Corpus
from hierdoc_weaviate.objects import (
    SCHEMA,
    WORDS,
    chunk_id_of,
    has_any,
    make_object,
    selection,
    text_of,
)
from hierdoc_weaviate.protocol import base_search_pb2

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hierdoc_weaviate.protocol import batch_pb2

_SLICE = 2000
"""Records that are analysed before they are sent."""

_MOST_SOURCES = 500
"""Documents deleted in one request."""

_VARIANTS_FOR = 60.0
"""Seconds for which it is remembered which languages other processes have added."""


class WeaviateBackend:
    """What both backends have in common: a collection, or a tenant of one.

    Args:
        config: The server, and how texts are indexed.
        kind: `keyword` or `vector`.
    """

    def __init__(self, config: WeaviateConfig, kind: str) -> None:
        self._connection = Connection(config)
        self._corpus = Corpus(self._connection, config, kind)
        self._analyzer = Analyzer(config.language)
        self._variants: frozenset[str] = frozenset()
        self._variants_until = 0.0

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents; unknown ones are no error."""
        self._corpus.require_open()
        unique = list(dict.fromkeys(sources))
        for start in range(0, len(unique), _MOST_SOURCES):
            some = unique[start : start + _MOST_SOURCES]
            await self._corpus.drop_doubtful(some)
            await self._corpus.delete(has_any("tags", [tag("source", one) for one in some]))

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source; of one whose records are being written it is not known at which version."""
        marked = frozenset().union(*(await self._corpus.marks()).values())
        counts: dict[str, int] = {}
        async for page in self._corpus.all(["state"]):
            for hit in page:
                state = text_of(hit, "state")
                counts[state] = counts.get(state, 0) + 1
        held = document_states(await asyncio.to_thread(_states, counts))
        unsure = {
            source: DocumentState(None, held[source].records) for source in marked & held.keys()
        }
        return {**held, **unsure}

    async def count(self) -> int:
        """The number of records, from reading a field of all: Weaviate's own number may be off after it was killed."""
        self._corpus.require_open()
        return sum([len(page) async for page in self._corpus.all(["state"])])

    async def aclose(self) -> None:
        """Close the connections; calling it again does nothing."""
        await self._connection.aclose()

    async def _prepare(
        self, manifest: Mapping[str, Any], vectors: Mapping[str, Any], reset: bool
    ) -> None:
        await self._connection.require_version()
        await self._corpus.prepare(manifest, vectors, reset=reset)
        self._variants, self._variants_until = frozenset(), 0.0

    async def _write(
        self, records: Sequence[Record], vectors: NDArray[np.float32] | None = None
    ) -> None:
        """Write records, each with an id of its own, and their vectors."""
        failed: dict[str, str] = {}
        for start in range(0, len(records), _SLICE):
            part = records[start : start + _SLICE]
            some = None if vectors is None else vectors[start : start + _SLICE]
            sources = list(dict.fromkeys(record.chunk.source for record in part))
            refused: Mapping[int, str] | None = None
            try:
                objects = await asyncio.to_thread(self._objects, part, some)
                await self._corpus.drop_doubtful(sources)
                async with self._corpus.marked(sources):
                    refused = await self._corpus.write(objects)
            except StoreError as error:
                if not start and refused is None:
                    raise
                failed |= {record.id: str(error) for record in records[start:]}
                break
            failed |= {part[place].id: reason for place, reason in refused.items()}
        if failed:
            reason = next(iter(failed.values()))
            raise PartialWriteError(
                f"{self._corpus.place}: {len(failed)} of {len(records)} records were not written; "
                f"the first: {reason}",
                failed=failed,
                hint="Run `hierdoc ingest` again once the reason is out of the way.",
            )

    def _objects(
        self, records: Sequence[Record], vectors: NDArray[np.float32] | None
    ) -> list[batch_pb2.BatchObject]:
        objects = []
        for row, record in enumerate(records):
            terms = record_terms(record, self._analyzer)
            objects.append(make_object(record, terms, None if vectors is None else vectors[row]))
            self._variants |= {terms.variant}
        return objects

    async def _words(self, text: str) -> str:
        """The terms of a query, as Weaviate takes them."""
        if time.monotonic() >= self._variants_until:
            self._variants |= await self._corpus.unknown_variants(self._variants)
            self._variants_until = time.monotonic() + _VARIANTS_FOR
        variants = self._variants
        return " ".join(await asyncio.to_thread(self._analyzer.query_terms, text, variants))


class WeaviateKeywordBackend(WeaviateBackend):
    """One collection of terms, or one tenant of it.

    Attributes:
        capabilities: All filters, persistence and several processes.
    """

    capabilities = ALL_FILTERS | {Capability.PERSISTENT, Capability.MULTI_PROCESS}

    def __init__(self, config: WeaviateConfig) -> None:
        super().__init__(config, "keyword")

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the collection, or make it; any spec will do.

        Raises:
            IndexMismatchError: It was made for another analysis or formula, and `reset` is false.
            StoreError: The server does not answer or is too old, or somebody else made the collection.
        """
        manifest = make_manifest(SCHEMA, analyzer=self._analyzer.fingerprint)
        nothing = {"vectorizer": "none", "vectorIndexConfig": {"skip": True}}
        await self._prepare(manifest, nothing, reset)

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in batches; one with a known id replaces it whole.

        Raises:
            PartialWriteError: The server would not take some, or failed after it had taken others.
            StoreError: The server failed; nothing was written.
        """
        self._corpus.require_open()
        await self._write(unique_records(records))

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Sequence[Match]:
        """Up to `limit` matches by BM25, best first, ties by chunk id; 10,000 at most."""
        self._corpus.require_open()
        words = await self._words(text)
        if not words or limit < 1:
            return []

        async def search(wanted: int) -> list[Match]:
            hits = await self._corpus.search(
                ["chunk_id"],
                wanted,
                bm25_search=base_search_pb2.BM25(query=words, properties=[WORDS]),
                metadata={"score": True},
                filters=None if filter is None else selection(filter),
            )
            return await asyncio.to_thread(scored, hits)

        # Asked for few hits, it prunes the best of what was just written; see the README's limits.
        found = await best_matches_async(search, max(limit, _FEWEST), MOST_HITS)
        return found[:limit]


_FEWEST = 100
"""Hits that are asked for at least."""


def scored(hits: Sequence[Any]) -> list[Match]:
    """Hits as matches, by Weaviate's score."""
    return [Match(chunk_id_of(hit), float(hit.metadata.score)) for hit in hits]


def _states(counts: Mapping[str, int]) -> list[tuple[str, DocumentVersion, int]]:
    return [(*read_state_key(state), records) for state, records in counts.items()]
