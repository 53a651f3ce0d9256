"""EPUB books and OpenDocument texts for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from hierdoc.plugin import Provider, ProviderConfig, hookimpl


class EbookConfig(ProviderConfig):
    """EPUB books and OpenDocument texts, to markdown, with the outline that they state."""

    provider: Literal["ebook"] = "ebook"


def _open_ebook(config: EbookConfig) -> Any:
    from hierdoc_ebook.converter import EbookConverter

    return EbookConverter()


@hookimpl
def hierdoc_converters() -> Iterable[Provider[Any, Any]]:
    """The converter `ebook`."""
    yield Provider(EbookConfig, _open_ebook)
