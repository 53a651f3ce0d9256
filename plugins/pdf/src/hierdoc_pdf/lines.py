"""Segments to rows: what stands side by side on one line, as cells from left to right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hierdoc_pdf.reading import Segment

JOINED = 0.8
"""Pieces with a gap up to this times the font size belong to one cell."""


class Place(NamedTuple):
    """Where on its page something stands, in points from the top left corner."""

    x0: float
    top: float
    x1: float
    bottom: float


class Row(NamedTuple):
    """One line across a page or column.

    Attributes:
        cells: From left to right, with wide gaps between them.
        x0, x1, top, bottom: The box around them.
        size: The font size of most of it.
    """

    cells: Sequence[Segment]
    x0: float
    x1: float
    top: float
    bottom: float
    size: float

    @property
    def text(self) -> str:
        """All cells as one line."""
        return " ".join(cell.text for cell in self.cells)


def rows_of(segments: Iterable[Segment]) -> list[Row]:
    """The rows of a page or column, from top to bottom.

    Segments belong to one row if they stand on one baseline, or if a smaller one, such as a footnote mark, stands beside
    a larger one.
    """
    rows: list[Row] = []
    current: list[Segment] = []
    top = bottom = 0.0
    for segment in sorted(segments, key=_bottom):
        if current and not _beside(segment, top, bottom):
            rows.append(row_of(current))
            current = []
        if not current or segment.bottom - segment.top > bottom - top:
            top, bottom = segment.top, segment.bottom
        current.append(segment)
    if current:
        rows.append(row_of(current))
    return rows


def row_of(segments: Sequence[Segment]) -> Row:
    """One row of segments that stand on one line; near ones are joined."""
    if len(segments) == 1:
        one = segments[0]
        return Row((one,), one.x0, one.x1, one.top, one.bottom, one.size)
    cells: list[Segment] = []
    for segment in sorted(segments):
        if cells:
            before = cells[-1]
            gap = segment.x0 - before.x1
            size = max(before.bottom - before.top, segment.bottom - segment.top)
            if gap <= JOINED * size:
                cells[-1] = joined(before, segment, space=gap > 0.1 * size)
                continue
        cells.append(segment)
    top = min(cell.top for cell in cells)
    bottom = max(cell.bottom for cell in cells)
    size = max(cells, key=_length).size
    return Row(cells, cells[0].x0, max(cell.x1 for cell in cells), top, bottom, size)


def _bottom(segment: Segment) -> float:
    return segment.bottom


def _length(segment: Segment) -> int:
    return len(segment.text)


def _beside(segment: Segment, top: float, bottom: float) -> bool:
    """Whether a segment stands on the line between `top` and `bottom`."""
    size, line = segment.bottom - segment.top, bottom - top
    small = min(size, line)
    if abs(size - line) <= 0.12 * max(size, line):
        return abs(segment.bottom - bottom) <= 0.35 * small
    overlap = min(segment.bottom, bottom) - max(segment.top, top)
    return overlap >= 0.6 * small


def joined(left: Segment, right: Segment, *, space: bool) -> Segment:
    """Two pieces as one; the longer one decides about the font."""
    longer = left if len(left.text) >= len(right.text) else right
    bold = left.bold and right.bold if min(len(left.text), len(right.text)) > 5 else longer.bold
    return Segment(
        left.x0,
        max(left.x1, right.x1),
        longer.top,
        longer.bottom,
        f"{left.text} {right.text}" if space else left.text + right.text,
        bold,
        longer.italic and (left.italic or len(left.text) <= 5),
        stated=longer.stated,
    )
