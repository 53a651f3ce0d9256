"""HTML and XHTML to markdown, by a reader of our own: any quality, any nesting, time linear in the length.

Encoding: a byte order mark, else the one that the document declares, else as for plain text. Title: the `title` element
unless it is a file's name, else the first heading, else an opening line in capitals, else the file's name.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from hierdoc import Document, Source
from hierdoc.plugin.decoding import TITLE_LIMIT, decode, find_title
from hierdoc_html.blocks import Block, write
from hierdoc_html.contents import with_listed_headings
from hierdoc_html.flow import blocks_of
from hierdoc_html.headings import with_label_headings
from hierdoc_html.tree import Node, parse


class HtmlConverter:
    """Makes markdown of HTML: headings, lists, tables, code; layout tables become text."""

    suffixes = (".html", ".htm", ".xhtml")

    async def convert(self, source: Source) -> Document:
        """The document.

        Raises:
            ConversionError: The file is no text.
        """
        return await asyncio.to_thread(_convert, source)


def decode_html(data: bytes, name: str) -> str:
    """The markup of a file.

    Args:
        data: The file.
        name: Its name, for messages.

    Raises:
        ConversionError: It is no text.
    """
    declared = _DECLARED.search(data, 0, _DECLARED_WITHIN)
    encoding = declared[1].decode("ascii").lower() if declared else ""
    if _LEGACY.fullmatch(encoding):
        with suppress(UnicodeDecodeError, LookupError):  # where it is not what it declares
            data = data.decode(_SUPERSETS.get(encoding, encoding)).encode()
    return decode(data, name)


_DECLARED = re.compile(
    rb"""<(?:\?xml|meta)\b[^>]*?(?:encoding|charset)\s*=\s*["']?([A-Za-z0-9_:.-]{2,20})""", re.I
)
_DECLARED_WITHIN = 4096
_LEGACY = re.compile(
    r"iso-8859-(?!1$)\d+|windows-125[013-8]|koi8-[ru]|gb2312|gbk|gb18030|big5(?:-hkscs)?"
    r"|euc-(?:jp|kr)|shift[_-]jis|iso-2022-jp|macintosh|tis-620"
)
"""Encodings that only their declaration tells from others; UTF-8, UTF-16 and Windows-1252 are recognised without."""

_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "shift-jis": "cp932"}
"""What browsers read in place of the declared encoding."""

_NO_TITLE = re.compile(
    r".*\.(?:xml|x?html?|docx?|pdf|txt|aspx?|php)|untitled\b.*|(?:new )?document|index|home", re.I
)
_OPENING_BLOCKS = 20


def _convert(source: Source) -> Document:
    root = parse(decode_html(source.data, source.name))
    own = _without_wrapping(blocks_of(root))
    blocks = with_listed_headings(root, with_label_headings(own))
    return Document(source.name, _title(root, own, source.name), write(blocks))


def _title(root: Node, blocks: Sequence[Block], name: str) -> str:
    title = _title_element(root)
    if title and not _NO_TITLE.fullmatch(title):
        return title
    headings = [block for block in blocks if block.kind == "heading"]
    if headings:
        return find_title(write(headings), {}, name)
    return title_in_capitals(blocks) or find_title("", {}, name)


def title_in_capitals(blocks: Sequence[Block]) -> str:
    """The first line in capitals that a document without headings opens with; empty where there is none."""
    opening = (block.text for block in blocks[:_OPENING_BLOCKS] if block.kind == "paragraph")
    for text in opening:
        if text.isupper() and len(text.split()) >= 3 and len(text) <= TITLE_LIMIT:
            return " ".join(text.split())
    return ""


def _title_element(root: Node) -> str:
    """The text of the `title` element, on one line; drawings have titles too, which are not meant."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.name == "title":
            return " ".join(node.text().split())[:TITLE_LIMIT]
        children = [child for child in node.children if isinstance(child, Node)]
        pending += [child for child in reversed(children) if child.name != "svg"]
    return ""


def _without_wrapping(blocks: list[Block]) -> list[Block]:
    """Plain text that a page wraps as preformatted, such as a bill: as text, not as code."""
    code = sum(len(block.text) for block in blocks if block.kind == "code" and not block.info)
    if 10 * code < 9 * sum(len(block.text) for block in blocks):
        return blocks
    unwrapped: list[Block] = []
    for block in blocks:
        if block.kind == "code":
            paragraphs = re.split(r"\n\s*\n", block.text)
            texts = ("\n".join(line.strip() for line in one.split("\n")) for one in paragraphs)
            unwrapped += [
                replace(block, kind="paragraph", text=text.strip("\n"))
                for text in texts
                if text.strip()
            ]
        else:
            unwrapped.append(block)
    return unwrapped
