"""How statutes write references: each form in a small law of its tradition, and what it means there."""

from __future__ import annotations

import pytest

from hierdoc import Document, Reference
from hierdoc.structure import document_keys, find_references, flatten, understand

AMERICAN = """\
# Harbour Act

## CHAPTER 1. GENERAL

### Sec. 1. Short title

Be it enacted: this Act may be cited as the "Harbour Act".

### Sec. 2. Duties

(a) The master shall report.

(b) The pilot waits:

(1) for the tide; and

(2) for the light.

(c) The owner pays.

(d) The crew sleeps.

### Sec. 3. Scope

(a) One.

(b) HERE

(c) Three.

### Sec. 4. Fees

Fees are due.

## CHAPTER 2. SPECIAL

### Sec. 5. Lights

Lamps.
"""
GERMAN = """\
# Hafengesetz

## Abschnitt 1 Allgemeines

### § 1 Zweck

Dieses Gesetz regelt, wer in den Häfen des Landes anlegen darf und welche Gebühren dafür zu entrichten sind.

### § 2 Begriffe

(1) Eins.

(2) Zwei. Drei.

1. eins,

2. zwei,

3. drei.

(3) Drei.

### § 3 Umfang

HERE

### § 4 Gebühren

Text.

### § 5 Leuchten

Text.
"""
FRENCH = """\
# Code des ports

## Chapitre 1 Généralités

### Article 1

Texte.

### Article 2

1° un ;

2° deux.

### Article 3

HERE

### Article 4

Texte.

### Article L. 5-1

Texte.

### Article L. 5-2

Texte.

### Article L. 5-3

Texte.
"""


def found(sentence: str, law: str) -> list[Reference]:
    text = law.replace("HERE", f"So it is, {sentence} and no other.")
    document = understand(Document("law.md", law.split("\n")[0][2:], text))
    flat = flatten(document.sections)
    keys = [entry.section.key for entry in flat]
    start, end = text.index("So it is"), text.index(" and no other")
    placed = find_references(text, flat, keys, document_keys(document))
    return [one.reference for one in placed if start <= one.start < end]


