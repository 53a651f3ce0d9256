"""OpenSearch for hierdoc: a keyword backend, and a vector backend with native hybrid search."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, SecretStr, field_validator, model_validator

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
    from hierdoc_opensearch.keyword import OpenSearchKeywordBackend
    from hierdoc_opensearch.vector import OpenSearchVectorBackend


class OpenSearchConfig(ProviderConfig):
    """BM25 and phrases in an OpenSearch cluster."""

    capabilities = ALL_FILTERS | {
        Capability.PHRASES,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    provider: Literal["opensearch"] = "opensearch"
    url: Operational[str | Annotated[tuple[str, ...], Field(min_length=1)]] = Field(
        "http://localhost:9200",
        description="The cluster, as in https://host:9200; or a list of its nodes: one is asked as long as it answers, then the next.",
    )
    username: Operational[str | None] = Field(
        None, description="The user, for basic authentication."
    )
    password: Operational[SecretStr | None] = Field(None, description="The user's password.")
    api_key: Operational[HeaderSecret | None] = Field(
        None,
        description="An API key, sent as `Authorization: ApiKey ...`, in place of user and password.",
    )
    verify_certs: Operational[bool] = Field(
        True, description="Refuse a server whose certificate nobody vouches for."
    )
    ca_certs: Operational[LocalPath | None] = Field(
        None,
        description="PEM file with the authorities that vouch for the server; null for the usual ones.",
    )
    collection: str = Field(
        "hierdoc",
        pattern=r"^[a-z0-9][a-z0-9_.-]{0,99}$",
        description="Names the indices, one for each corpus and backend: lower-case letters, digits, `_`, `.` and `-`.",
    )
    language: Language = Field("auto", description="How words are stemmed.")
    k1: float = Field(1.2, ge=0, description="How soon repetitions of a term stop counting.")
    b: float = Field(0.75, ge=0, le=1, description="How much long chunks are held back.")
    shards: int = Field(1, ge=1, description="Primary shards of a new index.")
    replicas: Operational[int | None] = Field(
        None, ge=0, description="Replicas of a new index; null for the cluster's default."
    )
    refresh: Operational[bool] = Field(
        True,
        description="Make what was written visible at once; false leaves it to the index's refresh interval.",
    )
    batch_size: Operational[int] = Field(
        500, ge=1, le=10_000, description="Records in one bulk request, at most."
    )
    timeout: Operational[float] = Field(
        30, gt=0, description="Seconds that the cluster may take for one request."
    )
    retries: Operational[int] = Field(
        3, ge=0, le=20, description="Further attempts where the cluster is busy or does not answer."
    )

    @field_validator("url")
    @classmethod
    def _plain_url(cls, url: str | tuple[str, ...]) -> str | tuple[str, ...]:
        return server_url(url) if isinstance(url, str) else tuple(map(server_url, url))

    @property
    def urls(self) -> tuple[str, ...]:
        """Where its nodes are."""
        return (self.url,) if isinstance(self.url, str) else self.url

    @model_validator(mode="after")
    def _one_identity(self) -> OpenSearchConfig:
        if (self.username is None) != (self.password is None):
            raise ValueError("give `username` and `password`, or neither")
        if self.username is not None and self.api_key is not None:
            raise ValueError("give `username` and `password`, or `api_key`, not both")
        return self


class OpenSearchVectorConfig(OpenSearchConfig):
    """k-NN and native hybrid in an OpenSearch cluster.

    The cluster needs the plugin k-NN, which its distribution brings. What its plugin neural-search cannot fuse is fused here.
    """

    capabilities = ALL_FILTERS | {
        Capability.NATIVE_HYBRID,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    fusion: Literal["normalization", "rrf"] = Field(
        "normalization",
        description="How text and vector are fused: by the weighted mean of min-max normalised scores, or by weighted reciprocal "
        "ranks, which clusters before OpenSearch 3.1 leave to hierdoc.",
    )
    m: int = Field(16, ge=2, le=100, description="Links of a vector in a new index's HNSW graph.")
    ef_construction: int = Field(
        128, ge=8, le=2000, description="Candidates examined for each vector that enters the graph."
    )
    ef_search: Operational[int] = Field(
        400,
        ge=1,
        le=10_000,
        description="Candidates examined for each query, at least, of every segment of a shard: more find truer neighbours.",
    )


def _open_keyword(config: OpenSearchConfig) -> OpenSearchKeywordBackend:
    from hierdoc_opensearch.keyword import OpenSearchKeywordBackend

    return OpenSearchKeywordBackend(config)


def _open_vector(config: OpenSearchVectorConfig) -> OpenSearchVectorBackend:
    from hierdoc_opensearch.vector import OpenSearchVectorBackend

    return OpenSearchVectorBackend(config)


async def _check_keyword(config: OpenSearchConfig) -> str:
    """Raise where the cluster does not answer, is none of OpenSearch, is too old, or refuses the user."""
    from hierdoc_opensearch.connection import Connection

    connection = Connection(config)
    try:
        return str(await connection.cluster())
    finally:
        await connection.aclose()


async def _check_vector(config: OpenSearchVectorConfig) -> str:
    """The same, and where it holds no vectors; say who fuses."""
    from hierdoc_opensearch.connection import Connection

    connection = Connection(config)
    try:
        cluster = await connection.cluster_with_vectors()
    finally:
        await connection.aclose()
    who = "the cluster" if cluster.fuses(config.fusion) else "hierdoc"
    return f"{cluster}; {who} fuses by {config.fusion}"


@hookimpl
def hierdoc_keyword_backends() -> Iterable[Provider[OpenSearchConfig, OpenSearchKeywordBackend]]:
    """The keyword backend `opensearch`."""
    yield Provider(OpenSearchConfig, _open_keyword, _check_keyword)


@hookimpl
def hierdoc_vector_backends() -> Iterable[
    Provider[OpenSearchVectorConfig, OpenSearchVectorBackend]
]:
    """The vector backend `opensearch`."""
    yield Provider(OpenSearchVectorConfig, _open_vector, _check_vector)
