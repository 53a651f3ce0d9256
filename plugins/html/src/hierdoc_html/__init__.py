"""HTML and XHTML for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from hierdoc.plugin import Provider, ProviderConfig, hookimpl


class HtmlConfig(ProviderConfig):
    """HTML and XHTML, to markdown."""

    provider: Literal["html"] = "html"


def _open_html(config: HtmlConfig) -> Any:
    from hierdoc_html.converter import HtmlConverter

    return HtmlConverter()


@hookimpl
def hierdoc_converters() -> Iterable[Provider[Any, Any]]:
    """The converter `html`."""
    yield Provider(HtmlConfig, _open_html)
