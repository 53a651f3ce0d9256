"""What Redis holds of one corpus: made, filled, emptied, counted, searched. All of it is synchronous; backends call it in a thread.

With `laws` for `collection` and `vector` for the kind of backend, there are

    laws:vector                 the index
    laws:vector:about           what it is made for, as JSON
    laws:vector:r:DIGEST        a hash for each record
    laws:vector:states          a hash: the digest of each record, and the version of its document
    laws:vector:d:DIGEST        a set for each document: the digests of its records
    laws:vector:variants        a set: by which variants of the analyzer words are

Each batch of records is one transaction, so that these agree with each other at any moment.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hierdoc import Analyzer, Filter, Match, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.plugin import (
    DocumentState,
    Record,
    document_states,
    read_state_key,
    record_terms,
    require_manifest,
    state_key,
    tag,
)
from hierdoc_redis import RedisConfig
from hierdoc_redis.connection import Connection
from hierdoc_redis.hashes import digest, fields_of, read_id, schema, words_query

MOST_HITS = 10_000
"""What is asked for in one search."""

PAGE = 500
"""Records in one answer."""

_BATCH_BYTES = 8_000_000
"""Of a transaction, about."""

_POLL = 0.2
"""Seconds between looks at an index that is being built."""


class Corpus:
    """The keys and the index of a backend.

    Args:
        config: How the server is reached and written.
        kind: `keyword` or `vector`; is part of all names.
    """

    def __init__(self, config: RedisConfig, kind: str) -> None:
        self.connection = Connection(config)
        self.analyzer = Analyzer(config.language)
        self.index = f"{config.collection}:{kind}"
        self._config = config

    @property
    def place(self) -> str:
        """The index, in words for messages."""
        return f"index {self.index!r} at {self.connection.place}"

    def prepare(
        self, manifest: Mapping[str, Any], vector: Sequence[Any] | None, *, reset: bool
    ) -> None:
        """Open the index, or make it, and wait until it holds all records.

        Args:
            manifest: What it is made for.
            vector: How vectors are indexed; None where there are none.
            reset: Make it anew.

        Raises:
            IndexMismatchError: It is made for something else, and `reset` is false.
            StoreError: The server cannot search, or the name belongs to somebody else's index.
        """
        connection = self.connection
        connection.require_search()
        is_there = self.index.encode() in connection.ask("FT._LIST")
        kept = connection.client.get(self._key("about"))
        if is_there and kept is None:
            raise StoreError(
                f"{self.place} was not made by hierdoc",
                hint="Choose another name for `collection`.",
            )
        if kept is not None and reset:
            if is_there:
                connection.ask("FT.DROPINDEX", self.index)
                is_there = False
            self._drop()
            kept = None
        if kept is not None:
            require_manifest(_read(kept), manifest, self.place)
        else:
            connection.client.set(self._key("about"), json.dumps(manifest))
        if not is_there:
            connection.ask(
                *("FT.CREATE", self.index, "ON", "HASH", "PREFIX", 1, self._key("r:")),
                *("NOOFFSETS", "STOPWORDS", 0, "SCHEMA", *schema(vector)),
            )
        self._wait()

    def write(self, records: Sequence[Record], vectors: Any = None) -> None:
        """Write records, each with an id of its own, in the place of those with their ids.

        Raises:
            PartialWriteError: The server failed after it had taken some.
            StoreError: It failed; nothing was written.
        """
        written = 0
        try:
            for batch in self._batches(records, vectors):
                with self.connection.reported():
                    self._write(batch)
                written += len(batch)
        except StoreError as error:
            if not written:
                raise
            raise PartialWriteError(
                f"{self.place}: {len(records) - written} of {len(records)} records were not written: {error}",
                failed={record.id: str(error) for record in records[written:]},
                hint=error.hint,
            ) from error

    def delete(self, sources: Sequence[str]) -> None:
        """Delete all records of documents, each document in one transaction."""
        client = self.connection.client
        for source in sources:
            held = self._document(source)
            digests = [one.decode() for one in client.smembers(held)]
            states = client.hmget(self._key("states"), digests) if digests else []
            gone = [
                one
                for one, state in zip(digests, states, strict=True)
                if state is not None and read_state_key(state.decode())[0] == source
            ]
            pipeline = client.pipeline()
            for one in gone:
                pipeline.delete(self._record(one))
            if gone:
                pipeline.hdel(self._key("states"), *gone)
            pipeline.delete(held)
            pipeline.execute()

    def terms(self, text: str) -> list[str]:
        """The terms of a query."""
        variants = self.connection.client.smembers(self._key("variants"))
        return list(self.analyzer.query_terms(text, frozenset(one.decode() for one in variants)))

    def by_words(self, terms: Sequence[str], limit: int, filter: Filter | None) -> list[Match]:
        """Records with one of these terms, which are one or more, by BM25."""
        answer = self._search(
            words_query(terms, filter),
            0,
            limit,
            "WITHSCORES",
            "SCORER",
            "BM25STD",
            "RETURN",
            1,
            "id",
        )
        return [
            Match(read_id(fields[1]), float(score))
            for score, fields in zip(answer[2::3], answer[3::3], strict=True)
        ]

    def found(self, query: str, limit: int, *more: Any) -> Iterator[Mapping[bytes, bytes]]:
        """The fields of hits, page by page.

        Args:
            query: In Redis's language.
            limit: How many at most.
            more: Further arguments: which fields, and their order.
        """
        for start in range(0, limit, MOST_HITS):
            size = min(MOST_HITS, limit - start)
            answer = self._search(query, start, size, *more)
            hits = [dict(zip(one[::2], one[1::2], strict=True)) for one in answer[2::2]]
            yield from hits
            if len(hits) < size:
                return

    def fused(self, *arguments: Any) -> list[Mapping[bytes, bytes]]:
        """The fields of the hits of one hybrid search.

        Raises:
            StoreError: The server was not done in time.
        """
        milliseconds = self._milliseconds
        answer = self.connection.ask("FT.HYBRID", self.index, *arguments, "TIMEOUT", milliseconds)
        told = dict(zip(answer[::2], answer[1::2], strict=True))
        if told.get(b"warnings"):
            warnings = "; ".join(one.decode("utf-8", "replace") for one in told[b"warnings"])
            raise StoreError(
                f"{self.place}: {warnings}", hint="Raise `timeout`, or give the server more memory."
            )
        return [dict(zip(one[::2], one[1::2], strict=True)) for one in told[b"results"]]

    def read(self, digests: Sequence[str], *names: str) -> Iterator[list[bytes]]:
        """Fields of records by their digests, in order, unknown ones left out."""
        for start in range(0, len(digests), PAGE):
            pipeline = self.connection.client.pipeline(transaction=False)
            for one in digests[start : start + PAGE]:
                pipeline.hmget(self._record(one), list(names))
            for values in pipeline.execute():
                if None not in values:
                    yield values

    def page(self, cursor: int, size: int = PAGE) -> tuple[int, dict[bytes, bytes]]:
        """Some records' digests with their states, and the cursor for those that follow, 0 at the end; none is left out, some may return."""
        following, held = self.connection.client.hscan(self._key("states"), cursor, count=size)
        return int(following), held

    def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        held: dict[bytes, bytes] = {}
        cursor, page = self.page(0, 5000)
        held |= page
        while cursor:
            cursor, page = self.page(cursor, 5000)
            held |= page
        counts = Counter(held.values())
        return document_states((*read_state_key(one.decode()), n) for one, n in counts.items())

    def count(self) -> int:
        """The number of records."""
        return int(self.connection.client.hlen(self._key("states")))

    @property
    def _milliseconds(self) -> int:
        """After which the server may give up a search: later than we do, since it would return what it has without a word."""
        return int(self._config.timeout * 2000) + 1000

    def _search(self, query: str, start: int, size: int, *more: Any) -> list[Any]:
        found: list[Any] = self.connection.ask(
            *("FT.SEARCH", self.index, query, *more, "LIMIT", start, size),
            *("TIMEOUT", self._milliseconds, "DIALECT", 2),
        )
        return found

    def _batches(
        self, records: Sequence[Record], vectors: Any
    ) -> Iterator[list[tuple[Record, str, dict[str, Any]]]]:
        """Records, their variants and their hashes, as many as go into one transaction."""
        batch: list[tuple[Record, str, dict[str, Any]]] = []
        size = 0
        for place, record in enumerate(records):
            terms = record_terms(record, self.analyzer)
            fields = fields_of(record, terms, None if vectors is None else vectors[place])
            length = sum(map(len, fields.values()))
            if batch and (len(batch) >= self._config.batch_size or size + length > _BATCH_BYTES):
                yield batch
                batch, size = [], 0
            batch.append((record, terms.variant, fields))
            size += length
        if batch:
            yield batch

    def _write(self, batch: Sequence[tuple[Record, str, dict[str, Any]]]) -> None:
        pipeline = self.connection.client.pipeline()
        pipeline.sadd(self._key("variants"), *{variant for _, variant, _ in batch})
        states = {digest(record.id): state_key(record) for record, _, _ in batch}
        pipeline.hset(self._key("states"), mapping=states)
        for record, _, fields in batch:
            pipeline.hset(self._record(digest(record.id)), mapping=fields)
            pipeline.sadd(self._document(record.chunk.source), digest(record.id))
        pipeline.execute()

    def _drop(self) -> None:
        """Delete all keys."""
        client = self.connection.client
        cursor = -1
        while cursor:
            cursor, held = self.page(max(cursor, 0))
            names = {self._record(one.decode()) for one in held}
            names |= {self._document(read_state_key(one.decode())[0]) for one in held.values()}
            if names:
                client.unlink(*names)
        client.unlink(self._key("states"), self._key("variants"), self._key("about"))

    def _wait(self) -> None:
        """Until a server that has just started, or an index that was made anew, has read all records."""
        until = time.monotonic() + self._config.timeout
        while True:
            answer = self.connection.ask("FT.INFO", self.index)
            told = dict(zip(answer[::2], answer[1::2], strict=False))
            if not int(told.get(b"indexing", 0)):
                return
            if time.monotonic() > until:
                raise StoreError(
                    f"{self.place} is still being built",
                    hint="Try again later, or raise `timeout`.",
                )
            time.sleep(_POLL)

    def _key(self, name: str) -> str:
        return f"{self.index}:{name}"

    def _record(self, one: str) -> str:
        return self._key(f"r:{one}")

    def _document(self, source: str) -> str:
        return self._key(f"d:{tag('source', source)}")


def _read(kept: Any) -> Any:
    try:
        return json.loads(kept)
    except ValueError:
        return None
