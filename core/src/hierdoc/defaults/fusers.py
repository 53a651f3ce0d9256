"""Fusers: one ranking of several, by rank, by score, or by score and evidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hierdoc import Match
from hierdoc.quick import quick

_LOWEST_SCORE = {"semantic": -1.0}
"""The least score that a leg can give: cosine similarity goes down to -1, BM25 and certainty to 0."""


def reciprocal_rank_fusion(
    ranked_lists: Sequence[Sequence[str]], k: int = 60, weights: Sequence[float] | None = None
) -> list[tuple[str, float]]:
    """Fuse rankings by score(d) = Σ weight_i / (k + rank_i(d)), ranks from 1.

    Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
    SIGIR 2009. Of an id that a list holds twice, the first rank counts.

    Args:
        ranked_lists: Ids, best first, one list per ranking.
        k: Higher values flatten the differences between ranks.
        weights: One per list; all 1 by default.

    Returns:
        Ids and scores, best first, ties by id.

    Raises:
        ValueError: There are not as many weights as lists, or one is negative.
    """
    weights = [1.0] * len(ranked_lists) if weights is None else weights
    if len(weights) != len(ranked_lists):
        raise ValueError(f"{len(ranked_lists)} ranked lists but {len(weights)} weights")
    if any(weight < 0 for weight in weights):
        raise ValueError("a weight is negative")
    parts: dict[str, list[float]] = {}
    for ranked, weight in zip(ranked_lists, weights, strict=True):
        for rank, item in enumerate(dict.fromkeys(ranked), start=1):
            parts.setdefault(item, []).append(weight / (k + rank))
    return sorted(
        # `fsum`: ties are ties, whatever the order of the lists.
        ((item, math.fsum(shares)) for item, shares in parts.items()),
        key=lambda entry: (-entry[1], entry[0]),
    )


class ReciprocalRankFuser:
    """Fuses by rank alone, so legs need no common scale.

    Args:
        k: As in `reciprocal_rank_fusion`.
    """

    def __init__(self, k: int = 60) -> None:
        self._k = k

    def fuse(
        self,
        rankings: Mapping[str, Sequence[Match]],
        weights: Mapping[str, float],
        limit: int,
        coverage: Mapping[str, float] | None = None,
    ) -> Sequence[Match]:
        """The best `limit` chunks; see `Fuser.fuse`."""
        ids = [[match.chunk_id for match in ranking] for ranking in rankings.values()]
        fused = reciprocal_rank_fusion(ids, self._k, _weights_of(rankings, weights))
        return [Match(chunk_id, score) for chunk_id, score in fused[:limit]]


class WeightedSumFuser:
    """Convex combination of scores under theoretical min-max normalisation.

    Each leg's scores are mapped by (s - lowest) / (highest - lowest), where `lowest` is the least score that the leg
    can give (-1 for cosine similarity, 0 for BM25) and `highest` the best one observed: TM2C2 of Bruch, Gai and
    Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", ACM TOIS 42(1), 2023. A chunk that a leg did not
    see gets 0 from it. The weights of legs that found something are scaled to sum 1.
    """

    def fuse(
        self,
        rankings: Mapping[str, Sequence[Match]],
        weights: Mapping[str, float],
        limit: int,
        coverage: Mapping[str, float] | None = None,
    ) -> Sequence[Match]:
        """The best `limit` chunks; see `Fuser.fuse`."""
        chosen = _weights_of(rankings, weights)
        total = sum(w for w, found in zip(chosen, rankings.values(), strict=True) if found) or 1.0
        parts: dict[str, list[float]] = {}
        for (leg, ranking), weight in zip(rankings.items(), chosen, strict=True):
            if not ranking:
                continue
            lowest = _LOWEST_SCORE.get(leg, 0.0)
            spread = max(match.score for match in ranking) - lowest
            for match in ranking:
                share = (match.score - lowest) / spread if spread > 0 else 0.0
                parts.setdefault(match.chunk_id, []).append(weight / total * share)
        return _best(parts, limit)


class AdaptiveFuser:
    """Sum of scaled scores in which the keyword leg counts the more, the more of the query it has found.

    A leg's scores are scaled to (s - floor) / (top - zero): `top` and `floor` are the best and the least that it gave,
    `zero` is what it gives to a chunk that has nothing of the query: 0, for BM25 as for cosine similarity. So a leg whose
    best matches stand out counts more than one in which many are alike. The similarities of some models all lie far from
    0, so there `zero` is no lower than four times the spread of the matches below `floor`. What a leg did not return gets
    0, as its last match does. A keyword leg that returned fewer matches than another has returned all: its `floor` is `zero`.

    The keyword leg's weight is multiplied by exp(2 · (coverage - 0.6)), from 0.3 to 2.2, where coverage is the share of the
    query's words in its best match: a query in the words of the text is found by them, a question in other words by its
    meaning. The form is the convex combination of Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid
    Retrieval", ACM TOIS 42(1), 2023; scaling and factor were chosen on 56 development sets, see the page on search quality.
    """

    def fuse(
        self,
        rankings: Mapping[str, Sequence[Match]],
        weights: Mapping[str, float],
        limit: int,
        coverage: Mapping[str, float] | None = None,
    ) -> Sequence[Match]:
        """The best `limit` chunks, with the usual coverage where none is known; see `Fuser.fuse`."""
        coverage = coverage or {}
        chosen = _weights_of(rankings, weights)
        longest = max(map(len, rankings.values()), default=0)
        parts: dict[str, list[float]] = {}
        for (leg, ranking), weight in zip(rankings.items(), chosen, strict=True):
            if not ranking:
                continue
            top, floor = ranking[0].score, ranking[-1].score
            zero = min(0.0, floor)
            if leg == "semantic":
                zero = max(zero, floor - _SPREADS * (top - floor))
            elif len(ranking) < longest:
                floor = zero
            if leg == "keyword":
                weight = weight * math.exp(2 * (coverage.get(leg, _USUAL_COVERAGE) - 0.6))
            for match in ranking:
                share = (match.score - floor) / (top - zero) if top > zero else 1.0
                parts.setdefault(match.chunk_id, []).append(weight * share)
        return _best(parts, limit)


def _best(parts: Mapping[str, Sequence[float]], limit: int) -> list[Match]:
    """The `limit` highest sums, ties by chunk id, whatever the order in which the legs gave their parts."""
    ordered = sorted([(-math.fsum(shares), chunk_id) for chunk_id, shares in parts.items()])
    return [_match(chunk_id, -negated) for negated, chunk_id in ordered[:limit]]


_match = quick(Match)

_SPREADS = 4
"""By so many times the spread of a list the similarity of unrelated texts is taken to be below it, at most."""

_USUAL_COVERAGE = 0.85
"""Of queries with and without the words of the text together."""


def _weights_of(
    rankings: Mapping[str, Sequence[Match]], weights: Mapping[str, float]
) -> list[float]:
    missing = [leg for leg in rankings if leg not in weights]
    if missing:
        raise ValueError(f"no weight for: {', '.join(missing)}")
    return [weights[leg] for leg in rankings]
