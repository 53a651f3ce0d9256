"""The vector backend over a Chroma collection; Chroma's client is synchronous and does its work in one thread."""

from __future__ import annotations

import json
import logging
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
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
    to_store_text,
    unique_records,
    unit_query,
    unit_vectors,
)
from hierdoc_chromadb import ChromadbConfig, rows
from hierdoc_chromadb.server import PatientClient, is_passing

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")

SCHEMA_VERSION = 2
"""Raised with every change of what stands in an entry."""

_FIRST_PAUSE = 0.2
"""Seconds before the second attempt; each further one waits twice as long."""

_BATCH = 100
"""Entries that are written or read at a time."""

# It says that it cannot send what it was told not to send.
logging.getLogger("chromadb.telemetry.product.posthog").disabled = True


class ChromadbBackend:
    """One collection, its vectors in Chroma's HNSW index with cosine distance."""

    def __init__(self, config: ChromadbConfig) -> None:
        self._config = config
        self._name = config.collection
        self._place = config.url or ("memory" if config.in_memory else str(config.path / "chroma"))
        if config.in_memory:  # all clients in memory of a process share their collections
            self._name = f"hierdoc-{uuid.uuid4().hex}"
        self._worker = Worker("hierdoc-chromadb")
        self._client: Any = None
        self._collection: Any = None
        self._spec = IndexSpec("", 0)
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
        collection = self._open
        last = unique_records(records)
        vectors = await self._run(lambda: unit_vectors(last, self._spec.dimensions))
        for start in range(0, len(last), _BATCH):
            batch = last[start : start + _BATCH]
            try:
                await self._run(partial(_put, collection, batch, vectors[start : start + _BATCH]))
            except StoreError as error:
                raise PartialWriteError(
                    f"{error}; {len(last) - start} of {len(last)} records were not written",
                    failed={record.id: str(error) for record in last[start:]},
                    hint=error.hint,
                ) from error

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents; unknown ones are no error."""
        collection = self._open
        names = [to_store_text(source) for source in dict.fromkeys(sources)]
        for some in _batches(names):
            ids = await self._run(partial(_ids, collection, {"source": {"$in": list(some)}}))
            for batch in _batches(ids):
                await self._run(partial(collection.delete, ids=list(batch)))

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Up to `limit` matches by cosine similarity, best first, ties by chunk id.

        Where Chroma's approximate index gives fewer than there are, all that the filter selects are compared.

        Raises:
            QueryError: The vector is not of the index's dimensions.
        """
        collection, query = self._open, unit_query(vector, self._spec.dimensions)
        condition = True if filter is None else rows.where(filter)
        if limit < 1 or condition is False:
            return []
        return await self._run(partial(_nearest, collection, query, limit, condition))

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, in the order asked for, unknown ids left out; with their vectors if asked."""
        collection = self._open
        found: dict[str, Record] = {}
        for batch in _batches(list(dict.fromkeys(ids))):
            entries = [rows.entry_id(one) for one in batch]
            records = await self._run(partial(_records, collection, entries, vectors))
            found |= {record.id: record for record in records}
        return [found[one] for one in ids if one in found]

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Up to `limit` records that the filter selects, by source and position in the document."""
        collection, condition = self._open, rows.where(filter)
        if limit < 1 or condition is False:
            return []
        places = []
        for batch in _batches(await self._run(partial(_ids, collection, condition))):
            for one, about in await self._run(partial(_about, collection, batch)):
                places.append((about["source"], about["ordinal"], one))
        places.sort()
        found: list[Record] = []
        for some in _batches(places[:limit]):
            entries = [one for _, _, one in some]
            found += await self._run(partial(_records, collection, entries, False))
        return found

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages; what is deleted meanwhile is left out."""
        collection = self._open
        for batch in _batches(await self._run(partial(_ids, collection, True))):
            if records := await self._run(partial(_records, collection, batch, vectors)):
                yield records

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        collection = self._open
        columns = ("source", "content_hash", "fingerprint", "records")
        held: list[Any] = []
        for batch in _batches(await self._run(partial(_ids, collection, True))):
            for _, about in await self._run(partial(_about, collection, batch)):
                held.append((*(about[name] for name in columns), 1))
        return states_from_rows(held)

    async def count(self) -> int:
        """The number of records."""
        return await self._run(self._open.count)

    async def aclose(self) -> None:
        """Let go of the client and the thread; calling it again does nothing."""
        if self._closed:
            return
        self._closed = True
        await self._worker.aclose(self._disconnect)

    @property
    def _open(self) -> Any:
        if self._closed:
            raise StoreError("chromadb: the index is closed", hint="Open it again.")
        if self._collection is None:
            raise StoreError("chromadb: the index is not open", hint="Call `prepare` first.")
        return self._collection

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
        try:
            collection = client.get_collection(self._name, embedding_function=None)
        except (NotFoundError, ValueError):
            collection = None
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
            collection = client.create_collection(
                self._name,
                metadata={"hierdoc": json.dumps(about)},
                configuration={
                    "hnsw": {
                        "space": "cosine",
                        "ef_construction": self._config.ef_construction,
                        "ef_search": self._config.ef_search,
                        "max_neighbors": self._config.max_neighbors,
                    }
                },
                embedding_function=None,
            )
        self._collection, self._spec = collection, spec


def _put(collection: Any, records: Sequence[Record], vectors: NDArray[np.float32]) -> None:
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
