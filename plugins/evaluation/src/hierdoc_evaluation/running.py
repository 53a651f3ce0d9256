"""Asks an index every question of a ground truth, and says how good the answers are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hierdoc.errors import SourceError
from hierdoc.index import AsyncIndex
from hierdoc.models import Chunk, Hit, Mode, SearchResult
from hierdoc_evaluation.metrics import (
    Interval,
    bootstrap,
    hit_at,
    ndcg_at,
    paired_bootstrap,
    percentile,
    recall_at,
    reciprocal_rank,
)
from hierdoc_evaluation.relevance import Judge, Verdict, names_place, section_names
from hierdoc_evaluation.truth import Question, resolve_sources

DEPTH = 10
"""Chunks that are looked at, at least: what nDCG@10 needs."""

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Answer:
    """What one question got.

    Attributes:
        question: It.
        hits: What was found, best first.
        verdicts: What each hit is worth.
        low_confidence: Whether the search itself thought that the evidence is thin.
        degraded: Legs that failed.
        milliseconds: Wall time of the search.
    """

    question: Question
    hits: tuple[Hit, ...]
    verdicts: tuple[Verdict, ...]
    low_confidence: bool
    degraded: tuple[str, ...]
    milliseconds: float

    def scores(self, k: int) -> dict[str, float]:
        """Every measure that applies to this question.

        A question that expects nothing has only `low_confidence`; `attribution_accuracy` needs an item that names a place.

        Args:
            k: How many hits count for `recall@k`, `hit@k` and the accuracies.
        """
        scores = {"low_confidence": float(self.low_confidence)}
        expected = self.question.expected
        if not expected:
            return scores
        right = [verdict.right for verdict in self.verdicts]
        scores |= {
            f"recall@{k}": recall_at(right, len(expected), k),
            "hit@1": hit_at(right, 1),
            f"hit@{k}": hit_at(right, k),
            "mrr": reciprocal_rank(right),
            "ndcg@10": ndcg_at(right, len(expected)),
            "retrieval_accuracy": hit_at(right, k),
        }
        if any(map(names_place, expected)):
            placed = [verdict.placed for verdict in self.verdicts]
            scores["attribution_accuracy"] = hit_at(placed, k)
        return scores

    @cached_property
    def rank(self) -> int | None:
        """The rank of the first right chunk; None without one."""
        ranks = (n for n, verdict in enumerate(self.verdicts, start=1) if verdict.right)
        return next(ranks, None)

    def to_dict(self, k: int) -> dict[str, Any]:
        """The answer as `hierdoc eval --json` prints it."""
        first = self.hits[0].chunk if self.hits else None
        return {
            "id": self.question.id,
            "kind": self.question.kind,
            "question": self.question.question,
            "expected": [one.to_dict() for one in self.question.expected],
            "rank": self.rank,
            "scores": self.scores(k),
            "milliseconds": round(self.milliseconds, 3),
            "first_hit": None
            if first is None
            else {
                "chunk_id": first.id,
                "source": first.source,
                "section_id": first.section_id,
                "page_start": first.page_start,
                "page_end": first.page_end,
                "line_start": first.line_start,
                "line_end": first.line_end,
            },
        }


@dataclass(frozen=True)
class Evaluation:
    """One configuration in one mode, on all questions.

    Attributes:
        name: Of the configuration.
        mode: Of the search.
        top_k: How many hits count for what is measured at k.
        answers: In the order of the questions.
        unsatisfied: Questions of which an expected item is in no chunk of the index, so that no search could find it.
    """

    name: str
    mode: Mode
    top_k: int
    answers: tuple[Answer, ...]
    unsatisfied: tuple[Question, ...] = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of questions, in the order of their first one."""
        return tuple(dict.fromkeys(answer.question.kind for answer in self.answers))

    def of(self, kind: str) -> Evaluation:
        """The part with the questions of one kind."""
        chosen = tuple(answer for answer in self.answers if answer.question.kind == kind)
        return Evaluation(self.name, self.mode, self.top_k, chosen)

    def values(self, metric: str) -> dict[str, float]:
        """The metric by question id, of those questions that it applies to."""
        scores = ((answer.question.id, answer.scores(self.top_k)) for answer in self.answers)
        return {name: values[metric] for name, values in scores if metric in values}

    @cached_property
    def metrics(self) -> dict[str, float]:
        """The mean of every metric over the questions that it applies to."""
        sums: dict[str, list[float]] = {}
        for answer in self.answers:
            for name, value in answer.scores(self.top_k).items():
                sums.setdefault(name, []).append(value)
        return {name: sum(values) / len(values) for name, values in sums.items()}

    def interval(self, metric: str, *, seed: int = 0) -> Interval | None:
        """The mean of a metric with its 95 % interval; None where it applies to no question."""
        values = list(self.values(metric).values())
        return bootstrap(values, seed=seed) if values else None

    def latency(self, percent: float) -> float:
        """Milliseconds that so many percent of the searches did not exceed."""
        return percentile([answer.milliseconds for answer in self.answers], percent)


