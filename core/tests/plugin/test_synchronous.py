"""The base of vector backends over synchronous libraries: what the kit, which faiss runs on it, does not see."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hierdoc import Chunk, Filter, Match, QueryError, StoreError
from hierdoc.filters import Equals
from hierdoc.plugin import (
    ALL_FILTERS,
    DocumentState,
    DocumentVersion,
    IndexSpec,
    Record,
    SyncVectorBackend,
    document_states,
    matches,
)

VERSION = DocumentVersion("hash", "pipeline", 1)


class Toy(SyncVectorBackend):
    """A dictionary; notes which threads call it."""

    capabilities = ALL_FILTERS

    def __init__(self) -> None:
        super().__init__("toy")
        self.held: dict[str, tuple[Record, NDArray[np.float32]]] = {}
        self.threads: set[str] = set()
        self.closed = 0

    def do_prepare(self, spec: IndexSpec, reset: bool) -> None:
        self.threads.add(threading.current_thread().name)
        if spec.dimensions == 0:
            raise KeyError("no dimensions")

    def do_upsert(self, records: Sequence[Record], vectors: NDArray[np.float32]) -> None:
        self.threads.add(threading.current_thread().name)
        assert len({record.id for record in records}) == len(records) > 0
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
        self.held |= {one.id: (one, vector) for one, vector in zip(records, vectors, strict=True)}

    def do_delete(self, sources: Sequence[str]) -> None:
        assert len(set(sources)) == len(sources) > 0
        self.held = {
            name: one for name, one in self.held.items() if one[0].chunk.source not in sources
        }

    def do_search(
        self, query: NDArray[np.float32], limit: int, filter: Filter | None
    ) -> Iterable[Match]:
        self.threads.add(threading.current_thread().name)
        return [
            Match(name, 1.00001 * float(vector @ query)) for name, (_, vector) in self.held.items()
        ]

    def do_get(self, ids: Sequence[str], vectors: bool) -> Iterable[Record]:
        assert len(set(ids)) == len(ids)
        return [self.held[one][0] for one in reversed(ids) if one in self.held]

    def do_find(self, filter: Filter, limit: int) -> Sequence[Record]:
        selected = [one for one, _ in self.held.values() if matches(filter, one.fields())]
        return selected[:limit]

    def do_page(self, after: int | None, vectors: bool) -> tuple[Sequence[Record], int | None]:
        start = after or 0
        page = [record for record, _ in self.held.values()][start : start + 2]
        return page, start + 2 if start + 2 < len(self.held) else None

    def do_documents(self) -> Mapping[str, DocumentState]:
        return document_states((one.chunk.source, one.version, 1) for one, _ in self.held.values())

    def do_close(self) -> None:
        self.closed += 1

    def reported(self) -> AbstractContextManager[None]:
        return _reported()


@contextmanager
def _reported() -> Iterator[None]:
    try:
        yield
    except KeyError as error:
        raise StoreError(f"toy: {error}") from error


def record(id: str, *vector: float, source: str = "a.md") -> Record:
    chunk = Chunk(source, "text", 0, 4, 1, 1, id=id)
    return Record(chunk, VERSION, np.array(vector or (1, 0), np.float32))


def run(scenario: Any, *, prepared: bool = True) -> Toy:
    async def whole() -> Toy:
        backend = Toy()
        try:
            if prepared:
                await backend.prepare(IndexSpec("embedder", 2))
            await scenario(backend)
        finally:
            await backend.aclose()
            await backend.aclose()
        return backend

    return asyncio.run(whole())


def test_all_work_is_done_in_one_thread_of_its_own() -> None:
    async def scenario(backend: Toy) -> None:
        await backend.upsert([record("a")])
        await asyncio.gather(*(backend.search(np.ones(2, np.float32), 1) for _ in range(5)))

    backend = run(scenario)
    assert len(backend.threads) == 1
    assert next(iter(backend.threads)).startswith("hierdoc-toy")
    assert backend.closed == 1


def test_matches_are_ordered_cut_and_kept_to_the_cosine() -> None:
    async def scenario(backend: Toy) -> None:
        await backend.upsert([record("b", 2, 0), record("a", 3, 0), record("c", 0, 1)])
        found = await backend.search(np.array([5, 0], np.float32), 2)
        assert found == [Match("a", 1.0), Match("b", 1.0)]
        assert await backend.search(np.array([5, 0], np.float32), 0) == []
        with pytest.raises(QueryError):
            await backend.search(np.ones(3, np.float32), 2)

    run(scenario)


def test_records_come_in_the_order_asked_for_and_as_often() -> None:
    async def scenario(backend: Toy) -> None:
        await backend.upsert([record("a"), record("b"), record("a", 0, 1)])
        found = await backend.get(["b", "no", "a", "b"])
        assert [one.id for one in found] == ["b", "a", "b"]

    run(scenario)


def test_pages_are_asked_for_until_there_are_no_more() -> None:
    async def scenario(backend: Toy) -> None:
        assert [page async for page in backend.scan()] == []
        await backend.upsert([record(f"{n}") for n in range(5)])
        pages = [[one.id for one in page] async for page in backend.scan()]
        assert pages == [["0", "1"], ["2", "3"], ["4"]]

    run(scenario)


def test_the_count_is_that_of_all_documents() -> None:
    async def scenario(backend: Toy) -> None:
        await backend.upsert([record("a"), record("b", source="b.md")])
        assert await backend.count() == 2
        await backend.delete_documents(["b.md", "b.md", "no.md"])
        await backend.delete_documents([])
        assert await backend.documents() == {"a.md": DocumentState(VERSION, 1)}
        assert len(await backend.find(Equals("source", "a.md"), 5)) == 1
        assert await backend.find(Equals("source", "a.md"), 0) == []

    run(scenario)


def test_a_wrong_vector_is_an_error_before_anything_is_written() -> None:
    async def scenario(backend: Toy) -> None:
        with pytest.raises(StoreError, match="needs a vector"):
            await backend.upsert([record("a"), record("b", 1, 2, 3)])
        await backend.upsert([])
        assert await backend.count() == 0

    run(scenario)


def test_nothing_works_before_prepare_or_after_a_failed_one() -> None:
    async def scenario(backend: Toy) -> None:
        for prepare_first in (False, True):
            if prepare_first:
                with pytest.raises(StoreError, match="no dimensions"):
                    await backend.prepare(IndexSpec("embedder", 0))
            for call in (backend.count(), backend.upsert([]), backend.get([]), backend.documents()):
                with pytest.raises(StoreError, match="not open"):
                    await call

    run(scenario, prepared=False)
