"""One collection of a Weaviate, or one tenant of it: made, filled, emptied, counted, paged through.

What all tenants share stands in the collection's description: the schema and the parameters of BM25. What a tenant, or a collection
without tenants, is made for, above all the embedder, is an object in it: the manifest.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from hierdoc import Filter, IndexMismatchError, StoreError
from hierdoc.plugin import make_manifest, read_state_key, require_manifest
from hierdoc_weaviate import WeaviateConfig
from hierdoc_weaviate.connection import AnswerError, Connection
from hierdoc_weaviate.objects import (
    FIRST_ID,
    MANIFEST_ID,
    MARK_TAG,
    SCHEMA,
    VECTOR,
    after,
    all_of,
    has_any,
    has_none,
    make_manifest_object,
    make_mark,
    mark_tag,
    noted,
    properties,
    selection,
    text_of,
)
from hierdoc_weaviate.protocol import base_pb2, batch_delete_pb2, batch_pb2, search_get_pb2

MOST_HITS = 10_000
"""What a Weaviate returns of one search, and deletes in one request, by default."""

_PAGE = 1000
"""Objects in one answer."""

_BATCH_BYTES = 4_000_000
"""Of a request that writes; a server takes a hundred megabytes."""


class Corpus:
    """A collection, or a tenant of one.

    Args:
        connection: To the server.
        config: How it is made and written.
        kind: `keyword` or `vector`; ends the collection's name.
    """

    def __init__(self, connection: Connection, config: WeaviateConfig, kind: str) -> None:
        self._connection = connection
        self._config = config
        self._name = f"{config.collection[0].upper()}{config.collection[1:]}_{kind}"
        self._tenant = config.tenant or ""
        self._open = False
        self._own_marks: set[str] = set()

    @property
    def place(self) -> str:
        """The collection, in words for messages."""
        tenant = f"tenant {self._tenant!r} of " if self._tenant else ""
        return f"{tenant}collection {self._name!r} at {self._connection.place}"

    async def prepare(
        self, manifest: Mapping[str, Any], vectors: Mapping[str, Any], *, reset: bool
    ) -> None:
        """Open the collection, or make it; the same with the tenant.

        Args:
            manifest: What it is made for.
            vectors: How it holds vectors, as the REST interface takes it.
            reset: Make it anew.

        Raises:
            IndexMismatchError: It is made for something else, and `reset` is false.
            StoreError: The name belongs to somebody else's collection.
        """
        self._open = False
        found = await self._found()
        if found is not None:
            self._require_ours(found)
            if reset and not self._tenant:
                await self._drop(f"/schema/{self._name}")
                found = None
        if found is None:
            await self._make("/schema", self._collection(vectors))
        else:
            self._require_shared(found)
        if self._tenant:
            if reset:
                await self._connection.rest(
                    "DELETE", f"/schema/{self._name}/tenants", [self._tenant]
                )
            await self._make_tenant()
        kept = await self._manifest()
        if kept is None:
            await self._write_all([make_manifest_object(json.dumps(manifest))])
        else:
            require_manifest(kept, manifest, self.place)
        self._open = True

    async def drop(self) -> None:
        """Drop the collection with all its tenants."""
        self._open = False
        await self._drop(f"/schema/{self._name}")

    async def write(self, objects: Sequence[batch_pb2.BatchObject]) -> dict[int, str]:
        """Write objects, each in the place of the one with its id.

        Returns:
            The places of those that the server would not take, and its reasons.

        Raises:
            StoreError: The server failed; nothing was written.
        """
        self.require_open()
        failed: dict[int, str] = {}
        for batch in self._batches(objects):
            try:
                refused = await self._write_all([objects[place] for place in batch])
            except StoreError as error:
                if not batch.start:
                    raise
                return failed | dict.fromkeys(range(batch.start, len(objects)), str(error))
            failed |= {batch.start + place: reason for place, reason in refused.items()}
        return failed

    @asynccontextmanager
    async def marked(self, sources: Sequence[str]) -> AsyncIterator[None]:
        """Keep a mark of documents while their records are written.

        A request that writes is answered before the vectors are in the log of their index, and each index has a log of its own: a Weaviate
        that dies may have objects that it does not find, or only by some of their values. The next request that writes brings the logs
        up to date.
        """
        mark = make_mark(sources)
        self._own_marks.add(mark.uuid)
        try:
            await self._write_mark(mark)
            yield
            await self._write_mark(mark)
            await self.delete(has_any("tags", [mark_tag(mark.uuid)]))
        finally:
            self._own_marks.discard(mark.uuid)

    async def marks(self) -> Mapping[str, frozenset[str]]:
        """By mark, documents of which records are being written, or were when the server or the writer died."""
        hits = await self.search(["note"], MOST_HITS, filters=has_any("tags", [MARK_TAG]))
        return {hit.metadata.id: frozenset(json.loads(noted(hit))) for hit in hits}

    async def drop_doubtful(self, sources: Sequence[str]) -> None:
        """Delete the documents whose writing was cut off, if one of these is among them.

        By their ids: a filter may not find them, and Weaviate would take the same object for written.
        """
        asked = frozenset(sources)
        marks = await self.marks()
        left = {
            one: cut_off
            for one, cut_off in marks.items()
            if one not in self._own_marks and cut_off & asked
        }
        if not left:
            return
        doubtful = frozenset().union(*left.values())
        async for page in self.all(["state"]):
            for hit in page:
                if read_state_key(text_of(hit, "state"))[0] in doubtful:
                    await self._delete_object(hit.metadata.id)
        for mark in left:
            await self._delete_object(mark)

    async def _delete_object(self, id: str) -> None:
        tenant = f"?tenant={self._tenant}" if self._tenant else ""
        try:
            await self._connection.rest("DELETE", f"/objects/{self._name}/{id}{tenant}")
        except AnswerError as error:
            if error.status != 404:
                raise

    async def _write_mark(self, mark: batch_pb2.BatchObject) -> None:
        refused = await self._write_all([mark])
        if refused:
            raise StoreError(
                f"{self.place}: {next(iter(refused.values()))}", hint="Look into the server's log."
            )

    async def delete(self, condition: base_pb2.Filters) -> None:
        """Delete what fulfils a condition: the server takes so many at a time."""
        self.require_open()
        request = batch_delete_pb2.BatchDeleteRequest(
            collection=self._name, filters=condition, tenant=self._tenant or None
        )
        while True:
            answer = await self._connection.call("BatchDelete", request)
            if answer.failed:
                raise StoreError(
                    f"{self.place}: {answer.failed} of {answer.matches} records were not deleted",
                    hint="Look into the server's log.",
                )
            if not answer.matches:
                return

    async def search(self, fields: Sequence[str], limit: int, **asked: Any) -> Sequence[Any]:
        """The hits of one search.

        Args:
            fields: Properties to return.
            limit: How many hits at most.
            asked: Further fields of the request.
        """
        self.require_open()
        metadata = asked.pop("metadata", {})
        request = search_get_pb2.SearchRequest(
            collection=self._name,
            tenant=self._tenant,
            limit=limit,
            properties=search_get_pb2.PropertiesRequest(non_ref_properties=fields),
            metadata=search_get_pb2.MetadataRequest(uuid=True, **metadata),
            uses_123_api=True,
            uses_125_api=True,
            uses_127_api=True,
            **asked,
        )
        answer = await self._connection.call("Search", request)
        results: Sequence[Any] = answer.results
        return results

    async def read(
        self, ids: Sequence[str], fields: Sequence[str], *, vectors: bool = False
    ) -> Sequence[Any]:
        """Objects by their ids, in no order, unknown ones left out."""
        found: list[Any] = []
        for start in range(0, len(ids), _PAGE):
            some = ids[start : start + _PAGE]
            found += await self.search(
                fields, len(some), filters=has_any("_id", some), metadata=_vectors(vectors)
            )
        return found

    async def in_order(
        self, filter: Filter, fields: Sequence[str], limit: int
    ) -> AsyncIterator[Sequence[Any]]:
        """The first objects that a filter selects, by source and position, page by page."""
        condition, left = selection(filter), limit
        wanted = condition
        while left > 0:
            size = min(left, _PAGE)
            hits = await self.search(
                [*fields, "place"],
                size,
                filters=wanted,
                sort_by=[search_get_pb2.SortBy(ascending=True, path=["place"])],
            )
            if hits:
                yield hits
            if len(hits) < size:
                return
            left -= len(hits)
            wanted = all_of([condition, after("place", text_of(hits[-1], "place"))])

    async def all(
        self, fields: Sequence[str], *, vectors: bool = False, page: int = _PAGE
    ) -> AsyncIterator[Sequence[Any]]:
        """Every object of a record once, by id, page by page; the first field is one that records have, and nothing else."""
        last = FIRST_ID
        while True:
            hits = await self.search(fields, page, after=last, metadata=_vectors(vectors))
            records = [hit for hit in hits if text_of(hit, fields[0])]
            if records:
                yield records
            if len(hits) < page:
                return
            last = hits[-1].metadata.id

    async def unknown_variants(self, known: frozenset[str]) -> frozenset[str]:
        """By which variants of the analysis the words of records are, besides those that are known."""
        found: set[str] = set()
        while True:
            condition = has_none("variant", sorted(known | found))
            hits = await self.search(["variant"], 1, filters=condition)
            if not hits:
                return frozenset(found)
            found.add(text_of(hits[0], "variant"))

    def require_open(self) -> None:
        """Raise where the collection was not prepared."""
        if not self._open:
            raise StoreError("the index is not open", hint="Call `prepare` first.")

    async def _found(self) -> Mapping[str, Any] | None:
        try:
            found: Mapping[str, Any] = await self._connection.rest("GET", f"/schema/{self._name}")
        except AnswerError as error:
            if error.status == 404:
                return None
            raise
        return found

    def _require_ours(self, found: Mapping[str, Any]) -> None:
        if _about(found) is None:
            raise StoreError(
                f"{self.place} was not made by hierdoc",
                hint="Choose another name for `collection`.",
            )
        has_tenants = bool((found.get("multiTenancyConfig") or {}).get("enabled"))
        if has_tenants != bool(self._tenant):
            says = "has tenants, and none is named" if has_tenants else "has no tenants"
            raise StoreError(
                f"collection {self._name!r} at {self._connection.place} {says}",
                hint="Set `tenant`, or choose another name for `collection`."
                if has_tenants
                else "Leave out `tenant`, or choose another name for `collection`.",
            )

    def _require_shared(self, found: Mapping[str, Any]) -> None:
        """What the collection is made for, besides what its records are."""
        try:
            require_manifest(_about(found), self._shared(), self.place)
        except IndexMismatchError as error:
            if not self._tenant:
                raise
            raise IndexMismatchError(
                str(error), hint="Choose another name for `collection`: all its tenants share this."
            ) from error

    def _shared(self) -> dict[str, Any]:
        return make_manifest(SCHEMA, bm25=[self._config.k1, self._config.b])

    def _collection(self, vectors: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "class": self._name,
            "description": json.dumps({"hierdoc": self._shared()}),
            "properties": properties(),
            "invertedIndexConfig": {
                "bm25": {"k1": self._config.k1, "b": self._config.b},
                "stopwords": {"preset": "none"},
            },
            "multiTenancyConfig": {
                "enabled": bool(self._tenant),
                "autoTenantActivation": bool(self._tenant),
            },
            **vectors,
        }

    async def _make_tenant(self) -> None:
        path = f"/schema/{self._name}/tenants"
        try:
            await self._connection.rest("GET", f"{path}/{self._tenant}")
        except AnswerError as error:
            if error.status not in (404, 422):
                raise
            await self._make(path, [{"name": self._tenant}])

    async def _make(self, path: str, body: Any) -> None:
        try:
            await self._connection.rest("POST", path, body)
        except AnswerError as error:
            if "already exists" not in str(error):  # another process was faster
                raise

    async def _drop(self, path: str) -> None:
        await self._connection.rest("DELETE", path)

    async def _manifest(self) -> Any:
        """What the collection or tenant says that it is made for; None for a new one."""
        self._open = True
        try:
            hits = await self.read([MANIFEST_ID], ["note"])
        finally:
            self._open = False
        if not hits:
            return None
        try:
            return json.loads(noted(hits[0]))
        except ValueError:
            return {}

    async def _write_all(self, objects: Sequence[batch_pb2.BatchObject]) -> dict[int, str]:
        for one in objects:
            one.collection, one.tenant = self._name, self._tenant
        answer = await self._connection.call(
            "BatchObjects", batch_pb2.BatchObjectsRequest(objects=objects)
        )
        return {one.index: " ".join(one.error.split())[:300] for one in answer.errors}

    def _batches(self, objects: Sequence[batch_pb2.BatchObject]) -> list[range]:
        """Places of objects that fit in one request."""
        batches: list[range] = []
        start = size = 0
        for place, one in enumerate(objects):
            length = one.ByteSize()
            full = place - start >= self._config.batch_size or size + length > _BATCH_BYTES
            if place > start and full:
                batches.append(range(start, place))
                start, size = place, 0
            size += length
        if start < len(objects):
            batches.append(range(start, len(objects)))
        return batches


def _about(found: Mapping[str, Any]) -> Any:
    """What hierdoc wrote into a collection's description; None where it did not make it."""
    try:
        return json.loads(found.get("description") or "")["hierdoc"]
    except (ValueError, KeyError, TypeError):
        return None


def _vectors(wanted: bool) -> dict[str, Any]:
    return {"vectors": [VECTOR]} if wanted else {}
