"""Embeddings by models of sentence-transformers, for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from hierdoc.plugin import Operational, Provider, ProviderConfig, check_embedder, hookimpl


class SentenceTransformersConfig(ProviderConfig):
    """Models of sentence-transformers, with torch."""

    provider: Literal["sentence-transformers"] = "sentence-transformers"
    model: str = Field(
        min_length=1,
        description="A folder, or a name on the hub, which is looked up at the first use.",
    )
    revision: str | None = Field(
        None, description="Of a model by name: the commit, so that an index keeps its model."
    )
    dimensions: int | None = Field(
        None,
        ge=1,
        le=100_000,
        description="Length of the vectors; null for what the folder says.",
    )
    max_tokens: int | None = Field(
        None,
        ge=16,
        description="Tokens that are embedded at once; longer texts are embedded in windows. Null for what the model says of itself.",
    )
    query_prefix: str = Field("", description="Put before queries, as some models ask for it.")
    document_prefix: str = Field("", description="Put before documents.")
    device: Operational[str | None] = Field(
        None, description="As torch names it, such as `cpu` or `cuda`; null for the best there is."
    )
    batch_size: Operational[int] = Field(
        32, ge=1, le=1_024, description="Windows embedded together."
    )

    @model_validator(mode="after")
    def _is_known(self) -> SentenceTransformersConfig:
        if not Path(self.model).is_dir() and None in (self.revision, self.dimensions):
            raise ValueError(
                f"there is no folder {self.model}; for a model by name give `revision` and `dimensions` too"
            )
        return self


def open_embedder(config: SentenceTransformersConfig) -> Any:
    """The embedder."""
    from hierdoc_sentence_transformers.embedder import SentenceTransformersEmbedder

    name = "sentence_transformers"  # it is imported later, with the model
    if find_spec(name) is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return SentenceTransformersEmbedder(config)


@hookimpl
def hierdoc_embedders() -> Iterable[Provider[Any, Any]]:
    """One for all models."""
    yield Provider(SentenceTransformersConfig, open_embedder, check_embedder(open_embedder))
