"""Furniture: what repeats at the same place of many pages and is no text: running heads, page and line numbers, marks.

Rows are peeled off from the outside, so that nothing within the text is taken for furniture only because it repeats.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from hierdoc_pdf.lines import Row, rows_of
from hierdoc_pdf.reading import Page, Segment

LEAST_PAGES = 3
"""Pages on which something must repeat."""

_OUTER_ROWS = 4
_ZONE = 0.2
_SAME_PLACE = 4.0
_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"\b[ivxlc]+\b")
_CONTINUED = re.compile(r"\W*\bcont(?:inued|['’]d|d)?\b\W*$")
_LINE_NUMBER = re.compile(r"(\d{1,3})(?: |$)")


def without_furniture(pages: Sequence[Page]) -> list[list[Segment]]:
    """For each page its segments without furniture.

    A running head that names a part of the document stays where it first appears, if nothing else says its text:
    there it is the part's heading.
    """
    upright = [
        without_line_numbers([one for one in page.segments if one.upright]) for page in pages
    ]
    sides = _sideways(pages)
    outer = [_outer(segments, page.height) for segments, page in zip(upright, pages, strict=True)]
    furniture = _repeated(outer, pages)
    kept: list[list[Segment]] = []
    for number, segments in enumerate(upright):
        dropped: set[Segment] = set()
        for rows in outer[number]:
            for key, row in rows:
                if number not in furniture.get((key, _bucket(row, pages[number])), ()):
                    break
                dropped.update(row.cells)
        rest = [one for one in segments if one not in dropped] if dropped else list(segments)
        kept.append(rest + sides[number])
    return kept


def without_line_numbers(segments: Sequence[Segment]) -> list[Segment]:
    """The segments without numbers that count the lines at one edge of the text."""
    numbered = [one for one in segments if _LINE_NUMBER.match(one.text)]
    if len(numbered) < 8:
        return list(segments)
    by_edge: dict[int, list[Segment]] = defaultdict(list)
    for one in numbered:
        by_edge[round((one.x0 if " " in one.text else one.x1) / 3)].append(one)
    drop: dict[Segment, Segment | None] = {}
    for edge in by_edge:
        column = sorted(
            {one for near in (edge, edge + 1) for one in by_edge.get(near, ())}, key=_top
        )
        values = [int(_LINE_NUMBER.match(one.text)[1]) for one in column]  # type: ignore[index]
        steps = [after - before for before, after in zip(values, values[1:], strict=False)]
        if len(column) < 8 or len(column) < 0.4 * len(segments):
            continue
        if sum(step == 1 for step in steps) < 0.9 * len(steps):
            continue
        inner = [one for one in segments if one not in column]
        outside = sum(column[0].x1 <= one.x0 or column[0].x0 >= one.x1 for one in inner)
        if outside < 0.9 * len(inner):
            continue
        for one in column:
            number, _, rest = one.text.partition(" ")
            share = (len(number) + 1) / len(one.text)
            drop[one] = (
                one._replace(text=rest, x0=one.x0 + share * (one.x1 - one.x0)) if rest else None
            )
    kept = (drop.get(one, one) for one in segments)
    return [one for one in kept if one is not None]


def _top(segment: Segment) -> float:
    return segment.top


def _sideways(pages: Sequence[Page]) -> list[list[Segment]]:
    """What runs up or down each page and does not repeat, moved to the end of the page to be read there."""
    seen: dict[str, int] = defaultdict(int)
    turned = [[one for one in page.segments if not one.upright] for page in pages]
    for segments in turned:
        for key in {_key(one.text) for one in segments}:
            seen[key] += 1
    return [[one for one in segments if seen[_key(one.text)] < LEAST_PAGES] for segments in turned]


def _outer(segments: Sequence[Segment], height: float) -> tuple[list[tuple[str, Row]], ...]:
    """The outermost rows at the top and at the bottom, from the edge inwards, with what they are recognised by."""
    upper = [one for one in segments if one.bottom < _ZONE * height]
    lower = [one for one in segments if one.top > (1 - _ZONE) * height]
    top = [(_key(row.text), row) for row in rows_of(upper)[:_OUTER_ROWS]]
    bottom = [(_key(row.text), row) for row in rows_of(lower)[: -_OUTER_ROWS - 1 : -1]]
    return top, bottom


def _repeated(
    outer: Iterable[tuple[list[tuple[str, Row]], ...]], pages: Sequence[Page]
) -> dict[tuple[str, int], set[int]]:
    """Key and place of what repeats, with the pages on which it is to be removed."""
    places: dict[str, list[tuple[float, int, int]]] = defaultdict(list)
    for number, sides in enumerate(outer):
        for rows in sides:
            for key, row in rows:
                places[key].append(
                    (_height(row, pages[number]), number, _bucket(row, pages[number]))
                )
    found: dict[tuple[str, int], set[int]] = defaultdict(set)
    for key, seen in places.items():
        seen.sort()
        for cluster in _clusters(seen):
            numbers = sorted({number for _, number, _ in cluster})
            if len(numbers) < LEAST_PAGES or not _is_dense(numbers):
                continue
            removed = set(numbers)
            if _names_a_part(key, numbers, len(pages)):
                removed.discard(numbers[0])
            for _, number, bucket in cluster:
                if number in removed:
                    found[key, bucket].add(number)
    return found


def _clusters(seen: Sequence[tuple[float, int, int]]) -> Iterable[list[tuple[float, int, int]]]:
    """Runs of places that are near to each other."""
    cluster: list[tuple[float, int, int]] = []
    for place in seen:
        if cluster and place[0] - cluster[-1][0] > _SAME_PLACE:
            yield cluster
            cluster = []
        cluster.append(place)
    if cluster:
        yield cluster


def _is_dense(numbers: Sequence[int]) -> bool:
    """Whether the pages follow each other closely, most of them."""
    steps = sorted(after - before for before, after in zip(numbers, numbers[1:], strict=False))
    return steps[len(steps) // 2] <= 4


def _names_a_part(key: str, numbers: Sequence[int], count: int) -> bool:
    """Whether a running head is of one part of the document and not of all of it."""
    letters = sum(character.isalpha() for character in key)
    return letters >= 8 and "0" not in key and len(numbers) < 0.5 * count


def _height(row: Row, page: Page) -> float:
    """How far from the nearer edge; so pages of several heights agree."""
    return row.top if row.top < page.height / 2 else -(page.height - row.bottom) - 1000


def _bucket(row: Row, page: Page) -> int:
    return round(_height(row, page) * 2)


def _key(text: str) -> str:
    """The text without what changes from page to page."""
    lower = _CONTINUED.sub("", text.lower())
    return " ".join(_ROMAN.sub("0", _NUMBER.sub("0", lower)).split())
