"""Filters as SQL conditions over the tables of `schema`, and the encoding of strings that both rely on.

Strings are stored as bytes, UTF-8 with lone surrogates let through: a file name may hold some. Bytes sort as the strings do.
"""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps

from hierdoc import And, Contains, Equals, Filter, In, Or, Under

LISTS = {"section_keys": 0, "ancestor_keys": 1, "headings": 2, "terms": 3, "reference_keys": 4}
"""The number by which the table `listed` knows each list field; part of the schema."""

_OF_DOCUMENTS = frozenset({"source", "title", "language"})
"""Fields that the chunks of a document share; they stand in the table `documents`."""

_MANY = 200
"""So many values of one `In` travel as one parameter: SQLite limits how many a statement has."""

Condition = tuple[str, list[bytes | str]]
"""SQL over `chunks`, and its parameters."""


def encode(text: str) -> bytes:
    """The bytes that stand for a string in the database."""
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """The string that `encode` made these bytes from."""
    return data.decode("utf-8", "surrogatepass")


def encode_chain(chain: Sequence[str]) -> bytes:
    """Headings so that one chain begins with another exactly where its bytes do.

    Each heading is ended by a zero byte; zero and one within a heading become a one followed by one or two.
    """
    return b"".join(
        encode(heading).replace(b"\1", b"\1\2").replace(b"\0", b"\1\1") + b"\0" for heading in chain
    )


def decode_chain(data: bytes) -> tuple[str, ...]:
    """The headings that `encode_chain` made these bytes from."""
    return tuple(
        decode(heading.replace(b"\1\1", b"\0").replace(b"\1\2", b"\1"))
        for heading in data.split(b"\0")[:-1]
    )


def condition(filter: Filter) -> Condition:
    """What a row of `chunks` must fulfil for the filter to select its record."""
    if isinstance(filter, Equals):
        return _scalar(filter.field, "= ?", [encode(filter.value)])
    if isinstance(filter, In):
        return _one_of(filter)
    if isinstance(filter, Contains):
        return _holding(filter.field, [filter.value])
    if isinstance(filter, Under):
        start = encode_chain(filter.chain)
        return ("chain >= ? AND chain < ?", [start, start[:-1] + b"\1"]) if start else ("1", [])
    if isinstance(filter, And):
        return _joined([condition(part) for part in filter.filters], "AND") or ("1", [])
    if isinstance(filter, Or):
        return _joined(_alternatives(filter.filters), "OR") or ("0", [])
    sql, parameters = condition(filter.filter)
    return f"NOT coalesce(({sql}), 0)", parameters  # a missing section id compares as neither


def _scalar(field: str, comparison: str, parameters: list[bytes | str]) -> Condition:
    if field in _OF_DOCUMENTS:
        chosen = f"SELECT document FROM documents WHERE {field} {comparison}"  # noqa: S608 - fixed names
        return f"document IN ({chosen})", parameters
    return f"{field} {comparison}", parameters


def _alternatives(filters: Sequence[Filter]) -> list[Condition]:
    """A condition for each; those that look for values in one list field make one look-up: half the time for a hundred."""
    values: dict[str, list[str]] = {}
    others = []
    for one in filters:
        if isinstance(one, Contains):
            values.setdefault(one.field, []).append(one.value)
        else:
            others.append(condition(one))
    held = [
        _holding(field, some[start : start + _MANY])
        for field, some in values.items()
        for start in range(0, len(some), _MANY)
    ]
    return held + others


def _holding(field: str, values: Sequence[str]) -> Condition:
    marks = ", ".join("?" * len(values))
    chosen = f"SELECT row FROM listed WHERE field = {LISTS[field]} AND value IN ({marks})"  # noqa: S608 - fixed names
    return f"row IN ({chosen})", [encode(value) for value in values]


def _one_of(filter: In) -> Condition:
    values = [encode(value) for value in filter.values]
    if len(values) <= _MANY:
        return _scalar(filter.field, f"IN ({', '.join('?' * len(values))})", [*values])
    field = filter.field
    listed = dumps([value.hex().upper() for value in values])
    if field in _OF_DOCUMENTS:
        chosen = (
            f"SELECT document FROM documents WHERE hex({field}) IN (SELECT value FROM json_each(?))"  # noqa: S608
        )
        return f"document IN ({chosen})", [listed]
    return f"hex({field}) IN (SELECT value FROM json_each(?))", [listed]  # noqa: S608


def _joined(parts: Sequence[Condition], operator: str) -> Condition | None:
    """The parts in brackets, halved again and again: SQLite limits how deep an expression is, not how wide."""
    if len(parts) <= 1:
        return parts[0] if parts else None
    middle = len(parts) // 2
    left, right = _joined(parts[:middle], operator), _joined(parts[middle:], operator)
    assert left is not None
    assert right is not None
    return f"({left[0]}) {operator} ({right[0]})", left[1] + right[1]
