"""Cross-encoders of sentence-transformers as rerankers, for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from hierdoc.plugin import Operational, Provider, ProviderConfig, hookimpl


class CrossEncoderConfig(ProviderConfig):
    """A cross-encoder reads query and hit together, in this process."""

    provider: Literal["cross-encoder"] = "cross-encoder"
    model: str = Field(
        min_length=1,
        description="A folder or a name on the hub, of a model that gives one score, as `cross-encoder/ms-marco-MiniLM-L6-v2`.",
    )
    device: Operational[str | None] = Field(
        None, description="As torch names it, such as `cpu` or `cuda`; null for the best there is."
    )
    batch_size: Operational[int] = Field(
        32, ge=1, le=1_024, description="Pairs that the model gets at once."
    )
    max_tokens: int | None = Field(
        None,
        ge=32,
        description="Tokens of a pair that the model reads; longer texts are read in windows. Null for what the model says of itself.",
    )


def open_reranker(config: CrossEncoderConfig) -> Any:
    """The reranker."""
    from importlib.util import find_spec

    from hierdoc_cross_encoder.reranker import CrossEncoderReranker

    name = "sentence_transformers"  # it is imported later, with the model
    if find_spec(name) is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return CrossEncoderReranker(config)


@hookimpl
def hierdoc_rerankers() -> Iterable[Provider[Any, Any]]:
    """One for all models of one label."""
    yield Provider(CrossEncoderConfig, open_reranker)
