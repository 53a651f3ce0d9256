"""Planning: settings and capabilities in, a plan out."""

from __future__ import annotations

import pytest

from hierdoc import CapabilityError, QueryError
from hierdoc.config.models import SearchSettings
from hierdoc.plugin import ALL_FILTERS, Capability
from hierdoc.search.query import plan

PLAIN = ALL_FILTERS
NATIVE = ALL_FILTERS | {Capability.NATIVE_HYBRID}


def test_hybrid_runs_all_legs() -> None:
    made = plan(SearchSettings(), PLAIN, PLAIN)
    assert made.legs == ("semantic", "keyword", "exact")
    assert not made.native
    assert made.degraded == ()


@pytest.mark.parametrize("mode", ["semantic", "keyword", "exact"])
def test_another_mode_runs_its_leg_alone(mode: str) -> None:
    assert plan(SearchSettings(), NATIVE, PLAIN, mode=mode).legs == (mode,)
    assert not plan(SearchSettings(), NATIVE, PLAIN, mode=mode).native


@pytest.mark.parametrize(
    ("hybrid", "claimed", "native"),
    [
        ("auto", NATIVE, True),
        ("auto", PLAIN, False),
        ("native", NATIVE, True),
        ("fallback", NATIVE, False),
    ],
)
def test_where_the_fusion_happens(
    hybrid: str, claimed: frozenset[Capability], native: bool
) -> None:
    assert plan(SearchSettings(hybrid=hybrid), claimed, PLAIN).native is native


def test_native_is_never_imitated() -> None:
    with pytest.raises(CapabilityError, match="does not claim native hybrid"):
        plan(SearchSettings(hybrid="native"), PLAIN, PLAIN)


def test_a_missing_keyword_backend_degrades_hybrid_visibly() -> None:
    made = plan(SearchSettings(), PLAIN, None)
    assert made.legs == ("semantic", "exact")
    assert [one.leg for one in made.degraded] == ["keyword"]


def test_a_native_store_needs_no_keyword_backend() -> None:
    assert plan(SearchSettings(), NATIVE, None).degraded == ()


def test_keyword_mode_without_a_keyword_backend_is_an_error() -> None:
    with pytest.raises(QueryError, match="no keyword backend"):
        plan(SearchSettings(), PLAIN, None, mode="keyword")


def test_a_store_without_look_ups_has_no_exact_leg() -> None:
    made = plan(SearchSettings(), frozenset(), PLAIN)
    assert "exact" not in made.legs
    assert [one.leg for one in made.degraded] == ["exact"]
    with pytest.raises(CapabilityError):
        plan(SearchSettings(), frozenset(), PLAIN, mode="exact")


@pytest.mark.parametrize(("top_k", "candidates"), [(1, 50), (10, 50), (11, 52), (100, 230)])
def test_each_leg_fetches_more_than_is_returned(top_k: int, candidates: int) -> None:
    assert plan(SearchSettings(), PLAIN, PLAIN, top_k=top_k).candidates == candidates


def test_configured_candidates_are_never_fewer_than_the_hits() -> None:
    assert plan(SearchSettings(candidates=5), PLAIN, PLAIN, top_k=20).candidates == 20


@pytest.mark.parametrize("top_k", [0, 101, -1])
def test_top_k_is_bounded(top_k: int) -> None:
    with pytest.raises(QueryError) as caught:
        plan(SearchSettings(), PLAIN, PLAIN, top_k=top_k)
    assert caught.value.hint == "It goes from 1 to 100."


def test_an_unknown_mode_names_the_known_ones() -> None:
    with pytest.raises(QueryError) as caught:
        plan(SearchSettings(), PLAIN, PLAIN, mode="fuzzy")
    assert "semantic" in str(caught.value.hint)
