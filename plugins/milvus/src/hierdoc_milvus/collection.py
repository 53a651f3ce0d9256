"""One collection of a Milvus: made, filled, emptied, counted, paged through. All of it is synchronous; backends call it in a thread."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pymilvus import DataType, Function, FunctionType

from hierdoc import Analyzer, IndexDamagedError, Match, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.plugin import (
    REBUILD,
    DocumentState,
    Record,
    document_states,
    read_state_key,
    record_terms,
    require_manifest,
    tag,
)
from hierdoc_milvus import MilvusConfig
from hierdoc_milvus.connection import Connection
from hierdoc_milvus.rows import (
    MOST_BYTES,
    MOST_ITEMS,
    has_any,
    make_row,
    one_of,
    query_words,
    read_chunk_id,
)

MOST_HITS = 16_384
"""What a Milvus returns of one search."""

PAGE = 1000
"""Rows in one answer."""

_MOST_SOURCES = 500
"""Documents deleted in one request."""

_BATCH_BYTES = 8_000_000
"""Of a request that writes; a server takes 64 MB."""

_ABOUT = "hierdoc"


class Collection:
    """A collection.

    Args:
        config: How it is reached, made and written.
        kind: `keyword` or `vector`; ends its name.
    """

    def __init__(self, config: MilvusConfig, kind: str) -> None:
        self.connection = Connection(config)
        self.analyzer = Analyzer(config.language)
        self.name = f"{config.collection}_{kind}"
        self._config = config
        self._options: dict[str, Any] = {"timeout": config.timeout}
        self._variants: frozenset[str] = frozenset()

    @property
    def place(self) -> str:
        """The collection, in words for messages."""
        return f"collection {self.name!r} at {self.connection.place}"

    def prepare(
        self,
        manifest: Mapping[str, Any],
        dimensions: int | None,
        index: Mapping[str, Any],
        *,
        reset: bool,
    ) -> None:
        """Open the collection, or make it.

        Args:
            manifest: What it is made for.
            dimensions: Of its vectors; None for words alone.
            index: Of its vectors; empty for words alone.
            reset: Make it anew.

        Raises:
            IndexDamagedError: Its files are not what was written, and `reset` is false.
            IndexMismatchError: It is made for something else, and `reset` is false.
            StoreError: The name belongs to somebody else's collection.
        """
        client = self.connection.client
        self.connection.require_version()
        self._variants = frozenset()
        if self.connection.is_damaged(self.name):
            if not reset:
                raise IndexDamagedError(
                    f"{self.place} is damaged: its files are not what was written", hint=REBUILD
                )
            self.connection.drop_damaged(self.name)
        if client.has_collection(self.name, **self._options):
            about = _about(client.describe_collection(self.name, **self._options))
            if about is None:
                raise StoreError(
                    f"{self.place} was not made by hierdoc",
                    hint="Choose another name for `collection`.",
                )
            if not reset:
                require_manifest(about, manifest, self.place)
                self._load(index)
                return
            client.drop_collection(self.name, **self._options)
        self._make(manifest, dimensions)
        self._load(index)

    def write(self, records: Sequence[Record], vectors: Any = None) -> None:
        """Write records, each with an id of its own, in the place of those with their ids.

        Raises:
            PartialWriteError: The server failed after it had taken some.
            StoreError: It failed; nothing was written.
        """
        written = 0
        rows: list[dict[str, Any]] = []
        size = 0
        try:
            for place, record in enumerate(records):
                terms = record_terms(record, self.analyzer)
                self._variants |= {terms.variant}
                row = make_row(record, terms, None if vectors is None else vectors[place])
                length = len(row["words"]) + sum(map(len, row.get("record", ())))
                full = len(rows) >= self._config.batch_size or size + length > _BATCH_BYTES
                if rows and full:
                    self._upsert(rows)
                    written += len(rows)
                    rows, size = [], 0
                rows.append(row)
                size += length
            self._upsert(rows)
        except StoreError as error:
            if not written:
                raise
            raise PartialWriteError(
                f"{self.place}: {len(records) - written} of {len(records)} records were not written: {error}",
                failed={record.id: str(error) for record in records[written:]},
                hint=error.hint,
            ) from error

    def delete(self, sources: Sequence[str]) -> None:
        """Delete all records of documents."""
        for start in range(0, len(sources), _MOST_SOURCES):
            tags = [tag("source", one) for one in sources[start : start + _MOST_SOURCES]]
            self.connection.client.delete(self.name, filter=has_any(tags), **self._options)

    def search(self, limit: int, expression: str, **asked: Any) -> list[Mapping[str, Any]]:
        """The hits of one search, each with `distance` and the chunk's id in `entity`."""
        (hits,) = self.connection.client.search(
            self.name,
            filter=expression,
            limit=limit,
            output_fields=["chunk_id"],
            **asked,
            **self._options,
        )
        return list(hits)

    def fused(self, requests: Sequence[Any], ranker: Any, limit: int) -> list[Mapping[str, Any]]:
        """The hits of one hybrid search."""
        (hits,) = self.connection.client.hybrid_search(
            self.name,
            list(requests),
            ranker,
            limit=limit,
            output_fields=["chunk_id"],
            **self._options,
        )
        return list(hits)

    def words(self, text: str) -> str:
        """The terms of a query, as Milvus counts them."""
        while True:
            rows = self.connection.client.query(
                self.name,
                filter=f"not ({one_of('variant', sorted(self._variants))})"
                if self._variants
                else 'key != ""',
                output_fields=["variant"],
                limit=1,
                **self._options,
            )
            if not rows:
                break
            self._variants |= {rows[0]["variant"]}
        return query_words(self.analyzer.query_terms(text, self._variants))

    def read(self, keys: Sequence[str], fields: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """Rows by key, in no order."""
        for start in range(0, len(keys), PAGE):
            some = list(keys[start : start + PAGE])
            yield from self.connection.client.query(
                self.name,
                filter=one_of("key", some),
                output_fields=list(fields),
                limit=len(some),
                **self._options,
            )

    def page(
        self, after: str, fields: Sequence[str], expression: str = "", size: int = PAGE
    ) -> list[Mapping[str, Any]]:
        """The next rows by key."""
        beyond = f'key > "{after}"'
        rows = self.connection.client.query(
            self.name,
            filter=f"({expression}) and {beyond}" if expression else beyond,
            output_fields=["key", *fields],
            limit=size,
            iterator="True",  # as the client's own iterators ask: the first by key
            reduce_stop_for_best="True",
            **self._options,
        )
        return sorted(rows, key=lambda row: str(row["key"]))

    def all(self, fields: Sequence[str], expression: str = "") -> Iterator[Mapping[str, Any]]:
        """Every row, by key."""
        after = ""
        while True:
            rows = self.page(after, fields, expression)
            yield from rows
            if len(rows) < PAGE:
                return
            after = rows[-1]["key"]

    def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        counts = Counter(row["state"] for row in self.all(["state"]))
        return document_states((*read_state_key(state), held) for state, held in counts.items())

    def count(self) -> int:
        """The number of rows."""
        rows = self.connection.client.query(
            self.name, filter="", output_fields=["count(*)"], **self._options
        )
        return int(rows[0]["count(*)"])

    def _upsert(self, rows: Sequence[Mapping[str, Any]]) -> None:
        with self.connection.reported():
            if rows:
                self.connection.client.upsert(self.name, list(rows), **self._options)

    def _make(self, manifest: Mapping[str, Any], dimensions: int | None) -> None:
        client = self.connection.client
        about = json.dumps({_ABOUT: manifest})
        schema = client.create_schema(auto_id=False, enable_dynamic_field=False, description=about)
        text: dict[str, Any] = {"datatype": DataType.VARCHAR, "max_length": MOST_BYTES}
        items: dict[str, Any] = {
            "datatype": DataType.ARRAY,
            "element_type": DataType.VARCHAR,
            "max_capacity": MOST_ITEMS,
        }
        schema.add_field("key", DataType.VARCHAR, max_length=32, is_primary=True)
        schema.add_field("tags", max_length=32, **items)
        for name in ("chunk_id", "source", "state", "variant"):
            schema.add_field(name, **text)
        schema.add_field("ordinal", DataType.INT64)
        schema.add_field(
            "words", enable_analyzer=True, analyzer_params={"tokenizer": "standard"}, **text
        )
        schema.add_field("sparse", DataType.SPARSE_FLOAT_VECTOR)
        schema.add_function(
            Function(
                name="bm25",
                function_type=FunctionType.BM25,
                input_field_names=["words"],
                output_field_names=["sparse"],
            )
        )
        if dimensions is not None:
            schema.add_field("record", max_length=MOST_BYTES, **items)
            schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimensions)
        client.create_collection(
            self.name,
            schema=schema,
            consistency_level="Strong",
            properties={_ABOUT: about},  # Milvus Lite forgets the description
            **self._options,
        )

    def _load(self, index: Mapping[str, Any]) -> None:
        """Make the indexes that are not there, and let the server load the collection."""
        client = self.connection.client
        held = client.list_indexes(self.name)
        parameters = {"bm25_k1": self._config.k1, "bm25_b": self._config.b}
        sparse = {"index_type": "SPARSE_INVERTED_INDEX", "params": parameters}
        for field, metric, options in (("sparse", "BM25", sparse), ("vector", "IP", index)):
            if options and field not in held:
                indexes = client.prepare_index_params()
                indexes.add_index(field, index_name=field, metric_type=metric, **options)
                client.create_index(self.name, indexes, sync=False, **self._options)
        client.load_collection(self.name, **self._options)


def matched(hits: Sequence[Mapping[str, Any]]) -> list[Match]:
    """Hits as matches, by Milvus's score; Milvus Lite gives that of BM25 with another sign."""
    return [Match(read_chunk_id(hit["entity"]), abs(float(hit["distance"]))) for hit in hits]


def _about(described: Mapping[str, Any]) -> Any:
    """What hierdoc wrote about a collection; None where it did not make it."""
    for text in (described.get("description"), described.get("properties", {}).get(_ABOUT)):
        try:
            return json.loads(text or "")[_ABOUT]
        except (ValueError, KeyError, TypeError):
            continue
    return None
