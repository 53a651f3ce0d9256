"""Contents whose entries look like the sections themselves: the body wins, and lists of tables are no headings."""

from __future__ import annotations

from textwrap import dedent

from hierdoc.models import Section
from hierdoc.structure.sections import section_tree


def outline(text: str) -> list[tuple[int, str | None, int]]:
    """Depth, key and line of each section."""
    found: list[tuple[int, str | None, int]] = []

    def visit(sections: tuple[Section, ...], depth: int) -> None:
        for one in sections:
            found.append((depth, one.key, one.line_start))
            visit(one.children, depth + 1)

    visit(section_tree(dedent(text).lstrip(), domain="auto"), 0)
    return found


ACT = """
    THE KITES ACT, 1971

    ARRANGEMENT OF SECTIONS

    CHAPTER I
    PRELIMINARY
    1. Short title.
    2. Definitions.
    CHAPTER II
    FLYING
    3. Heights.
    4. Fees.

    THE KITES ACT, 1971
    An Act to regulate kites.
    BE it enacted by Parliament as follows:—

    CHAPTER I
    PRELIMINARY
    1. Short title.—(1) This Act may be called the Kites Act, 1971.
    (2) It extends to the whole country.

    2. Definitions.—(1) In this Act, a kite is what flies on a line.
    (2) A drone is none.

    CHAPTER II
    FLYING
    3. Heights.—No person shall fly a kite above one hundred metres.

    4. Fees.—(1) A fee is paid for each kite.
    (2) It is paid once.
    """


def test_the_body_wins_over_an_arrangement_of_sections() -> None:
    found = outline(ACT)
    assert all(line > 14 for _, _, line in found)
    assert [(depth, key) for depth, key, _ in found] == [
        (0, "ch_1"), (1, "sec_1"), (2, "sec_1_1"), (2, "sec_1_2"), (1, "sec_2"), (2, "sec_2_1"), (2, "sec_2_2"),
        (0, "ch_2"), (1, "sec_3"), (1, "sec_4"), (2, "sec_4_1"), (2, "sec_4_2"),
    ]  # fmt: skip


MANUAL = """
    The Kite Manual

    Table of Contents

    1. Introduction
        1. Home
        2. Lists
    2. Getting Started
        1. Lines
        2. Tails

    List of Tables

    1.1. Signs for lines
    2.1. Common knots

    Chapter 1. Introduction

    Table of Contents

    1. Home
    2. Lists

    A kite is a small thing.

    1. Home

    It can be found somewhere.

    2. Lists

    Send a letter.

    Chapter 2. Getting Started

    This chapter is for those who begin.

    1. Lines

    They are long.

    2. Tails

    They are longer.
    """


def test_chapters_with_contents_of_their_own() -> None:
    assert [(depth, key) for depth, key, _ in outline(MANUAL)] == [
        (0, "ch_1"), (1, "sec_1"), (1, "sec_2"), (0, "ch_2"), (1, "sec_1"), (1, "sec_2"),
    ]  # fmt: skip


RULES = """
    Kite Rules

    Contents

    1. Concepts
    100. General
    101. Golden Rules
    2. More
    200. Winning

    1. Concepts

    100. General

    100.1. These rules apply to all kites.

    101. Golden Rules

    101.1. What a kite says takes precedence.

    2. More

    200. Winning

    200.1. Whoever flies last wins.
    """


def test_contents_that_count_by_hundreds() -> None:
    assert [(depth, key) for depth, key, _ in outline(RULES)] == [
        (0, "sec_1"), (1, "sec_100"), (2, "sec_100_1"), (1, "sec_101"), (2, "sec_101_1"),
        (0, "sec_2"), (1, "sec_200"), (2, "sec_200_1"),
    ]  # fmt: skip


BYLAWS = """
    BYLAWS OF THE KITE CLUB

    TABLE OF CONTENTS

    ONE\t\tOBJECT
    1.1 Name
    1.2 Purpose

    TWO\t\tMEMBERS
    2.1 Kinds
    2.2 Votes

    BYLAWS OF THE KITE CLUB

    ARTICLE ONE: OBJECT

    1.1 Name.
    The name is what it is.

    1.2 Purpose.
    The purpose is to fly.

    ARTICLE TWO: MEMBERS

    2.1 Kinds.
    There are two kinds.

    2.2 Votes.
    Each member has one.
    """


def test_articles_that_contents_call_by_number_words() -> None:
    assert [(depth, key) for depth, key, _ in outline(BYLAWS)] == [
        (0, "art_1"), (1, "sec_1_1"), (1, "sec_1_2"), (0, "art_2"), (1, "sec_2_1"), (1, "sec_2_2"),
    ]  # fmt: skip


def test_articles_of_another_text_are_none() -> None:
    """A contract that quotes one article of a law has no articles of its own."""
    quoted = BYLAWS.replace("ARTICLE ONE: OBJECT\n", "\n").replace("ARTICLE TWO", "ARTICLE NINE")
    assert not any((key or "").startswith("art") for _, key, _ in outline(quoted))


CODE = """
    CHAPTER 5.04 KITES

    Sections:
    5.04.010 Definitions.
    5.04.020 License required.
    5.04.030 Fees.

    5.04.010 Definitions.
    A. No person shall fly without a license.
    B. The clerk shall issue it.
    (Ord. 351 § 3, 2005)

    5.04.020 License required.
    A. No person shall sell without a license.
    B. The clerk shall issue it.

    5.04.030 Fees.
    A. A fee shall be paid.
    B. It is paid once.
    """


def test_a_chapter_of_a_code_lists_its_sections() -> None:
    assert [(depth, key) for depth, key, line in outline(CODE) if line != 1] == [
        (1, "sec_5_04_010"), (2, "sec_5_04_010_a"), (2, "sec_5_04_010_b"),
        (1, "sec_5_04_020"), (2, "sec_5_04_020_a"), (2, "sec_5_04_020_b"),
        (1, "sec_5_04_030"), (2, "sec_5_04_030_a"), (2, "sec_5_04_030_b"),
    ]  # fmt: skip
