"""How documents of many traditions write numbers, divisions and enumerators, and what of their text only looks like a heading."""

from __future__ import annotations

import pytest

from hierdoc.models import Document, Section
from hierdoc.structure import flatten, section_tree, understand


def keys(text: str) -> list[str | None]:
    return [one.section.key for one in flatten(section_tree(text, domain="auto"))]


def chain(text: str, key: str) -> list[str]:
    """The titles around the section with this key, the outermost first."""
    flat = flatten(section_tree(text, domain="auto"))
    place = next(index for index, one in enumerate(flat) if one.section.key == key)
    titles: list[str] = []
    while (place := flat[place].parent) >= 0:
        titles.insert(0, flat[place].section.title)
    return titles


def titles(sections: tuple[Section, ...]) -> list[str]:
    return [one.section.title for one in flatten(sections)]


ENGLISH = "The registrar shall keep records of every vessel.\n\n"
ACT = "AN ACT to provide for harbours\n\nBe it enacted by the Legislature:\n\n"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("LIBRO PRIMO\nDei porti\n\nArt. 1.\nNozione\n\nIl registro è tenuto.\n\nArt. 2.\nForma\n\nIl registro è tenuto.", "book_1"),
        ("KSIĘGA PIERWSZA\nPorty\n\nArt. 1. Minister określi rejestr.\n\nArt. 2. Minister określi rejestr oraz opłatę.", "book_1"),
        ("Livre Ier : Des ports\n\nArticle 1er\n\nLe registre est tenu par la commission.\n\nArticle 2\n\nLe registre est tenu.", "book_1"),
        ("Livre Ier : Des ports\n\nArticle L111-1\n\nLe registre est tenu par la commission.\n\nArticle L111-2\n\nIl est tenu.", "art_l111-2"),
        ("Article 12\n\nLe registre est tenu par la commission.\n\nArticle 12 bis\n\nLe registre est tenu.", "art_12-bis"),
        ("TÍTULO I\nDos portos\n\nArtigo 1.º\nObjeto\n\nO presente código aplica-se aos portos e o registo é mantido pela comissão, nos termos do que está disposto.\n\nArtigo 2.º\nForma\n\nO registo não é mantido.", "art_2"),
        ("Hoofdstuk 1. Havens\n\nArtikel 1\n\nHet register wordt gehouden.\n\nArtikel 2\n\nHet register wordt gehouden.", "art_2"),
    ],
)  # fmt: skip
def test_plain_lines_have_numbers_as_their_tradition_writes_them(lines: str, expected: str) -> None:
    assert expected in keys(lines)


def test_title_chapter_and_section_of_a_code_make_one_number() -> None:
    text = (
        f"{ACT}Chapter 1. Fees.\n\n28:1-101. Definitions.\n\n{ENGLISH}28:1-102. Fees.\n\n{ENGLISH}"
    )
    assert keys(text) == ["ch_1", "sec_28:1-101", "sec_28:1-102"]
    assert chain(text, "sec_28:1-102") == ["Chapter 1. Fees."]


def test_a_section_with_a_point_in_its_number_lies_beside_the_one_before() -> None:
    text = f"{ACT}§ 28:101. Fees.\n\n{ENGLISH}§ 28:101.01. Records.\n\n{ENGLISH}§ 28:102. Terms.\n\n{ENGLISH}"
    assert chain(text, "sec_28:101_01") == []


@pytest.mark.parametrize(
    ("enumerators", "language"),
    [
        (("1.", "1)", "a)"), "Art. 1. Minister określi w drodze rozporządzenia, jak właściwy organ informuje strony, oraz czy nie ma opłaty, która jest należna.\n\n"),
        (("1.", "a."), "Artikel 1\n\nHet register wordt door de commissie gehouden, met de heffing.\n\n"),
        (("1°", "a)"), "Article 1er\n\nLe registre est tenu par la commission, dans les conditions prévues.\n\n"),
    ],
)  # fmt: skip
def test_enumerators_of_civil_law(enumerators: tuple[str, ...], language: str) -> None:
    second = language.replace("1", "2", 1)
    items = "".join(
        f"{sign} {word} de la;\n\n" for sign, word in zip(enumerators, "abc", strict=False)
    )
    found = keys(language + items + second)
    assert f"art_1_{'_'.join(sign.strip('.)°') for sign in enumerators)}" in found


def test_double_letters_lie_in_single_ones() -> None:
    text = "§ 1 Anwendung\n\n(1) Es gilt:\n\na) das Register,\n\naa) das alte,\n\nbb) das neue,\n\nb) der Bescheid.\n\n§ 2 Ende\n\nDas Gesetz gilt.\n"
    assert {"sec_1_1_a_aa", "sec_1_1_a_bb", "sec_1_1_b"} <= set(keys(text))


def test_a_letter_that_holds_numerals_is_none() -> None:
    letters = "".join(f"({letter}) Text.\n\n" for letter in "abcdefghijklmnopqrst")
    text = f"{ACT}SEC. 1. FEES.\n\n{letters}(u) These:\n\n(i) one;\n\n(ii) two;\n\n(iii) three;\n\n(iv) four.\n\n(v) These:\n\n(i) one;\n\n(ii) two.\n\nSEC. 2. END.\n\n{ENGLISH}"
    assert {"sec_1_u_iv", "sec_1_v", "sec_1_v_ii"} <= set(keys(text))


def test_a_numeral_before_its_letter_is_none() -> None:
    letters = "".join(f"({letter}) Text.\n\n" for letter in "abcdefghijklmnopqrst")
    numerals = "".join(f"({numeral}) Text;\n\n" for numeral in ("i", "ii", "iii", "iv", "v"))
    text = f"{ACT}SEC. 1. FEES.\n\n{letters}(u) These:\n\n{numerals}(v) Text.\n\n(w) Text.\n\nSEC. 2. END.\n\n{ENGLISH}"
    assert {"sec_1_u_v", "sec_1_v", "sec_1_w"} <= set(keys(text))


