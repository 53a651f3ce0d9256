"""The one way of a query: legs side by side, one ranking, the stages, and what comes with its hits.

    Query.parse, plan ─► legs ─► fused ─► STAGES ─► reranker ─► hits ─► definitions, references, missing citations

A leg that fails leaves its mark in the result.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from statistics import fmean
from typing import TYPE_CHECKING

from hierdoc.components import Components
from hierdoc.errors import CapabilityError, DegradedError, QueryError
from hierdoc.filters import Filter, In
from hierdoc.models import (
    Chunk,
    Definition,
    Degradation,
    Hit,
    LegScore,
    Match,
    MissingCitation,
    SearchResult,
)
from hierdoc.plugin.capabilities import Capability
from hierdoc.plugin.protocols import (
    Fuser,
    KeywordBackend,
    SupportsHybridSearch,
    SupportsTermStatistics,
)
from hierdoc.plugin.provider import ComponentKind
from hierdoc.plugin.records import UNFINISHED, Record
from hierdoc.quick import quick
from hierdoc.search.called import ANOTHER
from hierdoc.search.certainty import names_of_works
from hierdoc.search.coverage import Coverage
from hierdoc.search.enrichment import (
    DEFINING_RECORDS,
    definition_lookup,
    expanded,
    governing,
    missing_citations,
    used_terms,
    with_links,
)
from hierdoc.search.exact import VERBATIM, exact_leg, finds_phrases
from hierdoc.search.lookup import Found, first_found
from hierdoc.search.lookup import Stage as LookUpStage
from hierdoc.search.matches import CODED, ExactMatch
from hierdoc.search.naming import DocumentNames, Scope
from hierdoc.search.query import Query, SearchPlan
from hierdoc.search.ranking import (
    STAGES,
    Ranking,
    Stage,
    View,
    arranged,
    deduplicate,
    fused,
    reranked,
)
from hierdoc.search.tables import like_tables, recognised
from hierdoc.telemetry import Span, count, sensitive, span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

logger = logging.getLogger("hierdoc")

_STEPS = ("embed", "semantic", "keyword", "exact", "fuse", "rerank", "total")

_REACH = 50
"""Best matches that are checked for documents named in the query."""

_FEWEST = 10
"""Hits at least that are put in an order in which several places come first."""

_ELSEWHERE = 1.5
"""How often a name may stand in all chunks, for each chunk of the documents that are called so."""

_EXAMINED = 3
"""Hits in which the query's words are looked for."""

_ATTEMPTS = 4
"""How often at most a search is made while documents change under it."""

UNFINISHED_INGEST = "an ingest is under way or was interrupted, documents may be missing"
"""The reason why the whole index is degraded."""

_BEST_BY_KEYWORD = 5
"""Of the keyword leg's matches those that are examined too: the best for coverage, all for the query's own words."""


async def search(
    components: Components,
    plan: SearchPlan,
    text: str,
    filter: Filter | None,
    names: DocumentNames,
    incomplete: frozenset[str],
) -> SearchResult:
    """Carry out a plan; see `AsyncIndex.search`.

    Args:
        components: The opened ones.
        plan: What to do.
        text: The query; not empty.
        filter: Which records to consider.
        names: Of the index's documents.
        incomplete: Documents that a crash left in part; their hits are dropped.
    """
    attributes = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": components.data_source,
        "gen_ai.request.top_k": plan.top_k,
        "gen_ai.retrieval.query.text": sensitive(text),
        "hierdoc.mode": plan.mode,
        "hierdoc.provider": components.provider(ComponentKind.VECTOR),
    }
    name = f"retrieval {components.data_source}"
    with span(name, attributes, metric="hierdoc.search.duration", mode=plan.mode) as current:
        query = Query.parse(text, plan.terminology)
        scope = names.scope(text) if plan.scope and plan.mode != "exact" else None
        started = time.perf_counter()
        gone: set[str] = set()
        for _ in range(_ATTEMPTS):
            run = _Search(components, plan, query, filter, incomplete)
            await run.limit_to(scope)
            await run.run_legs()
            legs = await run.legs(names)
            hits = await run.hits(legs)
            if run.gone <= gone:
                break
            gone |= run.gone
        await run.look_for_gaps()
        missing = await run.missing({hit.chunk.title for hit in hits})
        is_low = await run.is_low_confidence(hits, missing)
        run.milliseconds["total"] = (time.perf_counter() - started) * 1000
        degraded = [one.leg for one in run.degraded]
        current.set(hits=len(hits), low_confidence=is_low, degraded=degraded or None)
        for leg in degraded:
            count("hierdoc.search.degradations", 1, leg=leg)
    return SearchResult(
        query=text,
        mode=plan.mode,
        top_k=plan.top_k,
        hits=tuple(hits),
        degraded=tuple(run.degraded),
        low_confidence=is_low,
        missing=missing,
        scope=run.scope.sources if run.scope else (),
        coverage=legs.coverage,
        timings_ms={step: round(run.milliseconds.get(step, 0.0), 3) for step in _STEPS},
    )


