"""PDF, Word, PowerPoint, Excel and more through markitdown, for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any, Literal

from pydantic import Field

from hierdoc.plugin import ConversionLimits, Operational, Provider, ProviderConfig, hookimpl


class MarkitdownConfig(ProviderConfig):
    """PDF, Word, PowerPoint, Excel and more, to markdown, on this machine alone."""

    provider: Literal["markitdown"] = "markitdown"
    limits: Operational[ConversionLimits] = Field(
        default_factory=ConversionLimits, description="What the conversion of one file may take."
    )


def _open(config: MarkitdownConfig) -> Any:
    from hierdoc_markitdown.converter import MarkitdownConverter

    if find_spec("markitdown") is None:  # it is imported later, as that takes its time
        raise ModuleNotFoundError("No module named 'markitdown'", name="markitdown")
    return MarkitdownConverter(config.limits)


@hookimpl
def hierdoc_converters() -> Iterable[Provider[Any, Any]]:
    """One converter for all formats."""
    yield Provider(MarkitdownConfig, _open)
