"""How good the answers are, and which settings make them better: `hierdoc eval` and `hierdoc tune` in Python.

    questions = load_ground_truth("truth.jsonl")
    async with Index.open("hierdoc.yaml") as index:
        evaluation = await evaluate(index, questions)
    print(evaluation.metrics["ndcg@10"])

Names are imported on first use, so that importing this package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hierdoc.evaluation.making import make_ground_truth as make_ground_truth
    from hierdoc.evaluation.metrics import Interval as Interval
    from hierdoc.evaluation.metrics import bootstrap as bootstrap
    from hierdoc.evaluation.metrics import hit_at as hit_at
    from hierdoc.evaluation.metrics import ndcg_at as ndcg_at
    from hierdoc.evaluation.metrics import paired_bootstrap as paired_bootstrap
    from hierdoc.evaluation.metrics import percentile as percentile
    from hierdoc.evaluation.metrics import recall_at as recall_at
    from hierdoc.evaluation.metrics import reciprocal_rank as reciprocal_rank
    from hierdoc.evaluation.relevance import Judge as Judge
    from hierdoc.evaluation.relevance import Verdict as Verdict
    from hierdoc.evaluation.running import Answer as Answer
    from hierdoc.evaluation.running import Comparison as Comparison
    from hierdoc.evaluation.running import Evaluation as Evaluation
    from hierdoc.evaluation.running import compare as compare
    from hierdoc.evaluation.running import evaluate as evaluate
    from hierdoc.evaluation.truth import Expected as Expected
    from hierdoc.evaluation.truth import Question as Question
    from hierdoc.evaluation.truth import dump_ground_truth as dump_ground_truth
    from hierdoc.evaluation.truth import load_ground_truth as load_ground_truth
    from hierdoc.evaluation.tuning import Tuning as Tuning
    from hierdoc.evaluation.tuning import tune as tune

_HOMES = {
    "making": ("make_ground_truth",),
    "metrics": (
        "Interval",
        "bootstrap",
        "hit_at",
        "ndcg_at",
        "paired_bootstrap",
        "percentile",
        "recall_at",
        "reciprocal_rank",
    ),
    "relevance": ("Judge", "Verdict"),
    "running": ("Answer", "Comparison", "Evaluation", "compare", "evaluate"),
    "truth": ("Expected", "Question", "dump_ground_truth", "load_ground_truth"),
    "tuning": ("Tuning", "tune"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(import_module(f"hierdoc.evaluation.{_HOME_OF[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'hierdoc.evaluation' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
