"""Records as rows of a Milvus collection, and filters over them.

key        32 hexadecimal digits that stand for the chunk's id
tags       a digest for each value that a filter can ask for
chunk_id, source, ordinal
state      the version of its document
variant    by which variant of the analyzer its words are
words      a digest for each term of the record, as often as the term counts; Milvus makes `sparse` of it, for BM25
record     the whole record but its vector, as JSON in pieces; in the vector backend, as is `vector`
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from hierdoc import Filter
from hierdoc.plugin import (
    Record,
    RecordTerms,
    TagFold,
    from_store_text,
    join_conditions,
    record_tags,
    state_key,
    tag,
    to_store_text,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA = 1
"""Changes with anything in this module that an existing collection would not agree with."""

MOST_BYTES = 65_535
"""Of a string in Milvus."""

MOST_ITEMS = 4096
"""Of a list in Milvus."""

EVERYTHING = 'key != ""'
NOTHING = 'key == ""'

_PIECE = MOST_BYTES // 4
_TOKEN = 9
"""Characters of a word's digest and the space behind it."""


def make_row(
    record: Record, terms: RecordTerms, vector: NDArray[np.float32] | None
) -> dict[str, Any]:
    """The row of a record.

    Args:
        record: It.
        terms: Its terms.
        vector: float32 of shape [dimensions]; None in a keyword backend.
    """
    row: dict[str, Any] = {
        "key": key_of(record.id),
        "tags": record_tags(record),
        "chunk_id": to_store_text(record.id),
        "source": to_store_text(record.chunk.source),
        "ordinal": record.chunk.ordinal,
        "state": state_key(record),
        "variant": terms.variant,
        "words": words_of(terms.counts),
    }
    if vector is not None:
        text = record.to_json()
        row["record"] = [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]
        row["vector"] = vector
    return row


def read_record(row: Mapping[str, Any]) -> Record:
    """The record of a row with `record` and, if it was asked for, `vector`."""
    vector = row.get("vector")
    return Record.from_json(
        "".join(row["record"]), None if vector is None else np.array(vector, np.float32)
    )


def read_chunk_id(row: Mapping[str, Any]) -> str:
    """The chunk's id."""
    return from_store_text(row["chunk_id"])


def key_of(chunk_id: str) -> str:
    """What stands for a chunk's id, which may hold any characters."""
    return tag("id", chunk_id)


def words_of(counts: Mapping[str, int]) -> str:
    """Words for Milvus to count, at most 65,535 characters: of longer texts each counts for less, and only then some are left out."""
    most = MOST_BYTES // _TOKEN
    left = Counter(counts)
    while left.total() > most and max(left.values()) > 1:
        left = Counter({term: (count + 1) // 2 for term, count in left.items()})
    return " ".join(token(term) for term in list(left.elements())[:most])


def query_words(terms: Iterable[str]) -> str:
    """The words of a query."""
    return " ".join(map(token, terms))


@lru_cache(maxsize=131_072)
def token(term: str) -> str:
    """Eight letters and digits that stand for a term: every analyzer takes them for one word."""
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=5).digest()
    return base64.b32encode(digest).decode().lower()


def selection(filter: Filter | None) -> str:
    """The expression for the records that a filter selects; empty for none."""
    return "" if filter is None else _Expression()(filter)


def one_of(field: str, values: Iterable[str]) -> str:
    """The expression that a field has one of these values."""
    return f"{field} in {json.dumps(list(values))}"


def has_any(tags: Sequence[str]) -> str:
    """The expression that a record has one of these tags."""
    return f"array_contains_any(tags, {json.dumps(list(tags))})"


class _Expression(TagFold[str]):
    def has_any(self, tags: Sequence[str]) -> str:
        return has_any(tags)

    def has_all(self, tags: Sequence[str]) -> str:
        return f"array_contains_all(tags, {json.dumps(list(tags))})"

    def all_of(self, parts: Sequence[str]) -> str:
        return join_conditions(parts, "and") if parts else EVERYTHING

    def any_of(self, parts: Sequence[str]) -> str:
        return join_conditions(parts, "or") if parts else NOTHING

    def negation(self, part: str) -> str:
        return f"not ({part})"
