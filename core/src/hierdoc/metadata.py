"""Metadata that users bring: values of the types that a configuration declares, and how comparisons of them are looked up.

Stores know one list field, `metadata`, and `Contains`. Of each value a record gets the entries that answer any comparison:

    author = "Ada"            author, author=ada
    tags = ("Energy", "Law")  tags, tags=energy, tags=law
    date = 2020-05-31         date, date=20200531, date>2, date>20, date>202, date>2020, date>20200 ... date>20200531

The last kind are the beginnings of a key that sorts as the values do. What is at least 2020-05-31 has one of a few dozen beginnings:
`date>3`, `date>21`, `date>203` and so on. So ranges are look-ups, in any store, as in the tries of Schindler and Diepenbroek,
"Generic XML-based framework for metadata portals" (Computers & Geosciences 34, 2008).

Versions compare number by number, missing ones as 0: 2.9 < 2.10, and 2 = 2.0. Words behind the numbers come before them, as in
2.0-draft < 2.0-rc.1 < 2.0, except those of PEP 440 for what is done to a release afterwards: 2.0 < 2.0.post1. What follows a plus
sign does not count.
"""

from __future__ import annotations

import difflib
import math
import re
import struct
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from hierdoc.errors import QueryError
from hierdoc.filters import (
    METADATA,
    SCALAR_FIELDS,
    And,
    Comparable,
    Compare,
    Contains,
    Equals,
    Filter,
    In,
    Not,
    Operator,
    Or,
)
from hierdoc.models import MetadataType, MetadataValue, Version

LONGEST = 1_000
"""Characters of a text, or of all texts of a list: every chunk of the document repeats them."""

MOST_RANGES = 100
"""Comparisons by order in one filter: each is a hundred look-ups at worst."""

_LARGEST = 2**53
"""Up to here an integer is told from its neighbours wherever it may travel."""

_EXAMPLES: Mapping[MetadataType, str] = {
    "text": f"text of at most {LONGEST:,} characters",
    "number": "a number such as 2.5",
    "date": "a date such as 2020-05-31",
    "version": "a version such as 2.10.1",
    "boolean": "true or false",
    "list": f"a list of texts of at most {LONGEST:,} characters together",
}
_BY_EQUALITY: tuple[Operator, ...] = ("=", "!=", "in")
_BY_ORDER: tuple[Operator, ...] = ("<", "<=", ">", ">=")
_OPERATORS: Mapping[MetadataType, tuple[Operator, ...]] = {
    "text": _BY_EQUALITY,
    "number": _BY_EQUALITY + _BY_ORDER,
    "date": _BY_EQUALITY + _BY_ORDER,
    "version": _BY_EQUALITY + _BY_ORDER,
    "boolean": _BY_EQUALITY,
    "list": ("contains", "in"),
}
_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_NUMBER = re.compile(r"[+-]?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_DATE = re.compile(
    r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})(?:[T ][0-9:.,+\-Z ]{1,40})?)?)?", re.ASCII
)
_COMPACT_DATE = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})", re.ASCII)
_VERSION = re.compile(
    r"v?\.? ?([0-9]{1,12}(?:[.-][0-9]{1,12}){0,9})(?:[-._ ]?([a-z][0-9a-z._-]{0,40}))?(?:\+[0-9a-z.-]{1,40})?",
    re.ASCII,
)
_VERSION_PART = re.compile(r"[0-9]+|[a-z]+", re.ASCII)
_SAME_WORD = {"a": "alpha", "b": "beta", "c": "rc", "pre": "rc", "preview": "rc"}
_AFTERWARDS = frozenset(("post", "rev", "r"))
_NO_WORD = re.compile(r"\W+")


def normal_name(name: str) -> str:
    """A field's name without what does not count: case, and what stands between its words."""
    return _NO_WORD.sub("_", name.strip()).casefold()


def read_value(raw: Any, kind: MetadataType) -> MetadataValue | None:
    """What a document, a sidecar file or a program gives for a field, as a value of the field's type; None for nothing.

    Text may stand for a value of any type. Where a list is declared, text is divided at its commas. A year or a month stands for its
    first day, a time for its day.

    Raises:
        ValueError: It is none; the message says what is wanted, to stand behind `is not`.
    """
    if isinstance(raw, Version):
        raw = raw.text
    if isinstance(raw, str):
        raw = " ".join(raw.split()) if len(raw) <= 2 * LONGEST else raw
    if raw is None or raw == "":
        return None
    value: MetadataValue | None
    if kind == "list":
        value = _read_list(raw)
    elif kind == "text":
        value = _read_text(raw)
    elif kind == "boolean":
        value = raw if isinstance(raw, bool) else _TRUTH.get(str(raw).casefold())
    elif kind == "date":
        days = _read_period(raw)
        value = days and days[0]
    elif kind == "version":
        text = _read_text(raw)
        value = Version(text) if text and _version_key(text) else None
    else:
        value = _read_number(raw)
    if value is None:
        raise ValueError(_EXAMPLES[kind])
    return value or None if kind == "list" else value


