"""The keyword backend `redis`: BM25 over terms of hierdoc's analyzer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from hierdoc import Filter, Match, StoreError
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    Worker,
    best_matches,
    make_manifest,
    unique_records,
)
from hierdoc_redis import RedisConfig
from hierdoc_redis.corpus import MOST_HITS, Corpus
from hierdoc_redis.hashes import SCHEMA

T = TypeVar("T")


class RedisKeywordBackend:
    """The terms of one corpus.

    Attributes:
        capabilities: All filters, persistence and several processes.
    """

    capabilities = ALL_FILTERS | {Capability.PERSISTENT, Capability.MULTI_PROCESS}

    def __init__(self, config: RedisConfig) -> None:
        self._corpus = Corpus(config, "keyword")
        self._worker = Worker("hierdoc-redis-keyword")
        self._open = False

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the index, or make it; any spec will do.

        Raises:
            IndexMismatchError: It was made for another analysis, and `reset` is false.
            StoreError: The server does not answer or cannot search, or somebody else made the index.
        """

        def work() -> None:
            self._open = False
            manifest = make_manifest(SCHEMA, analyzer=self._corpus.analyzer.fingerprint)
            with self._corpus.connection.reported():
                self._corpus.prepare(manifest, None, reset=reset)
            self._open = True

        await self._worker.run(work)

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in batches; one with a known id replaces it whole.

        Raises:
            PartialWriteError: The server failed after it had taken some.
            StoreError: The server failed; nothing was written.
        """
        await self._run(lambda: self._corpus.write(unique_records(records)))

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents; unknown ones are no error."""
        await self._run(lambda: self._corpus.delete(list(dict.fromkeys(sources))))

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Sequence[Match]:
        """Up to `limit` matches by BM25, best first, ties by chunk id; 10,000 at most."""

        def work() -> list[Match]:
            terms = self._corpus.terms(text)
            if not terms or limit < 1:
                return []
            return best_matches(
                lambda wanted: self._corpus.by_words(terms, wanted, filter), limit, MOST_HITS
            )

        return await self._run(work)

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        return await self._run(self._corpus.documents)

    async def count(self) -> int:
        """The number of records."""
        return await self._run(self._corpus.count)

    async def aclose(self) -> None:
        """Close the connection; calling it again does nothing."""

        def work() -> None:
            with self._corpus.connection.reported():
                self._corpus.connection.close()

        await self._worker.aclose(work)

    async def _run(self, work: Callable[[], T]) -> T:
        def opened() -> T:
            if not self._open:
                raise StoreError("redis: the index is not open", hint="Call `prepare` first.")
            with self._corpus.connection.reported():
                return work()

        return await self._worker.run(opened)
