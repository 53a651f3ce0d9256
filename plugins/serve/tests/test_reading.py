"""Which part of a document is shown around what was found."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hierdoc.models import Box, Chunk, Section
from hierdoc_serve.reading import AROUND, Reading, read


def chunks(count: int, size: int = 1_000) -> list[Chunk]:
    """A document of one section a chunk, each of them two lines."""
    made = []
    for number in range(count):
        start = number * (size + 2)
        text = f"# Section {number}\n\n" + f"word{number} ".ljust(
            size - len(f"# Section {number}\n\n"), "x"
        )
        section = Section(
            f"sec_{number}",
            f"Section {number}",
            1 + (number % 3 > 0),
            start,
            start + size * (1 if number % 3 else 3),
            1,
            3,
            body_start=start + 14,
        )
        box = Box(number + 1, 0.1, 0.1, 0.9, 0.2, start, start + size)
        made.append(Chunk("a.pdf", text, start, start + size, 1, 3, id=str(number), ordinal=number, title="A", parent_chain=(f"Section {number}",), sections=(section,), boxes=(box,)))  # fmt: skip
    return made


def around(held: Sequence[Chunk], number: int) -> Reading:
    found = read(held, held[number].char_start, held[number].char_end)
    assert found is not None
    return found


@pytest.mark.parametrize("number", [0, 1, 50, 98, 99])
def test_what_is_found_is_shown_amid_its_neighbours(number: int) -> None:
    held = chunks(100)
    reading = around(held, number)
    assert f"<mark id=passage>Section {number}</mark>" in reading.html
    assert reading.html.count("<mark") == 2
    assert reading.start <= held[number].char_start < held[number].char_end <= reading.end
    assert AROUND / 3 < reading.end - reading.start < AROUND * 1.2
    assert reading.chain == (f"Section {number}",)


def test_a_document_can_be_read_on_and_back() -> None:
    held = chunks(100)
    at, seen = 0, 0
    while at < held[-1].char_end:
        reading = read(held, at, 0)
        assert reading is not None
        assert reading.end > at
        at, seen = reading.end, seen + 1
    assert 5 < seen < 50
    assert read(held, held[-1].char_end, 0) is None
    assert read([], 0, 0) is None


def test_a_chunk_that_is_longer_than_what_is_shown_is_shown_whole() -> None:
    held = chunks(3, size=3 * AROUND)
    assert around(held, 1).end >= held[1].char_end


def test_the_page_shows_the_rectangles_of_the_passage_alone() -> None:
    held = chunks(10)
    (sheet,) = around(held, 4).sheets
    assert (sheet.page, sheet.boxes) == (5, held[4].boxes)


def test_a_rectangle_that_holds_more_than_the_passage_is_not_shown() -> None:
    held = chunks(10)
    reading = read(held, held[4].char_start, held[4].char_start + 11)
    assert reading is not None
    (sheet,) = reading.sheets
    assert (sheet.page, sheet.boxes) == (5, ())


def test_the_outline_shows_the_outermost_headings_and_those_around() -> None:
    held = chunks(9)
    titles = [(one.title, one.depth, one.current) for one in around(held, 4).headings]
    assert titles == [
        ("Section 0", 0, False),
        ("Section 3", 0, False),
        ("Section 4", 1, True),
        ("Section 5", 1, False),
        ("Section 6", 0, False),
    ]


def test_a_long_outline_is_shown_around_the_place() -> None:
    held = chunks(3_000, size=60)
    headings = around(held, 1_500).headings
    assert len(headings) <= 300
    assert any(one.current for one in headings)
