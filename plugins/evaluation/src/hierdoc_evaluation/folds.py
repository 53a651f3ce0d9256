"""Parts of a cross-validation: pure."""

from __future__ import annotations

import random
from collections.abc import Sequence


def folds_of(kinds: Sequence[str], count: int, seed: int = 0) -> list[list[int]]:
    """Deal questions out to folds, so that each fold has its share of every kind.

    Args:
        kinds: The kind of every question.
        count: How many folds.
        seed: The same one gives the same folds.

    Returns:
        For every fold the positions of its questions, ascending; together every position once. Sizes differ by one at most.
    """
    order = list(range(len(kinds)))
    random.Random(seed).shuffle(order)  # noqa: S311 - no secret
    order.sort(key=lambda number: kinds[number])  # stable: shuffled within each kind
    return [sorted(order[start::count]) for start in range(count)]
