"""Blocks to markdown, with the offset at which each page begins, and where on its page each line stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, zip_longest
from typing import NamedTuple

from hierdoc import Box
from hierdoc_pdf.hyphens import Mender
from hierdoc_pdf.lines import Place
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


class Written(NamedTuple):
    """A document written down.

    Attributes:
        text: Its markdown.
        starts: For each page where it begins; a page without text begins where the next one does.
        boxes: Where its lines and rows stand, in the order of the text.
    """

    text: str
    starts: tuple[int, ...]
    boxes: tuple[Box, ...]


def render(
    blocks: Sequence[Block], sizes: Sequence[tuple[float, float]], mender: Mender
) -> Written:
    """The document as markdown.

    Args:
        blocks: In document order.
        sizes: Width and height of each page of the file.
        mender: Joins lines.
    """
    out = _Writer(sizes)
    depths: list[float] = []
    listed = False
    for block in blocks:
        if out.length:
            out.write("\n" if listed and block.listed else "\n\n")
        if block.table is not None:
            out.begin(block.page)
            _write_table(out, block.table, block.page)
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

    def __init__(self, sizes: Sequence[tuple[float, float]]) -> None:
        self._parts: list[str] = []
        self._sizes = sizes
        self._starts: list[int | None] = [None] * len(sizes)
        self._boxes: list[Box] = []
        self.length = 0

    def write(self, text: str) -> None:
        self._parts.append(text)
        self.length += len(text)

    def begin(self, page: int) -> None:
        """What follows stands on this page."""
        if 0 <= page < len(self._starts) and self._starts[page] is None:
            self._starts[page] = self.length

    def stand(self, page: int, place: Place | None, start: int, end: int) -> None:
        """These characters stand there."""
        width, height = self._sizes[page] if 0 <= page < len(self._sizes) else (0.0, 0.0)
        if place is None or width <= 0 or height <= 0 or start >= end:
            return
        shares = (place.x0 / width, place.top / height, place.x1 / width, place.bottom / height)
        left, top, right, bottom = (round(min(max(share, 0.0), 1.0), 4) for share in shares)
        self._boxes.append(Box(page + 1, left, top, right, bottom, start, end))

    def finished(self) -> Written:
        starts: list[int] = []
        following = self.length
        for start in reversed(self._starts):
            following = following if start is None else min(start, following)
            starts.append(following)
        starts.reverse()
        if starts:
            starts[0] = 0
        return Written("".join(self._parts), tuple(starts), tuple(self._boxes))


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
        first = position
        for line in several:
            pieces.append(line if not joints[position].cut else line[:-1])
            pieces.append(joints[position].glue)
            position += 1
        text = "".join(pieces).replace("\ufffe", "-")
        ends = list(accumulate(map(len, pieces)))[::2]
        if block.listed and not number:
            kept = BULLET.sub("", text, count=1).lstrip()
            ends = [max(end - len(text) + len(kept), 0) for end in ends]
            text = kept
        written = start(text) if not number else escaped(text)
        ends = moved(ends, text, written)
        for place, begin, end in zip(block.places[first:], [0, *ends], ends, strict=False):
            out.stand(page, place, out.length + begin, out.length + end)
        out.write(written)


def moved(places: Sequence[int], text: str, written: str) -> list[int]:
    """Where places in a text are after backslashes came into it."""
    if len(text) == len(written):
        return list(places)
    found: list[int] = []
    at = 0
    for position, place in zip([0, *places], places, strict=False):
        for character in text[position:place]:
            # A backslash of the text stays alone only before what needs none itself.
            added = written[at + (character == "\\")] == "\\" if at + 1 < len(written) else False
            at += 2 if added else 1
        found.append(at)
    return found


def _heading(text: str) -> str:
    return _CLOSING.sub(lambda match: "\\" + match[0], escaped(text))


def _write_table(out: _Writer, table: Table, page: int) -> None:
    header, *rows = map(_row, table.rows)
    rules = _row(["---:" if numeric else "---" for numeric in table.numeric], raw=True)
    lines = [f"{header}\n{rules}", *rows]
    for number, (place, line) in enumerate(zip_longest(table.places, lines), start=1):
        start = out.length
        out.stand(page, place, start, start + len(line))
        out.write(line if number == len(lines) else f"{line}\n")


def _row(cells: Iterable[str], *, raw: bool = False) -> str:
    shown = cells if raw else (_cell(cell) for cell in cells)
    return "| " + " | ".join(shown) + " |"


def _cell(text: str) -> str:
    return escaped(text).replace("|", "\\|").replace("\ufffe ", "").replace("\ufffe", "-")