def meant(sentence: str, law: str) -> list[str]:
    """The ids of the sections that are meant; with `?` before the work and key of one that is not there."""
    return [
        one.section_id if one.resolved else f"?{one.section_id}" for one in found(sentence, law)
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("by section 2(b)(1)", ["sec_2_b_1"]),
        ("by sections 1 through 3", ["sec_1", "sec_2", "sec_3"]),
        ("by section 2(a) through (c)", ["sec_2_a", "sec_2_b", "sec_2_c"]),
        ("by subsections (a) through (d) of section 2", ["sec_2_a", "sec_2_b", "sec_2_c", "sec_2_d"]),
        ("by paragraph (2) of section 2(b)", ["sec_2_b_2"]),
        ("by subsections (a) and (c)", ["sec_3_a", "sec_3_c"]),
        ("by the preceding section", ["sec_2"]),
        ("by the two foregoing sections", ["sec_1", "sec_2"]),
        ("by the next section", ["sec_4"]),
        ("by this subsection", ["sec_3_b"]),
        ("by the preceding subsection", ["sec_3_a"]),
        ("by section 5. Id. at 12", ["sec_5", "sec_5"]),
        ("by section 2(c) or by such section", ["sec_2_c", "sec_2"]),
        ("by section 5 or by such chapter", ["sec_5"]),
        ("by Harbour Act, section 4", ["sec_4"]),
        ("by section 4 of the Harbour Act", ["sec_4"]),
        ("by section 10(b) of the Securities Exchange Act of 1934", ["?securities_exchange_act_sec_10_b"]),
        ("by Securities Exchange Act, section 4", ["?securities_exchange_act_sec_4"]),
        ("by ERISA section 4", ["?erisa_sec_4"]),
        ("by section 4 of the Act of July 2, 1862", ["?act_of_july_2_1862_sec_4"]),
        ("by section 4 of title 42", ["?title_42_sec_4"]),
        ("by section 4 of title 42, United States Code", ["?usc_42_sec_4"]),
        ("by 42 U.S.C. § 4. Id. § 5", ["?usc_42_sec_4", "?usc_42_sec_5"]),
        ("by section 4 of the Water Act and section 5 of such Act", ["?water_act_sec_4", "?water_act_sec_5"]),
        ("by section 4 of the Water Act and section 5 thereof", ["?water_act_sec_4", "?water_act_sec_5"]),
        ("by section 4 of division K of Public Law 113-235", ["?publ_113_235_div_k_sec_4"]),
        ("by section 4, C.R.S.", ["?c_r_s_sec_4"]),
        ("as Third Parties of PB say", []),
        ("under Section 4, NCM shall wait", ["sec_4"]),
    ],
)  # fmt: skip
def test_american_law(sentence: str, expected: list[str]) -> None:
    assert meant(sentence, AMERICAN) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("nach den §§ 2-4", ["sec_2", "sec_3", "sec_4"]),
        ("nach den §§ 1, 2 und 4", ["sec_1", "sec_2", "sec_4"]),
        ("nach § 2 Abs. 2 Satz 1 Nr. 3", ["sec_2_2_3"]),
        ("nach § 2 Absatz 1 bis 3", ["sec_2_1", "sec_2_2", "sec_2_3"]),
        ("nach § 4 f.", ["sec_4", "sec_5"]),
        ("nach diesem Abschnitt", ["abschn_1"]),
        ("nach § 4 BGB", ["?bgb_sec_4"]),
        ("nach BGB § 4", ["?bgb_sec_4"]),
        ("nach § 4 des Bürgerlichen Gesetzbuchs", ["?burgerlich_gesetzbuch_sec_4"]),
        ("nach § 4 des Allgemeinen Gleichbehandlungsgesetzes", ["?allgemein_gleichbehandlungsgesetz_sec_4"]),
        ("nach Artikel 4 des Einführungsgesetzes zum Bürgerlichen Gesetzbuche", ["?einfuhrungsgesetz_zum_burgerlich_gesetzbuch_art_4"]),
        ("nach § 4 des Fünften Buches Sozialgesetzbuch", ["?sozialgesetzbuch_5_sec_4"]),
        ("nach § 4 SGB V", ["?sgb_5_sec_4"]),
        ("nach § 4 des Hafengesetzes", ["sec_4"]),
    ],
)  # fmt: skip
def test_german_law(sentence: str, expected: list[str]) -> None:
    assert meant(sentence, GERMAN) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("aux articles 1 à 4", ["art_1", "art_2", "art_3", "art_4"]),
        ("aux articles L. 5-1 à L. 5-3", ["art_l5-1", "art_l5-2", "art_l5-3"]),
        ("à l'article 2, 1°", ["art_2"]),
        ("au 2° de l'article 2", ["art_2_2"]),
        ("à l'alinéa 2 de l'article 4", ["art_4"]),
        ("aux deux articles précédents", ["art_1", "art_2"]),
        ("à l'article 4 et ledit article", ["art_4", "art_4"]),
        ("à l'article 4 du code de procédure pénale", ["?code_de_procedure_penale_art_4"]),
        ("à l'article 4 du code de la construction et de l'habitation", ["?code_de_la_construction_et_de_l_habitation_art_4"]),
        ("à l'article 4 du code pénal et à l'article 2 du même code", ["?code_penal_art_4", "?code_penal_art_2"]),
        ("à l'article 4 du code pénal et à l'article 2 du code précité", ["?code_penal_art_4", "?code_penal_art_2"]),
        ("à l'article 8 de la loi n° 78-17 du 6 janvier 1978", ["?loi_78_17_art_8"]),
        ("à l'article 4 C. civ.", ["?c_civ_art_4"]),
        ("à l'article 4, paragraphe 1, point f), du règlement (UE) 2016/679", ["?reg_2016_679_art_4_1_f"]),
        ("à l'article 4 du code des ports", ["art_4"]),
    ],
)  # fmt: skip
def test_french_law(sentence: str, expected: list[str]) -> None:
    assert meant(sentence, FRENCH) == expected


