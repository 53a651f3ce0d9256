"""Records and vectors in one SQLite file, for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from hierdoc.plugin import ALL_FILTERS, Capability, IndexPath, Provider, ProviderConfig, hookimpl


class SqliteConfig(ProviderConfig):
    """Records and vectors in one SQLite file, searched exactly."""

    capabilities = ALL_FILTERS | {
        Capability.ATOMIC_REPLACE,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    provider: Literal["sqlite"] = "sqlite"
    path: IndexPath = Field(
        None, validate_default=True, description="Folder of the index; null for the default one."
    )


def _open_sqlite(config: SqliteConfig) -> Any:
    from hierdoc_sqlite.backend import SqliteVectorBackend

    return SqliteVectorBackend(config.path)


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[Any, Any]]:
    """The vector backend `sqlite`."""
    yield Provider(SqliteConfig, _open_sqlite)
