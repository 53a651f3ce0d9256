"""Long texts in windows: laws of the cutting, and how the parts' vectors become one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc_fastembed.windows import combined, windows

WORDS = st.lists(st.integers(1, 6), max_size=60).map(
    lambda lengths: [word for word, length in enumerate(lengths) for _ in range(length)]
)


def spans(words: list[int], size: int, overlap: int) -> list[tuple[int, int]]:
    return [(window.start, window.stop) for window in windows(words, size, overlap)]


def test_a_text_that_fits_is_one_window() -> None:
    assert spans([0, 1, 2], 3, 1) == [(0, 3)]


def test_windows_overlap_and_end_with_the_text() -> None:
    assert spans(list(range(10)), 4, 1) == [(0, 4), (3, 7), (6, 10)]


def test_words_stay_whole_where_that_leaves_windows_half_full() -> None:
    assert spans([0, 0, 0, 1, 1, 1, 2, 2], 4, 0) == [(0, 3), (3, 6), (6, 8)]


def test_a_word_longer_than_a_window_is_cut() -> None:
    assert spans([0] * 10, 4, 0) == [(0, 4), (4, 8), (8, 10)]


@given(WORDS, st.integers(2, 12), st.integers(0, 6))
def test_windows_cover_everything_in_order_and_never_grow(
    words: list[int], size: int, overlap: int
) -> None:
    overlap = min(overlap, size // 2 - 1)
    found = windows(words, size, overlap)
    assert found[0].start == 0
    assert found[-1].stop == len(words)
    assert all(len(window) <= size for window in found)
    for before, after in pairwise(found):
        assert before.start < after.start <= before.stop < after.stop
        assert before.stop - after.start <= overlap


def test_one_window_keeps_its_vector() -> None:
    vectors = np.array([[0.6, 0.8], [1, 0]], np.float32)
    assert combined(vectors, [5, 7], [1, 0], 2) == pytest.approx(np.array([[1, 0], [0.6, 0.8]]))


def test_several_windows_count_by_their_tokens() -> None:
    vectors = np.array([[1, 0], [0, 1]], np.float32)
    found = combined(vectors, [3, 1], [0, 0], 1)
    assert found == pytest.approx(np.array([[3, 1]]) / np.sqrt(10))


def test_a_text_without_windows_is_zero() -> None:
    assert combined(np.array([[1, 0]], np.float32), [1], [1], 2)[0].tolist() == [0, 0]
