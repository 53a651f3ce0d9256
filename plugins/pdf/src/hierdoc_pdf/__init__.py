"""PDF with headings, tables, columns and pages, for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any, Literal

from pydantic import Field, SecretStr

from hierdoc.plugin import ConversionLimits, Operational, Provider, ProviderConfig, hookimpl


class PdfConfig(ProviderConfig):
    """PDF by its layout: headings, tables, columns, pages; on this machine alone."""

    provider: Literal["pdf"] = "pdf"
    password: Operational[SecretStr | None] = Field(
        None, description="Opens encrypted files; files without encryption do not need it."
    )
    tables: bool = Field(
        True, description="Write tables as markdown tables; otherwise each row is a line of text."
    )
    outline: bool = Field(
        True,
        description="Take headings from the file's outline (bookmarks) where it has one; otherwise from typography alone.",
    )
    limits: Operational[ConversionLimits] = Field(
        default_factory=ConversionLimits, description="What the conversion of one file may take."
    )


def _open(config: PdfConfig) -> Any:
    from hierdoc_pdf.converter import PdfConverter

    if find_spec("pypdfium2") is None:  # it is imported later, as that takes its time
        raise ModuleNotFoundError("No module named 'pypdfium2'", name="pypdfium2")
    return PdfConverter(
        password=config.password.get_secret_value() if config.password else None,
        tables=config.tables,
        outline=config.outline,
        limits=config.limits,
    )


@hookimpl
def hierdoc_converters() -> Iterable[Provider[Any, Any]]:
    """One converter, for PDF alone: `converter: auto` prefers it."""
    yield Provider(PdfConfig, _open)
