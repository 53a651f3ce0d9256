"""One collection of a MongoDB: made, written, emptied, searched, and waited for.

The collection itself shows a write at once. The indexes of MongoDB's search follow it some time later, in its order but not one by one: what was
written at about the same time may show in any order. So whoever searches raises a mark twice, and waits each time until the indexes show it:
the second time all shows that was written before the first.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import bson
from bson.raw_bson import RawBSONDocument
from pymongo import ReplaceOne, ReturnDocument
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.errors import BulkWriteError

from hierdoc import Analyzer, Match, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.plugin import (
    DocumentState,
    Record,
    best_matches_async,
    document_states,
    from_store_text,
    masked,
    ranked,
    read_state_key,
    record_terms,
    require_manifest,
    to_store_text,
)
from hierdoc_mongodb import MongoConfig
from hierdoc_mongodb.connection import BUSY, Connection, RefusedError
from hierdoc_mongodb.fields import (
    MANIFEST,
    MOST_CANDIDATES,
    ORDER,
    RECORDS,
    Stage,
    first_axis,
    make_document,
    marked,
    marked_vector,
    packed,
    search_indexes,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")

MOST_HITS = MOST_CANDIDATES
"""Matches of one search, at most."""

_BATCH_BYTES = 8_000_000
"""Of a request that writes; MongoDB takes 48 MB."""

_MOST_BYTES = 16_777_216
"""Of a document."""

_AT_ONCE = 500
"""Sources or ids in one condition."""

_ANSWER = 500
"""Documents in one answer, so that an event loop does not wait for long while it is read."""

_VARIANTS_FOR = 60.0
"""Seconds for which it is remembered which languages other processes have added."""

_FIRST_LOOK, _LAST_LOOK = 0.05, 1.0
"""Seconds between two looks whether a write has arrived, at first and at last."""

_READY_WITHIN = 600.0
"""Seconds that MongoDB's search may take to make an index."""

_THERE = (48, 68)
"""Codes where the collection is there already, or an index."""

_NOT_CONFIRMED = 91
"""A code of those that another attempt may change."""


