"""MongoDB for hierdoc: a vector backend with native hybrid search, and a keyword backend."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qsl, urlsplit

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
)

if TYPE_CHECKING:
    from hierdoc_mongodb.backend import MongoKeywordBackend, MongoVectorBackend

_OPTIONS = (
    "appName",
    "authSource",
    "directConnection",
    "replicaSet",
    "retryWrites",
    "ssl",
    "tls",
    "w",
)
"""Options that an address may have: those that Atlas writes into its own, and those that say how a server is reached."""


class MongoConfig(ProviderConfig):
    """BM25 in MongoDB Search."""

    capabilities = ALL_FILTERS | {Capability.PHRASES, Capability.PERSISTENT}

    provider: Literal["mongodb"] = "mongodb"
    url: Operational[str] = Field(
        "mongodb://localhost:27017/?directConnection=true",
        description="The deployment, as in mongodb+srv://cluster.abcde.mongodb.net; without user and password.",
    )
    username: Operational[str | None] = Field(None, description="The database user.")
    password: Operational[SecretStr | None] = Field(None, description="The user's password.")
    ca_certs: Operational[LocalPath | None] = Field(
        None,
        description="PEM file with the authorities that vouch for the server; null for the usual ones.",
    )
    database: str = Field(
        "hierdoc",
        pattern=r"^[A-Za-z0-9_-]{1,38}$",
        description="The database: letters, digits, `_` and `-`.",
    )
    collection: str = Field(
        "hierdoc",
        pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,99}$",
        description="Begins the names of MongoDB's collections, one for each corpus and backend: letters, digits, `_` and `-`.",
    )
    language: Language = Field("auto", description="How words are stemmed.")
    batch_size: Operational[int] = Field(
        500, ge=1, le=10_000, description="Records written in one request, at most."
    )
    visible_within: Operational[float] = Field(
        60,
        gt=0,
        description="Seconds that searches may take to show what was written, before an answer is given up.",
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
        if "@" in url:
            raise ValueError("leave user and password out; they have settings of their own")
        parts = urlsplit(url)
        if parts.scheme not in ("mongodb", "mongodb+srv") or not parts.netloc or parts.fragment:
            raise ValueError("write it as in mongodb+srv://cluster.abcde.mongodb.net")
        if parts.path not in ("", "/"):
            raise ValueError("leave the database out; it has a setting of its own")
        known = {one.lower() for one in _OPTIONS}
        for name, _ in parse_qsl(parts.query, keep_blank_values=True):
            if name.lower() not in known:
                raise ValueError(f"options are taken from {', '.join(_OPTIONS)} only")
        return url

    @model_validator(mode="after")
    def _one_identity(self) -> MongoConfig:
        if (self.username is None) != (self.password is None):
            raise ValueError("give `username` and `password` together")
        return self


class MongoVectorConfig(MongoConfig):
    """Vectors and BM25 in MongoDB Search; native hybrid.

    The server fuses where it has `$rankFusion`. What others find in two requests is fused here, by the same formula.
    """

    capabilities = ALL_FILTERS | {Capability.NATIVE_HYBRID, Capability.PERSISTENT}

    exact: Operational[bool] = Field(
        False, description="Compare every vector, instead of searching in the graph."
    )
    m: int = Field(16, ge=16, le=64, description="Links of a vector in a new index's graph.")
    ef_construction: int = Field(
        100,
        ge=100,
        le=3200,
        description="Candidates examined for each vector that enters the graph.",
    )
    ef: Operational[int] = Field(
        500, ge=1, le=10_000, description="Candidates examined in a search of the graph, at least."
    )


def _open_keyword(config: MongoConfig) -> MongoKeywordBackend:
    from hierdoc_mongodb.backend import MongoKeywordBackend

    return MongoKeywordBackend(config)


def _open_vector(config: MongoVectorConfig) -> MongoVectorBackend:
    from hierdoc_mongodb.backend import MongoVectorBackend

    return MongoVectorBackend(config)


async def _check(config: MongoConfig) -> str:
    """Raise where the server does not answer, refuses the user or cannot search; else say what is there, and who fuses."""
    from hierdoc_mongodb.server import check

    return await check(config)


@hookimpl
def hierdoc_keyword_backends() -> Iterable[Provider[MongoConfig, MongoKeywordBackend]]:
    """The keyword backend `mongodb`."""
    yield Provider(MongoConfig, _open_keyword, _check)


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[MongoVectorConfig, MongoVectorBackend]]:
    """The vector backend `mongodb`."""
    yield Provider(MongoVectorConfig, _open_vector, _check)
