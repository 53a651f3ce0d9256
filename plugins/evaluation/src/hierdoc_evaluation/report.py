"""Evaluations as tables for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from hierdoc_evaluation.running import Answer, Comparison, Evaluation, compare

COMPARED = ("ndcg@10", "retrieval_accuracy", "attribution_accuracy")
"""Metrics by which evaluations are compared."""

_TITLES = {
    "mrr": "MRR",
    "ndcg@10": "nDCG@10",
    "retrieval_accuracy": "retrieval",
    "attribution_accuracy": "attribution",
    "low_confidence": "low conf.",
}


def metric_names(top_k: int) -> tuple[str, ...]:
    """The metrics of an evaluation in the order in which they are shown."""
    hits = ("hit@1",) if top_k == 1 else ("hit@1", f"hit@{top_k}")
    return (
        f"recall@{top_k}",
        *hits,
        "mrr",
        "ndcg@10",
        "retrieval_accuracy",
        "attribution_accuracy",
        "low_confidence",
    )


def comparisons(evaluations: Sequence[Evaluation], *, seed: int = 0) -> list[Comparison]:
    """Each configuration against the first one in the same mode; of one configuration, each mode against the first."""
    first_by_mode: dict[str, Evaluation] = {}
    for one in evaluations:
        first_by_mode.setdefault(one.mode, one)
    alone = len({one.name for one in evaluations}) == 1
    found = []
    for one in evaluations:
        base = evaluations[0] if alone else first_by_mode[one.mode]
        if base is one:
            continue
        for metric in COMPARED:
            if metric in base.metrics:
                made = compare(base, one, metric, seed=seed)
                names = label(base), label(one)
                found.append(Comparison(metric, *names, made.difference))
    return found


def label(evaluation: Evaluation) -> str:
    """The configuration's name and the mode."""
    return f"{evaluation.name} {evaluation.mode}"


def as_dict(evaluations: Sequence[Evaluation], *, seed: int = 0) -> dict[str, Any]:
    """What `hierdoc eval --json` prints."""
    return {
        "questions": len(evaluations[0].answers),
        "top_k": evaluations[0].top_k,
        "runs": [_run(one, seed) for one in evaluations],
        "comparisons": [
            {
                "metric": one.metric,
                "first": one.first,
                "second": one.second,
                "difference": one.difference.mean,
                "low": one.difference.low,
                "high": one.difference.high,
                "sure": one.sure,
            }
            for one in comparisons(evaluations, seed=seed)
        ],
        "unsatisfied": [question.id for question in evaluations[0].unsatisfied],
    }


def tables(evaluations: Sequence[Evaluation], *, seed: int = 0) -> str:
    """What `hierdoc eval` prints: all questions, each kind, and how runs differ."""
    k = evaluations[0].top_k
    names = metric_names(k)
    header = ["run", "kind", "n", *(_TITLES.get(name, name) for name in names), "p50 ms", "p95 ms"]
    parts = [_table(header, [_row(one, "all", names) for one in evaluations])]
    kinds = sorted(evaluations[0].kinds)
    if len(kinds) > 1:
        by_kind = [_row(one.of(kind), kind, names) for kind in kinds for one in evaluations]
        parts.append(_table(header, by_kind))
    compared = comparisons(evaluations, seed=seed)
    for (first, second), group in groupby(compared, lambda one: (one.first, one.second)):
        lines = [f"{second} against {first}:"]
        for one in group:
            difference = one.difference
            said = "" if one.sure else "   not sure: the interval holds 0"
            lines.append(
                f"  {_TITLES[one.metric]:<12} {difference.mean:+.3f}  95 % interval {difference.low:+.3f} to "
                f"{difference.high:+.3f}{said}"
            )
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def misses(evaluation: Evaluation) -> list[Answer]:
    """Answers without a right chunk among the first k; for a question that expects nothing, those without low confidence."""
    k = evaluation.top_k
    return [
        answer
        for answer in evaluation.answers
        if (
            answer.rank is None or answer.rank > k
            if answer.question.expected
            else not answer.low_confidence
        )
    ]


def _run(evaluation: Evaluation, seed: int) -> dict[str, Any]:
    kinds = {kind: evaluation.of(kind) for kind in evaluation.kinds}
    return {
        "config": evaluation.name,
        "mode": evaluation.mode,
        "metrics": _metrics(evaluation, seed),
        "kinds": {
            kind: {"questions": len(part.answers), "metrics": _metrics(part, seed)}
            for kind, part in kinds.items()
        },
        "latency_ms": {"p50": evaluation.latency(50), "p95": evaluation.latency(95)},
        "degraded": sum(bool(answer.degraded) for answer in evaluation.answers),
        "answers": [answer.to_dict(evaluation.top_k) for answer in evaluation.answers],
    }


def _metrics(evaluation: Evaluation, seed: int) -> dict[str, dict[str, float]]:
    found = {}
    for name in metric_names(evaluation.top_k):
        interval = evaluation.interval(name, seed=seed)
        if interval is not None:
            found[name] = {"mean": interval.mean, "low": interval.low, "high": interval.high}
    return found


def _row(evaluation: Evaluation, kind: str, names: Sequence[str]) -> list[str]:
    metrics = evaluation.metrics
    shown = [f"{metrics[name]:.3f}" if name in metrics else "-" for name in names]
    latencies = [f"{evaluation.latency(percent):.1f}" for percent in (50, 95)]
    return [label(evaluation), kind, str(len(evaluation.answers)), *shown, *latencies]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as they need, the first two to the left, numbers to the right."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    shown = [
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    shown.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(shown)
