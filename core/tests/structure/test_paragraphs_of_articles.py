"""Paragraphs of articles that have words or signs of their own: Brazilian, Danish, Kazakh; and divisions in Cyrillic."""

from __future__ import annotations

from textwrap import dedent

import pytest

from hierdoc.citations import find_citations
from hierdoc.structure.sections import flatten, section_tree


def keys(text: str) -> list[str | None]:
    return [one.section.key for one in flatten(section_tree(dedent(text), domain="auto"))]


BRAZILIAN = """
    LEI DAS PIPAS

    Art. 1º As pipas podem voar:

    I - de dia;

    II - de noite:

    a) com luz;

    b) com licença.

    {0}§ 1º{0} A licença é dada pelo município.

    {0}§ 2º{0} A licença não excede um ano.

    Art. 2º As pipas não podem voar:

    I - perto de aeroportos;

    II - na chuva.

    {0}Parágrafo único.{0} O município pode dispensar desta regra.
    """


@pytest.mark.parametrize("bold", ["", "**"])
def test_paragraphs_belong_to_the_article(bold: str) -> None:
    assert keys(BRAZILIAN.format(bold)) == [
        "art_1", "art_1_i", "art_1_ii", "art_1_ii_a", "art_1_ii_b", "art_1_1", "art_1_2",
        "art_2", "art_2_i", "art_2_ii", "art_2_1",
    ]  # fmt: skip


def test_a_sole_paragraph_is_cited_as_the_first() -> None:
    assert [one.key for one in find_citations("nos termos do art. 2º, parágrafo único")] == [
        "art_2_1"
    ]
    assert [one.key for one in find_citations("art. 2º, parágrafo")] == ["art_2"]


def test_danish_paragraphs_begin_with_the_second() -> None:
    text = """
        Lov om drager

        § 1. Loven gælder for alle drager, der er i luften.

        Stk. 2. Loven gælder ikke for fly.

        Stk. 3. Ministeren fastsætter regler om

        (a) højde, og

        (b) afstand.

        Stk. 4. Reglerne skal offentliggøres.

        § 2. Drager skal have en snor.

        Stk. 2. Snoren skal være lang.
        """
    found = keys(text)
    assert [one for one in found if one and one.count("_") < 3] == [
        "sec_1", "sec_1_2", "sec_1_3", "sec_1_4", "sec_2", "sec_2_2",
    ]  # fmt: skip


def test_a_cited_paragraph_is_none() -> None:
    text = (
        "Lov om drager\n\n§ 1. Loven gælder, jf.\nStk. 2. og 3.\n\n§ 2. Drager skal have en snor.\n"
    )
    assert keys(text) == ["sec_1", "sec_2"]


def test_inserted_items() -> None:
    text = "Constitution\n\n" + "".join(
        f"Article {number}\n\n1. The state shall be what it is.\n\n2. Its land is one.\n\n2-1. So is its sea.\n\n3. Its people are many.\n\n"
        for number in (1, 2, 3)
    )
    assert keys(text)[:5] == ["art_1", "art_1_1", "art_1_2", "art_1_2-1", "art_1_3"]


@pytest.mark.parametrize(
    ("first", "second", "label", "article"),
    [
        ("Розділ I", "Розділ II", "ch", "Стаття"),
        ("РАЗДЕЛ ПЕРВЫЙ", "РАЗДЕЛ ВТОРОЙ", "sec", "Статья"),
        ("Глава първа", "Глава втора", "ch", "Чл."),
    ],
)
def test_divisions_in_cyrillic(first: str, second: str, label: str, article: str) -> None:
    text = (
        f"КОНСТИТУЦИЯ\n\n{first}\n\nПРАВА\n\n{article} 1.\n\nТова е така.\n\n{article} 2.\n\nИ това.\n\n"
        f"{second}\n\nИЗБОРИ\n\n{article} 3.\n\nТова е така.\n\n{article} 4.\n\nИ това.\n"
    )
    assert keys(text) == [f"{label}_1", "art_1", "art_2", f"{label}_2", "art_3", "art_4"]
