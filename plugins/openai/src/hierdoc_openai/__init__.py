"""Embeddings and generated contexts by any OpenAI-compatible endpoint, for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field, JsonValue, field_validator, model_validator

from hierdoc.plugin import Operational, Provider, check_embedder, hookimpl
from hierdoc_remote import RemoteConfig

OPENAI = "https://api.openai.com/v1"

_OWN_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}


class OpenAIEmbedderConfig(RemoteConfig):
    """Embeddings by any OpenAI-compatible endpoint."""

    provider: Literal["openai"] = "openai"
    base_url: Operational[str] = Field(
        OPENAI, description="The API, with its version, as in https://host/v1."
    )
    model: str = Field("text-embedding-3-small", description="The model's name at the server.")
    dimensions: int | None = Field(
        None,
        ge=1,
        le=100_000,
        description="Length of the vectors; null for a model of OpenAI's, which it shortens where it is given.",
    )
    max_tokens: int = Field(
        512,
        ge=32,
        le=1_000_000,
        description="Tokens that the model reads; longer texts are embedded in windows. OpenAI's read 8191.",
    )
    query_prefix: str = Field("", description="Put before queries, as some models ask for it.")
    document_prefix: str = Field("", description="Put before documents.")
    query_extra: dict[str, JsonValue] = Field(
        {}, description="Further fields of requests for queries, such as `input_type: query`."
    )
    document_extra: dict[str, JsonValue] = Field(
        {}, description="Further fields of requests for documents."
    )
    batch_size: Operational[int] = Field(
        128, ge=1, le=2048, description="Texts in one request, at most."
    )
    batch_tokens: Operational[int] = Field(
        100_000, ge=1, description="Tokens in one request, at most, by estimate."
    )
    concurrency: Operational[int] = Field(
        4, ge=1, le=256, description="Requests at the same time, at most."
    )

    @field_validator("query_extra", "document_extra")
    @classmethod
    def _leave_ours(cls, extra: dict[str, JsonValue]) -> dict[str, JsonValue]:
        ours = extra.keys() & {"input", "model"}
        if ours:
            raise ValueError(f"leave out {' and '.join(sorted(ours))}")
        return extra

    @model_validator(mode="after")
    def _know_dimensions(self) -> OpenAIEmbedderConfig:
        if self.dimensions is None and self.model not in _OWN_DIMENSIONS:
            raise ValueError("give the `dimensions` of this model's vectors")
        return self

    @property
    def own_dimensions(self) -> int | None:
        """Those that the model has unless it is asked for others; None for a model that is not OpenAI's."""
        return _OWN_DIMENSIONS.get(self.model)


def _open_embedder(config: OpenAIEmbedderConfig) -> Any:
    from hierdoc_openai.embedder import OpenAIEmbedder

    return OpenAIEmbedder(config)


@hookimpl
def hierdoc_embedders() -> Iterable[Provider[Any, Any]]:
    """One for all compatible endpoints."""
    yield Provider(OpenAIEmbedderConfig, _open_embedder, check_embedder(_open_embedder))
