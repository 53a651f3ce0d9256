"""Org mode files for hierdoc: the plugin that the tutorial writes."""

import re
from collections.abc import Iterable
from typing import Any, Literal

from hierdoc import ConversionError, Document, Source
from hierdoc.plugin import Provider, ProviderConfig, hookimpl


class OrgConfig(ProviderConfig):
    """Org mode files: `* Heading` becomes `# Heading`."""

    provider: Literal["org"] = "org"


class OrgConverter:
    """Turns an Org file into markdown."""

    suffixes = (".org",)

    async def convert(self, source: Source) -> Document:
        """The document; hierdoc reads its structure from the headings."""
        utf16 = source.data.startswith((b"\xff\xfe", b"\xfe\xff"))
        try:
            text = source.data.decode("utf-16" if utf16 else "utf-8-sig")
        except UnicodeDecodeError as error:
            raise ConversionError(f"{source.name} is no text", hint="Save it as UTF-8.") from error
        text = re.sub(r"(?m)^(\*+) ", lambda stars: "#" * len(stars[1]) + " ", text)
        title = re.search(r"(?mi)^#\+title:[ \t]*(\S.*)$", text)
        return Document(source.name, title[1].strip() if title else source.name, text)


@hookimpl
def hierdoc_converters() -> Iterable[Provider[Any, Any]]:
    """The converter `org`."""
    yield Provider(OrgConfig, lambda config: OrgConverter())
