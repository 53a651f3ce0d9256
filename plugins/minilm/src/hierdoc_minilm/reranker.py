"""Late interaction: query and hit compared token by token (MaxSim; Khattab and Zaharia, "ColBERT", SIGIR 2020).

The model was not trained for it, but its vectors of tokens know their surroundings. Of each token of the query the most similar token of a hit counts,
the more the fewer of the hits have that token. What comes out is joined to the fusion's scores: by itself it orders worse than they do.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections import Counter, OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hierdoc import Hit
from hierdoc.plugin import without_surrogates
from hierdoc_minilm import LateInteractionConfig
from hierdoc_minilm.model import DIMENSIONS, Model, load_tokenizer

_HITS_AT_ONCE = 4
"""Between so many hits a search can be cancelled, and others have their turn."""

_QUERY_WINDOWS = 4
"""Of a longer query the first so many are read."""


@dataclass(frozen=True)
class _Tokens:
    """What the model makes of a text.

    Attributes:
        ids: Of its tokens.
        vectors: float16 of shape [tokens, 384], rows of length 1.
    """

    ids: tuple[int, ...]
    vectors: NDArray[np.float16]


class LateInteractionReranker:
    """Reranks by the model's vectors of tokens. One thread of its own loads the model at the first call, and does one thing at a time.

    What was read stays in memory, so a hit that comes up again costs next to nothing, also where the search that read it ran out of time.

    Args:
        config: How.
    """

    def __init__(self, config: LateInteractionConfig) -> None:
        self._threads = config.threads or os.cpu_count() or 1
        self._weight = config.weight
        self._kept = _Kept(config.memory * 1_000_000)
        self._executor = ThreadPoolExecutor(1, "hierdoc-late-interaction")

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Sequence[Hit]:
        """The best `limit` of these hits.

        Raises:
            HierdocError: The model cannot be loaded.
        """
        loop = asyncio.get_running_loop()
        asked = await loop.run_in_executor(self._executor, self._query, query)
        known: list[frozenset[int]] = []
        nearest = []
        for start in range(0, len(hits), _HITS_AT_ONCE):
            texts = [hit.chunk.indexed_text for hit in hits[start : start + _HITS_AT_ONCE]]
            compared = await loop.run_in_executor(self._executor, self._compared, asked, texts)
            for ids, similarities in compared:
                known.append(ids)
                nearest.append(similarities)
        if not nearest:
            return []
        similar = np.stack(nearest) @ _rarity(asked.ids, known)
        fused = np.array([hit.score for hit in hits])
        scores = (1 - self._weight) * _standard(fused) + self._weight * _standard(similar)
        scored = [replace(hit, score=float(one)) for hit, one in zip(hits, scores, strict=True)]
        return sorted(scored, key=lambda hit: -hit.score)[:limit]

    async def aclose(self) -> None:
        """Let the thread end once it is done."""
        self._executor.shutdown(wait=False)

    @cached_property
    def _model(self) -> Model:
        return Model(load_tokenizer(), self._threads)

    def _query(self, query: str) -> _Tokens:
        return self._read(query, _QUERY_WINDOWS)

    def _compared(
        self, asked: _Tokens, texts: Sequence[str]
    ) -> list[tuple[frozenset[int], NDArray[np.float32]]]:
        """Of each text its tokens and, for each token of the query, the similarity of the nearest."""
        wanted = asked.vectors.astype(np.float32)
        found = []
        for text in texts:
            key = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
            tokens = self._kept.get(key) or self._kept.put(key, self._read(text))
            similarities = np.zeros(len(wanted), np.float32)
            if tokens.ids and asked.ids:
                similarities = (wanted @ tokens.vectors.astype(np.float32).T).max(axis=1)
            found.append((frozenset(tokens.ids), similarities))
        return found

    def _read(self, text: str, most: int | None = None) -> _Tokens:
        """All tokens of a text, or those of its first windows, where windows overlap each as often as it is read."""
        windows = [ids for ids, _ in self._model.windows(without_surrogates(text), False)][:most]
        vectors = [np.zeros((0, DIMENSIONS), np.float32), *self._model.token_vectors(windows)]
        ids = [int(one) for window in windows for one in window[1:-1]]
        return _Tokens(tuple(ids), np.concatenate(vectors).astype(np.float16))


class _Kept:
    """What was read of texts, the latest used up to so many bytes.

    Args:
        most: Bytes.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = 0
        self._held: OrderedDict[bytes, _Tokens] = OrderedDict()

    def get(self, key: bytes) -> _Tokens | None:
        if key in self._held:
            self._held.move_to_end(key)
        return self._held.get(key)

    def put(self, key: bytes, tokens: _Tokens) -> _Tokens:
        """Keep it, unless it alone is too much; gives it back."""
        self._held[key] = tokens
        self._bytes += tokens.vectors.nbytes
        while self._bytes > self._most:
            _, dropped = self._held.popitem(last=False)
            self._bytes -= dropped.vectors.nbytes
        return tokens


def _rarity(asked: Sequence[int], known: Sequence[frozenset[int]]) -> NDArray[np.float32]:
    """How much each token of the query counts, together 1: the more the fewer hits have it."""
    holders = Counter(one for ids in known for one in ids.intersection(asked))
    weights = np.log(1 + len(known) / (1 + np.array([holders[one] for one in asked], np.float32)))
    return np.asarray(weights / max(weights.sum(), 1e-9), np.float32)


def _standard(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """The scores with mean 0 and deviation 1; all 0 where they are the same."""
    spread = float(scores.std())
    return (scores - scores.mean()) / spread if spread > 1e-9 else np.zeros(len(scores))
