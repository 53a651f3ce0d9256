"""Columns: where a page is set in several, and the order in which its parts are read.

A recursive cut in the manner of Nagy and Seth's X-Y tree (1984), guarded so that a table, which also has white gutters,
is not read column by column: at least one side of a gutter must be prose.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierdoc_pdf.lines import Row, rows_of
from hierdoc_pdf.reading import Segment

LEAST_ROWS = 4
"""Rows that each column has at least."""

NARROWEST = 0.28
"""The least width of a column, as a share of the whole."""


def regions(segments: Sequence[Segment], depth: int = 0) -> list[list[Row]]:
    """The parts of a page in reading order, each a list of rows from top to bottom.

    Args:
        segments: Of a page or, in the recursion, of a column.
        depth: How many cuts lead here.
    """
    rows = rows_of(segments)
    several = sum(len(row.cells) > 1 for row in rows)
    several += sum(one.x0 > other.x1 or one.x1 < other.x0 for one, other in pairwise(rows))
    if several < LEAST_ROWS - 1 or len(rows) < LEAST_ROWS or depth > 3:
        return [rows] if rows else []
    bands = _best_cut(rows)
    if not bands:
        return [rows]
    parts: list[list[Row]] = []
    for band in bands:
        if band.gutter is None:
            parts.append(list(band.rows))
            continue
        for side in _sides(band.rows, band.gutter):
            parts += regions(side, depth + 1)
    return parts


class _Band(NamedTuple):
    """Rows that follow each other, and the gutter that parts them if they are set in columns."""

    rows: Sequence[Row]
    gutter: float | None


def _best_cut(rows: Sequence[Row]) -> list[_Band]:
    """The rows as bands along the gutter with the most text beside it; none where there is no column."""
    best: list[_Band] = []
    most = 0
    for gutter in _gutters(rows):
        bands = _bands(rows, gutter)
        text = sum(len(row.text) for band in bands if band.gutter is not None for row in band.rows)
        if text > most:
            best, most = bands, text
    return best


def _gutters(rows: Sequence[Row]) -> list[float]:
    """The middles of white strips, the emptiest first; few."""
    left, right = min(row.x0 for row in rows), max(row.x1 for row in rows)
    width = int(right - left) + 2
    if width < 100 or width > 20_000:
        return []
    cells = [(cell.x0 - left, cell.x1 - left) for row in rows for cell in row.cells]
    edges = np.asarray(cells).clip(0, width - 1).astype(np.intp)
    crossing: NDArray[np.int_] = np.zeros(width + 1, np.int_)
    np.add.at(crossing, edges[:, 0], 1)
    np.add.at(crossing, edges[:, 1] + 1, -1)
    crossing = np.cumsum(crossing)[:width]
    low, high = int(width * NARROWEST * 0.8), int(width * (1 - NARROWEST * 0.8))
    middle = crossing[low:high]
    changes = np.flatnonzero(np.diff(middle)) + 1
    starts = np.concatenate(([0], changes))
    stops = np.concatenate((changes, [len(middle)]))
    counts = middle[starts]
    most = 0.6 * len(rows)
    strips = [
        (int(count), -(int(stop) - int(start)), int(start + stop) / 2)
        for start, stop, count in zip(starts, stops, counts, strict=True)
        if count <= most and stop - start >= 5
    ]
    return [left + low + middle_of for _, _, middle_of in sorted(strips)[:4]]


def _bands(rows: Sequence[Row], gutter: float) -> list[_Band]:
    """Runs of rows that leave the gutter free and are columns, and what stands between them."""
    width = max(row.x1 for row in rows) - min(row.x0 for row in rows)
    bands: list[_Band] = []
    run: list[Row] = []
    other: list[Row] = []

    def close() -> None:
        if run and _are_columns(run, gutter, width):
            if other:
                bands.append(_Band(tuple(other), None))
                other.clear()
            bands.append(_Band(tuple(run), gutter))
        else:
            other.extend(run)
        run.clear()

    for row in rows:
        if any(cell.x0 < gutter - 1 and cell.x1 > gutter + 1 for cell in row.cells):
            close()
            other.append(row)
        elif (
            not run and other and row.x1 < gutter and row.bottom - other[-1].bottom < 1.6 * row.size
        ):
            other.append(row)  # the last line of a paragraph above the columns
        else:
            run.append(row)
    close()
    if other and bands:
        bands.append(_Band(tuple(other), None))
    return bands


def _sides(rows: Sequence[Row], gutter: float) -> tuple[list[Segment], list[Segment]]:
    left = [cell for row in rows for cell in row.cells if cell.x0 < gutter]
    right = [cell for row in rows for cell in row.cells if cell.x0 >= gutter]
    return left, right


def _are_columns(rows: Sequence[Row], gutter: float, width: float) -> bool:
    """Whether rows with a white gutter are two columns of text rather than one table."""
    sides = _sides(rows, gutter)
    shown = [rows_of(side) for side in sides]
    if min(map(len, shown)) < LEAST_ROWS:
        return False
    widths = [max(row.x1 for row in side) - min(row.x0 for row in side) for side in shown]
    if min(widths) < NARROWEST * width:
        return False
    prose = [_is_prose(side, widest) for side, widest in zip(shown, widths, strict=True)]
    if not any(prose):
        return False
    level = sum(
        any(cell.x0 < gutter for cell in row.cells) and any(cell.x0 >= gutter for cell in row.cells)
        for row in rows
    ) / min(map(len, shown))
    if all(prose):
        return level < 0.9 or min(map(len, shown)) >= 8
    other = sides[prose.index(False)]
    lettered = sum(any(character.isalpha() for character in cell.text) for cell in other)
    balanced = min(map(len, shown)) >= 0.4 * max(map(len, shown))
    return balanced and lettered >= 0.4 * len(other) and level < 0.85


def _is_prose(rows: Sequence[Row], width: float) -> bool:
    """Whether most rows are one piece that fills most of the column."""
    full = sum(
        any(cell.x1 - cell.x0 >= 0.6 * width and len(cell.text) >= 15 for cell in row.cells)
        for row in rows
    )
    return full >= 0.5 * len(rows)
