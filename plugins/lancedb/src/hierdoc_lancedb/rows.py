"""Records as rows of a LanceDB table and back, and filters as predicates over their tags.

A tag is a digest of a field and a value in hexadecimal digits, so predicates hold nothing that a document or a query wrote.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from hierdoc import And, Contains, Equals, Filter, In, Or, StoreError, Under
from hierdoc.plugin import Record, to_store_text

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
        "key": [digest("id", one.id) for one in records],
        "document": [digest("source", one.chunk.source) for one in records],
        "id": [to_store_text(one.id) for one in records],
        "source": [to_store_text(one.chunk.source) for one in records],
        "ordinal": [one.chunk.ordinal for one in records],
        "content_hash": [to_store_text(one.version.content_hash) for one in records],
        "fingerprint": [to_store_text(one.version.fingerprint) for one in records],
        "records": [one.version.records for one in records],
        "variant": variants,
        "tags": [_tags(one) for one in records],
        "terms": terms,
        "payload": [_payload(one) for one in records],
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
    try:
        return [
            Record.from_payload(json.loads(payload), None if vector is None else vector.copy())
            for payload, vector in zip(payloads, vectors, strict=True)
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"lancedb: a record in the index cannot be read: {error}",
            hint="Build the index anew with `hierdoc ingest --force`.",
        ) from error


def digest(name: str, value: str) -> str:
    """32 hexadecimal digits for a value of a field."""
    key = f"{name}\x1f{value}".encode("utf-8", "surrogatepass")
    return blake2b(key, digest_size=16).hexdigest()


def predicate(filter: Filter) -> str:
    """What a row must fulfil for the filter to select its record."""
    if isinstance(filter, (Equals, Contains)):
        return _has_any([digest(filter.field, filter.value)])
    if isinstance(filter, In):
        return _has_any([digest(filter.field, value) for value in filter.values])
    if isinstance(filter, Under):
        chain = digest("parent_chain", json.dumps(filter.chain))
        return _has_any([chain]) if filter.chain else "true"
    if isinstance(filter, And):
        return _joined([predicate(part) for part in filter.filters], "AND") or "true"
    if isinstance(filter, Or):
        simple = [part for part in filter.filters if isinstance(part, (Equals, Contains))]
        parts = [predicate(part) for part in filter.filters if part not in simple]
        if simple:
            parts.append(_has_any([digest(part.field, part.value) for part in simple]))
        return _joined(parts, "OR") or "false"
    return f"NOT ({predicate(filter.filter)})"


def one_of(column: str, digests: Iterable[str]) -> str:
    """The predicate that a column holds one of these digests."""
    listed = ", ".join(f"'{one}'" for one in digests)
    return f"{column} IN ({listed})" if listed else "false"


def _tags(record: Record) -> list[str]:
    return list(dict.fromkeys(digest(name, value) for name, value in _values(record)))


def _values(record: Record) -> Iterator[tuple[str, str]]:
    for name, value in record.fields().items():
        if name == "parent_chain":
            for depth in range(1, len(value) + 1):
                yield name, json.dumps(value[:depth])
        elif isinstance(value, str):
            yield name, value
        elif value is not None:
            yield from ((name, one) for one in value)


def _payload(record: Record) -> str:
    payload = record.payload()
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # lone surrogates
        text = json.dumps(payload, separators=(",", ":"))
    return text


def _has_any(digests: Sequence[str]) -> str:
    listed = ", ".join(f"'{one}'" for one in digests)
    return f"array_has_any(tags, [{listed}])" if digests else "false"


def _joined(parts: Sequence[str], operator: str) -> str:
    """The parts in brackets, halved again and again, so that no expression is deep."""
    if len(parts) <= 1:
        return parts[0] if parts else ""
    middle = len(parts) // 2
    return f"({_joined(parts[:middle], operator)}) {operator} ({_joined(parts[middle:], operator)})"
