"""Furniture: what repeats at the same place of many pages and is no text: running heads, page and line numbers, marks.

Rows are peeled off from the outside, so that nothing within the text is taken for furniture only because it repeats.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace

from hierdoc_pdf.lines import Row, rows_of
from hierdoc_pdf.marks import LABEL, LABEL_WORD, LARGER
from hierdoc_pdf.reading import Page, Segment

LEAST_PAGES = 3
"""Pages on which something must repeat, in files that have so many; in one of two pages, on both of them."""

_LARGEST_HEAD = 1.15
"""Beside the document's text, what repeats but for its numbers and is no title, `Chapter 1`, `Chapter 2`."""

_LONGEST_NUMBER = 5
_FEWEST_COUNTED, _FEWEST_TITLED = 0.05, 0.3
"""Of all pages, those at least on which what stands beside the page's number, or beside the document's title, does so at one height."""

_SHORTEST_HEAD = 8

_OUTER_ROWS = 4
_OUTER_SEGMENTS = 14
_MOSTLY = 0.3
_MOSTLY_HEADS = 0.85
"""Of the rows that look alike at one height, those that repeat or count where all are running heads."""

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
    largest = _LARGEST_HEAD * _usual_size(one for page in pages for one in page.segments)
    outer = [
        edge
        for number, segments in enumerate(upright)
        for edge in _edges(number, pages[number].height, segments, largest)
    ]
    rows = [row for edge in outer for row in edge]
    known = _repeated(rows, len(pages)) | _counted(rows, len(pages))
    known |= _alike(outer, known, pages)
    dropped: dict[int, list[Row]] = defaultdict(list)
    for edge in outer:
        peeled = list(itertools.takewhile(known.__contains__, edge))
        if len(peeled) > 1 and peeled[-2].apart and _heads_text(*edge[len(peeled) - 1 :][:2]):
            peeled.pop()  # `NAME` on the first page of each manual
        for one in peeled:
            dropped[one.page].append(one.row)
    return [
        [*(one for one in segments if not _on(one, dropped[number])), *sides[number]]
        for number, segments in enumerate(upright)
    ]


def _heads_text(one: _Outer, *within: _Outer) -> bool:
    """Whether a row is a heading right above text, and not a name above another heading."""
    heading, below = _is_bold(one), all(map(_is_bold, within))
    return one.side == 0 and not one.apart and heading and not below


def _is_bold(one: _Outer) -> bool:
    return all(cell.bold for cell in one.row.cells)


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


@dataclass(frozen=True, slots=True, eq=False)
class _Outer:
    """A row near an edge of its page.

    Attributes:
        page: From 0.
        side: 0 at the top, 1 at the bottom.
        place: 0 for the outermost.
        height: How far from the edge.
        key: Its text without what changes from page to page; whole where that would be what sets it apart: `Exhibit 31.1`.
        row: The row.
        apart: Whether a line's space or more is between it and the rows within.
        larger: Whether it is set larger than a running head.
    """

    page: int
    side: int
    place: int
    height: float
    key: str
    row: Row
    apart: bool
    larger: bool

    @property
    def is_title(self) -> bool:
        """Whether it is words that are set larger; a page's number may be."""
        return self.larger and _letters(self.key) != ""

    @property
    def look(self) -> tuple[int, bool, bool]:
        """Its font, in half points."""
        cells = self.row.cells
        return (
            round(2 * self.row.size),
            all(cell.bold for cell in cells),
            all(cell.italic for cell in cells),
        )


