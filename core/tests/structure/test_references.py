"""Cross-references: which section a citation means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc import Reference
from hierdoc.citations import section_key
from hierdoc.structure.references import find_references
from hierdoc.structure.sections import flatten, section_tree

PIECES = [
    "# Article 1\n",
    "## Section 2\n",
    "Article 1",
    "Section 2(a)",
    "paragraph 2",
    "this Article",
    " of ",
    " to ",
    " and ",
    ", ",
    "\n\n",
    "the preceding Article",
    " of the Water Act",
    "Directive 95/46/EC",
    "(b)",
    "EIP-7",
    " x ",
    "Articles 1",
]

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
        Reference("section 551 of title 5", "title_5_sec_551", keys=("sec_551",), work="title_5")
    ]


def test_the_text_is_on_one_line() -> None:
    assert references("see section\n551")[0].text == "section 551"


LAW = """\
# Chapter I
## Article 1
one
## Article 2
HERE
## Article 3
three
# Chapter II
## Article 4
four
"""


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("this Article", ["art_2"]),
        ("This chapter says", ["ch_1"]),
        ("the preceding Article", ["art_1"]),
        ("the following Article", ["art_3"]),
        ("the rule of paragraph 2", ["art_2"]),
        ("points (a) and (b) of paragraph 1", ["art_2", "art_2"]),
        ("Articles 1 to 4", ["art_1", "art_2", "art_3", "art_4"]),
        ("Article 3 and paragraph 2 of that Article", ["art_3", "art_3"]),
        ("Article 1 of Regulation (EU) 2016/679", [None]),
        ("Article 1 or Article 3 of Directive 95/46/EC", [None, None]),
        ("Directive 95/46/EC", [None]),
        ("Article 3 of this Regulation", ["art_3"]),
        ("dieses Kapitels", ["ch_1"]),
        ("l'article précédent", ["art_1"]),
        ("the Article on paragraphs", []),
    ],
)
def test_relative_references_are_understood_from_where_they_stand(
    sentence: str, expected: list[str | None]
) -> None:
    assert meant(sentence, LAW) == expected


@pytest.mark.parametrize(
    ("sentence", "work", "keys"),
    [
        ("section 203(a)(1) of the Clean Water Act", "clean_water_act", ("sec_203_a_1",)),
        ("12 U.S.C. 1841(a)", "usc_12", ("sec_1841_a",)),
        ("section 551 of title 5, United States Code", "usc_5", ("sec_551",)),
        ("Article 6 of Regulation (EC) No 45/2001", "reg_45_2001", ("art_6",)),
        ("EIP-1559", "eip_1559", ()),
        ("§ 823 Abs. 1 BGB", "bgb", ("sec_823_1",)),
    ],
)
def test_what_belongs_to_another_work_says_to_which(
    sentence: str, work: str, keys: tuple[str, ...]
) -> None:
    (reference,) = references(f"see {sentence} there")
    assert (reference.resolved, reference.work, reference.keys) == (False, work, keys)
    assert reference.text == sentence


def test_a_document_that_is_cited_by_its_own_name_is_no_other_work() -> None:
    text = "# Article 1\nSee Article 2 of the Water Act and Article 2 of Directive 95/46/EC.\n# Article 2\n"
    flat = flatten(section_tree(text))
    keys = [section_key(entry.section.title) for entry in flat]
    found = find_references(text, flat, keys, ("water_act",))
    assert [
        (one.reference.resolved, one.reference.work) for one in found if 12 < one.start < 70
    ] == [
        (True, ""),
        (False, "dir_95_46"),
    ]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_references_are_in_order_and_lead_to_sections(text: str) -> None:
    flat = flatten(section_tree(text))
    keys = [section_key(entry.section.title) for entry in flat]
    ids = {entry.section.id for entry in flat}
    behind = 0
    for one in find_references(text, flat, keys):
        assert behind <= one.end
        assert one.reference.resolved == (one.target is not None)
        assert not one.reference.resolved or one.reference.section_id in ids
        behind = one.start


@pytest.mark.parametrize("text", ["Section 1. " * 100_000, "\n" * 100_000 + "Section 1. " * 20_000])
def test_a_line_of_citations_is_searched(text: str) -> None:
    assert len(find_references(text, [], [])) <= 100_000
