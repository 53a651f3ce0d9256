"""Searching: what is found, in which order, and that no query or text upsets it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from hierdoc import (
    Chunk,
    Record,
    Stamp,
)

Scenario = Callable[[Any], Awaitable[Any]]
Run = Callable[[Scenario], Any]


def record(id: str, text: str, **fields: Any) -> Record:
    chunk = Chunk(fields.pop("source", "doc.md"), text, 0, len(text), 1, 1, id=id, **fields)
    return Record(chunk, Stamp("hash", "pipeline", 1))


def ids(found: Sequence[Any]) -> list[str]:
    return [match.chunk_id for match in found]


def search(run: Run, records: Sequence[Record], query: str, limit: int = 10) -> list[str]:
    async def scenario(backend: Any) -> list[str]:
        await backend.upsert(records)
        return ids(await backend.search(query, limit))

    found: list[str] = run(scenario)
    return found


def test_chunks_are_found_by_words_in_any_form(run: Run) -> None:
    records = [
        record("a", "The administrators reported their duties."),
        record("b", "Nothing of interest."),
        record("c", "Two.", context="Duties of the administrator"),
    ]
    assert sorted(search(run, records, "What does an Administrator REPORT?")) == ["a", "c"]


def test_the_shortest_chunk_with_the_rarest_word_comes_first(run: Run) -> None:
    records = [
        record("common", "gas limit"),
        record("rare", "base fee"),
        record("long", "base fee and some more words that make this chunk longer than the other"),
        *[record(f"filler {number}", f"gas {number}") for number in range(9)],
    ]
    found = search(run, records, "base gas", 20)
    assert found[0] == "rare"
    assert len(found) == 12


def test_scores_fall(run: Run) -> None:
    records = [record(str(n), "fee " * n + "and other words " * (20 - n)) for n in range(1, 20)]

    async def scenario(backend: Any) -> None:
        await backend.upsert(records)
        scores = [match.score for match in await backend.search("other fee", 10)]
        assert len(scores) == 10
        assert scores == sorted(scores, reverse=True)
        assert all(isinstance(score, float) for score in scores)

    run(scenario)


def test_ties_are_broken_by_id_also_where_the_limit_cuts_them(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        for number in (
            7,
            3,
            9,
            1,
            8,
            0,
            5,
            2,
            6,
            4,
        ):  # in batches, as an index on disk has segments
            await backend.upsert(
                [record(f"{number}{letter}", "the same words") for letter in "cab"]
            )
        assert ids(await backend.search("same words", 4)) == ["0a", "0b", "0c", "1a"]
        everything = await backend.search("same words", 100)
        assert ids(everything) == sorted(ids(everything))
        assert len({match.score for match in everything}) == 1

    run(scenario)


@pytest.mark.parametrize("limit", [0, 1, 3, 1_000_000_000])
def test_the_limit_holds(run: Run, limit: int) -> None:
    records = [record(str(number), "a word") for number in range(5)]
    assert len(search(run, records, "word", limit)) == min(limit, 5)


@pytest.mark.parametrize("query", ["", "  \n", "…", "nowhere", "\x00", "\ud800"])
def test_a_query_without_a_known_word_finds_nothing(run: Run, query: str) -> None:
    assert search(run, [record("a", "some words")], query) == []


def test_an_empty_index_finds_nothing(run: Run) -> None:
    assert search(run, [], "word") == []


def test_a_query_of_stop_words_finds_them(run: Run) -> None:
    records = [record("a", "to be or not to be"), record("b", "question"), record("c", "answer")]
    assert search(run, records, "to be or not to be") == ["a"]


@pytest.mark.parametrize(
    "query",
    [
        '"fee',
        "fee AND NOT (",
        "+fee -fee",
        "text:fee",
        "fee^9 fee~2 fe?*",
        "[fee TO]",
        "\\fee",
        "<fee>",
    ],
)
def test_no_character_of_a_query_has_a_meaning(run: Run, query: str) -> None:
    assert search(run, [record("a", "the base fee"), record("b", "other")], query) == ["a"]


def test_a_query_of_ten_thousand_words_is_answered(run: Run) -> None:
    query = " ".join(f"word{number}" for number in range(10_000))
    records = [record("a", "word9999"), record("b", "other"), record("c", "nothing")]
    assert search(run, records, query) == ["a"]


def test_each_document_is_found_in_its_own_language(run: Run) -> None:
    records = [
        record("de", "Die Verträge wurden gekündigt.", language="de"),
        record("en", "The treaties were terminated.", language="en"),
        record("fr", "Les traités furent résiliés.", language="fr"),
        record("zh", "合同已终止", language="zh"),
        record("unknown", "terminate(treaty)"),
    ]
    for query, found in {
        "Vertrag kündigung": {"de"},
        "a treaty": {"en", "unknown"},
        "traite": {"fr"},
        "合同": {"zh"},
        "Vertrag traité": {"de", "fr"},
    }.items():
        assert set(search(run, records, query)) == found, query


def test_identifiers_are_found_whole_first(run: Run) -> None:
    records = [
        record("parts", "Section 203. (a) One. (1) Two."),
        record("other", "Section 203(b)(1) is another."),
        record("whole", "See section 203(a)(1)."),
        *[record(f"filler {number}", "nothing here") for number in range(9)],
    ]
    assert search(run, records, "§ 203(a)(1)")[0] == "whole"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00",
        "lone \ud800 surrogate",
        "x" * 1_000_000,
        "法" * 100_000,
        "a-" * 100_000,
        "\u0301" * 99,
    ],
    ids=["empty", "null", "surrogate", "one word", "han", "joints", "marks"],
)
def test_texts_of_any_shape(run: Run, text: str) -> None:
    records = [record("odd", f"{text} needle"), record("a", text), record("b", "other")]
    assert search(run, records, "needle") == ["odd"]
