"""reStructuredText for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from hierdoc.plugin import Provider, ProviderConfig, hookimpl


class RstConfig(ProviderConfig):
    """reStructuredText, to markdown, with the sections that docutils reads in it."""

    provider: Literal["rst"] = "rst"


def _open_rst(config: RstConfig) -> Any:
    from hierdoc_rst.converter import RstConverter

    return RstConverter()


@hookimpl
def hierdoc_converters() -> Iterable[Provider[Any, Any]]:
    """The converter `rst`."""
    yield Provider(RstConfig, _open_rst)
