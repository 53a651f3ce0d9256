"""Chroma as vector backend of hierdoc: in a folder, in memory, or on a server."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    HeaderSecret,
    IndexPath,
    Operational,
    Provider,
    ProviderConfig,
    hookimpl,
    server_url,
)


class ChromadbConfig(ProviderConfig):
    """Chroma in a folder, in memory with `in_memory`, or on a server with `url`."""

    capabilities = ALL_FILTERS | {Capability.PERSISTENT}

    provider: Literal["chromadb"] = "chromadb"
    path: IndexPath = Field(
        None,
        validate_default=True,
        description="Folder that the folder `chroma` is made in; null for the index's own.",
    )
    in_memory: Operational[bool] = Field(
        False, description="Keep everything in memory; gone at the end."
    )
    url: Operational[str | None] = Field(
        None, description="Of a Chroma server, as in http://localhost:8000; instead of a folder."
    )
    headers: Operational[dict[str, HeaderSecret]] = Field(
        {}, description="Sent to the server, as in {Authorization: Bearer ${CHROMA_TOKEN}}."
    )
    timeout: Operational[float] = Field(
        30, gt=0, description="Seconds that the server may take for one request."
    )
    retries: Operational[int] = Field(
        3, ge=0, le=20, description="Further attempts where the server is busy or does not answer."
    )
    tenant: str = Field("default_tenant", min_length=1, description="The server's tenant.")
    database: str = Field("default_database", min_length=1, description="The server's database.")
    collection: str = Field(
        "hierdoc",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$",
        description="The collection's name: 3 to 63 letters, digits, dots, hyphens and underscores.",
    )
    ef_construction: int = Field(
        200, ge=4, le=4096, description="HNSW: care when a new collection is filled."
    )
    ef_search: int = Field(
        200, ge=1, le=4096, description="HNSW of a new collection: candidates of a search."
    )
    max_neighbors: int = Field(
        16, ge=2, le=256, description="HNSW of a new collection: links of a vector."
    )

    @field_validator("url")
    @classmethod
    def _plain_url(cls, url: str | None) -> str | None:
        if url is None:
            return None
        if urlsplit(server_url(url)).path.strip("/"):
            raise ValueError("only scheme, host and port belong in it")
        return url

    @model_validator(mode="after")
    def _one_place(self) -> ChromadbConfig:
        if self.in_memory and self.url:
            raise ValueError("give `url` or `in_memory`, not both")
        if self.headers and not self.url:
            raise ValueError("`headers` are for a server: give its `url`")
        return self


def _open(config: ChromadbConfig) -> Any:
    from hierdoc_chromadb.backend import ChromadbBackend

    return ChromadbBackend(config)


async def _check(config: ChromadbConfig) -> None:
    """Open the folder, or ask the server for its heartbeat."""
    backend = _open(config)
    try:
        await backend.heartbeat()
    finally:
        await backend.aclose()


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[Any, Any]]:
    """The vector backend `chromadb`."""
    yield Provider(ChromadbConfig, _open, _check)
