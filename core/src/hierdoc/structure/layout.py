"""A text laid out once: its headings, blocks, fences and tables, in one frozen value that every later step takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from hierdoc.structure.markdown import Heading, find_headings_and_blocks, with_newlines
from hierdoc.structure.plain import read_plain
from hierdoc.structure.spans import Spans as Spans


class Lines:
    r"""Counts the lines of a text from where it last stood; they end with `\n`, `\r\n` or `\r`."""

    def __init__(self, text: str) -> None:
        self._text = with_newlines(text)
        self._place, self._line = 0, 1

    def at(self, place: int) -> int:
        """The line of a place, from 1."""
        if place < self._place:
            self._place, self._line = 0, 1
        self._line += self._text.count("\n", self._place, place)
        self._place = place
        return self._line

    def of(self, start: int, end: int) -> tuple[int, int]:
        """The first and the last line of `text[start:end]`."""
        first = self.at(start)
        return first, first + self._text.count("\n", start, end - 1)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that follow each other.

    Attributes:
        start: Where the first row begins.
        end: Where the last row ends, without its line ending.
        header: The row above the delimiter row; empty where there is none.
        header_end: Where that row ends; `start` where there is none.
    """

    start: int
    end: int
    header: str
    header_end: int


@dataclass(frozen=True)
class Layout:
    r"""What the lines of a text are to markdown.

    Attributes:
        text: With all line endings and page breaks written `\n`, and wide and other digits, spaces and punctuation as those of ASCII,
            every offset unchanged.
        headings: Markdown's, in order.
        blocks: Spans of front matter, fences and HTML, which hold no headings, in order.
        furniture: Spans of the headers and footers of pages, in order.
    """

    text: str
    headings: tuple[Heading, ...]
    blocks: tuple[tuple[int, int], ...]
    furniture: tuple[tuple[int, int], ...] = ()

    @cached_property
    def hidden(self) -> Spans:
        """Where no structure is looked for: the blocks, fences within lists and quotes, headers and footers."""
        return Spans((*self.blocks, *find_fences(self.text), *self.furniture))


def lay_out(text: str, *, plain: bool = False) -> Layout:
    """The layout of a text.

    Args:
        text: Markdown, or plain text.
        plain: Whether it is plain; see `hierdoc.structure.plain`.
    """
    furniture: tuple[tuple[int, int], ...] = ()
    if "\r" in text or "\f" in text:
        text = with_newlines(text)
        furniture = tuple(_furniture(text))
        text = text.replace("\f", "\n")
    if plain:
        read = read_plain(text)
        return Layout(_folded(read.text), read.headings, read.blocks, furniture)
    headings, blocks = find_headings_and_blocks(text)
    return Layout(_folded(text), tuple(headings), tuple(blocks), furniture)


def _folded(text: str) -> str:
    """The text with the signs of ASCII for those of other scripts that mean the same."""
    if text.isascii() or not any(sign in text for sign in _TELLING):
        return text
    return text.translate(_NARROW)


def _furniture(text: str) -> Iterator[tuple[int, int]]:
    """The first and last lines of pages that come on several, but for their digits."""
    lines: dict[str, list[tuple[int, int]]] = {}
    feed = text.find("\f")
    while feed >= 0:
        last = _last_line(text, feed)
        first = _FIRST_LINE.match(text, feed + 1)
        for line in filter(None, (last, first)):
            shown = _NUMBERS.sub("0", " ".join(line[1].split()))
            lines.setdefault(shown, []).append(line.span(1))
        feed = text.find("\f", feed + 1)
    for spans in lines.values():
        if len(spans) >= _FEWEST_PAGES:
            yield from spans


def _last_line(text: str, feed: int) -> re.Match[str] | None:
    """The last line before the end of a page."""
    low = max(0, feed - _LONGEST_EDGE)
    end = low + len(text[low:feed].rstrip(" \t\n"))
    return _LAST_LINE.search(text, max(low, text.rfind("\n", low, end) + 1), feed)


