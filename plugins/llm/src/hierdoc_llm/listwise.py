"""The reranker that reads hits: a chat model puts a window of them in order, from the last to the first.

Of more hits than a window holds, each window begins in the middle of the one before, so the best of all rise to the top (Sun et al.,
"Is ChatGPT Good at Search?", EMNLP 2023).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hierdoc import Hit, Usage
from hierdoc_llm import HitsConfig
from hierdoc_llm.asking import ModelReranker, shortened
from hierdoc_remote.chat import ChatModel, filled

_PLACE, _AROUND = 4, 20
"""Tokens of an answer for each place, and around all of them."""


class LlmReranker(ModelReranker):
    """Asks for an order of the hits. Its scores tell the order alone.

    Args:
        config: What is shown, and how.
        chat: Whom.
    """

    def __init__(self, config: HitsConfig, chat: ChatModel) -> None:
        super().__init__(config, chat)
        self._prompt = config.prompt
        self._window, self._tokens = config.hits, config.hit_tokens

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Sequence[Hit]:
        """The best `limit` of these hits, those of equal texts beside each other.

        Raises:
            HierdocError: The model cannot be asked, or its answer is none.
        """
        shown = [shortened(hit.chunk.indexed_text, self._tokens) for hit in hits]
        order = await self._ordered(query, list(dict.fromkeys(shown)))
        score = {text: 1 - place / len(order) for place, text in enumerate(order)}
        scored = [replace(hit, score=score[text]) for hit, text in zip(hits, shown, strict=True)]
        return sorted(scored, key=lambda hit: -hit.score)[:limit]

    def estimate(self, hits: int, hit_tokens: int) -> Usage:
        """What one call with so many hits of so many tokens asks for, at most."""
        if hits < 2:
            return Usage()
        sizes, start = [min(hits, self._window)], max(0, hits - self._window)
        while start:
            start = max(0, start - self._window // 2)
            sizes.append(self._window)
        shown = min(hit_tokens, self._tokens) + _PLACE
        usages = (
            self._of_request(self._prompt, size * shown, size * _PLACE + _AROUND) for size in sizes
        )
        return sum(usages, Usage())

    async def _ordered(self, query: str, texts: list[str]) -> list[str]:
        """All texts, best first."""
        if len(texts) < 2:
            return texts
        start = max(0, len(texts) - self._window)
        while True:
            window = texts[start : start + self._window]
            texts[start : start + self._window] = await self._ranked(query, window)
            if not start:
                return texts
            start = max(0, start - self._window // 2)

    async def _ranked(self, query: str, texts: Sequence[str]) -> list[str]:
        excerpts = "\n".join(f"[{number}] {text}" for number, text in enumerate(texts, start=1))
        prompt = filled(self._prompt, query=query, excerpts=excerpts)
        numbers = range(1, len(texts) + 1)
        schema = {
            "type": "object",
            "properties": {
                "order": {"type": "array", "items": {"type": "integer", "enum": list(numbers)}}
            },
            "required": ["order"],
            "additionalProperties": False,
        }

        def read(answer: Mapping[str, Any]) -> list[int]:
            order = [number for number in answer["order"] if type(number) is int]
            if not order or len(order) < len(answer["order"]) or set(order) - set(numbers):
                raise ValueError(order)
            return order

        order = await self._ask(prompt, schema, read)
        # What the model left out keeps its order, behind the others.
        return [texts[number - 1] for number in dict.fromkeys((*order, *numbers))]
