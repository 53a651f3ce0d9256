"""Headings whose number a parenthesis closes, and numbered clauses that follow each other without blank lines."""

from __future__ import annotations

from hierdoc.structure.sections import flatten, section_tree

TEXT = "What there is to say of this is said here, at the length that a paragraph of prose has and no list.\n\n"


def keys(text: str) -> list[str | None]:
    return [one.section.key for one in flatten(section_tree(text, domain="auto"))]


def test_headings_with_a_parenthesis() -> None:
    titles = ["1) Lines", "2) Tails", "2.1) Long Tails", "3) Wind"]
    text = "How to Make Kites\n\n" + TEXT + "".join(f"{one}\n\n{TEXT}" for one in titles)
    assert keys(text) == ["sec_1", "sec_2", "sec_2_1", "sec_3"]


def test_a_list_with_parentheses_is_none() -> None:
    items = "".join(f"{number}) Take a line\n\n" for number in range(1, 6))
    assert not any(keys(f"How to Make Kites\n\n{TEXT}{items}{TEXT}"))


def test_a_list_among_numbered_sections_is_none() -> None:
    text = "".join(f"{number}. Section of it\n\n{TEXT}" for number in (1, 2, 3))
    listed = "".join(f"{number}) Point of it\n\n{TEXT}" for number in (1, 2, 3))
    assert keys(f"Kites\n\n{text}{listed}") == ["sec_1", "sec_2", "sec_3"]


def test_clauses_without_blank_lines() -> None:
    text = (
        "Handbook of Kites\n\nSection 1 - Welcome \n1.1  History and Goals \nThis club was founded by two people.\n"
        "1.2  Purpose of it \nIt has been written for members.\nSection 2 - Flying \n2.1  Heights \nThere are none.\n"
    )
    assert keys(text) == ["sec_1", "sec_1_1", "sec_1_2", "sec_2", "sec_2_1"]


def test_a_footnote_mark_ends_a_sentence() -> None:
    text = (
        "General Rules\n\n1 Attendance\n1.1 All members must be in attendance as they have to.\n"
        "1.2 No member may be absent. Proof is needed.{}\n1.3 Members must present themselves on time.\n"
        "2 Residence\n2.1 Members may live elsewhere.\n"
    )
    assert "sec_1_3" in keys(text.format("[1]"))
    assert "sec_1_3" not in keys(
        text.format(" It is given at the door to whoever asks, as said in")
    )
