"""Everyday words, and the words that texts have instead."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hierdoc import AsyncIndex, SearchResult
from hierdoc.config.models import SearchSettings
from hierdoc.search.query import Query
from hierdoc.search.terminology import Wording, terminology_of
from hierdoc.search.terminology.everyday import EVERYDAY
from hierdoc.text.analysis import Analyzer

TEXT = """# Hafenordnung

## § 1 Liegeplätze

Die Sicherheitsleistung für einen Liegeplatz beträgt drei Monatsbeträge der Gebühr.

## § 2 Hafenmeister

Der Hafenmeister führt das Verzeichnis der Schiffe und erhebt die Gebühr für jeden Liegeplatz.

## § 3 Lotsen

Die Kündigung eines Lotsen bedarf der Schriftform. Ein Lotse ist im Verzeichnis der Schiffe nicht zu führen.
"""


def ask(folder: Path, query: str, **options: Any) -> SearchResult:
    (folder / "hafen.md").write_text(TEXT)

    async def scenario() -> SearchResult:
        config = {"source": str(folder), "vector": "in-memory", "keyword": "in-memory"}
        async with AsyncIndex.open(config) as index:
            await index.ingest()
            return await index.search(query, **options)

    return asyncio.run(scenario())


def wordings(text: str, **settings: object) -> dict[str, str]:
    """What is said in a text, and what is written instead."""
    terminology = terminology_of(SearchSettings.model_validate(settings))
    assert terminology is not None
    return {one.said: one.written for one in Query.parse(text, terminology).wordings}


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_a_question_finds_a_section_with_which_it_shares_no_word(tmp_path: Path, mode: str) -> None:
    result = ask(tmp_path, "Darf mich der Chef feuern?", mode=mode)
    assert result.hits[0].chunk.section_id == "sec_3"


def test_what_is_found_so_is_no_thin_evidence(tmp_path: Path) -> None:
    assert not ask(tmp_path, "Wer darf feuern?").low_confidence
    assert ask(tmp_path, "Wer darf zaubern?").low_confidence


@pytest.mark.parametrize(
    ("query", "said", "written"),
    [
        ("Can I be fired for that?", "fired", "dismissal"),
        ("Der Nachbarin gehören die Hunde", "Hunde", "tierhalter"),
        ("Wer bekommt den Dienstwagen?", "Dienstwagen", "fahrzeug"),
        ("Peut-on le gifler ?", "gifler", "violences"),
    ],
)
def test_forms_and_parts_of_compounds_are_known(query: str, said: str, written: str) -> None:
    assert written in wordings(query)[said].split()


def test_of_phrases_that_begin_alike_the_longest_counts() -> None:
    found = wordings("Who pays late?")
    assert list(found) == ["pays late"]


def test_stop_words_tell_the_language() -> None:
    assert wordings("Why should the garde be here?") == {}
    assert wordings("garde") == wordings("la garde de Paul")


@pytest.mark.parametrize(
    "query", ['"the boss" of the harbour', "Section 4 of the Harbour Act", "the boss " * 41, ""]
)
def test_phrases_citations_and_long_texts_are_left_as_they_are(query: str) -> None:
    assert wordings(query) == {}
    assert Query.parse(query).keywords == query


def test_the_domain_can_be_left_out() -> None:
    assert wordings("Can I be fired?", domains=["accounting", "law"]) == {}


def test_only_the_keyword_leg_looks_for_the_other_words() -> None:
    query = Query.parse("Can I be fired?", terminology_of(SearchSettings()))
    assert query.rewritten == "Can I be fired?"
    assert query.keywords == "Can I be fired? dismissed dismissal termination"
    assert query.wordings == (Wording("fired", "dismissed dismissal termination"),)


def test_a_word_of_two_meanings_is_looked_for_in_both() -> None:
    written = wordings("Kann ich das absetzen?")["absetzen"].split()
    assert {"werbungskosten", "abberufung"} <= set(written)


@pytest.mark.parametrize("language", EVERYDAY)
def test_every_line_adds_words(language: str) -> None:
    stems = Analyzer().terms
    for line in filter(None, map(str.strip, EVERYDAY[language].splitlines())):
        names, _, written = line.partition(": ")
        for name in names.split(", "):
            assert set(stems(written, language)) - {stems(name, language)[0]}, line
