"""The search: legs side by side, one ranking of all, and what is attached to its hits.

What the exact leg finds with certainty stands first and once. A leg that fails leaves its mark in the result.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hierdoc.analysis import Analyzer
from hierdoc.components import Components
from hierdoc.errors import CapabilityError, DegradedError, QueryError
from hierdoc.exact import ExactMatch, exact_leg, finds_phrases, quoted_phrases
from hierdoc.filters import Contains, Filter, Or
from hierdoc.models import Definition, Degradation, Hit, LegScore, Match, SearchResult
from hierdoc.planning import SearchPlan
from hierdoc.protocols import SupportsHybridSearch
from hierdoc.records import Record
from hierdoc.stemming import fold, stop_words
from hierdoc.telemetry import sensitive, span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

logger = logging.getLogger("hierdoc")

_STEPS = ("embed", "semantic", "keyword", "exact", "fuse", "rerank", "total")

_LONGEST_TERM = 4
"""Words of a defined term that the query is searched for."""

_QUERY_WORDS = 24
"""Words of the query in which defined terms are looked for."""

_DEFINITIONS = 5
"""Definitions attached to a hit at most."""

_COVERED = 0.5
"""With a smaller share of the query's words in the best passages, confidence is low."""

_EXAMINED = 3
"""Hits in which the query's words are looked for."""

_ANALYZER = Analyzer()

_FUNCTION_WORDS = stop_words(("en",))
"""No defined term begins or ends with one, or they would outnumber the others."""


async def search(
    components: Components,
    plan: SearchPlan,
    query: str,
    filter: Filter | None,
    incomplete: frozenset[str],
    on_degraded: str,
) -> SearchResult:
    """Carry out a plan; see `Index.search`.

    Args:
        components: The opened ones.
        plan: What to do.
        query: Not empty.
        filter: Which records to consider.
        incomplete: Documents that a crash left in part; their hits are dropped.
        on_degraded: `warn` or `raise`.
    """
    attributes = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.request.top_k": plan.top_k,
        "gen_ai.retrieval.query.text": sensitive(query),
    }
    with span("retrieval", attributes) as current:
        run = _Search(components, plan, query, filter)
        started = time.perf_counter()
        await run.run_legs()
        run.refuse_failures(on_degraded)
        ranking = run.timed("fuse", run.fuse)
        hits = await run.hits(ranking, incomplete)
        run.milliseconds["total"] = (time.perf_counter() - started) * 1000
        if current is not None and run.degraded:
            legs = [degradation.leg for degradation in run.degraded]
            current.set_attribute("hierdoc.degraded", legs)
    return SearchResult(
        query=query,
        mode=plan.mode,
        top_k=plan.top_k,
        hits=tuple(hits),
        degraded=tuple(run.degraded),
        low_confidence=_is_thin(query, hits),
        timings_ms={step: round(run.milliseconds.get(step, 0.0), 3) for step in _STEPS},
    )


