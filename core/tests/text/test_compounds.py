"""Compounds are taken apart, and what is none is not."""

from __future__ import annotations

import time

import pytest

from hierdoc import Analyzer

ANALYZER = Analyzer()


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("Asylrecht", ["asyl", "recht"]),
        ("Kündigungsfristen", ["kundig", "frist"]),  # with a linking s, and a plural
        ("Straßenverkehrsordnung", ["strass", "verkehr", "ordnung"]),
        ("Schulweg", ["schul", "weg"]),  # without the e of its first part
        ("Kindertagesstätten", ["kind", "tag", "statt"]),
        ("MIETERHÖHUNG", ["miet", "erhoh"]),
    ],
)
def test_german_compounds_are_followed_by_their_parts(word: str, parts: list[str]) -> None:
    assert ANALYZER.terms(word, "de")[1:] == parts


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("huurovereenkomst", ["huur", "overeenkomst"]),
        ("arbeidsovereenkomsten", ["arbeid", "overeenkomst"]),
        ("huurprijzen", ["huur", "prijs"]),
        ("kinderbijslag", ["kind", "bijslag"]),
    ],
)
def test_dutch_compounds_are_followed_by_their_parts(word: str, parts: list[str]) -> None:
    assert ANALYZER.terms(word, "nl")[1:] == parts


@pytest.mark.parametrize(
    "word",
    "Unterlassung Gesellschaft Versicherung Mitbestimmung Vertretung Ausführung thermischen Stabilität Wissenschaft "
    "Beratung verantwortlich gemeinsam herausgegeben Xylophonblockade".split(),
)
def test_a_word_that_is_no_compound_of_known_words_stays_whole(word: str) -> None:
    assert len(ANALYZER.terms(word, "de")) == 1


def test_compounds_of_other_languages_stay_whole() -> None:
    assert len(ANALYZER.terms("Asylrecht", "en")) == 1
    assert len(ANALYZER.terms("landlord", "fr")) == 1


def test_a_query_has_the_terms_of_a_text() -> None:
    assert ANALYZER.query_terms("Asylrecht", ["de"]) == ANALYZER.terms("Asylrecht", "de")


def test_a_query_of_several_languages_has_the_parts_of_each() -> None:
    found = ANALYZER.query_terms("Asylrecht", ["de", "nl", "en"])
    assert set(found) == {"asylrecht", "asyl", "recht"}


def test_a_query_may_do_without_parts() -> None:
    assert ANALYZER.query_terms("Asylrecht", ["de"], compounds=False) == ["asylrecht"]


def test_parts_that_are_words_find_the_compound() -> None:
    wanted = set(ANALYZER.query_terms("Recht auf Asyl", ["de"]))
    assert wanted <= set(ANALYZER.terms("Das Asylrecht wird gewährt.", "de"))


def test_a_word_that_could_be_split_in_many_ways_takes_no_time() -> None:
    started = time.process_time()
    for length in range(1, 60):
        ANALYZER.terms("tag" * length + "x", "de")
    assert time.process_time() - started < 2
