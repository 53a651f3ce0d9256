"""EPUB books and OpenDocument texts for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from hierdoc.plugin import ConversionLimits, Operational, Provider, ProviderConfig, hookimpl


class EbookConfig(ProviderConfig):
    """EPUB books and OpenDocument texts, to markdown, with the outline that they state."""

    provider: Literal["ebook"] = "ebook"
    limits: Operational[ConversionLimits] = Field(
        default_factory=ConversionLimits, description="What the conversion of one file may take."
    )


def _open_ebook(config: EbookConfig) -> Any:
    from hierdoc_ebook.converter import EbookConverter

    return EbookConverter(config.limits)


@hookimpl
def hierdoc_converters() -> Iterable[Provider[Any, Any]]:
    """The converter `ebook`."""
    yield Provider(EbookConfig, _open_ebook)
