"""The opened components of one index, and what identifies the pipeline that they make."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from typing import Any

from hierdoc.config import Config
from hierdoc.protocols import (
    Chunker,
    ContextGenerator,
    Converter,
    Embedder,
    Fuser,
    IndexSpec,
    KeywordBackend,
    Reranker,
    SupportsClose,
    VectorBackend,
)
from hierdoc.registry import Kind, Registry

_STRUCTURE_VERSION = 2
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
        for kind in Kind:
            chosen = config.component(kind)
            opened[kind.value] = None if chosen is None else registry.open(kind, chosen)
        parts = [
            _describe(config, registry, kind)
            for kind in (Kind.CONVERTER, Kind.CHUNKER, Kind.CONTEXT)
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


def _describe(config: Config, registry: Registry, kind: Kind) -> Any:
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
