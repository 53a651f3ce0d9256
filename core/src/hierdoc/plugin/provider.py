"""What a plugin registers: one provider for each way to get a component of a kind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from hierdoc.plugin.capabilities import Capability
    from hierdoc.plugin.settings import ProviderConfig

ConfigT = TypeVar("ConfigT", bound="ProviderConfig")
T = TypeVar("T", covariant=True)


class ComponentKind(str, Enum):
    """The kinds of components; the value is the configuration's key."""

    CONVERTER = "converter"
    CHUNKER = "chunker"
    CONTEXT = "context"
    EMBEDDER = "embedder"
    VECTOR = "vector"
    KEYWORD = "keyword"
    FUSER = "fuser"
    RERANKER = "reranker"

    @property
    def hook(self) -> str:
        """The hook by which plugins register providers of this kind."""
        return {
            ComponentKind.CONTEXT: "hierdoc_context_generators",
            ComponentKind.VECTOR: "hierdoc_vector_backends",
            ComponentKind.KEYWORD: "hierdoc_keyword_backends",
        }.get(self, f"hierdoc_{self.value}s")


@dataclass(frozen=True)
class Provider(Generic[ConfigT, T]):
    """One way to get a component: what a plugin registers.

    Attributes:
        name: The value of `provider:`.
        config: A frozen pydantic model derived from `ProviderConfig`, with `provider: Literal[name]`.
        open: Makes the component; imports the SDK, does no network I/O.
        summary: One line for `hierdoc plugins list`.
        check: For `hierdoc doctor`: raises where the component would not work, as when a server does not answer.
        capabilities: What a backend claims with default settings, so that `hierdoc plugins list` need not open it; the
            conformance kit compares.
    """

    name: str
    config: type[ConfigT]
    open: Callable[[ConfigT], T]
    summary: str
    check: Callable[[ConfigT], Awaitable[None]] | None = None
    capabilities: frozenset[Capability] | None = None
