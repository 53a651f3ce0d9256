"""Records as vectors of a namespace, and filters over them.

A vector's id tells what is asked for most, so that no answer has to bring metadata:

    KEY.STATE.ORDINAL.CHUNK     digests of the chunk's id and of its document's version, its position and, if short, its id
    KEY.STATE.~PART             a further part of a record that is too long for one vector's metadata
    !manifest, !...             what the namespace is made for, and marks by which it is seen that writes have arrived

Its metadata:

    key      the digest of the chunk's id
    slot     from 0 to 65,535, by that digest: cuts answers of more than 10,000 in pieces
    part     0; WITHOUT_VECTOR where the record's vector is of length 0, which Pinecone does not take; from 1 of further parts
    parts    how many further parts there are
    tags     a digest for each value that a filter can ask for; of further parts that of the source alone
    record   the record but its vector, as JSON, or a part of it
    mark     in place of all these, of what is no record
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import numpy as np

from hierdoc import Filter, StoreError
from hierdoc.plugin import Record, TagFold, record_tags, state_key, tag

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA = 1
"""Changes with anything in this module that an existing namespace would not agree with."""

MANIFEST = "!manifest"
"""The id of the vector that says what the namespace is made for, and its mark."""

SLOTS = 65_536
"""How many slots there are."""

MOST_METADATA = 40_960
"""Bytes of a vector's metadata that Pinecone takes."""

WITHOUT_VECTOR = -1

_PIECE = 8000
"""Characters of a part of a record: at most four bytes each, also where JSON escapes them."""

_LONGEST_NAME = 120
_MOST_TAGS = 800
_MOST_VALUES = 10_000
"""Values in one `$in`."""

Condition = dict[str, Any]


@dataclass(frozen=True, slots=True)
class VectorId:
    """What the id of a record's vector says.

    Attributes:
        text: The id.
        key: The digest of the chunk's id.
        state: The digest of the document's version.
        ordinal: The chunk's position.
        chunk_id: The chunk's id; None where it is too long or too odd to stand there.
    """

    text: str
    key: str
    state: str
    ordinal: int
    chunk_id: str | None

    @classmethod
    def read(cls, text: str) -> VectorId | None:
        """What this id says; None of a further part and of what is no record."""
        key, _, rest = text.partition(".")
        state, _, rest = rest.partition(".")
        ordinal, dot, name = rest.partition(".")
        if not dot:
            return None
        return cls(text, key, state, int(ordinal, 16), unquote(name[1:]) if name else None)


def make_vectors(record: Record, vector: NDArray[np.float32]) -> list[dict[str, Any]]:
    """The vectors of a record, its further parts first.

    Args:
        record: It.
        vector: float32 of shape [dimensions], of length 1 or 0.

    Raises:
        StoreError: Filters could ask for more of its values than Pinecone takes.
    """
    key, state = key_of(record.id), state_of(record)
    tags = record_tags(record)
    if len(tags) > _MOST_TAGS:
        raise StoreError(
            f"chunk {record.id!r} has {len(tags)} values that filters can ask for; Pinecone takes {_MOST_TAGS}",
            hint="Declare fewer fields under `metadata`, or use another store.",
        )
    slot = int(key[:4], 16)
    name = _name(record.id)
    about: dict[str, Any] = {"key": key, "slot": slot, "part": 0, "tags": tags}
    nowhere = _first_axis(len(vector))
    values = [float(f"{one:.9g}") for one in vector.tolist()]  # nine digits tell float32 apart
    if not vector.any():
        values, about["part"] = nowhere, WITHOUT_VECTOR
    text = record.to_json()
    room = MOST_METADATA - _size(about) - 200
    if _size(text) <= room:
        about["record"] = text
        parts = []
    else:
        parts = [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]
        about["parts"] = len(parts)
    source = [tag("source", record.chunk.source)]
    made = [
        {
            "id": f"{key}.{state}.~{number}",
            "values": nowhere,
            "metadata": {"key": key, "slot": slot, "part": number, "tags": source, "record": part},
        }
        for number, part in enumerate(parts, start=1)
    ]
    identity = f"{key}.{state}.{record.chunk.ordinal:x}.{name}"
    return [*made, {"id": identity, "values": values, "metadata": about}]


def make_mark(id: str, dimensions: int, **more: str) -> dict[str, Any]:
    """A vector that is no record."""
    return {"id": id, "values": _first_axis(dimensions), "metadata": {"mark": id, **more}}


def key_of(chunk_id: str) -> str:
    """What stands for a chunk's id, which may hold any characters."""
    return tag("id", chunk_id)


def state_of(record: Record) -> str:
    """16 hexadecimal digits that stand for a document's version."""
    return blake2b(state_key(record).encode(), digest_size=8).hexdigest()


def selection(filter: Filter | None) -> Condition:
    """The condition for the records that a filter selects."""
    if filter is None:
        return RECORDS
    return {"$and": [RECORDS, _Selection()(filter).holds]}


RECORDS: Condition = {"part": {"$lte": 0}}
"""The condition for records, without their further parts."""


def with_vectors(filter: Filter | None) -> Condition:
    """The same for those that have vectors."""
    own: Condition = {"part": {"$eq": 0}}
    return own if filter is None else {"$and": [own, _Selection()(filter).holds]}


def has_any(name: str, values: Sequence[str]) -> Condition:
    """The condition that a field has one of these values."""
    return _looked_up(name, "$in", "$or", values)


@dataclass(frozen=True, slots=True)
class _Both:
    """A condition and its opposite: Pinecone negates look-ups, and nothing else."""

    holds: Condition
    fails: Condition


_EVERYTHING: Condition = {"slot": {"$gte": 0}}
_NOTHING: Condition = {"slot": {"$lt": 0}}


class _Selection(TagFold[_Both]):
    def has_any(self, tags: Sequence[str]) -> _Both:
        return _Both(
            _looked_up("tags", "$in", "$or", tags), _looked_up("tags", "$nin", "$and", tags)
        )

    def all_of(self, parts: Sequence[_Both]) -> _Both:
        if not parts:
            return _Both(_EVERYTHING, _NOTHING)
        return _Both(
            {"$and": [part.holds for part in parts]}, {"$or": [part.fails for part in parts]}
        )

    def any_of(self, parts: Sequence[_Both]) -> _Both:
        return self.negation(self.all_of([self.negation(part) for part in parts]))

    def negation(self, part: _Both) -> _Both:
        return _Both(part.fails, part.holds)


def _looked_up(name: str, operator: str, joint: str, values: Sequence[str]) -> Condition:
    some = [
        {name: {operator: list(values[start : start + _MOST_VALUES])}}
        for start in range(0, len(values), _MOST_VALUES)
    ]
    return some[0] if len(some) == 1 else {joint: some}


def _name(chunk_id: str) -> str:
    """The chunk's id for a vector's id; empty where it is long or no valid text. An underscore tells an empty one from none."""
    try:
        quoted = quote(chunk_id, safe="")
    except UnicodeEncodeError:
        return ""
    return f"_{quoted}" if len(quoted) <= _LONGEST_NAME else ""


@lru_cache(maxsize=8)
def _first_axis(dimensions: int) -> list[float]:
    """In place of no vector."""
    return [1.0] + [0.0] * (dimensions - 1)


def _size(value: Any) -> int:
    """Bytes of a value as JSON in UTF-8."""
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
