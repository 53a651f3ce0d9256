"""Furniture: what repeats at the same place of many pages and is no text: running heads, page and line numbers, marks.

Rows are peeled off from the outside, so that nothing within the text is taken for furniture only because it repeats.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from hierdoc_pdf.lines import Row, rows_of
from hierdoc_pdf.marks import LARGER
from hierdoc_pdf.reading import Page, Segment

LEAST_PAGES = 3
"""Pages on which something must repeat, in files that have so many; in one of two pages, on both of them."""

_LARGEST_HEAD = 1.15
"""Beside the text, what stands next to a page's number and is no title."""

_LONGEST_NUMBER = 5
_FEWEST_BESIDE = 0.05
"""Of all pages, those at least on which the same stands beside the page's number: left and right pages differ, and parts do."""

_LONGEST_TITLE = 120
_OUTER_ROWS = 4
_OUTER_SEGMENTS = 14
_MOSTLY = 0.3
_ON_MOST = 0.5
"""Of all pages, those that a name set as large as a title is on: the word `CHAPTER` is not."""

_SAME_PLACE = 4.0
_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"\b[ivxlc]+\b")
_CONTINUED = re.compile(r"\W*\bcont(?:inued|['’]d|d)?\b\W*$")
_RULE = re.compile(r"[_=–—-]{4,}|[_=–— -]{8,}")
_PAGE_NUMBER = re.compile(
    r"(?:page )?\W{0,3}(?:[A-Z]{1,2}-)?(\d{1,5})\W{0,3}(?:(?:of|/) \d+)?", re.IGNORECASE
)
_LINE_NUMBER = re.compile(r"(\d{1,3})(?: |$)")


def without_furniture(pages: Sequence[Page]) -> list[list[Segment]]:
    """For each page its segments without furniture.

    A running head that names a part of the document stays where it first appears: there it is the part's heading.
    """
    upright = [
        without_line_numbers([one for one in page.segments if one.upright]) for page in pages
    ]
    upright = [[one for one in segments if not _RULE.fullmatch(one.text)] for segments in upright]
    sides = _sideways(pages)
    outer = [_outer(segments) for segments in upright]
    usual = [_usual_size(page.segments) for page in pages]
    repeated = _repeated(outer, pages, usual) | _page_numbers(outer)
    repeated |= _beside_page_numbers(outer, pages, usual) | _running_titles(outer, pages, usual)
    kept: list[list[Segment]] = []
    for number, segments in enumerate(upright):
        dropped: list[Row] = []
        for side, rows in enumerate(outer[number]):
            for place, (_, row) in enumerate(rows):
                if (number, side, place) not in repeated:
                    break
                dropped.append(row)
        rest = [one for one in segments if not _on(one, dropped)] if dropped else segments
        kept.append([*rest, *sides[number]])
    return kept


def without_line_numbers(segments: Sequence[Segment]) -> list[Segment]:
    """The segments without numbers that count the lines at one edge of the text."""
    numbered = [one for one in segments if one.text[0].isdigit() and _LINE_NUMBER.match(one.text)]
    if len(numbered) < 8:
        return list(segments)
    by_edge: dict[tuple[str, int], list[Segment]] = defaultdict(list)
    for one in numbered:
        by_edge["left", round(one.x0 / 3)].append(one)
        if " " not in one.text:
            by_edge["right", round(one.x1 / 3)].append(one)
    drop: dict[Segment, Segment | None] = {}
    for side, edge in list(by_edge):
        near = by_edge[side, edge] + by_edge.get((side, edge + 1), [])
        column = sorted(near, key=_top)
        values = [int(_LINE_NUMBER.match(one.text)[1]) for one in column]  # type: ignore[index]
        steps = [after - before for before, after in itertools.pairwise(values)]
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


def _on(segment: Segment, rows: Sequence[Row]) -> bool:
    """Whether a segment stands on one of the rows."""
    middle = (segment.top + segment.bottom) / 2
    return any(row.top <= middle <= row.bottom for row in rows)


def _outer(segments: Sequence[Segment]) -> tuple[list[tuple[str, Row]], ...]:
    """The outermost rows at the top and at the bottom, from the edge inwards, with what they are recognised by."""
    ordered = sorted(segments, key=_top)
    top = rows_of(ordered[:_OUTER_SEGMENTS])[:_OUTER_ROWS]
    bottom = rows_of(ordered[-_OUTER_SEGMENTS:])[: -_OUTER_ROWS - 1 : -1]
    return [(_key(row.text), row) for row in top], [(_key(row.text), row) for row in bottom]


def _repeated(
    outer: Sequence[tuple[list[tuple[str, Row]], ...]],
    pages: Sequence[Page],
    usual: Sequence[float],
) -> set[tuple[int, int, int]]:
    """Page, side and place of the rows that repeat at one height, or as the outermost ones of many pages."""
    least = _least(len(pages))
    seen: dict[tuple[str, int, bool], list[tuple[float, int, int]]] = defaultdict(list)
    for number, sides in enumerate(outer):
        largest = _LARGEST_HEAD * usual[number]
        for side, rows in enumerate(sides):
            for place, (key, row) in enumerate(rows):
                height = pages[number].height - row.bottom if side else row.top
                # A title is the same with its numbers alone: `Chapter 1`, `Chapter 2`.
                is_title = row.size > largest
                shown = key if least == LEAST_PAGES and not is_title else row.text
                seen[shown, side, is_title].append((height, number, place))
    found: set[tuple[int, int, int]] = set()
    for (key, side, is_title), places in seen.items():
        if len(places) < (max(least, _ON_MOST * len(pages)) if is_title else least):
            continue
        places.sort()
        clusters = list(_clusters(places))
        outermost = [one for one in places if one[2] <= 1]
        on_pages = len({number for _, number, _ in outermost})
        if on_pages >= max(_MOSTLY * len(pages), LEAST_PAGES):  # at any height
            clusters.append(outermost)
        for cluster in clusters:
            numbers = sorted({number for _, number, _ in cluster})
            if len(numbers) < least or not _is_dense(numbers):
                continue
            kept = numbers[0] if _names_a_part(key, numbers, len(pages)) else -1
            found.update((number, side, place) for _, number, place in cluster if number != kept)
    return found


