"""Where a part of a document stands on its pages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from hierdoc.models import Box

_APART = 0.75
"""Lines with a gap up to this times the height of the lower one are one rectangle."""


def boxes_of(boxes: Sequence[Box], ends: Sequence[int], start: int, end: int) -> tuple[Box, ...]:
    """The rectangles of a span of text: lines below each other make one.

    Args:
        boxes: The document's, in the order of the text.
        ends: Where the text of each ends.
        start: Where the span begins.
        end: Where it ends, exclusive.
    """
    found: list[Box] = []
    for number in range(bisect_right(ends, start), len(boxes)):
        box = boxes[number]
        if box.char_start >= end:
            break
        if found and _are_one(found[-1], box):
            found[-1] = _around(found[-1], box)
        else:
            found.append(box)
    return tuple(
        replace(one, char_start=max(one.char_start, start), char_end=min(one.char_end, end))
        for one in found
    )


def _are_one(above: Box, below: Box) -> bool:
    """Whether a line goes on the rectangle above it: on the same page and in the same column, without a gap."""
    return (
        above.page == below.page
        and below.left < above.right
        and above.left < below.right
        and below.bottom >= above.bottom
        and below.top - above.bottom <= _APART * (below.bottom - below.top)
    )


def _around(one: Box, other: Box) -> Box:
    return Box(
        one.page,
        min(one.left, other.left),
        min(one.top, other.top),
        max(one.right, other.right),
        max(one.bottom, other.bottom),
        one.char_start,
        other.char_end,
    )
