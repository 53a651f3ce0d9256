"""Decides how a search is done, purely: settings and capabilities in, a plan out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hierdoc.config.models import RerankSettings, SearchSettings
from hierdoc.errors import CapabilityError, QueryError
from hierdoc.models import Degradation, Expand, Leg, Mode
from hierdoc.plugin.capabilities import Capability

MODES: tuple[Mode, ...] = ("hybrid", "semantic", "keyword", "exact")
EXPANSIONS: tuple[Expand, ...] = ("none", "parent", "siblings")


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """How one search is done.

    Attributes:
        mode: What was asked for.
        legs: The legs that take part.
        native: Whether the vector backend fuses semantic and keyword legs itself.
        top_k: How many hits to return.
        candidates: How many chunks each leg fetches.
        weights: By leg; `hybrid` stands for what the store fused.
        degraded: Legs that the mode calls for and that are not there.
        expand: What comes with each hit.
        rerank: How the reranker is asked, where there is one.
        reword: Whether the semantic and the keyword leg search for the query in the words of reports; see `wording`.
    """

    mode: Mode
    legs: tuple[Leg, ...]
    native: bool
    top_k: int
    candidates: int
    weights: Mapping[str, float]
    degraded: tuple[Degradation, ...] = ()
    expand: Expand = "none"
    rerank: RerankSettings = field(default_factory=RerankSettings)
    reword: bool = False


def plan(
    settings: SearchSettings,
    vector: frozenset[Capability],
    keyword: frozenset[Capability] | None,
    *,
    mode: str | None = None,
    top_k: int | None = None,
    expand: str | None = None,
) -> SearchPlan:
    """The plan for a search.

    Args:
        settings: The configured ones.
        vector: What the vector backend claims.
        keyword: What the keyword backend claims; None where there is none.
        mode: Instead of the configured mode.
        top_k: Instead of the configured number.
        expand: Instead of the configured one.

    Raises:
        QueryError: The mode or `expand` is unknown, the mode cannot be had, or `top_k` is not within 1 to 100.
        CapabilityError: Native hybrid search is demanded of a backend that does not claim it.
    """
    chosen = _mode(mode or settings.mode)
    wanted = settings.top_k if top_k is None else top_k
    if not 1 <= wanted <= 100:
        raise QueryError(f"top_k is {wanted}", hint="It goes from 1 to 100.")
    native = chosen == "hybrid" and _native(settings, vector)
    if chosen == "keyword" and keyword is None:
        raise QueryError(
            "mode `keyword`: no keyword backend is configured",
            hint="Set `keyword:` in the configuration, as in `keyword: tantivy`.",
        )
    degraded: tuple[Degradation, ...] = ()
    legs: tuple[Leg, ...] = ("semantic", "keyword", "exact") if chosen == "hybrid" else (chosen,)
    if chosen == "hybrid" and keyword is None and not native:
        legs = ("semantic", "exact")
        degraded = (Degradation("keyword", "no keyword backend is configured"),)
    needed = {Capability.FILTER_CONTAINS, Capability.FILTER_EQUALS, Capability.FILTER_AND}
    if "exact" in legs and not needed <= vector:
        reason = "the vector backend does not claim the look-ups that it needs"
        if chosen == "exact":
            raise CapabilityError(f"mode `exact`: {reason}")
        legs = tuple(leg for leg in legs if leg != "exact")
        degraded += (Degradation("exact", reason),)
    weights = settings.weights.model_dump()
    weights["hybrid"] = weights["semantic"] + weights["keyword"]
    candidates = max(settings.candidates or max(50, 5 * wanted), wanted)
    return SearchPlan(
        mode=chosen,
        legs=legs,
        native=native,
        top_k=wanted,
        candidates=candidates,
        weights=weights,
        degraded=degraded,
        expand=_expand(expand, settings),
        rerank=settings.rerank,
        reword=settings.reword,
    )


def _mode(mode: str) -> Mode:
    for known in MODES:
        if mode == known:
            return known
    raise QueryError(f"unknown mode {mode!r}", hint=f"It is one of: {', '.join(MODES)}.")


def _expand(expand: str | None, settings: SearchSettings) -> Expand:
    for known in EXPANSIONS:
        if known == (expand or settings.expand):
            return known
    raise QueryError(f"unknown expand {expand!r}", hint=f"It is one of: {', '.join(EXPANSIONS)}.")


def _native(settings: SearchSettings, vector: frozenset[Capability]) -> bool:
    claimed = Capability.NATIVE_HYBRID in vector
    if settings.hybrid == "native" and not claimed:
        raise CapabilityError(
            "search.hybrid is `native`, but the vector backend does not claim native hybrid search",
            hint="Set it to `auto` or `fallback`, or use a backend that claims it (`hierdoc plugins list`).",
        )
    return claimed and settings.hybrid != "fallback"