def test_labels_lie_in_each_other_as_the_text_has_them() -> None:
    parts = "".join(
        f"Article {article}. Fees.\n\nPart {part}. Records.\n\n§ 28:{article}0{place}. Terms.\n\n{ENGLISH}"
        for article in (1, 2, 3)
        for place, part in enumerate("A", start=1)
    )
    assert chain(ACT + parts, "sec_28:201") == ["Article 2. Fees.", "Part A. Records."]


def test_sections_lie_in_articles_where_articles_open_them() -> None:
    act = "# Einführungsgesetz\n\n" + "".join(
        f"## Art {number}\n\n## § 1 Vereine\n\nDas Gesetz gilt.\n\n## § 2 Stiftungen\n\nDas Gesetz gilt.\n\n"
        for number in (1, 2, 3)
    )
    assert chain(act, "sec_2") == ["Einführungsgesetz", "Art 1"]


def test_labels_decide_where_headings_of_one_level_have_their_titles_below() -> None:
    code = "".join(
        f"## TÍTULO {numeral}\n\nDe los puertos\n\n## CAPÍTULO I\n\nDel registro\n\n## Artículo {number}\n\nSe llevará un registro.\n\n"
        for number, numeral in enumerate(("I", "II", "III"), start=1)
    )
    assert chain(code, "art_2") == ["TÍTULO II", "CAPÍTULO I"]


def test_levels_that_go_against_labels_are_none() -> None:
    law = "# Hafengesetz\n\n" + "".join(
        f"##### Teil {part}\n\n### Abschnitt 1\n\n## § {part} Register\n\nDas Gesetz gilt auch für die Häfen, soweit nicht der Bescheid etwas anderes bestimmt.\n\n"
        for part in (1, 2, 3)
    )
    assert chain(law, "sec_2") == ["Hafengesetz", "Teil 2", "Abschnitt 1"]


def test_an_appendix_closes_chapters_of_its_own_level() -> None:
    report = "".join(f"## {n}. Part\n\n## {n}.1. Scope\n\nText.\n\n" for n in (1, 2, 3))
    assert chain(f"{report}## Appendix A. Samples\n\n## A.1. First\n\nText.\n", "app_a") == []


def test_a_number_with_a_letter_goes_on_with_the_one_before() -> None:
    act = "".join(f"## {number} Fees\n\n{ENGLISH}" for number in ("98", "99", "99A", "100", "101"))
    assert keys(act) == ["sec_98", "sec_99", "sec_99a", "sec_100", "sec_101"]
    assert keys("## Scope\n\nText.\n\n## 3D Printing\n\nText.\n") == [None, None]


def test_running_headers_are_no_headings() -> None:
    page = "\n\n[Page {0}]\n\f\nTitle 28. Instruments          May 2019\n\n"
    text = ACT + "".join(
        f"SEC. {number}. FEES.\n\n{ENGLISH}{page.format(number)}" for number in range(1, 6)
    )
    assert keys(text) == [f"sec_{number}" for number in range(1, 6)]


@pytest.mark.parametrize(
    "line",
    [
        "§ 63 Nummer 3 und 4 der Hafenordnung bleibt unberührt.",
        "§ 6 Abs. 2 ist nicht anzuwenden. Neben den Erklärungen bedarf es des Bescheids.",
    ],
)
def test_a_number_with_a_level_behind_it_is_cited(line: str) -> None:
    assert keys(
        f"§ 1 Register\n\nDas Gesetz gilt.\n\n{line}\n\n§ 2 Ende\n\nDas Gesetz gilt.\n"
    ) == ["sec_1", "sec_2"]


def test_a_number_behind_an_abbreviation_is_no_item() -> None:
    text = "Art. 1. Minister określi w drodze rozporządzenia, jak organ informuje strony, o których jest mowa w art. 9 ust.\n3. Minister określi też, czy nie ma opłaty.\n\nArt. 2. Minister określi też opłatę.\n"
    assert keys(text) == ["art_1", "art_2"]


def test_a_heading_follows_on_a_range_that_is_repealed() -> None:
    text = "§ 1 Register\n\nDas Gesetz gilt.\n\n§§ 2 bis 4 (weggefallen)\n\n§ 5 Ende\n\nDas Gesetz gilt.\n"
    assert keys(text)[-1] == "sec_5"


def test_a_title_may_go_on_in_the_next_line() -> None:
    text = f"{ACT}Part 1  Harbours\n\nChapter 3  A Holder of a Permit and a Certificate\nof Origin\n\nSEC. 1. FEES.\n\n{ENGLISH}"
    assert chain(text, "sec_1")[-1] == "Chapter 3 A Holder of a Permit and a Certificate of Origin"


def test_a_title_of_capitals_may_begin_with_an_article() -> None:
    text = f"{ACT}Section 6.4 The Audit Report and the Tariff. {ENGLISH}Section 6.5 The Fee and the Tariff. {ENGLISH}"
    assert [title.split(".")[-2] for title in titles(section_tree(text, domain="us_legislative"))] == [
        "4 The Audit Report and the Tariff", "5 The Fee and the Tariff",
    ]  # fmt: skip


def test_parts_with_a_name_hold_the_others() -> None:
    text = "PARTIE LÉGISLATIVE\n\nLivre Ier : Des ports\n\nArticle L1-1\n\nLe registre est tenu par la commission.\n\nArticle L1-2\n\nIl est tenu.\n"
    assert chain(text, "art_l1-1") == ["PARTIE LÉGISLATIVE", "Livre Ier : Des ports"]


