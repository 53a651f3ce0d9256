"""The opened components of one index, and what identifies the pipeline that they make."""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass, fields
from typing import Any

from hierdoc.config.models import Config
from hierdoc.errors import HierdocError
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
    SupportsTokenCount,
    SupportsTokenLimit,
    VectorBackend,
)
from hierdoc.plugin.provider import ComponentKind
from hierdoc.plugin.registry import Registry
from hierdoc.text.language import estimate_tokens

logger = logging.getLogger("hierdoc")

_STRUCTURE_VERSION = 3
"""Counts the changes to `hierdoc.structure` that make a difference to what is stored."""


@dataclass(frozen=True)
class Components:
    """What the pipeline consists of.

    Attributes:
        pipeline: Fingerprint of converter, chunker and context with their settings; see `fingerprint`.
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

    @classmethod
    def open(cls, config: Config, registry: Registry) -> Components:
        """Open every configured component; nothing is read, written or connected to yet.

        Raises:
            PluginLoadError: A component's library is not installed.
        """
        opened: dict[str, Any] = {}
        for kind in ComponentKind:
            chosen = config.component(kind)
            opened[kind.value] = None if chosen is None else registry.open(kind, chosen)
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
        return cls(**opened, pipeline=json.dumps([_STRUCTURE_VERSION, *parts], sort_keys=True))

    def spec(self) -> IndexSpec:
        """What the stores are made for."""
        return IndexSpec(self.embedder.fingerprint, self.embedder.dimensions)

    def fingerprint(self) -> str:
        """Of all that decides what is stored of a document, besides its bytes: 16 hexadecimal digits."""
        text = f"{self.pipeline}\n{self.embedder.fingerprint}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    async def aclose(self) -> None:
        """Close every component that can be closed; the first error is raised after all were tried."""
        first: Exception | None = None
        for field in fields(self):
            component = getattr(self, field.name)
            if isinstance(component, SupportsClose):
                try:
                    await component.aclose()
                except Exception as error:  # re-raised below
                    first = first or error
        if first:
            raise first


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
    """Provider, its version and its settings; secrets are masked by their type."""
    component = config.component(kind)
    assert component is not None
    registered = registry.registered(kind, component.provider)
    return [
        registered.provider.name,
        registered.distribution,
        registered.version,
        component.model_dump(mode="json"),
    ]
