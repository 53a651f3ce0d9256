"""Citations: what is found, and the one form that all spellings of a citation have."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc.structure.labels import LABELS
from hierdoc.structure.numbering import (
    find_citations,
    heading_key,
    section_key,
    split_heading,
)


def keys(text: str) -> list[str]:
    return [citation.key for citation in find_citations(text)]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Section 203", "sec_203"),
        ("section 203A", "sec_203a"),
        ("Section 203(a)(1)(A)(i)", "sec_203_a_1_a_i"),
        ("Section 203 (a) (1)", "sec_203_a_1"),
        ("Sec. 203", "sec_203"),
        ("Sec.203", "sec_203"),
        ("SEC. 203", "sec_203"),
        ("Sect. 203", "sec_203"),
        ("§ 203", "sec_203"),
        ("§203", "sec_203"),
        ("§\xa0203", "sec_203"),
        ("§ 4.2.1", "sec_4_2_1"),
        ("§ 2-201", "sec_2_201"),
        ("Section 18.01(b)", "sec_18_01_b"),
        ("section\n203", "sec_203"),
        ("Article 6(1)(f)", "art_6_1_f"),
        ("Art. 6", "art_6"),
        ("Artikel 6", "art_6"),
        ("Article IV", "art_4"),
        ("article iv", "art_4"),
        ("Article I-A", "art_1_a"),
        ("Amendment XIV", "amend_14"),
        ("Title II", "title_2"),
        ("Part C", "part_c"),
        ("Part II", "part_2"),
        ("Chapter 3", "ch_3"),
        ("Ch. 3", "ch_3"),
        ("Kapitel 3", "ch_3"),
        ("Teil 1", "part_1"),
        ("Subtitle B", "subtitle_b"),
        ("Subchapter 2", "subch_2"),
        ("Division A", "div_a"),
        ("Rule 10b-5", "rule_10b_5"),
        ("Schedule 13D", "sched_13d"),
        ("Annex II", "annex_2"),
        ("Anhang III", "annex_3"),
        ("Appendix C", "app_c"),
        ("Exhibit 10.1", "exhibit_10_1"),
        ("Item 7A", "item_7a"),
        ("Clause 4.2", "cl_4_2"),
        ("Table 3", "table_3"),
        ("Figure 3-1", "fig_3_1"),
        ("recital (26)", "recital_26"),
        ("EIP-1559", "eip_1559"),
        ("eip-1559", "eip_1559"),
        ("EIP 1559", "eip_1559"),
        ("RFC 2119", "rfc_2119"),
        ("REQ-101", "req_101"),
        ("§ 1 Abs. 2", "sec_1_2"),
        ("§ 1 Absatz 2 Satz 1 Nummer 3", "sec_1_2_3"),
        ("§ 1 Abs. 2 Satz 1 Nr. 3 Buchst. a", "sec_1_2_3_a"),
        ("§ 1 Nr. 3", "sec_1_3"),
        ("Article 6(1), point (f)", "art_6_1_f"),
        ("Article 6, paragraph 1", "art_6_1"),
        ("Abschnitt 4.2", "sec_4_2"),
        ("Abschnitt 4", "abschn_4"),
    ],
)
def test_a_citation_has_one_key_however_it_is_spelled(text: str, key: str) -> None:
    (citation,) = find_citations(f"As {text}, says so.")
    assert citation.key == key
    assert citation.text == text


@pytest.mark.parametrize("prefix", sorted(LABELS))
def test_every_word_of_the_vocabulary_is_understood(prefix: str) -> None:
    for word in LABELS[prefix].split():
        assert keys(f"see {word} 12 there") == [f"{prefix}_12"], word


@pytest.mark.parametrize(
    "text",
    [
        "the section on reports",
        "203 reports",
        "part of 3 papers",
        "intersection 5",
        "Section 5th",
        "Title 5,000",
        "section\n\n5",
        "Article Index",
        "UTF-8 and SHA-256",
        "./eip-1559.md",
        "covid-19",
        "a Part I",
        "item one",
        "version 4.2.1",
    ],
)
def test_what_is_no_citation(text: str) -> None:
    assert keys(text) == ["part_1"] if text == "a Part I" else keys(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Article IV, Section 2", ["art_4", "sec_2"]),
        ("section 7 of title I", ["sec_7", "title_1"]),
        ("Section 5 (or not)", ["sec_5"]),
        ("Section 5 (the Act)", ["sec_5"]),
        ("Articles 15 to 22", ["art_15", "art_22"]),
        ("Articles 6(1)(a) and 9(2)", ["art_6_1_a", "art_9_2"]),
        ("§§ 3, 4 und 5", ["sec_3", "sec_4", "sec_5"]),
        ("§§ 30-34", ["sec_30", "sec_34"]),
        ("§§ 306, 307 Abs. 1 bis 3", ["sec_306", "sec_307_1", "sec_307_3"]),
        ("Section 5 and 6 people", ["sec_5"]),
        ("(Section 5)", ["sec_5"]),
        ("**§ 5**", ["sec_5"]),
    ],
)
def test_several_numbers(text: str, expected: list[str]) -> None:
    assert keys(text) == expected


def test_an_elided_article_is_no_part_of_a_label() -> None:
    (citation,) = find_citations("selon l'article 6, …")
    assert (citation.text, citation.key) == ("article 6", "art_6")


def test_the_unit_is_the_number_without_its_levels() -> None:
    cited = find_citations("Section 203(a)(1) and § 4.2 and § 1 Abs. 2")
    assert [citation.unit for citation in cited] == ["sec_203", "sec_4_2", "sec_1"]


@given(st.text("Section§ Art.IVXivx0123456789()abA,-–\n EIPund", max_size=60))
def test_citations_are_ordered_pieces_of_the_text(text: str) -> None:
    behind = 0
    for citation in find_citations(text):
        assert behind <= citation.start < citation.end
        assert text[citation.start : citation.end] == citation.text
        assert re.fullmatch(r"[^\W_]+(_[^\W_]+)+", citation.key)
        assert citation.key == citation.key.lower()
        assert citation.key.startswith(citation.unit)
        behind = citation.end


@pytest.mark.parametrize(
    "text",
    [
        "§" * 200_000,
        "§ 1" * 100_000,
        "sections 1" + ", 1" * 100_000,
        "§ 1" + " Abs. 2" * 50_000,
        "Section 1" + "(1)" * 100_000,
        "Section 1" + ".1" * 100_000,
        "Section " + "1" * 200_000,
        "Section" + " " * 200_000 + "1",
        " I" * 200_000,
    ],
    ids=lambda text: text[:14],
)
def test_hostile_text_is_searched(text: str) -> None:
    assert len(find_citations(text)) <= 100_001


# Headings


@pytest.mark.parametrize(
    ("title", "key", "rest"),
    [
        ("Section 2 Executive power", "sec_2", "Executive power"),
        ("### Section 2 Executive power", "sec_2", "Executive power"),
        ("SEC. 203. REPORTS.", "sec_203", "REPORTS."),
        ("§ 5 Begriffe", "sec_5", "Begriffe"),
        ("4.2 Scope", "sec_4_2", "Scope"),
        ("4.2. Scope", "sec_4_2", "Scope"),
        ("1. Introduction", "sec_1", "Introduction"),
        ("1) Introduction", "sec_1", "Introduction"),
        ("3 Terms and definitions", "sec_3", "Terms and definitions"),
        ("8: Same as before", "sec_8", "Same as before"),
        ("Article 6(1)(f)", "art_6_1_f", ""),
        ("Article I Declaration of Rights.", "art_1", "Declaration of Rights."),
        ("TITLE I—GENERAL", "title_1", "GENERAL"),
        ("Teil 1 - Gemeinsame Bestimmungen", "part_1", "Gemeinsame Bestimmungen"),
        ("Amendment XXVII", "amend_27", ""),
        ("Art 115f", "art_115f", ""),
        ("Item 7A. Disclosures", "item_7a", "Disclosures"),
        ("EIP-1559: Fee market", "eip_1559", "Fee market"),
        ("Appendix B: Forms", "app_b", "Forms"),
        ("§§ 3 bis 5 (weggefallen)", "sec_3", "bis 5 (weggefallen)"),
    ],
)
def test_a_numbered_heading_splits_into_key_and_text(title: str, key: str, rest: str) -> None:
    assert split_heading(title) == (key, rest)
    assert section_key(title) == key


@pytest.mark.parametrize(
    "title",
    [
        "Rationale",
        "Table of Contents",
        "Part of the plan",
        "Article",
        "5 seconds benchmark",
        "2D Nonce Storage",
        "2019 Annual Report",
        "2017-06-30",
        "100 Years",
        "SHA-256 instead of SHA-1",
        "",
    ],
)
def test_other_headings_have_no_key(title: str) -> None:
    assert split_heading(title) == (None, title)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rationale", "RATIONALE:"),
        ("Rationale", "## Rationale"),
        ("Backwards  Compatibility\n", "backwards compatibility."),
        ("The “Act”", 'the "act"'),
        ("Children’s rights", "children's rights"),
        ("Title I—General", "title i-general"),
        ("ﬁnal", "FINAL"),
        ("Straße", "STRASSE"),
    ],
)
def test_headings_that_a_reader_takes_for_the_same_have_one_key(one: str, other: str) -> None:
    assert heading_key(one) == heading_key(other)


@given(st.text(max_size=40))
def test_a_heading_key_is_its_own_key(title: str) -> None:
    assert heading_key(heading_key(title)) == heading_key(title)
