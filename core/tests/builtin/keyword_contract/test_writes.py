"""Writing: replacing, deleting, counting, reopening, and ids and sources of any shape."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from hierdoc import (
    Capability,
    Chunk,
    DocumentState,
    Equals,
    IndexSpec,
    Record,
    Stamp,
)

STAMP = Stamp("hash", "pipeline", 1)

Scenario = Callable[[Any], Awaitable[Any]]
Run = Callable[[Scenario], Any]


def record(id: str, text: str, stamp: Stamp = STAMP, **fields: Any) -> Record:
    chunk = Chunk(fields.pop("source", "doc.md"), text, 0, len(text), 1, 1, id=id, **fields)
    return Record(chunk, stamp)


def ids(found: Sequence[Any]) -> list[str]:
    return [match.chunk_id for match in found]


def test_upsert_replaces_a_record_whole(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert([record("a", "old words", kind="table"), record("b", "old words")])
        await backend.upsert([record("a", "new text", source="moved.md")])
        assert ids(await backend.search("old", 10)) == ["b"]
        assert ids(await backend.search("new", 10)) == ["a"]
        assert await backend.search("new", 10, Equals("kind", "table")) == []
        assert await backend.count() == 2
        assert set(await backend.documents()) == {"doc.md", "moved.md"}

    run(scenario)


def test_of_one_id_twice_in_a_batch_the_last_counts(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert([record("a", "first"), record("b", "other"), record("a", "second")])
        assert await backend.search("first", 10) == []
        assert ids(await backend.search("second", 10)) == ["a"]
        assert await backend.count() == 2

    run(scenario)


def test_all_records_of_a_document_are_deleted_and_no_others(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert([record(f"a{n}", "word", source="docs/a.md") for n in range(50)])
        await backend.upsert([record("b", "word", source="docs/a.md/b"), record("c", "unlike")])
        await backend.delete_documents(["docs/a.md", "never seen"])
        await backend.delete_documents([])
        assert ids(await backend.search("word", 10)) == ["b"]
        assert set(await backend.documents()) == {"docs/a.md/b", "doc.md"}
        assert await backend.count() == 2

    run(scenario)


def test_what_was_deleted_can_come_back(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        for _ in range(3):
            await backend.upsert(
                [record("a", "word"), record("b", "x", source="b"), record("c", "y")]
            )
            assert ids(await backend.search("word", 10)) == ["a"]
            await backend.delete_documents(["doc.md"])
            assert await backend.search("word", 10) == []
        assert await backend.count() == 1

    run(scenario)


def test_documents_tells_versions_and_numbers(run: Run) -> None:
    old, new = Stamp("h1", "p", 2), Stamp("h2", "p", 2)

    async def scenario(backend: Any) -> None:
        assert await backend.documents() == {}
        await backend.upsert(
            [
                record("a1", "x", old, source="a"),
                record("a2", "x", old, source="a"),
                record("b1", "x", old, source="b"),
                record("c1", "x", old, source="c"),
                record("c2", "x", new, source="c"),
            ]
        )
        found = await backend.documents()
        assert found == {
            "a": DocumentState(old, 2),
            "b": DocumentState(old, 1),
            "c": DocumentState(None, 2),
        }
        await backend.upsert([record("c1", "x", new, source="c")])
        await backend.delete_documents(["b"])
        assert await backend.documents() == {"a": DocumentState(old, 2), "c": DocumentState(new, 2)}

    run(scenario)


def test_reset_drops_everything_and_prepare_alone_nothing(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert([record("a", "word"), record("b", "another"), record("c", "third")])
        await backend.prepare(IndexSpec("embedder", 3))
        assert ids(await backend.search("word", 10)) == ["a"]
        await backend.prepare(IndexSpec("embedder", 3), reset=True)
        assert await backend.count() == 0
        assert await backend.search("word", 10) == []
        await backend.upsert([record("d", "word"), record("e", "another"), record("f", "third")])
        assert ids(await backend.search("word", 10)) == ["d"]

    run(scenario)


def test_what_persists_is_there_after_reopening(run: Run) -> None:
    async def write(backend: Any) -> bool:
        await backend.upsert(
            [record("a", "word", kind="table"), record("b", "x"), record("c", "y")]
        )
        return Capability.PERSISTENT in backend.capabilities

    async def read(backend: Any) -> None:
        assert ids(await backend.search("words", 10, Equals("kind", "table"))) == ["a"]
        assert await backend.documents() == {"doc.md": DocumentState(STAMP, 3)}
        await backend.upsert([record("a", "other")])
        assert await backend.search("word", 10) == []

    if not run(write):
        pytest.skip("claims no persistence")
    run(read)


def test_closing_twice_does_nothing_more(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        await backend.aclose()
        await backend.aclose()

    run(scenario)


def test_searches_and_writes_at_once(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        async def write(batch: int) -> None:
            source = f"{batch}.md"
            await backend.upsert(
                [record(f"{batch}-{n}", f"word {n}", source=source) for n in range(20)]
            )
            if batch % 3 == 0:
                await backend.delete_documents([source])

        async def read() -> None:
            for _ in range(20):
                found = ids(await backend.search("word", 1000))
                assert len(found) == len(set(found))
                await asyncio.wait_for(backend.documents(), 60)

        await asyncio.gather(*(write(batch) for batch in range(12)), read(), read())
        assert await backend.count() == 8 * 20
        assert len(await backend.search("word", 1000)) == 8 * 20

    run(scenario)


ODD = [
    "",
    " ",
    "a b",
    "docs/a.md",
    "docs/a_md",
    "../..//",
    "C:\\docs\\ä.md",
    "Straße",
    "strasse",
    "法律/第一条",
    "😀",
    "e\u0301",
    "\u00e9",
    "x" * 1000,
    "x" * 999 + "y",
    "é" * 4096,
    "null\x00byte",
    "tab\tand\nline",
    "caf\udce9",
    "'\"`;--",
    "{}[]()<>*?+^$|&!~:",
    "kind\x1fcontent",
    "%2F",
]


def test_ids_and_sources_of_any_shape(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert([record(odd, "a word", source=odd) for odd in ODD])
        assert ids(await backend.search("word", 100)) == sorted(ODD)
        assert set(await backend.documents()) == set(ODD)
        for odd in ODD:
            assert ids(await backend.search("word", 100, Equals("source", odd))) == [odd]
        await backend.upsert([record(odd, "a word", source=odd) for odd in ODD])
        assert await backend.count() == len(ODD)
        await backend.delete_documents(ODD[::2])
        assert ids(await backend.search("word", 100)) == sorted(ODD[1::2])

    run(scenario)
