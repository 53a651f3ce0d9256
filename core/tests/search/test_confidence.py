"""Whether a search knows that it has found nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hierdoc import AsyncIndex, Match, SearchResult, StoreError
from hierdoc.plugin.records import Record
from hierdoc.search.coverage import Coverage
from hierdoc.search.query import Query
from hierdoc_in_memory.keyword import InMemoryKeywordBackend

TEXT = """# Hafengesetz

## Asylrecht

Verfolgte genießen Asylrecht im Hafen; die Verfassungsänderung bedarf der Zustimmung der Mitglieder des Hafenrats.

## Gebühren

Die Gebühr für einen Liegeplatz bestimmt der Hafenmeister jedes Jahr im Herbst nach der Größe des Schiffes.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "hafen.md").write_text(TEXT)
    return tmp_path


def ask(folder: Path, query: str, **options: Any) -> SearchResult:
    async def scenario() -> SearchResult:
        config = {"source": str(folder), "vector": "in-memory", "keyword": "in-memory"}
        async with AsyncIndex.open(config) as index:
            await index.ingest()
            return await index.search(query, **options)

    return asyncio.run(scenario())


def covering(query: str) -> Coverage:
    return Coverage(Query.parse(query))


def records(folder: Path) -> Sequence[Record]:
    async def scenario() -> list[Record]:
        config = {"source": str(folder), "vector": "in-memory", "keyword": "in-memory"}
        async with AsyncIndex.open(config) as index:
            await index.ingest()
            return [one async for page in index._components.vector.scan() for one in page]

    return asyncio.run(scenario())


def test_parts_of_compounds_and_kindred_words_count_in_part(folder: Path) -> None:
    record = next(one for one in records(folder) if "Verfolgte" in one.text)
    assert covering("Folgt").share(record) == 0
    assert covering("Folgt").kinship(record) == pytest.approx(0.6)
    assert covering("Verfassungsändernde Zustimmung").kinship(record) == pytest.approx(0.7)
    assert covering("Folgt").known([record]) == 0
    assert covering("Zustimmung der Mitglieder").kinship(record) == 1
    assert covering("Zahnarzt").kinship(record) == 0
    assert covering("der die das").kinship(record) <= 1


def test_a_known_part_of_a_compound_is_a_word_of_the_chunk(folder: Path) -> None:
    record = next(one for one in records(folder) if "Verfolgte" in one.text)
    assert covering("Asyl").share(record) == 1


def test_words_that_no_passage_has_are_told(folder: Path) -> None:
    evidence = covering("Zustimmung zum Zahnarzt, Zahnarzt und Apfel")
    missing = evidence.missing_words(records(folder))
    assert missing == {"Zahnarzt,": pytest.approx(1 / 3), "Apfel": pytest.approx(1 / 3)}


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword"])
def test_kindred_words_are_evidence_and_strange_ones_are_none(folder: Path, mode: str) -> None:
    assert not ask(folder, "Asyl für Verfolgte", mode=mode).low_confidence
    assert ask(folder, "Rezept für Apfelkuchen mit Zimt", mode=mode).low_confidence


def test_words_known_elsewhere_in_the_index_speak_for_a_query(folder: Path) -> None:
    query = "Hafenmeister, Mitglieder, Zahnarzt, Herbst, Apfelkuchen"
    assert not ask(folder, query).low_confidence
    assert ask(folder, "Hafenmeister, Bürokraten, Zahnarzt, Sommer, Apfelkuchen").low_confidence


def test_where_nothing_is_found_confidence_is_low(folder: Path) -> None:
    result = ask(folder, "Hafenmeister Liegeplatz", mode="exact")
    assert result.hits == ()
    assert result.low_confidence


def test_something_cited_that_does_not_exist_is_low_confidence(folder: Path) -> None:
    query = "Welche Gebühr für einen Liegeplatz bestimmt der Hafenmeister nach § 99?"
    result = ask(folder, query)
    assert result.missing
    assert result.low_confidence


def test_a_keyword_backend_that_takes_no_part_is_not_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def search(self: Any, text: str, limit: int, *filters: Any) -> Sequence[Match]:
        raise AssertionError(f"asked for {text!r}")

    monkeypatch.setattr(InMemoryKeywordBackend, "search", search)
    query = "Hafenmeister, Mitglieder, Zahnarzt, Herbst, Apfelkuchen"
    assert ask(folder, query, mode="semantic").hits


@pytest.mark.parametrize("error", [StoreError("gone"), TimeoutError("slow")])
def test_a_backend_that_fails_at_a_word_fails_no_search(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    found = InMemoryKeywordBackend.search

    async def search(self: Any, text: str, limit: int, *filters: Any) -> Sequence[Match]:
        if limit == 1:
            raise error
        return await found(self, text, limit, *filters)

    query = "Hafenmeister, Mitglieder, Zahnarzt, Herbst, Apfelkuchen"
    monkeypatch.setattr(InMemoryKeywordBackend, "search", search)
    result = ask(folder, query)
    assert result.hits
    assert result.degraded == ()
