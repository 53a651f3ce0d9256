"""EPUB and OpenDocument to markdown: each format has a module of its own, which makes a tree of HTML elements."""

from __future__ import annotations

from hierdoc import ConversionError, Document, Source
from hierdoc.plugin import ConversionLimits, ConversionPool
from hierdoc.plugin.decoding import TITLE_LIMIT, find_title
from hierdoc_ebook import epub, odt
from hierdoc_html.blocks import write_outlined
from hierdoc_html.flow import blocks_of
from hierdoc_xml.archive import Archive


class EbookConverter(ConversionPool):
    """Makes markdown of books and texts; their outline is the one that they state.

    Args:
        limits: What a file may take, in processes of their own; without them it is converted here.
    """

    suffixes = (".epub", ".odt")

    def __init__(self, limits: ConversionLimits | None = None) -> None:
        super().__init__(convert, limits)


def convert(source: Source) -> Document:
    """The document of a file.

    Raises:
        ConversionError: The file is damaged, encrypted, too large unpacked, or not what its name says.
    """
    if source.suffix not in _READERS:
        raise ConversionError(
            f"{source.name}: is not of a format that this converter reads",
            hint=f"It reads {', '.join(_READERS)}.",
        )
    root, metadata = _READERS[source.suffix](Archive(source))
    text, outline = write_outlined(blocks_of(root))
    language = metadata.pop("language", "").lower()[:2]
    title = metadata.get("title", "")[:TITLE_LIMIT] or find_title(text, {}, source.name)
    known = language if language.isascii() and len(language) == 2 and language.isalpha() else None
    return Document(source.name, title, text, (), metadata, known, outline=outline)


_READERS = {".epub": epub.read, ".odt": odt.read}
