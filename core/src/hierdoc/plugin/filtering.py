"""What a backend does with a filter: judge fields in memory, and refuse operators that it does not claim."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from hierdoc.errors import CapabilityError
from hierdoc.filters import LIST_FIELDS as LIST_FIELDS
from hierdoc.filters import PARENT_CHAIN as PARENT_CHAIN
from hierdoc.filters import SCALAR_FIELDS as SCALAR_FIELDS
from hierdoc.filters import And, Contains, Equals, Filter, In, Not, Or, Under

if TYPE_CHECKING:
    from hierdoc.plugin.capabilities import Capability


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
