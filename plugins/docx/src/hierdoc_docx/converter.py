"""Word files to markdown, with the numbers that Word shows and no file holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import PurePosixPath

from hierdoc import ConversionError, Document, Source
from hierdoc.citations import section_key
from hierdoc.plugin import ConversionLimits, ConversionPool
from hierdoc.plugin.decoding import TITLE_LIMIT, find_plain_title, find_title
from hierdoc_docx import body
from hierdoc_docx.package import unpack
from hierdoc_html.blocks import Block, write
from hierdoc_html.converter import title_in_capitals
from hierdoc_html.flow import blocks_of
from hierdoc_xml.metadata import dublin_core

_LONGEST_CAPTION = 200
_OPENING_BLOCKS = 20
_OPENING = 4000
"""Characters in which a document that is called something says so."""


class DocxConverter(ConversionPool):
    """Makes markdown of Word files: headings by style and outline level, paragraphs with their automatic numbers.

    Args:
        limits: What a file may take, in processes of their own; without them it is converted here.
    """

    suffixes = (".docx",)

    def __init__(self, limits: ConversionLimits | None = None) -> None:
        super().__init__(convert, limits)


def convert(source: Source) -> Document:
    """The document of a file.

    Raises:
        ConversionError: The file is damaged, encrypted, too large unpacked, or not what its name says.
    """
    if source.suffix not in DocxConverter.suffixes:
        raise ConversionError(
            f"{source.name}: is not of a format that this converter reads", hint="It reads .docx."
        )
    package = unpack(source)
    blocks = blocks_of(body.read(package))
    headings = [block for block in blocks if block.kind == "heading"]
    text = write(blocks if len(headings) > 1 else [_emphasised(block) for block in blocks])
    metadata = {} if package.properties is None else dublin_core(package.properties)
    metadata.pop("language", None)  # mostly that of the template
    title = _confirmed(metadata.pop("title", ""), text) or _title(blocks, source.name)
    return Document(source.name, title[:TITLE_LIMIT], text, (), metadata)


def _title(blocks: Sequence[Block], name: str) -> str:
    """What a document is called: by its headings, or by what stands before the first one that has a number."""
    first = next((block for block in blocks if block.kind == "heading"), None)
    if first and section_key(first.text) is None:
        return find_title(write(blocks), {}, name)
    above = list(takewhile(lambda block: section_key(block.text) is None, blocks))
    title = find_plain_title(write(above), name)
    if title != PurePosixPath(name).stem:
        return title
    opening = [block for block in blocks[:_OPENING_BLOCKS] if section_key(block.text) is None]
    return title_in_capitals(opening) or title


def _emphasised(block: Block) -> Block:
    """A short paragraph that is bold as a whole, written so: where no style marks headings, this tells which they are."""
    is_caption = block.kind == "paragraph" and block.strong and len(block.text) <= _LONGEST_CAPTION
    if not is_caption or block.rest or "\n" in block.text:
        return block
    return replace(block, text=f"**{block.text}**")


def _confirmed(title: str, text: str) -> str:
    """The title among the file's properties, where the text opens with it; templates and older files leave others there."""
    words = " ".join(title.split())
    return (
        words if words and words.casefold() in " ".join(text[:_OPENING].split()).casefold() else ""
    )
