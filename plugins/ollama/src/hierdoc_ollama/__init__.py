"""Embeddings by models that Ollama runs, for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field, JsonValue

from hierdoc.plugin import Operational, Provider, check_embedder, hookimpl
from hierdoc_remote import EmbedderConfig


class OllamaConfig(EmbedderConfig):
    """Embeddings by a model that Ollama runs."""

    provider: Literal["ollama"] = "ollama"
    base_url: Operational[str] = Field(
        "http://localhost:11434", description="The server, without a path."
    )
    dimensions: int = Field(
        ge=1,
        le=100_000,
        description="Length of the model's vectors, such as 768 for nomic-embed-text.",
    )
    batch_size: Operational[int] = Field(
        32, ge=1, le=2048, description="Texts in one request, at most."
    )
    concurrency: Operational[int] = Field(
        1, ge=1, le=256, description="Requests at the same time, at most."
    )
    options: dict[str, JsonValue] = Field(
        {}, description="Of the model, such as `num_ctx`, which has to be `max_tokens` at least."
    )
    keep_alive: Operational[str | None] = Field(
        None,
        description="How long the model stays loaded, as in 10m; null for the server's own time.",
    )


def open_embedder(config: OllamaConfig) -> Any:
    """The embedder."""
    from hierdoc_ollama.embedder import OllamaEmbedder

    return OllamaEmbedder(config)


@hookimpl
def hierdoc_embedders() -> Iterable[Provider[Any, Any]]:
    """One for all models."""
    yield Provider(OllamaConfig, open_embedder, check_embedder(open_embedder))
