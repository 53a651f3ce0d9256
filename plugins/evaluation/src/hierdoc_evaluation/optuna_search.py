"""Settings proposed by Optuna, where it is installed (`hierdoc[tune]`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from hierdoc_evaluation.space import EXACT, SHARES, Point, Space


async def search(
    space: Space, tried: Callable[[Point, int], Awaitable[float]], trials: int, seed: int
) -> None:
    """Propose settings by a tree-structured Parzen estimator, each learning from the scores of those before.

    Bergstra et al., "Algorithms for Hyper-Parameter Optimization", NeurIPS 2011, as Optuna implements it.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    for number in range(1, trials + 1):
        trial = study.ask()
        study.tell(trial, await tried(_proposed(space, trial), number))


def _proposed(space: Space, trial: Any) -> Point:
    """Weights from between the points of the grid; fields of fusers too, where they are no whole numbers."""
    fuser = trial.suggest_categorical("fuser", list(space.fusers))
    fields: dict[str, float] = {}
    for name, values in space.fields[fuser].items():
        low, high = values[0], values[-1]
        whole = isinstance(values[0], int) and isinstance(values[-1], int)
        suggest = trial.suggest_int if whole else trial.suggest_float
        fields[f"fuser.{name}"] = _rounded(suggest(f"{fuser}.{name}", low, high))
    for name, values in space.keyword_fields.items():  # each one is an index of its own
        fields[f"keyword.{name}"] = trial.suggest_categorical(f"keyword.{name}", list(values))
    return space.point(
        fuser,
        _rounded(trial.suggest_float("share", SHARES[0], SHARES[-1])),
        _rounded(trial.suggest_float("exact", EXACT[0], EXACT[-1])),
        trial.suggest_categorical("candidates", list(space.candidate_choices)),
        fields,
    )


def _rounded(value: float) -> float:
    return value if isinstance(value, int) else round(value, 2)