def test_a_number_of_a_list_is_no_chapter_whose_parts_stand_far_behind() -> None:
    lines = [
        "Chapter 2: Cranes",
        "2.1 Hooks",
        "2.2 Chains",
        "   3. Never lift people.\n   4. Look up.",
        "2.3 Ropes",
        "2.4 Knots",
        "Chapter 4: Belts",
        "4.1 Wear",
        "4.2 Repair",
    ]
    text = "".join(f"{line}\n\nThe crane has been inspected.\n\n" for line in lines)
    assert "sec_4" not in keys(text)
    assert chain(text, "sec_2_3") == ["Chapter 2: Cranes"]


def test_a_labelled_line_among_headings_of_its_label_has_their_level() -> None:
    items = "".join(
        f"### Item {number}. Part\n\n#### Overview\n\nText.\n\n" for number in (1, 2, 3, 4)
    )
    text = f"## PART I\n\n{items}Item 5—Discussion of Results\n\n#### Liquidity\n\nText.\n\n### Item 6. Other\n\nText.\n"
    flat = flatten(section_tree(text, domain="auto"))
    place = next(index for index, one in enumerate(flat) if one.section.title == "Liquidity")
    assert flat[flat[place].parent].section.key == "item_5"


CONTENTS = "Sec. 1. Short title; table of contents.\nSec. 2. Fees.\nTITLE I—HARBOURS\nSec. 101. Records.\nSec. 102. Terms.\n"


@pytest.mark.parametrize("mark", ["", "## "])
def test_a_table_of_contents_that_a_sentence_announces_holds_no_sections(mark: str) -> None:
    text = (
        f"{ACT}{mark}SECTION 1. SHORT TITLE; TABLE OF CONTENTS.\n\n"
        f"(a) Short Title.—This Act may be cited as the “Harbour Act”.\n\n"
        f"(b) Table of Contents.—The table of contents of this Act is as follows:\n\n{CONTENTS}\n"
        f"{mark}SEC. 2. FEES.\n\n{ENGLISH}{mark}TITLE I—HARBOURS\n\n{mark}SEC. 101. RECORDS.\n\n{ENGLISH}"
    )
    assert keys(text) == ["sec_1", "sec_1_a", "sec_1_b", "sec_2", "title_1", "sec_101"]


def test_contents_that_list_divisions_alone_deny_no_sections() -> None:
    text = (
        f"{ACT}SEC. 1. SHORT TITLE.\n\n{ENGLISH}SEC. 2. TABLE OF CONTENTS.\n\nSec. 1. Short title.\nSec. 2. Table of contents.\n"
        f"TITLE I—HARBOURS\nTITLE II—FEES\n\nTITLE I—HARBOURS\n\nSec. 101. Records.\n\n{ENGLISH}TITLE II—FEES\n\nSec. 201. Terms.\n\n{ENGLISH}"
    )
    assert {"sec_101", "sec_201"} <= set(keys(text))


def test_an_act_whose_contents_list_numbers_alone_is_an_act() -> None:
    listed = "".join(f"   {n}  Fees of kind {n} ............ {n}\n" for n in range(1, 6))
    body = "".join(
        f"{n}  Fees of kind {n}\n\n(1) The registrar keeps them.\n\n(2) The tariff applies.\n\n"
        for n in range(1, 6)
    )
    text = f"Harbours Act 2019\n\nAn Act to make provision about harbours in the United Kingdom.\n\nContents\n\n   Part 1  Harbours ............ 1\n{listed}\nPart 1  Harbours\n\n{body}"
    assert {"sec_3_1", "sec_3_2"} <= set(keys(text))


def test_a_regulation_with_many_articles_is_no_code() -> None:
    chapters = "".join(
        f"CHAPTER {numeral}\nGENERAL\n\n"
        + "".join(
            f"Article {n}\nFees\n\n1. The fee is due.\n\n(a) at once;\n\n"
            for n in range(first, first + 30)
        )
        for numeral, first in (("I", 1), ("II", 31), ("III", 61), ("IV", 91))
    )
    text = f"REGULATION (EU) 2019/999 OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL\n\n{chapters}"
    assert "art_100_1_a" in keys(text)


def test_a_heading_of_quoted_law_is_no_section() -> None:
    text = (
        f"{ACT}## SEC. 1. AMENDMENT.\n\n(a) In General.—The Code is amended by inserting the following:\n\n"
        f"#### “SEC. 4475. TAX.\n\n“(a) A tax is imposed.”\n\n(b) Penalty.—{ENGLISH}## SEC. 2. FEES.\n\n{ENGLISH}"
    )
    assert keys(text) == ["sec_1", "sec_1_a", "sec_1_b", "sec_2"]


def test_a_heading_that_contents_repeat_stands_in_the_body() -> None:
    text = (
        f"{ACT}## SEC. 1. TABLE OF CONTENTS.\n\nThe table of contents is as follows:\n\nSec. 1. Table of contents.\n\n"
        f"# TITLE I—HARBOURS\n\nSec. 101. Records.\nSec. 102. Terms.\n\n# TITLE I—HARBOURS\n\n"
        f"## SEC. 101. RECORDS.\n\n{ENGLISH}## SEC. 102. TERMS.\n\n{ENGLISH}"
    )
    assert keys(text) == ["sec_1", "title_1", "sec_101", "sec_102"]


_SERVICES = "The Consultant performs the services with care, at its own cost, and reports to the Company in writing every month. "
_PARTIES = "This Agreement is made by and between Foo Inc. and Bar LLC, the parties.\n\n"


def test_an_agreement_may_number_paragraphs_without_headings() -> None:
    text = "CONSULTING AGREEMENT\n\n" + _PARTIES
    text += "\n\n".join(f"{number}. {_SERVICES * 2}" for number in range(1, 7))
    assert [one.id for one in section_tree(text, domain="auto")] == [
        f"sec_{n}" for n in range(1, 7)
    ]


def test_a_list_in_an_agreement_is_one() -> None:
    text = f"CONSULTING AGREEMENT\n\n{_PARTIES}It concerns:\n\n1. apples\n2. pears\n3. plums\n\n{_SERVICES}"
    assert section_tree(text, domain="auto") == ()


