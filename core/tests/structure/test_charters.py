"""Licences, contracts and by-laws in plain text: numbers from 0 on, clauses without headings, and items that are cited."""

from __future__ import annotations

from textwrap import dedent

import pytest

from hierdoc.structure.charters import is_charter
from hierdoc.structure.sections import flatten, section_tree

TEXT = (
    "All rights are granted for the term of copyright, and end where the conditions are not met.\n"
)


def keys(text: str) -> list[str | None]:
    return [one.section.key for one in flatten(section_tree(dedent(text), domain="auto"))]


def test_sections_may_count_from_zero() -> None:
    titles = ["Definitions.", "Source Forms.", "Basic Permissions."]
    text = "".join(f"  {n}. {title}\n\n  {TEXT}\n" for n, title in enumerate(titles))
    assert keys(f"SAMPLE LICENCE\n\n{text}") == ["sec_0", "sec_1", "sec_2"]


def test_a_zero_that_no_one_follows_is_no_section() -> None:
    sections = "".join(
        f"{n}. {title}\n\n{TEXT}\n" for n, title in enumerate(("Scope", "Terms", "End"), 1)
    )
    last = f"0. Nothing\n\n{TEXT}"
    assert keys(f"Report\n\n{sections}{last}") == ["sec_1", "sec_2", "sec_3"]


CLAUSES = """
    GENERAL WIDGET LICENSE

    Preamble

    The rights that this document grants are those that it names, and no others at all.

    0. This License applies to any widget that bears a notice of its maker which says that it may be
    passed on under these terms, whoever made it and wherever it was bought.

    1. You may copy and pass on widgets as you receive them, in any form, provided that you keep all
    notices that refer to this License, and give a copy of it to whoever receives the widget.

    2. You may change your copy of the widget, provided that you also meet all of these conditions:

        a) You must say in the changed widget that you changed it, and when you did.

        b) You must license it as a whole to all others, at no charge.

    3. You may not sublicense the widget except as these terms allow, and whoever tries to do so loses
    all rights under this License at once.
    """


def test_clauses_of_a_licence_are_its_sections() -> None:
    assert keys(CLAUSES)[-6:] == ["sec_0", "sec_1", "sec_2", "sec_2_a", "sec_2_b", "sec_3"]


def test_numbered_paragraphs_of_other_texts_are_paragraphs() -> None:
    text = CLAUSES.replace("GENERAL WIDGET LICENSE", "Smith v Jones").replace("0. ", "")
    assert "para_2" in keys(text)
    assert not any((key or "").startswith("sec") for key in keys(text))


BYLAWS = """
    {}

    1. Name

    The name of the body is what the register says.

    2. Powers

    The body has power to:

      (1) borrow money and charge its property;

      (2) buy or lease any property, and

         (a) maintain it; or

         (b) sell it.

    3. Members

    Anyone may be a member.
    """


def test_items_of_a_constitution_are_cited() -> None:
    assert keys(BYLAWS.format("Constitution of the Widget Society")) == [
        "sec_1", "sec_2", "sec_2_1", "sec_2_2", "sec_2_2_a", "sec_2_2_b", "sec_3",
    ]  # fmt: skip


def test_items_of_a_report_are_not() -> None:
    assert keys(BYLAWS.format("A Report on Widget Making")) == ["sec_1", "sec_2", "sec_3"]


@pytest.mark.parametrize(
    "opening",
    [
        "# Satzung",
        "SUPPLY AGREEMENT\n\nbetween",
        "Bylaws of the Widget Society",
        "STATUTS",
    ],
)
def test_a_charter_says_what_it_is(opening: str) -> None:
    assert is_charter(opening)


@pytest.mark.parametrize(
    "opening",
    [
        "Notes on widgets\n\nThe code is under a licence that is said below.",
        "How to read a license key\n\nText.",
        "Handbook for users",
    ],
)
def test_a_text_that_speaks_of_one_is_none(opening: str) -> None:
    assert not is_charter(opening)


POLICY = """
    {}

    1. Scope

    It applies to all who work in the harbour.

    2. Booking

    {}(1) Trains are booked through the desk.

    (2) Flights need a reason.

    3. Expenses

    {}(a) Meals are paid back.

    (b) Drinks are not.
    """


def test_paragraphs_that_make_up_sections_are_cited() -> None:
    expected = ["sec_1", "sec_2", "sec_2_1", "sec_2_2", "sec_3", "sec_3_a", "sec_3_b"]
    assert keys(POLICY.format("Travelling for the harbour", "", "")) == expected


def test_lists_behind_a_sentence_of_a_report_are_not() -> None:
    text = POLICY.format("Travelling for the harbour", "What to do:\n\n    ", "It goes so:\n\n    ")
    assert keys(text) == ["sec_1", "sec_2", "sec_3"]


def test_lists_of_a_policy_are_cited_wherever_they_stand() -> None:
    text = POLICY.format("Travel Policy", "What to do:\n\n    ", "")
    assert keys(text) == ["sec_1", "sec_2", "sec_2_1", "sec_2_2", "sec_3", "sec_3_a", "sec_3_b"]


def test_numbers_with_full_stops_of_a_policy_are_lists() -> None:
    text = POLICY.format("Travel Policy", "", "").replace("(1)", "1.").replace("(2)", "2.")
    assert "sec_2_1" not in keys(text)
