"""faiss as vector backend of hierdoc, with a record store of its own in SQLite."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from hierdoc import StoreError
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    IndexPath,
    Operational,
    Provider,
    ProviderConfig,
    hookimpl,
)


class FaissConfig(ProviderConfig):
    """Vectors in a faiss index, records in SQLite beside it."""

    capabilities = ALL_FILTERS | {
        Capability.ATOMIC_REPLACE,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    provider: Literal["faiss"] = "faiss"
    path: IndexPath = Field(
        None,
        validate_default=True,
        description="Folder that the folder `faiss` is made in; null for the index's own.",
    )
    collection: str = Field(
        "hierdoc",
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$",
        description="The index's name: letters, digits, hyphens and underscores.",
    )
    index: Literal["flat", "hnsw"] = Field(
        "flat", description="Compare all vectors, or use an approximate index beyond 10,000."
    )
    m: int = Field(32, ge=2, le=128, description="HNSW: links of a vector.")
    ef_construction: int = Field(80, ge=4, le=4096, description="HNSW: care when it is filled.")
    ef_search: int = Field(
        100, ge=1, le=4096, description="HNSW: candidates of a search; more find more, slower."
    )
    timeout: Operational[float] = Field(
        5.0, ge=0, le=3600, description="Seconds to wait for other processes that write."
    )


def _open(config: FaissConfig) -> Any:
    from hierdoc_faiss.backend import FaissBackend

    return FaissBackend(config)


async def _check(config: FaissConfig) -> None:
    """See whether the library imports, and whether the folder is there or can be made."""
    import os

    import faiss  # noqa: F401 - an ImportError says what is missing

    if (config.path / "faiss" / config.collection).exists():
        return
    folder = config.path
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not os.access(folder, os.W_OK):
        raise StoreError(f"faiss: {folder} cannot be written to", hint="Choose another `path`.")


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[Any, Any]]:
    """The vector backend `faiss`."""
    yield Provider(FaissConfig, _open, _check)