def test_a_title_may_have_two_parts() -> None:
    text = "SUPPLY AGREEMENT\n\n" + _PARTIES
    text += f"1. Transfer of Goods; Payment. {_SERVICES}\n\n2. Notices; Etc. {_SERVICES}\n\n3. Law. {_SERVICES}"
    assert [one.title for one in section_tree(text, domain="auto")] == [
        "1. Transfer of Goods; Payment.",
        "2. Notices; Etc.",
        "3. Law.",
    ]


def test_austrian_divisions_stand_behind_their_numbers() -> None:
    text = (
        "Almgesetz\n\n1. Hauptstück\nAllgemeines\n\n1. Abschnitt: Ziele\n\n§ 1. Ziel ist der Schutz der Almen.\n\n"
        "2. Hauptstück\nPflichten\n\n§ 2. Die Behörde führt ein Verzeichnis der Almen.\n"
    )
    assert keys(text) == ["ch_1", "abschn_1", "sec_1", "ch_2", "sec_2"]
    assert chain(text, "sec_2") == ["2. Hauptstück Pflichten"]


def test_regulations_of_a_statutory_instrument_begin_with_their_text() -> None:
    text = (
        "The Fees Regulations 2024\n\nThe Secretary of State makes these Regulations under the Harbours Act 1995.\n\n"
        "1.—(1) These Regulations may be cited as the Fees Regulations 2024.\n\n(2) They come into force on 1st April 2024.\n\n"
        "2. Regulation 1 does not extend to any vessel that is used for fishing.\n\n"
        "3.—(1) A fee is payable for each voyage.\n\n(2) The fee is £40.\n"
    )
    assert keys(text) == ["sec_1", "sec_1_1", "sec_1_2", "sec_2", "sec_3", "sec_3_1", "sec_3_2"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            "LEI Nº 9\n\nCAPÍTULO I\nDISPOSIÇÕES\n\nArt. 1º Esta Lei dispõe sobre as balsas e dá outras providências.\n\n"
            "Art. 2º Para os fins desta Lei, considera-se balsa a embarcação.\n\n§ 1º A licença é pessoal.\n\nArt. 2º-A. A licença vale um ano.\n",
            ["ch_1", "art_1", "art_2", "art_2_1", "art_2-a"],
        ),
        (
            "USTAWA o promach\n\nRozdział 1\nPrzepisy\n\nArt. 1. Ustawa określa zasady, które stosuje się do promów oraz do osób, które nimi kierują.\n\nArt. 2. 1. Minister prowadzi rejestr, o którym mowa w ustawie.\n\n2. Rejestr jest jawny i nie może być zmieniony.\n",
            ["ch_1", "art_1", "art_2", "art_2_1", "art_2_2"],
        ),
    ],
)  # fmt: skip
def test_articles_with_text_behind_their_number(lines: str, expected: list[str]) -> None:
    assert keys(lines) == expected


def test_final_provisions_lie_in_no_title() -> None:
    text = (
        "# Ley de Molinos\n\n## TÍTULO I\n\n## Artículo 1\n\nLa ley regula los molinos.\n\n## Artículo 2\n\nLa ley regula los molinos.\n\n"
        "## Disposición final primera. Entrada en vigor\n\nEntra en vigor mañana.\n"
    )
    last = flatten(section_tree(text, domain="auto"))[-1]
    assert flatten(section_tree(text, domain="auto"))[last.parent].section.title == "Ley de Molinos"


def test_a_division_that_an_article_opens_with_lies_in_it() -> None:
    text = (
        "Code of Ordinances\n\nBe it enacted by the Legislature:\n\nARTICLE I. - IN GENERAL\n\nSec. 6-1. - Definitions.\n\n"
        f"{ENGLISH}ARTICLE II. - MOORINGS\n\nDIVISION 1. - GENERALLY\n\nSec. 6-31. - Permit required.\n\n{ENGLISH}"
    )
    assert chain(text, "sec_6-31") == ["ARTICLE II. - MOORINGS", "DIVISION 1. - GENERALLY"]


def test_the_second_section_with_a_number_is_no_paragraph_of_the_first() -> None:
    text = "# Act\n\n## Article 3\n\nText.\n\n## Article 3\n\nText.\n"
    ids = [one.section.id for one in flatten(section_tree(text, domain="auto"))]
    assert ids == ["act", "art_3", "art_3__2"]


def test_an_inserted_numeral_stands_beside_the_one_before() -> None:
    text = "# Law\n\n## I. Council\n\nText.\n\n## II. Senate\n\nText.\n\n## II a. Committee\n\nText.\n\n## III. President\n\nText.\n"
    assert chain(text, "sec_2a") == chain(text, "sec_2") == ["Law"]


