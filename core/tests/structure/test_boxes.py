"""Where chunks stand on their pages."""

from __future__ import annotations

from dataclasses import replace

from hierdoc.models import Box, Document
from hierdoc.plugin.records import DocumentVersion, Record
from hierdoc.structure import understand
from hierdoc.structure.boxes import boxes_of
from hierdoc.structure.chunks import ChunkMaker
from hierdoc.structure.cutting import Piece


def lines(count: int, *, page: int = 1, left: float = 0.1, start: int = 0) -> list[Box]:
    """Lines of ten characters below each other, 0.02 high and 0.024 apart."""
    return [
        Box(page, left, round(0.1 + 0.024 * at, 4), left + 0.3, round(0.12 + 0.024 * at, 4),
            start + 10 * at, start + 10 * at + 10)
        for at in range(count)
    ]  # fmt: skip


def found(boxes: list[Box], start: int, end: int) -> tuple[Box, ...]:
    return boxes_of(boxes, [one.char_end for one in boxes], start, end)


def test_lines_below_each_other_are_one_rectangle() -> None:
    (box,) = found(lines(5), 10, 40)
    assert (box.top, box.bottom) == (0.124, 0.192)
    assert (box.char_start, box.char_end) == (10, 40)


def test_a_line_that_is_cut_counts_whole_and_its_characters_do_not() -> None:
    (box,) = found(lines(3), 5, 12)
    assert (box.top, box.bottom) == (0.1, 0.144)
    assert (box.char_start, box.char_end) == (5, 12)


def test_pages_columns_and_gaps_part_rectangles() -> None:
    columns = [*lines(2), *lines(2, left=0.5, start=20), *lines(2, page=2, start=40)]
    assert [(one.page, one.left) for one in found(columns, 0, 60)] == [(1, 0.1), (1, 0.5), (2, 0.1)]
    apart = lines(4)
    del apart[1:3]
    assert len(found(apart, 0, 40)) == 2


def test_what_lies_between_boxes_has_none() -> None:
    assert found([lines(1)[0], *lines(1, start=50)], 12, 48) == ()


def test_chunks_have_their_boxes_and_stores_keep_them() -> None:
    text = "Alpha beta\n\ngamma delta"
    boxes = (Box(1, 0.1, 0.1, 0.9, 0.12, 0, 10), Box(2, 0.1, 0.1, 0.9, 0.12, 12, 23))
    document = replace(Document("a.pdf", "A", text, (0, 12)), boxes=boxes)
    maker = ChunkMaker(understand(document))
    first, second = (
        maker.chunk(Piece(start, end, start), -1, 0) for start, end in ((0, 10), (12, 23))
    )
    assert (first.boxes, second.boxes) == (boxes[:1], boxes[1:])
    record = Record(replace(first, id="x"), DocumentVersion("h", "f", 1))
    assert Record.from_json(record.to_json()).chunk.boxes == boxes[:1]
