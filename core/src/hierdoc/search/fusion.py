"""Fusion: one ranking of what the legs found, with what is certain before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hierdoc.models import Match
from hierdoc.plugin.protocols import Fuser, SupportsCoverage
from hierdoc.search.exact import ExactMatch


def fused(
    rankings: Mapping[str, Sequence[Match]],
    exact: Mapping[str, ExactMatch],
    fuser: Fuser,
    weights: Mapping[str, float],
    coverage: Mapping[str, float],
    mode: str = "hybrid",
) -> Sequence[Match]:
    """One ranking of all: what is certain first, by its own score, what the query names of it, and the fusion's score.

    Args:
        rankings: By leg, best first.
        exact: The matches of the exact leg by chunk id.
        fuser: Asked where several legs found something.
        weights: By leg.
        coverage: See `SupportsCoverage.fuse_covered`; for fusers that make use of it.
        mode: Of the search.
    """
    ranking = _ranked(rankings, fuser, weights, coverage)
    if not exact or mode == "exact":
        return ranking
    ceiling = max((match.score for match in ranking), default=0.0)
    scores = {match.chunk_id: match.score for match in ranking}
    first = [Match(chunk_id, ceiling + match.score) for chunk_id, match in exact.items()]
    first.sort(
        key=lambda match: (
            -match.score,
            -exact[match.chunk_id].named,
            tuple(-part for part in exact[match.chunk_id].likeness),
            -scores.get(match.chunk_id, 0.0),
        )
    )
    return [*first, *(match for match in ranking if match.chunk_id not in exact)]


def _ranked(
    rankings: Mapping[str, Sequence[Match]],
    fuser: Fuser,
    weights: Mapping[str, float],
    coverage: Mapping[str, float],
) -> Sequence[Match]:
    if len(rankings) == 1:
        return next(iter(rankings.values()))
    limit = sum(len(ranking) for ranking in rankings.values())
    if isinstance(fuser, SupportsCoverage):
        return fuser.fuse_covered(rankings, weights, limit, coverage)
    return fuser.fuse(rankings, weights, limit)
