"""Word files for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from hierdoc.plugin import ConversionLimits, Operational, Provider, ProviderConfig, hookimpl


class DocxConfig(ProviderConfig):
    """Word files, to markdown, with the numbers that Word gives to headings and paragraphs."""

    provider: Literal["docx"] = "docx"
    limits: Operational[ConversionLimits] = Field(
        default_factory=ConversionLimits, description="What the conversion of one file may take."
    )


def _open_docx(config: DocxConfig) -> Any:
    from hierdoc_docx.converter import DocxConverter

    return DocxConverter(config.limits)


@hookimpl
def hierdoc_converters() -> Iterable[Provider[Any, Any]]:
    """The converter `docx`."""
    yield Provider(DocxConfig, _open_docx)
