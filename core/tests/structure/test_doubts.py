"""What speaks against the sections of a document."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from hierdoc.models import Document
from hierdoc.structure import find_doubts, understand


def doubts(text: str) -> tuple[str, ...]:
    return find_doubts(understand(Document("act.md", "Act", text), definitions=False))


def act(numbers: Iterable[object]) -> str:
    return "# Harbours Act\n\n" + "".join(
        f"## Section {number}\n\nThe registrar shall keep records.\n\n" for number in numbers
    )


@pytest.mark.parametrize(
    "text",
    [
        act(range(1, 40)),
        act([*range(1, 12), "12", "12a", "12b", *range(13, 30)]),
        act([*range(101, 112), *range(201, 212)]),
        "# Notes\n\n## Scope\n\nText.\n\n## Terms\n\nText.\n",
        "",
    ],
)
def test_a_sane_document_has_none(text: str) -> None:
    assert doubts(text) == ()


def test_a_gap_in_the_numbers() -> None:
    assert doubts(act([*range(1, 14), *range(32, 80)])) == (
        "18 numbers are missing between Section 13 and Section 32",
    )


def test_a_gap_that_the_text_explains_is_none() -> None:
    before, behind = act(range(1, 14)), act(range(32, 80)).partition("\n\n")[2]
    assert doubts(f"{before}## Sections 14 to 31 (repealed)\n\n{behind}") == ()
    assert doubts(f"{before}[Sections 14 to 31 repealed]\n\n{behind}") == ()


def test_numbers_that_go_back() -> None:
    assert doubts(act([*range(1, 20), 5, *range(20, 40)])) == (
        "Section 5 stands behind Section 19",
        "2 sections beside each other are called Section 5",
    )


def test_entries_of_contents_without_a_heading() -> None:
    listed = "".join(f"{n}. Part {n} ........ {n}\n" for n in range(1, 21))
    body = "".join(f"{n}. Part {n}\n\nThe text of it.\n\n" for n in range(1, 16))
    assert doubts(f"Manual\n\nTable of Contents\n\n{listed}\n\n{body}") == (
        "5 of 20 entries of its table of contents have no heading",
    )


def test_many_headings_of_one_level_without_numbers() -> None:
    text = "".join(f"## Heading {'abcdefgh'[n % 8] * (n + 1)}\n\nText.\n\n" for n in range(50))
    assert doubts(text) == ("all 50 headings have one level and no numbers",)


def test_a_long_text_without_headings() -> None:
    assert doubts("The registrar keeps records. " * 2_000) == (
        "no headings are found in 58,000 characters",
    )


def test_the_first_few_stand_for_all_of_a_kind() -> None:
    found = doubts(act([one for start in range(5, 900, 60) for one in range(start, start + 50)]))
    assert len(found) == 6
    assert found[-1] == "and 9 more of this kind"


def test_numbered_lines_of_which_nothing_was_read() -> None:
    lines = "".join(f"  {number}. it flew on and\n" for number in range(1, 15))
    assert doubts(f"Kites\n\n{lines}") == (
        "lines are numbered from 1 to 14, but no sections found",
    )


def test_a_short_list_is_no_reason() -> None:
    lines = "".join(f"  {number}. it flew on and\n" for number in range(1, 8))
    assert doubts(f"Kites\n\n{lines}") == ()
