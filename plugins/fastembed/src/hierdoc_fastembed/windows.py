"""Long texts in windows that a model can read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def windows(words: Sequence[int | None], size: int, overlap: int) -> list[range]:
    """Ranges of tokens that cover all of them, none longer than `size`.

    A window ends where a word ends, if that leaves it more than half full, and the next one begins up to `overlap` tokens
    before, where a word begins.

    Args:
        words: For each token the word that it is part of.
        size: Tokens of a window; more than `overlap`.
        overlap: Tokens that a window repeats of the one before.
    """
    found: list[range] = []
    start = 0
    while True:
        end = min(start + size, len(words))
        if end < len(words):
            end = _word_start(words, end, start + size // 2)
        found.append(range(start, end))
        if end == len(words):
            return found
        start = _word_end(words, end - overlap, end) if overlap else end


def combined(
    vectors: NDArray[np.float32], weights: Sequence[int], owners: Sequence[int], count: int
) -> NDArray[np.float32]:
    """One vector per text: the mean of its windows' vectors, weighted, of length 1; 0 for a text without windows.

    Args:
        vectors: float32 of shape [windows, dimensions].
        weights: For each window how many tokens it has.
        owners: For each window which text it belongs to.
        count: How many texts there are.

    Returns:
        float32 of shape [count, dimensions].
    """
    sums = np.zeros((count, vectors.shape[1]), np.float64)
    np.add.at(sums, list(owners), vectors * np.asarray(weights, np.float64)[:, None])
    lengths: NDArray[np.float64] = np.linalg.norm(sums, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return (sums / lengths).astype(np.float32)


def _word_start(words: Sequence[int | None], position: int, low: int) -> int:
    """The last place in (low, position] where a word begins; `position` where none does."""
    for place in range(position, low, -1):
        if words[place] is None or words[place] != words[place - 1]:
            return place
    return position


def _word_end(words: Sequence[int | None], position: int, high: int) -> int:
    """The first place in [position, high] where a word begins; `high` where none does."""
    for place in range(position, high):
        if words[place] is None or words[place] != words[place - 1]:
            return place
    return high
