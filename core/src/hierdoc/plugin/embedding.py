"""What embedders share: long texts in windows that a model can read, and a model in this process that is kept off the event loop."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hierdoc.errors import ConfigError, HierdocError

W = TypeVar("W")
ModelT = TypeVar("ModelT", bound="LocalModel[Any]")
T = TypeVar("T")

_TEXTS_AT_ONCE = 64
"""Texts that are cut into windows at once; between them an embedding can be cancelled, and others have their turn."""


class LocalModel(Protocol[W]):
    """A loaded model, used by one thread at a time."""

    def windows(self, text: str, is_query: bool) -> Sequence[tuple[W, int]]:
        """What covers the text and can be read at once, each with its number of tokens; nothing for a text without tokens.

        Args:
            text: Of any length, without lone surrogates.
            is_query: Whether it is a query or a document.
        """
        ...

    def embed(self, windows: Sequence[W], is_query: bool) -> NDArray[np.float32]:
        """Vectors of shape [len(windows), dimensions]."""
        ...


class LocalEmbedder(ABC, Generic[ModelT]):
    """Base of embedders whose model runs in this process; what derives from it adds `fingerprint`.

    One thread of its own loads the model at the first call, so that opening an index stays quick, and does one thing at a time. Windows of
    similar length share a batch, with little padding. A text's vector is the mean of those of its windows, weighted by their tokens.

    Args:
        name: Of the thread.
        batch_size: Windows that the model gets at once, at most; between batches an embedding can be cancelled, and others have their turn.
        batch_tokens: Tokens that it gets at once, at most, padding included; None for any number. A window that has more goes alone.
    """

    def __init__(self, name: str, batch_size: int, batch_tokens: int | None = None) -> None:
        self._batch_size = batch_size
        self._batch_tokens = batch_tokens
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)

    @property
    @abstractmethod
    def dimensions(self) -> int:
        """Length of a vector."""

    @abstractmethod
    def load(self) -> ModelT:
        """The model, imported and read; called once, in the thread.

        Raises:
            HierdocError: It cannot be loaded.
        """

    @cached_property
    def model(self) -> ModelT:
        """The loaded model; for the thread alone."""
        return self.load()

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32 of shape [len(texts), dimensions]; a row is 0 where a text has no tokens.

        Raises:
            HierdocError: The model cannot be loaded, or fails.
        """
        return await self._embed(texts, is_query=False)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """float32 of shape [dimensions]; 0 for a text without tokens.

        Raises:
            HierdocError: The model cannot be loaded, or fails.
        """
        return (await self._embed([text], is_query=True)).reshape(-1)

    async def aclose(self) -> None:
        """Let the thread end once it is done."""
        self._executor.shutdown(wait=False)

    def in_thread(self, work: Callable[[], T]) -> T:
        """What `work` gives in the model's thread, for plain calls from others."""
        return self._executor.submit(work).result()

    async def _embed(self, texts: Sequence[str], *, is_query: bool) -> NDArray[np.float32]:
        loop = asyncio.get_running_loop()
        parts: list[tuple[int, int, Any]] = []
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            some = texts[start : start + _TEXTS_AT_ONCE]
            parts += await loop.run_in_executor(self._executor, self._parts, some, start, is_query)
        parts.sort(key=lambda part: part[0])
        vectors = [
            np.zeros((0, self.dimensions), np.float32),
            *[
                await loop.run_in_executor(self._executor, self._vectors, batch, is_query)
                for batch in self._batches(parts)
            ],
        ]
        weights, owners = [part[0] for part in parts], [part[1] for part in parts]
        return await loop.run_in_executor(
            self._executor,
            lambda: combine_windows(np.concatenate(vectors), weights, owners, len(texts)),
        )

    def _batches(self, parts: Sequence[tuple[int, int, Any]]) -> list[list[Any]]:
        """Windows in lists that the model may get at once; the last of each is the longest, to which the others are padded."""
        batches: list[list[Any]] = []
        for tokens, _, window in parts:
            limit = self._batch_size
            if self._batch_tokens is not None:
                limit = min(limit, self._batch_tokens // max(tokens, 1))
            if not batches or len(batches[-1]) >= limit:
                batches.append([])
            batches[-1].append(window)
        return batches

    def _parts(
        self, texts: Sequence[str], first: int, is_query: bool
    ) -> list[tuple[int, int, Any]]:
        """Of each window its tokens, the number of its text, and itself."""
        return [
            (tokens, number, window)
            for number, text in enumerate(texts, first)
            for window, tokens in self.model.windows(without_surrogates(text), is_query)
        ]

    def _vectors(self, windows: Sequence[Any], is_query: bool) -> NDArray[np.float32]:
        model = self.model
        try:
            vectors = np.asarray(model.embed(windows, is_query), np.float32)
        except HierdocError:
            raise
        except Exception as error:  # the libraries' own are of many kinds
            raise HierdocError(f"embedder: the model fails: {error}") from error
        return checked_vectors(vectors, len(windows), self.dimensions)


def cut_windows(words: Sequence[int | None], size: int, overlap: int) -> list[range]:
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


def combine_windows(
    vectors: NDArray[np.float32], weights: Sequence[int], owners: Sequence[int], count: int
) -> NDArray[np.float32]:
    """One vector per text: the mean of its windows' vectors, weighted, brought to length 1; 0 for a text without windows.

    Args:
        vectors: float32 of shape [windows, dimensions].
        weights: For each window how many tokens it has.
        owners: For each window which text it belongs to.
        count: How many texts there are.

    Returns:
        float32 of shape [count, dimensions], each row of length 1 or 0.
    """
    sums = np.zeros((count, vectors.shape[1]), np.float64)
    np.add.at(sums, list(owners), vectors * np.asarray(weights, np.float64)[:, None])
    lengths: NDArray[np.float64] = np.linalg.norm(sums, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return (sums / lengths).astype(np.float32)


def checked_vectors(
    vectors: NDArray[np.float32], count: int, dimensions: int
) -> NDArray[np.float32]:
    """The vectors, if a model gave as many as it was asked for, of the right length, and all numbers are finite.

    Raises:
        ConfigError: They are of other dimensions.
        HierdocError: There are more or fewer, or one cannot be used.
    """
    if vectors.ndim != 2 or len(vectors) != count:
        raise HierdocError(f"embedder: the model gives {vectors.shape} numbers for {count} texts")
    if vectors.shape[1] != dimensions:
        raise ConfigError(
            f"embedder: the model gives vectors of {vectors.shape[1]}, not {dimensions} dimensions"
        )
    if not (np.isfinite(vectors).all() and vectors.any(axis=1).all()):
        raise HierdocError("embedder: the model gives a vector that is 0 or not finite")
    return vectors


def without_surrogates(text: str) -> str:
    """The text with `?` for lone surrogates, which neither tokenizers nor UTF-8 take."""
    return text.encode("utf-8", "replace").decode()


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