def tree(text: str) -> list[str]:
    """The keys of the sections, each below those around it."""
    flat = flatten(section_tree(text, domain="auto"))
    chains: list[str] = []
    for one in flat:
        around = f"{chains[one.parent]} " if one.parent >= 0 else ""
        chains.append(f"{around}{one.section.key}")
    return chains


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "MILL CODE\n\nCHAPTER 2 WHEELS\n\nSECTION 201 GENERAL\n\n201.1 Title. This chapter is the wheel code.\n\n201.2 Scope. It shall apply to wheels.\n\n201.2.1 Small wheels. They are exempt.\n\nSECTION 202 DEFINITIONS\n\n202.1 Terms. Words have their meaning.\n",
            ["ch_2", "ch_2 sec_201", "ch_2 sec_201 sec_201_1", "ch_2 sec_201 sec_201_2", "ch_2 sec_201 sec_201_2 sec_201_2_1", "ch_2 sec_202", "ch_2 sec_202 sec_202_1"],
        ),
        (
            "Agreement of the Millers' Union\n\nARTICLE 3 - WAGES\n\n3.01 Wages shall be paid on Friday.\n\n3.02 They are paid in coin:\n\n(a) in the mill; or\n\n(b) at home.\n\nARTICLE 4 - REST\n\n4.01 Nobody mills on Sunday.\n\n4.02 Nor on holidays.\n",
            ["art_3", "art_3 sec_3_01", "art_3 sec_3_02", "art_3 sec_3_02 sec_3_02_a", "art_3 sec_3_02 sec_3_02_b", "art_4", "art_4 sec_4_01", "art_4 sec_4_02"],
        ),
        (
            "Part 7 - Flour\n\nSubpart 7.1 - Rules and Clauses\n\n7.101 Policy.\n\nFlour shall be white.\n\n7.104 Sacks.\n\nThey hold 50 kg.\n\n7.104-1 Small sacks.\n\nThey hold 5 kg.\n\n7.104-2 Large sacks.\n\nThey hold 100 kg.\n\nSubpart 7.2 - Bran\n\n7.201 Use.\n\nBran shall be fed.\n",
            ["part_7", "part_7 subpart_7_1", "part_7 subpart_7_1 sec_7_101", "part_7 subpart_7_1 sec_7_104", "part_7 subpart_7_1 sec_7_104 sec_7_104-1", "part_7 subpart_7_1 sec_7_104 sec_7_104-2", "part_7 subpart_7_2", "part_7 subpart_7_2 sec_7_201"],
        ),
        (
            "Mill Regulation 5\n\nChapter 1 General\n\n1–1. Purpose\n\nIt says how to mill.\n\n1–2. Terms\n\nSee below.\n\nChapter 2 Milling\n\n2–1. Grain\n\nClean it.\n\n2–2. Stones\n\nDress them.\n",
            ["ch_1", "ch_1 sec_1-1", "ch_1 sec_1-2", "ch_2", "ch_2 sec_2-1", "ch_2 sec_2-2"],
        ),
        (
            "THE MILLS ACT, 1961\n\nAn Act to regulate mills.\n\nCHAPTER I PRELIMINARY\n\n1. Short title.—(1) This Act may be called the Mills Act.\n\n(2) It extends to all mills.\n\n2. Definitions.—In this Act “mill” includes a windmill.\n\nCHAPTER II LICENCES\n\n3. Licence.—No person shall mill without one.\n\n4. Fees.—A fee is due.\n",
            ["ch_1", "ch_1 sec_1", "ch_1 sec_1 sec_1_1", "ch_1 sec_1 sec_1_2", "ch_1 sec_2", "ch_2", "ch_2 sec_3", "ch_2 sec_4"],
        ),
        (
            "WINDMILLS ACT 1988\n\nBe it enacted by the Parliament of Samoa as follows:\n\nPART 1\nPRELIMINARY\n\n1. (1) This Act is the Windmills Act 1988.\n\n(2) It begins at once.\n\n2. A mill must turn.\n\nPART 2\nSAILS\n\n3. (1) Sails are of cloth.\n\n(2) They are mended yearly.\n",
            ["part_1", "part_1 sec_1", "part_1 sec_1 sec_1_1", "part_1 sec_1 sec_1_2", "part_1 sec_2", "part_2", "part_2 sec_3", "part_2 sec_3 sec_3_1", "part_2 sec_3 sec_3_2"],
        ),
        (
            "Watermills Act\n\nAn Act respecting watermills\n\nHer Majesty, by and with the advice of the House of Commons of Canada, enacts as follows:\n\n1 This Act may be cited as the Watermills Act.\n\n2 In this Act a mill is one on a river.\n\n3 (1) Every miller shall keep a book.\n\n(2) The book is open to all.\n\n4 The Governor in Council may make regulations.\n",
            ["sec_1", "sec_2", "sec_3", "sec_3 sec_3_1", "sec_3 sec_3_2", "sec_4"],
        ),
        (
            "Law on Mills\n\nChapter I General\n\nArticle 1 This Law is enacted to promote milling in the country.\n\nArticle 2 The State encourages the building of mills.\n\nArticle 5 of the Water Law applies to rivers.\n\nChapter II Duties\n\nArticle 3 Millers shall keep their mills clean.\n\nArticle 3-2 Helpers shall do likewise at all times.\n\nArticle 4 (Books) Every miller shall keep books.\n",
            ["ch_1", "ch_1 art_1", "ch_1 art_2", "ch_2", "ch_2 art_3", "ch_2 art_3-2", "ch_2 art_4"],
        ),
        (
            "Kvarnlag (1999:12)\n\n1 kap. Tillämpning\n\n1 § Lagen gäller kvarnar som drivs av vatten eller vind.\n\n2 kap. Tillstånd\n\n1 § Den som driver en kvarn ska ha tillstånd.\n\n2 a § Ett tillstånd enligt 1 § gäller i fem år.\n",
            ["ch_1", "ch_1 sec_1", "ch_2", "ch_2 sec_1", "ch_2 sec_2a"],
        ),
        (
            "A malmokról szóló törvény\n\nI. FEJEZET\nÁLTALÁNOS RENDELKEZÉSEK\n\n1. § (1) E törvény a malmokra terjed ki.\n\n(2) Nem terjed ki a szélmalmokra.\n\n2. § A malom engedély alapján működik.\n\nII. FEJEZET\nENGEDÉLY\n\n3. § Az engedélyt a hatóság adja, és azt nem lehet átruházni.\n",
            ["ch_1", "ch_1 sec_1", "ch_1 sec_1 sec_1_1", "ch_1 sec_1 sec_1_2", "ch_1 sec_2", "ch_2", "ch_2 sec_3"],
        ),
        (
            "Zákon o mlýnech\n\nČÁST PRVNÍ\n\nHLAVA I OBECNÁ USTANOVENÍ\n\n§ 1 Předmět\n\nTento zákon upravuje provoz mlýnů a je závazný pro všechny, kteří je mají.\n\nHLAVA II PROVOZ\n\n§ 2 Povolení\n\nMlýn lze provozovat jen s povolením, které vydá úřad na žádost.\n\nČÁST DRUHÁ\n\n§ 3 Účinnost\n\nZákon nabývá účinnosti dnem, který stanoví vláda.\n",
            ["part_1", "part_1 title_1", "part_1 title_1 sec_1", "part_1 title_2", "part_1 title_2 sec_2", "part_2", "part_2 sec_3"],
        ),
        (
            "MILL COURT RULES\n\nTITLE I. SCOPE\n\nRule 1. Scope\n\nThese rules govern.\n\nRule 2. Forms\n\nThere is one.\n\nTITLE II. CLAIMS\n\nRule 3. Filing\n\nA claim is filed.\n\nRule 4. Answer\n\nIt is answered.\n",
            ["title_1", "title_1 rule_1", "title_1 rule_2", "title_2", "title_2 rule_3", "title_2 rule_4"],
        ),
        (
            "Code des moulins\n\nPARTIE LÉGISLATIVE\n\nLIVRE Ier : RÈGLES\n\nArticle L. 11-1\n\nLes moulins sont ouverts à tous.\n\nArticle L. 11-2\n\nIls sont tenus en bon état par ceux qui les ont.\n",
            ["None", "None book_1", "None book_1 art_l11-1", "None book_1 art_l11-2"],
        ),
        (
            "Mill Game Rules\n\n1. Basics\n\n100. General\n\n100.1. These rules apply to every mill.\n\n100.1a Windmills turn first.\n\n100.1b Watermills turn last.\n\n100.2. Nobody turns twice.\n\n101. Scores\n\n101.1. Flour counts double.\n\n2. Sails\n\n200. General\n\n200.1. There are four.\n",
            ["sec_1", "sec_1 sec_100", "sec_1 sec_100 sec_100_1", "sec_1 sec_100 sec_100_1 sec_100_1a", "sec_1 sec_100 sec_100_1 sec_100_1b", "sec_1 sec_100 sec_100_2", "sec_1 sec_101", "sec_1 sec_101 sec_101_1", "sec_2", "sec_2 sec_200", "sec_2 sec_200 sec_200_1"],
        ),
        (
            "Mill Interface\n\n1. Introduction\n\nIt turns.\n\n2. Sails\n\n2.1 Size\n\nLarge.\n\n2.2 Cloth\n\nLinen.\n\n3. Stones\n\nOf granite.\n\nA. Index\n\nSee above.\n\nB. References\n\nB.1 Normative ones\n\nNone.\n",
            ["sec_1", "sec_2", "sec_2 sec_2_1", "sec_2 sec_2_2", "sec_3", "app_a", "app_b", "app_b app_b_1"],
        ),
        (
            "Mill Security Controls\n\n1. Introduction\n\nThey protect mills.\n\n2. Controls\n\n2.1 Doors\n\nDR-1 Locks\n\nDoors are locked.\n\nDR-2 Keys\n\nKeys are kept.\n\nDR-2(1) Keys | Lost Keys\n\nLost keys are reported.\n\n2.2 Windows\n\nMW-1 Shutters\n\nThey are closed.\n\nMW-2 Glass\n\nIt is clean.\n\n3. Audit\n\nYearly.\n",
            ["sec_1", "sec_2", "sec_2 sec_2_1", "sec_2 sec_2_1 dr_1", "sec_2 sec_2_1 dr_2", "sec_2 sec_2_1 dr_2 dr_2_1", "sec_2 sec_2_2", "sec_2 sec_2_2 mw_1", "sec_2 sec_2_2 mw_2", "sec_3"],
        ),
        (
            "Verordnung über Mühlen\n\n§ 1 Zweck\n\nDie Verordnung dient der Sicherheit der Mühlen.\n\n§§ 2 bis 4 (weggefallen)\n\n§ 5 Flügel\n\nDie Flügel sind zu prüfen.\n",
            ["sec_1", "sec_2", "sec_5"],
        ),
        (
            "LEI Nº 9, DE 2 DE MAIO DE 2001\n\nArt. 1º Esta Lei dispõe sobre os moinhos e dá outras providências para os que moem o trigo.\n\n§ 1º O moinho é aberto a todos.\n\n§ 2º O moleiro mantém um livro.\n\nArt. 2º A operação depende de licença da autoridade, que não pode ser recusada sem motivo.\n",
            ["art_1", "art_1 art_1_1", "art_1 art_1_2", "art_2"],
        ),
        (
            "MILL LEASE\n\nTHIS LEASE is made between Ann Weir (the Landlord) and Bob Stone (the Tenant), who agree as follows:\n\n1. GRANT\n\n1.1 The Landlord lets the mill to the Tenant.\n\n1.2 The lease begins in May.\n\n2. RENT\n\n2.1 The rent is paid yearly.\n\nSCHEDULE 1\nRIGHTS\n\n1. The right to grind corn at all times.\n\n2. The right to use the weir.\n",
            ["sec_1", "sec_1 sec_1_1", "sec_1 sec_1_2", "sec_2", "sec_2 sec_2_1", "sched_1", "sched_1 sec_1", "sched_1 sec_2"],
        ),
        (
            "# Mills Act\n\nAn Act respecting mills\n\n## Short Title\n\n## 1\n\nThis Act is the Mills Act.\n\n## Licences\n\n## 2 (1)\n\nEvery miller shall have one.\n\n(2) It is free.\n\n## 3\n\nThe Minister may refuse it.\n",
            ["None", "None None", "None None sec_1", "None None", "None None sec_2", "None None sec_2 sec_2_1", "None None sec_2 sec_2_2", "None None sec_3"],
        ),
        (
            "Mill Procedure\n\n1.0 PURPOSE\n\nIt says how to mill.\n\n2.0 DUTIES\n\n2.1 Miller\n\nGrinds.\n\n2.2 Helper\n\nCarries.\n\n3.0 RECORDS\n\nThey are kept.\n",
            ["sec_1_0", "sec_2_0", "sec_2_0 sec_2_1", "sec_2_0 sec_2_2", "sec_3_0"],
        ),
        (
            "Mills (Scotland) Act 2021\n\nThe Bill for this Act of the Scottish Parliament was passed in 2021\n\nPART 1\nMILLS\n\n1 Licences\n\n(1) A mill has a licence.\n\n(2) It is free.\n\n2 Title\n\nThis is the Mills (Scotland) Act 2021.\n\nSCHEDULE\n(introduced by section 1)\n\n1 The licence must state the place of the mill.\n\n2 It must name the miller.\n",
            ["part_1", "part_1 sec_1", "part_1 sec_1 sec_1_1", "part_1 sec_1 sec_1_2", "part_1 sec_2", "None", "None sec_1", "None sec_2"],
        ),
        (
            "TITLE 9. MILLS\n\nChapter 1. General\n\n9-101. Definitions.\n\nA mill shall be one that turns.\n\n9-102. Duties.\n\nMillers shall grind.\n\n9-102.01. Hours.\n\nThey shall rest at night.\n",
            ["title_9", "title_9 ch_1", "title_9 ch_1 sec_9-101", "title_9 ch_1 sec_9-102", "title_9 ch_1 sec_9-102_01"],
        ),
    ],
)  # fmt: skip
def test_plain_text_is_divided_as_its_tradition_numbers_it(text: str, expected: list[str]) -> None:
    assert tree(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Report\n\nCHAPTER 2 WHEELS\n\nThe mill cost much.\n\n3.5 Million were spent on it.\n\n4.25 Per cent were lost.\n\nCHAPTER 3 STONES\n\nStones cost less.\n",
        "Law on Mills\n\nArticle 1 This Law is enacted to promote milling.\n\nArticle 2 The State encourages it.\n\nArticle 9 The State may close mills, says the Water Law.\n",
    ],
)
def test_a_number_that_does_not_go_on_begins_no_section(text: str) -> None:
    assert not any(one.rpartition(" ")[2] in ("sec_3_5", "sec_4_25", "art_9") for one in tree(text))


