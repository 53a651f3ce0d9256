"""Records as entries of a Chroma collection and back, and filters as Chroma's `where`.

Chroma's metadata are scalars. A field with one value is a string; each value of a list field is a key of its own that is true, as is
each beginning of the parent chain: that holds in every version of Chroma. The record itself is JSON in the entry's document.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hierdoc import Filter
from hierdoc.plugin import (
    PARENT_CHAIN,
    SCALAR_FIELDS,
    FilterFold,
    Record,
    chain_value,
    filter_values,
    tag,
    to_store_text,
)

Where = dict[str, Any]
"""A condition of Chroma."""


def entry_id(chunk_id: str) -> str:
    """The id of an entry, which may not be empty."""
    return f"={to_store_text(chunk_id)}"


def metadata(record: Record) -> dict[str, Any]:
    """What filters and `documents` look at."""
    found: dict[str, Any] = {}
    for name, value in filter_values(record):
        if name in SCALAR_FIELDS:
            found[name] = to_store_text(value)
        else:
            found[tag(name, value)] = True
    found["ordinal"] = record.chunk.ordinal
    found["content_hash"] = to_store_text(record.version.content_hash)
    found["fingerprint"] = to_store_text(record.version.fingerprint)
    found["records"] = record.version.records
    return found


def where(filter: Filter) -> Where | bool:
    """The condition under which an entry is selected; True for all, False for none."""
    return _Where()(filter)[0]


class _Where(FilterFold[tuple["Where | bool", "Where | bool"]]):
    """Each condition with its opposite: Chroma knows no negation but that of a single key."""

    def equals(self, field: str, value: str) -> tuple[Where, Where]:
        stored = to_store_text(value)
        return {field: {"$eq": stored}}, {field: {"$ne": stored}}

    def one_of(self, field: str, values: Sequence[str]) -> tuple[Where, Where]:
        stored = [to_store_text(value) for value in dict.fromkeys(values)]
        return {field: {"$in": stored}}, {field: {"$nin": stored}}

    def contains(self, field: str, value: str) -> tuple[Where, Where]:
        key = tag(field, value)
        return {key: {"$eq": True}}, {key: {"$ne": True}}

    def under(self, chain: Sequence[str]) -> tuple[Where, Where]:
        return self.contains(PARENT_CHAIN, chain_value(chain))

    def all_of(
        self, parts: Sequence[tuple[Where | bool, Where | bool]]
    ) -> tuple[Where | bool, Where | bool]:
        return _joined([one for one, _ in parts], "$and"), _joined([one for _, one in parts], "$or")

    def any_of(
        self, parts: Sequence[tuple[Where | bool, Where | bool]]
    ) -> tuple[Where | bool, Where | bool]:
        return _joined([one for one, _ in parts], "$or"), _joined([one for _, one in parts], "$and")

    def negation(
        self, part: tuple[Where | bool, Where | bool]
    ) -> tuple[Where | bool, Where | bool]:
        return part[1], part[0]


def _joined(parts: Sequence[Where | bool], operator: str) -> Where | bool:
    """Chroma takes two parts or more, and neither all nor nothing."""
    neutral = operator == "$and"
    if (not neutral) in parts:
        return not neutral
    kept = [part for part in parts if isinstance(part, dict)]
    if len(kept) <= 1:
        return kept[0] if kept else neutral
    return {operator: kept}
