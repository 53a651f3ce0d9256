"""The values between the steps: lines, groups of lines, blocks, and what is usual in a document."""

from __future__ import annotations

import itertools
import operator
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from hierdoc_pdf.lines import Place, Row
from hierdoc_pdf.marks import DECIMAL_NUMBER
from hierdoc_pdf.reading import Segment
from hierdoc_pdf.tables import Table


class Line(NamedTuple):
    """A row of running text.

    Attributes:
        text: All of it; ends with `\ufffe` where pdfium sees a broken word.
        x0, x1, top, bottom, size: Its box and font size.
        bold, italic: Whether all of it is.
        first_word: Estimated width of its first word.
    """

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    bold: bool
    italic: bool
    first_word: float


@dataclass(frozen=True, slots=True)
class Usual:
    """What is usual in a document, so that headings and paragraphs can be told by how they differ.

    Attributes:
        size: The font size of most of its text.
        pitch: Distance from line to line within paragraphs, by font size in half points.
        bold, italic: Whether so much is bold, or italic, that it sets nothing apart.
    """

    size: float
    pitch: dict[int, float]
    bold: bool = False
    italic: bool = False

    def line_pitch(self, size: float) -> float:
        """The distance from line to line in text of this size; where lines of another size never follow closely, that of the text."""
        body = self.pitch.get(round(self.size * 2), 1.2 * self.size)
        as_text = size * body / self.size if self.size else 1.2 * size
        return min(self.pitch.get(round(size * 2), as_text), _LOOSE * as_text)


@dataclass(frozen=True, slots=True)
class Style:
    """How a heading looks: headings with equal styles have equal levels.

    Attributes:
        kind: The word of its label (`item`, `part`, `sec`), `decimal 2` for `2.1`, else empty.
        size: In half points.
        bold, italic, caps, centred: As it is set.
    """

    kind: str
    size: int
    bold: bool
    italic: bool
    caps: bool
    centred: bool


