"""What definitions govern: read from their words, else the whole document."""

from __future__ import annotations

import pytest

from hierdoc.structure.definitions import find_definitions
from hierdoc.structure.sections import section_tree


def scopes(text: str) -> dict[str, str | None]:
    found = find_definitions(text, "a.md", section_tree(text, domain="auto"))
    return {one.term: one.scope for one in found}


LAW = "# Title 1 Trade\n\n## Chapter 2 Ships\n\n### Section 5 Terms used\n\n{}\n\n### Section 6 Other\n\nText.\n"
GESETZ = "# Teil 1 Handel\n\n## Abschnitt 2 Schiffe\n\n### § 5 Sprachgebrauch\n\n{}\n\n### § 6 Anderes\n\nText.\n"
CODE = "# Titre 1 Commerce\n\n## Chapitre 2 Navires\n\n### Article 5\n\n{}\n\n### Article 6\n\nTexte.\n"
LEY = "# Título 1 Comercio\n\n## Capítulo 2 Buques\n\n### Artículo 5\n\n{}\n\n### Artículo 6\n\nTexto.\n"


@pytest.mark.parametrize(
    ("document", "sentence", "term", "scope"),
    [
        (LAW, "In this section, “vessel” means a ship.", "vessel", "sec_5"),
        (LAW, "For purposes of this chapter, the term “vessel” means a ship.", "vessel", "ch_2"),
        (LAW, "For the purposes of this title, “vessel” means a ship.", "vessel", "title_1"),
        (LAW, "As used in this chapter:\n\n(1) “Vessel” means a ship.\n\n(2) “Port” means a harbor.", "Port", "ch_2"),
        (LAW, "In this Act, “vessel” means a ship.", "vessel", None),
        (LAW, "“Vessel” means a ship that is used under this section.", "Vessel", None),
        (LAW, "“Vessel”, as used in this section, means a ship.", "Vessel", "sec_5"),
        (LAW, "For purposes of section 6, “vessel” means a ship.", "vessel", "sec_6"),
        (LAW, "In this section the owner (the “Owner”) pays.", "Owner", None),
        (LAW, "As used in this part, “vessel” means a ship.", "vessel", None),
        (GESETZ, "Schiff im Sinne dieses Gesetzes ist jedes Boot.", "Schiff", None),
        (GESETZ, "Schiff im Sinne dieses Abschnitts ist jedes Boot.", "Schiff", "abschn_2"),
        (GESETZ, "Schiff im Sinne dieser Vorschrift ist jedes Boot.", "Schiff", "sec_5"),
        (GESETZ, "Schiff im Sinne des Absatzes 1 ist jedes Boot.", "Schiff", "sec_5"),
        (GESETZ, "Schiff im Sinne des § 6 ist jedes Boot.", "Schiff", "sec_6"),
        (GESETZ, "Behörde im Sinne des § 6 Absatz 1 Nr. 1 des Hafengesetzes ist das Amt.", "Behörde", None),
        (GESETZ, "In diesem Gesetz bezeichnet „Schiff“ ein Boot. Im Sinne dieses Teils ist Hafen, wer will.", "Hafen", "part_1"),
        (CODE, "Au sens du présent titre, on entend par navire tout bateau.", "navire", "title_1"),
        (CODE, "Au sens du présent chapitre, on entend par :\n\n1° Navire : tout bateau ;\n\n2° Port : tout abri.", "Port", "ch_2"),
        (CODE, "Au sens du présent article on entend par navire tout bateau.", "navire", "art_5"),
        (CODE, "Pour l'application du présent code, on entend par navire tout bateau.", "navire", None),
        (LEY, "A los efectos de la presente ley, se entiende por buque todo barco.", "buque", None),
        (LEY, "A los efectos de este capítulo, se entiende por buque todo barco.", "buque", "ch_2"),
        (LEY, "A efectos de lo dispuesto en el presente título se entenderá por:\n\na) Buque: todo barco.", "Buque", "title_1"),
    ],
)  # fmt: skip
def test_a_scope_is_read_from_the_words(
    document: str, sentence: str, term: str, scope: str | None
) -> None:
    assert scopes(document.format(sentence))[term] == scope


def test_a_definition_before_the_first_heading_governs_the_document() -> None:
    assert scopes("In this section, “vessel” means a ship.\n") == {"vessel": None}