def test_a_step_with_a_sentence_behind_it_is_read() -> None:
    assert (
        tree("Manual\n\nStep 1 The mill is opened, and the sails are turned to the wind.\n") == []
    )


def titles_of(text: str) -> list[str]:
    return titles(section_tree(text, domain="auto"))


def test_numbers_of_plain_text_below_a_title_in_markdown_divide_it() -> None:
    text = "# Mill API\n\n1. Introduction\n\nIt mills.\n\n2. Interfaces\n\n2.1 Sails\n\nThey turn.\n\n2.2 Stones\n\nThey grind.\n"
    assert titles_of(text) == [
        "Mill API",
        "1. Introduction",
        "2. Interfaces",
        "2.1 Sails",
        "2.2 Stones",
    ]


def test_lines_in_capitals_divide_plain_text_that_nothing_else_divides() -> None:
    text = (
        "MILL POLICY\n\nWe cover the mill.\n\nEXCLUSIONS\n\nWe do not cover the river.\n\nPAGE OF THE POLICY\n\n"
        "CLAIMS AND NOTICES\n\nTell us at once.\n\nPAGE OF THE POLICY\n\nThank you.\n"
    )
    assert titles_of(text) == ["MILL POLICY", "EXCLUSIONS", "CLAIMS AND NOTICES"]


