"""Semantic Kernel and hierdoc: an index as functions for a kernel, and the kernel's embedding services and collections for an index."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, JsonValue, SecretStr, model_validator

from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    IndexPath,
    Operational,
    Provider,
    ProviderConfig,
    check_embedder,
    hookimpl,
)
from hierdoc_remote import EmbeddingConfig

if TYPE_CHECKING:
    from hierdoc_semantic_kernel.functions import HierdocPlugin

__all__ = ["HierdocPlugin"]

_PATH = r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$"


class ServiceConfig(EmbeddingConfig):
    """Embeddings by an embedding service of Semantic Kernel's."""

    provider: Literal["semantic-kernel"] = "semantic-kernel"
    service: str = Field(
        pattern=_PATH,
        description="A subclass of EmbeddingGeneratorBase, or an instance of one, as `module:name`.",
    )
    arguments: dict[str, JsonValue] = Field(
        {}, description="What the class is called with, such as `ai_model_id`."
    )
    secrets: Operational[dict[str, SecretStr]] = Field(
        {}, description="The same for what nobody may see, such as `api_key`."
    )
    dimensions: int = Field(ge=1, le=100_000, description="Length of the vectors.")


class CollectionConfig(ProviderConfig):
    """Vectors in a collection of Semantic Kernel's, records in a manifest beside it."""

    capabilities = ALL_FILTERS | {Capability.PERSISTENT}

    provider: Literal["semantic-kernel"] = "semantic-kernel"
    connector: str = Field(
        "semantic_kernel.connectors.in_memory:InMemoryCollection",
        pattern=_PATH,
        description="A subclass of VectorStoreCollection, as `module:name`.",
    )
    arguments: dict[str, JsonValue] = Field(
        {}, description="What the class is called with, such as `persist_directory`."
    )
    secrets: Operational[dict[str, SecretStr]] = Field(
        {}, description="The same for what nobody may see, such as `connection_string`."
    )
    collection: str = Field(
        "hierdoc",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{1,61}[A-Za-z0-9]$",
        description="The collection's name.",
    )
    distance: Literal[
        "dot_prod", "cosine_similarity", "cosine_distance", "euclidean_squared_distance"
    ] = Field(
        "dot_prod",
        description="How the connector compares vectors, all of which have length 1; take one that it supports.",
    )
    index_kind: str = Field("default", description="The connector's kind of index, such as `hnsw`.")
    deletes: bool | None = Field(
        None,
        description="Whether vectors that are no longer needed are deleted one by one; if not, the collection is filled anew "
        "when they are too many. Null for all but faiss's, which finds other records after deletes.",
    )
    batch_size: Operational[int] = Field(
        100,
        ge=1,
        le=10_000,
        description="Vectors in one write, at most; connectors in this process hold others up for as long as one takes.",
    )
    path: IndexPath = Field(
        None,
        validate_default=True,
        description="Folder that the folder of the manifest is made in; null for the index's own.",
    )

    @model_validator(mode="after")
    def _leave_ours(self) -> CollectionConfig:
        ours = {"record_type", "definition", "collection_name"}
        given = sorted(ours & (self.arguments.keys() | self.secrets.keys()))
        if given:
            raise ValueError(f"leave out {' and '.join(given)}, which are hierdoc's to give")
        return self


def open_embedder(config: ServiceConfig) -> Any:
    """The embedder."""
    from hierdoc_semantic_kernel.embedder import ServiceEmbedder

    return ServiceEmbedder(config)


def open_collection(config: CollectionConfig) -> Any:
    """The vector backend."""
    from hierdoc_semantic_kernel.collection import CollectionBackend

    return CollectionBackend(config)


@hookimpl
def hierdoc_embedders() -> Iterable[Provider[Any, Any]]:
    """One for all services."""
    yield Provider(ServiceConfig, open_embedder, check_embedder(open_embedder))


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[Any, Any]]:
    """One for all connectors."""
    yield Provider(CollectionConfig, open_collection)


def __getattr__(name: str) -> Any:
    """`HierdocPlugin`, for which Semantic Kernel is imported when somebody asks for it: that takes seconds."""
    if name == "HierdocPlugin":
        from hierdoc_semantic_kernel.functions import HierdocPlugin

        return HierdocPlugin
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
