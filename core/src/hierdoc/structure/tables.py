"""Tables of pipes: where they are, and the header that a reader needs for the rows further down."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hierdoc.structure.cutting import within


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


def find_tables(text: str, fences: Sequence[tuple[int, int]] = ()) -> list[Table]:
    """The tables of a text, in order: GitHub's, with or without pipes around rows, and rows that begin with a pipe.

    Args:
        text: Markdown.
        fences: Spans of fenced code, in order, where there are no tables.
    """
    tables: list[Table] = []
    rows: list[tuple[int, int]] = []
    place = text.find("|")
    behind = 0
    while place >= 0:
        start = text.rfind("\n", behind, place) + 1 or behind
        end = text.find("\n", place)
        end = len(text) if end < 0 else end
        if rows and start != rows[-1][1] + 1:
            _add(text, rows, fences, tables)
            rows = []
        rows.append((start, end))
        behind = min(end + 1, len(text))
        place = text.find("|", end)
    _add(text, rows, fences, tables)
    return tables


_DELIMITERS = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t\r]*")
_FIRST_PIPE = re.compile(r"[ \t>]*\|")


def _add(
    text: str,
    rows: Sequence[tuple[int, int]],
    fences: Sequence[tuple[int, int]],
    tables: list[Table],
) -> None:
    """Make a table of lines that hold pipes, if they are one."""
    if not rows or within(fences, rows[0][0] + 1):
        return
    if len(rows) > 1 and _DELIMITERS.fullmatch(text, *rows[1]):
        header = text[slice(*rows[0])].strip(" \t\r>")
        tables.append(Table(rows[0][0], rows[-1][1], header, rows[0][1]))
        return
    since: int | None = None
    for start, end in rows:
        if _FIRST_PIPE.match(text, start, end):
            since = start if since is None else since
            last = end
        elif since is not None:
            tables.append(Table(since, last, "", since))
            since = None
    if since is not None:
        tables.append(Table(since, last, "", since))
