"""What a backend does with a filter: judge fields in memory, and refuse operators that it does not claim."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from hierdoc.errors import CapabilityError
from hierdoc.filters import LIST_FIELDS as LIST_FIELDS
from hierdoc.filters import PARENT_CHAIN as PARENT_CHAIN
from hierdoc.filters import SCALAR_FIELDS as SCALAR_FIELDS
from hierdoc.filters import And, Compare, Contains, Equals, Filter, In, Not, Or, Under
from hierdoc.metadata import resolved as resolved

if TYPE_CHECKING:
    from hierdoc.plugin.capabilities import Capability


def matches(filter: Filter, fields: Mapping[str, Any]) -> bool:
    """Whether a record with these fields is selected: the meaning of a filter, for backends in memory and for tests.

    Args:
        filter: The tree.
        fields: What `Record.fields()` gives: a string for scalar fields, a sequence of strings for the others.
    """
    return judge(filter)(fields)


Judge = Callable[[Mapping[str, Any]], bool]
"""Tells from a record's fields whether it is selected."""


def judge(filter: Filter) -> Judge:
    """The same for many records: the tree is read once.

    Raises:
        CapabilityError: A `Compare` is in the tree.
    """
    if isinstance(filter, Equals):
        field, value = filter.field, filter.value
        return lambda fields: bool(fields.get(field) == value)
    if isinstance(filter, In):
        field, values = filter.field, frozenset(filter.values)
        return lambda fields: fields.get(field) in values
    if isinstance(filter, Contains):
        field, value = filter.field, filter.value
        return lambda fields: value in fields.get(field, ())
    if isinstance(filter, Under):
        chain = tuple(filter.chain)
        return lambda fields: tuple(fields.get(PARENT_CHAIN, ()))[: len(chain)] == chain
    if isinstance(filter, And):
        parts = [judge(part) for part in filter.filters]
        return lambda fields: all(part(fields) for part in parts)
    if isinstance(filter, Or):
        wanted: dict[str, set[str]] = {}
        for part in filter.filters:
            if isinstance(part, Contains):
                wanted.setdefault(part.field, set()).add(part.value)
        others = [judge(part) for part in filter.filters if not isinstance(part, Contains)]
        return lambda fields: (
            any(not some.isdisjoint(fields.get(field, ())) for field, some in wanted.items())
            or any(part(fields) for part in others)
        )
    if isinstance(filter, Compare):
        refuse_unresolved(filter)
    negated = judge(filter.filter)
    return lambda fields: not negated(fields)


def refuse_unresolved(filter: Compare) -> NoReturn:
    """Raise `CapabilityError`: a backend is asked for what only an index understands."""
    raise CapabilityError(
        f"a backend does not filter by: {filter.field} {filter.operator} {filter.value!r}",
        hint="Give it to a search of `Index`, or what `hierdoc.plugin.resolved` makes of it to the backend.",
    )


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
    """The values of the `Capability.FILTER_*` members that this filter needs.

    Raises:
        CapabilityError: A `Compare` is in the tree.
    """
    if isinstance(filter, Compare):
        refuse_unresolved(filter)
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
