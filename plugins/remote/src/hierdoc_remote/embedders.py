"""Embedders behind an API: texts in windows that the model reads, windows in requests that the server takes."""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierdoc import ConfigError, EmbeddingError, HierdocError, Usage
from hierdoc.plugin import (
    SupportsClose,
    checked_vectors,
    combine_windows,
    cut_windows,
    without_surrogates,
)
from hierdoc.text.language import estimate_tokens, fits
from hierdoc_remote import EmbeddingConfig
from hierdoc_remote.account import Account, CostLimitError
from hierdoc_remote.cache import DiskCache, cache_key
from hierdoc_remote.patience import RequestRefusedError

_VERSION = 1
"""Counts the changes to this plugin that change vectors."""

_SPARE = 0.9
"""Of the tokens that the model reads, those that a window may have by estimate, which is too low for one text of a hundred."""

_NUMBERS_AT_ONCE = 100_000
"""Numbers in one response, which are read without letting others run."""

_WORD = re.compile(r"\s*\S+\s*")


@dataclass(frozen=True)
class _Window:
    """A part of a text, with its prefix.

    Attributes:
        owner: The number of the text.
        text: What is sent.
        tokens: By estimate, the prefix not included.
        key: In the cache.
    """

    owner: int
    text: str
    tokens: int
    key: str


