"""Law and books as XML for hierdoc: USLM, Akoma Ntoso, Formex, DocBook, JATS and gii-norm."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from hierdoc.plugin import Provider, ProviderConfig, hookimpl


class XmlConfig(ProviderConfig):
    """XML of law and books, to markdown, with the sections and numbers that the markup states."""

    provider: Literal["xml"] = "xml"


def _open_xml(config: XmlConfig) -> Any:
    from hierdoc_xml.converter import XmlConverter

    return XmlConverter()


@hookimpl
def hierdoc_converters() -> Iterable[Provider[Any, Any]]:
    """The converter `xml`."""
    yield Provider(XmlConfig, _open_xml)
