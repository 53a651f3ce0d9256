"""The vector backend over a Chroma collection; Chroma's client is synchronous and does its work in one thread."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import urlsplit

import chromadb
import numpy as np
from chromadb.config import Settings
from chromadb.errors import NotFoundError

from hierdoc import Filter, HierdocError, Match, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    Worker,
    from_store_text,
    make_manifest,
    make_private_folder,
    masked,
    require_manifest,
    states_from_rows,
    tag,
    to_store_text,
    unique_records,
    unit_query,
    unit_vectors,
)
from hierdoc_chromadb import ChromadbConfig, files, rows
from hierdoc_chromadb.server import PatientClient, is_passing

if TYPE_CHECKING:
    from numpy.typing import NDArray

P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger(__name__)

SCHEMA_VERSION = 2
"""Raised with every change of what stands in an entry."""

_FIRST_PAUSE = 0.2
"""Seconds before the second attempt; each further one waits twice as long."""

_BATCH = 100
"""Entries that are written or read at a time."""

_MOST_DEAD = 1_000
"""Vectors of deleted entries that a small collection may keep; a large one may keep as many as it has entries."""

# It says that it cannot send what it was told not to send.
logging.getLogger("chromadb.telemetry.product.posthog").disabled = True


class ChromadbBackend:
    """One collection, its vectors, of length 1, in Chroma's HNSW index by inner product, which is their cosine."""

    def __init__(self, config: ChromadbConfig) -> None:
        self._config = config
        self._name = config.collection
        self._place = config.url or ("memory" if config.in_memory else str(config.path / "chroma"))
        if config.in_memory:  # all clients in memory of a process share their collections
            self._name = f"hierdoc-{uuid.uuid4().hex}"
        self._anew = f"hierdoc-anew-{tag('collection', self._name)[:32]}"
        self._worker = Worker("hierdoc-chromadb")
        self._writing = asyncio.Lock()
        self._client: Any = None
        self._collection: Any = None
        self._spec = IndexSpec("", 0)
        self._deleted, self._look_at = 0, 1
        self._closed = False
        self.capabilities = ALL_FILTERS | {
            *([] if config.in_memory else [Capability.PERSISTENT]),
            *([Capability.MULTI_PROCESS] if config.url else []),
        }

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the collection, or make it.

        Raises:
            IndexMismatchError: It was made for something else, and `reset` is false.
            StoreError: The folder cannot be used, the server does not answer, or the collection is not of hierdoc.
        """
        await self._run(partial(self._prepare, spec, reset))

    async def heartbeat(self) -> None:
        """Raise StoreError unless Chroma answers."""
        await self._run(lambda: self._connect().heartbeat())

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in batches; one with a known id replaces it whole.

        Raises:
            StoreError: A vector is missing or wrong; nothing was written.
            PartialWriteError: Chroma failed; the records named, and only they, were not written.
        """
        self._require_open()
        last = unique_records(records)
        vectors = await self._run(lambda: unit_vectors(last, self._spec.dimensions))
        async with self._writing:
            for start in range(0, len(last), _BATCH):
                batch = last[start : start + _BATCH]
                try:
                    self._deleted += await self._ask(_put, batch, vectors[start : start + _BATCH])
                except StoreError as error:
                    raise PartialWriteError(
                        f"{error}; {len(last) - start} of {len(last)} records were not written",
                        failed={record.id: str(error) for record in last[start:]},
                        hint=error.hint,
                    ) from error
            await self._reclaim()

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents; unknown ones are no error."""
        self._require_open()
        names = [to_store_text(source) for source in dict.fromkeys(sources)]
        async with self._writing:
            for some in _batches(names):
                ids = await self._ask(_ids, {"source": {"$in": list(some)}})
                for batch in _batches(ids):
                    await self._ask(_delete, batch)
                    self._deleted += len(batch)
            await self._reclaim()

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Up to `limit` matches by cosine similarity, best first, ties by chunk id.

        Where Chroma's approximate index gives fewer than there are, all that the filter selects are compared.

        Raises:
            QueryError: The vector is not of the index's dimensions.
        """
        self._require_open()
        query = unit_query(vector, self._spec.dimensions)
        condition = True if filter is None else rows.where(filter)
        if limit < 1 or condition is False:
            return []
        return await self._ask(_nearest, query, limit, condition)

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, in the order asked for, unknown ids left out; with their vectors if asked."""
        self._require_open()
        found: dict[str, Record] = {}
        for batch in _batches(list(dict.fromkeys(ids))):
            entries = [rows.entry_id(one) for one in batch]
            records = await self._ask(_records, entries, vectors)
            found |= {record.id: record for record in records}
        return [found[one] for one in ids if one in found]

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Up to `limit` records that the filter selects, by source and position in the document."""
        self._require_open()
        condition = rows.where(filter)
        if limit < 1 or condition is False:
            return []
        places = []
        for batch in _batches(await self._ask(_ids, condition)):
            for one, about in await self._ask(_about, batch):
                places.append((about["source"], about["ordinal"], one))
        places.sort()
        found: list[Record] = []
        for some in _batches(places[:limit]):
            entries = [one for _, _, one in some]
            found += await self._ask(_records, entries, False)
        return found

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages; what is deleted meanwhile is left out."""
        for batch in _batches(await self._ask(_ids, True)):
            if records := await self._ask(_records, batch, vectors):
                yield records

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        columns = ("source", "content_hash", "fingerprint", "records")
        held: list[Any] = []
        for batch in _batches(await self._ask(_ids, True)):
            for _, about in await self._ask(_about, batch):
                held.append((*(about[name] for name in columns), 1))
        return states_from_rows(held)

    async def count(self) -> int:
        """The number of records."""
        return await self._ask(_count)

    async def aclose(self) -> None:
        """Let go of the client and the thread; calling it again does nothing."""
        if self._closed:
            return
        self._closed = True
        await self._worker.aclose(self._disconnect)

    def _require_open(self) -> None:
        if self._closed:
            raise StoreError("chromadb: the index is closed", hint="Open it again.")
        if self._collection is None:
            raise StoreError("chromadb: the index is not open", hint="Call `prepare` first.")

    async def _ask(
        self, work: Callable[Concatenate[Any, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """What `work` returns, called in the thread with the collection as it is then."""
        self._require_open()

        def ask() -> T:
            asked = self._collection
            try:
                return work(asked, *args, **kwargs)
            except NotFoundError:
                self._collection = self._find(self._name) or asked
                if self._config.url or self._collection.id == asked.id:
                    raise
            return work(self._collection, *args, **kwargs)  # another client has made it anew

        return await self._run(ask)

    async def _reclaim(self) -> None:
        """Make the collection anew once most of its index is of deleted entries, which Chroma never takes out of it."""
        if self._config.url or self._deleted < self._look_at:
            return
        self._look_at = self._deleted + _BATCH
        held = await self._ask(_count)
        dead = await self._run(self._dead)
        if dead <= max(held, _MOST_DEAD):
            return
        logger.info("chromadb: %d vectors of deleted entries are taken out", dead)
        try:
            anew = await self._run(self._create_anew)
            for batch in _batches(await self._ask(_ids, True)):
                await self._ask(_copy, batch, anew)
            await self._run(partial(self._take, anew))
        except StoreError as error:  # what was asked for is done
            logger.warning("deleted entries could not be taken out: %s", error)
        self._deleted, self._look_at = 0, 1

    def _dead(self) -> int:
        """How many vectors of deleted entries are kept, as far as files tell."""
        if self._config.in_memory:
            return self._deleted
        kept = files.count_vectors(self._config.path / "chroma", self._collection.id)
        return max(0, kept - _count(self._collection))

    def _create_anew(self) -> Any:
        with suppress(NotFoundError, ValueError):  # nothing was left by a process that was killed
            self._client.delete_collection(self._anew)
        return self._create(self._anew, self._spec)

    def _take(self, anew: Any) -> None:
        """Let the copy, which is complete, be the collection; `_prepare` goes on from here after a kill."""
        if _count(anew) != _count(self._collection):
            raise StoreError("chromadb: another client has changed the copy")
        self._client.delete_collection(self._name)
        self._collection = anew
        anew.modify(name=self._name)
        self._remove_orphans()

    def _remove_orphans(self) -> None:
        if not self._config.url and not self._config.in_memory:
            files.remove_orphans(self._config.path / "chroma")

    async def _run(self, work: Callable[[], T]) -> T:
        """Do it in the thread, and say in hierdoc's terms when Chroma fails."""

        def patient() -> T:
            for attempt in range(self._config.retries):
                try:
                    return work()
                except Exception as error:  # re-raised unless it may pass
                    if not self._config.url or not is_passing(error):
                        raise
                time.sleep(_FIRST_PAUSE * 2**attempt)
            return work()

        def reported() -> T:
            try:
                return patient()
            except HierdocError:
                raise
            except Exception as error:
                text = str(error).strip().split("\n")[0][:300] or type(error).__name__
                raise StoreError(
                    f"chromadb, {self._place}: {masked(text, list(self._config.headers.values()))}",
                    hint="See whether the server runs."
                    if self._config.url
                    else "See to the folder's permissions and free space.",
                ) from error

        return await self._worker.run(reported)

    def _connect(self) -> Any:
        if self._client is not None:
            return self._client
        settings = Settings(anonymized_telemetry=False)
        if self._config.url:
            parts = urlsplit(self._config.url)
            settings.chroma_api_impl = "chromadb.api.fastapi.FastAPI"
            settings.chroma_server_host = parts.hostname or "localhost"
            settings.chroma_server_http_port = parts.port or (
                443 if parts.scheme == "https" else 80
            )
            settings.chroma_server_ssl_enabled = parts.scheme == "https"
            settings.chroma_server_headers = {
                name: value.get_secret_value() for name, value in self._config.headers.items()
            }
            self._client = PatientClient(
                self._config.timeout, self._config.tenant, self._config.database, settings
            )
        elif self._config.in_memory:
            self._client = chromadb.EphemeralClient(settings=settings)
        else:
            folder = self._config.path / "chroma"
            make_private_folder(folder)
            self._client = chromadb.PersistentClient(path=str(folder.absolute()), settings=settings)
        return self._client

    def _disconnect(self) -> None:
        client, self._client, self._collection = self._client, None, None
        if client is None:
            return
        if self._config.in_memory:
            with suppress(NotFoundError, ValueError):  # never prepared
                client.delete_collection(self._name)
        for owner in (client, getattr(client, "_admin_client", None)):
            session = getattr(getattr(owner, "_server", None), "_session", None)
            if session is not None:  # Chroma leaves its connections to the server open
                session.close()
        if hasattr(client, "close"):  # since Chroma 1.3; before, a process keeps each folder open
            client.close()

    def _prepare(self, spec: IndexSpec, reset: bool) -> None:
        client = self._connect()
        about = make_manifest(SCHEMA_VERSION, spec)
        collection = self._find(self._name)
        anew = None if self._config.url else self._find(self._anew)
        if collection is None and anew is not None:
            anew.modify(name=self._name)
            collection = anew
        elif anew is not None:
            client.delete_collection(self._anew)
        if collection is not None:
            found = (collection.metadata or {}).get("hierdoc")
            if found is None:
                raise StoreError(
                    f"chromadb, {self._place}: the collection {self._name!r} is not of hierdoc",
                    hint="Choose another `collection`.",
                )
            if reset:
                client.delete_collection(self._name)
                collection = None
            else:
                place = f"chromadb: the collection {self._name!r}"
                require_manifest(
                    json.loads(found), about, place, or_else="name another `collection`"
                )
        if collection is None:
            collection = self._create(self._name, spec)
        self._collection, self._spec = collection, spec
        self._remove_orphans()

    def _find(self, name: str) -> Any:
        try:
            return self._client.get_collection(name, embedding_function=None)
        except (NotFoundError, ValueError):
            return None

    def _create(self, name: str, spec: IndexSpec) -> Any:
        return self._client.create_collection(
            name,
            metadata={"hierdoc": json.dumps(make_manifest(SCHEMA_VERSION, spec))},
            configuration={
                "hnsw": {
                    "space": "ip",  # of unit vectors their cosine; for "cosine" Chroma would scale them, a copy again
                    "ef_construction": self._config.ef_construction,
                    "ef_search": self._config.ef_search,
                    "max_neighbors": self._config.max_neighbors,
                }
            },
            embedding_function=None,
        )