def _page_numbers(outer: Sequence[tuple[list[tuple[str, Row]], ...]]) -> set[tuple[int, int, int]]:
    """Page, side and place of rows that are only a number which grows with the pages, wherever they stand."""
    seen: dict[tuple[int, int], list[tuple[int, int, int]]] = defaultdict(list)
    for number, sides in enumerate(outer):
        for side, rows in enumerate(sides):
            for place, (_, row) in enumerate(rows):
                shown = _PAGE_NUMBER.fullmatch(row.text)
                if shown and place <= 2:
                    seen[int(shown[1]) - number, side].append((number, side, place))
    least = _least(len(outer))
    return {one for places in seen.values() if len(places) >= least for one in places}


def _beside_page_numbers(
    outer: Sequence[tuple[list[tuple[str, Row]], ...]],
    pages: Sequence[Page],
    usual: Sequence[float],
) -> set[tuple[int, int, int]]:
    """Page, side and place of rows whose outer cell is the page's number, at one height: books name the chapter beside it.

    What is larger than most of its page is a title, and its number counts titles.
    """
    seen: dict[tuple[int, int, int], list[tuple[float, int, int]]] = defaultdict(list)
    for number, sides in enumerate(outer):
        for side, rows in enumerate(sides):
            for place, (_, row) in enumerate(rows[:2]):
                if len(row.cells) < 2 or row.size > _LARGEST_HEAD * usual[number]:
                    continue
                height = pages[number].height - row.bottom if side else row.top
                for edge in (0, -1):
                    shown = row.cells[edge].text
                    if shown.isdecimal() and len(shown) <= _LONGEST_NUMBER:
                        seen[int(shown) - number, side, edge].append((height, number, place))
    least = max(LEAST_PAGES, _FEWEST_BESIDE * len(pages))
    return {
        (number, side, place)
        for (_, side, _), places in seen.items()
        for cluster in _clusters(sorted(places))
        if len(cluster) >= least
        for _, number, place in cluster
    }


def _running_titles(
    outer: Sequence[tuple[list[tuple[str, Row]], ...]],
    pages: Sequence[Page],
    usual: Sequence[float],
) -> set[tuple[int, int, int]]:
    """Page, side and place of rows that stand apart from the text at one height and say what a heading says.

    So a running head is found that changes with every section, and stands on a page or two.
    """
    apart: dict[int, list[tuple[float, int, int]]] = defaultdict(list)
    for number, sides in enumerate(outer):
        for side, rows in enumerate(sides):
            for place, ((_, row), (_, inner)) in enumerate(itertools.pairwise(rows[:3])):
                gap = row.top - inner.bottom if side else inner.top - row.bottom
                if gap >= row.size and row.size <= _LARGEST_HEAD * usual[number]:
                    height = pages[number].height - row.bottom if side else row.top
                    apart[side].append((height, number, place))
    least = max(LEAST_PAGES, _MOSTLY * len(pages))
    said = {
        (number, side, place): _letters(outer[number][side][place][1].text)
        for side, places in apart.items()
        for cluster in _clusters(sorted(places))
        if len(cluster) >= least
        for _, number, place in cluster
    }
    if not said:
        return set()
    rows_by_page: dict[int, list[Row]] = defaultdict(list)
    for number, side, place in said:
        rows_by_page[number].append(outer[number][side][place][1])
    headings = {
        _letters(one.text)
        for number, page in enumerate(pages)
        for one in page.segments
        if (one.bold or one.size > LARGER * usual[number])
        and len(one.text) <= _LONGEST_TITLE
        and not _on(one, rows_by_page[number])
    }
    return {one for one, letters in said.items() if len(letters) > 1 and letters in headings}


def _usual_size(segments: Sequence[Segment]) -> float:
    """The size of most of the text."""
    lengths: dict[float, int] = defaultdict(int)
    for one in segments:
        lengths[round(one.size, 1)] += len(one.text)
    return max(lengths, key=lambda size: lengths[size], default=0.0)


def _least(pages: int) -> int:
    return LEAST_PAGES if pages >= LEAST_PAGES else 2


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
    steps = sorted(after - before for before, after in itertools.pairwise(numbers))
    return steps[len(steps) // 2] <= 4


def _names_a_part(key: str, numbers: Sequence[int], count: int) -> bool:
    """Whether a running head is of one part of the document and not of all of it."""
    letters = sum(character.isalpha() for character in key)
    return letters >= 8 and "0" not in key and len(numbers) < 0.5 * count


def _letters(text: str) -> str:
    """The letters alone, whatever their case: of a heading without its number."""
    return "".join(filter(str.isalpha, text.casefold()))


def _key(text: str) -> str:
    """The text without what changes from page to page."""
    lower = _CONTINUED.sub("", text[:200].lower())
    return " ".join(_ROMAN.sub("0", _NUMBER.sub("0", lower)).split())
