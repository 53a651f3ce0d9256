"""What vector backends promise of the records that they hold: they come back whole, all of them, in order."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from hierdoc.filters import Equals
from hierdoc.plugin import Capability, Record, SupportsFindEach
from hierdoc_testing.base import assert_same, contract, require
from hierdoc_testing.corpus import (
    DIMENSIONS,
    direction,
    directions,
    make_document_records,
    make_record,
    make_text,
    make_whole_record,
)
from hierdoc_testing.lifecycle import LifecycleTests
from hierdoc_testing.stores import Stores
from hierdoc_testing.writing import ALIEN_NAMES, ODD_NAMES


class RecordTests(LifecycleTests):
    """Looking up and scanning records."""

    async def everything(self, backend: Any, *, vectors: bool = False) -> list[Record]:
        """All that `scan` gives."""
        return [record async for page in backend.scan(vectors=vectors) for record in page]

    @contract
    async def test_reading_methods_are_async(self, stores: Stores) -> None:
        """`get` and `find` are coroutine functions; `scan` gives an asynchronous iterator without being awaited.

        When it fails: write `scan` as `async def` with `yield`.
        """
        backend = await stores.open()
        assert inspect.iscoroutinefunction(backend.get)
        assert inspect.iscoroutinefunction(backend.find)
        assert hasattr(backend.scan(), "__aiter__")

    @contract
    async def test_records_come_back_whole(self, stores: Stores) -> None:
        """`get`, `find` and `scan` give records with every field as it was: line ends, lists with their order and repetitions, None as None.

        When it fails: store `Record.to_json()` in one piece and read it with `Record.from_json`; what filters ask for stands beside it.
        """
        backend = await stores.open()
        whole, bare = make_whole_record(), make_record("bare", "")
        await backend.upsert([whole, bare])
        found = {
            "get": await backend.get([whole.id, "bare"]),
            "scan": sorted(await self.everything(backend), key=lambda one: one.id, reverse=True),
        }
        if Capability.FILTER_EQUALS in backend.capabilities:
            by_source = [Equals("source", one.chunk.source) for one in (whole, bare)]
            found["find"] = [one for each in by_source for one in await backend.find(each, 5)]
        for method, records in found.items():
            for one, expected in zip(records, (whole, bare), strict=True):
                assert one.chunk == expected.chunk, method
                assert one.version == expected.version, method
                assert type(one.chunk.parent_chain) is tuple, method

    @contract
    async def test_texts_of_any_shape_come_back(self, stores: Stores) -> None:
        """Empty texts, white space, a megabyte, NUL characters and lone surrogates are stored as they are.

        When it fails: look for trimmed, cut or re-encoded text; a store that takes only valid text gets it escaped or as bytes.
        """
        backend = await stores.open()
        texts = ["", " \n\t ", make_text(150_000), "法" * 300_000, *ODD_NAMES[:24], *ALIEN_NAMES]
        records = [make_record(f"{n:02d}", text, ordinal=n) for n, text in enumerate(texts)]
        await backend.upsert(records)
        held = await backend.get([one.id for one in records])
        assert [one.chunk.text == text for one, text in zip(held, texts, strict=True)] == (
            [True] * len(texts)
        )

    @contract
    async def test_vectors_come_back_if_asked(self, stores: Stores) -> None:
        """`get` and `scan` give vectors with `vectors=True`, float32 of the right length and value; core keeps them.

        When it fails: store vectors so that they can be read again, with at least half precision, and give each record its own.
        """
        backend = await stores.open()
        vectors = directions(50)
        records = [make_record(f"{n:02d}", vector=v, ordinal=n) for n, v in enumerate(vectors)]
        await backend.upsert(records)
        got = await backend.get([one.id for one in records], vectors=True)
        scanned = sorted(await self.everything(backend, vectors=True), key=lambda one: one.id)
        for held in (got, scanned):
            for one, vector in zip(held, vectors, strict=True):
                assert one.vector.dtype == np.float32
                assert one.vector.shape == (DIMENSIONS,)
                assert np.allclose(one.vector, vector, atol=2e-3)

    @contract
    async def test_get_keeps_the_order_and_leaves_unknown_ids_out(self, stores: Stores) -> None:
        """`get` gives records in the order of the ids, all of them however many, twice what is asked for twice, and nothing for unknown ones.

        When it fails: put what the store answers in order yourself, and ask in portions that it takes.
        """
        backend = await stores.open()
        names = [f"{number * 7 % 1500:04d}" for number in range(1500)]
        await backend.upsert([make_record(name) for name in names])
        assert [one.id for one in await backend.get([])] == []
        some = ["0003", "unknown", "0001", "0002"]
        assert [one.id for one in await backend.get(some)] == ["0003", "0001", "0002"]
        assert [one.id for one in await backend.get(["0002", "0001", "0002"])] == [
            "0002",
            "0001",
            "0002",
        ]
        asked = [one for name in names for one in (name, f"un{name}")]
        assert_same([one.id for one in await backend.get(asked)], names)

    @contract
    async def test_several_look_ups_give_what_each_gives(self, stores: Stores) -> None:
        """`find_each`, where a backend has it, answers as `find` does for each request: same records, order and limit, none left out.

        When it fails: keep the answers of different requests apart; one record may belong to several.
        """
        backend = await stores.open()
        require(isinstance(backend, SupportsFindEach), "has no find_each")
        require(Capability.FILTER_EQUALS in backend.capabilities, "does not claim FILTER_EQUALS")
        names = [f"docs/{letter}.md" for letter in "cab"]
        for name in names:
            await backend.upsert(make_document_records(name, 7))
        requests = [
            (Equals("source", names[0]), 3),
            (Equals("source", "docs/none.md"), 5),
            (Equals("source", names[1]), 100),
            (Equals("source", names[0]), 100),
            (Equals("source", names[2]), 0),
            *((Equals("source", names[number % 3]), number) for number in range(150)),
        ]
        found = await backend.find_each(requests)
        each = [await backend.find(*request) for request in requests]
        assert_same(
            [[record.id for record in records] for records in found],
            [[record.id for record in records] for records in each],
        )
        assert list(await backend.find_each([])) == []

    @contract
    async def test_find_orders_by_source_and_position(self, stores: Stores) -> None:
        """`find` gives the first `limit` records by source, compared by code point, then by `ordinal` as a number, however large.

        When it fails: order before the limit; a database's collation is not code points, and "10000" as text comes before "9999".
        """
        backend = await stores.open()
        require(Capability.FILTER_EQUALS in backend.capabilities, "does not claim FILTER_EQUALS")
        sources = ("b.md", "a.md", "B.md", "ä.md", "a/b.md", "a b.md")
        places = [(source, n * 7 % 120 * 1009) for n in range(120) for source in sources]
        await backend.upsert(
            [make_record(f"{n}", source=s, ordinal=o) for n, (s, o) in enumerate(places)]
        )
        every = Equals("kind", "content")
        found = [(one.chunk.source, one.chunk.ordinal) for one in await backend.find(every, 5000)]
        assert found == sorted(places)
        for limit in (0, 1, 130):
            held = await backend.find(every, limit)
            assert [(one.chunk.source, one.chunk.ordinal) for one in held] == sorted(places)[:limit]
        one_source = await backend.find(Equals("source", "a.md"), 1_000_000)
        assert [one.chunk.ordinal for one in one_source] == list(range(0, 120 * 1009, 1009))

    @contract
    async def test_scan_goes_on_while_others_write(self, stores: Stores) -> None:
        """Records that are not touched during a scan are given once, whatever is written or deleted beside them.

        When it fails: page by a key (records after this one), not by an offset, which moves.
        """
        backend = await stores.open()
        records = [one for n in range(8) for one in make_document_records(f"{n}.md", 600)]
        await backend.upsert(records)
        seen: list[str] = []
        async for page in backend.scan():
            if not seen:
                await backend.delete_documents(["2.md", "5.md"])
                await backend.upsert(make_document_records("0.md", 50, "2"))
            seen += [one.id for one in page]
        assert len(seen) == len(set(seen))
        untouched = {one.id for one in records if one.chunk.source not in ("2.md", "5.md")}
        assert untouched <= set(seen)

    @contract
    async def test_scan_may_end_with_a_full_page(self, stores: Stores) -> None:
        """`scan` gives every record once also where the last page is as full as the others: of 1,024 records, of 1,000, of none.

        When it fails: that a page is full says nothing of whether another one follows, and an empty last page is no error.
        """
        backend = await stores.open()
        records = [
            *make_document_records("docs/a.md", 1000),
            *make_document_records("docs/b.md", 24),
        ]
        await backend.upsert(records)
        for held in (records, records[:1000], []):
            scanned = sorted(one.id for one in await self.everything(backend))
            assert_same(scanned, [one.id for one in held])
            if held:
                await backend.delete_documents([held[-1].chunk.source])

    @contract
    async def test_vectors_persist(self, stores: Stores) -> None:
        """With `PERSISTENT`, records with their vectors and versions are the same after reopening.

        When it fails: see what of a record lives only in memory.
        """
        backend = await stores.open()
        require(Capability.PERSISTENT in backend.capabilities, "does not claim PERSISTENT")
        whole = make_whole_record()
        await backend.upsert([whole, make_record("b", vector=direction(0, 1))])
        backend = await stores.reopen(backend)
        (held,) = await backend.get([whole.id], vectors=True)
        assert held.chunk == whole.chunk
        assert held.version == whole.version
        assert held.vector is not None
        assert whole.vector is not None
        assert np.allclose(held.vector, whole.vector, atol=2e-3)
        assert [match.chunk_id for match in await backend.search(direction(0, 1), 1)] == ["b"]
