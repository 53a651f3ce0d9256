"""The reranker: each hit in windows that the model reads beside the query; the best window counts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from hierdoc import HierdocError, Hit
from hierdoc.plugin import cut_windows, without_surrogates
from hierdoc_cross_encoder import CrossEncoderConfig

_MOST = 512
"""Tokens of a pair for a model that does not say how many it reads."""

_SPECIAL = 4
"""Tokens that separate query and text, at most."""


class CrossEncoderReranker:
    """Reranks by a cross-encoder. One thread of its own loads the model at the first call, and does one thing at a time.

    Args:
        config: Which, and how.
    """

    def __init__(self, config: CrossEncoderConfig) -> None:
        self._config = config
        self._executor = ThreadPoolExecutor(1, "hierdoc-cross-encoder")

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Sequence[Hit]:
        """The best `limit` of these hits.

        Raises:
            HierdocError: The model cannot be loaded, fails, or gives no score.
        """
        if not hits:
            return []
        query = without_surrogates(query)
        texts = [without_surrogates(hit.chunk.indexed_text) for hit in hits]
        loop = asyncio.get_running_loop()
        pairs = await loop.run_in_executor(self._executor, self._pairs, query, texts)
        best = [-np.inf] * len(hits)
        size = self._config.batch_size
        for start in range(0, len(pairs), size):  # between batches a call can be cancelled
            some = pairs[start : start + size]
            scores = await loop.run_in_executor(self._executor, self._scores, some)
            for (owner, _, _), score in zip(some, scores, strict=True):
                best[owner] = max(best[owner], score)
        scored = [replace(hit, score=score) for hit, score in zip(hits, best, strict=True)]
        return sorted(scored, key=lambda hit: -hit.score)[:limit]

    async def aclose(self) -> None:
        """Let the thread end once it is done."""
        self._executor.shutdown(wait=False)

    @cached_property
    def _model(self) -> Any:
        from sentence_transformers import CrossEncoder

        try:
            model = CrossEncoder(self._config.model, device=self._config.device)
        except Exception as error:  # the library's own are of many kinds
            raise HierdocError(
                f"cross-encoder: {self._config.model} cannot be loaded: {error}",
                hint="`model` is a folder, or a name on the hub, which needs the network at the first use.",
            ) from error
        if model.config.num_labels != 1:
            raise HierdocError(
                f"cross-encoder: {self._config.model} gives {model.config.num_labels} scores for a pair",
                hint="Take a model for reranking, which gives one.",
            )
        # What older versions of the library call `max_length` would warn in later ones.
        name = "max_seq_length" if hasattr(type(model), "max_seq_length") else "max_length"
        setattr(model, name, self._limit(model))
        return model

    def _limit(self, model: Any) -> int:
        read = getattr(model.config, "max_position_embeddings", None) or _MOST
        most = min(read, model.tokenizer.model_max_length or read)
        return min(self._config.max_tokens or most, most)

    def _pairs(self, query: str, texts: Sequence[str]) -> list[tuple[int, str, str]]:
        """Windows of the texts beside the query, shortest first, each with the number of its text."""
        model = self._model
        tokenizer, most = model.tokenizer, self._limit(model)
        asked = tokenizer(query, add_special_tokens=False, verbose=False)["input_ids"]
        # Of a long query half of what the model reads is enough.
        query = query if len(asked) <= most // 2 else tokenizer.decode(asked[: most // 2])
        room = most - min(len(asked), most // 2) - _SPECIAL
        pairs = []
        for owner, text in enumerate(texts):
            read = tokenizer(
                text, add_special_tokens=False, return_offsets_mapping=True, verbose=False
            )
            spans = read["offset_mapping"]
            for window in cut_windows(read.word_ids(), room, room // 8):
                part = text[spans[window[0]][0] : spans[window[-1]][1]] if len(window) else text
                pairs.append((len(window), (owner, query, part)))
        return [pair for _, pair in sorted(pairs, key=lambda one: one[0])]

    def _scores(self, pairs: Sequence[tuple[int, str, str]]) -> list[float]:
        try:
            given = self._model.predict(
                [(query, text) for _, query, text in pairs],
                batch_size=len(pairs),
                show_progress_bar=False,
            )
        except HierdocError:
            raise
        except Exception as error:  # the library's own are of many kinds
            raise HierdocError(f"cross-encoder: the model fails: {error}") from error
        scores = [float(score) for score in given]
        if len(scores) != len(pairs) or not np.isfinite(scores).all():
            raise HierdocError("cross-encoder: the model gives a score that is not finite")
        return scores
