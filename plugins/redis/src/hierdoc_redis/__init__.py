"""Redis 8 for hierdoc: a vector backend with hybrid search, and a keyword backend."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    Language,
    LocalPath,
    Operational,
    Provider,
    ProviderConfig,
    hookimpl,
    server_url,
)

if TYPE_CHECKING:
    from hierdoc_redis.keyword import RedisKeywordBackend
    from hierdoc_redis.vector import RedisVectorBackend


class RedisConfig(ProviderConfig):
    """BM25 in a Redis."""

    capabilities = ALL_FILTERS | {Capability.PERSISTENT, Capability.MULTI_PROCESS}

    provider: Literal["redis"] = "redis"
    url: Operational[str] = Field(
        "redis://localhost:6379", description="The server, as in rediss://host:6379 with TLS."
    )
    username: Operational[str | None] = Field(
        None, description="The user; null for the one that is called `default`."
    )
    password: Operational[SecretStr | None] = Field(None, description="The user's password.")
    ca_certs: Operational[LocalPath | None] = Field(
        None,
        description="PEM file with the authorities that vouch for the server; null for the usual ones.",
    )
    collection: str = Field(
        "hierdoc",
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$",
        description="Begins the names of keys and indexes, one for each corpus: letters, digits, `_`, `.` and `-`.",
    )
    language: Language = Field("auto", description="How words are stemmed.")
    batch_size: Operational[int] = Field(
        200, ge=1, le=10_000, description="Records written in one transaction, at most."
    )
    timeout: Operational[float] = Field(
        30, gt=0, description="Seconds that the server may take for one request."
    )
    retries: Operational[int] = Field(
        3, ge=0, le=20, description="Further attempts where the server is busy or does not answer."
    )

    @field_validator("url")
    @classmethod
    def _plain_url(cls, url: str) -> str:
        scheme, _, rest = url.partition("://")
        if scheme not in ("redis", "rediss"):
            raise ValueError("write it as in redis://host:6379, or rediss://host:6379 with TLS")
        server_url(f"http://{rest}")  # nothing that may be secret stands in it
        if "/" in rest:
            raise ValueError("leave the database out: Redis searches in database 0 alone")
        return url

    @model_validator(mode="after")
    def _one_identity(self) -> RedisConfig:
        if self.username is not None and self.password is None:
            raise ValueError("give `password` with `username`")
        return self


class RedisVectorConfig(RedisConfig):
    """Vectors and BM25 in a Redis; hybrid search.

    The server fuses from Redis 8.4 on. What earlier ones find in two requests is fused here.
    """

    capabilities = ALL_FILTERS | {
        Capability.NATIVE_HYBRID,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    index: Literal["flat", "hnsw"] = Field(
        "flat",
        description="Of a new collection: every vector is compared, or an approximate search in a graph.",
    )
    m: int = Field(16, ge=2, le=512, description="Links of a vector in a new collection's graph.")
    ef_construction: int = Field(
        200, ge=1, le=4096, description="Candidates examined for each vector that enters the graph."
    )
    ef: Operational[int] = Field(
        128, ge=1, le=4096, description="Candidates examined in a search of the graph, at least."
    )


def _open_keyword(config: RedisConfig) -> RedisKeywordBackend:
    from hierdoc_redis.keyword import RedisKeywordBackend

    return RedisKeywordBackend(config)


def _open_vector(config: RedisVectorConfig) -> RedisVectorBackend:
    from hierdoc_redis.vector import RedisVectorBackend

    return RedisVectorBackend(config)


async def _check(config: RedisConfig) -> None:
    """Raise where the server does not answer, refuses the user, cannot search, or may drop what it holds."""
    import asyncio

    from hierdoc_redis.connection import check

    await asyncio.to_thread(check, config)


@hookimpl
def hierdoc_keyword_backends() -> Iterable[Provider[RedisConfig, RedisKeywordBackend]]:
    """The keyword backend `redis`."""
    yield Provider(RedisConfig, _open_keyword, _check)


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[RedisVectorConfig, RedisVectorBackend]]:
    """The vector backend `redis`."""
    yield Provider(RedisVectorConfig, _open_vector, _check)
