"""BM25 by the rank_bm25 library, for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from hierdoc.plugin import ALL_FILTERS, Provider, ProviderConfig, hookimpl

if TYPE_CHECKING:
    from hierdoc_rank_bm25.backend import RankBm25Backend


class RankBm25Config(ProviderConfig):
    """BM25 by the rank_bm25 library, in memory, gone at the end."""

    capabilities = ALL_FILTERS

    provider: Literal["rank-bm25"] = "rank-bm25"
    k1: float = Field(1.5, gt=0, description="How soon repetitions of a term stop counting.")
    b: float = Field(0.75, ge=0, le=1, description="How much long chunks are held back.")
    epsilon: float = Field(
        0.25,
        ge=0,
        description="Terms that half of the chunks hold or more get this share of the average idf.",
    )


def _open(config: RankBm25Config) -> RankBm25Backend:
    from hierdoc_rank_bm25.backend import RankBm25Backend

    return RankBm25Backend(k1=config.k1, b=config.b, epsilon=config.epsilon)


@hookimpl
def hierdoc_keyword_backends() -> Iterable[Provider[RankBm25Config, RankBm25Backend]]:
    """The keyword backend `rank-bm25`."""
    yield Provider(RankBm25Config, _open)