def test_a_line_in_capitals_within_a_paragraph_is_no_heading() -> None:
    assert titles_of("The sign says\nNO ENTRY\n\nand nobody enters.\n\nIt is red.\n") == []


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        ("2 § Med kvarn avses i denna lag en byggnad där säd mals och som inte är nedlagd.", "kvarn"),
        ("Ved en mølle forstås i denne lov en bygning, der drives af vand eller vind og ikke er nedlagt.", "mølle"),
        ("Med mølle menes i denne loven en bygning som drives av vann eller vind, og som ikke er nedlagt.", "mølle"),
        ('(1) The term "mill" as used in this Act means a building of the kind that is turned by wind.', "mill"),
    ],
)  # fmt: skip
def test_terms_are_defined_in_the_words_of_their_language(sentence: str, term: str) -> None:
    document = understand(
        Document("law.txt", "Law", f"{sentence}\n\n{sentence.split(' ', 3)[3]}\n")
    )
    assert {one.term for one in document.definitions} == {term}


def test_titles_in_capitals_and_with_capitals_divide_a_report_in_plain_text() -> None:
    body = "The mill turned for three hundred days of the year, and it ground more corn than ever before."
    text = f"MILL REPORT\n\nSUMMARY\n\n{body}\n\nOur Mill\n\n{body}\n\nOur Millers\n\n{body}\n\nRISK FACTORS\n\nRisks Related to Wind\n\n{body}\n\nPage 3\n\nUSE OF FLOUR\n\n{body}\n"
    flat = flatten(section_tree(text, domain="auto"))
    assert [(one.section.title, flat[one.parent].section.title if one.parent >= 0 else "") for one in flat] == [

        ("SUMMARY", ""),
        ("Our Mill", "SUMMARY"),
        ("Our Millers", "SUMMARY"),
        ("RISK FACTORS", ""),
        ("Risks Related to Wind", "RISK FACTORS"),
        ("USE OF FLOUR", ""),
    ]  # fmt: skip


def test_lines_that_come_on_every_page_are_no_titles() -> None:
    page = "The Mill Company\n\nThe mill turned for three hundred days of the year, and it ground more corn than ever.\n\nAnnual Report 20{}\n\n"
    assert titles_of("".join(page.format(year) for year in range(10, 16))) == []


