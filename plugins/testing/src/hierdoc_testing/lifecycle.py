"""What both kinds of backends promise from `prepare` to `aclose`, and of documents replaced as a whole."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import replace
from typing import Any

from hierdoc.plugin import Capability, DocumentState, IndexSpec, SupportsAtomicReplace
from hierdoc_testing.backend import BackendTests
from hierdoc_testing.base import contract, require
from hierdoc_testing.child import VERSIONS, Child, answer, child, replace_again_and_again
from hierdoc_testing.corpus import SPEC, make_document_records
from hierdoc_testing.patience import LONG_QUIET
from hierdoc_testing.stores import OpenBackend, Stores, new_collection
from hierdoc_testing.watch import assert_nothing_is_left

_REPLACED = 2000
"""Records of the document that is replaced while its process is killed."""


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

    @contract(quiet=LONG_QUIET)
    async def test_a_second_process_sees_what_is_written(self, stores: Stores) -> None:
        """With `MULTI_PROCESS`, another process that has the collection open sees each write, and neither disturbs the other.

        When it fails: as for a second reader; look for locks that hold for as long as a store is open, and for what one process caches.
        The fixture is taken to the other process: let what it gives hold paths and addresses only.
        """
        writer = await stores.open()
        require(Capability.MULTI_PROCESS in writer.capabilities, "does not claim MULTI_PROCESS")
        assert self.kind is not None
        await writer.upsert([self.record("a")])
        with child(answer, stores.open_backend, stores.collection, self.kind) as reader:
            assert await asyncio.to_thread(reader.hear) == "open"

            async def seen() -> list[Any]:
                asked = ("ids", "documents", "count")
                return [await asyncio.to_thread(reader.ask, one) for one in asked]

            assert await seen() == [["a"], ["docs/a.md"], 1]
            await writer.upsert([self.record("b", source="docs/b.md")])
            assert await seen() == [["a", "b"], ["docs/a.md", "docs/b.md"], 2]
            await writer.delete_documents(["docs/a.md"])
            assert await seen() == [["b"], ["docs/b.md"], 1]
            assert await asyncio.to_thread(reader.ask, "end") == "closed"
        await writer.upsert([self.record("c")])
        assert await self.ids(writer) == ["b", "c"]

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
        """With `ATOMIC_REPLACE`, `replace_documents` leaves of these documents the new records and of others all, for every search after it.

        When it fails: delete all old records of the batch's documents, whatever their ids, in the same transaction; what searches keep
        from before is forgotten as after any other write.
        """
        backend = await self._replacing(stores)
        await backend.upsert(self.as_given(make_document_records("docs/b.md", 3)))
        assert len(await self.ids(backend)) == 3
        await backend.replace_documents(self.as_given(make_document_records("docs/a.md", 5)))
        assert len(await self.ids(backend)) == await backend.count() == 8
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

    @contract
    async def test_replacements_at_once_all_arrive(self, stores: Stores) -> None:
        """With `ATOMIC_REPLACE`, of documents that are replaced by several calls at once all are as their call left them.

        When it fails: what is read, changed and written back needs a lock around all three, or a transaction that sees the others.
        """
        backend = await self._replacing(stores)
        for version in ("1", "2"):
            calls = [
                self.as_given(make_document_records(f"docs/{n}.md", 3, version)) for n in range(6)
            ]
            await asyncio.gather(*map(backend.replace_documents, calls))
            held = sorted(one.id for call in calls for one in call)
            assert sorted(await self.ids(backend)) == held
            assert await backend.count() == len(held)

    @contract
    async def test_replaced_documents_are_there_after_reopening(self, stores: Stores) -> None:
        """With `ATOMIC_REPLACE` and `PERSISTENT`, what `replace_documents` wrote is there after reopening, and what it replaced is not.

        When it fails: a replacement is committed and flushed as an `upsert` is.
        """
        backend = await self._replacing(stores)
        require(Capability.PERSISTENT in backend.capabilities, "does not claim PERSISTENT")
        await backend.replace_documents(self.as_given(make_document_records("docs/a.md", 5)))
        backend = await stores.reopen(backend)
        assert await backend.count() == 5
        second = self.as_given(make_document_records("docs/a.md", 3, "2"))
        await backend.replace_documents(second)
        backend = await stores.reopen(backend)
        assert await self.ids(backend) == [one.id for one in second]
        assert dict(await backend.documents()) == {"docs/a.md": DocumentState(second[0].version, 3)}

    @contract(quiet=LONG_QUIET)
    def test_a_replacement_that_is_killed_leaves_the_old_or_the_new(
        self, open_backend: OpenBackend
    ) -> None:
        """With `ATOMIC_REPLACE` and `PERSISTENT`, a process that is killed while it replaces leaves a whole document, and a usable store.

        When it fails: one transaction for the deletion and all batches of the write; what is prepared beside it is swept up by `prepare`.
        The fixture is taken to another process: let what it gives hold paths and addresses only.
        """
        capabilities = open_backend(new_collection()).capabilities
        for wanted in (Capability.ATOMIC_REPLACE, Capability.PERSISTENT):
            require(wanted in capabilities, f"does not claim {wanted.name}")
        moments = (0.1, 0.35, 0.6, 0.75, 0.9)  # within a replacement
        collections = [new_collection() for _ in moments]
        with contextlib.ExitStack() as stack:
            started = [
                stack.enter_context(
                    child(replace_again_and_again, open_backend, one, self.kind, _REPLACED)
                )
                for one in collections
            ]  # side by side: most of the time goes into their start
            reached = [
                _killed_at(one, moment) for one, moment in zip(started, moments, strict=True)
            ]
        for collection, version in zip(collections, reached, strict=True):
            asyncio.run(self._check_whole(open_backend, collection, version))

    async def _check_whole(self, open_backend: OpenBackend, collection: str, version: int) -> None:
        backend = open_backend(collection)
        try:
            await backend.prepare(SPEC)
            held = set(await self.ids(backend, limit=2 * _REPLACED))
            states = dict(await backend.documents())
            whole = {
                frozenset(one.id for one in made): made[0].version
                for number in (version - 1 or VERSIONS, version)
                for made in [make_document_records("docs/a.md", _REPLACED, str(number))]
            }
            assert frozenset(held) in whole, (
                f"{len(held)} of {_REPLACED} records are left, or of both"
            )
            assert states == {"docs/a.md": DocumentState(whole[frozenset(held)], _REPLACED)}
            await backend.replace_documents(self.as_given(make_document_records("docs/a.md", 2)))
            assert await backend.count() == 2
        finally:
            await backend.aclose()

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


def _killed_at(process: Child, moment: float) -> int:
    """Kill a process within its third replacement or a later one; the number of the version that it had begun.

    Args:
        process: It replaces a document again and again.
        moment: The share of a replacement that is done by then, as the one before took its time.
    """
    assert process.hear() == "open"
    process.say("go")
    begun = []
    for _ in range(3):
        version = int(process.hear())
        begun.append(time.monotonic())
    time.sleep(moment * (begun[2] - begun[1]))
    process.kill()
    with contextlib.suppress(AssertionError):  # it may have been faster this time
        while True:
            version = int(process.hear())
    return version
