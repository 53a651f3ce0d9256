"""What both kinds of backends promise from `prepare` to `aclose`, and of documents replaced as a whole."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from hierdoc.plugin import Capability, DocumentState, IndexSpec, SupportsAtomicReplace
from hierdoc_testing.backend import BackendTests
from hierdoc_testing.base import contract, require
from hierdoc_testing.corpus import SPEC, make_document_records
from hierdoc_testing.stores import OpenBackend, Stores, new_collection
from hierdoc_testing.watch import assert_nothing_is_left


class LifecycleTests(BackendTests):
    """Opening, closing, reopening and replacing, for both kinds of backends."""

    @contract
    async def test_prepare_keeps_and_reset_drops(self, stores: Stores) -> None:
        """`prepare` again keeps everything; with `reset` nothing is left, and the store takes another spec.

        When it fails: drop only if `reset` is true, and then everything: records, counts, documents, whatever is cached.
        """
        backend = await stores.open()
        await backend.upsert([self.record("a"), self.record("b", source="docs/b.md")])
        await self.ids(backend)
        await backend.prepare(SPEC)
        assert await self.ids(backend) == ["a", "b"]
        await backend.prepare(SPEC, reset=True)
        assert await backend.count() == 0
        assert dict(await backend.documents()) == {}
        assert await self.ids(backend) == []
        await backend.upsert([self.record("c")])
        assert await self.ids(backend) == ["c"]
        await backend.prepare(IndexSpec("another@2", SPEC.dimensions), reset=True)
        assert await backend.count() == 0
        await backend.upsert([self.record("d")])
        assert await self.ids(backend) == ["d"]

    @contract
    async def test_collections_share_nothing(self, stores: Stores) -> None:
        """Two collections side by side do not see, count, delete or reset each other's records.

        When it fails: name the collection in every request, and keep no state on the class or module.
        """
        one = await stores.open()
        other = await stores.open(new_collection())
        await one.upsert([self.record("a"), self.record("b", source="docs/b.md")])
        await other.upsert([self.record("b"), self.record("c", source="docs/b.md")])
        assert await self.ids(one) == ["a", "b"]
        assert await self.ids(other) == ["b", "c"]
        await other.delete_documents(["docs/a.md"])
        assert await self.ids(one) == ["a", "b"]
        assert await one.count() == 2
        await other.prepare(SPEC, reset=True)
        assert set(await one.documents()) == {"docs/a.md", "docs/b.md"}
        assert await self.ids(one) == ["a", "b"]

    @contract
    async def test_what_is_persistent_is_there_after_reopening(self, stores: Stores) -> None:
        """With `PERSISTENT`, a closed collection that is opened again holds the same, and can be written to.

        When it fails: flush before `aclose` returns, and keep whatever ids are mapped by in the store, not in the object.
        """
        backend = await stores.open()
        require(Capability.PERSISTENT in backend.capabilities, "does not claim PERSISTENT")
        await backend.upsert(self.as_given(make_document_records("docs/a.md", 30)))
        await backend.upsert([self.record("b", source="docs/b.md"), self.record("c", source="c")])
        await backend.delete_documents(["c"])
        before = await self.found(backend), await backend.documents()
        backend = await stores.reopen(backend)
        assert (await self.found(backend), await backend.documents()) == before
        assert await backend.count() == 31
        await backend.upsert([self.record("b", source="docs/b.md")])
        await backend.delete_documents(["docs/a.md"])
        backend = await stores.reopen(backend)
        assert await self.ids(backend) == ["b"]
        assert await backend.count() == 1

    @contract
    async def test_a_second_reader_sees_what_is_written(self, stores: Stores) -> None:
        """With `MULTI_PROCESS`, a backend that is open beside the writing one sees each of its writes.

        When it fails: read from the store, not from what was loaded once, and keep no lock between writes.
        """
        writer = await stores.open()
        require(Capability.MULTI_PROCESS in writer.capabilities, "does not claim MULTI_PROCESS")
        await writer.upsert([self.record("a")])
        reader = await stores.open()
        assert await self.ids(reader) == ["a"]
        await writer.upsert([self.record("b", source="docs/b.md")])
        assert await self.ids(reader) == ["a", "b"]
        await writer.delete_documents(["docs/a.md"])
        assert await self.ids(reader) == ["b"]
        assert set(await reader.documents()) == {"docs/b.md"}

    @contract
    async def test_closing_again_does_nothing(self, stores: Stores) -> None:
        """`aclose` may be called twice, and on a backend that was never prepared.

        When it fails: remember that it was closed, and close only what was opened.
        """
        backend = await stores.open()
        await backend.upsert([self.record("a")])
        await backend.aclose()
        await backend.aclose()
        await stores.unprepared().aclose()

    @contract
    def test_nothing_is_left_after_aclose(self, open_backend: OpenBackend) -> None:
        """No thread, task, open file or connection outlives `aclose`.

        When it fails: close clients, pools and executors in `aclose` and wait for them; finalizers are no substitute.
        """

        async def use() -> Any:
            backend = open_backend(new_collection())
            await backend.prepare(SPEC)
            await backend.upsert([self.record("a")])
            await self.ids(backend)
            await backend.aclose()
            return backend

        assert_nothing_is_left(use)

    @contract
    async def test_replaced_documents_have_only_the_new_records(self, stores: Stores) -> None:
        """With `ATOMIC_REPLACE`, `replace_documents` leaves of these documents the new records and of others all.

        When it fails: delete all old records of the batch's documents, whatever their ids, in the same transaction.
        """
        backend = await self._replacing(stores)
        await backend.upsert(self.as_given(make_document_records("docs/b.md", 3)))
        await backend.replace_documents(self.as_given(make_document_records("docs/a.md", 5)))
        second = make_document_records("docs/a.md", 2, "2")
        await backend.replace_documents(self.as_given(second))
        await backend.replace_documents([])
        others = [one.id for one in make_document_records("docs/b.md", 3)]
        assert sorted(await self.ids(backend)) == sorted([*(one.id for one in second), *others])
        assert await backend.count() == 5
        assert (await backend.documents())["docs/a.md"] == DocumentState(second[0].version, 2)
        moved = replace(second[0], chunk=replace(second[0].chunk, source="docs/c.md"))
        await backend.replace_documents(self.as_given([moved]))
        states = await backend.documents()
        assert (states["docs/a.md"].records, states["docs/c.md"].records) == (1, 1)

    @contract
    async def test_a_document_is_seen_before_or_after_its_replacement(self, stores: Stores) -> None:
        """With `ATOMIC_REPLACE`, nobody sees a document without records, with some of them, or with those of two versions.

        When it fails: delete and write in one transaction, or do not claim `ATOMIC_REPLACE`: core then orders its writes.
        """
        backend = await self._replacing(stores)
        await backend.replace_documents(self.as_given(make_document_records("docs/a.md", 8)))
        seen: set[tuple[str, ...]] = set()
        done = False

        async def read() -> None:
            while not done:
                seen.add(tuple(sorted(await self.ids(backend))))
                state = (await backend.documents()).get("docs/a.md")
                assert state is not None
                assert state.complete
                await asyncio.sleep(0)

        readers = [asyncio.ensure_future(read()) for _ in range(3)]
        for version in range(2, 12):
            records = make_document_records("docs/a.md", 8, str(version))
            await backend.replace_documents(self.as_given(records))
        done = True
        await asyncio.gather(*readers)
        whole = {
            tuple(one.id for one in make_document_records("docs/a.md", 8, str(version)))
            for version in range(1, 12)
        }
        assert seen <= whole

    async def _replacing(self, stores: Stores) -> Any:
        backend = await stores.open()
        claimed = Capability.ATOMIC_REPLACE in backend.capabilities
        require(claimed, "does not claim ATOMIC_REPLACE")
        assert isinstance(backend, SupportsAtomicReplace)
        return backend

    @contract
    async def test_unclaimed_replacement_is_refused(self, stores: Stores) -> None:
        """Without `ATOMIC_REPLACE`, there is no `replace_documents`, or it raises `CapabilityError`.

        When it fails: claim the capability, or take the method away; a deletion and a write are no replacement.
        """
        backend = await stores.open()
        await self._refuses(
            backend, Capability.ATOMIC_REPLACE, "replace_documents", [self.record("a")]
        )
