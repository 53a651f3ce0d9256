"""Filters over the declared fields of a record: one small typed tree.

    Equals("kind", "definition")
    And(In("source", ["act.md", "code.md"]), Not(Under(["Title I", "Chapter 2"])))

A backend declares the operators that it pushes down as `Capability.FILTER_*`; asked for another one it raises
`CapabilityError`, it never falls back to a scan that nobody ordered.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

from hierdoc.errors import CapabilityError, QueryError

if TYPE_CHECKING:
    from hierdoc.protocols import Capability

SCALAR_FIELDS = ("source", "title", "section_id", "kind", "language")
"""Fields that hold one string; for `Equals` and `In`."""

LIST_FIELDS = ("section_keys", "ancestor_keys", "headings", "terms")
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
        _require(self.field, LIST_FIELDS)


@dataclass(frozen=True, slots=True)
class Under:
    """The parent chain begins with these headings, whole and in this order."""

    chain: Sequence[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "chain", tuple(self.chain))


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


Filter = Union[Equals, In, Contains, Under, And, Or, Not]
"""Any of the seven: `Equals`, `In`, `Contains` and `Under` look at a field, `And`, `Or` and `Not` at other filters."""


def matches(filter: Filter, fields: Mapping[str, Any]) -> bool:
    """Whether a record with these fields is selected: the meaning of a filter, for backends in memory and for tests.

    Args:
        filter: The tree.
        fields: What `Record.fields()` gives: a string for scalar fields, a sequence of strings for the others.
    """
    if isinstance(filter, Equals):
        return bool(fields.get(filter.field) == filter.value)
    if isinstance(filter, In):
        return fields.get(filter.field) in filter.values
    if isinstance(filter, Contains):
        return filter.value in fields.get(filter.field, ())
    if isinstance(filter, Under):
        chain = tuple(fields.get(PARENT_CHAIN, ()))
        return chain[: len(filter.chain)] == tuple(filter.chain)
    if isinstance(filter, And):
        return all(matches(part, fields) for part in filter.filters)
    if isinstance(filter, Or):
        return any(matches(part, fields) for part in filter.filters)
    return not matches(filter.filter, fields)


def require_capabilities(
    filter: Filter | None, claimed: Collection[Capability], backend: str
) -> None:
    """Raise `CapabilityError` if the filter uses an operator that the backend does not claim.

    Args:
        filter: The tree, or None, which needs nothing.
        claimed: The backend's capabilities.
        backend: Its name, for the message.
    """
    if filter is None:
        return
    missing = sorted(operators(filter) - {capability.value for capability in claimed})
    if missing:
        names = ", ".join(name.removeprefix("filter_") for name in missing)
        raise CapabilityError(
            f"{backend} does not filter by: {names}",
            hint="Leave that operator out, or use a backend that claims it (`hierdoc plugins list`).",
        )


def operators(filter: Filter) -> set[str]:
    """The values of the `Capability.FILTER_*` members that this filter needs."""
    name = {
        Equals: "equals",
        In: "in",
        Contains: "contains",
        Under: "prefix",
        And: "and",
        Or: "or",
        Not: "not",
    }[type(filter)]
    found = {f"filter_{name}"}
    if isinstance(filter, (And, Or)):
        for part in filter.filters:
            found |= operators(part)
    elif isinstance(filter, Not):
        found |= operators(filter.filter)
    return found


def _require(field: str, known: Sequence[str]) -> None:
    if field not in known:
        raise QueryError(
            f"filter: no such field for this operator: {field!r}",
            hint=f"It takes one of: {', '.join(known)}.",
        )
