import click

from .making import make_ground_truth as make_ground_truth
from .metrics import Interval as Interval
from .metrics import bootstrap as bootstrap
from .metrics import hit_at as hit_at
from .metrics import ndcg_at as ndcg_at
from .metrics import paired_bootstrap as paired_bootstrap
from .metrics import percentile as percentile
from .metrics import recall_at as recall_at
from .metrics import reciprocal_rank as reciprocal_rank
from .relevance import Judge as Judge
from .relevance import Verdict as Verdict
from .running import Answer as Answer
from .running import Comparison as Comparison
from .running import Evaluation as Evaluation
from .running import compare as compare
from .running import evaluate as evaluate
from .truth import Expected as Expected
from .truth import Question as Question
from .truth import dump_ground_truth as dump_ground_truth
from .truth import load_ground_truth as load_ground_truth
from .tuning import Tuning as Tuning
from .tuning import tune as tune

def hierdoc_register_commands(cli: click.Group) -> None: ...

__all__ = [
    "Answer",
    "Comparison",
    "Evaluation",
    "Expected",
    "Interval",
    "Judge",
    "Question",
    "Tuning",
    "Verdict",
    "bootstrap",
    "compare",
    "dump_ground_truth",
    "evaluate",
    "hit_at",
    "load_ground_truth",
    "make_ground_truth",
    "ndcg_at",
    "paired_bootstrap",
    "percentile",
    "recall_at",
    "reciprocal_rank",
    "tune",
]
