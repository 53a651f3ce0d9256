"""Pinecone for hierdoc: vectors and records in a namespace of a serverless index."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from pydantic import Field, field_validator

from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    HeaderSecret,
    LocalPath,
    Operational,
    Provider,
    ProviderConfig,
    hookimpl,
    server_url,
)

if TYPE_CHECKING:
    from hierdoc_pinecone.backend import PineconeBackend


class PineconeConfig(ProviderConfig):
    """Vectors in Pinecone."""

    capabilities = ALL_FILTERS | {Capability.PERSISTENT}

    provider: Literal["pinecone"] = "pinecone"
    api_key: Operational[HeaderSecret] = Field(description="The API key of a project.")
    url: Operational[str] = Field(
        "https://api.pinecone.io", description="Where indexes are listed and made."
    )
    ca_certs: Operational[LocalPath | None] = Field(
        None,
        description="PEM file with the authorities that vouch for the service; null for the usual ones.",
    )
    index: str = Field(
        "hierdoc",
        pattern=r"^[a-z0-9]([a-z0-9-]{0,37}[a-z0-9])?$",
        description="Begins the names of the indexes, one for each length of vectors, as in `hierdoc-384`: small letters, "
        "digits and hyphens.",
    )
    collection: str = Field(
        "default",
        pattern=r"^[A-Za-z0-9_.-]{1,100}$",
        description="The namespace: one for each corpus.",
    )
    cloud: Operational[Literal["aws", "gcp", "azure"]] = Field(
        "aws", description="Where a new index is made."
    )
    region: Operational[str] = Field("us-east-1", description="Where in that cloud.")
    batch_size: Operational[int] = Field(
        200, ge=1, le=1000, description="Records written in one request, at most."
    )
    visible_within: Operational[float] = Field(
        120,
        gt=0,
        description="Seconds that Pinecone may take to show what was written, before an answer is given up.",
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


def _open(config: PineconeConfig) -> PineconeBackend:
    from hierdoc_pinecone.backend import PineconeBackend

    return PineconeBackend(config)


async def _check(config: PineconeConfig) -> str:
    """Raise where Pinecone does not answer or refuses the key; else say which indexes there are."""
    import asyncio

    from hierdoc_pinecone.service import check

    return await asyncio.to_thread(check, config)


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[PineconeConfig, PineconeBackend]]:
    """The vector backend `pinecone`."""
    yield Provider(PineconeConfig, _open, _check)
