"""Filters as conditions over one column, the tags of a record; one GIN index serves all operators."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from hierdoc import Filter
from hierdoc.plugin import Record, TagFold, join_conditions, record_tags, tag

Condition = tuple[str, list[object]]
"""SQL over a table with `tags`, and its parameters."""


def digest(name: str, value: str) -> UUID:
    """128 bits for a value of a field."""
    return UUID(tag(name, value))


def tags(record: Record) -> list[UUID]:
    """All that a filter can ask of the record."""
    return [UUID(one) for one in record_tags(record)]


def condition(filter: Filter | None) -> Condition:
    """What a row must fulfil for the filter to select its record."""
    return ("true", []) if filter is None else _Selection()(filter)


class _Selection(TagFold[Condition]):
    """Tags are parameters, never part of a statement."""

    def has_any(self, tags: Sequence[str]) -> Condition:
        return "tags && %s::uuid[]", [[UUID(one) for one in tags]]

    def has_all(self, tags: Sequence[str]) -> Condition:
        return "tags @> %s::uuid[]", [[UUID(one) for one in tags]]

    def all_of(self, parts: Sequence[Condition]) -> Condition:
        return _joined(parts, "AND") if parts else ("true", [])

    def any_of(self, parts: Sequence[Condition]) -> Condition:
        return _joined(parts, "OR") if parts else ("false", [])

    def negation(self, part: Condition) -> Condition:
        return f"NOT ({part[0]})", part[1]


def _joined(parts: Sequence[Condition], operator: str) -> Condition:
    parameters = [one for _, some in parts for one in some]
    return join_conditions([sql for sql, _ in parts], operator), parameters
