"""Filters as conditions over one column: the tags of a record, a digest for every field and value that it has.

A value never becomes part of a statement, not even as a parameter: its digest does. One GIN index serves all operators.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from uuid import UUID

from hierdoc import And, Contains, Equals, Filter, In, Or, Under
from hierdoc.plugin import Record

Condition = tuple[str, list[object]]
"""SQL over a table with `tags`, and its parameters."""


def digest(name: str, value: str) -> UUID:
    """128 bits for a value of a field."""
    key = f"{name}\x1f{value}".encode("utf-8", "surrogatepass")
    return UUID(bytes=blake2b(key, digest_size=16).digest())


def tags(record: Record) -> list[UUID]:
    """All that a filter can ask of the record; the parent chain at every depth."""
    return list(dict.fromkeys(digest(name, value) for name, value in _values(record)))


def condition(filter: Filter | None) -> Condition:
    """What a row must fulfil for the filter to select its record."""
    if filter is None:
        return "true", []
    if isinstance(filter, Under):
        return ("true", []) if not filter.chain else _has_all([_tag(filter)])
    if isinstance(filter, (Equals, Contains)):
        return _has_all([_tag(filter)])
    if isinstance(filter, In):
        return _has_any(digest(filter.field, value) for value in filter.values)
    if isinstance(filter, And):
        simple = [part for part in filter.filters if _is_simple(part)]
        parts = [condition(part) for part in filter.filters if not _is_simple(part)]
        if simple:
            parts.insert(0, _has_all(_tag(part) for part in simple))
        return _joined(parts, "AND") if parts else ("true", [])
    if isinstance(filter, Or):
        simple = [part for part in filter.filters if _is_simple(part)]
        parts = [condition(part) for part in filter.filters if not _is_simple(part)]
        if simple:
            parts.insert(0, _has_any(_tag(part) for part in simple))
        return _joined(parts, "OR") if parts else ("false", [])
    sql, parameters = condition(filter.filter)
    return f"NOT ({sql})", parameters


def _values(record: Record) -> Iterator[tuple[str, str]]:
    for name, value in record.fields().items():
        if name == "parent_chain":
            for depth in range(1, len(value) + 1):
                yield name, json.dumps(value[:depth])
        elif isinstance(value, str):
            yield name, value
        elif value is not None:
            yield from ((name, one) for one in value)


def _is_simple(filter: Filter) -> bool:
    """Whether one tag stands for it."""
    return isinstance(filter, (Equals, Contains)) or (
        isinstance(filter, Under) and bool(filter.chain)
    )


def _tag(filter: Filter) -> UUID:
    if isinstance(filter, Under):
        return digest("parent_chain", json.dumps(filter.chain))
    assert isinstance(filter, (Equals, Contains))
    return digest(filter.field, filter.value)


def _has_all(chosen: Iterable[UUID]) -> Condition:
    return "tags @> %s::uuid[]", [list(chosen)]


def _has_any(chosen: Iterable[UUID]) -> Condition:
    return "tags && %s::uuid[]", [list(chosen)]


def _joined(parts: list[Condition], operator: str) -> Condition:
    sql = f" {operator} ".join(f"({part})" for part, _ in parts)
    return sql, [parameter for _, parameters in parts for parameter in parameters]
