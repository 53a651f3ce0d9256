"""Citations: what is found, and the one form that all spellings of a citation have."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc.citations import (
    enclosing_keys,
    find_citations,
    find_query_citations,
    heading_key,
    section_key,
    split_heading,
)
from hierdoc.citations.grammar import MOST_LEVELS
from hierdoc.citations.vocabulary import IDENTIFIERS, LABELS


def keys(text: str) -> list[str]:
    return [citation.key for citation in find_citations(text)]


_WRITTEN = {
    "reg": "Regulation",
    "dir": "Directive",
    "dec": "Decision",
    "abschn": "Abschnitt",
    "amend": "Amendment",
}


def written(key: str) -> str:
    """A citation that has this key, as people write it: `Section 203(a)(1)` for `sec_203_a_1`."""
    label, _, number = key.partition("_")
    if label in ("reg", "dir", "dec") and "_" in number:
        return f"{_WRITTEN[label]} {number.replace('_', '/', 1)}"
    if label in IDENTIFIERS or label not in LABELS:
        return f"{label.upper()}-{number}"
    first, *levels = number.split("_")
    word = _WRITTEN.get(label, LABELS[label].split()[0].capitalize())
    return f"{word} {first.upper()}{''.join(f'({level})' for level in levels)}"


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
        ("§ 2 UStG", "sec_2"),
        ("3 §", "sec_3"),
        ("4 a §", "sec_4a"),
        ("12. § (3)", "sec_12_3"),
        ("45/A. §", "sec_45-a"),
        ("5. člen", "art_5"),
        ("clause 52.209-3", "cl_52_209-3"),
        ("paragraph 2-3", "sec_2-3"),
        ("paragraph 2–3b", "sec_2-3_b"),
        ("§ 15 Abs. 1 UStG", "sec_15_1"),
        ("§203", "sec_203"),
        ("§\xa0203", "sec_203"),
        ("§ 4.2.1", "sec_4_2_1"),
        ("§ 2-201", "sec_2-201"),
        ("Section 18.01(b)", "sec_18_01_b"),
        ("section\n203", "sec_203"),
        ("Article 6(1)(f)", "art_6_1_f"),
        ("Art. 6", "art_6"),
        ("Artikel 6", "art_6"),
        ("Article IV", "art_4"),
        ("article iv", "art_4"),
        ("Article I-A", "art_1-a"),
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
        ("Rule 10b-5", "rule_10b-5"),
        ("Schedule 13D", "sched_13d"),
        ("Annex II", "annex_2"),
        ("Anhang III", "annex_3"),
        ("Appendix C", "app_c"),
        ("Exhibit 10.1", "exhibit_10_1"),
        ("Item 7A", "item_7a"),
        ("Clause 4.2", "cl_4_2"),
        ("Table 3", "table_3"),
        ("Figure 3-1", "fig_3-1"),
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
        ("Ziffer 4.2", "sec_4_2"),
        ("Artigo 5.º-A", "art_5-a"),
        ("Art. 4º-A", "art_4-a"),
        ("Artículo 3o", "art_3"),
        ("Artículo 3 Bis", "art_3-bis"),
        ("art. 4 ust. 2 pkt 1", "art_4_2_1"),
        ("Abschnitt 4", "abschn_4"),
        ("sec. 203 (a) (1)", "sec_203_a_1"),
        ("section 101(a)(1)(A)(ii)(I)", "sec_101_a_1_a_ii_i"),
        ("Section 203(a)(1) of the Clean Water Act", "sec_203_a_1"),
        ("12 U.S.C. 1841(a)", "sec_1841_a"),
        ("5 U.S.C. § 552", "sec_552"),
        ("17 CFR 240.10b-5", "sec_240_10b-5"),
        ("Public Law 117–58", "publ_117_58"),
        ("Pub. L. 111-148", "publ_111_148"),
        ("Regulation (EC) No 45/2001", "reg_45_2001"),
        ("Directive 95/46/EC", "dir_95_46"),
        ("Richtlinie 95/46/EG", "dir_95_46"),
        ("règlement (UE) 2016/679", "reg_2016_679"),
        ("Fourteenth Amendment", "amend_14"),
        ("14th Amendment", "amend_14"),
        ("Second Schedule", "sched_2"),
        ("Erster Abschnitt", "abschn_1"),
        ("Amendment No. 5", "amend_5"),
        ("point (f) of Article 6(1)", "art_6_1_f"),
        ("first paragraph of Article 5", "art_5_1"),
        ("second subparagraph of Article 12(3)", "art_12_3"),
        ("point (a) of the first subparagraph of Article 6(1)", "art_6_1_a"),
        ("Article 13(2), second subparagraph", "art_13_2"),
        ("subsection 5(1)", "sec_5_1"),
        ("paragraph 26(2)(a)", "sec_26_2_a"),
        ("§ 3 Abs. 1 S. 2 Nr. 4", "sec_3_1_4"),
        ("article 6, paragraphe 1, point f", "art_6_1_f"),
        ("artículo 6, apartado 1, letra f", "art_6_1_f"),
        ("articolo 6, paragrafo 1, lettera f", "art_6_1_f"),
        ("artikel 6, lid 1, onder f", "art_6_1_f"),
        ("artigo 6.º, n.º 1, alínea f", "art_6_1_f"),
        ("articolul 6 alineatul (1) litera (f)", "art_6_1_f"),
        ("article L. 121-1", "art_l121-1"),
        ("artículo 23 bis", "art_23-bis"),
        ("RFC7231", "rfc_7231"),
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
        ("section 199(1), (3) and (5)", ["sec_199_1", "sec_199_3", "sec_199_5"]),
        ("Article 6(1), points (a) and (b)", ["art_6_1_a", "art_6_1_b"]),
        ("points (a) and (b) of Article 6(1)", ["art_6_1_a", "art_6_1_b"]),
        ("clause (i) or (ii) of section 5(a)(1)", ["sec_5_a_1_i", "sec_5_a_1_ii"]),
        ("Section 1(a)(i), (ii) and (b)", ["sec_1_a_i", "sec_1_a_ii", "sec_1_b"]),
        ("§ 34 Abs. 1 und 2", ["sec_34_1", "sec_34_2"]),
        ("§ 1 Absatz 1 oder Absatz 2", ["sec_1_1", "sec_1_2"]),
        ("Section 13 or 15(d) of the Exchange Act", ["sec_13", "sec_15_d"]),
        ("Fifth and Fourteenth Amendments", ["amend_5", "amend_14"]),
        ("Article 21(2);\n\n(d) else", ["art_21_2"]),
        ("Article 5 of Directive 95/46/EC", ["art_5", "dir_95_46"]),
        ("paragraph 2 and point (a)", []),
        ("**§ 5**", ["sec_5"]),
    ],
)
def test_several_numbers(text: str, expected: list[str]) -> None:
    assert keys(text) == expected


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("Articles 15 to 18", ("art_16", "art_17")),
        ("§§ 4.2–4.5", ("sec_4_3", "sec_4_4")),
        ("§§ 1 bis 4", ("sec_2", "sec_3")),
        ("Articles I through IV", ("art_2", "art_3")),
        ("section 199(5) to (8)", ("sec_199_6", "sec_199_7")),
        ("Article 9(2)(a)-(d)", ("art_9_2_b", "art_9_2_c")),
        ("Article 1(i) to (iv)", ("art_1_ii", "art_1_iii")),
        ("points (a) to (c) of Article 6(1)", ("art_6_1_b",)),
        ("Articles 1 to 100000", ()),
        ("Articles 15 and 18", ()),
    ],
)
def test_the_end_of_a_range_says_what_lies_inside(text: str, inside: tuple[str, ...]) -> None:
    citation = find_citations(f"As {text}, says so.")[-1]
    assert citation.inside == inside
    assert citation.keys == (*inside, citation.key)


@pytest.mark.parametrize(
    ("text", "works"),
    [
        ("Section 203(a)(1) of the Clean Water Act", ["clean_water_act"]),
        ("section 10(b) of the Securities Exchange Act of 1934", ["securities_exchange_act"]),
        ("section 6 of the Privacy Act 1988", ["privacy_act"]),
        ("sections 2, 3 and 4 of the Banking Act", ["banking_act"] * 3),
        ("Section 2, 3 and 4 of the Banking Act", ["banking_act"] * 3),
        ("12 U.S.C. 1841(a)", ["usc_12"]),
        ("42 U.S.C. §§ 7401–7671q", ["usc_42", "usc_42"]),
        ("17 CFR 240.10b-5", ["cfr_17"]),
        ("section 551 of title 5, United States Code", ["usc_5", ""]),
        ("Article 5 of Directive 95/46/EC", ["dir_95_46", ""]),
        ("Article 4(2) of Council Regulation (EU) 2016/679", ["reg_2016_679", ""]),
        ("section 2 of EIP-1559", ["eip_1559", ""]),
        ("§ 823 BGB", ["bgb"]),
        ("Art. 2 Abs. 1 GG", ["gg"]),
        ("§ 5 des Bundesdatenschutzgesetzes", ["bundesdatenschutzgesetz"]),
        ("Article 16 TFEU", ["tfeu"]),
        ("article 5 du code civil", ["code_civil"]),
        ("artículo 5 de la Ley 39/2015", ["ley_39_2015"]),
        ("articolo 5 del codice civile", ["codice_civile"]),
        ("Section 4.2 of the Credit Agreement", ["credit_agreement"]),
        ("Section 5 of this Act", [""]),
        ("Section 5 US persons", [""]),
        ("Section 5 of the Senate", [""]),
    ],
)
def test_a_citation_says_which_other_work_it_belongs_to(text: str, works: list[str]) -> None:
    assert [citation.work for citation in find_citations(f"As {text}, says so.")] == works


@pytest.mark.parametrize(
    "key",
    [
        "sec_203_a_1",
        "art_4",
        "art_6_1_f",
        "amend_14",
        "eip_1559",
        "reg_2016_679",
        "dir_95_46",
        "rule_10b-5",
        "table_3",
        "req_101",
        "sec_4_2",
    ],
)
def test_a_key_written_out_has_this_key(key: str) -> None:
    assert keys(f"see {written(key)} there") == [key]


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


@pytest.mark.parametrize(
    "text",
    [
        "Section 1" + "(a)" * 1000,
        "Section 1" + ".1" * 1000,
        "Section 1" + ".1" * 1000 + "(a)" * 1000,
        "§ 1" + " Abs. 2" * 1000,
        "paragraph (a)" + "(a)" * 1000 + " of Section 1",
        "Section 1" + "(a)" * 1000 + ", (b)" * 50,
        "sections 1(a)" + "(a)" * 1000 + " to (c)",
    ],
    ids=lambda text: f"{text[:20]}…",
)
def test_a_key_has_so_many_levels(text: str) -> None:
    for citation in find_citations(text):
        assert citation.key.startswith(citation.unit)
        for key in citation.keys:
            assert key.count("_") <= MOST_LEVELS
            assert len(enclosing_keys(key, citation.unit)) <= MOST_LEVELS


def test_a_citation_of_many_levels_is_one() -> None:
    text = "Section 1" + "(a)" * 1000
    (citation,) = find_citations(text)
    assert citation.text == text
    assert citation.key == "sec_1" + "_a" * (MOST_LEVELS - 1)


def test_the_number_of_a_heading_has_so_many_levels() -> None:
    key, rest = split_heading("1" + ".1" * 1000 + " Scope")
    assert (key, rest) == ("sec_1" + "_1" * (MOST_LEVELS - 1), "Scope")


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
        ("Erster Abschnitt Allgemeines", "abschn_1", "Allgemeines"),
        ("2. Abschnitt Pflichten", "abschn_2", "Pflichten"),
        ("2. Hauptstück", "ch_2", ""),
        ("12-303. Denial; appeal", "sec_12-303", "Denial; appeal"),
        ("12-5-207.5 Lodging licence", "sec_12-5-207_5", "Lodging licence"),
        ("FIRST SCHEDULE", "sched_1", ""),
        ("Título primero De los derechos", "title_1", "De los derechos"),
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


@given(
    st.text(max_size=200)
    | st.text("Section§ Art.paragraphpoint(of the)Act0123456789,;-–\n", max_size=200)
)
def test_any_text_is_searched(text: str) -> None:
    behind = 0
    for citation in find_citations(text):
        assert behind <= citation.start < citation.end
        assert text[citation.start : citation.end] == citation.text
        behind = citation.end


@given(
    st.sampled_from(["sec", "art", "amend", "eip", "rule", "table"]),
    st.integers(1, 9999),
    st.lists(st.sampled_from("abcdefgh12345"), max_size=3),
)
def test_to_write_a_key_out_and_to_read_it_gives_the_key(
    prefix: str, number: int, levels: list[str]
) -> None:
    key = "_".join((prefix, str(number), *([] if prefix == "eip" else levels)))
    assert keys(f"see {written(key)}.") == [key]


@pytest.mark.parametrize(
    ("heading", "key"),
    [
        ("Article 49", "art_49"),
        ("Article 49 B", "art_49-b"),
        ("Article 49 bis", "art_49-bis"),
        ("Article 49 A bis", "art_49-a-bis"),
        ("Article 46 quater-0 ZD", "art_46-quater-0-zd"),
        ("Article 6-1", "art_6-1"),
        ("Article 5 A person may apply", "art_5"),
        ("Article 1er", "art_1"),
        ("Chapitre Ier : Des notaires", "ch_1"),
        ("Sous-section 2 : Des actes", "subsec_2"),
        ("Paragraphe 3 : Des frais", "par_3"),
        ("Article L221-18", "art_l221-18"),
        ("Article L. 221-18", "art_l221-18"),
        ("Article LO141-2", "art_lo141-2"),
        ("Article R*123-4", "art_r123-4"),
        ("§ 28:9-525 Fees", "sec_28:9-525"),
        ("Section 13-4-1.1 Scope", "sec_13-4-1_1"),
        ("AC-2(1) AUTOMATED ACCOUNTS", "ac_2_1"),
        ("V6.2 Passwords", "sec_6_2"),
        ("CAPITULO II", "ch_2"),
        ("18. Amendments", "sec_18"),
        ("3. Abschnitt", "abschn_3"),
    ],
)
def test_letters_suffixes_and_marks_belong_to_the_number(heading: str, key: str) -> None:
    assert section_key(heading) == key


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("V6.2.4", "sec_6_2_4"),
        ("v5.0.0-6.2.8", "sec_6_2_8"),
        ("L221-18", "art_l221-18"),
        ("13-4-1.1", "sec_13-4-1_1"),
        ("AC-2(1)", "ac_2_1"),
        ("articles 6-1", "art_6-1"),
    ],
)
def test_a_number_alone_is_a_citation_of_a_query(query: str, key: str) -> None:
    assert [one.key for one in find_query_citations(query)] == [key]


@pytest.mark.parametrize(
    ("query", "key", "work"),
    [
        ("ARTICLE TWO of the Mill Credit Agreement", "art_2", "mill_credit_agreement"),
        ("1. Hauptstück des Almschutzgesetzes", "ch_1", "almschutzgesetz"),
        ("TÍTULO PRIMERO de la Ley de Presas", "title_1", "ley_de_presas"),
        ("2.1 du contrat de location", "sec_2_1", "contrat_de_location"),
        ("A.1 of ISO 77123", "sec_a_1", "iso_77123"),
        ("Paragraph 211 StGB", "sec_211", "stgb"),
        ("s 9(1) of the Rainwater Tanks Act 2022", "sec_9_1", "rainwater_tanks_act"),
        ("section 4 of the Ferries (Safety) Act 2026", "sec_4", "ferries_safety_act"),
        ("art. 4º, § 2º da Lei nº 15.200/2026", "art_4_2", "lei_15200_2026"),
        ("Art. 1 del d.lgs. n. 45/2027", "art_1", "decreto_legislativo_45_2027"),
        ("art. 3 comma 1 d.lgs. n. 45 del 2027", "art_3_1", "decreto_legislativo_45_2027"),
        ("art. 5, Ley 8/2031", "art_5", "ley_8_2031"),
        ("artikel 5 van de Wet op de havens", "art_5", "wet_op_de_havens"),
        ("§ 1 i havneloven", "sec_1", "havnelov"),
        ("5 § kvarnlagen", "sec_5", "kvarnlag"),
    ],
)
def test_a_query_names_its_work_as_people_do(query: str, key: str, work: str) -> None:
    (citation,) = find_query_citations(query)
    assert (citation.key, citation.work, citation.is_guess) == (key, work, False)
    assert citation.text == query


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("§ 823 Abs. II BGB", "sec_823_2"),
        ("§ 823 II BGB", "sec_823_2"),
        ("§ 823 II 1 BGB", "sec_823_2"),
        ("§ 2 I Hundesteuersatzung", "sec_2_1"),
        ("Art. 12 Abs. 1bis", "art_12_1bis"),
        ("art. 5, comma 1-bis", "art_5_1-bis"),
        ("art. 5 comma 1 bis", "art_5_1-bis"),
        ("art. 5 al. 2 CO", "art_5_2"),
        ("art. 5 al. 2 let. b CO", "art_5_2_b"),
        ("art. 3, II, a", "art_3_ii_a"),
        ("art. 3, inciso II, alínea b", "art_3_ii_b"),
        ("artículo 5o., fracción III", "art_5_iii"),
        ("artículo 5, párrafo segundo", "art_5_2"),
        ("artículo 5.2 a)", "art_5_2_a"),
        ("artikel 5, eerste lid, onder b", "art_5_1_b"),
        ("artikkel 5 andre ledd", "art_5_2"),
        ("§ 5, 2. ledd", "sec_5_2"),
        ("članak 5. stavak 2", "art_5_2"),
        ("άρθρο 5 παρ. 2", "art_5_2"),
        ("чл. 5, ал. 2, т. 3", "art_5_2_3"),
        ("ст. 3 ч. 2 п. 1", "art_3_2_1"),
        ("пункт 2 части 1 статьи 3", "art_3_1_2"),
        ("абзац 2 пункта 1 статьи 3", "art_3_1"),
        ("подпункт «б» пункта 2 статьи 7", "art_7_2_б"),
        ("Clause 4, sub-clause (b)", "cl_4_b"),
        ("reg. 4(2)", "reg_4_2"),
        ("Article 5, 2nd paragraph", "art_5_2"),
        ("overweging 12", "recital_12"),
    ],
)
def test_levels_are_read_as_their_country_writes_them(text: str, key: str) -> None:
    assert [one.key for one in find_citations(text)] == [key]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("§ 307 Abs. 1 bis 3", ["sec_307_1", "sec_307_3"]),
        ("articoli 5 al 7", ["art_5", "art_7"]),
        ("Articles I, II and III", ["art_1", "art_2", "art_3"]),
        ("Article 5, I think, says so", ["art_5"]),
        ("Article 5 second sentence", ["art_5"]),
        ("article 3, second part", ["art_3"]),
        ("under article 5 let a person go", ["art_5"]),
        ("the Prison Rules 1999", []),
        ("reg. 4 of the Boats Regulations 2001", ["reg_4"]),
        ("Rule 2001", ["rule_2001"]),
        ("часть 2", ["part_2"]),
    ],
)
def test_what_only_looks_like_a_level_is_none(text: str, keys: list[str]) -> None:
    assert [one.key for one in find_citations(text)] == keys


@pytest.mark.parametrize(
    ("query", "key", "is_guess"),
    [
        ("A.5.1", "sec_a_5_1", False),
        ("Control A.5.1", "sec_a_5_1", True),
        ("7741-032", "sec_7741-032", True),  # a part's number as likely
        ("letra b) del artículo 5.2", "art_5_2_b", False),
        ("lett. a) dell'art. 5, comma 2", "art_5_2_a", False),
        ("the letter of Article 5", "art_5", False),
    ],
)
def test_a_query_cites_as_people_of_a_field_do(query: str, key: str, is_guess: bool) -> None:
    (citation,) = find_query_citations(query)
    assert (citation.key, citation.is_guess) == (key, is_guess)


@pytest.mark.parametrize(
    "query",
    [
        "[2] RESOLVE, Specification",
        "First steps in the kitchen",
        "Title insurance",
        "article of clothing",
        "A. Smith",
        "Part time work",
    ],
)
def test_words_that_labels_share_cite_nothing(query: str) -> None:
    assert find_query_citations(query) == ()


@pytest.mark.parametrize(
    ("query", "key", "work"),
    [
        ("fourth amendment", "amend_4", ""),
        ("what does the twenty-first amendment say", "amend_21", ""),
        ("second schedule of the harbour act", "sched_2", "harbour_act"),
        ("recommendation 1.2.3 of the guideline", "sec_1_2_3", "guideline"),
        ("recommendation 1.2.3", "sec_1_2_3", ""),
        ("Ziffer 4 des Wartungsvertrags", "sec_4", "wartungsvertrag"),
        ("paragraph 3 of resolution 74/219", "para_3", "resolution_74_219"),
        ("resolution 74/219, paragraph 3", "para_3", "resolution_74_219"),
        ("Miller v Weir [12]", "para_12", "miller_v_weir"),
        ("What does paragraph 12 say?", "para_12", ""),
        ("Rn. 45", "para_45", ""),
        ("NIST 5.1.1.2", "sec_5_1_1_2", "nist"),
    ],
)
def test_people_type_what_texts_write_otherwise(query: str, key: str, work: str) -> None:
    (citation,) = find_query_citations(query)
    assert (citation.key, citation.work, citation.is_guess) == (key, work, True)
    assert citation.text in query


def test_a_number_behind_the_name_of_a_work_may_be_a_section() -> None:
    found = [(one.key, one.work) for one in find_query_citations("stgb 211")]
    assert found == [("sec_211", "stgb"), ("art_211", "stgb"), ("stgb_211", "")]
    rfc, section = find_query_citations("RFC 9110 15.5.5")
    assert (rfc.key, section.key, section.work) == ("rfc_9110", "sec_15_5_5", "rfc_9110")


@pytest.mark.parametrize(
    "query",
    [
        "the first amendment to the credit agreement with the bank of ohio",
        "Python 3.10.2",
        "TLS 1.3",
        "one amendment",
        "the first chapter",
    ],
)
def test_what_only_looks_like_a_citation_is_none(query: str) -> None:
    assert find_query_citations(query) == ()


def test_an_ordinal_is_read_whole() -> None:
    for written in ("Twenty-first", "Twenty-First", "21st"):
        for text in (f"{written} Amendment", f"under the {written} Amendment, ..."):
            assert [one.key for one in find_citations(text)] == ["amend_21"]


def test_bills_are_works() -> None:
    for text, work in (
        ("SEC. 201 of HR 8847", "hr_8847"),
        ("section 2 of H. R. 8847", "hr_8847"),
        ("Section 3 of S. 3874", "s_3874"),
        ("section 5, HB 1020", "hb_1020"),
        ("section 2 of S. Smith", ""),
    ):
        (citation,) = find_citations(text)
        assert citation.work == work


def test_capitals_behind_a_number_name_a_work() -> None:
    for text, work in (("Art. 3a LTG", "ltg"), ("Art. 5 GG", "gg"), ("article 39 du CGI", "cgi")):
        (citation,) = find_citations(text)
        assert (citation.unit, citation.work) == (f"art_{text.split()[1]}", work)


def test_a_hyphen_between_rising_numbers_of_a_plural_is_a_range() -> None:
    assert [one.keys for one in find_citations("see §§ 3-5")] == [("sec_3",), ("sec_4", "sec_5")]
    assert keys("see articles 6-1 et 6-2") == ["art_6-1", "art_6-2"]


@pytest.mark.parametrize(
    ("query", "text", "key", "work"),
    [
        ("12-301(b) of the Mill Code", "12-301(b) of the Mill Code", "sec_12-301_b", "mill_code"),
        ("9.104-1 of the Mill Regulation, sacks", "9.104-1 of the Mill Regulation", "sec_9_104-1", "mill_regulation"),
        ("2 kap. 3 §", "3 §", "sec_3", ""),
        ("clause 8.1 of ISO 9001:2015", "clause 8.1 of ISO 9001:2015", "cl_8_1", "iso_9001_2015"),
        ("DIN EN 1090-2, clause 5.3", "clause 5.3", "cl_5_3", "din_en_1090_2"),
        ("ISO/IEC 27001 8.5.1", "ISO/IEC 27001 8.5.1", "sec_8_5_1", "iso_iec_27001"),
    ],
)  # fmt: skip
def test_a_query_cites_with_the_name_of_the_work(
    query: str, text: str, key: str, work: str
) -> None:
    citation = find_query_citations(query)[-1]
    assert (citation.text, citation.key, citation.work) == (text, key, work)
    assert query[citation.start : citation.end] == text


@pytest.mark.parametrize(
    ("query", "key", "work"),
    [
        ("Boat Rules 2030, r 3.4(2)", "rule_3_4_2", "boat_rules"),
        ("Marktsatzung § 3", "sec_3", "marktsatzung"),
        ("港湾法第二条", "art_2", "港湾法"),
        ("чл. 2 от Закона за водите", "art_2", "закон_за_водите"),
        ("section 2.1 of the Tide Protocol Version 2", "sec_2_1", "tide_protocol_version_2"),
        ("KX 77:2030, 6.1 a)", "sec_6_1_a", "kx_77_2030"),
        ("1319a ABGB", "sec_1319a", "abgb"),
        ("E1042", "code_e1042", ""),
        ("what about smoking in section 3", "sec_3", ""),
        ("penalties, section 12", "sec_12", ""),
    ],
)
def test_a_query_names_its_work_in_whatever_words(query: str, key: str, work: str) -> None:
    first = find_query_citations(query)[0]
    assert (first.key, first.work) == (key, work)


@pytest.mark.parametrize("query", ["SHA-256", "in FY2018", "COVID-19 leave", "A4 paper"])
def test_what_only_looks_like_a_code_is_none(query: str) -> None:
    assert find_query_citations(query) == ()


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("Rule 007. Anchors", "rule_7"),
        ("ADR-0011: Use one queue", "adr_11"),
        ("AC-02(01) Accounts", "ac_2_1"),
        ("0011. Use one queue", "sec_11"),
        ("01 Scope", "sec_1"),
        ("5.01 Fees", "sec_5_01"),  # 5.1 may stand beside it
        ("§ 5.04.010 Fees", "sec_5_04_010"),
        ("Article 01", "art_01"),  # inserted before Article 1
        ("0. Definitions", "sec_0"),
    ],
)
def test_zeros_that_fill_up_a_number_are_no_part_of_its_key(title: str, key: str) -> None:
    assert section_key(title) == key


@pytest.mark.parametrize(
    ("text", "keys", "work"),
    [
        ("§ 5 Abs. 1 Z 2 EStG", ["sec_5_1_2"], "estg"),
        ("§ 5 Abs 1 Z 2 lit a EStG", ["sec_5_1_2_a"], "estg"),
        ("§ 6 Z 4 lit. b sublit. aa KStG", ["sec_6_4_b_aa"], "kstg"),
        ("§ 2 Abs. 3 Z 1 bis 4 EStG", ["sec_2_3_1", "sec_2_3_4"], "estg"),
        ("§ 3 Abs. 1 Z 2 und Z 5 EStG", ["sec_3_1_2", "sec_3_1_5"], "estg"),
        ("Art. 7 Abs. 1 Z 3 B-VG", ["art_7_1_3"], "b_vg"),
        ("art. 5 z 2031 r.", ["art_5"], ""),  # Polish: of 2031
        ("apartat 2 de l'article 3", ["art_3_2"], ""),
        ("Capítol II", ["ch_2"], ""),
        ("CAPITOL II", ["ch_2"], ""),
    ],
)
def test_levels_and_labels_of_austria_and_catalonia(text: str, keys: list[str], work: str) -> None:
    found = find_citations(f"Nach {text}, ferner.")
    assert [one.key for one in found] == keys
    assert {one.work for one in found} == {work}


def test_a_query_may_name_a_letter_before_its_article_in_catalan() -> None:
    (found,) = find_query_citations("lletra b de l'article 3 de la Llei 4/2031")
    assert (found.key, found.work) == ("art_3_b", "llei_4_2031")


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("CAPÍTOL I. Objecte", "ch_1"),
        ("Títol primer", "title_1"),
        ("Secció segona. Recursos", "sec_2"),
        ("Capítol cinquè", "ch_5"),
        ("Capitolejar és fàcil", None),
    ],
)
def test_headings_of_catalan_laws(title: str, key: str | None) -> None:
    assert section_key(title) == key


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("What does ADR 12 decide?", ["adr_12"]),
        ("ADR 0012", ["sec_12", "art_12", "adr_12"]),
        ("revenue of NIKE 2019", []),  # a year
        ("TLS 13 handshake", []),
        ("BOAT 1.5 manual", []),
        ("SECTION 5", ["sec_5"]),
    ],
)
def test_entries_of_series_may_be_written_with_a_space(query: str, keys: list[str]) -> None:
    assert [one.key for one in find_query_citations(query)] == keys


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("4 Імпорт", "sec_4"),
        ("3 Žádost o kotviště", "sec_3"),
        ("5 Ύλη", "sec_5"),
        ("A.1 共有ライブラリー", "sec_a_1"),
        ("2 المرفأ", "sec_2"),
        ("4 імпорти", None),
        ("3 žádosti", None),
        ("2 ύλες", None),
    ],
)
def test_a_number_before_a_capital_of_any_script_is_that_of_a_heading(
    title: str, key: str | None
) -> None:
    assert section_key(title) == key
