"""Filters as what stores ask with: a fold over the tree, and tags for stores that know only lists or flat metadata.

class Sql(FilterFold[str]): ...        # one method for each operator
Sql()(filter)                          # the condition
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Generic, TypeVar

from hierdoc.filters import PARENT_CHAIN, And, Compare, Contains, Equals, Filter, In, Or, Under
from hierdoc.plugin.filtering import refuse_unresolved
from hierdoc.plugin.records import Record

T = TypeVar("T")


class FilterFold(ABC, Generic[T]):
    """Makes of a filter what a store asks with, from the leaves up; an author writes a method for each operator.

    An `Under` of no headings comes as `all_of` nothing, an `In` of no values as `any_of` nothing.
    """

    def __call__(self, filter: Filter) -> T:
        """What the methods make of a filter."""
        if isinstance(filter, Equals):
            return self.equals(filter.field, filter.value)
        if isinstance(filter, Contains):
            return self.contains(filter.field, filter.value)
        if isinstance(filter, In):
            return self.one_of(filter.field, filter.values) if filter.values else self.any_of([])
        if isinstance(filter, Under):
            return self.under(filter.chain) if filter.chain else self.all_of([])
        if isinstance(filter, And):
            return self.all_of([self(part) for part in filter.filters])
        if isinstance(filter, Or):
            values: dict[str, list[str]] = {}
            rest: list[T] = []
            for part in filter.filters:
                if isinstance(part, Contains):
                    values.setdefault(part.field, []).append(part.value)
                else:
                    rest.append(self(part))
            return self.any_of([*(self.contains_any(*one) for one in values.items()), *rest])
        if isinstance(filter, Compare):
            refuse_unresolved(filter)
        return self.negation(self(filter.filter))

    @abstractmethod
    def equals(self, field: str, value: str) -> T:
        """The scalar field has this value."""

    @abstractmethod
    def one_of(self, field: str, values: Sequence[str]) -> T:
        """The scalar field has one of these values."""

    @abstractmethod
    def contains(self, field: str, value: str) -> T:
        """The list field has this value among its own."""

    def contains_any(self, field: str, values: Sequence[str]) -> T:
        """The list field has one of these values among its own: a search asks for a hundred; for stores that look several up at once."""
        found = [self.contains(field, value) for value in values]
        return found[0] if len(found) == 1 else self.any_of(found)

    @abstractmethod
    def under(self, chain: Sequence[str]) -> T:
        """The parent chain begins with these headings."""

    @abstractmethod
    def all_of(self, parts: Sequence[T]) -> T:
        """All of these hold; of none, everything is selected."""

    @abstractmethod
    def any_of(self, parts: Sequence[T]) -> T:
        """At least one of these holds; of none, nothing is selected."""

    @abstractmethod
    def negation(self, part: T) -> T:
        """This does not hold."""


class TagFold(FilterFold[T]):
    """The same over the tags of records: see `record_tags`.

    Leaves that stand side by side become one look-up where one will do.
    """

    def __call__(self, filter: Filter) -> T:
        """What the methods make of a filter."""
        if not isinstance(filter, (And, Or)):
            return super().__call__(filter)
        together = [_one_tag(part) for part in filter.filters]
        tags = [one for one in together if one is not None]
        rest = [
            self(part) for part, one in zip(filter.filters, together, strict=True) if one is None
        ]
        if isinstance(filter, Or):
            return self.any_of([*([self.has_any(tags)] if tags else []), *rest])
        return self.all_of([*([self.has_all(tags)] if tags else []), *rest])

    @abstractmethod
    def has_any(self, tags: Sequence[str]) -> T:
        """The record has one of these tags, which are one or more."""

    def has_all(self, tags: Sequence[str]) -> T:
        """The record has all of these tags, which are one or more; for stores that look several up at once."""
        return self.all_of([self.has_any([one]) for one in tags])

    def equals(self, field: str, value: str) -> T:
        """Has the tag."""
        return self.has_any([tag(field, value)])

    def contains(self, field: str, value: str) -> T:
        """Has the tag."""
        return self.has_any([tag(field, value)])

    def one_of(self, field: str, values: Sequence[str]) -> T:
        """Has one of the tags."""
        return self.has_any([tag(field, value) for value in values])

    def under(self, chain: Sequence[str]) -> T:
        """Has the tag of the chain."""
        return self.has_any([tag(PARENT_CHAIN, chain_value(chain))])


def filter_values(record: Record) -> Iterator[tuple[str, str]]:
    """All that a filter can ask of a record: fields and their values, of the parent chain `chain_value` at every depth."""
    for name, value in record.fields().items():
        if name == PARENT_CHAIN:
            for one in _chain_values(value):
                yield name, one
        elif isinstance(value, str):
            yield name, value
        elif value is not None:
            for one in value:
                yield name, one


def chain_value(chain: Sequence[str]) -> str:
    """One string for the beginning of a parent chain, in ASCII."""
    return json.dumps(list(chain))


def record_tags(record: Record) -> list[str]:
    """A tag for each of `filter_values`: a filter needs no more than to look some of them up."""
    return list(dict.fromkeys(tag(name, value) for name, value in filter_values(record)))


def tag(name: str, value: str) -> str:
    """32 hexadecimal digits that stand for a value of a field: no statement holds what a document or a query wrote."""
    key = f"{name}\x1f{value}".encode("utf-8", "surrogatepass")
    return blake2b(key, digest_size=16).hexdigest()


def join_conditions(parts: Sequence[str], operator: str) -> str:
    """Conditions of SQL in brackets, halved again and again: databases limit how deep an expression is, not how wide.

    Args:
        parts: One or more.
        operator: `AND` or `OR`.
    """
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    left, right = parts[:middle], parts[middle:]
    return f"({join_conditions(left, operator)}) {operator} ({join_conditions(right, operator)})"


def _one_tag(filter: Filter) -> str | None:
    """The tag that alone stands for a filter, if one does."""
    if isinstance(filter, (Equals, Contains)):
        return tag(filter.field, filter.value)
    if isinstance(filter, Under) and filter.chain:
        return tag(PARENT_CHAIN, chain_value(filter.chain))
    return None


@lru_cache(maxsize=1024)
def _chain_values(chain: tuple[str, ...]) -> tuple[str, ...]:
    """Neighbouring chunks share most of them."""
    return tuple(chain_value(chain[:depth]) for depth in range(1, len(chain) + 1))
