"""Several agreements in one file: each has its sections under its own title."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hierdoc.models import Document
from hierdoc.structure import document_tree, flatten

TEXT = "The parties agree on what is said here, and on no more than that, for all of the term."


def chains(text: str) -> list[tuple[str, ...]]:
    """The key of each numbered section below the titles of those around it that have none."""
    flat = list(flatten(document_tree(Document("a.txt", "a", text, plain_text=True))))
    found = []
    for one in flat:
        if not one.section.key:
            continue
        around, parent = [], one.parent
        while parent >= 0:
            if not flat[parent].section.key:
                around.append(flat[parent].section.title)
            parent = flat[parent].parent
        found.append((*reversed(around), one.section.key))
    return found


def numbered(title: str) -> str:
    opening = f'{title}\n\nTHIS AGREEMENT is made between Boat Yard Ltd and Ferry Company Ltd (together the "Parties").\n\n'
    parts = [
        f"{n}. {name}\n\n{n}.1 {TEXT}\n\n{n}.2 {TEXT}\n"
        for n, name in enumerate(("DEFINITIONS", "SERVICES", "TERM"), 1)
    ]
    return opening + "\n".join(parts) + "\n\n"


def in_articles(title: str) -> str:
    opening = f"{title}\n\nbetween Boat Yard Ltd and Ferry Company Ltd, the parties\n\n"
    parts = [
        f"ARTICLE {n}\n{name}\n\nSection {n}.1 Matter. {TEXT}\n\nSection {n}.2 Other. {TEXT}\n"
        for n, name in zip(("I", "II", "III"), ("DEFINITIONS", "SERVICES", "TERM"), strict=True)
    ]
    text = opening + "\n".join(parts) + "\n\n"
    for roman, digit in (("III.", "3."), ("II.", "2."), ("I.", "1.")):
        text = text.replace(f"Section {roman}", f"Section {digit}")
    return text


@pytest.mark.parametrize(
    ("made", "unit"), [(numbered, "sec_{}"), (in_articles, "art_{}")], ids=["numbers", "articles"]
)
def test_each_agreement_holds_its_own_sections(made: Callable[[str], str], unit: str) -> None:
    titles = ("SUPPLY AGREEMENT", "SERVICE AGREEMENT", "LEASE AGREEMENT")
    expected = [
        (title, key)
        for title in titles
        for n in (1, 2, 3)
        for key in (unit.format(n), f"sec_{n}_1", f"sec_{n}_2")
    ]
    assert chains("".join(map(made, titles))) == expected
    assert chains("\f".join(map(made, titles))) == expected


def test_one_agreement_has_its_sections_alone() -> None:
    assert chains(numbered("SUPPLY AGREEMENT"))[0] == ("sec_1",)


def test_a_title_that_runs_above_pages_begins_nothing() -> None:
    text = numbered("SUPPLY AGREEMENT").replace("2.2 ", "\n\nSUPPLY AGREEMENT\n\n2.2 ")
    assert ("sec_3_2",) in chains(text)
    assert all(len(one) == 1 for one in chains(text))


def test_a_form_in_an_exhibit_is_no_agreement_of_its_own() -> None:
    text = f"{numbered('SUPPLY AGREEMENT')}EXHIBIT A\n\n{numbered('FORM OF LEASE AGREEMENT')}"
    assert chains(text)[0] == ("sec_1",)


def test_two_lines_above_the_first_section_are_one_title() -> None:
    text = numbered("SUPPLY AGREEMENT").replace("1. DEF", "AGREEMENT\n\n1. DEF", 1)
    assert chains(text)[0] == ("sec_1",)
