"""The reranker: texts in requests that the server takes, and its score for each."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hierdoc import HierdocError, Hit, Usage
from hierdoc.plugin import without_surrogates
from hierdoc_cohere import SERVERS, CohereConfig
from hierdoc_remote.chat import bearer
from hierdoc_remote.endpoint import Endpoint

_AT_ONCE = {"tei": 32}
"""Texts that a server takes in one request unless it is told otherwise; others take 100, which Cohere bills as one search."""

_BILLED_TOGETHER = 100
"""Texts that Cohere bills as one search, at most."""

_QUERY = 50
"""Tokens of a query, for estimates."""

_FIELDS: dict[str, dict[str, Any]] = {
    "jina": {"return_documents": False},
    "tei": {"truncate": True},
}
"""What requests have besides model, query and texts."""


class CohereReranker:
    """Asks a server for the relevance of each text; its scores are the server's.

    Args:
        config: Which, and how.

    Attributes:
        usage: What was asked for since the reranker was opened; tokens where the server counts them, else none.
    """

    def __init__(self, config: CohereConfig) -> None:
        self._config = config
        server = config.base_url or SERVERS[config.api]
        self._endpoint = Endpoint(
            config.model_copy(update={"base_url": server}), bearer(config), config.concurrency
        )
        self._size = config.batch_size or _AT_ONCE.get(config.api, 100)
        self.usage = Usage()

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Sequence[Hit]:
        """The best `limit` of these hits.

        Raises:
            HierdocError: The server cannot be asked, or what it gives cannot be used.
        """
        texts = [_clean(hit.chunk.indexed_text) for hit in hits]
        batches = [texts[start : start + self._size] for start in range(0, len(texts), self._size)]
        found = await asyncio.gather(*(self._ask(_clean(query), batch) for batch in batches))
        scores = [score for some in found for score in some]
        scored = [replace(hit, score=score) for hit, score in zip(hits, scores, strict=True)]
        return sorted(scored, key=lambda hit: -hit.score)[:limit]

    def estimate(self, hits: int, hit_tokens: int) -> Usage:
        """What one call with so many hits of so many tokens asks for, at most; each is read with the query."""
        sizes = [min(self._size, hits - start) for start in range(0, hits, self._size)]
        usage = Usage(len(sizes), hits * (_QUERY + hit_tokens))
        return self._priced(usage, sum(map(_searches, sizes)))

    async def aclose(self) -> None:
        """Close all connections."""
        await self._endpoint.aclose()

    async def _ask(self, query: str, texts: Sequence[str]) -> list[float]:
        """The score of each text."""
        api, model = self._config.api, self._config.model
        body = {
            **({"model": model} if model else {}),
            "query": query,
            "texts" if api == "tei" else "documents": texts,
            **_FIELDS.get(api, {}),
            **self._config.extra,
        }
        answer = await self._endpoint.post("/rerank", body)
        try:
            tokens, searches = _billed(answer)
            self.usage += self._priced(
                Usage(1, tokens), _searches(len(texts)) if searches is None else searches
            )
            return _scores(answer, len(texts))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise HierdocError(
                f"cohere: the server's answer holds no score for each text: {type(error).__name__}: {error}",
                hint="Check `base_url`, `api` and `model`: is it a reranker?",
            ) from error

    def _priced(self, usage: Usage, searches: int) -> Usage:
        """The usage with its cost, where there are prices."""
        prices = self._config.prices
        return replace(usage, cost=prices.cost(usage, searches)) if prices else usage


def _searches(texts: int) -> int:
    """As how many searches Cohere bills a request."""
    return -(-texts // _BILLED_TOGETHER)


def _billed(answer: Any) -> tuple[int, int | None]:
    """Tokens and searches that a server says it counts, 0 and None where it does not say."""
    if not isinstance(answer, dict):
        return 0, None
    billed = (answer.get("meta") or {}).get("billed_units") or {}
    tokens = (answer.get("usage") or {}).get("total_tokens") or 0
    searches = billed.get("search_units")
    return int(tokens), None if searches is None else int(searches)


def _scores(answer: Any, count: int) -> list[float]:
    """The scores of a response in the order of the texts."""
    if not isinstance(answer, list):
        answer = answer["results"] if "results" in answer else answer["data"]
    scores = {
        row["index"]: float(row["relevance_score"] if "relevance_score" in row else row["score"])
        for row in answer
    }
    if len(answer) != count or not all(map(math.isfinite, scores.values())):
        raise ValueError(f"{len(answer)} for {count}, or one that is not finite")
    return [scores[number] for number in range(count)]


def _clean(text: str) -> str:
    """The text as JSON and servers take it: none takes an empty one."""
    return without_surrogates(text).replace("\0", " ").strip() or "-"
