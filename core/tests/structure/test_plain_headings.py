"""Headings that plain text has of its own: underlined lines, and `#` only where it is no comment."""

from __future__ import annotations

import asyncio
from textwrap import dedent

import pytest

from hierdoc import Section, Source
from hierdoc.defaults.converters import TextConverter
from hierdoc.structure import document_tree


def outline(text: str, name: str = "kettle.txt") -> list[str]:
    """The titles of all sections, indented by depth."""
    document = asyncio.run(TextConverter().convert(Source(name, dedent(text).encode())))

    def lines(sections: tuple[Section, ...], depth: int) -> list[str]:
        found = []
        for one in sections:
            found += ["  " * depth + one.title, *lines(one.children, depth + 1)]
        return found

    return lines(document_tree(document), 0)


MANUAL = """\
    The Kettle Manual

    1. Filling

    Fill the kettle with cold water, up to the mark inside of it.

    2. Settings

    For example:

    {example}

    3. Boiling

    It boils in two minutes.
    """


@pytest.mark.parametrize(
    "example",
    [
        "# switch it on\n    heater = 1",
        "#\n    # default; keep warm\n    #\n    heater = 1",
        "# Kettle settings\n\n    Every file begins with this line.",
        "#!/bin/sh\n    # remove old timers\n    rm timers",
    ],
)
def test_a_comment_is_no_heading_of_plain_text(example: str) -> None:
    assert outline(MANUAL.format(example=example)) == ["1. Filling", "2. Settings", "3. Boiling"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Kettle\n\nIt boils.\n\n# Pot\n\nIt cooks.\n", ["Kettle", "Pot"]),
        ("# Kettle\nIt boils.\n\n## Use\nFill it.\n", ["Kettle", "  Use"]),
        ("# Kettle\n## Use\n\nFill it.\n", ["Kettle", "  Use"]),
        ("Of pots and kettles.\n\n# Kettle\n\nIt boils.\n\n# Pot\n\nIt cooks.\n", ["Kettle", "Pot"]),
        ("# Kettle\n\n## Use\n\nFill it.\n\n# keep warm\nheater = 1\n\n## Care\n\nDry it.\n",
         ["Kettle", "  Use", "  Care"]),
    ],
)  # fmt: skip
def test_plain_text_that_is_written_as_markdown_keeps_its_headings(
    text: str, expected: list[str]
) -> None:
    assert outline(text) == expected


def test_the_title_of_plain_text_is_no_comment_in_it() -> None:
    text = MANUAL.format(example="# switch it on\n    heater = 1")
    document = asyncio.run(TextConverter().convert(Source("a.txt", dedent(text).encode())))
    assert document.title == "The Kettle Manual"


def test_rules_of_any_kind_underline_headings_in_order_of_appearance() -> None:
    text = """\
        The Kettle Manual
        *****************

        1. Filling
        **********

        1.1. Water
        ==========

        It is cold.

        1.1.1. Marks
        ------------

        There are two.

        1.1.1.1. Lower
        ~~~~~~~~~~~~~~

        For one cup.

        2. Boiling
        **********

        It boils.
        """
    assert outline(text) == [
        "The Kettle Manual",
        "1. Filling",
        "  1.1. Water",
        "    1.1.1. Marks",
        "      1.1.1.1. Lower",
        "2. Boiling",
    ]


def test_rules_above_and_below_make_a_kind_of_their_own() -> None:
    text = "======\nKettle\n======\n\nFilling\n=======\n\nCold.\n\nBoiling\n=======\n\nHot.\n"
    assert outline(text) == ["Kettle", "  Filling", "  Boiling"]


def test_letters_that_take_two_columns_are_underlined_by_two() -> None:
    assert outline("水を入れる\n**********\n\n冷たい水。\n\n沸かす\n******\n\n熱い。\n") == [
        "水を入れる",
        "沸かす",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The kettle is filled with cold water.\n\nNote\n***********************\n\nIt boils.\n",
        "It boils.\nIt whistles\n***********\n\nThen pour.\n",
        "Kettle   Cups\n*************\n\nSmall    2\n",
        "* * * * * *\n***********\n\nIt boils.\n",
        "```\nKettle\n******\n```\n\nIt boils.\n",
    ],
)
def test_a_rule_that_underlines_no_line_makes_no_heading(text: str) -> None:
    assert outline(text) == []


