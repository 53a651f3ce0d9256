"""LanceDB as vector backend of hierdoc: embedded, persistent, hybrid."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from hierdoc import StoreError
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    IndexPath,
    Language,
    Operational,
    Provider,
    ProviderConfig,
    hookimpl,
)


class LancedbConfig(ProviderConfig):
    """LanceDB in a folder: embedded, persistent, hybrid."""

    capabilities = ALL_FILTERS | {
        Capability.ATOMIC_REPLACE,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
        Capability.NATIVE_HYBRID,
    }

    provider: Literal["lancedb"] = "lancedb"
    path: IndexPath = Field(
        None,
        validate_default=True,
        description="Folder that the folder `lancedb` is made in; null for the index's own.",
    )
    collection: str = Field(
        "hierdoc",
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$",
        description="The table's name: letters, digits, hyphens and underscores.",
    )
    hybrid: bool = Field(True, description="Index the words too, for hybrid search.")
    language: Language = Field("auto", description="How words are stemmed.")
    rrf_k: int = Field(
        60, ge=0, description="Hybrid: higher values flatten the differences between ranks."
    )
    retention: Operational[float] = Field(
        60.0,
        ge=0,
        description="Seconds that old versions of the table are kept for processes that still read them.",
    )


def _open(config: LancedbConfig) -> Any:
    from hierdoc_lancedb.backend import LancedbBackend

    return LancedbBackend(config)


async def _check(config: LancedbConfig) -> None:
    """See whether the library imports, and whether the folder is there or can be made."""
    import os

    import lancedb  # noqa: F401 - an ImportError says what is missing

    if (config.path / "lancedb").exists():
        return
    folder = config.path
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not os.access(folder, os.W_OK):
        raise StoreError(f"lancedb: {folder} cannot be written to", hint="Choose another `path`.")


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[Any, Any]]:
    """The vector backend `lancedb`."""
    yield Provider(LancedbConfig, _open, _check)
