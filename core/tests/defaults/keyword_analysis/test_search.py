"""Searching: what is found, in which order, and that no query or text upsets it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from hierdoc import Chunk
from hierdoc.plugin import DocumentVersion, Record

Scenario = Callable[[Any], Awaitable[Any]]
Run = Callable[[Scenario], Any]


def record(id: str, text: str, **fields: Any) -> Record:
    chunk = Chunk(fields.pop("source", "doc.md"), text, 0, len(text), 1, 1, id=id, **fields)
    return Record(chunk, DocumentVersion("hash", "pipeline", 1))


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


def test_a_query_of_stop_words_finds_them(run: Run) -> None:
    records = [record("a", "to be or not to be"), record("b", "question"), record("c", "answer")]
    assert search(run, records, "to be or not to be") == ["a"]


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
