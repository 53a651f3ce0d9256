"""PDF, Word, PowerPoint, Excel and more through markitdown, for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from hierdoc import Provider, ProviderConfig, hookimpl


class MarkitdownConfig(ProviderConfig):
    """Documents through markitdown, on this machine alone."""

    provider: Literal["markitdown"] = "markitdown"


def _open(config: MarkitdownConfig) -> Any:
    from hierdoc_markitdown.converter import MarkitdownConverter

    return MarkitdownConverter()


@hookimpl
def hierdoc_converters() -> Iterable[Provider[Any, Any]]:
    """One converter for all formats."""
    yield Provider(
        "markitdown", MarkitdownConfig, _open, "PDF, Word, PowerPoint, Excel and more, to markdown"
    )
