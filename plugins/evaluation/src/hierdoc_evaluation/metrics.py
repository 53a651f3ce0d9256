"""Measures of a ranking, and how sure a difference between two of them is: pure functions of numbers.

A ranking is given as one set per hit, best first: the numbers of the expected items that the hit satisfies, from 0. An
item counts where it is found first; a hit that only repeats what is known already gains nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

RESAMPLES = 2000
"""Resamples of a bootstrap: enough for two digits of an interval."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its two-sided interval.

    Attributes:
        mean: Of the sample.
        low: Lower end.
        high: Upper end.
    """

    mean: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """Whether the whole interval lies on one side of 0: as a difference, it is sure."""
        return self.low > 0 or self.high < 0


def recall_at(found: Sequence[AbstractSet[int]], items: int, k: int) -> float:
    """The share of the expected items that the first k hits satisfy.

    Args:
        found: See the module.
        items: How many items are expected, 1 or more.
        k: How many hits count.
    """
    return len(frozenset().union(*found[:k])) / items


def hit_at(found: Sequence[AbstractSet[int]], k: int) -> float:
    """1 if one of the first k hits satisfies an expected item, else 0."""
    return float(any(found[:k]))


def reciprocal_rank(found: Sequence[AbstractSet[int]]) -> float:
    """1 / rank of the first hit that satisfies an item, 0 without one; its mean over questions is MRR.

    Voorhees, "The TREC-8 Question Answering Track Report", TREC 1999.
    """
    return next((1 / rank for rank, held in enumerate(found, start=1) if held), 0.0)


def ndcg_at(found: Sequence[AbstractSet[int]], items: int, k: int = 10) -> float:
    """Normalised discounted cumulative gain of the first k hits, with gains of 0 and 1.

    Järvelin and Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques", ACM TOIS 20(4), 2002, with the usual discount
    1 / log2(rank + 1). A hit gains 1 if it satisfies an item that none before it does. The ideal ranking has such hits
    first: as many as there are here, and one for each item that is missing.
    """
    known: set[int] = set()
    gained: list[int] = []
    for rank, held in enumerate(found[:k], start=1):
        if held - known:
            gained.append(rank)
            known |= held
    ideal = min(len(gained) + items - len(known), k)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, ideal + 1))
    return sum(1 / math.log2(rank + 1) for rank in gained) / best


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least so many percent of the values do not exceed (nearest rank); 0 of nothing."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]


def bootstrap(values: Sequence[float], *, seed: int = 0, confidence: float = 0.95) -> Interval:
    """The mean with its percentile bootstrap interval.

    Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13. Given differences of pairs, this is the
    paired bootstrap.

    Args:
        values: One per question; at least one.
        seed: The same one gives the same interval.
        confidence: How often such intervals hold the true mean.
    """
    import numpy as np

    sample = np.asarray(values, dtype=np.float64)
    generator = np.random.default_rng(seed)
    means = np.empty(RESAMPLES)
    for number in range(RESAMPLES):  # one at a time: memory stays small for any number of questions
        means[number] = sample[generator.integers(0, len(sample), len(sample))].mean()
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, (tail, 1 - tail))
    return Interval(float(sample.mean()), float(low), float(high))


def paired_bootstrap(
    first: Sequence[float], second: Sequence[float], *, seed: int = 0, confidence: float = 0.95
) -> Interval:
    """How much higher the second mean is, with an interval: both systems answered the same questions.

    Questions are drawn, not answers, so what makes a question hard for both does not widen the interval; see Sakai,
    "Evaluating Evaluation Metrics Based on the Bootstrap", SIGIR 2006.

    Raises:
        ValueError: There are not as many values of one as of the other, or none.
    """
    if len(first) != len(second) or not first:
        raise ValueError(f"{len(first)} and {len(second)} values make no pairs")
    differences = [b - a for a, b in zip(first, second, strict=True)]
    return bootstrap(differences, seed=seed, confidence=confidence)