def metadata_entries(metadata: Mapping[str, MetadataValue]) -> tuple[str, ...]:
    """What a record's list field `metadata` holds; see the module."""
    entries: dict[str, None] = {}
    for name, value in metadata.items():
        entries[name] = None
        for one in value if isinstance(value, tuple) else (value,):
            entries[_equal(name, one)] = None
        key = sort_key(value)
        entries |= dict.fromkeys(f"{name}>{key[:length]}" for length in range(1, len(key) + 1))
    return tuple(entries)


def resolved(filter: Filter, declared: Mapping[str, MetadataType]) -> Filter:
    """The filter with look-ups in place of comparisons, as stores take it.

    Args:
        filter: The tree; not too deep.
        declared: The configured fields with their types.

    Raises:
        QueryError: A field is not declared, or not compared so, or the value is not of its type; or it compares too often.
    """
    return _Resolution(declared)(filter)


def asks_metadata(filter: Filter | None) -> bool:
    """Whether a filter, resolved or not, looks at metadata."""
    if isinstance(filter, (And, Or)):
        return any(asks_metadata(part) for part in filter.filters)
    if isinstance(filter, Not):
        return asks_metadata(filter.filter)
    if isinstance(filter, Compare):
        return filter.field not in SCALAR_FIELDS
    return isinstance(filter, Contains) and filter.field == METADATA


def sort_key(value: MetadataValue) -> str:
    """Hexadecimal digits that sort as dates, numbers and versions do; none for values without an order."""
    if isinstance(value, date):
        return value.isoformat().replace("-", "").rstrip("0")
    if isinstance(value, Version):
        return _version_key(value.text)
    if isinstance(value, (bool, str, tuple)):
        return ""
    bits: int = struct.unpack(">Q", struct.pack(">d", abs(value)))[0]
    return f"{2**63 + (bits if value > 0 else -bits):016x}".rstrip("0")


class _Resolution:
    def __init__(self, declared: Mapping[str, MetadataType]) -> None:
        self._declared = declared
        self._ranges = 0

    def __call__(self, filter: Filter) -> Filter:
        if isinstance(filter, Compare):
            return self._compare(filter)
        if isinstance(filter, And):
            return And(*map(self, filter.filters))
        if isinstance(filter, Or):
            return Or(*map(self, filter.filters))
        return Not(self(filter.filter)) if isinstance(filter, Not) else filter

    def _compare(self, asked: Compare) -> Filter:
        name = self._known(asked.field)
        several = asked.value if isinstance(asked.value, tuple) else (asked.value,)
        kind = self._declared.get(name)
        takes = _BY_EQUALITY if kind is None else _OPERATORS[kind]
        if asked.operator not in takes:
            raise QueryError(
                f"filter: {name} does not take {asked.operator}",
                hint=f"It takes: {', '.join(takes)}."
                if kind is None
                else f"It is declared as {kind}, which takes: {', '.join(takes)}.",
            )
        if isinstance(asked.value, tuple) and asked.operator != "in":
            raise QueryError(
                f"filter: {name} {asked.operator} compares with one value, not {len(several)}",
                hint="`in` compares with several.",
            )
        if kind is None:
            same: Filter = In(name, [str(one) for one in several])
            same = Equals(name, str(several[0])) if asked.operator != "in" else same
        elif asked.operator in _BY_ORDER:
            return self._range(asked.operator, name, *_compared(asked, several[0], name, kind))
        else:
            ways = [self._equal(name, *_compared(asked, one, name, kind)) for one in several]
            same = ways[0] if len(ways) == 1 else Or(*ways)
        return Not(same) if asked.operator == "!=" else same

    def _known(self, asked: str) -> str:
        """The declared name of the field, or that of a field which all records have."""
        names = {normal_name(name): name for name in (*SCALAR_FIELDS, *self._declared)}
        if (name := names.get(normal_name(asked))) is not None:
            return name
        near = difflib.get_close_matches(normal_name(asked[:100]), names, n=1)
        hint = (
            f"Did you mean {names[near[0]]}?"
            if near
            else f"There are: {', '.join(names.values())}."
        )
        if not self._declared:
            hint = f"Declare fields of your documents under `metadata` in the configuration. {hint}"
        raise QueryError(f"filter: no field is called {asked[:100]!r}", hint=hint)

    def _equal(self, name: str, first: MetadataValue, last: MetadataValue) -> Filter:
        if first == last:
            return Contains(METADATA, _equal(name, first))
        return And(self._range(">=", name, first, first), self._range("<=", name, last, last))

    def _range(
        self, operator: Operator, name: str, first: MetadataValue, last: MetadataValue
    ) -> Filter:
        """What compares so with a value or, of dates, with the days from the first to the last."""
        self._ranges += 1
        if self._ranges > MOST_RANGES:
            raise QueryError(f"filter: more than {MOST_RANGES} comparisons by <, <=, > or >=")
        if operator == ">=":
            return _at_least(name, first)
        if operator == ">":
            return _above(name, last)
        there = Contains(METADATA, name)
        return And(there, Not(_at_least(name, first) if operator == "<" else _above(name, last)))