@dataclass
class _Search:
    """One search under way.

    Attributes:
        rankings: What each leg found, best first.
        exact: The matches of the exact leg by chunk id.
        failures: The errors of legs that failed.
    """

    components: Components
    plan: SearchPlan
    query: str
    filter: Filter | None
    rankings: dict[str, Sequence[Match]] = field(default_factory=dict)
    exact: dict[str, ExactMatch] = field(default_factory=dict)
    failures: dict[str, Exception] = field(default_factory=dict)
    degraded: list[Degradation] = field(default_factory=list)
    milliseconds: dict[str, float] = field(default_factory=dict)

    async def run_legs(self) -> None:
        """Run all legs side by side."""
        self.degraded += self.plan.degraded
        work: dict[str, Callable[[], Awaitable[Sequence[Match]]]] = {
            leg: {"semantic": self._semantic, "keyword": self._keyword, "exact": self._exact}[leg]
            for leg in self.plan.legs
        }
        if self.plan.native:
            work = {"hybrid": self._native, **({"exact": work["exact"]} if "exact" in work else {})}
        await asyncio.gather(*(self._run(leg, call) for leg, call in work.items()))
        self.rankings = {leg: self.rankings[leg] for leg in work if leg in self.rankings}

    def refuse_failures(self, on_degraded: str) -> None:
        """Raise where a failure is the caller's, is to be raised, or has left no leg that ranks."""
        for error in self.failures.values():
            if isinstance(error, (CapabilityError, QueryError)):
                raise error
        for leg, error in self.failures.items():
            left = set(self.rankings) - {"exact"} or (self.plan.mode == "exact" and self.rankings)
            if on_degraded == "raise" or not left:
                raise DegradedError(
                    f"the {leg} leg failed: {error}", hint=getattr(error, "hint", None)
                ) from error
            logger.warning("the %s leg failed, the search goes on without it: %s", leg, error)

    def fuse(self) -> Sequence[Match]:
        """One ranking: what is certain first, by its own score, then by the fusion's."""
        if len(self.rankings) == 1:
            ranking = next(iter(self.rankings.values()))
        else:
            limit = sum(len(ranking) for ranking in self.rankings.values())
            ranking = self.components.fuser.fuse(self.rankings, self.plan.weights, limit)
        if not self.exact or self.plan.mode == "exact":
            return ranking
        ceiling = max((match.score for match in ranking), default=0.0)
        fused = {match.chunk_id: match.score for match in ranking}
        certain = [Match(chunk_id, ceiling + match.score) for chunk_id, match in self.exact.items()]
        certain.sort(key=lambda match: (-match.score, -fused.get(match.chunk_id, 0.0)))
        return [*certain, *(match for match in ranking if match.chunk_id not in self.exact)]

    async def hits(self, ranking: Sequence[Match], incomplete: frozenset[str]) -> list[Hit]:
        """The best of the ranking with all that belongs to a hit, reranked where that is configured."""
        reranker = self.components.reranker
        wanted = self.plan.candidates if reranker else self.plan.top_k
        scores = self._scores()
        definitions = await self._definitions()
        hits: list[Hit] = []
        position = 0
        while len(hits) < wanted and position < len(ranking):
            page = ranking[position : position + wanted]
            position += wanted
            records = await self._records(page)
            for match in page:
                record = records.get(match.chunk_id)
                if record is None or record.chunk.source in incomplete:
                    continue
                known = self.exact.get(match.chunk_id)
                hits.append(
                    Hit(
                        rank=len(hits) + 1,
                        score=match.score,
                        scores=scores[match.chunk_id],
                        chunk=record.chunk,
                        certain=known is not None and known.certain,
                        definitions=definitions,
                        references=record.chunk.references,
                        why=known.why if known else "",
                    )
                )
        if reranker:
            hits = await self._reranked(hits)
        return hits[: self.plan.top_k]

    def timed(self, step: str, work: Callable[[], Sequence[Match]]) -> Sequence[Match]:
        """Do it, and note how long it takes."""
        started = time.perf_counter()
        try:
            return work()
        finally:
            self.milliseconds[step] = (time.perf_counter() - started) * 1000

    async def _run(self, leg: str, call: Callable[[], Awaitable[Sequence[Match]]]) -> None:
        started = time.perf_counter()
        try:
            self.rankings[leg] = await call()
        except Exception as error:  # reported: the leg is listed as degraded, or the error raised
            self.failures[leg] = error
            self.degraded.append(Degradation(leg, f"{type(error).__name__}: {error}"))
        spent = (time.perf_counter() - started) * 1000
        embedding = self.milliseconds.get("embed", 0.0) if leg in ("semantic", "hybrid") else 0.0
        self.milliseconds["semantic" if leg == "hybrid" else leg] = spent - embedding

    async def _semantic(self) -> Sequence[Match]:
        vector = await self._embedded()
        if not vector.any():  # nothing that the model knows: no direction to look in
            return []
        return await self.components.vector.search(vector, self.plan.candidates, self.filter)

    async def _keyword(self) -> Sequence[Match]:
        assert self.components.keyword is not None
        return await self.components.keyword.search(self.query, self.plan.candidates, self.filter)

    async def _exact(self) -> Sequence[Match]:
        if quoted_phrases(self.query) and not finds_phrases(self.components.keyword):
            reason = "the keyword backend cannot find phrases, so quotes mean nothing"
            self.degraded.append(Degradation("exact", reason))
        found = await exact_leg(
            self.components.vector,
            self.components.keyword,
            self.query,
            self.plan.candidates,
            self.filter,
        )
        self.exact = {match.record.id: match for match in found}
        return [Match(match.record.id, match.score) for match in found]

    async def _native(self) -> Sequence[Match]:
        backend = self.components.vector
        assert isinstance(backend, SupportsHybridSearch)
        vector = await self._embedded()
        return await backend.hybrid_search(
            self.query, vector, self.plan.candidates, self.plan.weights, self.filter
        )

    async def _embedded(self) -> NDArray[np.float32]:
        started = time.perf_counter()
        try:
            return await self.components.embedder.embed_query(self.query)
        finally:
            self.milliseconds["embed"] = (time.perf_counter() - started) * 1000

    async def _records(self, matches: Sequence[Match]) -> Mapping[str, Record]:
        known = {
            match.chunk_id: self.exact[match.chunk_id].record
            for match in matches
            if match.chunk_id in self.exact
        }
        unknown = [match.chunk_id for match in matches if match.chunk_id not in known]
        fetched = await self.components.vector.get(unknown) if unknown else []
        return known | {record.id: record for record in fetched}

    async def _definitions(self) -> tuple[Definition, ...]:
        """Definitions of terms that the query uses, of the longest terms first."""
        words = self.query.casefold().split()[:_QUERY_WORDS]
        words = [word.strip("\"'“”‘’„«».,;:!?()") for word in words]
        terms = {
            " ".join(words[start : start + length])
            for length in range(1, _LONGEST_TERM + 1)
            for start in range(len(words) - length + 1)
            if words[start] not in _FUNCTION_WORDS
            and words[start + length - 1] not in _FUNCTION_WORDS
        } - {""}
        if not terms:
            return ()
        any_term = Or(*(Contains("terms", term) for term in sorted(terms)))
        try:
            records = await self.components.vector.find(any_term, 4 * _DEFINITIONS)
        except CapabilityError:
            return ()
        found = {one for record in records for one in record.chunk.definitions}
        used = [one for one in found if one.term.casefold() in terms]
        used.sort(key=lambda one: (-len(one.term), one.term, one.source, one.text))
        return tuple(used[:_DEFINITIONS])

    async def _reranked(self, hits: list[Hit]) -> list[Hit]:
        """What is certain stays first; the rest is ordered by the reranker or, where that fails, left as it was."""
        certain = [hit for hit in hits if hit.certain]
        others = [hit for hit in hits if not hit.certain]
        started = time.perf_counter()
        try:
            assert self.components.reranker is not None
            others = list(
                await self.components.reranker.rerank(self.query, others, self.plan.top_k)
            )
        except Exception as error:  # reported: listed as degraded
            self.degraded.append(Degradation("rerank", f"{type(error).__name__}: {error}"))
            logger.warning("reranking failed, the order is the fusion's: %s", error)
        self.milliseconds["rerank"] = (time.perf_counter() - started) * 1000
        return [replace(hit, rank=rank) for rank, hit in enumerate([*certain, *others], start=1)]

    def _scores(self) -> Mapping[str, Mapping[str, LegScore]]:
        scores: dict[str, dict[str, LegScore]] = {}
        for leg, ranking in self.rankings.items():
            for rank, match in enumerate(ranking, start=1):
                scores.setdefault(match.chunk_id, {})[leg] = LegScore(rank, match.score)
        return scores


def _is_thin(query: str, hits: Sequence[Hit]) -> bool:
    """Whether nothing is certain and the best passages lack most of what the query asks about.

    Judged by the query's words, which no fusion hides: the share of them that stands in one of the first hits, its context
    included.
    """
    if any(hit.certain for hit in hits[:1]):
        return False
    for hit in hits[:_EXAMINED]:
        wanted = set(_ANALYZER.query_terms(query, [hit.chunk.language]))
        text = fold(hit.chunk.indexed_text.casefold())
        held = sum(term in text for term in wanted)  # a stem is how its words begin
        if held >= _COVERED * len(wanted) > 0:
            return False
    return True
