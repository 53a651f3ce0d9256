"""What every filter means, and that an operator that is not claimed is refused: for both kinds of backends."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Collection, Sequence
from typing import Any

import pytest

from hierdoc import CapabilityError, Definition, Filter, Reference
from hierdoc.filters import And, Contains, Equals, In, Not, Or, Under
from hierdoc.plugin import Capability, Record, matches, require_capabilities
from hierdoc_testing.backend import BackendTests
from hierdoc_testing.base import contract, require, trying
from hierdoc_testing.stores import Stores

SCALAR_FIELDS = ("source", "title", "section_id", "kind", "language")
LIST_FIELDS = ("section_keys", "ancestor_keys", "headings", "terms", "reference_keys")

_NAMES = (
    "",
    "a",
    "é",
    "e\u0301",
    "b",
    "a/b",
    "A",
    "a b",
    "a%",
    "a_",
    "a*",
    "' OR '1'='1",
    "ab",
    "a" * 600,
)
_KINDS = ("content", "definition", "table", "é", "e\u0301")
_CHAINS = (
    (),
    ("a",),
    ("a", "b"),
    ("a", "b", "c"),
    ("b",),
    ("a/b",),
    ("ab",),
    ("a", "bc"),
    ("", "a"),
    ("é",),
    ("e\u0301",),
)

OPERATORS: dict[Capability, tuple[Filter, ...]] = {
    Capability.FILTER_EQUALS: (
        *(Equals(field, value) for field in SCALAR_FIELDS for value in ("a", "A", "a%", "", "é", "e\u0301")),
        *(Equals("source", name) for name in _NAMES),
        *(Equals("kind", kind) for kind in _KINDS),
        Equals("language", "en"),
        Equals("source", "nowhere"),
    ),
    Capability.FILTER_IN: (
        *(In(field, ["a", "b", "nowhere"]) for field in SCALAR_FIELDS),
        In("kind", ["table", "definition"]),
        In("source", []),
        In("source", ["A"]),
        In("kind", ["table", "table", "é", "table"]),
        In("source", [*(f"number {number}" for number in range(1000)), "a/b"]),
    ),
    Capability.FILTER_CONTAINS: tuple(
        Contains(field, value) for field in LIST_FIELDS for value in ("a", "A", "b", "", "é", "e\u0301", "ab")
    ),
    Capability.FILTER_PREFIX: tuple(Under(chain) for chain in (*_CHAINS, ("c",), ("b", "a"))),
    Capability.FILTER_AND: (
        And(),
        And(Equals("source", "a"), Equals("kind", "content")),
        And(Equals("kind", "table"), Equals("kind", "content")),
        And(Contains("section_keys", "a"), Contains("headings", "a")),
    ),
    Capability.FILTER_OR: (
        Or(),
        Or(Equals("source", "a"), Equals("kind", "table")),
        Or(*(Contains("terms", f"term {number}") for number in range(100)), Contains("terms", "a")),
    ),
    Capability.FILTER_NOT: (
        *(Not(Equals(field, "a")) for field in SCALAR_FIELDS),
        Not(In("section_id", ["a", "b"])),
        Not(Contains("headings", "a")),
        Not(Under(["a"])),
        Not(Not(Equals("kind", "table"))),
        Not(And()),
        Not(Or()),
    ),
}  # fmt: skip
"""Filters that ask for an operator; some ask for others too."""


class FilterTests(BackendTests):
    """Filters, for both kinds of backends."""

    def filtered_records(self) -> list[Record]:
        """Records in which every declared field varies, of a score that is the same for all."""
        return [
            self.record(
                f"{number:03d}",
                source=_NAMES[number % len(_NAMES)],
                ordinal=number,
                title=_NAMES[number % 5],
                section_id=None if number % 3 == 0 else _NAMES[number % 7],
                kind=_KINDS[number % 5],
                language=(None, "en", "de", "a", "é", "e\u0301")[number % 6],
                section_keys=_NAMES[: number % 5],
                ancestor_keys=_NAMES[number % 4 : 6],
                headings=_NAMES[number % 6 :][:1],
                definitions=tuple(Definition(name.upper(), "", "s") for name in _NAMES[: number % 5]),
                references=tuple(Reference(name, name, True) for name in _NAMES[number % 5 : 5]),
                parent_chain=_CHAINS[number % len(_CHAINS)],
            )
            for number in range(117)
        ]  # fmt: skip

    async def check_filters(self, backend: Any, filters: Sequence[Filter]) -> None:
        """Each selects what `hierdoc.plugin.matches` says, in every method that takes a filter."""
        records = self.filtered_records()
        for one in filters:
            expected = [record for record in records if matches(one, record.fields())]
            with trying(one):
                assert await self.ids(backend, one) == [record.id for record in expected]
                first = [record.id for record in expected[:3]]
                assert await self.ids(backend, one, 3) == first
                await self.check_found(backend, one, expected)

    async def check_found(self, backend: Any, filter: Filter, expected: Sequence[Record]) -> None:
        """What further methods that take a filter must give."""

    async def filtering_methods(self, backend: Any, filter: Filter) -> None:
        """Calls, one after the other, each method that takes a filter; each must raise."""
        with pytest.raises(CapabilityError):
            await self.found(backend, filter)

    @contract
    async def test_a_claimed_operator_selects_what_it_means(self, stores: Stores) -> None:
        """With a `FILTER_...` capability, filters of that operator select exactly what `hierdoc.plugin.matches` selects.

        When it fails: compare with `matches`; strings are equal or not, by code point, nothing in them is a pattern or a query;
        a field without a value is equal to nothing, so `Not` selects it; `Under` compares whole headings.
        """
        backend = await stores.open()
        claimed = OPERATORS.keys() & backend.capabilities
        require(bool(claimed), "claims no operator of filters")
        await backend.upsert(self.filtered_records())
        asked = [
            one for operator, several in OPERATORS.items() if operator in claimed for one in several
        ]
        await self.check_filters(backend, _claimed(asked, backend))

    @contract
    async def test_claimed_operators_select_what_they_mean_together(self, stores: Stores) -> None:
        """Trees of all claimed operators select exactly what `hierdoc.plugin.matches` selects.

        When it fails: the message shows the tree; watch for brackets around `Or` within `And`, and for `Not` of a tree.
        """
        backend = await stores.open()
        both = {Capability.FILTER_AND, Capability.FILTER_OR}
        require(bool(backend.capabilities & both), "claims neither FILTER_AND nor FILTER_OR")
        leaves = _claimed([one for several in OPERATORS.values() for one in several], backend)
        await backend.upsert(self.filtered_records())
        await self.check_filters(backend, _trees(leaves, backend.capabilities, 60))

    @contract
    async def test_an_unclaimed_operator_is_refused(self, stores: Stores) -> None:
        """Without a `FILTER_...` capability, a filter that needs it raises `CapabilityError`, wherever it stands in the tree.

        When it fails: begin each method that takes a filter with `hierdoc.plugin.require_capabilities`; never filter afterwards.
        """
        backend = await stores.open()
        unclaimed = [one for one in OPERATORS if one not in backend.capabilities]
        require(bool(unclaimed), "claims all operators of filters")
        await backend.upsert(self.filtered_records())
        for capability in unclaimed:
            alone = OPERATORS[capability][0]
            for one in (alone, And(alone), Not(Or(Equals("kind", "table"), alone))):
                with trying(one):
                    await self.filtering_methods(backend, one)


def _claimed(filters: Sequence[Filter], backend: Any) -> list[Filter]:
    """Those for which the backend claims all operators."""
    found = []
    for one in filters:
        with contextlib.suppress(CapabilityError):
            require_capabilities(one, backend.capabilities, "the backend")
            found.append(one)
    return found


def _trees(leaves: Sequence[Filter], claimed: Collection[Capability], count: int) -> list[Filter]:
    """Random trees of claimed operators, the same at every call."""
    nodes = (Capability.FILTER_AND, Capability.FILTER_OR, Capability.FILTER_NOT)
    chance = random.Random(7)  # noqa: S311 - a test's choice

    def grow(depth: int) -> Filter:
        kinds = [one.name for one in nodes if one in claimed]
        if depth == 0 or chance.random() < 0.2:
            return chance.choice(leaves)
        kind = chance.choice(kinds)
        if kind == "FILTER_NOT":
            return Not(grow(depth - 1))
        parts = [grow(depth - 1) for _ in range(chance.randint(1, 3))]
        return And(*parts) if kind == "FILTER_AND" else Or(*parts)

    return [grow(3) for _ in range(count)]
