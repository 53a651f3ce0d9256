"""Cross-references: which section a citation means."""

from __future__ import annotations

import pytest

from hierdoc import Reference
from hierdoc.structure.numbering import section_key
from hierdoc.structure.references import find_references
from hierdoc.structure.sections import flatten, section_tree

CONSTITUTION = """\
# Article I
## Section 1
one
## Section 2
two
# Article II
## Section 1
HERE
# Amendment I
text
"""


def references(text: str) -> list[Reference]:
    flat = flatten(section_tree(text))
    body = [section_key(entry.section.title) for entry in flat]
    found = find_references(text, flat, body)
    return [one.reference for one in found if not text[: one.start].endswith("# ")]


def meant(sentence: str, text: str = CONSTITUTION) -> list[str | None]:
    """Ids of the sections that the sentence means at the place HERE; None for what stays unresolved."""
    found = references(text.replace("HERE", sentence))
    return [one.section_id if one.resolved else None for one in found]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("see Amendment I", ["amend_1"]),
        ("see Article I, Section 2", ["sec_2"]),
        ("see section 1 of article I", ["art_1_sec_1"]),
        ("see Section 1, Article I", ["art_1_sec_1"]),
        ("see Section 1", ["art_2_sec_1"]),
        ("see Section 2", ["sec_2"]),
        ("see Section 2(a)(1)", ["sec_2"]),
        ("see Section 2.5", [None]),
        ("see Section 9", [None]),
        ("see Article I, Section 9", [None]),
        ("see Section 1 of Article II and Section 2", ["art_2_sec_1", "sec_2"]),
    ],
)
def test_a_citation_means_the_nearest_section_of_its_key(
    sentence: str, expected: list[str | None]
) -> None:
    assert meant(sentence) == expected


def test_what_several_sections_could_be_stays_unresolved() -> None:
    assert meant("", CONSTITUTION.replace("text", "see Section 1")) == [None]


@pytest.mark.parametrize(
    "sentence",
    [
        "section 2 of the Clean Air Act",
        "section 2 of title 5, United States Code",
        "Section 2, 3 and 4 of the Bank Holding Company Act",
        "Article I of Directive 95/46/EC",
        "Article I of Regulation (EU) 2016/679",
        "§ 2 BGB",
        "§ 2 StGB",
        "§ 2 Abs. 1 des Strafgesetzbuchs",
        "§ 2 des Gesetzes über Ordnungswidrigkeiten",
        "Artikel I der Verordnung (EU) 2016/679",
    ],
)
def test_what_belongs_to_another_work_stays_unresolved(sentence: str) -> None:
    assert not any(meant(sentence))


@pytest.mark.parametrize(
    "sentence",
    ["Section 2 of this Act", "Section 2 of the Senate", "§ 2 des Antrags", "Section 2 IS"],
)
def test_what_follows_need_not_be_another_work(sentence: str) -> None:
    assert meant(sentence.replace(" IS", " is")) == ["sec_2"]


def test_the_number_of_a_paragraph_is_no_reference() -> None:
    assert meant("words\n\nSection 2. The court may\n\nSection 2 says") == ["sec_2"]


def test_an_unresolved_reference_keeps_its_key() -> None:
    assert references("see section 551 of title 5") == [
        Reference("section 551 of title 5", "title_5_sec_551", keys=("title_5", "sec_551"))
    ]


def test_the_text_is_on_one_line() -> None:
    assert references("see section\n551")[0].text == "section 551"