def _count(collection: Any) -> int:
    held: int = collection.count()
    return held


def _put(collection: Any, records: Sequence[Record], vectors: NDArray[np.float32]) -> int:
    """Write records; how many entries were deleted for them."""
    ids = [rows.entry_id(record.id) for record in records]
    # Chroma merges the metadata of an entry that is written again: what the new record lacks would stay.
    old = collection.get(ids=ids, include=[])["ids"]
    if old:
        collection.delete(ids=old)
    collection.upsert(
        ids=ids,
        embeddings=vectors,
        metadatas=[rows.metadata(record) for record in records],
        documents=[record.to_json() for record in records],
    )
    return len(old)


def _delete(collection: Any, ids: Sequence[str]) -> None:
    collection.delete(ids=list(ids))


def _copy(collection: Any, ids: Sequence[str], to: Any) -> None:
    found = collection.get(ids=list(ids), include=["embeddings", "metadatas", "documents"])
    to.upsert(**{name: found[name] for name in ("ids", "embeddings", "metadatas", "documents")})


def _ids(collection: Any, condition: rows.Where | bool) -> list[str]:
    if condition is False:
        return []
    selected = {} if condition is True else {"where": condition}
    ids: list[str] = collection.get(include=[], **selected)["ids"]
    return ids


def _about(collection: Any, ids: Sequence[str]) -> list[tuple[str, Mapping[str, Any]]]:
    found = collection.get(ids=list(ids), include=["metadatas"])
    return list(zip(found["ids"], found["metadatas"], strict=True))


