"""Fusion: by rank, by score, and what both refuse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc import Match, reciprocal_rank_fusion
from hierdoc.defaults.fusers import AdaptiveFuser, ReciprocalRankFuser, WeightedSumFuser

RANKINGS = st.dictionaries(
    st.sampled_from(["semantic", "keyword", "exact"]),
    st.dictionaries(
        st.sampled_from("abcdefgh"),
        st.integers(-1000, 30_000).map(lambda thousandths: thousandths / 1000),
        max_size=8,
    ).map(
        lambda scores: [
            Match(chunk_id, score)
            for chunk_id, score in sorted(scores.items(), key=lambda one: (-one[1], one[0]))
        ]
    ),
    max_size=3,
)
WEIGHTS = {"semantic": 0.5, "keyword": 0.3, "exact": 0.2}
FUSERS = [ReciprocalRankFuser(), WeightedSumFuser(), AdaptiveFuser()]
AnyFuser = ReciprocalRankFuser | WeightedSumFuser | AdaptiveFuser


def test_reciprocal_ranks_are_summed_from_rank_one() -> None:
    fused = reciprocal_rank_fusion([["a", "b"], ["b", "c"]], k=60)
    assert fused == [("b", 1 / 62 + 1 / 61), ("a", 1 / 61), ("c", 1 / 62)]


def test_weights_multiply_each_list() -> None:
    assert reciprocal_rank_fusion([["a"], ["b"]], k=0, weights=[1, 3]) == [("b", 3.0), ("a", 1.0)]


def test_ties_are_broken_by_id() -> None:
    assert [one for one, _ in reciprocal_rank_fusion([["b"], ["a"]])] == ["a", "b"]


def test_of_a_repeated_id_the_first_rank_counts() -> None:
    assert reciprocal_rank_fusion([["a", "a", "b"]], k=0) == [("a", 1.0), ("b", 0.5)]


def test_as_many_weights_as_lists() -> None:
    with pytest.raises(ValueError, match="2 ranked lists but 1 weights"):
        reciprocal_rank_fusion([["a"], ["b"]], weights=[1.0])


def test_a_negative_weight_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        reciprocal_rank_fusion([["a"]], weights=[-1.0])


@pytest.mark.parametrize("fuser", FUSERS)
def test_a_leg_without_a_weight_is_refused(fuser: AnyFuser) -> None:
    with pytest.raises(ValueError, match="keyword"):
        fuser.fuse({"semantic": [], "keyword": []}, {"semantic": 1.0}, 10)


def test_scores_are_normalised_from_the_least_possible_to_the_best_seen() -> None:
    rankings = {
        "semantic": [Match("a", 0.5), Match("b", 0.2)],
        "keyword": [Match("b", 8.0), Match("c", 2.0)],
    }
    fused = WeightedSumFuser().fuse(rankings, {"semantic": 0.5, "keyword": 0.5}, 10)
    scores = {match.chunk_id: match.score for match in fused}
    assert scores == pytest.approx({"a": 0.5, "b": 0.5 * 1.2 / 1.5 + 0.5, "c": 0.5 * 0.25})


@pytest.mark.parametrize("fuser", FUSERS)
@given(rankings=RANKINGS, limit=st.integers(0, 12))
def test_each_chunk_once_best_first_ties_by_id(
    fuser: AnyFuser, rankings: dict[str, list[Match]], limit: int
) -> None:
    fused = fuser.fuse(rankings, WEIGHTS, limit)
    known = {match.chunk_id for ranking in rankings.values() for match in ranking}
    assert len(fused) == min(limit, len(known))
    assert len({match.chunk_id for match in fused}) == len(fused)
    assert [*fused] == sorted(fused, key=lambda match: (-match.score, match.chunk_id))


@pytest.mark.parametrize("fuser", FUSERS)
@given(rankings=RANKINGS)
def test_an_empty_leg_changes_nothing(fuser: AnyFuser, rankings: dict[str, list[Match]]) -> None:
    order = [match.chunk_id for match in fuser.fuse(rankings, WEIGHTS, 20)]
    with_empty = {**rankings, **{leg: [] for leg in WEIGHTS if leg not in rankings}}
    assert [match.chunk_id for match in fuser.fuse(with_empty, WEIGHTS, 20)] == order


def best(rankings: dict[str, list[Match]], coverage: float = 0.6) -> str:
    fused = AdaptiveFuser().fuse(rankings, WEIGHTS, 10, {"keyword": coverage})
    return fused[0].chunk_id


def test_a_leg_whose_best_match_stands_out_decides() -> None:
    clear = [Match("a", 0.7), Match("b", 0.3), Match("c", 0.2)]
    vague = [Match("a", 0.52), Match("b", 0.51), Match("c", 0.5)]
    words = [Match("b", 12.0), Match("c", 7.0), Match("d", 6.0)]
    assert best({"semantic": clear, "keyword": words}) == "a"
    assert best({"semantic": vague, "keyword": words}) == "b"


def test_the_keyword_leg_decides_where_it_has_the_words_of_the_query() -> None:
    similar = [Match("a", 0.6), Match("b", 0.4), Match("c", 0.3)]
    words = [Match("b", 9.0), Match("c", 5.0), Match("d", 2.0)]
    assert best({"semantic": similar, "keyword": words}, coverage=0.2) == "a"
    assert best({"semantic": similar, "keyword": words}, coverage=1.0) == "b"


def test_similarities_far_from_zero_are_not_taken_for_alike() -> None:
    crowded = [Match("a", 0.86), Match("b", 0.83), Match("c", 0.82)]
    words = [Match("b", 9.0), Match("c", 8.5), Match("d", 8.0)]
    fused = AdaptiveFuser().fuse(
        {"semantic": crowded, "keyword": words}, WEIGHTS, 10, {"keyword": 0.2}
    )
    scores = {match.chunk_id: match.score for match in fused}
    assert fused[0].chunk_id == "a"
    assert scores["a"] == pytest.approx(0.5 / 5)
