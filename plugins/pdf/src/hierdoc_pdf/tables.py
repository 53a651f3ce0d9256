"""Tables: runs of rows whose cells stand below each other, ruled or not, as grids of text.

Columns are the strips between white gutters that run through the rows with values; a cell that spans several, such as a
heading over years, is written above each of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierdoc_pdf.lines import Place, Row, joined
from hierdoc_pdf.marks import BULLET, DECIMAL, DECIMAL_NUMBER, LABEL, LARGER, LEADERS, NUMBERED
from hierdoc_pdf.reading import Segment

LEAST_ROWS = 2
"""Rows with several cells that make a table."""

_LONGEST_VALUE = 40
_MOST_BETWEEN = 3
"""Rows with one cell that may follow each other within a table."""

_VALUE = re.compile(
    r"[$€£¥(\s+-]*(?:US\$|CHF|EUR)?\s*[\d.,]*\d[\d.,]*\s*(?:[)%x*]|\([a-z0-9]\)|pts?|bps?|million|billion)*\s*\)?%?"
    r"|[—–-]+\s*%?|N/?[MA]|n/?[ma]|\*|[$€£¥%)]+",
)
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d[*a-z()\d ]{0,6}|Q[1-4]|FY ?\d{2,4}")
_CURRENCY = re.compile(r"[$€£¥(]+|US\$|\(\s*[$€£¥]|[$€£¥]\s*\(")
_SIGNS = ("$", "€", "£", "¥")
_CLOSING = re.compile(r"[)%*]+|\)\s*%|pts?|bps")


class Table(NamedTuple):
    """A grid.

    Attributes:
        rows: Cells of each row, as many as columns; the first is the header, which may be empty.
        numeric: For each column whether it mostly holds values.
        places: Where each row stands, as wide as the table; None for a header that is empty.
    """

    rows: Sequence[Sequence[str]]
    numeric: Sequence[bool]
    places: Sequence[Place | None] = ()


def split_tables(rows: Sequence[Row], body: float) -> list[Row | Table]:
    """The rows of a page or column, those of tables gathered.

    Args:
        rows: From top to bottom.
        body: The font size of most of the document's text.
    """
    parted = _with_sentences_joined([_with_markers_joined(row, body) for row in rows])
    parts: list[Row | Table] = []
    position = 0
    for start, stop in _runs(parted, body):
        start += _is_title(parted[start:stop])
        table = _table(parted[start:stop])
        if table is None:
            continue
        parts += parted[position:start]
        parts.append(table)
        position = stop
    parts += parted[position:]
    return parts


def is_value(text: str) -> bool:
    """Whether a cell holds an amount, a share, a year or a dash that stands for nothing."""
    return len(text) <= _LONGEST_VALUE and _VALUE.fullmatch(text) is not None


def _with_markers_joined(row: Row, body: float) -> Row:
    """A row whose first cell is only a bullet or number, as in a list or a heading, with that cell joined to the next one."""
    if len(row.cells) < 2:
        return row
    first, second = row.cells[0], row.cells[1]
    text = first.text
    marks = BULLET.fullmatch(text) or NUMBERED.fullmatch(text) or LABEL.fullmatch(text)
    if marks is None and _is_set_apart(row, body):
        marks = DECIMAL_NUMBER.fullmatch(text)
    if not marks or second.x0 - first.x1 > 6 * row.size or is_value(second.text):
        return row
    if LABEL.fullmatch(text) and len(row.cells) > 2:
        return row
    cell = second._replace(
        x0=first.x0,
        text=f"{text} {second.text}",
        bold=second.bold and (first.bold or len(text) < 6),
        italic=second.italic,
    )
    return row._replace(cells=(cell, *row.cells[2:]))


def _is_set_apart(row: Row, body: float) -> bool:
    """Whether a number and a title are set as a heading is; tables have columns of numbers too."""
    if len(row.cells) != 2 or LEADERS.search(row.text):
        return False
    if all(cell.bold for cell in row.cells):
        return row.size >= (_SMALL if "." in row.cells[0].text.rstrip(".") else LARGER) * body
    return row.size >= _LARGE * body


def _with_sentences_joined(rows: Sequence[Row]) -> list[Row]:
    """The rows, those as one cell that a space between sentences parts: below and above it, unlike in tables, no cell begins."""
    found: list[Row] = []
    for i, row in enumerate(rows):
        if len(row.cells) == 2 and row.cells[0].text.endswith(_SENTENCE_ENDS):
            left, right = row.cells
            near = rows[max(0, i - _ROWS_AROUND) : i + _ROWS_AROUND + 1]
            begun = sum(
                abs(cell.x0 - right.x0) < _ALIGNED for other in near for cell in other.cells
            )
            if (
                right.x0 - left.x1 <= _WIDEST_SPACE * row.size
                and begun == 1
                and not is_value(right.text)
            ):
                row = row._replace(cells=(joined(left, right, space=True),))
        found.append(row)
    return found


_LARGE, _SMALL = 1.15, 0.85
"""How large beside the text a number and a title are set that are a heading even if not bold, or if they are and the number has parts."""

_SENTENCE_ENDS = (".", "?", "!")
_WIDEST_SPACE, _ALIGNED, _ROWS_AROUND = 1.6, 2.0, 2
"""Of the font size, the widest space between sentences; in points, how near cells begin that are aligned; rows that are looked at."""


def _runs(rows: Sequence[Row], body: float) -> list[tuple[int, int]]:
    """Where tables may be: from the first to the last row with several cells, few rows with one between them."""
    runs: list[tuple[int, int]] = []
    start, last, several = -1, -1, 0
    for i, row in enumerate(rows):
        if len(row.cells) > 1:
            if start >= 0 and not _continues(rows, last, i, body):
                if several >= LEAST_ROWS:
                    runs.append((start, last + 1))
                start = -1
            if start < 0:
                start, several = i, 0
            last = i
            several += 1
    if start >= 0 and several >= LEAST_ROWS:
        runs.append((start, last + 1))
    return [
        (_upwards(rows, (first, last), before), last)
        for (first, last), before in zip(runs, [0, *(stop for _, stop in runs)], strict=False)
    ]


def _is_title(rows: Sequence[Row]) -> bool:
    """Whether the first row says what the table is, with its company or unit at the right, and does not head columns.

    All of it is bold, it stands apart, has no figures, and the columns are headed by years further down.
    """
    first = rows[0]
    apart = len(rows) > LEAST_ROWS and rows[1].top - first.bottom > 0.9 * first.size
    if not apart or not all(cell.bold for cell in first.cells) or _DIGIT.search(first.text):
        return False
    years = max(
        sum(_YEAR.fullmatch(cell.text) is not None for cell in row.cells) for row in rows[1:4]
    )
    return years >= len(first.cells) > 1


def _continues(rows: Sequence[Row], last: int, i: int, body: float) -> bool:
    """Whether the rows between two with several cells belong to one table with them."""
    between = rows[last + 1 : i]
    reach = rows[last].bottom
    edge = max(rows[last].x1, rows[i].x1)
    left = min(rows[last].x0, rows[i].x0)
    if len(between) > _MOST_BETWEEN:
        return False
    for row in (*between, rows[i]):
        if row.top - reach > 2.6 * max(row.size, rows[last].size):
            return False
        reach = row.bottom
    for row in between:
        cell = row.cells[0]
        wide = row.x1 - row.x0 > 0.8 * (edge - left)
        larger = row.size > 1.15 * max(rows[last].size, rows[i].size)
        titled = _is_heading(cell)
        centred = abs((row.x0 + row.x1) / 2 - (left + edge) / 2) < 0.03 * (edge - left)
        titled = titled or (cell.bold and centred and row.x0 > left + 0.15 * (edge - left))
        if wide or larger or titled:
            return False
    return True


def _is_heading(cell: Segment) -> bool:
    """Whether a cell is bold and begins with a label or a number of several parts."""
    decimal = DECIMAL.match(cell.text)
    in_parts = decimal is not None and "." in decimal["number"]
    return cell.bold and (in_parts or LABEL.match(cell.text) is not None)


def _upwards(rows: Sequence[Row], run: tuple[int, int], low: int) -> int:
    """The first row of a table, with rows above it that head only its right part, or the first of its rows.

    Args:
        rows: Of the column.
        run: The first row with several cells, and the row behind the last one.
        low: The first row that may belong to the table.
    """
    first, stop = run
    left = min(row.x0 for row in rows[first:stop])
    right = max(row.x1 for row in rows[first:stop])
    middle = left + 0.35 * (right - left)
    for _ in range(_MOST_BETWEEN):
        if first <= low:
            break
        above, below = rows[first - 1], rows[first]
        text = above.cells[0].text
        gap = below.top - above.bottom
        if len(text) > 60 or above.x1 > right + 20 or above.size > 1.15 * below.size:
            break
        if _is_heading(above.cells[0]):
            break
        centred = abs((above.x0 + above.x1) / 2 - (left + right) / 2) < 0.05 * (right - left)
        heads = above.x0 >= middle and gap <= 1.2 * above.size and not centred
        labels = above.x0 <= left + 2 and below.x0 <= left + 30 and gap < 0.45 * above.size
        if not heads and not (labels and is_value(below.cells[-1].text) and not LABEL.match(text)):
            break
        first -= 1
    return first


def _table(rows: Sequence[Row]) -> Table | None:
    """The grid of some rows; None where they make none."""
    merged = [_with_currency_joined(row) for row in rows]
    several = [cells for cells in merged if len(cells) > 1]
    if len(several) < LEAST_ROWS or len(several) < 0.3 * len(merged):
        return None
    columns = _columns(several)
    if not 2 <= len(columns) <= 40:
        return None
    placed = [[_place(cell, columns) for cell in cells] for cells in merged]
    if _is_prose(merged):
        return None
    body_start = _header_rows(merged, placed, len(columns))
    header = [""] * len(columns)
    for cells, places in zip(merged[:body_start], placed[:body_start], strict=True):
        for cell, (low, high) in zip(cells, places, strict=True):
            for column in range(low, high + 1):
                header[column] = f"{header[column]} {cell.text}".strip()
    grid, spans = _body(rows[body_start:], merged[body_start:], placed[body_start:], len(columns))
    if not grid:
        return None
    numeric = [
        2 * sum(is_value(row[i]) for row in grid if row[i]) > sum(bool(row[i]) for row in grid)
        for i in range(len(columns))
    ]
    left, right = min(row.x0 for row in rows), max(row.x1 for row in rows)
    head = Place(left, rows[0].top, right, rows[body_start - 1].bottom) if body_start else None
    stands = [head, *(Place(left, top, right, bottom) for top, bottom in spans)]
    return Table([header, *grid], numeric, stands)


def _with_currency_joined(row: Row) -> list[Segment]:
    """The cells with `$` joined to what follows it and `%` or `)` to what precedes it."""
    cells: list[Segment] = []
    sign = ""
    for cell in row.cells:
        if sign:
            cell = cell._replace(text=sign + cell.text)
        amount, _, sign = cell.text.rpartition(" ")
        if sign in _SIGNS and is_value(amount):
            cell = cell._replace(text=amount)
        else:
            sign = ""
        if cells:
            before = cells[-1]
            if _CURRENCY.fullmatch(before.text) and is_value(cell.text):
                cells[-1] = cell._replace(text=f"{before.text}{cell.text}")
                continue
            near = cell.x0 - before.x1 < 2.5 * row.size
            if near and _CLOSING.fullmatch(cell.text) and is_value(before.text):
                cells[-1] = before._replace(x1=cell.x1, text=before.text + cell.text)
                continue
        cells.append(cell)
    return cells


def _columns(rows: Sequence[Sequence[Segment]]) -> list[tuple[float, float]]:
    """The strips between gutters, from the rows with values if there are enough, else from all."""
    valued = [cells for cells in rows if any(is_value(cell.text) for cell in cells[1:])]
    used = valued if len(valued) >= max(2, 0.4 * len(rows)) else rows
    left = min(cell.x0 for cells in rows for cell in cells)
    right = max(cell.x1 for cells in rows for cell in cells)
    width = int(right - left) + 3
    if not 0 < width <= 20_000:
        return []
    edges = np.asarray([(cell.x0 - left, cell.x1 - left) for cells in used for cell in cells])
    places = edges.clip(0, width - 2).astype(np.intp)
    covered: NDArray[np.int_] = np.zeros(width + 1, np.int_)
    np.add.at(covered, places[:, 0], 1)
    np.add.at(covered, places[:, 1] + 1, -1)
    filled = np.cumsum(covered)[:width] > 0.07 * len(used)
    filled[0] = False
    turns = np.flatnonzero(np.diff(filled.astype(np.int8)))
    strips = [
        (left + a, left + b)
        for a, b in zip(turns[::2].tolist(), turns[1::2].tolist(), strict=False)
    ]
    return [strip for strip in strips if strip[1] - strip[0] > 1]


def _place(cell: Segment, columns: Sequence[tuple[float, float]]) -> tuple[int, int]:
    """The first and last column that a cell covers, the nearest one if it covers none."""
    covered = [
        i
        for i, (low, high) in enumerate(columns)
        if min(cell.x1, high) - max(cell.x0, low) > 0.3 * min(high - low, cell.x1 - cell.x0)
    ]
    if covered:
        return covered[0], covered[-1]
    middle = (cell.x0 + cell.x1) / 2
    nearest = min(
        range(len(columns)), key=lambda i: max(columns[i][0] - middle, middle - columns[i][1])
    )
    return nearest, nearest


def _is_prose(rows: Sequence[Sequence[Segment]]) -> bool:
    """Whether the gaps are only those of justified text: long cells, no values, each row a little different."""
    cells = [cell for row in rows for cell in row]
    long = sum(len(cell.text) > 60 for cell in cells)
    return long > 0.6 * len(cells) and not any(
        is_value(cell.text) for row in rows for cell in row[1:]
    )


def _header_rows(
    rows: Sequence[Sequence[Segment]], placed: Sequence[Sequence[tuple[int, int]]], columns: int
) -> int:
    """How many rows at the top head the columns: until the first with a label and a value."""
    for i, (cells, places) in enumerate(zip(rows, placed, strict=True)):
        labelled = bool(places) and places[0][0] == 0 and places[0][1] == 0
        values = [cell for cell in cells[1 if labelled else 0 :] if is_value(cell.text)]
        years = [cell for cell in values if _YEAR.fullmatch(cell.text)]
        if values and len(values) > len(years):
            return min(i, 6)
        if labelled and len(cells) == 1 and i and not cells[0].text.startswith("("):
            return min(i, 6)
        if (
            i >= 1
            and columns == len(cells)
            and not values
            and all(len(row) > 1 for row in rows[:i])
        ):
            return 1
        if years and labelled and i and not cells[0].text.startswith("("):
            return min(i, 6)
        if i >= 6:
            break
    return 1 if len(rows) > 1 else 0


def _body(
    rows: Sequence[Row],
    merged: Sequence[Sequence[Segment]],
    placed: Sequence[Sequence[tuple[int, int]]],
    columns: int,
) -> tuple[list[list[str]], list[tuple[float, float]]]:
    """The rows below the header, and from where to where down the page each stands.

    A row that only goes on with another one's text is joined to it.
    """
    grid: list[list[str]] = []
    spans: list[tuple[float, float]] = []
    waiting: tuple[Row, list[str]] | None = None
    for i, row in enumerate(rows):
        texts = [""] * columns
        for cell, (low, _) in zip(merged[i], placed[i], strict=True):
            texts[low] = f"{texts[low]} {cell.text}".strip()
        near = i > 0 and row.top - rows[i - 1].bottom < 0.55 * row.size
        only_label = bool(texts[0]) and not any(texts[1:])
        top = row.top
        if waiting and near and texts[0] and _goes_on(waiting[0], row):
            texts[0] = f"{waiting[1][0]} {texts[0]}"
            grid.pop()
            top = spans.pop()[0]
        elif grid and near and not texts[0] and _is_wrapped(grid[-1], texts):
            grid[-1] = [f"{a} {b}".strip() for a, b in zip(grid[-1], texts, strict=True)]
            spans[-1] = spans[-1][0], row.bottom
            continue
        elif grid and near and only_label and _goes_on(rows[i - 1], row) and grid[-1][0]:
            grid[-1][0] = f"{grid[-1][0]} {texts[0]}"
            spans[-1] = spans[-1][0], row.bottom
            continue
        grid.append(texts)
        spans.append((top, row.bottom))
        waiting = (row, texts) if only_label else None
    return grid, spans


def _goes_on(before: Row, row: Row) -> bool:
    """Whether a label is the rest of the one above: indented further, or going on in lower case."""
    text, first = before.cells[0].text, row.cells[0]
    if text.endswith((":", ".")):
        return False
    return first.text[:1].islower() or (
        first.x0 > before.x0 + 2 and len(text) > 25 and not first.bold and text[-1:].islower()
    )


def _is_wrapped(before: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether cells go on with those above: text below text, no values of their own."""
    own = [i for i, text in enumerate(texts) if text]
    return bool(own) and all(before[i] and not is_value(texts[i]) for i in own)
