"""Which levels headings have: the author's, and where a format wrote several kinds at one level, their labels'."""

from __future__ import annotations

import pytest

from hierdoc.models import Document, DomainName, Section
from hierdoc.structure import flatten, section_tree, understand


def outline(text: str, domain: DomainName = "auto") -> list[str]:
    """The headings, each indented by how deep its section lies."""

    def lines(sections: tuple[Section, ...], depth: int) -> list[str]:
        return [
            line
            for one in sections
            for line in (f"{'  ' * depth}{one.title}", *lines(one.children, depth + 1))
        ]

    return lines(section_tree(text, domain=domain), 0)


def document(lines: str) -> str:
    """Headings as they are given, text under each article."""
    made = []
    for line in lines.split("\n"):
        made += [line, "", *(["Le présent texte est applicable à tous.", ""] * ("Art" in line))]
    return "\n".join(made)


FRENCH = """\
# Code des ports
## Partie législative
### Livre Ier : Des navires
#### Titre Ier : Du port
#### Chapitre unique : Des quais
#### Section 1 : Des places
##### Article L111-1
##### Article L111-1-1
#### Sous-section 2 : Des droits
#### Paragraphe 1 : Du tarif
#### A : Du tarif réduit
##### Article L111-2
##### Article L111-2 bis
#### B : Du tarif plein
##### Article L111-3
#### Titre II : Du pilote
##### Article L112-1
### Livre II : Des feux
##### Article L200"""

FRENCH_OUTLINE = """\
Code des ports
  Partie législative
    Livre Ier : Des navires
      Titre Ier : Du port
        Chapitre unique : Des quais
          Section 1 : Des places
            Article L111-1
            Article L111-1-1
            Sous-section 2 : Des droits
              Paragraphe 1 : Du tarif
                A : Du tarif réduit
                  Article L111-2
                  Article L111-2 bis
                B : Du tarif plein
                  Article L111-3
      Titre II : Du pilote
        Article L112-1
    Livre II : Des feux
      Article L200"""


def test_labels_decide_where_a_converter_ran_out_of_levels() -> None:
    assert outline(document(FRENCH)) == FRENCH_OUTLINE.split("\n")


@pytest.mark.parametrize(
    "divisions",
    [
        ("Livre Ier", "Titre II", "Chapitre III", "Section 4", "Article 5"),
        ("LIBRO PRIMERO", "TITULO II", "CAPITULO III", "Sección 4.ª", "Artículo 5"),
        ("Libro I", "Titolo II", "Capo III", "Sezione IV", "Articolo 5"),
        ("Livro I", "Título II", "Capítulo III", "Seção IV", "Artigo 5"),
        ("Boek 1", "Titel 2", "Hoofdstuk 3", "Afdeling 4", "Artikel 5"),
        ("Księga pierwsza", "Tytuł II", "Dział III", "Rozdział IV", "Artykuł 5"),
    ],
    ids=["fr", "es", "it", "pt", "nl", "pl"],
)
def test_divisions_of_civil_law_lie_in_each_other_at_one_level(divisions: tuple[str, ...]) -> None:
    twice = "".join(f"## {one}\n\n" for one in divisions) + "Tekst.\n\n"
    found = outline(twice + twice, "civil_legislative")
    assert found == [
        f"{'  ' * depth}{one}" for _ in range(2) for depth, one in enumerate(divisions)
    ]


def test_a_part_of_a_chapter_lies_in_the_chapter() -> None:
    text = document(
        "# Code\n## Livre III : A\n### Titre V : B\n#### Chapitre II : C\n#### Première partie : D\n##### Article 1\n"
        "#### Section 1 : E\n##### Article 2\n#### Deuxième partie : F\n##### Article 3\n#### Chapitre III : G\n##### Article 4"
    )
    assert outline(text, "civil_legislative") == [
        "Code",
        "  Livre III : A",
        "    Titre V : B",
        "      Chapitre II : C",
        "        Première partie : D",
        "          Article 1",
        "          Section 1 : E",
        "            Article 2",
        "        Deuxième partie : F",
        "          Article 3",
        "      Chapitre III : G",
        "        Article 4",
    ]


def test_an_annex_within_a_chapter_stays_where_the_author_put_it() -> None:
    text = "# Verordnung\n\n## Kapitel 1 - A\n\n### § 1 B\n\nText.\n\n### Anlage 1 C\n\nText.\n"
    assert outline(text) == ["Verordnung", "  Kapitel 1 - A", "    § 1 B", "    Anlage 1 C"]


def test_an_article_with_a_hyphen_lies_beside_the_one_before_it() -> None:
    text = document("# Code\n## Titre I\n### Article 6\n### Article 6-1\n### Article 7")
    assert outline(text)[2:] == ["    Article 6", "    Article 6-1", "    Article 7"]


