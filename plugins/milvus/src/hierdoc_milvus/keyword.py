"""The keyword backend `milvus`: BM25 over terms of hierdoc's analyzer."""

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
from hierdoc_milvus import MilvusConfig
from hierdoc_milvus.collection import MOST_HITS, Collection, matched
from hierdoc_milvus.rows import SCHEMA, selection

T = TypeVar("T")


class MilvusKeywordBackend:
    """One collection of terms.

    Attributes:
        capabilities: All filters and persistence; several processes on a server.
    """

    def __init__(self, config: MilvusConfig) -> None:
        self.capabilities = ALL_FILTERS | {
            Capability.PERSISTENT,
            *([] if config.path is not None else [Capability.MULTI_PROCESS]),
        }
        self._bm25 = [config.k1, config.b]
        self._collection = Collection(config, "keyword")
        self._worker = Worker("hierdoc-milvus-keyword")
        self._open = False

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the collection, or make it; any spec will do.

        Raises:
            IndexMismatchError: It was made for another analysis or formula, and `reset` is false.
            StoreError: The server does not answer or is too old, or somebody else made the collection.
        """

        def work() -> None:
            self._open = False
            analyzer = self._collection.analyzer.fingerprint
            manifest = make_manifest(SCHEMA, analyzer=analyzer, bm25=self._bm25)
            with self._collection.connection.reported():
                self._collection.prepare(manifest, None, {}, reset=reset)
            self._open = True

        await self._worker.run(work)

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in batches; one with a known id replaces it whole.

        Raises:
            PartialWriteError: The server failed after it had taken some.
            StoreError: The server failed; nothing was written.
        """
        await self._run(lambda: self._collection.write(unique_records(records)))

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents; unknown ones are no error."""
        await self._run(lambda: self._collection.delete(list(dict.fromkeys(sources))))

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Sequence[Match]:
        """Up to `limit` matches by BM25, best first, ties by chunk id; 16,384 at most."""
        expression = selection(filter)

        def work() -> list[Match]:
            words = self._collection.words(text)
            if not words or limit < 1:
                return []

            def search(wanted: int) -> list[Match]:
                return matched(
                    self._collection.search(
                        wanted,
                        expression,
                        data=[words],
                        anns_field="sparse",
                        search_params={"metric_type": "BM25"},
                    )
                )

            return best_matches(search, limit, MOST_HITS)

        return await self._run(work)

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        return await self._run(self._collection.documents)

    async def count(self) -> int:
        """The number of records."""
        return await self._run(self._collection.count)

    async def aclose(self) -> None:
        """Close the connection; calling it again does nothing."""

        def work() -> None:
            with self._collection.connection.reported():
                self._collection.connection.close()

        await self._worker.aclose(work)

    async def _run(self, work: Callable[[], T]) -> T:
        def opened() -> T:
            if not self._open:
                raise StoreError("milvus: the index is not open", hint="Call `prepare` first.")
            with self._collection.connection.reported():
                return work()

        return await self._worker.run(opened)
