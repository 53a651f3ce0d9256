"""The search: legs side by side, one ranking of all, and what is attached to its hits.

What the exact leg finds with certainty stands first and once. A leg that fails leaves its mark in the result.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hierdoc.components import Components
from hierdoc.errors import CapabilityError, DegradedError, QueryError
from hierdoc.filters import Filter
from hierdoc.models import (
    Definition,
    Degradation,
    Hit,
    LegScore,
    Match,
    MissingCitation,
    SearchResult,
)
from hierdoc.plugin.protocols import SupportsCoverage, SupportsHybridSearch
from hierdoc.plugin.records import Record
from hierdoc.search.confidence import is_thin
from hierdoc.search.document_names import DocumentNames, in_favour
from hierdoc.search.evidence import Evidence
from hierdoc.search.exact import (
    ExactMatch,
    exact_leg,
    finds_phrases,
    outside_quotes,
    quoted_phrases,
)
from hierdoc.search.expansion import expanded
from hierdoc.search.fusion import fused
from hierdoc.search.links import with_links
from hierdoc.search.missing import absent_citations
from hierdoc.search.planning import SearchPlan
from hierdoc.search.repetition import repeats_any, spread
from hierdoc.search.reranking import reranked
from hierdoc.search.rewriting import Wording, reworded
from hierdoc.search.used_terms import used_terms
from hierdoc.telemetry import sensitive, span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

logger = logging.getLogger("hierdoc")

_STEPS = ("embed", "semantic", "keyword", "exact", "fuse", "rerank", "total")

_REACH = 50
"""Hits of whose documents it is looked whether the query names them."""

_SPREAD = 10
"""Hits at least that are put in an order in which several places come first."""

_EXAMINED = 3
"""Hits in which the query's words are looked for."""


