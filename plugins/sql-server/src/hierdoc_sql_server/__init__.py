"""SQL Server for hierdoc: vectors and records in tables of SQL Server 2025 or Azure SQL."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr

from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    LocalPath,
    Operational,
    Provider,
    ProviderConfig,
    hookimpl,
)

if TYPE_CHECKING:
    from hierdoc_sql_server.backend import SqlServerBackend


def _not_reserved(name: str) -> str:
    if name.lower() in ("sys", "information_schema", "guest") or name.lower().startswith("db_"):
        raise ValueError("this schema is SQL Server's own")
    return name


Collection = Annotated[
    str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$"), AfterValidator(_not_reserved)
]
"""A schema's name: letters, digits and underscores, at most 100."""


class SqlServerConfig(ProviderConfig):
    """Vectors in SQL Server 2025 or Azure SQL."""

    capabilities = ALL_FILTERS | {
        Capability.ATOMIC_REPLACE,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    provider: Literal["sql-server"] = "sql-server"
    dsn: Operational[SecretStr] = Field(
        description="A connection string, as in `Server=HOST,1433;Database=NAME;User ID=NAME;Password=...`; best as "
        "${SQLSERVER_DSN}."
    )
    ca_certs: Operational[LocalPath | None] = Field(
        None,
        description="PEM file with the authorities that vouch for the server; null for the usual ones.",
    )
    collection: Collection = Field(
        "hierdoc", description="The schema that the tables are in; made if it does not exist."
    )
    connections: Operational[int] = Field(4, ge=1, le=100, description="Connections at most.")
    timeout: Operational[float] = Field(
        30.0,
        gt=0,
        le=3600,
        description="Seconds to wait for a connection, for other writers, and for the answer to a search.",
    )
    retries: Operational[int] = Field(
        3,
        ge=0,
        le=20,
        description="Further attempts where the server is busy, or a connection is lost.",
    )


def _open(config: SqlServerConfig) -> SqlServerBackend:
    from hierdoc_sql_server.backend import SqlServerBackend

    return SqlServerBackend(config)


async def _check(config: SqlServerConfig) -> str:
    """Raise where the server does not answer, refuses, or has no vectors; else say which version it is."""
    import asyncio

    from hierdoc_sql_server.server import Server

    return await asyncio.to_thread(Server(config).check)


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[SqlServerConfig, SqlServerBackend]]:
    """The vector backend `sql-server`."""
    yield Provider(SqlServerConfig, _open, _check)
