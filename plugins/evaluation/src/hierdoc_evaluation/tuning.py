"""Finds search settings that answer a ground truth better, and says how sure the gain is.

The legs of every question are recorded once; a trial only fuses them again. Settings are chosen on the training folds of a
cross-validation and measured on the fold that was held out, so the gain that is reported is not that of having tried
many.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from hierdoc.errors import ConfigError, GroundTruthError
from hierdoc.index import AsyncIndex
from hierdoc.models import Chunk, Match
from hierdoc.plugin.protocols import Fuser, KeywordBackend
from hierdoc.plugin.provider import ComponentKind
from hierdoc.plugin.registry import Registry, default_registry
from hierdoc.plugin.settings import ProviderConfig
from hierdoc.search.pipeline import Legs
from hierdoc_evaluation.folds import folds_of
from hierdoc_evaluation.metrics import Interval, ndcg_at, paired_bootstrap
from hierdoc_evaluation.relevance import Judge, section_names
from hierdoc_evaluation.space import Point, Space
from hierdoc_evaluation.truth import Question, resolve_sources

METRIC = "ndcg@10"
DEPTH = 10

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Tuning:
    """What a parameter search found.

    Attributes:
        baseline: The settings as they were.
        winner: The best ones on all questions; the baseline where nothing beats it.
        baseline_score, winner_score: nDCG@10 on all questions; the winner's is flattered by its choice.
        gain: What settings chosen on other questions gain over the baseline, by cross-validation, with the 95 % interval of a
            paired bootstrap.
        chosen: The settings chosen for each fold: much alike where the choice is firm.
        trials: How many settings were tried.
        sampler: What proposed them: `grid`, `random` or `optuna`.
        questions: How many took part.
        notes: What was left out, and why.
    """

    baseline: Point
    winner: Point
    baseline_score: float
    winner_score: float
    gain: Interval
    chosen: tuple[Point, ...]
    trials: int
    sampler: str
    questions: int
    notes: tuple[str, ...] = ()

    @property
    def sure(self) -> bool:
        """Whether the gain is above 0 with its whole interval."""
        return self.gain.low > 0

    def to_dict(self) -> dict[str, Any]:
        """The result as `hierdoc tune --json` prints it."""
        return {
            "metric": METRIC,
            "questions": self.questions,
            "sampler": self.sampler,
            "trials": self.trials,
            "baseline": {"score": self.baseline_score, "settings": dict(self.baseline)},
            "winner": {"score": self.winner_score, "settings": dict(self.winner)},
            "gain": {"mean": self.gain.mean, "low": self.gain.low, "high": self.gain.high},
            "sure": self.sure,
            "chosen": [dict(point) for point in self.chosen],
            "notes": list(self.notes),
        }


async def tune(
    index: AsyncIndex,
    questions: Sequence[Question],
    *,
    trials: int = 200,
    folds: int = 5,
    seed: int = 0,
    sampler: str = "auto",
    registry: Registry | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """Search for weights, fuser, candidates and, where the keyword backend takes them, k1 and b.

    Args:
        index: Ingested; searched in hybrid mode without its reranker.
        questions: As `load_ground_truth` gives them; those that expect nothing are left out.
        trials: How many settings are tried, the present ones included.
        folds: Of the cross-validation, 2 or more.
        seed: Of the folds, the proposals and the bootstrap.
        sampler: `grid` (drawn from at random where it has more points than trials), `optuna`, or `auto` for Optuna where it
            is installed.
        registry: Where fusers are looked up.
        progress: Called with the number of steps done, of all steps, and what is being done.

    Raises:
        ConfigError: The configuration does not fuse legs here, or Optuna is asked for and not installed.
        GroundTruthError: Fewer questions have an answer than there are folds, or a document is unknown.
    """
    if index.config.search.mode != "hybrid":
        raise ConfigError(
            f"search.mode is `{index.config.search.mode}`: there is nothing to fuse, so nothing to tune",
            hint="Set it to `hybrid`.",
        )
    answerable = [question for question in questions if question.expected]
    if len(answerable) < max(folds, 2):
        raise GroundTruthError(
            f"{len(answerable)} questions have an answer, too few for {folds} folds",
            hint="Ask more questions, or have some made: `hierdoc eval --make 200 -o FILE`.",
        )
    registry = registry or default_registry()
    space = Space.of(index.config, registry)
    chosen_sampler = _sampler(sampler, space, trials)
    with tempfile.TemporaryDirectory(prefix="hierdoc-tune-") as scratch:
        bench = _Bench(index, space, registry, scratch)
        try:
            await bench.record(answerable, progress)
            search = _Search(bench, space, trials, seed, progress)
            parts = folds_of([question.kind for question in answerable], folds, seed)
            held_out = [0.0] * len(answerable)
            chosen = []
            everything = list(range(len(answerable)))
            winner = await search.best(chosen_sampler, everything)
            for part in parts:
                training = [number for number in everything if number not in part]
                best = await search.best(chosen_sampler, training)
                chosen.append(best)
                scores = await bench.scores(best)
                for number in part:
                    held_out[number] = scores[number]
            before, after = await bench.scores(space.baseline), await bench.scores(winner)
        finally:
            await bench.aclose()
    return Tuning(
        baseline=space.baseline,
        winner=winner,
        baseline_score=sum(before) / len(before),
        winner_score=sum(after) / len(after),
        gain=paired_bootstrap(before, held_out, seed=seed),
        chosen=tuple(chosen),
        trials=bench.tried,
        sampler=chosen_sampler,
        questions=len(answerable),
        notes=(*space.notes, *bench.notes),
    )


def _sampler(wanted: str, space: Space, trials: int) -> str:
    from importlib.util import find_spec

    installed = find_spec("optuna") is not None
    if wanted == "optuna" and not installed:
        raise ConfigError("Optuna is not installed", hint="pip install 'hierdoc[tune]'")
    if wanted == "optuna" or (wanted == "auto" and installed and space.size > trials):
        return "optuna"
    return "grid" if space.size <= trials else "random"


@dataclass
class _Bench:
    """The recorded legs of every question, and the scores of settings on them."""

    index: AsyncIndex
    space: Space
    registry: Registry
    scratch: str
    legs: list[Legs] = field(default_factory=list)
    found: list[dict[str, frozenset[int]]] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _keyword: dict[str, list[Sequence[Match]]] = field(default_factory=dict)
    _opened: list[KeywordBackend] = field(default_factory=list)
    _scores: dict[Point, list[float]] = field(default_factory=dict)
    _chunks: Mapping[str, Chunk] = field(default_factory=dict)
    _right: list[Callable[[str], frozenset[int]]] = field(default_factory=list)

    @property
    def tried(self) -> int:
        """How many different settings were scored."""
        return len(self._scores)

    async def record(self, questions: Sequence[Question], progress: Progress | None) -> None:
        """Search for every question once, each leg as deep as any setting asks for."""
        documents = await self.index.documents()
        self.questions = list(resolve_sources(questions, documents))
        chunks = await self.index.chunks()
        by_id, keys = {chunk.id: chunk for chunk in chunks}, section_names(chunks)
        self._chunks = by_id
        failed: set[str] = set()
        for number, question in enumerate(self.questions, start=1):
            legs = await self.index.search_legs(
                question.question, candidates=self.space.most_candidates
            )
            failed.update(degradation.leg for degradation in legs.degraded)
            self.legs.append(legs)
            judge = Judge(question, keys)
            self._right.append(
                _remembered(lambda name, judge=judge: judge(by_id[name]).right)  # type: ignore[misc]
            )
            if progress:
                progress(number, len(self.questions), "recording the legs")
        self.notes += [f"the {leg} leg failed, so it was not tuned" for leg in sorted(failed)]
        if self.index.config.reranker is not None:
            self.notes.append("the reranker took no part")

    async def scores(self, point: Point) -> list[float]:
        """nDCG@10 of every question under these settings."""
        if point not in self._scores:
            rankings = await self._keyword_rankings(self.space.keyword(point))
            fuser = cast(Fuser, self.registry.open(ComponentKind.FUSER, self.space.fuser(point)))
            weights, most = self.space.weights(point), self.space.candidates(point)
            self._scores[point] = [
                self._score(number, fuser, weights, most, rankings)
                for number in range(len(self.questions))
            ]
        return self._scores[point]

    async def aclose(self) -> None:
        for backend in self._opened:
            await backend.aclose()

    def _score(
        self,
        number: int,
        fuser: Fuser,
        weights: Mapping[str, float],
        most: int,
        keyword: Sequence[Sequence[Match]] | None,
    ) -> float:
        legs, right = self.legs[number], self._right[number]
        if keyword is not None:
            legs = replace(legs, rankings={**legs.rankings, "keyword": keyword[number]})
        fused = legs.fused(fuser, weights, candidates=most)
        ranking = legs.arranged(fused, self._chunks, DEPTH)
        best = [right(match.chunk_id) for match in ranking.order[:DEPTH]]
        return ndcg_at(best, len(self.questions[number].expected), DEPTH)

    async def _keyword_rankings(
        self, config: ProviderConfig | None
    ) -> Sequence[Sequence[Match]] | None:
        """What the keyword leg finds with other settings of its own; None for those that were recorded."""
        if config is None:
            return None
        key = config.model_dump_json()
        if key not in self._keyword:
            opened = self.space.elsewhere(config, self.scratch, len(self._opened))
            backend = cast(KeywordBackend, self.registry.open(ComponentKind.KEYWORD, opened))
            self._opened.append(backend)
            await self.index.fill(backend)
            self._keyword[key] = [
                await backend.search(legs.query.rewritten, self.space.most_candidates)
                for legs in self.legs
            ]
            await backend.aclose()
        return self._keyword[key]


@dataclass
class _Search:
    """Proposes settings and keeps the best."""

    bench: _Bench
    space: Space
    trials: int
    seed: int
    progress: Progress | None = None

    async def best(self, sampler: str, questions: Sequence[int]) -> Point:
        """The settings with the highest mean on these questions; the first of equals, the present ones before all."""
        best, best_score = self.space.baseline, await self._mean(self.space.baseline, questions)

        async def tried(point: Point, number: int) -> float:
            nonlocal best, best_score
            score = await self._mean(point, questions)
            if score > best_score + 1e-9:
                best, best_score = point, score
            if self.progress:
                self.progress(number, self.trials, "trying settings")
            return score

        if sampler == "optuna":
            from hierdoc_evaluation.optuna_search import search

            await search(self.space, tried, self.trials, self.seed)
        else:
            for number, point in enumerate(self.space.points(self.trials, self.seed), start=1):
                await tried(point, number)
        return best

    async def _mean(self, point: Point, questions: Sequence[int]) -> float:
        scores = await self.bench.scores(point)
        return sum(scores[number] for number in questions) / len(questions)


def _remembered(work: Callable[[str], frozenset[int]]) -> Callable[[str], frozenset[int]]:
    known: dict[str, frozenset[int]] = {}

    def remembering(name: str) -> frozenset[int]:
        if name not in known:
            known[name] = work(name)
        return known[name]

    return remembering