def _edges(
    page: int, height: float, segments: Sequence[Segment], largest: float
) -> Iterator[list[_Outer]]:
    """The outermost rows at the top and at the bottom of a page, from the edge inwards; what is larger than `largest` is a title."""
    ordered = sorted(segments, key=_top)
    top = rows_of(ordered[:_OUTER_SEGMENTS])
    bottom = rows_of(ordered[-_OUTER_SEGMENTS:])[::-1]
    for side, rows in enumerate((top, bottom)):
        edge: list[_Outer] = []
        for place, row in enumerate(rows[:_OUTER_ROWS]):
            within = rows[place + 1] if place + 1 < len(rows) else row
            gap = row.top - within.bottom if side else within.top - row.bottom
            far = height - row.bottom if side else row.top
            one = _Outer(
                page, side, place, far, _key(row.text), row, gap >= row.size, row.size > largest
            )
            if one.is_title or LABEL.fullmatch(row.text):
                one = replace(one, key=row.text)
            edge.append(one)
        yield edge


def _repeated(rows: Sequence[_Outer], pages: int) -> set[_Outer]:
    """The rows that repeat at one height, or as the outermost ones of many pages."""
    least = _least(pages)
    seen: dict[tuple[str, int, bool], list[_Outer]] = defaultdict(list)
    for one in rows:
        if not LABEL_WORD.fullmatch(one.row.text):
            key = one.key if least == LEAST_PAGES else one.row.text
            seen[key, one.side, one.is_title].append(one)
    found: set[_Outer] = set()
    for (key, _, _), places in seen.items():
        if len(places) < least:
            continue
        clusters = list(_clusters(places))
        outermost = [one for one in places if one.place <= 1]
        if len({one.page for one in outermost}) >= max(_MOSTLY * pages, LEAST_PAGES):
            clusters.append(outermost)  # at any height
        for cluster in clusters:
            numbers = sorted({one.page for one in cluster})
            if len(numbers) < least or not _is_dense(numbers):
                continue
            kept = numbers[0] if _names_a_part(key, numbers, pages) else -1
            found.update(one for one in cluster if one.page != kept)
    return found


def _counted(rows: Sequence[_Outer], pages: int) -> set[_Outer]:
    """The rows that are the page's number, wherever they stand, or have it in their outer cell at one height, as books do.

    The outermost of a page may have a title there as well, the document's beside the section's.
    """
    alone: dict[tuple[int, int], list[_Outer]] = defaultdict(list)
    beside: dict[tuple[int | str, int, int], list[_Outer]] = defaultdict(list)
    for one in rows:
        shown = _PAGE_NUMBER.fullmatch(one.row.text)
        if shown and one.place <= 2:
            alone[int(shown[1]) - one.page, one.side].append(one)
        cells = one.row.cells
        if len(cells) < 2 or one.place > 1 or one.larger:
            continue
        for edge in (0, -1):
            text = cells[edge].text
            if text.isdecimal() and len(text) <= _LONGEST_NUMBER:
                beside[int(text) - one.page, one.side, edge].append(one)
            elif one.place == 0 and len(_letters(text)) >= _SHORTEST_HEAD:
                beside[text, one.side, edge].append(one)
    found = {one for places in alone.values() if len(places) >= _least(pages) for one in places}
    for (what, _, _), places in beside.items():
        share = _FEWEST_COUNTED if isinstance(what, int) else _FEWEST_TITLED
        for cluster in _clusters(places):
            if len(cluster) >= max(LEAST_PAGES, share * pages):
                found.update(cluster)
    return found