class Corpus:
    """A collection and its indexes.

    Args:
        config: How it is reached, named and written.
        kind: `keyword` or `vector`; ends its name.
    """

    def __init__(self, config: MongoConfig, kind: str) -> None:
        self.analyzer = Analyzer(config.language)
        self.name = f"{config.collection}-{kind}"
        self.connection = Connection(config)
        self._config = config
        self._dimensions: int | None = None
        self._variants: frozenset[str] = frozenset()
        self._variants_until = 0.0
        self._changes = self._shown = 0
        self._told = False
        self._settling, self._one_by_one = asyncio.Lock(), asyncio.Lock()

    @property
    def place(self) -> str:
        """The collection, in words for messages."""
        return f"collection {self.name!r} of {self.connection.place}"

    async def prepare(
        self, manifest: Mapping[str, Any], dimensions: int | None, *, reset: bool
    ) -> None:
        """Open the collection, or make it; its indexes are ready then.

        Args:
            manifest: What it is made for.
            dimensions: Of its vectors; None for words alone.
            reset: Make it anew.

        Raises:
            IndexMismatchError: It is made for something else, and `reset` is false.
            StoreError: The name belongs to somebody else's collection.
        """
        held = await self._manifest()
        if held is None and await self._one(lambda of: of.find_one({}, {"_id": 1})) is not None:
            raise StoreError(
                f"{self.place} was not made by hierdoc",
                hint="Choose another name for `collection`.",
            )
        if held is not None and not reset:
            require_manifest(_read_json(held["about"]), manifest, self.place)
        self._variants, self._variants_until = frozenset(), 0.0
        self._dimensions = dimensions
        if held is None or reset:
            await self._make(manifest, dimensions, anew=held is not None)
            held = {}
        await self._indexed(dimensions)
        self._told = not held.get("settled", True)  # somebody was killed before searches showed all
        self._changes, self._shown = int(self._told), 0

    async def write(
        self, records: Sequence[Record], vectors: NDArray[np.float32] | None = None
    ) -> None:
        """Write records, each with an id of its own, in the place of those with their ids.

        Raises:
            PartialWriteError: The server would not take some, or failed after it had taken others.
            StoreError: It failed; nothing was written.
        """
        await self.connection.finish(self._write(records, vectors))

    async def delete(self, sources: Sequence[str]) -> None:
        """Delete all records of documents."""
        await self.connection.finish(self._delete(sources))

    async def settle(self) -> None:
        """Wait until searches show all that was written.

        Raises:
            StoreError: It takes too long.
        """
        async with self._settling:
            if self._shown == self._changes:
                return
            changes = self._changes
            for _ in range(2):
                await self._seen(await self._raise_mark())
            if changes == self._changes and not self._one_by_one.locked():
                async with self._one_by_one:
                    settled = {"$set": {"settled": True}}
                    await self._one(lambda of: of.update_one({"_id": MANIFEST}, settled))
                    self._told = False
            self._shown = changes

    async def best(
        self, limit: int, search: Callable[[int], Sequence[Stage]], read: Callable[[float], float]
    ) -> list[Match]:
        """The best matches of a search, ties by chunk id: it orders equals by chance, so all that tie with the last are asked for.

        Args:
            limit: How many.
            search: The stages that find so many matches; `scored` is the last of them.
            read: Makes MongoDB's scores those of matches.
        """

        async def found(wanted: int) -> list[Match]:
            return await self.matches(search(wanted), read)

        return await best_matches_async(found, limit, MOST_HITS)

    async def matches(self, stages: Sequence[Stage], read: Callable[[float], float]) -> list[Match]:
        """The matches that stages find, best first, ties by chunk id."""
        found = [
            Match(from_store_text(one["_id"]), read(one["score"]))
            for one in await self._run(stages)
        ]
        return ranked(found, len(found))

    async def documents_of(
        self,
        condition: Mapping[str, Any],
        fields: Sequence[str],
        *,
        limit: int,
        by: Sequence[str] = ORDER,
    ) -> list[dict[str, Any]]:
        """Documents in an order; of each so many fields, and `_id`."""

        async def request(of: AsyncCollection[dict[str, Any]]) -> list[dict[str, Any]]:
            found = of.find(
                condition,
                dict.fromkeys(fields, 1),
                sort=[(name, 1) for name in by],
                limit=limit,
                batch_size=min(limit, _ANSWER),
                max_time_ms=self.connection.most_milliseconds,
            )
            return await found.to_list()

        return await self._one(request)

    async def read(self, ids: Sequence[str], fields: Sequence[str]) -> list[dict[str, Any]]:
        """Documents by chunk id, in no order."""
        found = []
        for some in _portions(list(dict.fromkeys(map(to_store_text, ids)))):
            condition = {"_id": {"$in": some}}
            found += await self.documents_of(condition, fields, limit=len(some), by=["_id"])
        return found

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        counted = await self._run(
            [{"$match": RECORDS}, {"$group": {"_id": "$state", "held": {"$sum": 1}}}]
        )
        return await asyncio.to_thread(
            lambda: document_states((*read_state_key(one["_id"]), one["held"]) for one in counted)
        )

    async def count(self) -> int:
        """The number of records."""
        counted = await self._run(
            [{"$match": RECORDS}, {"$group": {"_id": 1, "held": {"$sum": 1}}}]
        )
        return int(counted[0]["held"]) if counted else 0

    async def terms(self, text: str) -> list[str]:
        """The terms of a query."""
        variants = await self.variants()
        return await asyncio.to_thread(self.analyzer.query_terms, text, variants)

    async def variants(self) -> frozenset[str]:
        """The variants of the analyzer that the texts were analysed with."""
        if time.monotonic() >= self._variants_until:
            self._variants |= frozenset(await self._one(lambda of: of.distinct("variant", RECORDS)))
            self._variants_until = time.monotonic() + _VARIANTS_FOR
        return self._variants

    async def _manifest(self) -> dict[str, Any] | None:
        return await self._one(
            lambda of: of.find_one({"_id": MANIFEST, "about": {"$type": "string"}})
        )

    async def _make(
        self, manifest: Mapping[str, Any], dimensions: int | None, *, anew: bool
    ) -> None:
        """Make the collection, with all that it needs but the indexes of MongoDB's search."""
        about: dict[str, Any] = {"about": json.dumps(manifest), "mark": 0, "settled": True}
        if dimensions is not None:
            about["vector"] = packed(first_axis(dimensions))
        if anew:
            await self._one(lambda of: of.drop())
        try:
            await self.connection.ask(
                lambda database: database.create_collection(self.name, check_exists=False)
            )
        except RefusedError as error:
            if error.code not in _THERE:
                raise
        for keys in (ORDER, ("tags", *ORDER), ("state",), ("variant",)):
            await self._one(lambda of: of.create_index([(name, 1) for name in keys]))  # noqa: B023 - asked at once
        await self._one(
            lambda of: of.update_one({"_id": MANIFEST}, {"$setOnInsert": about}, upsert=True)
        )

    async def _indexed(self, dimensions: int | None) -> None:
        """Make the indexes of MongoDB's search that are not there, and wait until they answer.

        Raises:
            StoreError: The server cannot make them, or takes too long.
        """
        wanted = {
            str(one.document["name"]): one for one in search_indexes(self._config, dimensions)
        }
        pause, end = _FIRST_LOOK, time.monotonic() + _READY_WITHIN
        while True:
            listed = await self._run([{"$listSearchIndexes": {}}])
            held = {one["name"]: one for one in listed if one.get("status") not in _GOING}
            missing = [wanted[name] for name in wanted if name not in held]
            if missing:
                try:
                    await self._one(lambda of: of.create_search_indexes(missing))  # noqa: B023 - asked at once
                except RefusedError as error:
                    if error.code not in _THERE:
                        raise
            elif all(held[name].get("queryable") for name in wanted):
                return
            for name in wanted.keys() & held.keys():
                if held[name].get("status") == "FAILED" and not held[name].get("queryable"):
                    told = " ".join(str(held[name].get("message", "")).split())[:300]
                    raise StoreError(
                        f"{self.place}: MongoDB's search cannot make the index {name!r}: {told}",
                        hint="Look at the index in Atlas, or into the log of the search server.",
                    )
            if time.monotonic() > end:
                raise StoreError(
                    f"{self.place}: MongoDB's search has not made its indexes within {_READY_WITHIN:g} seconds",
                    hint="Look at the indexes in Atlas, or at the search server, and try again.",
                )
            await asyncio.sleep(pause)
            pause = min(1.5 * pause, _LAST_LOOK)

    async def _write(self, records: Sequence[Record], vectors: NDArray[np.float32] | None) -> None:
        failed: dict[str, str] = {}
        tried: set[str] = set()
        start = 0
        async with self._changing():
            while start < len(records):
                batch, start = await asyncio.to_thread(self._batch, records, vectors, start, failed)
                if not batch:
                    continue
                try:
                    failed |= await self._replace(batch)
                except StoreError as error:
                    if not tried:
                        raise
                    known = tried | failed.keys()
                    failed |= {one.id: str(error) for one in records if one.id not in known}
                    break
                tried.update(batch)
        if failed:
            raise PartialWriteError(
                f"{self.place}: {len(failed)} of {len(records)} records were not written; the first: {next(iter(failed.values()))}",
                failed=failed,
                hint="Run `hierdoc ingest` again once the reason is out of the way.",
            )

    async def _delete(self, sources: Sequence[str]) -> None:
        async with self._changing():
            for some in _portions(list(map(to_store_text, sources))):
                await self._one(lambda of: of.delete_many({"source": {"$in": some}}))  # noqa: B023 - asked at once

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[None]:
        """Changes one after the other; a note in the store tells whoever opens it after a kill that searches may not show all of it."""
        async with self._one_by_one:
            self._changes += 1
            if not self._told:
                unsettled = {"$set": {"settled": False}}
                noted = await self._one(lambda of: of.update_one({"_id": MANIFEST}, unsettled))
                if not noted.matched_count:
                    raise self._dropped()
                self._told = True
            try:
                yield
            finally:
                self._changes += 1

    async def _raise_mark(self) -> int:
        raised = await self._one(
            lambda of: of.find_one_and_update(
                {"_id": MANIFEST}, {"$inc": {"mark": 1}}, return_document=ReturnDocument.AFTER
            )
        )
        if raised is None:
            raise self._dropped()
        return int(raised["mark"])

    def _dropped(self) -> StoreError:
        return StoreError(f"{self.place} was dropped", hint="Run `hierdoc ingest` again.")

    async def _seen(self, mark: int) -> None:
        """Wait until all indexes show a mark."""
        waiting = [marked(mark)]
        if self._dimensions is not None:
            waiting.append(marked_vector(mark, self._dimensions))
        end, pause = time.monotonic() + self._config.visible_within, _FIRST_LOOK
        while waiting := [
            one for one in waiting if not await self._run([*one, {"$project": {"_id": 1}}])
        ]:
            if time.monotonic() > end:
                raise StoreError(
                    f"{self.place} does not show what was written within {self._config.visible_within:g} seconds",
                    hint="MongoDB's search is behind: try again later, give it more room, or raise `visible_within`.",
                )
            await asyncio.sleep(pause)
            pause = min(1.5 * pause, _LAST_LOOK)

    async def _run(self, stages: Sequence[Stage]) -> list[dict[str, Any]]:
        """All that a pipeline gives."""

        async def request(of: AsyncCollection[dict[str, Any]]) -> list[dict[str, Any]]:
            limit = self.connection.most_milliseconds
            found = await of.aggregate(list(stages), batchSize=10 * _ANSWER, maxTimeMS=limit)
            return await found.to_list()

        return await self._one(request)

    async def _one(self, request: Callable[[AsyncCollection[dict[str, Any]]], Awaitable[T]]) -> T:
        """What a request to the collection gives."""
        return await self.connection.ask(lambda database: request(database[self.name]))

    def _batch(
        self,
        records: Sequence[Record],
        vectors: NDArray[np.float32] | None,
        start: int,
        failed: dict[str, str],
    ) -> tuple[dict[str, RawBSONDocument], int]:
        """Documents of records from a place on, as many as fit in a request, and where to go on; what cannot be made is noted as failed."""
        batch: dict[str, RawBSONDocument] = {}
        size = 0
        for row in range(start, len(records)):
            record = records[row]
            terms = record_terms(record, self.analyzer)
            try:
                made = make_document(record, terms, None if vectors is None else vectors[row])
                encoded = bson.encode(made)
                if len(encoded) > _MOST_BYTES:
                    raise StoreError(
                        f"chunk {record.id[:100]!r} is larger than the 16 MB of a document"
                    )
            except StoreError as error:
                failed[record.id] = str(error)
                continue
            if batch and (
                len(batch) >= self._config.batch_size or size + len(encoded) > _BATCH_BYTES
            ):
                return batch, row
            self._variants |= {terms.variant}
            batch[record.id] = RawBSONDocument(encoded)
            size += len(encoded)
        return batch, len(records)

    async def _replace(self, batch: Mapping[str, RawBSONDocument]) -> dict[str, str]:
        """Write documents; those for which the server is too busy in further requests.

        Returns:
            The chunk ids of those that it would not take, and its reasons.

        Raises:
            StoreError: It failed; what was written is not known.
        """
        waiting, failed, busy = dict(batch), dict[str, str](), dict[str, str]()
        for attempt in range(self._config.retries + 1):
            ids = list(waiting)
            try:
                errors = await self._bulk(waiting)
            except StoreError as error:
                if not attempt:
                    raise
                return failed | dict.fromkeys(waiting, str(error))
            busy = {}
            for one in errors:
                told = " ".join(str(one.get("errmsg")).split())[:300]
                kind = busy if one.get("code") in BUSY else failed
                kind[ids[one["index"]]] = (
                    f"{one.get('code')}: {masked(told, [self._config.password])}"
                )
            waiting = {one: waiting[one] for one in busy}
            if not waiting:
                return failed
            if attempt < self._config.retries:
                await self.connection.pause(attempt)
        return failed | busy

    async def _bulk(self, documents: Mapping[str, RawBSONDocument]) -> list[dict[str, Any]]:
        """What the server finds wrong with writes: the number of each, a code and a message."""
        writes = [
            ReplaceOne[Any]({"_id": to_store_text(one)}, document, upsert=True)
            for one, document in documents.items()
        ]

        async def request(of: AsyncCollection[dict[str, Any]]) -> list[dict[str, Any]]:
            try:
                await of.bulk_write(writes, ordered=False)
            except BulkWriteError as error:
                # What a majority has not confirmed may be lost with the primary: it is written again.
                if error.details.get("writeConcernErrors"):
                    wrong = {"code": _NOT_CONFIRMED, "errmsg": "not confirmed by a majority"}
                    return [{"index": number, **wrong} for number in range(len(writes))]
                errors: list[dict[str, Any]] = error.details["writeErrors"]
                return errors
            return []

        return await self._one(request)


_GOING = ("DELETING", "DOES_NOT_EXIST")
"""States of an index that is on its way out."""


def _portions(values: Sequence[str]) -> Iterator[list[str]]:
    return (list(values[start : start + _AT_ONCE]) for start in range(0, len(values), _AT_ONCE))


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {}
