"""Blocks to markdown, with the offset at which each page begins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from hierdoc_pdf.hyphens import Mender
from hierdoc_pdf.marks import BULLET
from hierdoc_pdf.tables import Table
from hierdoc_pdf.values import Block

_START = re.compile(
    r"(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|(?:=+|-+|(?:\* ?){3,}|(?:_ ?){3,})\s*$|```|~~~|:\s|\[[^\]]*\]:)"
)
_INLINE = re.compile(
    r"\\(?=[!-/:-@\[-`{-~])|`|<(?=[A-Za-z/!?])|&(?=#?\w{1,31};)|\*(?=\S)|(?<=\S)\*"
    r"|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)|\](?=\(|\[)|~~"
)
_SUSPECT = re.compile(r"[\\`<&*_\]~]")
_CLOSING = re.compile(r"(?<=\s)#+\s*$")


def escaped(text: str) -> str:
    """The text with a backslash before what markdown would take for structure within a line."""
    if not _SUSPECT.search(text):
        return text
    return _INLINE.sub(lambda match: "\\" + match[0], text)


def escaped_start(text: str) -> str:
    """The same, for text that begins a line."""
    text = escaped(text)
    return "\\" + text if _START.match(text) else text


def render(blocks: Sequence[Block], pages: int, mender: Mender) -> tuple[str, tuple[int, ...]]:
    """The document, and for each page where it begins; a page without text begins where the next one does.

    Args:
        blocks: In document order.
        pages: How many the file has.
        mender: Joins lines.
    """
    out = _Writer(pages)
    depths: list[float] = []
    listed = False
    for block in blocks:
        if out.length:
            out.write("\n" if listed and block.listed else "\n\n")
        if block.table is not None:
            out.begin(block.page)
            out.write(_table(block.table))
        elif block.style is not None:
            _write_parts(out, block, "#" * max(1, block.level) + " ", mender, _heading)
        elif block.listed:
            depths = [depth for depth in depths if depth < block.depth - 3] if listed else []
            _write_parts(out, block, "  " * min(len(depths), 4) + "- ", mender, escaped_start)
            depths.append(block.depth)
        else:
            _write_parts(out, block, "", mender, escaped_start)
        listed = block.listed
    return out.finished()


class _Writer:
    """Text as it grows, and where pages began."""

    def __init__(self, pages: int) -> None:
        self._parts: list[str] = []
        self._starts: list[int | None] = [None] * pages
        self.length = 0

    def write(self, text: str) -> None:
        self._parts.append(text)
        self.length += len(text)

    def begin(self, page: int) -> None:
        """What follows stands on this page."""
        if 0 <= page < len(self._starts) and self._starts[page] is None:
            self._starts[page] = self.length

    def finished(self) -> tuple[str, tuple[int, ...]]:
        starts: list[int] = []
        following = self.length
        for start in reversed(self._starts):
            following = following if start is None else min(start, following)
            starts.append(following)
        starts.reverse()
        if starts:
            starts[0] = 0
        return "".join(self._parts), tuple(starts)


def _write_parts(
    out: _Writer, block: Block, prefix: str, mender: Mender, start: Callable[[str], str]
) -> None:
    """A block that may go on over several pages."""
    lines = [line for _, several in block.parts for line in several]
    joints = mender.joints(lines)
    position = 0
    for number, (page, several) in enumerate(block.parts):
        out.begin(page)
        if not number:
            out.write(prefix)
        pieces: list[str] = []
        for line in several:
            pieces.append(line if not joints[position].cut else line[:-1])
            pieces.append(joints[position].glue)
            position += 1
        text = "".join(pieces).replace("\ufffe", "-")
        if block.listed and not number:
            text = BULLET.sub("", text, count=1).lstrip()
        out.write(start(text) if not number else escaped(text))


def _heading(text: str) -> str:
    return _CLOSING.sub(lambda match: "\\" + match[0], escaped(text))


def _table(table: Table) -> str:
    header, *rows = table.rows
    rules = ["---:" if numeric else "---" for numeric in table.numeric]
    lines = [_row(header), _row(rules, raw=True), *map(_row, rows)]
    return "\n".join(lines)


def _row(cells: Iterable[str], *, raw: bool = False) -> str:
    shown = cells if raw else (_cell(cell) for cell in cells)
    return "| " + " | ".join(shown) + " |"


def _cell(text: str) -> str:
    return escaped(text).replace("|", "\\|").replace("\ufffe ", "").replace("\ufffe", "-")
