"""Which definitions come with a hit, and what else a term may be written as."""

from __future__ import annotations

import pytest

from hierdoc import Chunk, Definition
from hierdoc.search.enrichment import governing, nearest_terms, spellings

CHUNK = Chunk(
    source="code.md",
    text="A licence is granted to whom the board approves. It lapses.",
    char_start=0,
    char_end=0,
    line_start=1,
    line_end=1,
    section_id="sec_5",
    section_keys=("sec_5",),
    ancestor_keys=("title_1", "ch_2"),
)


def defined(
    term: str, scope: str | None = None, section: str = "sec_1", source: str = "code.md", text: str = "x"
) -> Definition:  # fmt: skip
    return Definition(term, text, source, section, scope)


def test_definitions_of_other_documents_and_sections_do_not_govern() -> None:
    definitions = [
        defined("licence", source="brokers.md"),
        defined("licence", scope="ch_3"),
        defined("licence", scope="sec_9"),
        defined("board", scope="ch_2"),
    ]
    assert [one.term for one in governing(definitions, CHUNK)] == ["board"]


def test_the_nearest_scope_comes_first_and_stands_for_its_term() -> None:
    definitions = [
        defined("licence"),
        defined("licence", scope="title_1"),
        defined("licence", scope="sec_5"),
        defined("board", scope="ch_2"),
        defined("approval board"),
    ]
    found = governing(definitions, CHUNK)
    assert [(one.term, one.scope) for one in found] == [
        ("licence", "sec_5"),
        ("board", "ch_2"),
        ("approval board", None),
    ]


def test_of_equal_scopes_the_nearest_place_counts() -> None:
    definitions = [defined("tax", section="sec_77"), defined("tax", section="ch_2")]
    assert [one.section_id for one in governing(definitions, CHUNK)] == ["ch_2"]


def test_there_are_three_at_most_unless_asked_for_more() -> None:
    definitions = [defined(f"term {number}") for number in range(9)]
    assert len(governing(definitions, CHUNK)) == 3
    assert len(governing(definitions, CHUNK, 5)) == 5


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Short.", "Short."),
        ("A first sentence stands here. " + "Another one follows " * 9, "A first sentence stands here."),
        ("words without an end " * 9, "words without an end words without an end words without an"),
    ],
)  # fmt: skip
def test_a_definition_is_no_longer_than_the_chunk(text: str, cut: str) -> None:
    (found,) = governing([defined("licence", text=text)], CHUNK)
    assert found.text == cut
    assert len(found.text) <= len(CHUNK.text)


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("Confidential Informations", "confidential information"),
        ("parties", "party"),
        ("Party", "parties"),
        ("vessels", "vessel"),
        ("vessel", "vessels"),
        ("Unternehmern", "unternehmer"),
        ("personenbezogene Daten", "personenbezogener daten"),
        ("personenbezogenen Daten", "personenbezogene daten"),
        ("consommateurs", "consommateur"),
        ("données personnelles", "donnée personnelle"),
        ("canal", "canaux"),
        ("authority", "the authority"),
        ("consumidores", "consumidor"),
    ],
)
def test_other_spellings_of_a_term(asked: str, written: str) -> None:
    assert spellings(asked)[0] == asked.casefold()
    assert written in spellings(asked)


@pytest.mark.parametrize("asked", ["", "a", "of the", "x" * 1_000, "word " * 1_000])
def test_spellings_are_few(asked: str) -> None:
    assert len(spellings(asked)) <= 130


def test_nearest_terms_are_like_what_was_asked_or_hold_its_words() -> None:
    terms = ["Confidential Information", "Party", "Purchaser", "Closing Date", "Closing"]
    assert nearest_terms("confidental information", terms) == ["Confidential Information"]
    assert nearest_terms("purchasor", terms) == ["Purchaser"]
    assert nearest_terms("closing day", terms) == ["Closing Date", "Closing"]
    assert nearest_terms("parties", ["Disclosing Party", "Fee"]) == ["Disclosing Party"]
    assert nearest_terms("zebra", terms) == []