class RemoteEmbedder(ABC):
    """Base of embedders behind an API.

    Args:
        config: Which model, and how it is asked.
        endpoint: What is closed with the embedder, such as connections.
        dimensions: Length of the vectors.

    Attributes:
        fingerprint: Of the model's name and all settings that count.
        dimensions: As given.

    Raises:
        ConfigError: A prefix leaves no room for a text.
    """

    def __init__(
        self, config: EmbeddingConfig, endpoint: SupportsClose | None, dimensions: int
    ) -> None:
        self._config = config
        self._closed_with_it = endpoint
        self._cache = DiskCache(config.cache_path / "embeddings.sqlite")
        self._account = Account(config.provider, config.prices, config.max_cost)
        self.dimensions = dimensions
        self.fingerprint = f"{config.provider}:{cache_key(_VERSION, config.output_settings())[:16]}"
        for prefix in (config.query_prefix, config.document_prefix):
            if self._size(prefix) < config.max_tokens // 4:
                raise ConfigError(
                    f"embedder: {config.max_tokens} tokens leave no room for a text behind the prefix {prefix!r}",
                    hint="Raise `max_tokens` or shorten the prefix.",
                )

    @abstractmethod
    async def request(self, texts: Sequence[str], *, is_query: bool) -> Any:
        """What the server answers to a request for the vectors of these texts.

        Raises:
            HierdocError: It cannot be asked.
        """

    @abstractmethod
    def read(self, answer: Any) -> NDArray[np.float32]:
        """The vectors in an answer, in the order of the texts.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: It holds none.
        """

    @abstractmethod
    def tokens(self, answer: Any) -> int | None:
        """The tokens that the server says it has read for an answer; None where it does not say.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: It says what is no number.
        """

    @property
    def usage(self) -> Usage:
        """What was asked for since the embedder was opened, queries not included; tokens by estimate where the server counts none."""
        return self._account.usage

    @property
    def max_cost(self) -> float | None:
        """What may be spent while it is open; None for anything."""
        return self._config.max_cost

    async def estimate(self, texts: Sequence[str]) -> Usage:
        """What `embed_documents` would ask for; what the cache holds is left out."""
        _, _, batches = await self._asked_for(texts)
        return self._priced(batches)

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32 of shape [len(texts), dimensions]; a row of blank text is 0.

        What the cache holds is not asked for again; what comes is kept at once.

        Raises:
            EmbeddingError: The server refuses a text, or `max_cost` would be exceeded.
            HierdocError: The server cannot be asked, or what it gives cannot be used.
        """
        windows, held, batches = await self._asked_for(texts)
        vectors = {key: np.frombuffer(value, "<f4") for key, value in held.items()}
        if batches:
            try:
                self._account.require_budget(self._priced(batches).cost or 0.0)
            except CostLimitError as error:
                raise EmbeddingError(str(error), hint=error.hint) from error
        for some in await _all(self._fetched(batch) for batch in batches):
            vectors.update(some)
        return await asyncio.to_thread(self._joined, windows, vectors, len(texts))

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """float32 of shape [dimensions]; 0 for blank text. Queries are not kept on disk.

        Raises:
            EmbeddingError: The server refuses the text.
            HierdocError: The server cannot be asked, or what it gives cannot be used.
        """
        config = self._config
        windows = await asyncio.to_thread(self._windows, [text], config.query_prefix)
        batches = self._batches(windows)
        found = await _all(self._ask(batch, is_query=True) for batch in batches)
        vectors = {
            window.key: vector
            for batch, rows in zip(batches, found, strict=True)
            for window, vector in zip(batch, rows, strict=True)
        }
        return self._joined(windows, vectors, 1).reshape(-1)

    async def _asked_for(
        self, texts: Sequence[str]
    ) -> tuple[list[_Window], dict[str, bytes], list[list[_Window]]]:
        """The windows of documents, what the cache holds of them by key, and the requests for the others."""
        windows = await asyncio.to_thread(self._windows, texts, self._config.document_prefix)
        held = await self._cache.get([window.key for window in windows])
        missing = {one.key: one for one in windows if one.key not in held}
        return windows, held, self._batches(list(missing.values()))

    def _priced(self, batches: Sequence[Sequence[_Window]]) -> Usage:
        """What requests take, by estimate."""
        prefix = estimate_tokens(self._config.document_prefix)
        tokens = sum(prefix + window.tokens for batch in batches for window in batch)
        return self._account.priced(Usage(len(batches), tokens))

    async def aclose(self) -> None:
        """Close connections and cache."""
        if self._closed_with_it is not None:
            await self._closed_with_it.aclose()
        await self._cache.aclose()

    def _windows(self, texts: Sequence[str], prefix: str) -> list[_Window]:
        size = self._size(prefix)
        return [
            _Window(owner, prefix + part, tokens, cache_key(self.fingerprint, prefix + part))
            for owner, text in enumerate(texts)
            for part, tokens in _parts(_clean(text), size)
        ]

    def _size(self, prefix: str) -> int:
        """How many tokens of a text a window has room for, by estimate."""
        return int(_SPARE * self._config.max_tokens) - estimate_tokens(prefix)

    def _batches(self, windows: Sequence[_Window]) -> list[list[_Window]]:
        """The windows in order, in lists that one request may hold."""
        most = max(1, min(self._config.batch_size, _NUMBERS_AT_ONCE // self.dimensions))
        batches: list[list[_Window]] = []
        tokens = 0
        for window in windows:
            tokens += window.tokens
            if not batches or len(batches[-1]) == most or tokens > self._config.batch_tokens:
                batches.append([])
                tokens = window.tokens
            batches[-1].append(window)
        return batches

    async def _fetched(self, batch: Sequence[_Window]) -> dict[str, NDArray[np.float32]]:
        rows = await self._ask(batch, is_query=False)
        found = {window.key: row for window, row in zip(batch, rows, strict=True)}
        await self._cache.put({key: row.astype("<f4").tobytes() for key, row in found.items()})
        return found

    async def _ask(self, batch: Sequence[_Window], *, is_query: bool) -> NDArray[np.float32]:
        try:
            answer = await self.request([window.text for window in batch], is_query=is_query)
        except RequestRefusedError as error:
            raise EmbeddingError(str(error), hint=error.hint) from error
        try:
            tokens = int(self.tokens(answer) or 0)
            vectors = self.read(answer)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise HierdocError(
                f"embedder: the server's answer holds no vectors: {type(error).__name__}: {error}",
                hint="Check `base_url` and `model`: is it a model for embeddings?",
            ) from error
        if not is_query:
            self._account.add(Usage(1, tokens) if tokens else self._priced([batch]))
        return checked_vectors(vectors, len(batch), self.dimensions)

    def _joined(
        self, windows: Sequence[_Window], vectors: Mapping[str, NDArray[np.float32]], count: int
    ) -> NDArray[np.float32]:
        rows = np.zeros((len(windows), self.dimensions), np.float32)
        for row, window in zip(rows, windows, strict=True):
            vector = vectors[window.key]
            row[:] = vector / np.linalg.norm(vector)
        return combine_windows(
            rows, [one.tokens for one in windows], [one.owner for one in windows], count
        )


async def _all(calls: Any) -> list[Any]:
    """What they give; where one fails, the others end."""
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _clean(text: str) -> str:
    """The text as JSON and servers take it, "" if it is blank."""
    return without_surrogates(text).replace("\0", " ").strip()


def _parts(text: str, size: int) -> Iterator[tuple[str, int]]:
    """The text in windows of at most so many tokens by estimate, each with them."""
    if not text:
        return
    if fits(text, size):
        yield text, max(1, estimate_tokens(text))
        return
    starts: list[int] = []
    words: list[int] = []
    for number, word in enumerate(_WORD.finditer(text)):
        tokens = max(1, estimate_tokens(word.group()))
        length = word.end() - word.start()
        starts += [word.start() + place * length // tokens for place in range(tokens)]
        words += [number] * tokens
    ends = [*starts[1:], len(text)]
    for window in cut_windows(words, size, size // 8):
        yield text[starts[window.start] : ends[window.stop - 1]], len(window)