@dataclass(frozen=True)
class Comparison:
    """How much better one evaluation is than another.

    Attributes:
        metric: What is compared.
        first, second: Names of the two.
        difference: Of the second over the first, with its 95 % interval.
    """

    metric: str
    first: str
    second: str
    difference: Interval

    @property
    def sure(self) -> bool:
        """Whether the interval excludes 0."""
        return self.difference.excludes_zero


async def evaluate(
    index: AsyncIndex,
    questions: Sequence[Question],
    *,
    name: str = "",
    mode: Mode | None = None,
    top_k: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Ask an index every question.

    Args:
        index: Ingested.
        questions: As `load_ground_truth` gives them.
        name: What to call the configuration.
        mode: Instead of the configured mode.
        top_k: How many hits count, 1 to 100; the configured number by default.
        progress: Called with the number of questions done, of all questions, and the last one.

    Raises:
        GroundTruthError: A question expects a document that the index does not hold.
        QueryError: A question cannot be asked, or `top_k` is out of range.
        SourceError: The index is empty.
    """
    k = top_k or index.config.search.top_k
    chosen = mode or index.config.search.mode
    index.check("question", top_k=top_k, mode=chosen)
    documents = await index.documents()
    if not documents:
        raise SourceError("the index is empty", hint="Run `hierdoc ingest` first.")
    resolved = resolve_sources(questions, documents)
    chunks = await index.chunks()
    keys = section_names(chunks)
    judges = [Judge(question, keys) for question in resolved]
    by_source: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        by_source.setdefault(chunk.source, []).append(chunk)
    await index.search(resolved[0].question, top_k=1, mode=chosen)  # loads what is loaded lazily
    answers = []
    for number, (question, judge) in enumerate(zip(resolved, judges, strict=True), start=1):
        result = await index.search(question.question, top_k=max(k, DEPTH), mode=chosen)
        answers.append(_answer(question, judge, result))
        if progress:
            progress(number, len(resolved), question.question)
    unsatisfied = tuple(
        answer.question
        for answer, judge in zip(answers, judges, strict=True)
        if not _is_satisfiable(answer, judge, by_source)
    )
    return Evaluation(name or _name(index), chosen, k, tuple(answers), unsatisfied)


def compare(
    first: Evaluation, second: Evaluation, metric: str = "ndcg@10", *, seed: int = 0
) -> Comparison:
    """The paired bootstrap of two evaluations on the same questions.

    Raises:
        ValueError: They did not answer the same questions, or the metric applies to none.
    """
    one, other = first.values(metric), second.values(metric)
    if set(one) != set(other):
        raise ValueError(f"{first.name} and {second.name} did not answer the same questions")
    difference = paired_bootstrap(list(one.values()), [other[name] for name in one], seed=seed)
    return Comparison(metric, first.name, second.name, difference)


def _answer(question: Question, judge: Judge, result: SearchResult) -> Answer:
    return Answer(
        question=question,
        hits=result.hits,
        verdicts=tuple(judge(hit.chunk, hit.named) for hit in result.hits),
        low_confidence=result.low_confidence,
        degraded=tuple(degradation.leg for degradation in result.degraded),
        milliseconds=result.timings_ms["total"],
    )


def _is_satisfiable(answer: Answer, judge: Judge, by_source: dict[str, list[Chunk]]) -> bool:
    """Whether every expected item is in some chunk; those that were found are not looked for again."""
    expected = answer.question.expected
    missing = set(range(len(expected))).difference(*(one.right for one in answer.verdicts))
    for source in {expected[number].source for number in missing}:
        chunks = [source] if source is not None else list(by_source)
        for name in chunks:
            for chunk in by_source[name]:
                if not missing:
                    return True
                missing -= judge(chunk).right
    return not missing


def _name(index: AsyncIndex) -> str:
    file = index.config.file
    return file.stem if file else "defaults"
