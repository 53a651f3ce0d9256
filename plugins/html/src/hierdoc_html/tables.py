"""Tables of data become markdown tables; tables that only arrange text become the text.

Laws, letters and old pages put each numbered paragraph into a table of its own, the number in one cell and the text in the
next. Read as data that is a ruin; read row by row it is the paragraph `(1) the text`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hierdoc_html.blocks import Block

MOST_COLUMNS = 200
"""Columns beyond are not set apart, so that `colspan` cannot blow a table up."""

NESTED = "   "
"""The indentation of paragraphs within a numbered one; four spaces would make code of them."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell.

    Attributes:
        blocks: Its content.
        is_header: Whether it is a `th`.
        columns: How many columns it spans.
        rows: How many rows it spans.
    """

    blocks: Sequence[Block]
    is_header: bool = False
    columns: int = 1
    rows: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        rows: Its cells, row by row.
        caption: Its caption's content.
        says_data: Whether it is marked up as data: a caption, header cells, a `thead` or a summary.
        says_layout: Whether its `role` says that it is none.
    """

    rows: Sequence[Sequence[Cell]]
    caption: Sequence[Block] = ()
    says_data: bool = False
    says_layout: bool = False


def table_blocks(table: Table) -> list[Block]:
    """The blocks that a table becomes."""
    if is_layout(table):
        return [*table.caption, *(block for row in table.rows for block in _row_blocks(row))]
    grid = _grid(table)
    if not grid:
        return list(table.caption)
    lines = [f"| {' | '.join(row)} |" for row in grid]
    lines.insert(1, f"|{' --- |' * len(grid[0])}")
    return [*table.caption, Block("table", "\n".join(lines))]


def is_layout(table: Table) -> bool:
    """Whether a table only arranges text.

    It says so by its role; or nothing marks it as data, and it has one column or one row, or puts a number or bullet
    before a text in every row, or holds headings, lists, code, tables or long texts.
    """
    if table.says_layout or table.says_data:
        return table.says_layout
    rows = [_filled(row) for row in table.rows]
    rows = [row for row in rows if row]
    if len(rows) <= 1 or max(map(len, rows)) == 1:
        return True
    if all(len(row) == 1 or (len(row) == 2 and is_marker(row[0])) for row in rows):
        return True
    blocks = [block for row in rows for cell in row for block in cell.blocks]
    if any(block.kind != "paragraph" or block.rest for block in blocks):
        return True
    cells = sum(map(len, rows))
    return len(blocks) > 2 * cells or sum(len(block.text) for block in blocks) > 300 * cells


def is_marker(cell: Cell) -> bool:
    """Whether a cell holds a number or bullet and nothing else: `(1)`, `a)`, `iv.`, `2.1`, `§ 3`, `•`."""
    return len(cell.blocks) == 1 and _MARKER.fullmatch(cell.blocks[0].text) is not None


_MARKER = re.compile(
    r"""[(\[]?(?:\d{1,4}[a-zA-Z]{0,3}|[a-zA-Z]{1,2}|[ivxlcdm]{1,7}|[IVXLCDM]{1,7})[)\].]+
      | \d{1,3}(?:\.\d{1,3})+
      | (?:§|Art\.|No\.|Nr\.)\s?\d{1,4}[a-z]?\.?
      | (?P<bullet>[•·▪◦‣●○■□–—*-])""",
    re.VERBOSE,
)


def _filled(row: Sequence[Cell]) -> list[Cell]:
    return [cell for cell in row if cell.blocks]


def _row_blocks(row: Sequence[Cell]) -> list[Block]:
    """The blocks of a row that only arranges text: a number or bullet joins the text that follows."""
    cells = _filled(row)
    if len(cells) >= 2 and is_marker(cells[0]):
        rest = [block for cell in cells[1:] for block in cell.blocks]
        return _numbered(cells[0].blocks[0].text, rest)
    if len(cells) > 1 and all(_is_short(cell) for cell in cells):
        return [Block("paragraph", " ".join(cell.blocks[0].text for cell in cells))]
    return [block for cell in cells for block in cell.blocks]


def _is_short(cell: Cell) -> bool:
    return (
        len(cell.blocks) == 1
        and cell.blocks[0].kind == "paragraph"
        and len(cell.blocks[0].text) < 100
    )


def _numbered(marker: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks behind a number or bullet, all but the first indented."""
    match = _MARKER.fullmatch(marker)
    is_bullet = match is not None and match["bullet"] is not None
    first, others = blocks[0], blocks[1:]
    if first.kind != "paragraph" or first.first:
        first, others = Block("paragraph", marker), blocks
    elif is_bullet:
        first = first.within("- ", "  ")
    else:
        first = replace(first, text=f"{marker} {first.text}", strong=False, linked=False)
    return [first, *(_indented(block) for block in others)]


def _indented(block: Block) -> Block:
    return block if block.rest.startswith(NESTED) else block.within(NESTED, NESTED)


def _grid(table: Table) -> list[list[str]]:
    """The texts of a table of data, in rows of equal length, without empty rows and columns."""
    grid: list[list[str]] = []
    covered: dict[int, int] = {}
    for row in table.rows:
        texts: list[str] = []
        for cell in row:
            while covered.get(len(texts), 0) > 0:
                covered[len(texts)] -= 1
                texts.append("")
            if len(texts) >= MOST_COLUMNS:
                texts[-1] = f"{texts[-1]} {_text(cell)}".strip()
                continue
            columns = min(max(cell.columns, 1), MOST_COLUMNS - len(texts))
            for column in range(len(texts), len(texts) + columns):
                covered[column] = max(cell.rows, 1) - 1
            texts += [_text(cell)] + [""] * (columns - 1)
        for column in range(len(texts), max(covered, default=-1) + 1):
            covered[column] = max(covered.get(column, 0) - 1, 0)
        if any(texts):
            grid.append(texts)
    width = max(map(len, grid), default=0)
    for texts in grid:
        texts += [""] * (width - len(texts))
    used = [column for column in range(width) if any(texts[column] for texts in grid)]
    return [[texts[column] for column in used] for texts in grid]


def _text(cell: Cell) -> str:
    """A cell's text on one line."""
    return " ".join(" ".join(block.text.replace("|", "\\|").split()) for block in cell.blocks)
