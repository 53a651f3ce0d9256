"""Org mode, and boxes of signs in plain text."""

from __future__ import annotations

from hierdoc.models import Document
from hierdoc.structure import flatten, understand

TEXT = "The radio is set up in the wheelhouse and tested before the season begins."


def titles(text: str) -> list[tuple[str, int]]:
    """The title and level of each section."""
    document = understand(Document("a.txt", "a", text, plain_text=True))
    return [(one.section.title, one.section.level) for one in flatten(document.sections)]


def test_asterisks_are_headings() -> None:
    text = f"* Hardware\n\n{TEXT}\n\n** TODO Antenna    :radio:mast:\n\n{TEXT}\n\n* Software\n\n{TEXT}\n"
    assert titles(text) == [("Hardware", 1), ("Antenna", 2), ("Software", 1)]


def test_a_keyword_tells() -> None:
    assert titles(f"#+TITLE: Radio\n\n* Hardware\n{TEXT}\n") == [("Hardware", 1)]


def test_blocks_and_drawers_hold_none() -> None:
    text = f"#+TITLE: Radio\n* Hardware\n:PROPERTIES:\n:ID: 1\n:END:\n{TEXT}\n#+BEGIN_SRC c\n* not one\n#+END_SRC\n"
    assert titles(text) == [("Hardware", 1)]


def test_lists_are_no_headings() -> None:
    assert (
        titles(f"Radio\n\n{TEXT}\n\n* mast\n* cable\n** plug\n** socket\n* crimper\n\n{TEXT}\n")
        == []
    )


def test_items_that_go_on_in_the_next_line_are_no_headings() -> None:
    items = "* mast that is put up\n  before the season\n** cable that is laid\n   below it\n* crimper\n  for the plugs\n"
    assert titles(f"Radio\n\n{TEXT}\n\n{items}\n{TEXT}\n") == []


RULE = "*" * 40


def test_a_box_frames_a_section() -> None:
    box = f"{RULE}\n*{'':38}*\n*  3. No Warranty{'':23}*\n*  --------------{'':23}*\n*{'':38}*\n*  It is as it is.{'':22}*\n{RULE}"
    text = "".join(
        f"{number}. {title}\n\n{TEXT}\n\n" for number, title in ((1, "Scope"), (2, "Grant"))
    )
    found = titles(f"Licence\n\n{text}{box}\n\n4. Law\n\n{TEXT}\n")
    assert [title for title, _ in found] == ["1. Scope", "2. Grant", "3. No Warranty", "4. Law"]


def test_a_small_frame_is_part_of_a_figure() -> None:
    frame = f"+{'-' * 14}+\n| 1. Request   |\n+{'-' * 14}+"
    assert titles(f"Radio\n\n{TEXT}\n\n{frame}\n\n{TEXT}\n") == []


def test_a_table_is_no_box() -> None:
    table = f"+{'-' * 20}+\n| 1. Mast   | 20 m   |\n| 2. Cable  | 30 m   |\n| 3. Plug   | none   |\n+{'-' * 20}+"
    assert titles(f"Radio\n\n{TEXT}\n\n{table}\n\n{TEXT}\n") == []
