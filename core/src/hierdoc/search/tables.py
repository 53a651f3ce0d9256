"""Tables that a query asks for: known by what their rows and columns are called, whatever stands above them.

A report has one balance sheet and speaks of it on a hundred pages. Its rows tell it: few chunks have `total current assets`, `retained
earnings` and `accounts payable` at the beginnings of lines.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence

from hierdoc.filters import Filter
from hierdoc.models import Match
from hierdoc.plugin.protocols import KeywordBackend
from hierdoc.search.terminology import TableKind, compared

_KINDS = 3
"""Kinds of tables of one query that are looked for."""

_EACH = 10
"""Chunks that are looked at for each kind."""

_FEWEST = 3
"""Rows at least by which a table is known."""

_SHARE = 0.4
"""Of the rows of the best chunk, how many another has at least: a table that was cut in two."""

_LONGEST = 8
"""Words at the beginning of a row that are compared."""


async def like_tables(
    keyword: KeywordBackend, kinds: Sequence[TableKind], asked: str, filter: Filter | None
) -> Sequence[Sequence[Match]]:
    """For each kind of table the chunks that have most words of its rows or, where it is known by a column, of what is asked.

    Args:
        keyword: Asked once for each kind.
        kinds: What to look for.
        asked: The query.
        filter: Which records to consider.
    """
    texts = [" ".join(kind.rows) or f"{asked} {kind.name}" for kind in kinds[:_KINDS]]
    return await asyncio.gather(*(keyword.search(text, _EACH, filter) for text in texts))


def recognised(
    kinds: Sequence[TableKind], found: Sequence[Sequence[str]], texts: Mapping[str, str]
) -> Mapping[str, float]:
    """The chunks that are tables of these kinds -> how fully, up to 1.

    Args:
        kinds: What is asked for.
        found: For each of them the ids of chunks that may be such a table.
        texts: Of chunks and what stands above them, by id.
    """
    tables: dict[str, float] = {}
    for kind, ids in zip(kinds, found, strict=False):
        held = {name: rows_of(kind, texts[name]) for name in ids if name in texts}
        most = max(held.values(), default=0)
        for name, rows in held.items():
            share = rows / most if rows >= max(_FEWEST, _SHARE * most) else 0.0
            if share < 1 and kind.columns and has_column(kind, texts[name]):
                share = 1.0
            if share:
                tables[name] = max(tables.get(name, 0.0), share)
    return tables


def rows_of(kind: TableKind, text: str) -> int:
    """How many of a kind's rows a text has, each counted once."""
    held = set()
    for line in text.splitlines() if kind.rows else ():
        words = compared(line[:_LINE]) if any(map(str.isdigit, line)) else ()
        for end in range(1, min(_LONGEST, len(words)) + 1):
            if words[:end] in kind.labels:
                held.add(words[:end])
                break
    return len(held)


def has_column(kind: TableKind, text: str) -> bool:
    """Whether the headers of the tables of a text name one of a kind's columns."""
    first = True
    for line in text.splitlines():
        is_row = "|" in line
        if is_row and first:
            for cell in line[:_LONGEST_HEADER].split("|"):
                words = compared(cell)
                if any(
                    words[-len(one) :] == one or words[: len(one)] == one for one in kind.headers
                ):
                    return True
        first = not is_row
    return False


def longest_row_in(asked: str, text: str) -> int:
    """The words of the longest label of a row that stands in a query as a whole, 0 where none does.

    Args:
        asked: The query's words in lower case, with a space around each.
        text: Of a table.
    """
    longest = 0
    for cell in _FIRST_CELL.findall(text.casefold()):
        label = cell.replace("-", " ")
        if f" {label} " in asked:
            longest = max(longest, label.count(" ") + 1)
    return longest


_FIRST_CELL = re.compile(r"(?m)^[ \t]*\|[ \t*_]*([^\W_][^|,(*_\n]{0,98}[^\W_])")
"""What a row is called, up to a comma or bracket."""

_LINE = 200
"""Characters of a line in which its label stands."""

_LONGEST_HEADER = 2_000
"""Characters of a header that are looked at."""