def test_headings_that_close_a_paper_stand_behind_its_last_section() -> None:
    text = "On Mills\n\n1 Introduction\n\nMills turn, as is shown below.\n\n2 Sails\n\n2.1 Cloth\n\nLinen is best.\n\n2.2 Wood\n\nOak is heavy.\n\n3 Results\n\nThey are good.\n\nAcknowledgements\n\nWe thank the wind.\n\nReferences\n\nMiller, On corn.\n"
    assert tree(text)[-3:] == ["sec_3", "None", "None"]


NUMBERS_IN_BOLD = {
    "Indian act": (
        "# The Piers Act, 2031\n\nCHAPTER I\n\nPRELIMINARY\n\n**1. Short title and extent.**—(1) This Act may be called the Piers Act.\n\n"
        "(2) It extends to the coast.\n\n**2. Definitions.**—In this Act, unless the context otherwise requires,—\n\n"
        "(a) “pier” means a landing place.\n\nCHAPTER II\n\nDUES\n\n**3. Power to levy dues.**—The Board may levy dues.\n",
        ["ch_1", "sec_1", "sec_1_1", "sec_1_2", "sec_2", "sec_2_a", "ch_2", "sec_3"],
    ),
    "Canadian act": (
        "# Buoys Act\n\n## Short Title\n\n**1** This Act may be cited as the *Buoys Act*.\n\n## Duties\n\n"
        "**2** (1) A keeper shall\n\n(a) paint the buoys; and\n\n(b) count them.\n\n**3** The Minister may inspect.\n\n"
        "**4** (1) Every person who paints a buoy badly is guilty of an offence.\n\n(2) The fine is fifty dollars.\n",
        ["sec_1", "sec_2", "sec_2_1", "sec_2_1_a", "sec_2_1_b", "sec_3", "sec_4", "sec_4_1", "sec_4_2"],
    ),
    "British regulations": (
        "# The Rafts (Safety) Regulations 2031\n\n2031 No. 455\n\n### Citation\n\n**1.** These Regulations may be cited so.\n\n"
        "### Interpretation\n\n**2.**—(1) In these Regulations “raft” means a vessel.\n\n(2) A crew includes its master.\n\n"
        "### Paddles\n\n**3.**—(1) Every raft must carry paddles.\n\n(2) There must be two.\n\n## SCHEDULE 1\n\n### Equipment\n\n"
        "**1.** Ropes of twenty metres.\n\n**2.** Two lamps.\n",
        ["sec_1", "sec_2", "sec_2_1", "sec_2_2", "sec_3", "sec_3_1", "sec_3_2", "sched_1", "sched_1_sec_1", "sched_1_sec_2"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS_IN_BOLD)
def test_numbers_in_bold_begin_sections(name: str) -> None:
    text, expected = NUMBERS_IN_BOLD[name]
    ids = [one.section.id for one in flatten(section_tree(text, domain="auto"))]
    assert [one for one in ids if one.startswith(("sec", "ch", "sched"))] == expected


def test_bold_numbers_in_running_text_begin_none() -> None:
    text = "# Results\n\n## Harbours\n\n**12** Boats were counted.\n\n## Rivers\n\n**7** Boats were counted there.\n"
    assert titles(section_tree(text, domain="auto")) == ["Results", "Harbours", "Rivers"]


def test_inserted_paragraphs_stand_between_the_others() -> None:
    text = (
        "# Seilgesetz\n\n##### **Art. 1** Zweck\n\n1 Dieses Gesetz regelt Seile.\n\n1bis Es gilt auch für Ketten.\n\n"
        "1ter Es gilt auch für Taue.\n\n1quater Es gilt nicht für Fäden.\n\n2 Der Bundesrat regelt das Nähere.\n\n"
        "##### **Art. 2** Begriffe\n\n1 Ein Seil ist aus Hanf.\n\n2 Eine Kette ist aus Eisen.\n"
    )
    assert keys(text)[1:] == [
        "art_1", "art_1_1", "art_1_1bis", "art_1_1ter", "art_1_1quater", "art_1_2", "art_2", "art_2_1", "art_2_2",
    ]  # fmt: skip


TIGHT = """\
Gesetz über das Fährwesen (Fährgesetz)
Abschnitt 1
Allgemeine Vorschriften
§ 1 Anwendungsbereich
(1) Dieses Gesetz gilt für Fähren.
(2) Es gilt nicht für Boote.
Abschnitt 2
Genehmigung
Titel 1
Voraussetzungen
§ 2 Genehmigungspflicht
Wer eine Fähre betreibt, bedarf der Genehmigung.
Titel 2
Verfahren
Untertitel 1
Antrag
§ 3 Form
Der Antrag ist schriftlich zu stellen.
"""


def test_a_german_law_without_blank_lines() -> None:
    assert keys(TIGHT) == [
        "abschn_1", "sec_1", "sec_1_1", "sec_1_2", "abschn_2", "title_1", "sec_2", "title_2", "subtitle_1", "sec_3",
    ]  # fmt: skip


AUSTRIAN = """\
Bundesgesetz über das Fährwesen

1. Abschnitt
Allgemeines

Geltungsbereich
§ 1. (1) Dieses Bundesgesetz gilt für Fähren auf
1. Flüssen,
2. Seen.
(2) Es gilt nicht nach Maßgabe des
§ 4 Abs. 2.

Bewilligung
§ 2. Der Betrieb bedarf einer Bewilligung nach
§ 1 des Gewerbegesetzes.

Strafen
§ 3. Wer dem zuwiderhandelt, zahlt.
"""


def test_an_austrian_law_with_captions_right_above_its_sections() -> None:
    found = [key for key in keys(AUSTRIAN) if key]
    assert found == [
        "abschn_1",
        "sec_1",
        "sec_1_1",
        "sec_1_1_1",
        "sec_1_1_2",
        "sec_1_2",
        "sec_2",
        "sec_3",
    ]