async def search_legs(
    components: Components, plan: SearchPlan, text: str, names: DocumentNames
) -> Legs:
    """Carry out a plan up to the fusion; see `AsyncIndex.search_legs`."""
    query = Query.parse(text, plan.terminology)
    run = _Search(components, plan, query, None, frozenset())
    await run.limit_to(names.scope(text) if plan.scope else None)
    await run.run_legs()
    return await run.legs(names)


@dataclass(frozen=True)
class Legs:
    """What the legs of one search found, before fusion.

    Attributes:
        query: What was asked.
        rankings: By leg, best first.
        exact: The matches of the exact leg by chunk id.
        coverage: See `Fuser.fuse`.
        shares: Documents that the query names; see `DocumentNames.shares`.
        tables: Chunks that are tables of the kinds that the query asks for; see `recognised`.
        degraded: Legs that failed.
        trust: What the semantic leg's weight is multiplied by, for the languages of the texts that are searched.
    """

    query: Query
    rankings: Mapping[str, Sequence[Match]]
    exact: Mapping[str, ExactMatch]
    coverage: Mapping[str, float]
    shares: Mapping[str, float]
    tables: Mapping[str, float] = field(default_factory=dict)
    degraded: tuple[Degradation, ...] = ()
    trust: float = 1.0

    def fused(
        self,
        fuser: Fuser,
        weights: Mapping[str, float],
        *,
        candidates: int | None = None,
    ) -> Ranking:
        """One ranking of all.

        Args:
            fuser: Asked where several legs found something.
            weights: By leg.
            candidates: How many matches of each leg count; None for all.
        """
        rankings = {leg: ranking[:candidates] for leg, ranking in self.rankings.items()}
        kept = {match.chunk_id for match in rankings.get("exact", ())}
        exact = {name: match for name, match in self.exact.items() if name in kept}
        if "semantic" in weights:
            weights = {**weights, "semantic": self.trust * weights["semantic"]}
        return fused(rankings, exact, fuser, weights, self.coverage)

    def arranged(self, ranking: Ranking, chunks: Mapping[str, Chunk], wanted: int) -> Ranking:
        """A fused ranking as a hybrid search returns it.

        Args:
            ranking: What `fused` gave.
            chunks: By id; what is not among them is left out.
            wanted: How many hits are to come out.
        """
        return arranged(ranking, self.view(chunks, max(wanted, _FEWEST)), STAGES)

    def view(self, chunks: Mapping[str, Chunk], wanted: int) -> View:
        """What stages may look at."""
        best = [match.chunk_id for match in self.rankings.get("keyword", ())[:_BEST_BY_KEYWORD]]
        return View(self.query, chunks, self.shares, wanted, best, self.tables)


async def _any_name(keyword: KeywordBackend, evidence: Mapping[str, int]) -> bool:
    """Whether one of these words stands in hardly more chunks than the documents have that are called so."""
    words = list(evidence)
    most = [_ELSEWHERE * count + _FEWEST for count in evidence.values()]
    if isinstance(keyword, SupportsTermStatistics):
        found = await keyword.document_frequencies(words)
    else:
        # As a phrase, since a search for a compound finds its parts as well.
        find = keyword.search_phrase if finds_phrases(keyword) else keyword.search
        pages = [find(word, int(limit) + 1) for word, limit in zip(words, most, strict=True)]
        found = [len(page) for page in await asyncio.gather(*pages)]
    return any(count <= limit for count, limit in zip(found, most, strict=True))


_hit, _leg_score = quick(Hit), quick(LegScore)


def _is_settled(match: ExactMatch) -> bool:
    """Whether a section is the one that the query cites."""
    return match.certain and bool(match.asked) and not match.document


