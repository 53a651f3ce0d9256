"""Azure Cosmos DB for NoSQL for hierdoc: vectors, words and records in a container, with native hybrid search."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from pydantic import Field, field_validator

from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    HeaderSecret,
    Language,
    Operational,
    Provider,
    ProviderConfig,
    hookimpl,
    server_url,
)

if TYPE_CHECKING:
    from hierdoc_azure_cosmos_nosql.backend import CosmosBackend


class CosmosConfig(ProviderConfig):
    """Vectors and words in Azure Cosmos DB for NoSQL; native hybrid."""

    capabilities = ALL_FILTERS | {Capability.NATIVE_HYBRID, Capability.PERSISTENT}

    provider: Literal["azure-cosmos-nosql"] = "azure-cosmos-nosql"
    url: Operational[str] = Field(
        description="The account, as in https://NAME.documents.azure.com:443."
    )
    api_key: Operational[HeaderSecret] = Field(description="A read-write key of the account.")
    database: Operational[str] = Field(
        "hierdoc",
        pattern=r"^[A-Za-z0-9_-]{1,200}$",
        description="The database; made if it does not exist.",
    )
    collection: str = Field(
        "hierdoc",
        pattern=r"^[A-Za-z0-9_-]{1,200}$",
        description="The container: one for each corpus; made if it does not exist.",
    )
    throughput: Operational[int | None] = Field(
        None,
        ge=400,
        description="Request units a second of a new container; null where the account is serverless, or for the service's own choice.",
    )
    language: Language = Field("auto", description="How words are stemmed.")
    index: Literal["diskann", "quantized-flat", "flat"] = Field(
        "diskann",
        description="Of a new container: an approximate graph, compressed vectors, or every vector as it is, up to 505 dimensions.",
    )
    concurrency: Operational[int] = Field(
        8, ge=1, le=100, description="Requests that write at a time."
    )
    timeout: Operational[float] = Field(
        30, gt=0, description="Seconds that the service may take for one request."
    )
    retries: Operational[int] = Field(
        5, ge=0, le=20, description="Further attempts where the service is busy or does not answer."
    )

    @field_validator("url")
    @classmethod
    def _plain_url(cls, url: str) -> str:
        return server_url(url)


def _open(config: CosmosConfig) -> CosmosBackend:
    from hierdoc_azure_cosmos_nosql.backend import CosmosBackend

    return CosmosBackend(config)


async def _check(config: CosmosConfig) -> str:
    """Raise where the account does not answer or refuses the key; else say whether there is a container."""
    from hierdoc_azure_cosmos_nosql.service import check

    return await check(config)


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[CosmosConfig, CosmosBackend]]:
    """The vector backend `azure-cosmos-nosql`."""
    yield Provider(CosmosConfig, _open, _check)
