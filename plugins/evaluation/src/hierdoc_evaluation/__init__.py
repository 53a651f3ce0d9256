"""How good the answers are, and which settings make them better: `hierdoc eval` and `hierdoc tune` in Python.

    questions = load_ground_truth("truth.jsonl")
    async with AsyncIndex.open("hierdoc.yaml") as index:
        evaluation = await evaluate(index, questions)
    print(evaluation.metrics["ndcg@10"])

Names are imported on first use; `__init__.pyi` lists them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

from hierdoc.plugin import hookimpl

if TYPE_CHECKING:
    import click

__getattr__, _, __all__ = lazy_loader.attach_stub(
    __name__, __file__
)  # pluggy looks for hooks in `dir`


@hookimpl
def hierdoc_register_commands(cli: click.Group) -> None:
    """The commands `eval` and `tune`."""
    from hierdoc_evaluation.commands import evaluate, tune

    cli.add_command(evaluate.command)
    cli.add_command(tune.command)
