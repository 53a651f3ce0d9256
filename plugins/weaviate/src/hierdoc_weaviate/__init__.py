"""Weaviate for hierdoc: a vector backend with native hybrid search, and a keyword backend."""

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
    from hierdoc_weaviate.keyword import WeaviateKeywordBackend
    from hierdoc_weaviate.vector import WeaviateVectorBackend


class WeaviateConfig(ProviderConfig):
    """BM25 in a Weaviate."""

    capabilities = ALL_FILTERS | {Capability.PERSISTENT, Capability.MULTI_PROCESS}

    provider: Literal["weaviate"] = "weaviate"
    url: Operational[str] = Field(
        "http://localhost:8080", description="The REST interface, as in https://host:8080."
    )
    grpc_url: Operational[str | None] = Field(
        None,
        description="The gRPC interface, as in https://host:50051; null for port 50051 of the host in `url` or, for one of "
        "Weaviate Cloud, the one that belongs to it.",
    )
    api_key: Operational[HeaderSecret | None] = Field(
        None, description="An API key or a token, sent as `Authorization: Bearer ...`."
    )
    ca_certs: Operational[LocalPath | None] = Field(
        None,
        description="PEM file with the authorities that vouch for the server; null for the usual ones.",
    )
    collection: str = Field(
        "Hierdoc",
        pattern=r"^[A-Za-z][A-Za-z0-9_]{0,99}$",
        description="Begins the names of the collections, one for each backend: letters, digits and underscores. The first "
        "letter becomes a capital.",
    )
    tenant: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9_-]{1,64}$",
        description="A tenant of the collection, which then has one for each corpus: letters, digits, hyphens and underscores.",
    )
    language: Language = Field("auto", description="How words are stemmed.")
    k1: float = Field(1.2, ge=0, description="How soon repetitions of a term stop counting.")
    b: float = Field(0.75, ge=0, le=1, description="How much long chunks are held back.")
    batch_size: Operational[int] = Field(
        200, ge=1, le=10_000, description="Records written in one request, at most."
    )
    timeout: Operational[float] = Field(
        30, gt=0, description="Seconds that the server may take for one request."
    )
    retries: Operational[int] = Field(
        3, ge=0, le=20, description="Further attempts where the server is busy or does not answer."
    )

    @field_validator("url")
    @classmethod
    def _plain_url(cls, url: str) -> str:
        return server_url(url)

    @field_validator("grpc_url")
    @classmethod
    def _plain_grpc_url(cls, url: str | None) -> str | None:
        return None if url is None else server_url(url)


class WeaviateVectorConfig(WeaviateConfig):
    """Vectors and BM25 in a Weaviate; native hybrid."""

    capabilities = ALL_FILTERS | {
        Capability.NATIVE_HYBRID,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    fusion: Literal["relative_score", "ranked"] = Field(
        "relative_score",
        description="How Weaviate fuses text and vector: weighted sum of min-max normalised scores, or of reciprocal ranks.",
    )
    index: Literal["hnsw", "flat"] = Field(
        "hnsw",
        description="Of a new collection: an approximate index, or none: every vector is compared.",
    )
    exact_up_to: int = Field(
        40_000,
        ge=0,
        description="Of a new collection: how many records, of all or of those that a filter selects, are compared one by one; "
        "of more the graph is asked.",
    )
    m: int = Field(
        32, ge=4, le=2047, description="Links of a vector in a new collection's HNSW graph."
    )
    ef_construction: int = Field(
        128, ge=4, le=2000, description="Candidates examined for each vector that enters the graph."
    )
    ef: int | None = Field(
        None,
        ge=1,
        description="Candidates examined in a search of a new collection's graph; null for 8 for each match asked for, "
        "from 100 to 500.",
    )


def _open_keyword(config: WeaviateConfig) -> WeaviateKeywordBackend:
    from hierdoc_weaviate.keyword import WeaviateKeywordBackend

    return WeaviateKeywordBackend(config)


def _open_vector(config: WeaviateVectorConfig) -> WeaviateVectorBackend:
    from hierdoc_weaviate.vector import WeaviateVectorBackend

    return WeaviateVectorBackend(config)


async def _check(config: WeaviateConfig) -> str | None:
    """Raise where REST or gRPC do not answer, the server is no Weaviate or too old, or it refuses the key; say what BM25 misses."""
    from hierdoc_weaviate.connection import Connection
    from hierdoc_weaviate.probing import find_fault

    connection = Connection(config)
    try:
        await connection.require_version()
        await connection.rest("GET", "/schema")
        await connection.require_grpc()
        return await find_fault(connection, config)
    finally:
        await connection.aclose()


@hookimpl
def hierdoc_keyword_backends() -> Iterable[Provider[WeaviateConfig, WeaviateKeywordBackend]]:
    """The keyword backend `weaviate`."""
    yield Provider(WeaviateConfig, _open_keyword, _check)


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[WeaviateVectorConfig, WeaviateVectorBackend]]:
    """The vector backend `weaviate`."""
    yield Provider(WeaviateVectorConfig, _open_vector, _check)