def _compared(
    asked: Compare, value: Comparable, name: str, kind: MetadataType
) -> tuple[MetadataValue, MetadataValue]:
    """The value or, of dates, the first and the last day that it stands for."""
    try:
        if kind == "date":
            days = _read_period(value)
            if days is None:
                raise ValueError(_EXAMPLES[kind])
            return days
        kind = "text" if kind == "list" else kind
        one = read_value(value, kind)
        if one is None:
            raise ValueError(_EXAMPLES[kind])
        return one, one
    except ValueError as error:
        raise QueryError(
            f"filter: {name} {asked.operator} {str(value)[:100]!r}: that is not {error}",
            hint=f"{name} is declared as {kind}.",
        ) from None


def _at_least(name: str, value: MetadataValue) -> Filter:
    digits = "0123456789" if isinstance(value, date) else "0123456789abcdef"
    key = sort_key(value)
    beginnings = [
        key[:place] + digit
        for place, here in enumerate(key)
        for digit in digits[digits.index(here) + 1 :]
    ]
    return Or(*(Contains(METADATA, f"{name}>{one}") for one in (*beginnings, key)))


def _above(name: str, value: MetadataValue) -> Filter:
    if isinstance(value, date):
        return Or() if value == date.max else _at_least(name, value + timedelta(days=1))
    return And(_at_least(name, value), Not(Contains(METADATA, _equal(name, value))))


def _equal(name: str, value: MetadataValue) -> str:
    """The entry of one value; letters are compared without regard to case."""
    return f"{name}={sort_key(value) or str(value).casefold()}"


def _version_key(text: str) -> str:
    """Digits that sort as versions do; none where it is not one.

    Numbers and words stand behind how long they are or before a zero, each behind a digit that says what comes: what is done to the
    release, in one of 0 to 2, or one more number of it, 3 and above.
    """
    found = _VERSION.fullmatch(text.casefold())
    if not found:
        return ""
    numbers = [int(one) for one in re.split("[.-]", found[1])]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    key = "".join(f"{2 + len(str(one)):x}{one}" for one in numbers)
    parts: Sequence[str] = _VERSION_PART.findall(found[2] or "")
    if not parts:
        return f"{key}2"
    if any(one.isdigit() and len(one) > 12 for one in parts):
        return ""
    first = _SAME_WORD.get(parts[0], parts[0])
    key += "0" if first == "dev" else "2" if first in _AFTERWARDS else "1"
    for one in (first, *parts[1:]):
        key += f"1{len(str(int(one))):x}{int(one)}" if one.isdigit() else f"2{one.encode().hex()}0"
    return f"{key}0"


def _read_text(raw: Any) -> str | None:
    if isinstance(raw, bool):
        raw = str(raw).lower()
    if isinstance(raw, date):
        raw = raw.isoformat()
    if not isinstance(raw, (str, int, float)):
        return None
    text = " ".join(str(raw).split())
    return text if len(text) <= LONGEST else None


def _read_list(raw: Any) -> tuple[str, ...] | None:
    items = raw.split(",", LONGEST) if isinstance(raw, str) else raw
    if isinstance(items, (set, frozenset)):
        items = sorted(items, key=str)
    if not isinstance(items, (list, tuple)):
        items = [items]
    found = [_read_text(item) for item in items if item is not None]
    texts = [text for text in dict.fromkeys(found) if text]
    return None if None in found or sum(map(len, texts)) > LONGEST else tuple(texts)


def _read_number(raw: Any) -> int | float | None:
    if isinstance(raw, bool) or not isinstance(raw, (int, float, str)):
        return None
    if isinstance(raw, str):
        if not _NUMBER.fullmatch(raw):
            return None
        raw = int(raw) if raw.lstrip("+-").isdigit() else float(raw)
    fits = abs(raw) <= _LARGEST if isinstance(raw, int) else math.isfinite(raw)
    return raw if fits else None


def _read_period(raw: Any) -> tuple[date, date] | None:
    """The first and the last day that a date stands for, which may be a year or a month."""
    if isinstance(raw, datetime):
        raw = raw.date()
    if isinstance(raw, date):
        return raw, raw
    if isinstance(raw, bool) or not isinstance(raw, (str, int)):
        return None
    text = str(raw).strip()
    found = _DATE.fullmatch(text) or _COMPACT_DATE.fullmatch(text)
    if not found:
        return None
    parts = [int(part) for part in found.groups() if part is not None]
    try:
        first = date(parts[0], *parts[1:], *[1] * (3 - len(parts)))
    except ValueError:
        return None
    if len(parts) == 3:
        return first, first
    month = first.month if len(parts) == 2 else 12
    return first, (
        date(first.year, 12, 31)
        if month == 12
        else date(first.year, month + 1, 1) - timedelta(days=1)
    )