@pytest.mark.parametrize(
    ("sentence", "work"),
    [
        ("artículo 5 de la Ley 39/2015, de 1 de octubre", "ley_39_2015"),
        ("artículo 5 de la Ley Orgánica 3/2018", "ley_organica_3_2018"),
        ("artículo 5 del Código Civil", "codigo_civil"),
        ("articolo 5 del decreto legislativo 30 giugno 2003, n. 196", "decreto_legislativo_196_2003"),
        ("articolo 5 della legge 7 agosto 1990, n. 241", "legge_241_1990"),
        ("articolo 5 del codice civile", "codice_civile"),
        ("artigo 5 da Lei n.º 8.078", "lei_8078"),
        ("artigo 5 do Código Civil", "codigo_civil"),
        ("artikel 5 van het Burgerlijk Wetboek", "burgerlijk_wetboek"),
        ("artikel 5 van de Grondwet", "grondwet"),
        ("art. 5 Kodeksu cywilnego", "kodeks_cywilnego"),
    ],
)  # fmt: skip
def test_works_in_other_languages(sentence: str, work: str) -> None:
    assert [(one.work, one.keys) for one in found(sentence, FRENCH)] == [(work, ("art_5",))]


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("Bürgerliches Gesetzbuch", "burgerlich_gesetzbuch"),
        ("Sozialgesetzbuch (SGB) Fünftes Buch (V) - Krankenversicherung", "sozialgesetzbuch_5"),
        ("LOI n° 78-17 du 6 janvier 1978 relative aux fichiers", "loi_78_17"),
        ("Ley 39/2015, de 1 de octubre, del Procedimiento", "ley_39_2015"),
        ("Decreto legislativo 30 giugno 2003, n. 196", "decreto_legislativo_196_2003"),
        ("Constitution du 4 octobre 1958", "constitution_du_4_octobre_1958"),
        ("Title 42—The Public Health and Welfare", "title_42"),
    ],
)
def test_a_document_answers_to_the_name_by_which_others_cite_it(title: str, key: str) -> None:
    assert key in document_keys(Document("law.md", title, f"# {title}\n\nText.\n"))


@pytest.mark.parametrize(
    ("name", "title", "text"),
    [
        ("bill-hr8847.pdf", "Harbours", "Text."),
        ("BILLS-118hr8847ih.txt", "Harbours", "Text."),
        ("h8847_ih.xml", "Harbours", "Text."),
        ("harbours.md", "118 HR 8847 IH: To build harbours", "Text."),
        ("harbours.txt", "Harbours", "118TH CONGRESS\n2D SESSION\n\n  H. R. 8847\n\nTo build harbours.\n"),
    ],
)  # fmt: skip
def test_a_bill_answers_to_its_number(name: str, title: str, text: str) -> None:
    assert "hr_8847" in document_keys(Document(name, title, text))


def test_a_footnote_gives_a_document_no_name() -> None:
    text = "# Harbour Act\n\nThe text serves to put into force the\nRICHTLINIE 2000/78/EG of the Council.\n"
    assert "dir_2000_78" not in document_keys(Document("law.md", "Harbour Act", text))
    assert "iv" not in document_keys(Document("a.md", "Contract D(IV)", "Text"))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("wie bestimmt (§ 4)", ["sec_4"]),
        ("wie bestimmt (§§ 4, 5)", ["sec_4", "sec_5"]),
        ("nach § 2 Abs. 2 Satz 1 bis 3 und § 4", ["sec_2_2", "sec_4"]),
        ("nach den §§ 2 Satz 1, 4 und 5", ["sec_2", "sec_4", "sec_5"]),
    ],
)
def test_sentences_bear_no_numbers(sentence: str, expected: list[str]) -> None:
    assert meant(sentence, GERMAN) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("nach Artikel 5 Absatz 1 bis 3 und Artikel 7 der Verordnung (EU) 2016/679", [
            "?reg_2016_679_art_5_1", "?reg_2016_679_art_5_2", "?reg_2016_679_art_5_3", "?reg_2016_679_art_7"]),
        ("nach § 4 in Verbindung mit § 5 WaffG", ["?waffg_sec_4", "?waffg_sec_5"]),
        ("nach § 4 und des § 5 Abs. 2 des Bürgerlichen Gesetzbuchs", ["?burgerlich_gesetzbuch_sec_4", "?burgerlich_gesetzbuch_sec_5_2"]),
        ("nach Artikel 2 oder Artikel 3 des Rahmenbeschlusses 2003/568/JI", ["?dec_2003_568_art_2", "?dec_2003_568_art_3"]),
        ("nach § 4 und nach § 5 WaffG", ["sec_4", "?waffg_sec_5"]),
    ],
)  # fmt: skip
def test_a_work_that_is_named_last_is_that_of_all(sentence: str, expected: list[str]) -> None:
    assert meant(sentence, GERMAN) == expected


@pytest.mark.parametrize(
    ("name", "title", "text"),
    [
        ("a.md", "ISO 9001:2015 Quality management", "Text."),
        ("iso-9001.md", "Quality management", "Text."),
        ("a.html", "Page", "# ISO 9001:2015 Quality management\n\nText."),
    ],
)
def test_a_standard_is_cited_by_its_number(name: str, title: str, text: str) -> None:
    assert "iso_9001" in document_keys(Document(name, title, text))
