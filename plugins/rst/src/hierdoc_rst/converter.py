"""reStructuredText to markdown with the sections that docutils reads in it."""

from __future__ import annotations

import asyncio

from hierdoc import ConversionError, Document, Source
from hierdoc.plugin.decoding import decode, find_title
from hierdoc_html.blocks import write_outlined
from hierdoc_html.flow import blocks_of
from hierdoc_rst.parsing import LONGEST_LINE, parse
from hierdoc_rst.reading import read


class RstConverter:
    """Makes markdown of reStructuredText: sections, lists, tables, code, footnotes; fields at the beginning are metadata too."""

    suffixes = (".rst", ".rest")

    async def convert(self, source: Source) -> Document:
        """The document.

        Raises:
            ConversionError: The file is no text, or docutils cannot read it.
        """
        return await asyncio.to_thread(_convert, source)


def _convert(source: Source) -> Document:
    text = decode(source.data, source.name)
    longest = max(map(len, text.split("\n")))
    if longest > LONGEST_LINE:
        raise ConversionError(
            f"{source.name}: has a line of {longest:,} characters, the limit is {LONGEST_LINE:,}",
            hint="Break it, or give the file the suffix .txt.",
        )
    try:
        tree = parse(text)
    except Exception as error:  # whatever docutils raises, it is this file that fails
        reason = " ".join(str(error).split())[:300]
        raise ConversionError(
            f"{source.name}: cannot be converted: {type(error).__name__}: {reason}",
            hint="To read it as bare text, give the file the suffix .txt.",
        ) from error
    root, fields = read(tree)
    markdown, outline = write_outlined(blocks_of(root))
    title = find_title(markdown, fields, source.name)
    return Document(source.name, title, markdown, metadata=fields, outline=outline)
