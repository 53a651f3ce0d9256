"""Filters as SQL conditions over the table `tags`, which has a digest for every value of every field of a record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import blake2b

from hierdoc import And, Contains, Equals, Filter, In, Or, Under
from hierdoc.plugin import Record

Condition = tuple[str, list[str]]
"""SQL over a table with `row`, and its parameters."""


def tags(record: Record) -> set[str]:
    """All that a filter can ask of the record; the parent chain at every depth."""
    return {_tag(name, value) for name, value in _values(record)}


def condition(filter: Filter) -> Condition:
    """What a row must fulfil for the filter to select its record."""
    if isinstance(filter, (Equals, Contains)):
        return _any_of([_tag(filter.field, filter.value)])
    if isinstance(filter, In):
        return _any_of([_tag(filter.field, value) for value in filter.values])
    if isinstance(filter, Under):
        return (
            _any_of([_tag("parent_chain", json.dumps(filter.chain))]) if filter.chain else ("1", [])
        )
    if isinstance(filter, And):
        return _joined([condition(part) for part in filter.filters], "AND") or ("1", [])
    if isinstance(filter, Or):
        return _joined([condition(part) for part in filter.filters], "OR") or ("0", [])
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


def _tag(name: str, value: str) -> str:
    key = f"{name}\x1f{value}".encode("utf-8", "surrogatepass")
    return blake2b(key, digest_size=16).hexdigest()


def _any_of(chosen: Sequence[str]) -> Condition:
    """One parameter, however many there are: SQLite limits how many a statement has."""
    listed = "SELECT value FROM json_each(?)"
    return f"row IN (SELECT row FROM tags WHERE tag IN ({listed}))", [json.dumps(chosen)]  # noqa: S608


def _joined(parts: Sequence[Condition], operator: str) -> Condition | None:
    """The parts in brackets, halved again and again: SQLite limits how deep an expression is, not how wide."""
    if len(parts) <= 1:
        return parts[0] if parts else None
    middle = len(parts) // 2
    left, right = _joined(parts[:middle], operator), _joined(parts[middle:], operator)
    assert left is not None
    assert right is not None
    return f"({left[0]}) {operator} ({right[0]})", left[1] + right[1]
