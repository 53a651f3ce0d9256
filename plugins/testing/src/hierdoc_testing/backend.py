"""What the tests of vector and keyword backends share, and what both promise of a search."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import pytest

from hierdoc import Filter, Match
from hierdoc.filters import Equals
from hierdoc.plugin import Capability, Record
from hierdoc_testing.base import Conformance, contract, require
from hierdoc_testing.corpus import make_record
from hierdoc_testing.stores import OpenBackend, Stores


class BackendTests(Conformance):
    """What the tests of both kinds of backends share; derive from `VectorBackendTests` or `KeywordBackendTests`."""

    @pytest.fixture
    def open_backend(self) -> OpenBackend:
        """Supply this one: a function from a collection's name to a new backend, not yet prepared.

        Two backends of one name share what they hold if the backend persists; those of different names share nothing.
        """
        raise NotImplementedError("supply the fixture `open_backend`; see docs/plugins/testing.md")

    @pytest.fixture
    def stores(self, open_backend: OpenBackend) -> Stores:
        """Opens the backend under test, and closes it."""
        return Stores(open_backend, self.kind)

    def record(self, id: str, text: str = "word", **fields: Any) -> Record:
        """A record as core gives it to this kind of backend."""
        return make_record(id, text, **fields)

    def as_given(self, records: Sequence[Record]) -> list[Record]:
        """Records as core gives them to this kind of backend."""
        return list(records)

    async def found(self, backend: Any, filter: Filter | None = None, limit: int = 1000) -> Any:
        """The matches of a search that every record of the kit answers to."""
        raise NotImplementedError

    async def ids(self, backend: Any, filter: Filter | None = None, limit: int = 1000) -> list[str]:
        """Their ids."""
        return [match.chunk_id for match in await self.found(backend, filter, limit)]

    @contract
    async def test_what_does_io_is_async(self, stores: Stores) -> None:
        """The methods are coroutine functions, `capabilities` is a frozenset of `Capability`.

        When it fails: compare the signatures with the protocol's; `capabilities` must be ready before `prepare`.
        """
        backend = stores.unprepared()
        names = ["prepare", "upsert", "delete_documents", "documents", "count", "search", "aclose"]
        for name in names:
            assert inspect.iscoroutinefunction(getattr(backend, name)), name
        assert isinstance(backend.capabilities, frozenset)
        assert all(isinstance(one, Capability) for one in backend.capabilities)
        assert backend.capabilities == stores.unprepared().capabilities

    @contract
    async def test_an_empty_store_holds_nothing(self, stores: Stores) -> None:
        """A new collection has no records, no documents and no matches.

        When it fails: `prepare` must make an empty store, of this collection alone, and nothing may raise on an empty one.
        """
        backend = await stores.open()
        assert await backend.count() == 0
        assert dict(await backend.documents()) == {}
        assert await self.ids(backend) == []
        assert await self.ids(backend, limit=0) == []
        await backend.delete_documents(["docs/a.md"])
        await backend.upsert([])
        assert await backend.count() == 0

    @contract
    async def test_matches_are_ordered_and_plain(self, stores: Stores) -> None:
        """Matches have the given ids, finite float scores that fall, and come once each; equal scores are ordered by id.

        When it fails: higher is better, so turn distances around; sort by (-score, id) after scores are final; give Python
        floats, not numpy's.
        """
        backend = await stores.open()
        await backend.upsert([self.record(f"{number * 7 % 40:02d}") for number in range(40)])
        matches = await self.found(backend)
        assert [match.chunk_id for match in matches] == [f"{number:02d}" for number in range(40)]
        check_matches(matches)

    @contract
    async def test_ties_are_broken_by_id_where_the_limit_cuts_them(self, stores: Stores) -> None:
        """Of equal matches the first by id are returned, also where the limit leaves some out and the filter too.

        When it fails: the store cuts before ties are ordered; ask it for more than the limit as long as the last score is the same.
        """
        backend = await stores.open()
        for number in (7, 3, 9, 1, 8, 0, 5, 2, 6, 4):  # in batches, as an index has segments
            batch = [self.record(f"{number}{letter}", kind="table") for letter in "cBa"]
            await backend.upsert(batch)
        assert await self.ids(backend, limit=4) == ["0B", "0a", "0c", "1B"]
        if Capability.FILTER_EQUALS in backend.capabilities:
            found = await self.ids(backend, Equals("kind", "table"), limit=7)
            assert found == ["0B", "0a", "0c", "1B", "1a", "1c", "2B"]

    @contract
    async def test_the_limit_holds(self, stores: Stores) -> None:
        """Never more than `limit` matches, and fewer only where fewer match, also for large limits.

        When it fails: look for the store's own largest page or candidate number, and ask in several pages where it is reached.
        """
        backend = await stores.open()
        await backend.upsert([self.record(f"{number:04d}") for number in range(1100)])
        for limit in (0, 1, 10, 1099, 1100, 1101, 10_000):
            assert len(await self.ids(backend, limit=limit)) == min(limit, 1100)

    @contract
    async def test_a_filter_that_selects_one_percent_fills_the_limit(self, stores: Stores) -> None:
        """The filter comes before the limit, also where what it selects has the lowest scores of all.

        When it fails: give the filter to the store instead of filtering what it returns, and make approximate indexes go on
        until the limit is reached.
        """
        backend = await stores.open()
        require(Capability.FILTER_EQUALS in backend.capabilities, "does not claim FILTER_EQUALS")
        records = [
            self.weak(f"{number:04d}", kind="table") if number % 100 == 99 else self.record(f"{number:04d}")
            for number in range(2000)
        ]  # fmt: skip
        await backend.upsert(records)
        expected = [f"{number:04d}" for number in range(99, 2000, 100)]
        for limit in (5, 20, 50):
            assert await self.ids(backend, Equals("kind", "table"), limit) == expected[:limit]

    def weak(self, id: str, **fields: Any) -> Record:
        """A record that `found` ranks below all others."""
        raise NotImplementedError

    async def _refuses(
        self, backend: Any, capability: Capability, method: str, *given: Any
    ) -> None:
        """An unclaimed method is not there, or raises `CapabilityError`."""
        from hierdoc import CapabilityError

        require(capability not in backend.capabilities, f"claims {capability.name}")
        if hasattr(backend, method):
            with pytest.raises(CapabilityError):
                await getattr(backend, method)(*given)


def check_matches(matches: Sequence[Match]) -> None:
    """Each once, plain values, best first, ties by id."""
    for match in matches:
        assert isinstance(match, Match)
        assert type(match.chunk_id) is str
        assert isinstance(match.score, float)
        assert match.score - match.score == 0, "a score is not finite"
    ids = [match.chunk_id for match in matches]
    assert len(set(ids)) == len(ids)
    pairs = [(-match.score, match.chunk_id) for match in matches]
    assert pairs == sorted(pairs)
