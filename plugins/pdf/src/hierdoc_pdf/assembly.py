"""From the segments of all pages to the blocks of the document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hierdoc.citations import split_heading
from hierdoc_pdf.characters import lost_letters, with_letters
from hierdoc_pdf.columns import regions
from hierdoc_pdf.contents import contents_rows, demote_listings, lower_listings
from hierdoc_pdf.furniture import without_furniture
from hierdoc_pdf.headings import LONGEST, heading_style
from hierdoc_pdf.hyphens import HYPHENS, Mender
from hierdoc_pdf.levels import assign_levels, without_labels_of_figures
from hierdoc_pdf.lines import Place, Row
from hierdoc_pdf.markdown import Written, render
from hierdoc_pdf.marks import BULLET, ENUMERATION, LABEL_WORD, LARGER
from hierdoc_pdf.outline import apply_outline
from hierdoc_pdf.paragraphs import grouped, is_centred
from hierdoc_pdf.reading import Entry, Page, Segment
from hierdoc_pdf.tables import Table, split_tables
from hierdoc_pdf.values import Block, Line, Style, Usual, line_of, usual_by_page, usual_of

_LONGEST_TITLE = 200
_TERMINAL = (".", "?", "!", ":", ";", ".”", '."', ".)")


@dataclass(frozen=True, slots=True)
class Options:
    """What a user may choose."""

    tables: bool = True


def assemble(pages: Sequence[Page], entries: Sequence[Entry], options: Options) -> Written:
    """The markdown of a document, where each page begins, and where its lines stand.

    Args:
        pages: In order.
        entries: Of the outline; empty to go by typography alone.
        options: What the user chose.
    """
    laid_out = [regions(segments) for segments in _mended(without_furniture(pages))]
    usual = usual_of(laid_out)
    blocks: list[Block] = []
    by_page = usual_by_page(laid_out, usual)
    for number, parts in enumerate(laid_out):
        for rows in parts:
            for block in _blocks(rows, number, by_page[number], options, len(pages)):
                _append(blocks, block)
    blocks = _without_empty(blocks)
    demote_listings(blocks)
    if not entries:
        _leave_to_labels(blocks, usual)
    _give_title(blocks)
    without_labels_of_figures(blocks)
    assign_levels([block for block in blocks if block.style])
    lower_listings(blocks)
    if entries:
        apply_outline(blocks, entries)
    mender = Mender(lambda: [block.text for block in blocks])
    return render(blocks, [(page.width, page.height) for page in pages], mender)


def _mended(pages: Sequence[Sequence[Segment]]) -> Sequence[Sequence[Segment]]:
    lost = lost_letters("\n".join(segment.text for segment in segments) for segments in pages)
    if not lost:
        return pages
    return [
        [
            segment._replace(text=with_letters(segment.text, lost))
            if "f " in segment.text
            else segment
            for segment in segments
        ]
        for segments in pages
    ]


def _blocks(
    rows: Sequence[Row], page: int, usual: Usual, options: Options, pages: int
) -> Iterator[Block]:
    """The blocks of one column."""
    if not rows:
        return
    left, right = min(row.x0 for row in rows), max(row.x1 for row in rows)
    contents = contents_rows(rows, pages)
    parts: Sequence[Row | Table] = split_tables(rows, usual.size) if options.tables else rows
    lines: list[Line] = []
    reach = rows[0].top
    for part in parts:
        if isinstance(part, Table):
            yield from _of_lines(lines, page, usual, (left, right), contents)
            lines = []
            yield Block([], page, reach, usual.size, table=part)
        else:
            lines.append(line_of(part))
            reach = part.bottom
    yield from _of_lines(lines, page, usual, (left, right), contents)


def _leave_to_labels(blocks: Sequence[Block], usual: Usual) -> None:
    """Make text of the headings of a typed document, but for the first if that alone is set in a face or size of its own.

    Capitals and labels at the beginning of lines are all that its headings are known by, and those are read from its text as a whole.
    """
    headings = [block for block in blocks if block.style]
    apart = [block for block in headings if _is_set_apart(block, usual)]
    if len(apart) > 1 or apart != headings[: len(apart)]:
        return
    for block in headings[len(apart) :]:
        block.style = None


def _is_set_apart(block: Block, usual: Usual) -> bool:
    """Whether a heading has a face or size of its own."""
    style = block.style
    return style is not None and (style.bold or style.italic or block.size >= LARGER * usual.size)


def _give_title(blocks: Sequence[Block]) -> None:
    """Make the first words of a file its title, if they stand in the middle: typed documents set nothing apart but by place."""
    first = blocks[0] if blocks else None
    if first is None or first.style or not first.centred or first.listed:
        return
    text = first.text
    if len(text) <= _LONGEST_TITLE and not text.endswith((*_TERMINAL, ",")) and text[0].isalpha():
        first.style = Style("", round(first.size * 2), False, False, text.isupper(), True)
        first.open_end = False


def _of_lines(
    lines: Sequence[Line],
    page: int,
    usual: Usual,
    edges: tuple[float, float],
    contents: tuple[float, float] | None,
) -> Iterator[Block]:
    """The blocks of lines without tables between them."""
    before: Line | None = None
    for group in grouped(lines, usual):
        first, last = group[0], group[-1]
        apart = before is None or first.bottom - before.bottom > 1.17 * usual.line_pitch(first.size)
        before = last
        texts = [line.text for line in group]
        block = Block(
            [(page, texts)],
            page,
            first.top,
            first.size,
            depth=first.x0 - edges[0],
            bottom=last.bottom,
            centred=all(is_centred(line, *edges) for line in group),
            places=[Place(line.x0, line.top, line.x1, line.bottom) for line in group],
        )
        listing = contents is not None and contents[0] <= first.top <= contents[1]
        if not listing:
            block.style = heading_style(group, usual, *edges, apart=apart)
        if block.style is None:
            block.listed = BULLET.match(first.text) is not None
            full = last.x1 > edges[0] + 0.8 * (edges[1] - edges[0]) or len(group) > 1
            block.open_end = full and not last.text.endswith(_TERMINAL)
        yield block


def _append(blocks: list[Block], block: Block) -> None:
    """Add a block, or join it to the last one if that goes on in it."""
    last = blocks[-1] if blocks else None
    is_first = len(blocks) < 2 or blocks[-2].page != block.page
    if last is not None and last.style and block.style and _is_one_title(last, block, is_first):
        size = max(last.style.size, block.style.size)
        centred = last.style.centred or (block.style.centred and _is_label(last.text))
        last.style = replace(last.style, size=size, centred=centred)
        last.parts[-1][1].extend(block.parts[0][1])
        last.bottom = block.bottom
        last.places += block.places
        return
    if (
        last is not None
        and last.open_end
        and block.table is None
        and block.style is None
        and not block.listed
        and block.parts
        and abs(last.size - block.size) < 0.6
        and _goes_on(last, block)
    ):
        last.parts += block.parts
        last.places += block.places
        last.open_end = block.open_end
        return
    blocks.append(block)


def _is_one_title(last: Block, block: Block, is_first: bool) -> bool:
    """Whether two headings are lines of one: a statement above the name of the company, `Article 5` above its title.

    Args:
        last: The heading above.
        block: The one that follows.
        is_first: Whether `last` is the first of its page: chapters open with their label, and their title further down.
    """
    one, other = last.style, block.style
    if one is None or other is None or last.page != block.page:
        return False
    if len(last.text) + len(block.text) >= LONGEST:
        return False
    space = block.top - last.bottom
    if _is_label_word(last):  # `CHAPTER` above `TWO`
        return 0 <= space < _CLOSE_NUMBER * block.size and _is_label(f"{last.text} {block.text}")
    bare = _is_label(last.text)
    alike = one.caps == other.caps and one.centred == other.centred
    titled = other.size >= one.size and one.kind != "part"  # `CHAPTER 1` above `Introduction`
    opens = is_first and bare and not other.kind and _are_flush_right(last, block)
    if opens and split_heading(block.text)[0] is None:
        return 0 <= space < _OPENING * block.size
    alike = alike or titled or other.size > one.size
    is_title = bare and alike and split_heading(block.text)[0] is None
    if other.kind or (other.size > one.size and not is_title):
        return False
    reach = _FURTHEST_TITLE if is_title else _CLOSE
    return ((one.centred and other.centred) or bare) and 0 <= space < reach * block.size


_CLOSE, _CLOSE_NUMBER, _FURTHEST_TITLE, _OPENING = 0.6, 1.6, 3.2, 8.0
"""In font sizes: space between lines of one heading, between a label and its number, between both and a title that is set like them, and
where a chapter opens at the right."""


def _are_flush_right(one: Block, other: Block) -> bool:
    """Whether two headings end at the same edge and begin anywhere."""
    first, second = one.places[-1], other.places[-1]
    if first is None or second is None:
        return False
    return min(one.depth, other.depth) > _INDENTED and abs(first.x1 - second.x1) < 1


_INDENTED = 100.0
"""In points from the left edge of the column: what begins so far from it is not set there."""


def _is_label_word(block: Block) -> bool:
    """Whether a heading is the word of a label alone, its number on the next line."""
    return LABEL_WORD.fullmatch(block.text) is not None


def _is_label(text: str) -> bool:
    """Whether a heading is a label with its number and no more, `Article 5`: a heading close below it is its title."""
    key, title = split_heading(text)
    return key is not None and not title


def _goes_on(last: Block, block: Block) -> bool:
    """Whether a paragraph goes on at the top of the next page or column."""
    page, lines = last.parts[-1]
    if page == block.page and block.top >= last.top:
        return False
    text = block.parts[0][1][0]
    if ENUMERATION.match(text):
        return False
    return (
        lines[-1].endswith(HYPHENS)
        or text[:1].islower()
        or (last.size == block.size and len(lines[-1]) > 40 and not text.isupper())
    )


def _without_empty(blocks: Sequence[Block]) -> list[Block]:
    """The blocks that hold something besides a lone bullet."""
    return [
        block
        for block in blocks
        if block.table or not (block.listed and len(block.text.strip()) <= 1)
    ]
