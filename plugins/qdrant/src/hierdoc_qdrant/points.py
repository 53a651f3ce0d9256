"""Records as Qdrant's points, and back.

A point's id is the UUIDv5 of the chunk's id. Its payload:

    chunk_id                  the chunk's id
    source, kind, headings …  each field that filters look at, its keywords
    parent_chain              the chain at every depth, as JSON: a chain begins with another if it has that one's entry
    state                     the version of its document, as JSON: facets over it count what is held of every document
    variant                   by which variant of the analyzer its terms are
    ordinal                   its place in the document
    record                    the whole record but its vector, as JSON
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hierdoc import Filter
from hierdoc.plugin import (
    LIST_FIELDS,
    PARENT_CHAIN,
    SCALAR_FIELDS,
    FilterFold,
    Record,
    chain_value,
    filter_values,
    state_key,
)
from hierdoc_qdrant.sparse import SparseVector

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA = 3
"""Changes with anything in this module that an existing collection would not agree with."""

KEYWORDS = (*SCALAR_FIELDS, *LIST_FIELDS, PARENT_CHAIN, "state", "variant")
"""Fields of the payload with an index of keywords."""

_NAMESPACE = uuid.UUID("6b1a52f7-1a0c-5c7e-9a0e-0d6f3b8f7c11")
_LONGEST = 1000
_MARK = "\x1f"


@dataclass(frozen=True)
class Point:
    """What is written to Qdrant.

    Attributes:
        id: A UUID.
        dense: float32 of shape [dimensions], of length 1 or 0.
        sparse: The terms of the record's text.
        payload: JSON-ready.
    """

    id: str
    dense: NDArray[np.float32]
    sparse: SparseVector
    payload: Mapping[str, Any]


def make_point(
    record: Record, vector: NDArray[np.float32], sparse: SparseVector, variant: str
) -> Point:
    """The point of a record."""
    payload: dict[str, Any] = {
        "chunk_id": _storable(record.id),
        "variant": variant,
        "ordinal": record.chunk.ordinal,
        "state": state_key(record),
        "record": record.to_json(),
    }
    for name, value in filter_values(record):
        payload.setdefault(name, []).append(keyword(value))
    return Point(point_id(record.id), vector, sparse, payload)


def read_record(payload: Mapping[str, Any], vector: Sequence[float] | None = None) -> Record:
    """The record of a point, whose payload has at least `record`."""
    dense = None if vector is None else np.array(vector, np.float32)
    return Record.from_json(payload["record"], dense)


def read_chunk_id(payload: Mapping[str, Any]) -> str:
    """The chunk's id."""
    stored = str(payload["chunk_id"])
    return json.loads(stored[1:]) if stored.startswith(_MARK) else stored


def point_id(chunk_id: str) -> str:
    """The UUIDv5 (RFC 9562) of a chunk's id, which may hold any characters."""
    name = _NAMESPACE.bytes + chunk_id.encode("utf-8", "surrogatepass")
    return str(uuid.UUID(bytes=hashlib.sha1(name, usedforsecurity=False).digest()[:16], version=5))


def keyword(value: str) -> str:
    """What stands for a value in the payload: a digest for one that is long or not valid Unicode, else itself."""
    if len(value) <= _LONGEST and _is_storable(value):
        return value
    encoded = value.encode("utf-8", "surrogatepass")
    return _MARK + hashlib.blake2b(encoded, digest_size=16).hexdigest()


class _Condition(FilterFold[Any]):
    """Qdrant's filter or condition for a filter.

    Args:
        models: The module with the classes to build it of: `qdrant_client.models` or `qdrant_edge`.
    """

    def __init__(self, models: Any) -> None:
        self._models = models

    def equals(self, field: str, value: str) -> Any:
        return self._match(field, self._models.MatchValue(value=keyword(value)))

    def contains(self, field: str, value: str) -> Any:
        return self.equals(field, value)

    def contains_any(self, field: str, values: Sequence[str]) -> Any:
        return self.one_of(field, values)

    def one_of(self, field: str, values: Sequence[str]) -> Any:
        return self._match(field, self._models.MatchAny(any=list(map(keyword, values))))

    def under(self, chain: Sequence[str]) -> Any:
        return self.equals(PARENT_CHAIN, chain_value(chain))

    def all_of(self, parts: Sequence[Any]) -> Any:
        return self._models.Filter(must=list(parts))

    def any_of(self, parts: Sequence[Any]) -> Any:
        if not parts:
            return self._match("state", self._models.MatchAny(any=[]))
        return self._models.Filter(should=list(parts))

    def negation(self, part: Any) -> Any:
        return self._models.Filter(must_not=[part])

    def _match(self, field: str, match: Any) -> Any:
        return self._models.FieldCondition(key=field, match=match)


def selection(filter: Filter | None, models: Any) -> Any:
    """The same as a whole filter; None for none."""
    return None if filter is None else models.Filter(must=[_Condition(models)(filter)])


def _storable(text: str) -> str:
    """The text or, where it is not valid Unicode, its JSON behind a mark."""
    return text if _is_storable(text) else _MARK + json.dumps(text)


def _is_storable(text: str) -> bool:
    if text.startswith(_MARK):
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
