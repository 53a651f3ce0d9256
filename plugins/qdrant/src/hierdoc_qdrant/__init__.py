"""Qdrant for hierdoc: embedded in a folder, in memory, or a server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

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
    from hierdoc_qdrant.backend import QdrantBackend


class QdrantConfig(ProviderConfig):
    """Qdrant: embedded, in memory or a server; native hybrid.

    A folder with `path`, in memory with `location: ":memory:"`, or a server with `url`.
    """

    capabilities = ALL_FILTERS | {
        Capability.NATIVE_HYBRID,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    provider: Literal["qdrant"] = "qdrant"
    path: Operational[LocalPath | None] = Field(
        None, description="Folder of an embedded Qdrant; needs hierdoc-qdrant[embedded]."
    )
    location: Operational[Literal[":memory:"] | None] = Field(
        None, description="`:memory:` for an index in memory, gone at the end."
    )
    url: Operational[str | None] = Field(
        None,
        description="A server, as in https://host:6333; null for http://localhost:6333 where neither `path` nor "
        "`location` is given.",
    )
    api_key: Operational[HeaderSecret | None] = Field(None, description="The server's API key.")
    ca_certs: Operational[LocalPath | None] = Field(
        None,
        description="PEM file with the authorities that vouch for the server; null for the usual ones.",
    )
    collection: str = Field(
        "hierdoc",
        pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}$",
        description="The collection's name: one for each corpus.",
    )
    language: Language = Field("auto", description="How words are stemmed.")
    k1: float = Field(1.2, ge=0, description="How soon repetitions of a term stop counting.")
    b: float = Field(0.75, ge=0, le=1, description="How much long chunks are held back.")
    average_length: float = Field(
        256, gt=0, description="Terms of a chunk that is neither long nor short, for `b`."
    )
    exact: bool = Field(
        False, description="Compare every vector, also where Qdrant has an approximate index."
    )
    batch_size: Operational[int] = Field(
        128, ge=1, le=10_000, description="Records written in one request, at most."
    )
    timeout: Operational[float] = Field(
        30, gt=0, description="Seconds that the server may take for one request."
    )
    retries: Operational[int] = Field(
        3, ge=0, le=20, description="Further attempts where the server is busy or does not answer."
    )

    @model_validator(mode="before")
    @classmethod
    def _in_memory(cls, fields: Any) -> Any:
        """`path: ":memory:"` and `url: ":memory:"` mean the location."""
        if isinstance(fields, Mapping):
            for name in ("path", "url"):
                if fields.get(name) == ":memory:":
                    return {**fields, name: None, "location": ":memory:"}
        return fields

    @field_validator("url")
    @classmethod
    def _plain_url(cls, url: str | None) -> str | None:
        return None if url is None else server_url(url)

    @model_validator(mode="after")
    def _one_place(self) -> QdrantConfig:
        if sum(place is not None for place in (self.path, self.location, self.url)) > 1:
            raise ValueError("give one of `path`, `location` and `url`")
        return self


def _open(config: QdrantConfig) -> QdrantBackend:
    from hierdoc_qdrant.backend import open_backend

    return open_backend(config)


async def _check(config: QdrantConfig) -> None:
    """Raise where the server does not answer or is too old, or the folder is in use or damaged."""
    backend = _open(config)
    try:
        await backend.check()
    finally:
        await backend.aclose()


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[QdrantConfig, QdrantBackend]]:
    """The vector backend `qdrant`."""
    yield Provider(QdrantConfig, _open, _check)
