"""What a plugin registers: one provider for each way to get a component of a kind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args

if TYPE_CHECKING:
    from hierdoc.plugin.protocols import Embedder
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
        config: A model derived from `ProviderConfig`; it names and describes the provider.
        open: Makes the component; imports the SDK, does no network I/O.
        check: For `hierdoc doctor`: raises where the component would not work, as when a server does not answer; may
            return in a line what it found, such as the server's version.

    Raises:
        TypeError: The model does not derive from `ProviderConfig`, or `provider` is no `Literal` with itself as default.
    """

    config: type[ConfigT]
    open: Callable[[ConfigT], T]
    check: Callable[[ConfigT], Awaitable[str | None]] | None = None

    def __post_init__(self) -> None:
        from hierdoc.plugin.settings import ProviderConfig  # pydantic: not for `hierdoc --help`

        given: Any = self.config
        if not (isinstance(given, type) and issubclass(given, ProviderConfig)):
            raise TypeError(f"{given!r} is no model derived from ProviderConfig")
        field = given.model_fields["provider"]
        if get_args(field.annotation) != (field.default,):
            raise TypeError(f'{given.__name__} lacks `provider: Literal["name"] = "name"`')

    @cached_property  # each search asks for it several times, for traces
    def name(self) -> str:
        """The value of `provider:`."""
        return str(self.config.model_fields["provider"].default)

    @property
    def summary(self) -> str:
        """One line for `hierdoc plugins list`: the first of the model's docstring, without its full stop."""
        return (self.config.__doc__ or "").strip().partition("\n")[0].rstrip().removesuffix(".")


def check_embedder(open: Callable[[ConfigT], Embedder]) -> Callable[[ConfigT], Awaitable[None]]:
    """The `check` of an embedder's provider: embeds a word, which loads the model or asks the server.

    Args:
        open: The provider's.
    """

    async def check(config: ConfigT) -> None:
        from hierdoc.plugin.protocols import SupportsClose

        embedder = open(config)
        try:
            await embedder.embed_query("word")
        finally:
            if isinstance(embedder, SupportsClose):
                await embedder.aclose()

    return check
