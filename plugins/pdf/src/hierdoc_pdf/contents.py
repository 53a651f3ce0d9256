"""Tables of contents: rows that lead to page numbers, in which nothing is a heading."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hierdoc_pdf.lines import Row
from hierdoc_pdf.marks import LABEL, LEADERS, PAGE_NUMBER
from hierdoc_pdf.values import Block

LEAST_ENTRIES = 4
_LEAST_LISTED = 6
_MOSTLY = 0.6
"""Of the lines below a heading, those that end with a number of a page where it is one of a list."""


def contents_rows(rows: Sequence[Row], pages: int) -> tuple[float, float] | None:
    """From where to where down a column there is a table of contents; None if there is none.

    Args:
        rows: Of one column.
        pages: How many the document has.
    """
    entries = [(row, number) for row in rows if (number := _page_number(row)) is not None]
    if len(entries) < LEAST_ENTRIES:
        return None
    numbers = [number for _, number in entries if number > 0]
    rising = sum(a <= b for a, b in itertools.pairwise(numbers))
    plausible = sum(number <= pages + 50 for number in numbers)
    if rising < 0.8 * (len(numbers) - 1) or plausible < 0.8 * len(numbers):
        return None
    first, last = entries[0][0], entries[-1][0]
    within = [row for row in rows if first.top <= row.top <= last.top]
    if len(entries) < 0.35 * len(within):
        return None
    above = [
        row.top
        for row in rows
        if row.top < first.top
        and first.top - row.top < 4 * first.size
        and not LABEL.match(row.text)
    ]
    return min([first.top, *above]), last.bottom


def demote_listings(blocks: Sequence[Block]) -> None:
    """Take headings back that only list others: a run without text between, most of which come again further on."""
    places: dict[str, int] = {}
    for i, block in enumerate(blocks):
        if block.style:
            places[_key(block.text)] = i
    run: list[int] = []
    for i, part in enumerate([*blocks, None]):
        if part is not None and (part.style or (part.table is None and len(part.text) < 60)):
            run.append(i)
            continue
        headed = [j for j in run if blocks[j].style]
        again = [j for j in headed if places[_key(blocks[j].text)] > run[-1]]
        if len(headed) >= _LEAST_LISTED and len(again) >= 0.6 * len(headed):
            last_again = max(again)
            for j in headed:
                if j <= last_again:
                    blocks[j].style = None
        run = []


def lower_listings(blocks: Sequence[Block]) -> None:
    """Put headings of lists that lead to pages, of contents or tables, no higher than what follows: they hold nothing else."""
    headings = [i for i, block in enumerate(blocks) if block.style]
    for i, following in itertools.pairwise(headings):
        ends = [end for block in blocks[i + 1 : following] for end in _ends(block)]
        leading = sum(PAGE_NUMBER.fullmatch(end) is not None for end in ends)
        if len(ends) >= LEAST_ENTRIES and leading >= _MOSTLY * len(ends):
            blocks[i].level = max(blocks[i].level, blocks[following].level)


def _ends(block: Block) -> list[str]:
    """The last word of each line or row of a block."""
    if block.table:
        return [row[-1] for row in block.table.rows if row[-1]]
    return [line.rsplit(maxsplit=1)[-1].strip(".") for _, lines in block.parts for line in lines]


def _key(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _page_number(row: Row) -> int | None:
    """The page to which a row leads; 0 for one that is no plain number."""
    text = row.cells[-1].text
    dotted = any(LEADERS.search(cell.text) for cell in row.cells)
    last = text.rsplit(" ", 1)[-1].strip(".")
    if not PAGE_NUMBER.fullmatch(last):
        return None
    if not dotted and (len(row.cells) < 2 or last != text or not _has_words(row)):
        return None
    return int(last) if last.isdigit() else 0


def _has_words(row: Row) -> bool:
    """Whether letters and no amounts stand before the page number."""
    before = row.cells[:-1]
    return (
        any(character.isalpha() for cell in before for character in cell.text) and len(before) <= 3
    )
