"""Reranking: the best hits, ordered again with a closer look."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from hierdoc.config.models import RerankSettings
from hierdoc.models import Hit
from hierdoc.plugin.protocols import Reranker


async def reranked(
    reranker: Reranker, query: str, hits: Sequence[Hit], limit: int, settings: RerankSettings
) -> list[Hit]:
    """The best `limit` hits: what is certain as it was, then the others in the reranker's order.

    Args:
        reranker: Asked once for each batch; the scores of several batches are compared with each other.
        query: As the user wrote it.
        hits: Best first.
        limit: How many to return.
        settings: Size of a batch, and patience.

    Raises:
        TimeoutError: It took longer than `settings.timeout` seconds.
    """
    certain = [hit for hit in hits if hit.certain]
    others = [hit for hit in hits if not hit.certain]
    try:
        ordered = await asyncio.wait_for(
            _in_batches(reranker, query, others, limit, settings.batch_size), settings.timeout
        )
    except asyncio.TimeoutError as error:  # another class before Python 3.11
        raise TimeoutError(f"it took longer than {settings.timeout:g} seconds") from error
    return [*certain, *ordered][:limit]


async def _in_batches(
    reranker: Reranker, query: str, hits: Sequence[Hit], limit: int, size: int | None
) -> list[Hit]:
    if size is None or len(hits) <= size:
        return list(await reranker.rerank(query, hits, limit))
    ordered: list[Hit] = []
    for start in range(0, len(hits), size):
        ordered += await reranker.rerank(query, hits[start : start + size], limit)
    return sorted(ordered, key=lambda hit: (-hit.score, hit.chunk.id))[:limit]
