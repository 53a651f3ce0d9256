"""One namespace of an index: written, emptied, looked up, and waited for. All of it is synchronous; the backend calls it in threads.

Pinecone shows writes some time after it has taken them, in their order, and each kind of answer at its own time. So whoever reads waits first
for a mark, written after all else, to be found by a query and to stand in the list of ids.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from hierdoc import Filter, Match, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.plugin import (
    DocumentState,
    DocumentVersion,
    Record,
    document_states,
    require_manifest,
    tag,
)
from hierdoc_pinecone import PineconeConfig
from hierdoc_pinecone.records import (
    MANIFEST,
    RECORDS,
    SLOTS,
    WITHOUT_VECTOR,
    Condition,
    VectorId,
    has_any,
    key_of,
    make_mark,
    make_vectors,
    selection,
    state_of,
    with_vectors,
)
from hierdoc_pinecone.service import NotThereError, RefusedError, Service

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_HITS = 10_000
"""What Pinecone returns of one query."""

_BATCH_BYTES = 1_600_000
"""Of a request that writes; Pinecone takes 2 MB."""

_ANSWER_BYTES = 3_200_000
"""Of an answer with metadata; Pinecone gives 4 MB."""

_RECORD_BYTES = 41_000
_VALUE_BYTES = 13

_MOST_IDS = 1000
"""Ids deleted in one request."""

_LISTED = 100
"""Ids in one answer that lists them."""

_AT_ONCE = 8
"""Requests on their way at a time, of those that make one answer."""

_FIRST_LOOK, _LAST_LOOK = 0.05, 2.0
"""Seconds between two looks whether a write has arrived, at first and at last."""


class Namespace:
    """A namespace.

    Args:
        config: How it is reached, named and written.
    """

    def __init__(self, config: PineconeConfig) -> None:
        self._config = config
        self._service: Service | None = None
        self._index: Callable[..., Any] | None = None
        self._pool = ThreadPoolExecutor(_AT_ONCE, "hierdoc-pinecone-reader")
        self._dimensions = 0
        self._versions: dict[str, tuple[str, DocumentVersion]] = {}
        self._unseen: dict[str, tuple[str, list[str]]] = {}
        self.settled = True

    @property
    def place(self) -> str:
        """The namespace, in words for messages."""
        name = f"{self._config.index}-{self._dimensions}"
        return f"namespace {self._config.collection!r} of Pinecone's index {name!r}"

    def prepare(self, manifest: Mapping[str, Any], dimensions: int, *, reset: bool) -> None:
        """Open the namespace, or make it, and the index that it is in.

        Args:
            manifest: What it is made for.
            dimensions: Of its vectors.
            reset: Begin anew.

        Raises:
            IndexMismatchError: It is made for something else, and `reset` is false.
            StoreError: Somebody else uses the namespace.
        """
        if self._service is None:
            self._service = Service(self._config)
        self.settle()
        indexes = self._service.indexes()
        for others, host in indexes.items():
            if host and others != dimensions:
                self._open(host, others)
                found = self._manifest()
                if found is not None and not reset:
                    require_manifest(found, manifest, self.place)
                if found is not None:
                    self._empty()
                    self.settle()
        known = dimensions in indexes
        host = indexes.get(dimensions) or self._service.make_index(dimensions, known=known)
        self._open(host, dimensions)
        found = self._manifest() if known else None
        if found is None and known and _listed_ids(self._page("")):
            raise StoreError(
                f"{self.place} was not made by hierdoc",
                hint="Choose another name for `collection`.",
            )
        if found is not None and not reset:
            require_manifest(found, manifest, self.place)
            return
        if found is not None:
            self._empty()
        self._upsert([make_mark(MANIFEST, dimensions, manifest=json.dumps(manifest))])

    def write(self, records: Sequence[Record], vectors: NDArray[np.float32]) -> None:
        """Write records, each with an id of its own, in the place of those with their ids.

        Raises:
            PartialWriteError: Pinecone would not take some, or failed after it had taken others.
            StoreError: It failed; nothing was written.
        """
        failed: dict[str, str] = {}
        written = 0
        for batch in self._batches(records, vectors, failed):
            try:
                refused = self._replace(batch)
            except StoreError as error:
                if not written and not failed:
                    raise
                done = {record.id for record in records[:written]}
                failed |= {one.id: str(error) for one in records if one.id not in done}
                break
            failed |= refused
            written += len(batch)
        if failed:
            reason = next(iter(failed.values()))
            raise PartialWriteError(
                f"{self.place}: {len(failed)} of {len(records)} records were not written; the first: {reason}",
                failed=failed,
                hint="Run `hierdoc ingest` again once the reason is out of the way.",
            )

    def delete(self, sources: Sequence[str]) -> None:
        """Delete all records of documents."""
        tags = [tag("source", one) for one in sources]
        wanted = frozenset(sources)
        unseen = [one for one, (source, _) in self._unseen.items() if source in wanted]
        ids = {one for key in unseen for one in self._unseen[key][1]}
        for start in range(0, len(tags), _MOST_IDS):
            ids.update(self._ids(has_any("tags", tags[start : start + _MOST_IDS])))
        self._remove(sorted(ids))
        for key in unseen:
            del self._unseen[key]

    def settle(self) -> None:
        """Wait until all that was written is shown.

        Raises:
            StoreError: It takes too long.
        """
        if self.settled:
            return
        mark = f"!{uuid.uuid4().hex}"
        self._upsert([make_mark(mark, self._dimensions)])
        end, pause = time.monotonic() + self._config.visible_within, _FIRST_LOOK
        while not all([self._shows(mark), bool(_listed_ids(self._page(mark)))]):
            if time.monotonic() > end:
                raise StoreError(
                    f"{self.place} does not show what was written within {self._config.visible_within:g} seconds",
                    hint="Pinecone is behind: try again later, or raise `visible_within`.",
                )
            time.sleep(pause)
            pause = min(1.5 * pause, _LAST_LOOK)
        self._ask("delete", ids=[mark])
        self._unseen.clear()
        self.settled = True

    def search(self, query: NDArray[np.float32], limit: int, filter: Filter | None) -> list[Match]:
        """The best by cosine, those that tie with the last included, in no order."""
        condition = with_vectors(filter)
        wanted = min(limit + 1, MOST_HITS)
        while True:
            found = self._query(condition, wanted, vector=query.tolist()).matches
            scores = sorted((float(one.score) for one in found), reverse=True)
            if len(found) < wanted or wanted == MOST_HITS or scores[-1] < scores[limit - 1]:
                break
            wanted = min(4 * wanted, MOST_HITS)
        names = self._names([one.id for one in found])
        matches = (Match(names[one.id], float(one.score)) for one in found if one.id in names)
        return list({match.chunk_id: match for match in matches}.values())

    def every(self, filter: Filter | None) -> list[str]:
        """The ids of all chunks with vectors that the filter selects, in order."""
        return sorted(set(self._names(self._ids(with_vectors(filter))).values()))

    def find(self, filter: Filter, limit: int) -> list[Record]:
        """The first records that the filter selects, by source and position."""
        found = [one for text in self._ids(selection(filter)) if (one := VectorId.read(text))]
        sources = self._sources(found)
        places = sorted((sources.get(one.state, ""), one.ordinal, one.key) for one in found)
        if len(places) > limit:  # and those at the same place as the last
            last = places[limit - 1][:2]
            places = [place for place in places if place[:2] <= last]
        records = self.read([key for _, _, key in places]).values()
        return sorted(records, key=_place)[:limit]

    def read(self, keys: Iterable[str], *, vectors: bool = False) -> dict[str, Record]:
        """Records by key, unknown ones left out."""
        unique = list(dict.fromkeys(keys))
        size = self.page_size(vectors)
        pages = [unique[start : start + size] for start in range(0, len(unique), size)]
        found: dict[str, Record] = {}
        for some in self._pool.map(lambda page: self._read(page, vectors), pages):
            found |= some
        return found

    def page_size(self, vectors: bool) -> int:
        """How many records fit in an answer, however long they are."""
        size = _RECORD_BYTES + (_VALUE_BYTES * self._dimensions if vectors else 0)
        return max(1, _ANSWER_BYTES // size)

    def all(self) -> list[VectorId]:
        """The ids of all records."""
        return list({one.key: one for one in self._listed()}.values())

    def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        held: dict[str, list[VectorId]] = {}
        for one in self._listed():
            held.setdefault(one.state, []).append(one)
        self._learn([some[0] for some in held.values()])
        return document_states(
            (*self._versions[state], len(some))
            for state, some in held.items()
            if state in self._versions
        )

    def close(self) -> None:
        """Close the connections; calling it again does nothing."""
        self._pool.shutdown(wait=True)
        service, self._service, self._index = self._service, None, None
        if service is not None:
            service.close()

    def _open(self, host: str, dimensions: int) -> None:
        assert self._service is not None
        self._index = self._service.open_index(host)
        self._dimensions = dimensions

    def _ask(self, method: str, **arguments: Any) -> Any:
        if self._index is None:
            raise StoreError("the index is closed", hint="Open it again.")
        return self._index(method, namespace=self._config.collection, **arguments)

    def _query(self, condition: Condition, limit: int, **more: Any) -> Any:
        asked = {"vector": [1.0] + [0.0] * (self._dimensions - 1), **more}
        return self._ask("query", top_k=limit, filter=condition, **asked)

    def _upsert(self, vectors: Sequence[Mapping[str, Any]]) -> None:
        self.settled = False
        self._ask("upsert", vectors=list(vectors))

    def _remove(self, ids: Sequence[str]) -> None:
        for start in range(0, len(ids), _MOST_IDS):
            self.settled = False
            self._ask("delete", ids=list(ids[start : start + _MOST_IDS]))

    def _empty(self) -> None:
        try:
            self.settled = False
            self._ask("delete", delete_all=True)
        except NotThereError:
            pass  # a namespace without vectors is none
        self._unseen.clear()

    def _manifest(self) -> Any:
        """What the namespace is made for; None where it is not known."""
        found = self._query({"mark": {"$eq": MANIFEST}}, 1, include_metadata=True).matches
        try:
            return json.loads(found[0].metadata["manifest"]) if found else None
        except (ValueError, KeyError, TypeError):
            return {}

    def _shows(self, mark: str) -> bool:
        return bool(self._query({"mark": {"$eq": mark}}, 1).matches)

    def _batches(
        self, records: Sequence[Record], vectors: NDArray[np.float32], failed: dict[str, str]
    ) -> Iterator[list[tuple[Record, list[dict[str, Any]]]]]:
        """Records with their vectors, as many as fit in a request; those that cannot be made are noted as failed."""
        batch: list[tuple[Record, list[dict[str, Any]]]] = []
        count = size = 0
        for record, vector in zip(records, vectors, strict=True):
            try:
                made = make_vectors(record, vector)
            except StoreError as error:
                failed[record.id] = str(error)
                continue
            length = sum(len(json.dumps(one)) for one in made)
            full = count + len(made) > self._config.batch_size or size + length > _BATCH_BYTES
            if batch and full:
                yield batch
                batch, count, size = [], 0, 0
            batch.append((record, made))
            count += len(made)
            size += length
        if batch:
            yield batch

    def _replace(self, batch: Sequence[tuple[Record, list[dict[str, Any]]]]) -> dict[str, str]:
        """Write records, and delete what was written under their ids before.

        Returns:
            Those that Pinecone would not take, and why.
        """
        keys = {key_of(record.id): record for record, _ in batch}
        old = {one for key in keys for one in self._unseen.get(key, ("", []))[1]}
        old.update(self._ids(has_any("key", list(keys))))
        for record, made in batch:
            held = self._unseen.get(key_of(record.id), ("", []))[1]
            ids = [*held, *(vector["id"] for vector in made)]
            self._unseen[key_of(record.id)] = (record.chunk.source, ids)
        refused = self._send(batch)
        written = [one for one in batch if one[0].id not in refused]
        new = {vector["id"] for _, made in written for vector in made}
        kept = tuple(key_of(chunk_id) for chunk_id in refused)
        self._remove(sorted(one for one in old - new if not one.startswith(kept)))
        for record, made in written:
            ids = [vector["id"] for vector in made]
            self._unseen[key_of(record.id)] = (record.chunk.source, ids)
        return refused

    def _send(self, batch: Sequence[tuple[Record, list[dict[str, Any]]]]) -> dict[str, str]:
        """Write records, all that Pinecone takes."""
        try:
            vectors = [vector for _, made in batch for vector in made]
            for some in _portions(vectors, self._config.batch_size):
                self._upsert(some)
        except RefusedError as error:
            if len(batch) == 1:
                return {batch[0][0].id: str(error)}
        else:
            return {}
        half = len(batch) // 2
        refused = self._send(batch[:half])
        try:
            return refused | self._send(batch[half:])
        except StoreError as error:
            return refused | {record.id: str(error) for record, _ in batch[half:]}

    def _ids(self, condition: Condition, first: int = 0, end: int = SLOTS) -> Iterator[str]:
        """The ids of all vectors that a condition selects, in pieces where there are more than one answer holds."""
        within: list[Condition] = [{"slot": {"$gte": first}}, {"slot": {"$lt": end}}]
        found = self._query({"$and": [condition, *within]}, MOST_HITS).matches
        if len(found) < MOST_HITS or end - first < 2:
            yield from (str(one.id) for one in found)
            return
        middle = (first + end) // 2
        yield from self._ids(condition, first, middle)
        yield from self._ids(condition, middle, end)

    def _read(self, keys: Sequence[str], vectors: bool) -> dict[str, Record]:
        condition: Condition = {"$and": [RECORDS, has_any("key", keys)]}
        asked = {"include_metadata": True, "include_values": vectors}
        found = self._query(condition, 2 * len(keys), **asked).matches
        return {one.metadata["key"]: self._record(one, vectors) for one in found}

    def _record(self, found: Any, with_vector: bool) -> Record:
        about = found.metadata
        text = about.get("record")
        if text is None:
            text = self._joined(about["key"], found.id.split(".")[1], int(about["parts"]))
        vector = None
        if with_vector:
            vector = np.array(found.values, np.float32)
            if about["part"] == WITHOUT_VECTOR:
                vector[:] = 0
        return Record.from_json(text, vector)

    def _joined(self, key: str, state: str, parts: int) -> str:
        """The text of a record that stands in several parts."""
        texts: dict[int, str] = {}
        size = self.page_size(False)
        for first in range(1, parts + 1, size):
            condition = {
                "$and": [
                    {"key": {"$eq": key}},
                    {"part": {"$gte": first}},
                    {"part": {"$lt": first + size}},
                ]
            }
            found = self._query(condition, 2 * size, include_metadata=True).matches
            for one in found:
                if one.id.split(".")[1] == state:
                    texts[int(one.metadata["part"])] = one.metadata["record"]
        return "".join(text for _, text in sorted(texts.items()))

    def _names(self, ids: Iterable[str]) -> dict[str, str]:
        """The chunks' ids, by those of their vectors."""
        known = [one for text in ids if (one := VectorId.read(text))]
        named = {one.text: one.chunk_id for one in known if one.chunk_id is not None}
        records = self.read([one.key for one in known if one.chunk_id is None])
        return named | {one.text: records[one.key].id for one in known if one.key in records}

    def _sources(self, ids: Sequence[VectorId]) -> Mapping[str, str]:
        """The document that each state belongs to."""
        self._learn(list({one.state: one for one in ids}.values()))
        return {state: source for state, (source, _) in self._versions.items()}

    def _learn(self, ids: Sequence[VectorId]) -> None:
        """Read a record of each state that is not known yet."""
        unknown = [one.key for one in ids if one.state not in self._versions]
        for record in self.read(unknown).values():
            self._versions[state_of(record)] = (record.chunk.source, record.version)

    def _listed(self) -> list[VectorId]:
        """The ids of all records: in one go if they are few, else by their first digits, side by side."""
        first = self._page("")
        if not _following(first):
            return _record_ids(first)
        digits = "0123456789abcdef"
        return [one for some in self._pool.map(self._beginning, digits) for one in some]

    def _beginning(self, prefix: str) -> list[VectorId]:
        found: list[VectorId] = []
        page = self._page(prefix)
        while True:
            found += _record_ids(page)
            following = _following(page)
            if not following:
                return found
            page = self._page(prefix, pagination_token=following)

    def _page(self, prefix: str, **more: Any) -> Any:
        asked = {"prefix": prefix} if prefix else {}
        return self._ask("list_paginated", limit=_LISTED, **asked, **more)


def _portions(vectors: list[dict[str, Any]], most: int) -> Iterator[list[dict[str, Any]]]:
    """The vectors of one request: all of a batch, or of a record that does not fit in one as many as do."""
    some: list[dict[str, Any]] = []
    size = 0
    for vector in vectors:
        length = len(json.dumps(vector))
        if some and (len(some) >= most or size + length > _BATCH_BYTES):
            yield some
            some, size = [], 0
        some.append(vector)
        size += length
    if some:
        yield some


def _listed_ids(page: Any) -> list[str]:
    return [str(one.id) for one in getattr(page, "vectors", None) or ()]


def _record_ids(page: Any) -> list[VectorId]:
    return [one for text in _listed_ids(page) if (one := VectorId.read(text))]


def _following(page: Any) -> str | None:
    pagination = getattr(page, "pagination", None)
    return getattr(pagination, "next", None) or None


def _place(record: Record) -> tuple[str, int, str]:
    return record.chunk.source, record.chunk.ordinal, record.id
