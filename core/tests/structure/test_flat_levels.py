"""Headings of markdown at one level, whose decimal numbers say which lies in which."""

from __future__ import annotations

import pytest

from hierdoc.structure import flatten, section_tree

TEXT = "Kettles are filled with cold water, up to the mark inside of them."


def outline(*headings: str) -> list[str]:
    """The titles of the sections that these headings begin, indented by depth."""
    text = "".join(f"{heading}\n\n{TEXT}\n\n" for heading in headings)
    depths: list[int] = []
    lines = []
    for one in flatten(section_tree(text, domain="auto")):
        depths.append(depths[one.parent] + 1 if one.parent >= 0 else 0)
        lines.append("  " * depths[-1] + one.section.title)
    return lines


@pytest.mark.parametrize(
    "lines",
    [
        ["1. Aims", "2. Filling", "  2.1. Water", "  2.2. Marks", "    2.2.1. Lower", "3. Care"],
        ["1 Aims", "2 Filling", "  2.1 Water", "  2.2 Marks", "    2.2.1 Lower", "3 Care"],
        ["1) Aims", "2) Filling", "  2.1) Water", "  2.2) Marks", "3) Care"],
        ["J.5 Filling", "  J.5.1 Water", "  J.5.2 Marks", "J.6 Care"],
        ["Chapter 1. Aims", "Chapter 2. Filling", "  2.1. Water", "    2.1.1. Lower", "Chapter 3. Care"],
        ["1. Aims", "2. Filling", "  2.1. Water", "  2.2. Marks", "  Notes", "  2.3. Lids", "3. Care", "Closing words"],
    ],
)  # fmt: skip
@pytest.mark.parametrize("title", [[], ["# The Kettle"]])
def test_decimal_numbers_decide_where_levels_are_flat(lines: list[str], title: list[str]) -> None:
    headings = outline(*title, *(f"## {line.strip()}" for line in lines))
    if "  Notes" in lines:  # lies in what stands before it
        lines = ["    Notes" if line == "  Notes" else line for line in lines]
    if title:
        lines = ["The Kettle", *(f"  {line}" for line in lines)]
    assert headings == lines


def test_a_flat_title_holds_the_chapters() -> None:
    assert outline(
        "## The Kettle", "## 1. Aims", "## 2. Filling", "## 2.1. Water", "## 3. Care"
    ) == [
        "The Kettle",
        "  1. Aims",
        "  2. Filling",
        "    2.1. Water",
        "  3. Care",
    ]


def test_the_authors_levels_stay_where_they_say_something() -> None:
    headings = ["## 1. Aims", "## 2. Filling", "### 2.1. Water", "### 2.2. Marks", "## 2.3. Lids"]
    assert outline(*headings) == [
        "1. Aims",
        "2. Filling",
        "  2.1. Water",
        "  2.2. Marks",
        "2.3. Lids",
    ]


def test_numbers_of_versions_lie_in_none() -> None:
    assert outline("# Changes", "## 2.1 Lids", "## 2.0 Marks", "## 1.9 Water") == [
        "Changes",
        "  2.1 Lids",
        "  2.0 Marks",
        "  1.9 Water",
    ]