def test_the_header_of_a_table_is_no_heading() -> None:
    text = "Kettles\n=======\n\nThere are two.\n\nKettle    Cups\n--------------\nSmall     2\n\nPots\n====\n\nOne.\n"
    assert outline(text) == ["Kettles", "Pots"]


PAGE = """\
KETTLE(1)                   General Commands Manual                  KETTLE(1)

NAME
       kettle - boil water

DESCRIPTION
       kettle boils water.  The options are as follows:

       -f file
               Reads settings from this file:

               # keep warm
               heater = 1

   Filling
       Up to the mark.

   Boiling
       It takes two minutes.

SEE ALSO
       pot(1)

Linux                            May 3, 2026                         KETTLE(1)
"""


def test_sections_of_a_manual_page_are_its_lines_that_are_not_indented() -> None:
    assert outline(PAGE) == ["NAME", "DESCRIPTION", "  Filling", "  Boiling", "SEE ALSO"]


def test_a_manual_page_is_called_as_its_header_says() -> None:
    document = asyncio.run(TextConverter().convert(Source("kettle.txt", PAGE.encode())))
    assert document.title == "KETTLE(1)"


def test_text_that_cites_a_manual_page_is_none() -> None:
    text = "KETTLE(1) says how to boil water.\n\nNAME\n       kettle - boil water\n"
    assert outline(text) == []


def test_headings_of_wikis_stand_between_signs() -> None:
    text = "Of kettles.\n\n==Filling==\n\nCold.\n\n=== Marks ===\nTwo.\n\n==Boiling==\n\nHot.\n"
    assert outline(text, "kettle.wiki") == ["Filling", "  Marks", "Boiling"]


@pytest.mark.parametrize(
    "text",
    [
        "Both are the same:\n\nleft == right ==\n\nand they stay so.\n",
        "== Filling ==\n\nOne such line may be anything.\n",
        "```\n== a ==\n\n== b ==\n```\n",
        "== Filling ===\n\nCold.\n\n=== Boiling ==\n\nHot.\n",
    ],
)
def test_other_lines_with_signs_are_no_headings(text: str) -> None:
    assert outline(text) == []


def test_questions_may_stand_behind_subject() -> None:
    text = "Subject: Kettles FAQ\n\n" + "".join(
        f"Subject: {question}\n\nIt is said in the manual.\n\n"
        for question in ("1. Use", "1.1. How is it filled?", "1.2. Does it boil?", "2. Care")
    )
    assert outline(text) == [
        "1. Use",
        "  1.1. How is it filled?",
        "  1.2. Does it boil?",
        "2. Care",
    ]


def test_the_subject_of_a_letter_is_no_section() -> None:
    assert outline("Subject: 1. May\n\nDear Madam,\n\nthe kettle boils.\n") == []


def test_a_long_title_of_plain_text_is_underlined_by_as_long_a_rule() -> None:
    long = f"An Act {'to amend the law of ferries, ' * 6}and for other purposes"
    text = f"{long}\n{'=' * len(long)}\n\nText.\n\nScope\n-----\n\nText.\n\n{long}\n{'-' * 40}\n\nText.\n"
    assert outline(text) == [long, "  Scope"]


HANDBOOK = """\
    Handbook of the Ferry Company

    Welcome

    This handbook says how we work together on board.

    Leave

    Annual Leave

    Ask your manager two weeks before.

    Sick Leave

    Call the office before your shift begins,
    and bring a note from the third day on

    Meals on Board

    Meals on journeys are paid up to twenty euros a day, and more on Sundays.
    """


def test_headings_without_numbers_stand_above_short_paragraphs_too() -> None:
    assert outline(HANDBOOK) == ["Welcome", "Leave", "Annual Leave", "Sick Leave", "Meals on Board"]


def test_names_below_each_other_are_no_headings() -> None:
    names = "\n\n".join(("Ada Shore", "Ben Quay", "Cora Pier", "Dan Mole", "Eve Dock"))
    assert outline(f"{names}\n\nAll of them work here.\n", "crew.txt") == []


def test_lines_of_prose_in_a_letter_are_no_headings() -> None:
    text = "Dear Ms Shore\n\nthe ferry is late.\n\nWe regret this.\n\nIt will not happen again.\n\nYours\n\nBen Quay\n"
    assert outline(text, "letter.txt") == []