def _alike(
    edges: Sequence[Sequence[_Outer]], known: Set[_Outer], pages: Sequence[Page]
) -> set[_Outer]:
    """The outermost of the other rows that stand apart, at one height and in one font with running heads, whatever they say.

    Those of short chapters do not repeat. Nearly all that look so must be known, or say what a heading of their page says, or, where
    many pages have two titles there, have one of them in common with another page.
    """
    heads = {one for one in known if _letters(one.key)}
    named = Counter(name for edge in edges for name in _names_beside(edge[:1]))
    beside = Counter(edge[0].side for edge in edges if _is_pair(edge[:1]))
    keys = {one.key for one in known}
    seen: dict[tuple[int, int, tuple[int, bool, bool]], list[_Outer]] = defaultdict(list)
    for edge in edges:
        rows = [one for one in edge if one in heads]
        other = next((one for one in edge if one not in known), None)
        if other is not None and other.apart and other.key not in keys:
            rows.append(other)
            often = beside[other.side] >= _FEWEST_TITLED * len(pages)
            is_named = often and any(named[name] > 1 for name in _names_beside([other]))
            if is_named or _says_a_heading(other, pages[other.page].segments):
                heads.add(other)
        for one in rows:
            seen[one.side, round(one.height), one.look].append(one)
    found: set[_Outer] = set()
    for cluster in seen.values():
        if sum(one in heads for one in cluster) >= max(LEAST_PAGES, _MOSTLY_HEADS * len(cluster)):
            found.update(cluster)
    return found


def _names_beside(rows: Sequence[_Outer]) -> Iterator[tuple[int, int, str]]:
    """The words in the cells of rows that have several, and where they stand."""
    for one in rows if _is_pair(rows) else ():
        for cell in one.row.cells:
            if len(_letters(cell.text)) >= _SHORTEST_HEAD:
                yield one.side, round(one.height), cell.text


def _is_pair(rows: Sequence[_Outer]) -> bool:
    """Whether the outermost row has several cells."""
    return len(rows) > 0 and len(rows[0].row.cells) > 1


def _says_a_heading(head: _Outer, segments: Sequence[Segment]) -> bool:
    """Whether a row that is set as text, or one of its cells, has the letters of something on its page that is set as a heading.

    Long headings are cut short there: `1.7 HOW TO SAY…`.
    """
    largest = LARGER * _usual_size(segments)
    _, bold, _ = head.look
    if bold or head.row.size > largest:
        return False
    headings = [_letters(one.text) for one in segments if one.bold or one.size > largest]
    if _letters(head.row.text) in headings:
        return True
    return any(
        heading.startswith(said)
        for cell in head.row.cells
        if len(said := _letters(cell.text)) >= _SHORTEST_HEAD and cell.text.endswith(("…", "..."))
        for heading in headings
    )


def _usual_size(segments: Iterable[Segment]) -> float:
    """The size of most of the text."""
    lengths: dict[float, int] = defaultdict(int)
    for one in segments:
        lengths[round(one.size, 1)] += len(one.text)
    return max(lengths, key=lambda size: lengths[size], default=0.0)


def _least(pages: int) -> int:
    return LEAST_PAGES if pages >= LEAST_PAGES else 2


def _clusters(rows: Sequence[_Outer]) -> Iterator[list[_Outer]]:
    """Runs of rows that are near to each other, by their distance from the edge."""
    cluster: list[_Outer] = []
    for one in sorted(rows, key=_far):
        if cluster and one.height - cluster[-1].height > _SAME_PLACE:
            yield cluster
            cluster = []
        cluster.append(one)
    if cluster:
        yield cluster


def _far(row: _Outer) -> tuple[float, int]:
    return row.height, row.page


def _is_dense(numbers: Sequence[int]) -> bool:
    """Whether the pages follow each other closely, most of them."""
    steps = sorted(after - before for before, after in itertools.pairwise(numbers))
    return steps[len(steps) // 2] <= 4


def _names_a_part(key: str, numbers: Sequence[int], count: int) -> bool:
    """Whether a running head is of one part of the document and not of all of it."""
    return len(_letters(key)) >= 8 and "0" not in key and len(numbers) < 0.5 * count


def _letters(text: str) -> str:
    """The letters alone, whatever their case: of a heading without its number."""
    return "".join(filter(str.isalpha, text.casefold()))


def _key(text: str) -> str:
    """The text without what changes from page to page."""
    lower = _CONTINUED.sub("", text[:200].lower())
    return " ".join(_ROMAN.sub("0", _NUMBER.sub("0", lower)).split())
