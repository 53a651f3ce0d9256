"""Records as hashes of Redis, and filters as its queries.

id       the chunk's id
tags     a digest for each value that a filter can ask for; one is on every record
place    source, position and id, in digits that sort as the three do
words    the terms of the record, each as often as it counts
record   the whole record but its vector, as JSON; in the vector backend, as is
vector   its numbers, float32 of 4 bytes each
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hierdoc import Filter
from hierdoc.plugin import (
    Record,
    RecordTerms,
    TagFold,
    from_store_text,
    record_tags,
    tag,
    to_store_text,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA = 1
"""Changes with anything in this module that existing keys would not agree with."""

_EVERY, _NONE = tag("", ""), tag("", "none")
"""The tag on every record, and one on none."""

_DIGITS = 12


def fields_of(
    record: Record, terms: RecordTerms, vector: NDArray[np.float32] | None
) -> dict[str, Any]:
    """The hash of a record.

    Args:
        record: It.
        terms: Its terms.
        vector: float32 of shape [dimensions]; None in a keyword backend, which then keeps no record.
    """
    fields: dict[str, Any] = {
        "id": to_store_text(record.id),
        "tags": ",".join([_EVERY, *record_tags(record)]),
        "place": _place(record),
        "words": " ".join(map(_word, terms.repeated())),
    }
    if vector is not None:
        fields |= {"record": record.to_json(), "vector": vector.astype("<f4").tobytes()}
    return fields


def read_record(record: bytes, vector: bytes | None = None) -> Record:
    """The record of a hash's fields."""
    numbers = None if vector is None else np.frombuffer(vector, "<f4").astype(np.float32)
    return Record.from_json(record.decode(), numbers)


def read_id(value: bytes) -> str:
    """The chunk's id."""
    return from_store_text(value.decode())


def digest(chunk_id: str) -> str:
    """What stands for a chunk's id in keys: ids may hold any characters."""
    return tag("id", chunk_id)


def schema(vector: Sequence[Any] | None) -> list[Any]:
    """The fields of an index, as FT.CREATE takes them.

    Args:
        vector: How vectors are indexed; None where there are none.
    """
    fields: list[Any] = [
        *("words", "TEXT", "NOSTEM"),
        *("tags", "TAG", "SEPARATOR", ","),
        *("place", "TAG", "SORTABLE", "UNF", "NOINDEX"),
    ]
    return fields if vector is None else [*fields, "vector", "VECTOR", *vector]


def words_query(terms: Iterable[str], filter: Filter | None) -> str:
    """The query for records with one of these terms, which are one or more; a filter adds nothing to their scores."""
    words = f"@words:({'|'.join(dict.fromkeys(map(_word, terms)))})"
    return words if filter is None else f"({selection(filter)})=>{{$weight:0}} {words}"


def nearest_query(filter: Filter | None, effort: str = "") -> str:
    """The query for the `$k` records nearest to `$vector`; their distances are called so."""
    return f"({selection(filter)})=>[KNN $k @vector $vector {effort}AS distance]"


def selection(filter: Filter | None) -> str:
    """The query for the records that a filter selects; for all records, where there is none."""
    return _has_any([_EVERY]) if filter is None else _Query()(filter)


class _Query(TagFold[str]):
    def has_any(self, tags: Sequence[str]) -> str:
        return _has_any(tags)

    def all_of(self, parts: Sequence[str]) -> str:
        return f"({' '.join(parts)})" if parts else _has_any([_EVERY])

    def any_of(self, parts: Sequence[str]) -> str:
        return f"({'|'.join(parts)})" if parts else _has_any([_NONE])

    def negation(self, part: str) -> str:
        return f"({_has_any([_EVERY])} -({part}))"


def _has_any(tags: Sequence[str]) -> str:
    return f"@tags:{{{'|'.join(tags)}}}"


def _word(term: str) -> str:
    """A term as letters and digits that no analysis changes."""
    return f"w{tag('word', term)[:_DIGITS]}"


def _place(record: Record) -> str:
    source, chunk_id = (
        to_store_text(one).encode().hex() for one in (record.chunk.source, record.id)
    )
    return f"{source}.{record.chunk.ordinal:016x}.{chunk_id}"
