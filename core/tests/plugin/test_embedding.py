"""Long texts in windows, how the parts' vectors become one, and models that run in this process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc import ConfigError, HierdocError
from hierdoc.plugin import LocalEmbedder, combine_windows, cut_windows

WORDS = st.lists(st.integers(1, 6), max_size=60).map(
    lambda lengths: [word for word, length in enumerate(lengths) for _ in range(length)]
)


def spans(words: list[int], size: int, overlap: int) -> list[tuple[int, int]]:
    return [(window.start, window.stop) for window in cut_windows(words, size, overlap)]


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
    found = cut_windows(words, size, overlap)
    assert found[0].start == 0
    assert found[-1].stop == len(words)
    assert all(len(window) <= size for window in found)
    for before, after in pairwise(found):
        assert before.start < after.start <= before.stop < after.stop
        assert before.stop - after.start <= overlap


def test_one_window_keeps_its_vector() -> None:
    vectors = np.array([[0.6, 0.8], [1, 0]], np.float32)
    assert combine_windows(vectors, [5, 7], [1, 0], 2) == pytest.approx(
        np.array([[1, 0], [0.6, 0.8]])
    )


def test_several_windows_count_by_their_tokens() -> None:
    vectors = np.array([[1, 0], [0, 1]], np.float32)
    found = combine_windows(vectors, [3, 1], [0, 0], 1)
    assert found == pytest.approx(np.array([[3, 1]]) / np.sqrt(10))


def test_a_text_without_windows_is_zero() -> None:
    assert combine_windows(np.array([[1, 0]], np.float32), [1], [1], 2)[0].tolist() == [0, 0]


class Vowels:
    """A model that counts vowels, four characters at a time, and notes what it got at once."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.threads: set[str] = set()
        self.answer: Any = None

    def windows(self, text: str, is_query: bool) -> Sequence[tuple[str, int]]:
        self.threads.add(threading.current_thread().name)
        parts = [text[start : start + 4] for start in range(0, len(text), 4)]
        return [(part, len(part)) for part in parts]

    def embed(self, windows: Sequence[str], is_query: bool) -> Any:
        self.batches.append(list(windows))
        self.threads.add(threading.current_thread().name)
        if isinstance(self.answer, Exception):
            raise self.answer
        counted = [[1 + part.count(vowel) for vowel in "aeiou"] for part in windows]
        return np.array(counted) if self.answer is None else self.answer


class VowelsEmbedder(LocalEmbedder[Vowels]):
    fingerprint, dimensions = "vowels", 5

    def __init__(self, batch_size: int = 3, batch_tokens: int | None = None) -> None:
        super().__init__("vowels", batch_size, batch_tokens)

    def load(self) -> Vowels:
        return Vowels()


def embedded(embedder: VowelsEmbedder, *texts: str) -> Any:
    return asyncio.run(embedder.embed_documents(texts))


def test_texts_come_back_in_order_whatever_their_length() -> None:
    texts = ["aaaaaaaaa", "", "e", "iiiiii", "oo", "u" * 400] * 30
    vectors = embedded(VowelsEmbedder(), *texts)
    assert vectors.argmax(axis=1).tolist() == [0, 0, 1, 2, 3, 4] * 30
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1, 1, 1, 1] * 30)


def test_windows_of_similar_length_share_a_batch() -> None:
    embedder = VowelsEmbedder()
    embedded(embedder, "aaaa", "e", "iiii", "o", "uuuu", "a")
    assert embedder.model.batches == [["e", "o", "a"], ["aaaa", "iiii", "uuuu"]]


def test_a_batch_has_no_more_tokens_than_it_may_padding_included() -> None:
    embedder = VowelsEmbedder(9, batch_tokens=6)
    embedded(embedder, "aaaa", "e", "iii", "o", "uuu", "a", "ee")
    assert embedder.model.batches == [["e", "o", "a"], ["ee", "iii"], ["uuu"], ["aaaa"]]


def test_a_window_with_more_tokens_than_a_batch_may_have_goes_alone() -> None:
    embedder = VowelsEmbedder(9, batch_tokens=2)
    embedded(embedder, "aaaa", "eeee", "i", "o")
    assert embedder.model.batches == [["i", "o"], ["aaaa"], ["eeee"]]


def test_the_model_works_in_a_thread_of_its_own() -> None:
    embedder = VowelsEmbedder()
    embedded(embedder, "a", "e")
    asyncio.run(embedder.embed_query("i"))
    assert embedder.model.threads == {"vowels_0"}


def test_the_model_is_loaded_at_the_first_call() -> None:
    embedder = VowelsEmbedder()
    assert "model" not in vars(embedder)
    embedded(embedder, "a")
    assert "model" in vars(embedder)


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (RuntimeError("out of breath"), HierdocError, "the model fails: out of breath"),
        (np.ones((2, 4)), ConfigError, "vectors of 4, not 5 dimensions"),
        (np.ones((1, 5)), HierdocError, "for 2 texts"),
        (np.array([[1, 1, 1, 1, 1], [1, 1, 1, 1, np.nan]]), HierdocError, "0 or not finite"),
        (np.array([[1, 1, 1, 1, 1], [0, 0, 0, 0, 0]]), HierdocError, "0 or not finite"),
    ],
)
def test_what_cannot_be_a_vector_is_an_error(
    answer: object, error: type[Exception], message: str
) -> None:
    embedder = VowelsEmbedder()
    embedder.model.answer = answer
    with pytest.raises(error, match=message):
        embedded(embedder, "a", "e")
