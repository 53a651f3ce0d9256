"""The vector backend: a collection of Semantic Kernel's finds vectors, a manifest in SQLite holds all else.

Connectors delete by key alone, do not count, scan only in part, and differ in what a score means, what a filter selects, and what an upsert does. So
the manifest is the truth: records, versions, filters, vectors. The collection holds keys and vectors, which are made of it again wherever they are
missing. A key is a digest of the record's id and vector: it is written once and never changed, so it does not matter whether a connector
replaces or adds. What the collection finds is scored anew by the manifest's vectors.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import threading
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from semantic_kernel.data.vector import (
    DistanceFunction,
    IndexKind,
    VectorStoreCollection,
    VectorStoreCollectionDefinition,
    VectorStoreField,
)

from hierdoc import ConfigError, Filter, Match, QueryError, StoreError
from hierdoc.filters import In
from hierdoc.plugin import DocumentState, IndexSpec, Record, masked
from hierdoc_semantic_kernel import CollectionConfig
from hierdoc_semantic_kernel.named import made
from hierdoc_sqlite.backend import SqliteVectorBackend

T = TypeVar("T")

_MORE = 16
"""Vectors that a search asks for beyond its limit, to see whether others tie with the last."""

_STALE = 1_000
"""Vectors without a record that a collection may hold which deletes none; so many, or as many as it needs."""

_SAME = 1e-6
"""Cosines that differ by less may be in another order at the connector."""


class CollectionBackend:
    """A collection and its manifest.

    Args:
        config: Which connector, and where the manifest is.
    """

    def __init__(self, config: CollectionConfig) -> None:
        self.capabilities = config.capabilities
        self._config = config
        self._manifest = SqliteVectorBackend(config.path / "semantic-kernel" / config.collection)
        self._thread = _LoopThread()
        self._lock = asyncio.Lock()
        self._collection: Any = None
        self._dimensions = 0
        self._key_of: dict[str, str] = {}
        self._id_of: dict[str, str] = {}
        self._held: set[str] = set()
        self._in_step = False

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the manifest, and make the collection hold its vectors.

        Raises:
            IndexMismatchError: The manifest was made for another spec, and `reset` is false.
            StoreError: The connector fails.
        """
        async with self._lock:
            self._in_step = False
            await self._manifest.prepare(spec, reset=reset)
            self._dimensions = spec.dimensions
            self._collection = await self._ask(self._made(spec.dimensions))
            if reset:
                await self._ask(self._collection.ensure_collection_deleted())
            await self._ask(self._collection.ensure_collection_exists())
            await self._follow()

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records to the manifest, then their vectors to the collection."""
        async with self._changing():
            await self._manifest.upsert(records)
            await self._take_in(records)

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents."""
        async with self._changing():
            gone = await self._manifest.find(In("source", sources), await self._manifest.count())
            await self._manifest.delete_documents(sources)
            for record in gone:
                self._id_of.pop(self._key_of.pop(record.id, ""), None)
            await self._forget()

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """The best matches by cosine; with a filter those of the manifest alone, since connectors filter after they have searched.

        Raises:
            QueryError: The vector is not of the index's dimensions.
        """
        if filter is not None or not np.any(vector) or limit < 1:
            return await self._manifest.search(vector, limit, filter)
        if len(vector) != self._dimensions:
            raise QueryError(f"a vector of {len(vector)}, not {self._dimensions} dimensions")
        if not self._in_step:
            async with self._changing():
                pass
        if not self._id_of:  # faiss's connector fails where it holds nothing
            return []
        top = limit + _MORE + len(self._held) - len(self._id_of)
        while True:
            keys = await self._found(vector, top)
            matches = await self._scored(vector, [key for key in keys if key in self._id_of])
            complete = len(matches) > limit and matches[-1].score < matches[limit - 1].score - _SAME
            if complete or len(matches) >= len(self._id_of):
                return matches[:limit]
            if len(keys) < top:  # an approximate index does not reach what is left
                return await self._manifest.search(vector, limit)
            top *= 4

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id."""
        return await self._manifest.get(ids, vectors=vectors)

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Records that the filter selects."""
        return await self._manifest.find(filter, limit)

    async def find_each(self, requests: Sequence[tuple[Filter, int]]) -> Sequence[Sequence[Record]]:
        """What `find` gives for each."""
        return await self._manifest.find_each(requests)

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages."""
        async for page in self._manifest.scan(vectors=vectors):
            yield page

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document."""
        return await self._manifest.documents()

    async def count(self) -> int:
        """The number of records."""
        return await self._manifest.count()

    async def aclose(self) -> None:
        """Let go of the connector's client, its thread and the manifest."""
        collection, self._collection = self._collection, None
        try:
            if collection is not None:
                await self._ask(_closed(collection))
        finally:
            self._thread.close()
            await self._manifest.aclose()

    async def _made(self, dimensions: int) -> Any:
        """The collection; made in the thread whose loop its client belongs to."""
        config = self._config
        try:
            distance = DistanceFunction(config.distance)
            kind = IndexKind(config.index_kind)
        except ValueError as error:
            raise ConfigError(f"semantic-kernel: {error}") from error
        definition = VectorStoreCollectionDefinition(
            fields=[
                VectorStoreField("key", name="id", type="str"),
                VectorStoreField(
                    "vector",
                    name="vector",
                    type="float",
                    dimensions=dimensions,
                    distance_function=distance,
                    index_kind=kind,
                ),
            ]
        )
        base: type[VectorStoreCollection[Any, Any]] = VectorStoreCollection
        return made(
            config.connector,
            base,
            config.arguments,
            config.secrets,
            record_type=dict,
            definition=definition,
            collection_name=config.collection,
        )

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[None]:
        """One change at a time, of a collection that is in step with the manifest; one that fails leaves it out of step."""
        async with self._lock:
            if not self._in_step:
                await self._follow()
            self._in_step = False
            yield
            self._in_step = True

    async def _follow(self) -> None:
        """Make the collection hold the manifest's vectors, whatever it holds."""
        self._key_of, self._id_of, self._held = {}, {}, set()
        async for page in self._manifest.scan(vectors=True):
            keys = [key for key in await asyncio.to_thread(_keys, page) if key]
            for some in _batches(keys, self._config.batch_size):
                held = await self._change(self._collection.get(keys=list(some)))
                rows = [held] if isinstance(held, Mapping) else held or []
                self._held.update(row["id"] for row in rows)
            await self._take_in(page)
        self._in_step = True

    async def _take_in(self, records: Sequence[Record]) -> None:
        """Write the vectors of records that are in the manifest, as far as the collection lacks them."""
        for some in _batches(records, self._config.batch_size):
            missing: dict[str, NDArray[np.float32]] = {}
            for record, key in zip(some, await asyncio.to_thread(_keys, some), strict=True):
                self._id_of.pop(self._key_of.pop(record.id, ""), None)
                if key is not None:
                    self._key_of[record.id], self._id_of[key] = key, record.id
                    if key not in self._held and record.vector is not None:
                        missing[key] = record.vector
            await self._write(missing)
        await self._forget()

    async def _write(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        for some in _batches(list(vectors), self._config.batch_size):
            rows = await asyncio.to_thread(_rows, {key: vectors[key] for key in some})
            await self._change(self._collection.upsert(rows))
            self._held.update(some)

    async def _forget(self) -> None:
        """Let go of vectors that have no record any more."""
        stale = self._held - self._id_of.keys()
        deletes = self._config.deletes
        if deletes is None:
            deletes = not self._config.connector.endswith(":FaissCollection")
        if deletes:
            for some in _batches(sorted(stale), self._config.batch_size):
                await self._change(self._collection.delete(list(some)))
            self._held -= stale
        elif len(stale) > max(_STALE, len(self._id_of)):
            await self._change(self._collection.ensure_collection_deleted())
            await self._change(self._collection.ensure_collection_exists())
            self._held = set()
            async for page in self._manifest.scan(vectors=True):
                await self._write(
                    {
                        key: one.vector
                        for one in page
                        if one.vector is not None and (key := self._key_of.get(one.id))
                    }
                )

    async def _found(self, vector: NDArray[np.float32], top: int) -> list[str]:
        """Keys that the connector finds, nearest first."""

        async def search() -> list[str]:
            found = await self._collection.search(vector=vector.tolist(), top=top)
            return [str(one.record["id"]) async for one in found.results]

        return list(await self._ask(search()))

    async def _scored(self, vector: NDArray[np.float32], keys: Sequence[str]) -> list[Match]:
        """The matches of keys by cosine, best first, ties by id."""
        ids = [self._id_of[key] for key in keys]
        records = await self._manifest.get(ids, vectors=True)
        scored = [
            Match(one.id, float(np.dot(one.vector, vector)))
            for one in records
            if one.vector is not None
        ]
        return sorted(scored, key=lambda match: (-match.score, match.chunk_id))

    async def _change(self, work: Coroutine[Any, Any, T]) -> T:
        """The same for calls that come one after the other, also where nobody waits for the one before any more."""
        return await self._ask(work, in_turn=True)

    async def _ask(self, work: Coroutine[Any, Any, T], *, in_turn: bool = False) -> T:
        """What a call of the connector gives.

        Raises:
            StoreError: It fails.
        """
        try:
            return await self._thread.run(work, in_turn=in_turn)
        except (ConfigError, ImportError):
            raise
        except Exception as error:
            said = masked(f"{type(error).__name__}: {error}", list(self._config.secrets.values()))
            raise StoreError(f"semantic-kernel: {self._config.connector} fails: {said}") from None


class _LoopThread:
    """A thread with a loop of its own: connectors that only call themselves asynchronous hold no other up."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn = asyncio.Lock()

    async def run(self, work: Coroutine[Any, Any, T], *, in_turn: bool) -> T:
        """What a coroutine gives, run to its end also where it is not waited for any more.

        Args:
            work: It.
            in_turn: Whether it waits for those like it that came before.
        """
        if self._loop is None:
            self._loop, self._turn = asyncio.new_event_loop(), asyncio.Lock()
            name = "hierdoc-semantic-kernel"
            threading.Thread(target=_run, args=(self._loop,), name=name, daemon=True).start()

        async def after_others() -> T:
            async with self._turn:
                return await work

        future = asyncio.run_coroutine_threadsafe(after_others() if in_turn else work, self._loop)
        return await asyncio.shield(asyncio.wrap_future(future))

    def close(self) -> None:
        """End the thread."""
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)


async def _closed(collection: Any) -> None:
    """Let a connector close its client, and do what it leaves undone, as that of Chroma does."""
    await collection.__aexit__(None, None, None)
    close = getattr(getattr(collection, "client", None), "close", None)
    if collection.managed_client and close and not inspect.iscoroutinefunction(close):
        close()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def _keys(records: Sequence[Record]) -> list[str | None]:
    """The key of each record's vector; None for one without length: nothing is similar to it, and connectors divide by its length."""
    return [
        None
        if record.vector is None or not np.any(record.vector)
        else _key(record.id, record.vector)
        for record in records
    ]


def _key(id: str, vector: NDArray[np.float32]) -> str:
    digest = hashlib.blake2b(id.encode("utf-8", "surrogatepass"), digest_size=16)
    digest.update(vector.astype("<f4").tobytes())
    return digest.hexdigest()


def _rows(vectors: Mapping[str, NDArray[np.float32]]) -> list[dict[str, Any]]:
    return [{"id": key, "vector": vector.tolist()} for key, vector in vectors.items()]


def _batches(items: Sequence[T], size: int) -> Iterable[Sequence[T]]:
    return (items[start : start + size] for start in range(0, len(items), size))
