"""Milvus for hierdoc: Milvus Lite in a folder, a server, or the cloud; vectors with native hybrid search, and words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from pydantic import Field, field_validator, model_validator

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
    from hierdoc_milvus.keyword import MilvusKeywordBackend
    from hierdoc_milvus.vector import MilvusVectorBackend


class MilvusConfig(ProviderConfig):
    """BM25 in a Milvus."""

    capabilities = ALL_FILTERS | {Capability.PERSISTENT, Capability.MULTI_PROCESS}

    provider: Literal["milvus"] = "milvus"
    path: Operational[LocalPath | None] = Field(
        None,
        description="Folder of a Milvus Lite; needs hierdoc-milvus[lite].",
    )
    uri: Operational[str | None] = Field(
        None,
        description="A server, as in https://host:19530; null for http://localhost:19530 where no `path` is given.",
    )
    token: Operational[HeaderSecret | None] = Field(
        None, description="An API key, or user and password with a colon between."
    )
    ca_certs: Operational[LocalPath | None] = Field(
        None,
        description="PEM file with the certificate that vouches for the server; null for the usual authorities.",
    )
    database: str = Field(
        "default", pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$", description="The server's database."
    )
    collection: str = Field(
        "hierdoc",
        pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$",
        description="Begins the names of the collections, one for each corpus and backend: letters, digits and underscores.",
    )
    language: Language = Field("auto", description="How words are stemmed.")
    k1: float = Field(1.2, ge=0, le=3, description="How soon repetitions of a term stop counting.")
    b: float = Field(0.75, ge=0, le=1, description="How much long chunks are held back.")
    batch_size: Operational[int] = Field(
        500, ge=1, le=10_000, description="Records written in one request, at most."
    )
    timeout: Operational[float] = Field(
        30,
        gt=0,
        description="Seconds that one request may take, its further attempts where the server is busy or away included.",
    )

    @field_validator("uri")
    @classmethod
    def _plain_uri(cls, uri: str | None) -> str | None:
        return None if uri is None else server_url(uri)

    @model_validator(mode="after")
    def _one_place(self) -> MilvusConfig:
        if self.path is not None and self.uri is not None:
            raise ValueError("give `path` or `uri`, not both")
        return self


class MilvusVectorConfig(MilvusConfig):
    """Vectors and BM25 in a Milvus; native hybrid."""

    capabilities = ALL_FILTERS | {
        Capability.NATIVE_HYBRID,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    index: Literal["flat", "hnsw", "autoindex"] = Field(
        "flat",
        description="Of a new collection: every vector is compared, or approximate by a graph, or by what the server chooses.",
    )
    m: int = Field(16, ge=2, le=2048, description="Links of a vector in a new collection's graph.")
    ef_construction: int = Field(
        128, ge=8, le=4096, description="Candidates examined for each vector that enters the graph."
    )
    ef: int = Field(
        128, ge=1, le=4096, description="Candidates examined in a search of the graph, at least."
    )


def _open_keyword(config: MilvusConfig) -> MilvusKeywordBackend:
    from hierdoc_milvus.keyword import MilvusKeywordBackend

    return MilvusKeywordBackend(config)


def _open_vector(config: MilvusVectorConfig) -> MilvusVectorBackend:
    from hierdoc_milvus.vector import MilvusVectorBackend

    return MilvusVectorBackend(config)


async def _check(config: MilvusConfig) -> None:
    """Raise where the server does not answer, is too old or refuses the token, or the folder is in use."""
    import asyncio

    from hierdoc_milvus.connection import check

    await asyncio.to_thread(check, config)


@hookimpl
def hierdoc_keyword_backends() -> Iterable[Provider[MilvusConfig, MilvusKeywordBackend]]:
    """The keyword backend `milvus`."""
    yield Provider(MilvusConfig, _open_keyword, _check)


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[MilvusVectorConfig, MilvusVectorBackend]]:
    """The vector backend `milvus`."""
    yield Provider(MilvusVectorConfig, _open_vector, _check)
