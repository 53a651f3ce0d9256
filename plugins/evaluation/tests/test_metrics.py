"""Measures against values worked out by hand, and the laws that they keep."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierdoc_evaluation import (
    bootstrap,
    hit_at,
    ndcg_at,
    paired_bootstrap,
    percentile,
    recall_at,
    reciprocal_rank,
)

NOTHING: frozenset[int] = frozenset()
FIRST, SECOND, BOTH = frozenset((0,)), frozenset((1,)), frozenset((0, 1))

ITEMS = 3
rankings = st.lists(st.frozensets(st.integers(0, ITEMS - 1)), max_size=12)


def test_recall_counts_each_item_once() -> None:
    found = [FIRST, FIRST, NOTHING, SECOND]
    assert recall_at(found, 2, 2) == 0.5
    assert recall_at(found, 2, 4) == 1.0
    assert recall_at(found, 4, 10) == 0.5


def test_a_hit_is_within_the_first_k_or_not() -> None:
    assert hit_at([NOTHING, FIRST], 1) == 0.0
    assert hit_at([NOTHING, FIRST], 2) == 1.0
    assert hit_at([], 5) == 0.0


def test_the_reciprocal_rank_is_that_of_the_first_right_hit() -> None:
    assert reciprocal_rank([NOTHING, NOTHING, FIRST, FIRST]) == pytest.approx(1 / 3)
    assert reciprocal_rank([NOTHING]) == 0.0


def test_ndcg_by_hand() -> None:
    # items at ranks 2 and 4 of two: (1/log2 3 + 1/log2 5) / (1/log2 2 + 1/log2 3)
    by_hand = (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3))
    assert ndcg_at([NOTHING, FIRST, NOTHING, SECOND], 2) == pytest.approx(by_hand)
    assert by_hand == pytest.approx(0.6509, abs=1e-4)


def test_ndcg_of_one_item_at_rank_3_is_one_half() -> None:
    assert ndcg_at([NOTHING, NOTHING, FIRST], 1) == pytest.approx(0.5)


def test_a_repeated_item_gains_nothing() -> None:
    assert ndcg_at([FIRST, FIRST, FIRST], 2) == ndcg_at([FIRST, NOTHING, NOTHING], 2)


def test_one_passage_with_both_items_is_ideal() -> None:
    assert ndcg_at([BOTH], 2) == 1.0


def test_ndcg_looks_no_deeper_than_k() -> None:
    assert ndcg_at([*[NOTHING] * 10, FIRST], 1, 10) == 0.0


def test_more_items_than_k_can_still_be_ideal() -> None:
    found = [frozenset((number,)) for number in range(3)]
    assert ndcg_at(found, 9, 3) == pytest.approx(1.0)


@given(rankings, st.integers(1, 15))
def test_measures_lie_between_0_and_1(found: list[frozenset[int]], k: int) -> None:
    for value in (
        recall_at(found, ITEMS, k),
        hit_at(found, k),
        reciprocal_rank(found),
        ndcg_at(found, ITEMS, k),
    ):
        assert 0 <= value <= 1 + 1e-12


@given(rankings, st.integers(1, 14))
def test_recall_and_hit_never_fall_with_k(found: list[frozenset[int]], k: int) -> None:
    assert recall_at(found, ITEMS, k) <= recall_at(found, ITEMS, k + 1)
    assert hit_at(found, k) <= hit_at(found, k + 1)


@given(rankings, st.integers(0, 11))
def test_what_stands_in_front_never_helps(found: list[frozenset[int]], at: int) -> None:
    worse = [*found[:at], NOTHING, *found[at:]]
    assert ndcg_at(worse, ITEMS, 20) <= ndcg_at(found, ITEMS, 20) + 1e-12
    assert reciprocal_rank(worse) <= reciprocal_rank(found)


def test_percentiles_are_values_that_occurred() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [percentile(values, p) for p in (50, 95, 100, 1)] == [3.0, 5.0, 5.0, 1.0]
    assert percentile([], 50) == 0.0


def test_the_same_seed_gives_the_same_interval() -> None:
    values = [number / 101 for number in range(101)]
    assert bootstrap(values, seed=7) == bootstrap(values, seed=7)
    assert bootstrap(values, seed=7) != bootstrap(values, seed=8)


def test_an_interval_of_equal_values_is_a_point() -> None:
    interval = bootstrap([0.5] * 9)
    assert (interval.mean, interval.low, interval.high) == (0.5, 0.5, 0.5)


def test_an_interval_is_as_wide_as_theory_says() -> None:
    values = [0.0, 1.0] * 200  # mean 0.5, standard error 0.025
    interval = bootstrap(values)
    assert interval.low == pytest.approx(0.5 - 1.96 * 0.025, abs=0.005)
    assert interval.high == pytest.approx(0.5 + 1.96 * 0.025, abs=0.005)


def test_pairing_removes_what_is_hard_for_both() -> None:
    first = [0.0, 0.2, 0.9, 0.5, 0.1, 0.7]
    second = [value + 0.1 for value in first]
    difference = paired_bootstrap(first, second)
    assert difference.mean == pytest.approx(0.1)
    assert difference.high - difference.low < 1e-9
    assert difference.excludes_zero


def test_no_difference_is_not_sure() -> None:
    assert not paired_bootstrap([0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]).excludes_zero


@pytest.mark.parametrize(("first", "second"), [([1.0], []), ([], [])])
def test_pairs_need_both_sides(first: list[float], second: list[float]) -> None:
    with pytest.raises(ValueError, match="no pairs"):
        paired_bootstrap(first, second)


@settings(deadline=None, max_examples=20)  # each example resamples 2000 times
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(0, 5))
def test_an_interval_lies_within_the_values(values: list[float], seed: int) -> None:
    interval = bootstrap(values, seed=seed)
    assert min(values) - 1e-9 <= interval.low <= interval.high <= max(values) + 1e-9
