"""Azure AI Search for hierdoc: a vector backend with native hybrid search, and a keyword backend."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from pydantic import Field, field_validator

from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    HeaderSecret,
    Language,
    LocalPath,
    Operational,
    Provider,
    ProviderConfig,
    hookimpl,
    server_url,
)

if TYPE_CHECKING:
    from hierdoc_azure_ai_search.backend import AzureKeywordBackend, AzureVectorBackend


class AzureConfig(ProviderConfig):
    """BM25 in Azure AI Search."""

    capabilities = ALL_FILTERS | {Capability.PHRASES, Capability.PERSISTENT}

    provider: Literal["azure-ai-search"] = "azure-ai-search"
    url: Operational[str] = Field(
        description="The search service, as in https://NAME.search.windows.net."
    )
    api_key: Operational[HeaderSecret] = Field(description="An admin key of the service.")
    ca_certs: Operational[LocalPath | None] = Field(
        None,
        description="PEM file with the authorities that vouch for the service; null for the usual ones.",
    )
    collection: str = Field(
        "hierdoc",
        pattern=r"^[a-z0-9]([a-z0-9-]{0,98}[a-z0-9])?$",
        description="Begins the names of the indexes, one for each corpus and backend: small letters, digits and hyphens.",
    )
    language: Language = Field("auto", description="How words are stemmed.")
    k1: float = Field(1.2, ge=0, description="How soon repetitions of a term stop counting.")
    b: float = Field(0.75, ge=0, le=1, description="How much long chunks are held back.")
    batch_size: Operational[int] = Field(
        500, ge=1, le=1000, description="Records written in one request, at most."
    )
    visible_within: Operational[float] = Field(
        60,
        gt=0,
        description="Seconds that searches may take to show what was written, before an answer is given up.",
    )
    timeout: Operational[float] = Field(
        30, gt=0, description="Seconds that the service may take for one request."
    )
    retries: Operational[int] = Field(
        3, ge=0, le=20, description="Further attempts where the service is busy or does not answer."
    )

    @field_validator("url")
    @classmethod
    def _plain_url(cls, url: str) -> str:
        return server_url(url)


class AzureVectorConfig(AzureConfig):
    """Vectors and BM25 in Azure AI Search; native hybrid."""

    capabilities = ALL_FILTERS | {Capability.NATIVE_HYBRID, Capability.PERSISTENT}

    index: Literal["hnsw", "flat"] = Field(
        "hnsw",
        description="Of a new index: an approximate graph, or none: every vector is compared.",
    )
    m: int = Field(10, ge=4, le=10, description="Links of a vector in a new index's graph.")
    ef_construction: int = Field(
        400,
        ge=100,
        le=1000,
        description="Candidates examined for each vector that enters the graph.",
    )
    ef: int = Field(
        500, ge=100, le=1000, description="Candidates examined in a search of a new index's graph."
    )
    semantic_ranker: bool = Field(
        False,
        description="Let Azure's semantic ranker order the best 50 of a hybrid search again; it is paid for apart.",
    )


def _open_keyword(config: AzureConfig) -> AzureKeywordBackend:
    from hierdoc_azure_ai_search.backend import AzureKeywordBackend

    return AzureKeywordBackend(config)


def _open_vector(config: AzureVectorConfig) -> AzureVectorBackend:
    from hierdoc_azure_ai_search.backend import AzureVectorBackend

    return AzureVectorBackend(config)


async def _check(config: AzureConfig) -> str:
    """Raise where the service does not answer or refuses the key; else say which indexes there are."""
    import asyncio

    from hierdoc_azure_ai_search.service import check

    return await asyncio.to_thread(check, config)


@hookimpl
def hierdoc_keyword_backends() -> Iterable[Provider[AzureConfig, AzureKeywordBackend]]:
    """The keyword backend `azure-ai-search`."""
    yield Provider(AzureConfig, _open_keyword, _check)


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[AzureVectorConfig, AzureVectorBackend]]:
    """The vector backend `azure-ai-search`."""
    yield Provider(AzureVectorConfig, _open_vector, _check)
