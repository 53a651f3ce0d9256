"""Static token embeddings for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from hierdoc.plugin import Provider, ProviderConfig, hookimpl


class StaticConfig(ProviderConfig):
    """Static token embeddings, offline, 256 dimensions."""

    provider: Literal["static"] = "static"


def _open_static(config: StaticConfig) -> Any:
    from hierdoc_static.embedder import StaticEmbedder

    return StaticEmbedder()


async def _check(config: StaticConfig) -> str:
    """What to take where this model is too little."""
    return (
        "where readers of English documents ask in other words than the text, `embedder: minilm` finds more: "
        "pip install 'hierdoc[minilm]'"
    )


@hookimpl
def hierdoc_embedders() -> Iterable[Provider[Any, Any]]:
    """Static token embeddings."""
    yield Provider(StaticConfig, _open_static, _check)
