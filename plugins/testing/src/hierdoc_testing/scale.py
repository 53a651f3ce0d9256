"""Ten thousand records: nothing is cut off by a store's page or batch, and the event loop goes on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np

from hierdoc.filters import Equals, Not
from hierdoc.plugin import Capability, Record
from hierdoc_testing.backend import BackendTests
from hierdoc_testing.base import assert_same, contract
from hierdoc_testing.corpus import directions, make_record, unique_word
from hierdoc_testing.patience import LONG_QUIET
from hierdoc_testing.stores import Stores
from hierdoc_testing.watch import assert_never_blocks

_BIG = 1500
"""Records of the largest document: more than a store's usual page."""

_SMALL_DOCUMENTS = 1100
"""Further documents, of eight records each: more than a store's usual number of buckets."""

_READING = ("search", "documents", "count", "find", "hybrid_search")
"""What may bear the cost of a write before it."""

LARGEST_PAGE = 10_000
"""Records that a page of `scan` may have."""


def make_many_records() -> list[Record]:
    """10,300 records of 1,101 documents, in all directions."""
    vectors = directions(_BIG + 8 * _SMALL_DOCUMENTS)
    records = []
    for number, vector in enumerate(vectors):
        rest = number - _BIG
        source = "big.md" if rest < 0 else f"docs/{rest // 8:04d}.md"
        records.append(
            make_record(
                f"{number:05d}",
                f"word {unique_word(number)}",
                source=source,
                vector=vector,
                ordinal=number if rest < 0 else rest % 8,
                kind="table" if number % 100 == 0 else "content",
            )
        )
    return records


class ScaleTests(BackendTests):
    """A vector backend with 10,300 records."""

    @contract(quiet=LONG_QUIET)
    async def test_ten_thousand_records_in_one_batch(self, stores: Stores) -> None:
        """10,300 records written in one call are all held, counted, listed, found, and deleted with their documents.

        When it fails: split batches to the store's limits, and page through whatever it answers in pages of 10, 100, 1,000 or 10,000.
        """
        backend = await stores.open()
        records = make_many_records()
        await backend.upsert(records)
        assert await backend.count() == len(records)
        states = await backend.documents()
        assert len(states) == 1 + _SMALL_DOCUMENTS
        assert states["big.md"].records == _BIG
        assert {state.records for source, state in states.items() if source != "big.md"} == {8}
        await self._check_look_ups(backend, records)
        await self._check_searches(backend, records)
        await backend.delete_documents(["big.md", *(f"docs/{n:04d}.md" for n in range(0, 1100, 2))])
        assert await backend.count() == 8 * _SMALL_DOCUMENTS // 2
        assert len(await backend.documents()) == _SMALL_DOCUMENTS // 2

    async def _check_look_ups(self, backend: Any, records: list[Record]) -> None:
        ids = [one.id for one in records]
        assert_same([one.id for one in await backend.get(ids)], ids)
        if Capability.FILTER_EQUALS in backend.capabilities:
            found = await backend.find(Equals("source", "big.md"), 1_000_000)
            assert_same([one.id for one in found], ids[:_BIG])

    async def _check_searches(self, backend: Any, records: list[Record]) -> None:
        asked = records[5 :: len(records) // 40][:40]
        hits = 0
        for one in asked:
            assert one.vector is not None
            matches = await backend.search(one.vector, 10)
            assert len(matches) == 10
            hits += matches[0].chunk_id == one.id
        assert hits >= 0.9 * len(asked), f"{hits} of {len(asked)} records found by their own vector"
        query = asked[0].vector
        assert len(await backend.search(query, 1200)) == 1200
        if Capability.FILTER_EQUALS in backend.capabilities:
            selected = [one for one in records if one.chunk.kind == "table"]
            matches = await backend.search(query, 50, Equals("kind", "table"))
            assert len(matches) == 50
            assert {match.chunk_id for match in matches} <= {one.id for one in selected}
            assert len(await backend.search(query, 500, Equals("kind", "table"))) == len(selected)

    @contract(quiet=LONG_QUIET)
    async def test_scan_gives_every_record_once_in_pages(self, stores: Stores) -> None:
        """`scan` gives each of 10,300 records once, with and without vectors, in pages of at most 10,000.

        When it fails: go on until the store has no more, not until a page is short; page by a key that is unique.
        """
        backend = await stores.open()
        records = make_many_records()
        await backend.upsert(records)
        for vectors in (False, True):
            pages = [page async for page in backend.scan(vectors=vectors)]
            assert max(map(len, pages)) <= LARGEST_PAGE
            scanned = {one.id: one for page in pages for one in page}
            assert sum(map(len, pages)) == len(scanned) == len(records)
            for one in records[::97]:
                assert scanned[one.id].chunk == one.chunk
                if vectors:
                    held, given = scanned[one.id].vector, one.vector
                    assert held is not None
                    assert given is not None
                    assert np.allclose(held, given, atol=2e-3)

    @contract(quiet=LONG_QUIET)
    async def test_the_event_loop_is_never_blocked(self, stores: Stores) -> None:
        """No call keeps the event loop for more than 50 ms, with 10,300 records in the store; neither does the first one after a write.

        When it fails: the message names the call; give calculation and synchronous clients to a thread (`asyncio.to_thread`), and
        yield between portions of work that must stay on the loop. What a write puts off, the next call does in a thread too.
        """
        backend = await stores.open()
        records = make_many_records()
        query = directions(1, seed=1)[0]

        async def scan() -> None:
            async for _ in backend.scan(vectors=True):
                pass

        work: dict[str, Callable[[], Awaitable[Any]]] = {
            "upsert": lambda: backend.upsert(records),
            "search": lambda: backend.search(query, 1000),
            "get": lambda: backend.get([one.id for one in records[:5000]], vectors=True),
            "scan": scan,
            "documents": backend.documents,
            "count": backend.count,
        }
        if Capability.FILTER_EQUALS in backend.capabilities:
            work["filtered search"] = lambda: backend.search(query, 1000, Equals("kind", "content"))
            work["find"] = lambda: backend.find(Equals("kind", "content"), 5000)
        if {Capability.FILTER_EQUALS, Capability.FILTER_NOT} <= backend.capabilities:
            work["negated search"] = lambda: backend.search(query, 9, Not(Equals("kind", "table")))
        if Capability.NATIVE_HYBRID in backend.capabilities:
            weights = {"semantic": 0.5, "keyword": 0.5}
            work["hybrid_search"] = lambda: backend.hybrid_search("word", query, 1000, weights)
        if Capability.ATOMIC_REPLACE in backend.capabilities:
            work["replace_documents"] = lambda: backend.replace_documents(records[:3000])
        work["delete_documents"] = lambda: backend.delete_documents(["big.md"])
        work["prepare"] = lambda: backend.prepare(stores.spec, reset=True)
        for name, call in work.items():
            if name in _READING:
                after = f"{name}, the first after a write"
                await assert_never_blocks(after, call, lambda: backend.upsert(records[:1]))
            await assert_never_blocks(name, call)
