"""Lists whose nesting only their indentation tells, whose numbers are only counted, and those right below a heading."""

from __future__ import annotations

from textwrap import dedent

import pytest

from hierdoc.structure import flatten, section_tree
from hierdoc.structure.sections import is_enumerated


def items(text: str) -> list[str]:
    """The keys of all items, in order."""
    text = dedent(text)
    found = [one.section for one in flatten(section_tree(text, domain="auto"))]
    return [one.key or "" for one in found if is_enumerated(text, one)]


ARTICLES = "# Bylaws\n\n" + "".join(f"### Article {number}\n{{body}}\n\n" for number in range(1, 6))


def articles(body: str) -> list[str]:
    """The keys of the items of the first article, five of which have this text."""
    return [
        key.removeprefix("art_1_")
        for key in items(ARTICLES.format(body=body))
        if key[:6] == "art_1_"
    ]


def test_a_list_right_below_a_heading_of_markdown_is_its_list() -> None:
    assert articles("1.\tThe seat is Oslo.\n2.\tThe year begins in May.") == ["1", "2"]
    assert articles("(a) The seat is Oslo.\n(b) The year begins in May.") == ["a", "b"]


def test_a_sentence_that_goes_on_with_a_number_is_no_item() -> None:
    assert articles("The board has a chair and not fewer than\n1. or more deputies.") == []


@pytest.mark.parametrize("indent", ["\t", "    ", "   "])
def test_lists_of_one_kind_lie_in_each_other_by_their_indentation(indent: str) -> None:
    body = (
        f"1. The aims are:\n{indent}1. to sail;\n{indent}2. to row.\n"
        f"2. The means are:\n{indent}1. races;\n{indent}2. courses.\n3. The seat is Oslo."
    )
    assert articles(body) == ["1", "1_1", "1_2", "2", "2_1", "2_2", "3"]


def test_a_kind_comes_again_within_another() -> None:
    text = "".join(
        f"""\
Section {number} -- Boats.

  a. Use.

       1. You may:

            a. sail them; and

            b. row them.

       2. You shall dry them.

  b. Care.

       1. They are painted each year.

"""
        for number in range(1, 4)
    )
    assert [key for key in items(text) if key.startswith("sec_1_")] == [
        f"sec_1_{one}" for one in ("a", "a_1", "a_1_a", "a_1_b", "a_2", "b", "b_1")
    ]


def test_items_that_stand_in_one_column_are_no_list_in_each_other() -> None:
    assert articles("1. The seat is Oslo.\n2. The year begins in May.\n3. There is a board.") == [
        "1",
        "2",
        "3",
    ]


@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_items_that_are_all_written_1_are_counted_as_markdown_shows_them(between: str) -> None:
    body = between.join(
        ["1. The seat is Oslo.", "1. The year begins in May.", "1. There is a board."]
    )
    assert articles(body) == ["1", "2", "3"]


def test_lists_in_lists_are_counted_too() -> None:
    body = "1. The aims are:\n    1. to sail;\n    1. to row.\n1. The seat is Oslo."
    assert articles(body) == ["1", "1_1", "1_2", "2"]


def test_what_pandoc_counts_goes_on_with_the_first_of_the_list() -> None:
    body = "A.  The aims are:\n    1.  to sail;\n    #.  to row.\n#.  The seat is Oslo."
    assert articles(body) == ["a", "a_1", "a_2", "b"]


def test_a_counted_item_is_called_by_its_number() -> None:
    text = ARTICLES.format(body="#.  The seat is Oslo.\n#.  There is a board.")
    found = [one.section for one in flatten(section_tree(text, domain="auto"))]
    assert [one.title for one in found if one.key in ("art_1_1", "art_1_2")] == ["1.", "2."]


def test_numbers_that_authors_wrote_stay() -> None:
    assert articles("1. The seat is Oslo.\n3. The year begins in May.\n4. There is a board.") == [
        "1",
        "3",
        "4",
    ]


def test_a_list_behind_a_paragraph_of_its_own_is_another() -> None:
    body = "1. The seat is Oslo.\n\nOf meetings there are two.\n\n1. The year begins in May."
    assert "2" not in articles(body)


@pytest.mark.parametrize("label", ["**Art. {} :**", "**Article {}**", "Art. {}."])
def test_a_list_right_below_a_bold_label_is_its_list(label: str) -> None:
    body = "\na. The seat is Oslo.\n\nb. The year begins in May.\n\n"
    text = "# Statuts\n\n" + "".join(label.format(number) + body for number in range(1, 5))
    assert items(text)[:4] == ["art_1_a", "art_1_b", "art_2_a", "art_2_b"]


def test_a_label_that_a_sentence_goes_on_with_begins_nothing() -> None:
    text = "# Statuts\n\n" + "".join(
        f"**Art. {number}.** The seat is Oslo.\n\n" for number in range(1, 4)
    )
    cited = text + "Art. 2\napplies to the board too.\n"
    keys = [one.section.key for one in flatten(section_tree(cited, domain="auto"))]
    assert keys == [None, "art_1", "art_2", "art_3"]