def _records(collection: Any, ids: Sequence[str], vectors: bool) -> list[Record]:
    """The records of these entries, in this order; what is not there is left out."""
    found = collection.get(
        ids=list(ids), include=["documents", *(["embeddings"] if vectors else [])]
    )
    numbers = found["embeddings"] if vectors else [None] * len(found["ids"])
    records = {
        one: Record.from_json(
            document or "", None if vector is None else np.array(vector, np.float32)
        )
        for one, document, vector in zip(found["ids"], found["documents"], numbers, strict=True)
    }
    return [records[one] for one in ids if one in records]


def _nearest(
    collection: Any, query: NDArray[np.float32], limit: int, condition: rows.Where | bool
) -> list[Match]:
    """The best by Chroma's index, with all that tie with the last; one by one where the index gives too few."""
    held = collection.count()
    wanted, selected = limit + 1, {} if condition is True else {"where": condition}
    while query.any() and held:
        found = collection.query(
            query_embeddings=[query], n_results=min(wanted, held), include=["distances"], **selected
        )
        pairs = list(zip(found["distances"][0], found["ids"][0], strict=True))
        if len(pairs) < wanted:  # all there are, or fewer
            break
        if pairs[-1][0] > pairs[limit - 1][0]:
            return _ranked(pairs, limit)
        wanted *= 4
    ids = _ids(collection, condition)
    if query.any() and held and len(pairs) == len(ids):
        return _ranked(pairs, limit)
    pairs = []
    for batch in _batches(ids):
        found = collection.get(ids=list(batch), include=["embeddings"])
        distances = 1 - np.asarray(found["embeddings"], np.float32) @ query
        pairs += zip(distances.tolist(), found["ids"], strict=True)
    return _ranked(pairs, limit)


def _ranked(pairs: Sequence[tuple[float, str]], limit: int) -> list[Match]:
    ranked = sorted(
        (-max(-1.0, min(1.0, 1 - distance)), from_store_text(one[1:])) for distance, one in pairs
    )
    return [Match(chunk_id, -negated) for negated, chunk_id in ranked[:limit]]


def _batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), _BATCH):
        yield items[start : start + _BATCH]
