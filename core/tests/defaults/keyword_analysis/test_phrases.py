"""Phrases, of the backends that claim them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from hierdoc import Chunk
from hierdoc.plugin import DocumentVersion, Record, SupportsPhrases

Scenario = Callable[[Any], Awaitable[Any]]
Run = Callable[[Scenario], Any]


def record(id: str, text: str, **fields: Any) -> Record:
    chunk = Chunk(fields.pop("source", "doc.md"), text, 0, len(text), 1, 1, id=id, **fields)
    return Record(chunk, DocumentVersion("hash", "pipeline", 1))


def ids(found: Sequence[Any]) -> list[str]:
    return [match.chunk_id for match in found]


def phrase(run: Run, texts: dict[str, str], words: str, **fields: Any) -> list[str]:
    async def scenario(backend: Any) -> list[str]:
        if not isinstance(backend, SupportsPhrases):
            pytest.skip("claims no phrases")
        await backend.upsert([record(id_, text, **fields) for id_, text in texts.items()])
        return ids(await backend.search_phrase(words, 10))

    found: list[str] = run(scenario)
    return found


def test_a_phrase_is_its_words_in_order_side_by_side(run: Run) -> None:
    texts = {
        "yes": "He owes a duty of care to all.",
        "stemmed": "It names the Duties of Care.",
        "order": "Care is of duty.",
        "apart": "The duty is one of some care.",
        "part": "The duty of the state.",
    }
    assert sorted(phrase(run, texts, "duty of care")) == ["stemmed", "yes"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Section 203(a)(1) applies", ["a"]),
        ("user name", ["b"]),
        ("§ 4.2 of", ["c"]),
        ("法律责", ["d"]),
        ("the", ["a", "b"]),
        ("203(a)(1", []),
        ("", []),
        ("…", []),
        ("name get", []),
    ],
)
def test_phrases_of_identifiers_and_other_scripts(run: Run, words: str, found: list[str]) -> None:
    texts = {
        "a": "The section 203(a)(1) applies.",
        "b": "Call getUserName() in the loop.",
        "c": "See section 4.2 of it.",
        "d": "承担法律责任。",
    }
    assert sorted(phrase(run, texts, words)) == found


def test_more_of_a_phrase_scores_higher_and_ties_go_by_id(run: Run) -> None:
    texts = {
        "c": "base fee x y",
        "a": "base fee x y",
        "b": "base fee base fee",
        "d": "fee base x y",
    }
    assert phrase(run, texts, "base fee") == ["b", "a", "c"]


def test_a_phrase_is_looked_for_in_every_language(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        if not isinstance(backend, SupportsPhrases):
            pytest.skip("claims no phrases")
        await backend.upsert(
            [
                record("de", "Er kündigt die Verträge fristlos.", language="de"),
                record("en", "He terminates the treaties at once.", language="en"),
            ]
        )
        assert ids(await backend.search_phrase("die Verträge", 10)) == ["de"]
        assert ids(await backend.search_phrase("terminates the treaties", 10)) == ["en"]

    run(scenario)
