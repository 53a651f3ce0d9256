"""PostgreSQL with pgvector as vector and keyword backend of hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, SecretStr

from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    Operational,
    Provider,
    ProviderConfig,
    hookimpl,
)


def _not_reserved(name: str) -> str:
    if name.lower().startswith("pg_"):
        raise ValueError("names that begin with pg_ are PostgreSQL's own")
    return name


Collection = Annotated[
    str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,62}$"), AfterValidator(_not_reserved)
]
"""A schema's name: letters, digits and underscores, at most 63."""

Language = Literal[
    "auto", "none", "da", "de", "en", "es", "fi", "fr", "it", "nl", "no", "pt", "ro", "ru", "sv"
]
"""How words are stemmed: by the language of each document, not at all, or always by one."""


_SHARED = ALL_FILTERS | {
    Capability.ATOMIC_REPLACE,
    Capability.PERSISTENT,
    Capability.MULTI_PROCESS,
}
"""What both backends claim."""


class _Connection(ProviderConfig):
    """What both backends need to reach the server."""

    dsn: Operational[SecretStr] = Field(
        description="Where the server is, as a URI or as `key=value` pairs; best as ${DATABASE_URL}."
    )
    collection: Collection = Field(
        "hierdoc", description="The schema that the tables are in; made if it does not exist."
    )
    language: Language = Field("auto", description="How words are stemmed.")
    k1: float = Field(1.2, ge=0, description="BM25: how soon repetitions of a term stop counting.")
    b: float = Field(0.75, ge=0, le=1, description="BM25: how much long chunks are held back.")
    connections: Operational[int] = Field(4, ge=1, le=100, description="Connections at most.")
    timeout: Operational[float] = Field(
        30.0,
        gt=0,
        le=3600,
        description="Seconds to wait for a connection, for other writers, and for the answer to a search.",
    )


class PostgresVectorConfig(_Connection):
    """PostgreSQL with pgvector, native hybrid."""

    capabilities = _SHARED | {Capability.NATIVE_HYBRID}

    provider: Literal["postgres"] = "postgres"
    index: Literal["hnsw", "exact"] = Field(
        "hnsw", description="An approximate index of the vectors, or none: all are compared."
    )
    m: int = Field(16, ge=2, le=100, description="HNSW: links of a vector, for a new index.")
    ef_construction: int = Field(
        64, ge=4, le=1000, description="HNSW: care when a new index is filled; at least 2 × m."
    )
    ef_search: int = Field(
        100, ge=1, le=1000, description="HNSW: candidates of a search; more find more, slower."
    )
    hybrid: bool = Field(
        True, description="Keep the words too, and fuse both legs in one statement."
    )
    rrf_k: int = Field(
        60, ge=0, description="Hybrid: higher values flatten the differences between ranks."
    )


class PostgresKeywordConfig(_Connection):
    """BM25 and phrases in PostgreSQL."""

    capabilities = _SHARED | {Capability.PHRASES}

    provider: Literal["postgres"] = "postgres"


def _open_vector(config: PostgresVectorConfig) -> Any:
    from hierdoc_postgres.vector import PostgresVectorBackend

    return PostgresVectorBackend(config)


def _open_keyword(config: PostgresKeywordConfig) -> Any:
    from hierdoc_postgres.keyword import PostgresKeywordBackend

    return PostgresKeywordBackend(config)


async def _check_vector(config: PostgresVectorConfig) -> None:
    """Connect, and see whether pgvector is there and new enough."""
    from hierdoc_postgres.database import Database

    await Database.of(config).check(with_vectors=True)


async def _check_keyword(config: PostgresKeywordConfig) -> None:
    """Connect, and see whether the server is new enough."""
    from hierdoc_postgres.database import Database

    await Database.of(config).check(with_vectors=False)


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[Any, Any]]:
    """The vector backend `postgres`, with native hybrid search."""
    yield Provider(PostgresVectorConfig, _open_vector, _check_vector)


@hookimpl
def hierdoc_keyword_backends() -> Iterable[Provider[Any, Any]]:
    """The keyword backend `postgres`."""
    yield Provider(PostgresKeywordConfig, _open_keyword, _check_keyword)