@dataclass
class _Search:
    """One search under way.

    Attributes:
        rankings: What each leg found, best first.
        exact: The matches of the exact leg by chunk id.
        cited: What the query cites, of what was found.
        records: What was fetched from the store, by chunk id.
        definitions: Of terms that the query uses; None until they were looked up.
        like_tables: For each kind of table that the query asks for the chunks that may be one.
        failures: The errors of legs that failed.
        gone: Matches whose records the store does not have: an ingest replaced their documents in between, or is about to.
        is_whole: Whether no unfinished ingest leaves gaps in the index; None until the store was asked.
    """

    components: Components
    plan: SearchPlan
    query: Query
    filter: Filter | None
    incomplete: frozenset[str]
    scope: Scope | None = None
    rankings: dict[str, Sequence[Match]] = field(default_factory=dict)
    exact: dict[str, ExactMatch] = field(default_factory=dict)
    cited: Sequence[ExactMatch] = ()
    records: dict[str, Record] = field(default_factory=dict)
    definitions: tuple[Definition, ...] | None = None
    like_tables: Sequence[Sequence[str]] = ()
    failures: dict[str, Exception] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    is_whole: bool | None = None
    degraded: list[Degradation] = field(default_factory=list)
    milliseconds: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.asked = self.query
        self.coverage = Coverage(self.query)

    async def limit_to(self, scope: Scope | None) -> None:
        """Search the documents that the query names alone, by what it asks about them, unless only common words name them."""
        backends = [self.components.vector, *filter(None, [self.components.keyword])]
        if scope is None or self.filter is not None:  # whoever filters has said where to look
            return
        if any(Capability.FILTER_IN not in one.capabilities for one in backends):
            return
        keyword = self.components.keyword
        try:
            if keyword and scope.evidence and not await _any_name(keyword, scope.evidence):
                return
        except Exception as error:  # of any backend, whose leg will fail too and say so
            logger.info("whether words are names cannot be told: %s", error)
            return
        self.scope = scope
        if scope.rest:
            self.asked = Query.parse(scope.rest, self.plan.terminology)
            self.coverage = Coverage(self.asked)

    @property
    def within(self) -> Filter | None:
        """Which records the legs that rank consider."""
        return In("source", self.scope.sources) if self.scope else self.filter

    async def run_legs(self) -> None:
        """Run all legs side by side; raise where a failure is the caller's, is to be raised, or has left no leg that ranks."""
        self.degraded += self.plan.degraded
        work: dict[str, Callable[[], Awaitable[Sequence[Match]]]] = {
            leg: {"semantic": self._semantic, "keyword": self._keyword, "exact": self._exact}[leg]
            for leg in self.plan.legs
        }
        if self.plan.native:
            work = {"hybrid": self._native, **({"exact": work["exact"]} if "exact" in work else {})}
        await asyncio.gather(
            *(self._run(leg, call) for leg, call in work.items()), self._like_tables()
        )
        self.rankings = {leg: self.rankings[leg] for leg in work if leg in self.rankings}
        for error in self.failures.values():
            if isinstance(error, (CapabilityError, QueryError)):
                raise error
        for leg, error in self.failures.items():
            left = set(self.rankings) - {"exact"} or (self.plan.mode == "exact" and self.rankings)
            if self.plan.on_degraded == "raise" or not left:
                raise DegradedError(
                    f"the {leg} leg failed: {error}", hint=getattr(error, "hint", None)
                ) from error
            logger.warning("the %s leg failed, the search goes on without it: %s", leg, error)

    async def legs(self, names: DocumentNames) -> Legs:
        """What they found, with all that fusion and stages need to know."""
        coverage: dict[str, float] = {}
        trust = 1.0
        best = self.rankings.get("keyword", ())[:_BEST_BY_KEYWORD]
        if best and len(self.rankings) > 1:
            records = await self._fetched([match.chunk_id for match in best])
            trust = self._trust([one.chunk.language for one in records.values()])
            if self.asked.spelt_out:  # in the words of reports
                coverage = {"keyword": 1.0}
            elif best[0].chunk_id in records:
                coverage = {"keyword": self.coverage.share(records[best[0].chunk_id])}
        is_favoured = self.plan.mode == "hybrid" and self.scope is None
        shares = names.shares(self.query.text) if is_favoured else {}
        degraded = tuple(self.degraded)
        return Legs(
            self.query,
            self.rankings,
            self.exact,
            coverage,
            shares,
            await self._recognised_tables(),
            degraded,
            trust,
        )

    def _trust(self, languages: Sequence[str | None]) -> float:
        """What the semantic leg's weight is multiplied by, for texts in these languages."""
        trusts = {one: self.components.trust(one) for one in set(languages)}
        return fmean([trusts[one] for one in languages]) if languages else 1.0

    async def hits(self, legs: Legs) -> list[Hit]:
        """The best chunks with all that belongs to a hit, reranked where that is configured."""
        with span("fuse", {"hierdoc.provider": self._provider(ComponentKind.FUSER)}) as current:
            ranking = legs.fused(self.components.fuser, self.plan.weights)
        self.milliseconds["fuse"] = current.seconds * 1000
        reranker, top_k = self.components.reranker, self.plan.top_k
        wanted = top_k
        if reranker:
            wanted = max(wanted, self.plan.rerank.candidates or self.plan.candidates)
        ranking = await self._arranged(legs, ranking, wanted)
        chosen = ranking.order[:wanted]
        hits = self._made(ranking, chosen, await self._definitions(chosen))
        if reranker:
            pinned = len(ranking.pinned)
            hits = [*hits[:pinned], *await self._reranked(hits[pinned:wanted], top_k)]
            hits = [replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1)]
        return await self._attached(hits[:top_k])

    async def look_for_gaps(self) -> None:
        """Note that an unfinished ingest leaves gaps in the index, if one does; raise where that is to be raised."""
        if self.is_whole is None:
            await self._fetch([])
        if self.is_whole:
            return
        if self.plan.on_degraded == "raise":
            raise DegradedError(
                f"the index is not whole: {UNFINISHED_INGEST}",
                hint="Wait until the ingest has finished; run `hierdoc ingest` again if none is running.",
            )
        self.degraded.append(Degradation("index", UNFINISHED_INGEST))

    async def missing(self, titles: Iterable[str]) -> tuple[MissingCitation, ...]:
        """Citations of the query that the exact leg, where it took part, did not find, and no title of a hit has."""
        if "exact" not in self.rankings:
            return ()
        query = self.query.unquoted if self.cited else self.query
        missing = await missing_citations(
            self.components.vector, query, self.cited, self.filter, titles
        )
        names = names_of_works(query, self.exact.values()) if missing else ()
        coded = (
            () if finds_phrases(self.components.keyword) else CODED
        )  # codes are looked up as phrases
        return tuple(
            [one for one in missing if one.key not in names and not one.key.startswith(coded)]
        )

    async def is_low_confidence(
        self, hits: Sequence[Hit], missing: Sequence[MissingCitation]
    ) -> bool:
        """Whether nothing is certain, and something cited does not exist or the best chunks lack what the query asks about."""
        if any(hit.certain or hit.ambiguous for hit in hits[:1]):
            return False
        if missing:
            return True
        ids = [hit.chunk.id for hit in hits[:_EXAMINED]]
        ids += [match.chunk_id for match in self.rankings.get("keyword", ())[:1]]
        examined = [self.records[one] for one in dict.fromkeys(ids) if one in self.records]
        # One that took no part may not answer, and would be waited for.
        answers = "keyword" in self.rankings or (self.plan.native and "exact" in self.rankings)
        keyword = self.components.keyword if answers else None
        count = self.components.vector.count
        return await self.coverage.is_low(examined, count, keyword, self.within)

    async def _run(self, leg: str, call: Callable[[], Awaitable[Sequence[Match]]]) -> None:
        kind = ComponentKind.KEYWORD if leg == "keyword" else ComponentKind.VECTOR
        attributes = {"hierdoc.leg": leg, "hierdoc.provider": self._provider(kind)}
        with span(
            f"leg {leg}", attributes, metric="hierdoc.search.leg.duration", leg=leg
        ) as current:
            try:
                self.rankings[leg] = await call()
                current.set(matches=len(self.rankings[leg]))
            except (
                Exception
            ) as error:  # reported: the leg is listed as degraded, or the error raised
                self.failures[leg] = error
                self.degraded.append(Degradation(leg, f"{type(error).__name__}: {error}"))
                current.fail(error)
        spent = current.seconds * 1000
        embedding = self.milliseconds.get("embed", 0.0) if leg in ("semantic", "hybrid") else 0.0
        self.milliseconds["semantic" if leg == "hybrid" else leg] = spent - embedding

    async def _semantic(self) -> Sequence[Match]:
        vector = await self._embedded()
        if not vector.any():  # nothing that the model knows: no direction to look in
            return []
        return await self.components.vector.search(vector, self.plan.candidates, self.within)

    async def _keyword(self) -> Sequence[Match]:
        assert self.components.keyword is not None
        return await self.components.keyword.search(
            self.asked.keywords, self.plan.candidates, self.within
        )

    async def _exact(self) -> Sequence[Match]:
        keyword = self.components.keyword
        if self.query.phrases and not finds_phrases(keyword):
            reason = "the keyword backend cannot find phrases, so quotes mean nothing"
            self.degraded.append(Degradation("exact", reason))
        found, defining = await self._looked_up(self.filter, [definition_lookup(self.query)])
        if self.scope and self.query.citations and not any(map(_is_settled, found)):
            found, _ = await self._looked_up(self.within, ())
        defined = [one for _, some in defining for one in some]
        if len(defined) < DEFINING_RECORDS:
            self.definitions = used_terms(self.query, defined)
        self.records |= {match.record.id: match.record for match in found}
        self.cited = [match for match in found if match.called != ANOTHER]
        if self.scope and self.scope.rest:  # the work is named to say where to look
            found = [match for match in found if not match.document]
        self.exact = {match.record.id: match for match in found}
        return [Match(match.record.id, match.score) for match in found]

    async def _looked_up(
        self, filter: Filter | None, besides: LookUpStage
    ) -> tuple[Sequence[ExactMatch], Found]:
        return await exact_leg(
            self.components.vector,
            self.components.keyword,
            self.query,
            self.plan.candidates,
            filter,
            sentences=self.plan.mode == "exact",
            besides=besides,
            gone=self.gone,
        )

    async def _like_tables(self) -> None:
        """Look for the tables that the query asks for, beside the legs of a hybrid search."""
        keyword = self.components.keyword
        if not self.asked.tables or keyword is None or self.plan.mode != "hybrid":
            return
        try:
            found = await like_tables(keyword, self.asked.tables, self.asked.rewritten, self.within)
        except Exception as error:  # of any backend, whose leg fails too and says so
            logger.info("tables cannot be looked for: %s", error)
            return
        self.like_tables = [[match.chunk_id for match in matches] for matches in found]

    async def _recognised_tables(self) -> Mapping[str, float]:
        """Of what was found those that are such tables."""
        if not self.like_tables:
            return {}
        ids = list(dict.fromkeys(chain.from_iterable(self.like_tables)))
        records = await self._fetched(ids)
        texts = {name: f"{one.chunk.context}\n{one.chunk.text}" for name, one in records.items()}
        return recognised(self.asked.tables, self.like_tables, texts)

    async def _native(self) -> Sequence[Match]:
        backend = self.components.vector
        assert isinstance(backend, SupportsHybridSearch)
        vector = await self._embedded()
        return await backend.hybrid_search(
            self.asked.keywords, vector, self.plan.candidates, self.plan.weights, self.within
        )

    async def _embedded(self) -> NDArray[np.float32]:
        provider = self._provider(ComponentKind.EMBEDDER)
        attributes = {"gen_ai.operation.name": "embeddings", "hierdoc.provider": provider}
        current = Span()
        try:
            with span("embeddings", attributes) as current:
                return await self.components.embedder.embed_query(self.asked.rewritten)
        finally:
            self.milliseconds["embed"] = current.seconds * 1000

    def _provider(self, kind: ComponentKind) -> str | None:
        return self.components.provider(kind)

    async def _fetched(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """The records with these ids that the store still has, of documents that are whole."""
        unknown = [one for one in ids if one not in self.records and one != UNFINISHED]
        if unknown:
            await self._fetch(unknown)
            self.gone |= set(unknown).difference(self.records)
        return {one: self.records[one] for one in ids if one in self.records}

    async def _fetch(self, ids: Sequence[str]) -> None:
        """Read records and, in the first such call, whether the index is whole."""
        mark = [UNFINISHED] if self.is_whole is None else []
        fetched = await self.components.vector.get([*ids, *mark])
        found = {record.id: record for record in fetched}
        if mark:
            self.is_whole = found.pop(UNFINISHED, None) is None
        self.records |= found

    async def _arranged(self, legs: Legs, ranking: Ranking, wanted: int) -> Ranking:
        """The ranking after all stages; so many chunks are fetched that as many come out as are wanted, if there are."""
        hybrid = self.plan.mode == "hybrid"
        stages: Sequence[Stage] = STAGES if hybrid else (deduplicate,)
        wanted = max(wanted, _FEWEST) if hybrid else wanted
        window = max(wanted, _REACH) if legs.shares else wanted + wanted // 4
        ids = [match.chunk_id for match in ranking.order]
        while True:
            fetched = await self._fetched(ids[:window])
            chunks = {
                name: record.chunk
                for name, record in {**fetched, **self.records}.items()
                if record.chunk.source not in self.incomplete
            }
            kept = tuple([one for one in ranking.pinned if one.chunk_id in chunks])
            found = arranged(replace(ranking, pinned=kept), legs.view(chunks, wanted), stages)
            missing = wanted - len(found.pinned) - len(found.ranked)
            if missing <= 0 or window >= len(ids):
                return found
            window += max(2 * missing, wanted // 2)

    def _made(
        self, ranking: Ranking, chosen: Sequence[Match], definitions: tuple[Definition, ...]
    ) -> list[Hit]:
        """Hits of these matches."""
        pinned = {match.chunk_id for match in ranking.pinned}
        verbatim = pinned.difference(self.exact)
        settled = any(match.certain or match.ambiguous for match in self.exact.values())
        scores = self._scores({match.chunk_id for match in chosen})
        governed = {one.source for one in definitions}
        hits = []
        for rank, match in enumerate(chosen, start=1):
            chunk = self.records[match.chunk_id].chunk
            known = self.exact.get(match.chunk_id)
            note = ranking.notes.get(match.chunk_id, "")
            is_verbatim = match.chunk_id in verbatim
            is_one = is_verbatim and len(verbatim) == 1 and not settled
            hits.append(
                _hit(
                    rank=rank,
                    score=match.score,
                    scores=scores.get(match.chunk_id, {}),
                    chunk=chunk,
                    certain=known.certain if known else is_one,
                    ambiguous=known.ambiguous if known else is_verbatim and len(verbatim) > 1,
                    definitions=governing(definitions, chunk) if chunk.source in governed else (),
                    references=chunk.references,
                    why=known.why if known else VERBATIM if is_verbatim else note,
                    named=known.section_id if known and known.is_asked_for else None,
                )
            )
        return hits

    async def _definitions(self, chosen: Sequence[Match]) -> tuple[Definition, ...]:
        """Of terms that the query uses; looked up here where the exact leg has not, or where it found too many to see all."""
        sources = {self.records[match.chunk_id].chunk.source for match in chosen}
        if self.definitions is None:
            try:
                (found,) = await first_found(
                    self.components.vector, [[[definition_lookup(self.query, sources)]]]
                )
            except CapabilityError:
                found = []
            self.definitions = used_terms(self.query, [one for _, some in found for one in some])
        return self.definitions

    async def _attached(self, hits: list[Hit]) -> list[Hit]:
        """The hits with what is looked up for them: where references lead, and more of their sections."""
        hits = await with_links(self.components.vector, hits)
        try:
            return await expanded(self.components.vector, hits, self.plan.expand)
        except CapabilityError as error:
            self.degraded.append(Degradation("expand", str(error)))
            return hits

    async def _reranked(self, hits: list[Hit], limit: int) -> list[Hit]:
        """In the reranker's order or, where that fails, as they were."""
        assert self.components.reranker is not None
        with span(
            "rerank", {"hierdoc.provider": self._provider(ComponentKind.RERANKER)}
        ) as current:
            try:
                hits = await reranked(
                    self.components.reranker, self.query.text, hits, limit, self.plan.rerank
                )
            except Exception as error:  # reported: listed as degraded
                self.degraded.append(Degradation("rerank", f"{type(error).__name__}: {error}"))
                logger.warning("reranking failed, the order is the fusion's: %s", error)
                current.fail(error)
        self.milliseconds["rerank"] = current.seconds * 1000
        return hits

    def _scores(self, wanted: Container[str]) -> Mapping[str, Mapping[str, LegScore]]:
        """By chunk and leg, of these chunks."""
        scores: dict[str, dict[str, LegScore]] = {}
        for leg, ranking in self.rankings.items():
            for rank, match in enumerate(ranking, start=1):
                if match.chunk_id in wanted:
                    scores.setdefault(match.chunk_id, {})[leg] = _leg_score(rank, match.score)
        return scores
