"""Filters: what they select, and what they demand of a backend."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hierdoc import CapabilityError, Filter, QueryError
from hierdoc.filters import And, Contains, Equals, In, Not, Or, Under, require_shallow
from hierdoc.plugin import ALL_FILTERS, Capability, matches, require_capabilities

FIELDS = {
    "source": "act.md",
    "kind": "definition",
    "section_keys": ("sec_2", "art_1_sec_2"),
    "parent_chain": ("Title I", "Chapter 2"),
}


@pytest.mark.parametrize(
    ("filter", "selected"),
    [
        (Equals("kind", "definition"), True),
        (Equals("kind", "table"), False),
        (Equals("language", "en"), False),
        (In("source", ["a.md", "act.md"]), True),
        (In("source", []), False),
        (Contains("section_keys", "sec_2"), True),
        (Contains("section_keys", "sec"), False),
        (Contains("terms", "anything"), False),
        (Under(["Title I"]), True),
        (Under(["Title I", "Chapter 2"]), True),
        (Under(["Chapter 2"]), False),
        (Under(["Title"]), False),
        (Under([]), True),
        (And(), True),
        (And(Equals("kind", "definition"), Equals("source", "act.md")), True),
        (And(Equals("kind", "definition"), Equals("source", "b.md")), False),
        (Or(), False),
        (Or(Equals("kind", "table"), Equals("source", "act.md")), True),
        (Not(Equals("kind", "table")), True),
        (Not(And()), False),
    ],
)
def test_what_a_filter_selects(filter: Filter, selected: bool) -> None:
    assert matches(filter, FIELDS) is selected


@pytest.mark.parametrize("make", [Equals, Contains, lambda field, value: In(field, [value])])
def test_an_unknown_field_is_an_error_that_names_the_known_ones(make: type[Equals]) -> None:
    with pytest.raises(QueryError) as caught:
        make("colour", "red")
    assert "colour" in str(caught.value)
    assert caught.value.hint


def test_a_list_field_is_not_compared_as_a_scalar() -> None:
    with pytest.raises(QueryError):
        Equals("section_keys", "sec_2")


def test_an_operator_that_a_backend_does_not_claim_raises() -> None:
    demanding = And(Equals("kind", "table"), Not(Under(["A"])))
    claimed = ALL_FILTERS - {Capability.FILTER_NOT, Capability.FILTER_PREFIX}
    with pytest.raises(CapabilityError, match="acme does not filter by: not, prefix"):
        require_capabilities(demanding, claimed, "acme")


def test_no_filter_and_claimed_operators_pass() -> None:
    require_capabilities(None, [], "acme")
    require_capabilities(Or(In("kind", ["code"]), Contains("terms", "x")), ALL_FILTERS, "acme")


@pytest.mark.parametrize("wrap", [Not, And, Or])
def test_a_filter_that_is_nested_too_deep_is_refused(wrap: Callable[[Filter], Filter]) -> None:
    nested: Filter = Equals("kind", "text")
    for _ in range(99):
        nested = wrap(nested)
    require_shallow(nested)
    for _ in range(5_000):
        nested = wrap(nested)
    with pytest.raises(QueryError, match="nested") as caught:
        require_shallow(nested)
    assert caught.value.hint