def find_fences(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Spans of fenced code, also within lists and quotes; an open fence reaches to the end."""
    fences = []
    end = len(text) if end is None else end
    opening: re.Match[str] | None = None
    since = opened = start
    for fence in _fence_runs(text, start, end):
        since = max(text.rfind("\n", since, fence.start()) + 1, since)
        if opening is None:
            rest = fence[2]
            if (fence[1][0] == "~" or "`" not in rest) and _BEFORE_FENCE.fullmatch(
                text, since, fence.start()
            ):
                opening, opened = fence, since
        elif (
            fence[1].startswith(opening[1])
            and not fence[2].strip()
            and _BEFORE_FENCE.fullmatch(text, since, fence.start())
        ):
            fences.append((opened, fence.end()))
            opening = None
    if opening is not None:
        fences.append((opened, end))
    return fences


def find_tables(text: str, fences: Spans | None = None) -> list[Table]:
    """The tables of a text, in order: GitHub's, with or without pipes around rows, and rows that begin with a pipe.

    Args:
        text: Markdown.
        fences: Fenced code, where there are no tables.
    """
    tables: list[Table] = []
    for rows in _runs_of_rows(text):
        if not (fences and fences.holds(rows[0][0])):
            tables += _tables_of(text, rows)
    return tables


def _runs_of_rows(text: str) -> Iterator[list[tuple[int, int]]]:
    """Lines that hold pipes and follow each other."""
    rows: list[tuple[int, int]] = []
    place = text.find("|")
    behind = 0
    while place >= 0:
        start = text.rfind("\n", behind, place) + 1 or behind
        end = text.find("\n", place)
        end = len(text) if end < 0 else end
        if rows and start != rows[-1][1] + 1:
            yield rows
            rows = []
        rows.append((start, end))
        behind = min(end + 1, len(text))
        place = text.find("|", end)
    if rows:
        yield rows


def _tables_of(text: str, rows: Sequence[tuple[int, int]]) -> Iterator[Table]:
    """The tables that lines with pipes make: one under a header, else one of each run of rows that begin with a pipe."""
    if len(rows) > 1 and _DELIMITERS.fullmatch(text, *rows[1]):
        header = text[slice(*rows[0])].strip(" \t\r>")
        yield Table(rows[0][0], rows[-1][1], header, rows[0][1])
        return
    since: int | None = None
    for start, end in rows:
        if _FIRST_PIPE.match(text, start, end):
            since = start if since is None else since
            last = end
        elif since is not None:
            yield Table(since, last, "", since)
            since = None
    if since is not None:
        yield Table(since, last, "", since)


def _fence_runs(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The first run of three backticks or tildes, or more, of each line that has one, and what follows it there."""
    ticks, tildes = text.find("`", start, end), text.find("~", start, end)  # many times as fast
    ticks = text.find("```", ticks, end) if ticks >= 0 else ticks
    tildes = text.find("~~~", tildes, end) if tildes >= 0 else tildes
    while ticks >= 0 or tildes >= 0:
        place = min(ticks, tildes) if ticks >= 0 and tildes >= 0 else max(ticks, tildes)
        run = _FENCE.match(text, place, end)
        assert run is not None
        yield run
        if 0 <= ticks < run.end():
            ticks = text.find("```", run.end(), end)
        if 0 <= tildes < run.end():
            tildes = text.find("~~~", run.end(), end)


_NARROW = str.maketrans(
    "\u3000０１２３４５６７８９（）．：；，！？٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९๐๑๒๓๔๕๖๗๘๙؛،؟",
    " 0123456789().:;,!?0123456789012345678901234567890123456789;,?",
)
_TELLING = "\u3000（，：；．０１２٠١٢۰۱۲०१२๑๒،"
"""Signs of which a text has one at least that is written with some of these."""

_LONGEST_EDGE = 300
_LAST_LINE = re.compile(r"([^\n\f]{1,200})[ \t\n]{0,20}\Z")
_FIRST_LINE = re.compile(r"[ \t\n]{0,20}([^\n\f]{1,200})")
_NUMBERS = re.compile(r"[0-9]+")
_FEWEST_PAGES = 3
"""Pages on which a line comes that belongs to none of them."""

_FENCE = re.compile(r"(`{3,}|~{3,})([^\n]*)")
_BEFORE_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?")
_DELIMITERS = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t\r]*")
_FIRST_PIPE = re.compile(r"[ \t>]*\|")
