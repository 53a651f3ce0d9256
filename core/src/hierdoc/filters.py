"""Filters over the declared fields of a record: one small typed tree.

    from hierdoc.filters import And, Equals, In, Not, Under

    Equals("kind", "definition")
    And(In("source", ["act.md", "code.md"]), Not(Under(["Title I", "Chapter 2"])))

A backend declares the operators that it pushes down as `Capability.FILTER_*`; asked for another one it raises
`CapabilityError`, it never falls back to a scan that nobody ordered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, Union

from hierdoc.errors import QueryError
from hierdoc.models import Version

SCALAR_FIELDS = ("source", "title", "section_id", "kind", "language")
"""Fields that hold one string; for `Equals` and `In`."""

METADATA = "metadata"
"""The list field by whose entries comparisons of the documents' metadata are looked up; see `hierdoc.metadata`."""

LIST_FIELDS = ("section_keys", "ancestor_keys", "headings", "terms", "reference_keys", METADATA)
"""Fields that hold several strings; for `Contains`."""

PARENT_CHAIN = "parent_chain"
"""The field that `Under` looks at."""


@dataclass(frozen=True, slots=True)
class Equals:
    """The scalar field has this value."""

    field: str
    value: str

    def __post_init__(self) -> None:
        _require(self.field, SCALAR_FIELDS)


@dataclass(frozen=True, slots=True)
class In:
    """The scalar field has one of these values; no values select nothing."""

    field: str
    values: Sequence[str]

    def __post_init__(self) -> None:
        _require(self.field, SCALAR_FIELDS)
        object.__setattr__(self, "values", tuple(self.values))


@dataclass(frozen=True, slots=True)
class Contains:
    """The list field has this value among its own."""

    field: str
    value: str

    def __post_init__(self) -> None:
        if self.field not in LIST_FIELDS:  # a search makes a hundred of these
            _require(self.field, LIST_FIELDS)


@dataclass(frozen=True, slots=True)
class Under:
    """The parent chain begins with these headings, whole and in this order."""

    chain: Sequence[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "chain", tuple(self.chain))


@dataclass(frozen=True, slots=True)
class Compare:
    """A field of the documents' metadata compares so with a value; for searches of an index, which makes look-ups of it.

    A document without the field is equal to nothing, and neither before nor after anything.

    Attributes:
        field: A field that the configuration declares under `metadata`; for `=`, `!=` and `in` also one of `SCALAR_FIELDS`.
        operator: `contains` and `in` for lists, `=`, `!=` and `in` for all others, the rest for dates, numbers and versions.
        value: Of the field's type, or as text; for `in` a tuple of such. Of dates, a year or a month stands for all of its days.
    """

    field: str
    operator: Operator
    value: Comparable | tuple[Comparable, ...]


Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in", "contains"]
"""How `Compare` compares."""

Comparable = Union[str, int, float, bool, date, Version]
"""What it compares with."""


@dataclass(frozen=True, slots=True, init=False)
class And:
    """All of these hold; of none, everything is selected."""

    filters: tuple[Filter, ...]

    def __init__(self, *filters: Filter) -> None:
        object.__setattr__(self, "filters", filters)


@dataclass(frozen=True, slots=True, init=False)
class Or:
    """At least one of these holds; of none, nothing is selected."""

    filters: tuple[Filter, ...]

    def __init__(self, *filters: Filter) -> None:
        object.__setattr__(self, "filters", filters)


@dataclass(frozen=True, slots=True)
class Not:
    """This does not hold."""

    filter: Filter


Filter = Union[Equals, In, Contains, Under, Compare, And, Or, Not]
"""Any of the eight: `And`, `Or` and `Not` look at other filters, the rest at a field."""


DEEPEST = 100
"""So deep a filter may be nested."""


def require_shallow(filter: Filter | None) -> None:
    """Refuse a filter that is nested deeper than stores, and Python itself, can follow.

    Raises:
        QueryError: It is.
    """
    left = [] if filter is None else [(filter, 1)]
    while left:
        one, depth = left.pop()
        if depth > DEEPEST:
            raise QueryError(
                f"the filter is nested more than {DEEPEST} deep",
                hint="`And` and `Or` take any number of filters side by side.",
            )
        if isinstance(one, (And, Or)):
            left += [(part, depth + 1) for part in one.filters]
        elif isinstance(one, Not):
            left.append((one.filter, depth + 1))


def _require(field: str, known: Sequence[str]) -> None:
    if field not in known:
        raise QueryError(
            f"filter: no such field for this operator: {field!r}",
            hint=f"It takes one of: {', '.join(known)}. Fields of your own are for `Compare`.",
        )