@dataclass(slots=True)
class Block:
    """A heading, paragraph, item of a list, or table.

    Attributes:
        parts: For each page from 0 that it stands on, its lines there; empty for a table.
        style: Of a heading, else None.
        level: Of a heading from 1; of an item from 1; else 0.
        table: The grid of a table.
        page: Where it begins, from 0.
        top: How far down that page.
        size: Its font size.
        open_end: Whether it may go on behind the end of its page or column.
        depth: Left edge, for the nesting of items.
        listed: Whether it is an item of a list.
        bottom: Where its last line ends.
        centred: Whether all its lines stand in the middle of their column.
        places: Of each of its lines; None where the file does not tell.
    """

    parts: list[tuple[int, list[str]]]
    page: int
    top: float
    size: float
    style: Style | None = None
    level: int = 0
    table: Table | None = None
    open_end: bool = False
    depth: float = 0.0
    listed: bool = False
    bottom: float = 0.0
    centred: bool = False
    places: list[Place | None] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its lines joined by spaces."""
        return " ".join(line for _, lines in self.parts for line in lines)


_MUCH = 0.4
"""Of all letters, those in one face that sets nothing apart."""

_FEWEST_WITHIN = 2
"""Lines that go on with a small letter, from which alone the distance of lines is learned; others may be paragraphs of one line."""

_LOOSE = 1.2
"""How much further apart than those of the text, for their size, lines of a heading stand at most."""


_NEARLY_ALL = 0.9
"""Of the running text of a page, what has the size in which it is set."""

_OTHER_SIZE = 0.08
"""How much larger or smaller than in the document, at least, text is that is set in a size of its own."""

_FEWEST_SMALL = 3
"""Pages of a part in a smaller size: there is small print on covers."""

_LONG_LINE, _ENOUGH_TEXT = 40, 1000
"""Characters of a line that is running text, and of so much of it that no heading is as long."""


def line_of(row: Row) -> Line:
    """A row as a line of running text."""
    cells = row.cells
    if len(cells) == 1:
        cell = cells[0]
        text, bold, italic = cell.text, cell.bold, cell.italic
    else:
        text = row.text
        bold = all(cell.bold for cell in cells) or _is_numbered_name(cells)
        italic = all(cell.italic for cell in cells)
    space = text.find(" ")
    share = 1.0 if space < 0 else space / len(text)
    return Line(
        text, row.x0, row.x1, row.top, row.bottom, row.size, bold, italic, share * (row.x1 - row.x0)
    )


def _is_numbered_name(cells: Sequence[Segment]) -> bool:
    """Whether a bold number stands before a name in another face, as that of a function is set: `7.5.2 open_file`."""
    number, name = cells[0], cells[-1]
    decimal = DECIMAL_NUMBER.fullmatch(number.text) is not None and "." in number.text.rstrip(".")
    return len(cells) == 2 and number.bold and decimal and name.text[-1] not in ".,;:"


def usual_of(pages: Sequence[Sequence[Sequence[Row]]]) -> Usual:
    """What is usual in the rows of all regions of all pages."""
    sizes: dict[int, int] = {}
    pitches: dict[int, dict[int, int]] = {}
    within: dict[int, dict[int, int]] = {}  # of lines that go on with a small letter
    bold = italic = characters = 0
    for regions in pages:
        for rows in regions:
            before: Row | None = None
            for row in rows:
                size = round(row.size * 2)
                if len(row.cells) > 1:
                    before = None
                    continue
                cell = row.cells[0]
                length = len(cell.text)
                sizes[size] = sizes.get(size, 0) + length
                characters += length
                bold += length if cell.bold else 0
                italic += length if cell.italic else 0
                if before is not None and abs(before.size - row.size) < 0.5 and length > 20:
                    pitch = round((row.bottom - before.bottom) * 4)
                    if 0 < pitch < 12 * row.size:
                        for counted in (pitches, within)[: 1 + cell.text[0].islower()]:
                            counts = counted.setdefault(size, {})
                            counts[pitch] = counts.get(pitch, 0) + 1
                before = row
    pitches |= {
        size: counts for size, counts in within.items() if sum(counts.values()) >= _FEWEST_WITHIN
    }
    usual = max(sizes, key=lambda one: sizes[one]) / 2 if sizes else 10.0
    return Usual(
        usual,
        {one: _least_frequent(counts) / 4 for one, counts in pitches.items()},
        bold > _MUCH * characters,
        italic > _MUCH * characters,
    )


def usual_by_page(pages: Sequence[Sequence[Sequence[Row]]], usual: Usual) -> list[Usual]:
    """What is usual on each page: files that were put together, such as a report and its exhibits, are not set in one size.

    Args:
        pages: The rows of each region of each page.
        usual: What is usual in all of them.
    """
    found = [usual] * len(pages)
    numbered = enumerate(_own_size(regions) for regions in pages)
    known = [(number, size, length) for number, (size, length) in numbered if size]
    for size, part in itertools.groupby(known, key=operator.itemgetter(1)):
        numbers, _, lengths = zip(*part, strict=True)
        if abs(size - usual.size) < _OTHER_SIZE * usual.size or sum(lengths) < _ENOUGH_TEXT:
            continue
        if size > usual.size:  # with the pages between, of lists and signatures
            numbers = tuple(range(numbers[0], numbers[-1] + 1))
        elif len(numbers) < _FEWEST_SMALL:
            continue
        for number in numbers:
            found[number] = replace(usual, size=size)
    return found


def _own_size(regions: Sequence[Sequence[Row]]) -> tuple[float, int]:
    """The size of nearly all running text of a page, 0 where there is none or several, and how many characters there are."""
    counts = _running_text(regions)
    length = sum(counts.values())
    size, most = max(counts.items(), key=operator.itemgetter(1), default=(0, 0))
    return size / 2 if most >= _NEARLY_ALL * length else 0.0, length


def _running_text(regions: Sequence[Sequence[Row]]) -> Counter[int]:
    """How many characters of lines long enough for running text have which size, in half points."""
    counts: Counter[int] = Counter()
    for rows in regions:
        for row in rows:
            length = len(row.cells[0].text)
            if len(row.cells) == 1 and length >= _LONG_LINE:
                counts[round(row.size * 2)] += length
    return counts


def _least_frequent(counts: dict[int, int]) -> int:
    """The smallest pitch that occurs a quarter as often as the commonest, neighbours counted in."""
    around = {one: sum(counts.get(one + step, 0) for step in (-1, 0, 1)) for one in counts}
    most = max(around.values())
    return min(one for one, count in around.items() if count >= 0.25 * most)
