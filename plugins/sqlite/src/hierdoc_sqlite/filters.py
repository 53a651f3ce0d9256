"""Filters as SQL conditions over the tables of `schema`, and the encoding of strings that both rely on.

Strings are stored as bytes, UTF-8 with lone surrogates let through: a file name may hold some. Bytes sort as the strings do.
"""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps

from hierdoc import Filter
from hierdoc.plugin import FilterFold, join_conditions

LISTS = {
    "section_keys": 0,
    "ancestor_keys": 1,
    "headings": 2,
    "terms": 3,
    "reference_keys": 4,
    "metadata": 5,
}
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


def marks(values: list[bytes]) -> tuple[str, list[bytes]]:
    """Placeholders for values, one or more, and the values: the last one repeated so that few statements differ, which are compiled once."""
    count = 1 << (len(values) - 1).bit_length()
    return ", ".join("?" * count), values + values[-1:] * (count - len(values))


def condition(filter: Filter) -> Condition:
    """What a row of `chunks` must fulfil for the filter to select its record."""
    return _Selection()(filter)


class _Selection(FilterFold[Condition]):
    def equals(self, field: str, value: str) -> Condition:
        return _scalar(field, "= ?", [encode(value)])

    def contains(self, field: str, value: str) -> Condition:
        return _holding(field, [value])

    def contains_any(self, field: str, values: Sequence[str]) -> Condition:
        """One look-up for many values: half the time for a hundred."""
        return self.any_of(
            [
                _holding(field, values[start : start + _MANY])
                for start in range(0, len(values), _MANY)
            ]
        )

    def one_of(self, field: str, values: Sequence[str]) -> Condition:
        encoded = [encode(value) for value in values]
        if len(encoded) <= _MANY:
            chosen, parameters = marks(encoded)
            return _scalar(field, f"IN ({chosen})", [*parameters])
        listed = dumps([value.hex().upper() for value in encoded])
        return _scalar(f"hex({field})", "IN (SELECT value FROM json_each(?))", [listed], field)

    def under(self, chain: Sequence[str]) -> Condition:
        start = encode_chain(chain)
        return "chain >= ? AND chain < ?", [start, start[:-1] + b"\1"]

    def all_of(self, parts: Sequence[Condition]) -> Condition:
        return _joined(parts, "AND") if parts else ("1", [])

    def any_of(self, parts: Sequence[Condition]) -> Condition:
        """Look-ups become one, which SQLite would else do twice each."""
        looked_up = [one for one in parts if one[0].startswith(_LOOK_UP)]
        if len(looked_up) > 1:
            rows = " UNION ALL ".join(sql[len("row IN (") : -1] for sql, _ in looked_up)
            united = f"row IN ({rows})", [one for _, some in looked_up for one in some]
            parts = [united, *(one for one in parts if one not in looked_up)]
        return _joined(parts, "OR") if parts else ("0", [])

    def negation(self, part: Condition) -> Condition:
        sql, parameters = part
        return f"NOT coalesce(({sql}), 0)", parameters  # a missing section id compares as neither


def _scalar(
    expression: str, comparison: str, parameters: list[bytes | str], field: str = ""
) -> Condition:
    """A comparison of a field, or of an expression over it."""
    if (field or expression) in _OF_DOCUMENTS:
        chosen = f"SELECT document FROM documents WHERE {expression} {comparison}"  # noqa: S608 - fixed names
        return f"document IN ({chosen})", parameters
    return f"{expression} {comparison}", parameters


_LOOK_UP = "row IN (SELECT row FROM listed WHERE "


def _holding(field: str, values: Sequence[str]) -> Condition:
    chosen, parameters = marks([encode(value) for value in values])
    return f"{_LOOK_UP}field = {LISTS[field]} AND value IN ({chosen}))", [*parameters]


def _joined(parts: Sequence[Condition], operator: str) -> Condition:
    parameters = [one for _, some in parts for one in some]
    return join_conditions([sql for sql, _ in parts], operator), parameters
