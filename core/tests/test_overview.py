"""What is known of the documents as a whole follows the store, and costs calls little."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import pytest

from hierdoc import overview
from hierdoc.errors import StoreError
from hierdoc.filters import Filter
from hierdoc.overview import OverviewKeeper
from hierdoc.plugin.capabilities import ALL_FILTERS, Capability
from hierdoc.plugin.records import UNFINISHED, DocumentState, DocumentVersion, Record

WHOLE = DocumentState(DocumentVersion("hash", "fingerprint", 2), 2)
PART = DocumentState(DocumentVersion("hash", "fingerprint", 2), 1)


class Store:
    """A store of which only the documents are asked, and which others may hold up or break."""

    def __init__(self, *more: Capability) -> None:
        self.capabilities = ALL_FILTERS | {*more}
        self.held: Mapping[str, DocumentState] = {"quay.md": WHOLE}
        self.asked = 0
        self.open = asyncio.Event()
        self.open.set()
        self.error: StoreError | None = None

    async def documents(self) -> Mapping[str, DocumentState]:
        self.asked += 1
        held = dict(self.held)
        await self.open.wait()
        if self.error:
            raise self.error
        return held

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        return []


def run(work: Callable[[Store, Any], Awaitable[None]], *more: Capability) -> None:
    async def use() -> None:
        store = Store(*more)
        keeper = OverviewKeeper(store)  # type: ignore[arg-type]  # what it asks is there
        await work(store, keeper)
        await keeper.aclose()

    asyncio.run(asyncio.wait_for(use(), 30))


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call is time to look again."""
    monkeypatch.setattr(overview, "_SHARE", 0)


def test_a_call_sees_what_others_wrote_before() -> None:
    async def work(store: Store, keeper: OverviewKeeper) -> None:
        before = await keeper.current()
        assert await keeper.current() is before
        store.held = {**store.held, "pier.md": WHOLE, UNFINISHED: WHOLE}
        now = await keeper.current()
        assert now.names.shares("the pier")
        assert not before.names.shares("the pier")
        assert now.held == store.held
        store.held = {"pier.md": WHOLE}
        assert (await keeper.current()).held == store.held

    run(work, Capability.MULTI_PROCESS)


def test_looking_takes_no_more_than_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "_SHARE", 1e9)

    async def work(store: Store, keeper: OverviewKeeper) -> None:
        await keeper.current()
        monkeypatch.setattr(overview, "_SOON", 1e9)
        await keeper.current()
        for _ in range(10):
            await keeper.current()
        assert store.asked <= 2

    run(work, Capability.MULTI_PROCESS)


def test_a_store_of_this_process_alone_is_asked_once_and_after_writes() -> None:
    async def work(store: Store, keeper: OverviewKeeper) -> None:
        for _ in range(3):
            await keeper.current()
        assert store.asked == 1
        store.held = {"pier.md": WHOLE}
        keeper.forget()
        assert (await keeper.current()).held == store.held
        assert store.asked == 2

    run(work)


def test_a_slow_store_holds_nobody_up_who_can_be_answered() -> None:
    async def work(store: Store, keeper: OverviewKeeper) -> None:
        before = await keeper.current()
        store.held = {"pier.md": WHOLE}
        store.open.clear()
        assert await keeper.current() is before
        assert await keeper.current() is before
        assert store.asked == 2
        store.open.set()
        while await keeper.current() is before:  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0)
        assert (await keeper.current()).held == store.held

    run(work, Capability.MULTI_PROCESS)


def test_what_was_seen_before_a_write_of_this_process_is_not_taken_for_what_came_after() -> None:
    async def work(store: Store, keeper: OverviewKeeper) -> None:
        store.open.clear()
        waiting = asyncio.create_task(keeper.current())
        while not store.asked:  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0)
        store.held = {"pier.md": WHOLE}
        keeper.forget()
        store.open.set()
        assert (await waiting).held == {"pier.md": WHOLE}
        assert (await keeper.current()).held == {"pier.md": WHOLE}

    run(work)


def test_a_store_that_fails_leaves_what_was_known() -> None:
    async def work(store: Store, keeper: OverviewKeeper) -> None:
        before = await keeper.current()
        store.error = StoreError("the store is gone")
        assert await keeper.current() is before
        keeper.forget()
        with pytest.raises(StoreError, match="the store is gone"):
            await keeper.current()
        store.error = None
        assert (await keeper.current()).held == before.held

    run(work, Capability.MULTI_PROCESS)


def test_the_completion_of_a_document_is_waited_for() -> None:
    async def work(store: Store, keeper: OverviewKeeper) -> None:
        store.held = {"quay.md": WHOLE, "pier.md": PART}
        assert await keeper.incomplete() == {"pier.md"}
        store.held = {"quay.md": WHOLE, "pier.md": WHOLE}
        assert await keeper.incomplete() == frozenset()

    run(work, Capability.MULTI_PROCESS)


def test_a_store_that_replaces_documents_as_a_whole_is_not_asked_for_incomplete_ones() -> None:
    async def work(store: Store, keeper: OverviewKeeper) -> None:
        store.held = {"pier.md": PART}
        assert await keeper.incomplete() == frozenset()
        assert not store.asked

    run(work, Capability.MULTI_PROCESS, Capability.ATOMIC_REPLACE)
