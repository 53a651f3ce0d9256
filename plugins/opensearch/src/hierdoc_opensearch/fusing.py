"""Fusing a ranking by vectors and one by words: in the cluster, or here by the same formulas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hierdoc import Match, reciprocal_rank_fusion

_RANK_CONSTANT = 60

_LEAST = 0.001
"""What the cluster gives to the last match of a leg: more than to one that the leg did not find."""


def pipeline(fusion: str, weights: Sequence[float]) -> dict[str, Any]:
    """The search pipeline of one hybrid query.

    Args:
        fusion: `normalization` or `rrf`.
        weights: One for each of its queries; they sum to 1.
    """
    parameters = {"weights": list(weights)}
    if fusion == "rrf":
        ranks = {
            "technique": "rrf",
            "rank_constant": _RANK_CONSTANT,
            "parameters": parameters,
        }
        processor: dict[str, Any] = {"score-ranker-processor": {"combination": ranks}}
    else:
        mean = {"technique": "arithmetic_mean", "parameters": parameters}
        normalization = {"normalization": {"technique": "min_max"}, "combination": mean}
        processor = {"normalization-processor": normalization}
    return {"phase_results_processors": [processor]}


def fused(
    fusion: str, rankings: Sequence[Sequence[Match]], weights: Sequence[float]
) -> list[Match]:
    """What the cluster would make of these rankings, ties by chunk id; weights as for `pipeline`."""
    if fusion == "rrf":
        ids = [[match.chunk_id for match in ranking] for ranking in rankings]
        best = reciprocal_rank_fusion(ids, _RANK_CONSTANT, weights)
        return [Match(chunk_id, score) for chunk_id, score in best]
    scores: dict[str, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for match in ranking:
            high, low = ranking[0].score, ranking[-1].score
            share = (match.score - low) / (high - low) if high > low else 1.0
            scores[match.chunk_id] = scores.get(match.chunk_id, 0.0) + weight * max(share, _LEAST)
    ordered = sorted(scores.items(), key=lambda one: (-one[1], one[0]))
    return [Match(chunk_id, score) for chunk_id, score in ordered]