async def search(
    components: Components,
    plan: SearchPlan,
    query: str,
    filter: Filter | None,
    names: DocumentNames,
    incomplete: frozenset[str],
    on_degraded: str,
) -> SearchResult:
    """Carry out a plan; see `Index.search`.

    Args:
        components: The opened ones.
        plan: What to do.
        query: Not empty.
        filter: Which records to consider.
        names: Of the index's documents.
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
        ranking = await run.fuse()
        if plan.mode == "hybrid":
            ranking = await run.toward_named(ranking, names.shares(query))
        hits = await run.hits(ranking, incomplete)
        absent = await run.absent()
        thin = await run.is_thin(hits, absent)
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
        low_confidence=thin,
        absent=absent,
        coverage=run.covered,
        timings_ms={step: round(run.milliseconds.get(step, 0.0), 3) for step in _STEPS},
    )


@dataclass(frozen=True)
class LegResults:
    """What the legs of one search found, before fusion.

    Attributes:
        rankings: By leg, best first.
        exact: The matches of the exact leg by chunk id.
        coverage: See `SupportsCoverage.fuse_covered`.
        shares: Documents that the query names; see `DocumentNames.shares`.
        degraded: Legs that failed.
    """

    rankings: Mapping[str, Sequence[Match]]
    exact: Mapping[str, ExactMatch]
    coverage: Mapping[str, float]
    shares: Mapping[str, float]
    degraded: tuple[Degradation, ...] = ()


async def search_legs(
    components: Components, plan: SearchPlan, query: str, names: DocumentNames, on_degraded: str
) -> LegResults:
    """Carry out a plan up to the fusion; see `Index.search_legs`."""
    run = _Search(components, plan, query, None)
    await run.run_legs()
    run.refuse_failures(on_degraded)
    coverage, shares = await run.coverage(), names.shares(query)
    return LegResults(run.rankings, run.exact, coverage, shares, tuple(run.degraded))


@dataclass
class _Search:
    """One search under way.

    Attributes:
        rankings: What each leg found, best first.
        exact: The matches of the exact leg by chunk id.
        records: What was fetched from the store, by chunk id.
        evidence: What the passages have of the query.
        covered: What the fuser was told of the legs' coverage.
        shares: Documents that the query names; see `DocumentNames.shares`.
        failures: The errors of legs that failed.
    """

    components: Components
    plan: SearchPlan
    query: str
    filter: Filter | None
    rankings: dict[str, Sequence[Match]] = field(default_factory=dict)
    exact: dict[str, ExactMatch] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    failures: dict[str, Exception] = field(default_factory=dict)
    degraded: list[Degradation] = field(default_factory=list)
    milliseconds: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.evidence = Evidence(self.query)
        self.wording = reworded(self.query) if self.plan.reword else Wording(self.query)
        self.covered: Mapping[str, float] = {}
        self.shares: Mapping[str, float] = {}

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

    async def fuse(self) -> Sequence[Match]:
        """One ranking of what the legs found."""
        started = time.perf_counter()
        fuser = self.components.fuser
        wanted = len(self.rankings) > 1 and isinstance(fuser, SupportsCoverage)
        self.covered = await self.coverage() if wanted else {}
        ranking = fused(
            self.rankings, self.exact, fuser, self.plan.weights, self.covered, self.plan.mode
        )
        self.milliseconds["fuse"] = (time.perf_counter() - started) * 1000
        return ranking

    async def toward_named(
        self, ranking: Sequence[Match], shares: Mapping[str, float]
    ) -> Sequence[Match]:
        """The ranking with passages of documents that the query names raised, behind what is certain."""
        self.shares = shares
        if not shares:
            return ranking
        records = await self._records(ranking[:_REACH])
        sources = {name: record.chunk.source for name, record in records.items()}
        return in_favour(ranking, shares, sources, self.exact)

    async def coverage(self) -> Mapping[str, float]:
        """The share of the query's words in the best match of the keyword leg, if there is one."""
        best = self.rankings.get("keyword", ())[:1]
        if best and self.wording.spelt_out:  # in the words of reports
            return {"keyword": 1.0}
        records = await self._records(best)
        if not records:
            return {}
        return {"keyword": self.evidence.coverage(records[best[0].chunk_id])}

    async def hits(self, ranking: Sequence[Match], incomplete: frozenset[str]) -> list[Hit]:
        """The best of the ranking with all that belongs to a hit, reranked where that is configured."""
        reranker = self.components.reranker
        wanted = max(self.plan.top_k, _SPREAD) if self.plan.mode == "hybrid" else self.plan.top_k
        if reranker:
            wanted = max(wanted, self.plan.rerank.candidates or self.plan.candidates)
        definitions = await used_terms(self.components.vector, self.query)
        hits: list[Hit] = []
        repeated: list[Hit] = []
        position = 0
        while len(hits) < wanted and position < len(ranking):
            page = ranking[position : position + wanted]
            position += wanted
            records = await self._records(page)
            scores = self._scores(records)
            for match in page:
                record = records.get(match.chunk_id)
                if record is None or record.chunk.source in incomplete:
                    continue
                hit = self._hit(match, record, scores[match.chunk_id], definitions)
                repeats = not hit.certain and repeats_any(record.chunk, hits)
                (repeated if repeats else hits).append(hit)
        hits = [*(spread(hits) if self.plan.mode == "hybrid" else hits), *repeated]
        if reranker:
            hits = await self._reranked(hits[:wanted])
        hits = [
            hit if hit.rank == rank else replace(hit, rank=rank)
            for rank, hit in enumerate(hits[: self.plan.top_k], start=1)
        ]
        return await self._attached(hits)

    def _hit(
        self,
        match: Match,
        record: Record,
        scores: Mapping[str, LegScore],
        definitions: tuple[Definition, ...],
    ) -> Hit:
        known = self.exact.get(match.chunk_id)
        certain = known is not None and known.certain
        raised = "its document is named" if record.chunk.source in self.shares else ""
        return Hit(
            rank=0,
            score=match.score,
            scores=scores,
            chunk=record.chunk,
            certain=certain,
            definitions=definitions,
            references=record.chunk.references,
            why=known.why if known else raised,
            named=known.section_id if known and certain else None,
        )

    async def _attached(self, hits: list[Hit]) -> list[Hit]:
        """The hits with what is looked up for them: where references lead, and more of their sections."""
        hits = await with_links(self.components.vector, hits)
        try:
            return await expanded(self.components.vector, hits, self.plan.expand)
        except CapabilityError as error:
            self.degraded.append(Degradation("expand", str(error)))
            return hits

    async def absent(self) -> tuple[MissingCitation, ...]:
        """Citations of the query that the exact leg, where it took part, did not find."""
        if "exact" not in self.rankings:
            return ()
        found = [match.record for match in self.exact.values()]
        query = outside_quotes(self.query) if found else self.query
        return await absent_citations(self.components.vector, query, found, self.filter)

    async def is_thin(self, hits: Sequence[Hit], absent: Sequence[MissingCitation]) -> bool:
        """Whether nothing is certain, and something cited does not exist or the best passages lack what the query asks about."""
        if any(hit.certain for hit in hits[:1]):
            return False
        if absent:
            return True
        ids = [hit.chunk.id for hit in hits[:_EXAMINED]]
        ids += [match.chunk_id for match in self.rankings.get("keyword", ())[:1]]
        examined = [self.records[one] for one in dict.fromkeys(ids) if one in self.records]
        # One that took no part may not answer, and would be waited for.
        answers = "keyword" in self.rankings or (self.plan.native and "exact" in self.rankings)
        keyword = self.components.keyword if answers else None
        return await is_thin(self.evidence, examined, self.components, keyword, self.filter)

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
        return await self.components.keyword.search(
            self.wording.text, self.plan.candidates, self.filter
        )

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
        self.records |= {match.record.id: match.record for match in found}
        return [Match(match.record.id, match.score) for match in found]

    async def _native(self) -> Sequence[Match]:
        backend = self.components.vector
        assert isinstance(backend, SupportsHybridSearch)
        vector = await self._embedded()
        return await backend.hybrid_search(
            self.wording.text, vector, self.plan.candidates, self.plan.weights, self.filter
        )

    async def _embedded(self) -> NDArray[np.float32]:
        started = time.perf_counter()
        try:
            return await self.components.embedder.embed_query(self.wording.text)
        finally:
            self.milliseconds["embed"] = (time.perf_counter() - started) * 1000

    async def _records(self, matches: Sequence[Match]) -> Mapping[str, Record]:
        """The records of these matches that the store still has."""
        wanted = [match.chunk_id for match in matches]
        unknown = [chunk_id for chunk_id in wanted if chunk_id not in self.records]
        if unknown:
            fetched = await self.components.vector.get(unknown)
            self.records |= {record.id: record for record in fetched}
        return {one: self.records[one] for one in wanted if one in self.records}

    async def _reranked(self, hits: list[Hit]) -> list[Hit]:
        """In the reranker's order or, where that fails, as they were."""
        assert self.components.reranker is not None
        started = time.perf_counter()
        try:
            hits = await reranked(
                self.components.reranker, self.query, hits, self.plan.top_k, self.plan.rerank
            )
        except Exception as error:  # reported: listed as degraded
            self.degraded.append(Degradation("rerank", f"{type(error).__name__}: {error}"))
            logger.warning("reranking failed, the order is the fusion's: %s", error)
        self.milliseconds["rerank"] = (time.perf_counter() - started) * 1000
        return hits

    def _scores(self, wanted: Container[str]) -> Mapping[str, Mapping[str, LegScore]]:
        """By chunk and leg, of these chunks."""
        scores: dict[str, dict[str, LegScore]] = {}
        for leg, ranking in self.rankings.items():
            for rank, match in enumerate(ranking, start=1):
                if match.chunk_id in wanted:
                    scores.setdefault(match.chunk_id, {})[leg] = LegScore(rank, match.score)
        return scores
