"""The base of keyword backends whose author writes one method: what the kit, which rank-bm25 runs on it, does not see."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from hierdoc import Chunk
from hierdoc.filters import Equals
from hierdoc.plugin import (
    DocumentState,
    DocumentVersion,
    IndexSpec,
    Record,
    Scorer,
    ScoringKeywordBackend,
)

VERSION = DocumentVersion("hash", "pipeline", 2)


class Counting(ScoringKeywordBackend):
    """Scores by how often a text has the terms of the query; remembers what it was built of."""

    def __init__(self) -> None:
        super().__init__("none")
        self.built: list[list[list[str]]] = []

    def scorer(self, corpus: Sequence[Sequence[str]]) -> Scorer:
        self.built.append([sorted(one) for one in corpus])
        return lambda terms: [sum(map(one.count, terms)) for one in corpus]


def record(id: str, text: str, **fields: Any) -> Record:
    source = fields.pop("source", "_.md")  # a name without words
    return Record(Chunk(source, text, 0, len(text), 1, 1, id=id, **fields), VERSION)


def run(scenario: Any) -> Any:
    async def prepared() -> Any:
        backend = Counting()
        await backend.prepare(IndexSpec("embedder", 3))
        return await scenario(backend)

    return asyncio.run(prepared())


async def found(backend: Counting, query: str, *more: Any) -> list[tuple[str, float]]:
    return [(one.chunk_id, one.score) for one in await backend.search(query, 10, *more)]


def test_an_author_writes_one_method() -> None:
    async def scenario(backend: Counting) -> None:
        await backend.upsert([record("a", "fee"), record("b", "fee fee"), record("c", "gas")])
        assert await found(backend, "fee") == [("b", 2.0), ("a", 1.0)]
        assert await found(backend, "fee", Equals("source", "other.md")) == []

    run(scenario)


def test_terms_count_as_their_fields_weigh() -> None:
    async def scenario(backend: Counting) -> None:
        await backend.upsert([record("a", "fee", context="gas", source="act.md")])
        await backend.search("fee", 1)
        assert backend.built == [[["act", "fee", "gas", "gas"]]]

    run(scenario)


def test_it_is_built_once_after_any_number_of_changes() -> None:
    async def scenario(backend: Counting) -> None:
        for text in ("fee", "gas", "base fee"):
            await backend.upsert([record("a", text)])
        for _ in range(3):
            await backend.search("fee", 1)
        assert backend.built == [[["base", "fee"]]]
        await backend.delete_documents(["_.md"])
        assert await found(backend, "fee") == []
        assert len(backend.built) == 1

    run(scenario)


def test_no_library_is_asked_to_index_nothing() -> None:
    async def scenario(backend: Counting) -> None:
        assert await found(backend, "fee") == []
        await backend.upsert([record("a", "…")])
        assert await found(backend, "fee") == []
        assert backend.built == []

    run(scenario)


def test_the_books_are_kept() -> None:
    async def scenario(backend: Counting) -> None:
        await backend.upsert([record("a", "fee"), record("b", "gas")])
        assert await backend.documents() == {"_.md": DocumentState(VERSION, 2)}
        await backend.upsert([record("b", "gas", source="moved.md")])
        assert await backend.documents() == {
            "_.md": DocumentState(VERSION, 1),
            "moved.md": DocumentState(VERSION, 1),
        }
        assert await backend.count() == 2
        await backend.prepare(IndexSpec("embedder", 3), reset=True)
        assert (await backend.count(), await backend.documents()) == (0, {})
        assert await found(backend, "fee") == []

    run(scenario)
