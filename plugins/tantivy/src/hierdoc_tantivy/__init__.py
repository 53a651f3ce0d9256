"""BM25 and phrases in a Tantivy index, for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from hierdoc.plugin import ALL_FILTERS, Capability, IndexPath, Provider, ProviderConfig, hookimpl

Language = Literal[
    "auto", "none", "da", "de", "en", "es", "fi", "fr", "it", "nl", "no", "pt", "ro", "ru", "sv"
]
"""How words are stemmed: by the language of each document, not at all, or always by one."""


class TantivyConfig(ProviderConfig):
    """BM25 (k1 1.2, b 0.75) and phrases in a Tantivy index."""

    capabilities = ALL_FILTERS | {
        Capability.ATOMIC_REPLACE,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
        Capability.PHRASES,
    }

    provider: Literal["tantivy"] = "tantivy"
    path: IndexPath = Field(
        None, validate_default=True, description="Folder of the index; null for the default one."
    )
    language: Language = Field("auto", description="How words are stemmed.")


def _open_tantivy(config: TantivyConfig) -> Any:
    from hierdoc_tantivy.backend import TantivyKeywordBackend

    return TantivyKeywordBackend(config.path, config.language)


@hookimpl
def hierdoc_keyword_backends() -> Iterable[Provider[Any, Any]]:
    """The keyword backend `tantivy`."""
    yield Provider(TantivyConfig, _open_tantivy)