def test_divisions_with_a_name_for_a_number_hold_the_others() -> None:
    text = document(
        "# Code\n## Partie législative\n## Livre Ier : A\n## Titre préliminaire : B\n## Article 1\n## Partie réglementaire\n"
        "## Livre Ier : C\n## Titre Ier : D\n## Article R1"
    )
    assert outline(text, "civil_legislative") == [
        "Code",
        "  Partie législative",
        "    Livre Ier : A",
        "      Titre préliminaire : B",
        "        Article 1",
        "  Partie réglementaire",
        "    Livre Ier : C",
        "      Titre Ier : D",
        "        Article R1",
    ]


def test_a_repealed_chapter_before_the_next_title_holds_nothing() -> None:
    text = document(
        "# Code\n## Titre Ier : A\n## Chapitre Ier : B\n## Article 1\n## Chapitre II : abrogé\n## Titre II : C\n## Chapitre Ier : D\n## Article 2"
    )
    assert outline(text, "civil_legislative")[4:7] == [
        "    Chapitre II : abrogé",
        "  Titre II : C",
        "    Chapitre Ier : D",
    ]


def test_a_heading_without_a_label_beside_sections_is_one_of_them() -> None:
    text = "# Gesetz\n\n## Abschnitt 1 - A\n\n## § 1 B\n\nText.\n\n## Schlussformel\n\nDer Rat hat zugestimmt.\n"
    expected = ["Gesetz", "  Abschnitt 1 - A", "    § 1 B", "    Schlussformel"]
    assert outline(text, "de_legislative") == expected


def test_a_heading_among_the_items_of_a_report_lies_in_the_item_before() -> None:
    items = "".join(f"## ITEM {number}. TOPIC\n\nIt was good.\n\n" for number in range(5, 9))
    text = (
        f"# Report\n\n{items}## INDEX TO STATEMENTS\n\nSee below.\n\n## ITEM 9. CHANGES\n\nNone.\n"
    )
    assert outline(text, "technical")[4:] == [
        "  ITEM 8. TOPIC",
        "    INDEX TO STATEMENTS",
        "  ITEM 9. CHANGES",
    ]


def test_a_label_without_a_number_holds_no_sections() -> None:
    before = "## Article IV Legislature\n\n## Section 44\n\nText.\n\n## Section 45\n\nText.\n\n"
    text = f"# Constitution\n\n{before}## Article V Executive\n\n## Section\n\n## Section 112\n\nText.\n\n## Section 113\n\nText.\n"
    assert outline(text, "us_legislative")[4:] == [
        "  Article V Executive",
        "    Section",
        "    Section 112",
        "    Section 113",
    ]


@pytest.mark.parametrize("by_look", [False, True])
def test_labels_decide_at_a_level_that_no_author_gave(by_look: bool) -> None:
    text = (
        "# Mill Credit Agreement\n\nThe parties Ann Weir (the Lender) and Bob Stone (the Borrower) agree as follows:\n\n"
        "## ARTICLE ONE\n\nSection 1.01 Loans. The Lender shall make loans.\n\n## ARTICLE TWO\n\n"
        "Section 2.01 Fees. There shall be none.\n\n## Section 2.02 Interest.\n\nIt shall be paid yearly.\n"
    )
    document = Document("a.pdf", "a", text, levels_by_look=by_look)
    flat = flatten(understand(document).sections)
    place = next(one for one in flat if one.section.key == "sec_2_02")
    assert (flat[place.parent].section.key == "art_2") is by_look


REPORT = (
    "# Harbour Company annual report\n\n"
    "{0} PART I\n\n{0} ITEM 1. Business\n\nWe keep lamps.\n\n{0} ITEM 2. Properties\n\nA harbour.\n\n"
    "{0} PART II\n\n{0} ITEM 3. Risks\n\nStorms.\n\n{0} ITEM 4. Summary\n\nNone.\n\n"
    "{0} Exhibit 21.1 Subsidiaries\n\nLamp Company.\n\n{0} Exhibit 23.1 Consent\n\nWe consent.\n"
)


def test_exhibits_behind_a_report_lie_in_none_of_its_parts() -> None:
    document = Document("a.pdf", "a", REPORT.format("##"), levels_by_look=True)
    flat = flatten(understand(document).sections)
    outer = {
        one.section.key: flat[one.parent].section.key if one.parent >= 0 else "" for one in flat
    }
    assert outer["item_4"] == "part_2"
    assert outer["exhibit_21_1"] == outer["exhibit_23_1"] == outer["part_2"]


def test_exhibits_lie_where_the_author_put_them() -> None:
    text = (
        "# Market report\n\n## 1 Ports\n\nMany.\n\n### 1.1 Dues\n\nHigh.\n\n### Exhibit 1 Dues by port\n\nA table.\n\n"
        "### 1.2 Berths\n\nFew.\n\n## 2 Ships\n\nLarge.\n\n### 2.1 Sizes\n\nGrowing.\n"
    )
    assert outline(text, "technical")[1:] == [
        "  1 Ports", "    1.1 Dues", "    Exhibit 1 Dues by port", "    1.2 Berths", "  2 Ships", "    2.1 Sizes"
    ]  # fmt: skip
