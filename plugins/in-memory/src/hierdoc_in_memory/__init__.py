"""Stores in memory for hierdoc: vectors searched exactly and BM25, gone at the end of the process.

`hierdoc_in_memory.keyword.KeywordIndex` is the keyword half on its own, over any pairs of id and text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from hierdoc.plugin import ALL_FILTERS, Capability, Language, Provider, ProviderConfig, hookimpl


class InMemoryVectorConfig(ProviderConfig):
    """Records and vectors in memory, searched exactly, gone at the end."""

    capabilities = ALL_FILTERS | {Capability.ATOMIC_REPLACE}

    provider: Literal["in-memory"] = "in-memory"


class InMemoryKeywordConfig(ProviderConfig):
    """BM25 in memory, any k1 and b, gone at the end."""

    capabilities = ALL_FILTERS | {Capability.PHRASES}

    provider: Literal["in-memory"] = "in-memory"
    k1: float = Field(1.5, ge=0, description="How soon repetitions of a term stop counting.")
    b: float = Field(0.75, ge=0, le=1, description="How much long chunks are held back.")
    variant: Literal["lucene", "okapi"] = Field(
        "lucene", description="Lucene's and Tantivy's formula, or that of rank_bm25.BM25Okapi."
    )
    language: Language = Field("auto", description="How words are stemmed.")


def _open_vectors(config: InMemoryVectorConfig) -> Any:
    from hierdoc_in_memory.vector import InMemoryVectorBackend

    return InMemoryVectorBackend()


def _open_keywords(config: InMemoryKeywordConfig) -> Any:
    from hierdoc_in_memory.keyword import InMemoryKeywordBackend

    return InMemoryKeywordBackend(config.k1, config.b, config.variant, config.language)


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[Any, Any]]:
    """The vector backend `in-memory`."""
    yield Provider(InMemoryVectorConfig, _open_vectors)


@hookimpl
def hierdoc_keyword_backends() -> Iterable[Provider[Any, Any]]:
    """The keyword backend `in-memory`."""
    yield Provider(InMemoryKeywordConfig, _open_keywords)
