"""Records as rows of a LanceDB table and back, and filters as predicates over their tags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from hierdoc import Filter
from hierdoc.plugin import Record, TagFold, join_conditions, record_tags, tag, to_store_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLACE = ("key", "id", "source", "ordinal")
"""Columns that say where a record stands."""

DOCUMENT_VERSION = ("source", "content_hash", "fingerprint", "records")
"""Columns that say of which version of which document it is."""


def schema(dimensions: int, about: str) -> pa.Schema:
    """The table's columns; `about` is kept with them."""
    columns = [
        ("key", pa.utf8()),
        ("document", pa.utf8()),
        ("id", pa.utf8()),
        ("source", pa.utf8()),
        ("ordinal", pa.int64()),
        ("content_hash", pa.utf8()),
        ("fingerprint", pa.utf8()),
        ("records", pa.int64()),
        ("variant", pa.utf8()),
        ("tags", pa.list_(pa.utf8())),
        ("terms", pa.utf8()),
        ("payload", pa.utf8()),
        ("vector", pa.list_(pa.float32(), dimensions)),
    ]
    return pa.schema([pa.field(*column) for column in columns], metadata={"hierdoc": about})


def table(
    records: Sequence[Record],
    vectors: NDArray[np.float32],
    terms: Sequence[str],
    variants: Sequence[str],
    like: pa.Schema,
) -> pa.Table:
    """Records as rows; `vectors` is float32 of shape [len(records), dimensions]."""
    columns: dict[str, Any] = {
        "key": [tag("id", one.id) for one in records],
        "document": [tag("source", one.chunk.source) for one in records],
        "id": [to_store_text(one.id) for one in records],
        "source": [to_store_text(one.chunk.source) for one in records],
        "ordinal": [one.chunk.ordinal for one in records],
        "content_hash": [to_store_text(one.version.content_hash) for one in records],
        "fingerprint": [to_store_text(one.version.fingerprint) for one in records],
        "records": [one.version.records for one in records],
        "variant": variants,
        "tags": [record_tags(one) for one in records],
        "terms": terms,
        "payload": [one.to_json() for one in records],
    }
    arrays = [pa.array(values, like.field(name).type) for name, values in columns.items()]
    flat = pa.array(np.ascontiguousarray(vectors).reshape(-1), pa.float32())
    arrays.append(pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1]))
    return pa.Table.from_arrays(arrays, schema=like)


def read(rows: pa.Table) -> list[Record]:
    """The records of rows with `payload` and, if it is asked for, `vector`.

    Raises:
        StoreError: A row cannot be read.
    """
    payloads = rows["payload"].to_pylist()
    vectors: Iterable[Any] = [None] * len(payloads)
    if "vector" in rows.column_names and payloads:
        flat = rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        vectors = flat.reshape(len(payloads), -1).astype(np.float32)
    return [
        Record.from_json(payload, None if vector is None else vector.copy())
        for payload, vector in zip(payloads, vectors, strict=True)
    ]


class _Predicate(TagFold[str]):
    def has_any(self, tags: Sequence[str]) -> str:
        listed = ", ".join(f"'{one}'" for one in tags)
        return f"array_has_any(tags, [{listed}])"

    def all_of(self, parts: Sequence[str]) -> str:
        return join_conditions(parts, "AND") if parts else "true"

    def any_of(self, parts: Sequence[str]) -> str:
        return join_conditions(parts, "OR") if parts else "false"

    def negation(self, part: str) -> str:
        return f"NOT ({part})"


def predicate(filter: Filter) -> str:
    """What a row must fulfil for the filter to select its record."""
    return _Predicate()(filter)


def one_of(column: str, digests: Iterable[str]) -> str:
    """The predicate that a column holds one of these digests."""
    listed = ", ".join(f"'{one}'" for one in digests)
    return f"{column} IN ({listed})" if listed else "false"
