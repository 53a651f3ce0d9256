"""What both kinds of backends promise of writes: replacing, deleting, counting, and names of any shape."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import numpy as np

from hierdoc import StoreError
from hierdoc.filters import Contains, Equals
from hierdoc.plugin import Capability, DocumentState, DocumentVersion
from hierdoc_testing.backend import BackendTests
from hierdoc_testing.base import cancel_again_and_again, contract, require, trying
from hierdoc_testing.corpus import make_document_records
from hierdoc_testing.stores import Stores

ODD_NAMES = (
    "",
    " ",
    " a",
    "a ",
    "a b",
    "docs/a.md",
    "docs/a_md",
    "docs/a%md",
    "Docs/A.md",
    "../..//",
    "C:\\docs\\ä.md",
    "Straße",
    "strasse",
    "法律/第一条",
    "😀",
    "\uff21",
    "e\u0301",
    "\u00e9",
    "1",
    "01",
    "1.0",
    "None",
    "true",
    "x" * 1000,
    "x" * 999 + "y",
    "tab\tand\nline",
    "'\"`;--",
    "{}[]()<>*?+^$|&!~:",
    "%2F",
    "00000000-0000-0000-0000-000000000001",
    "plumless",
    "buckeroo",  # the same CRC-32
    "Aa",
    "BB",  # the same hash in Java
    "costarring",
    "liquid",  # the same FNV-1a of 32 bits
)
"""Ids and sources that stores like to trim, fold, parse, cut or take for one another."""

ALIEN_NAMES = ("null\x00byte", "null", "caf\udce9", "caf\ufffd", "caf?", "caf")
"""Strings that are no valid text elsewhere, and what careless stores make of them."""


class WritingTests(BackendTests):
    """Writes, for both kinds of backends."""

    @contract
    async def test_upsert_adds(self, stores: Stores) -> None:
        """Records of several calls are all held, at once and as numbers of records, not of documents.

        When it fails: check that `upsert` has an effect on searches before it returns, and that `count` counts records.
        """
        backend = await stores.open()
        await backend.upsert([self.record("a"), self.record("b", source="docs/b.md")])
        await backend.upsert([self.record("c")])
        assert sorted(await self.ids(backend)) == ["a", "b", "c"]
        assert await backend.count() == 3

    @contract
    async def test_what_is_written_stays_as_it_is(self, stores: Stores) -> None:
        """The lists that are given to `upsert`, `replace_documents` and `delete_documents` are not changed, nor are vectors.

        When it fails: take portions by slices, sort copies, and make vectors of length 1 in an array of your own.
        """
        backend = await stores.open()
        records = [self.record(f"{number * 7 % 30:02d}", kind="table") for number in range(30)]
        given = list(records)
        vectors = [one.vector for one in records if one.vector is not None]
        copies = [np.copy(vector) for vector in vectors]
        await backend.upsert(given)
        if Capability.ATOMIC_REPLACE in backend.capabilities:
            await backend.replace_documents(given)
        assert [one.id for one in given] == [one.id for one in records]
        for vector, copy in zip(vectors, copies, strict=True):
            assert np.array_equal(vector, copy)
        sources = ["docs/b.md", "docs/a.md"]
        await backend.delete_documents(sources)
        assert sources == ["docs/b.md", "docs/a.md"]

    @contract
    async def test_upsert_replaces_a_record_whole(self, stores: Stores) -> None:
        """A record with a known id replaces the old one: its fields, its version and its document.

        When it fails: the store adds instead of replacing, or merges old and new fields; write the record whole.
        """
        backend = await stores.open()
        old: dict[str, Any] = {
            "kind": "table",
            "headings": ("old",),
            "section_id": "s",
            "title": "Old",
        }
        await backend.upsert([self.record("a", **old), self.record("b")])
        if Capability.FILTER_EQUALS in backend.capabilities:
            await self.ids(backend, Equals("kind", "table"))
        version = DocumentVersion("new", "pipeline", 1)
        await backend.upsert([self.record("a", source="docs/moved.md", version=version)])
        assert await backend.count() == 2
        assert sorted(await self.ids(backend)) == ["a", "b"]
        assert dict(await backend.documents()) == {
            "docs/a.md": DocumentState(self.record("b").version, 1),
            "docs/moved.md": DocumentState(version, 1),
        }
        if Capability.FILTER_EQUALS in backend.capabilities:
            assert await self.ids(backend, Equals("kind", "table")) == []
            assert await self.ids(backend, Equals("section_id", "s")) == []
            assert await self.ids(backend, Equals("source", "docs/moved.md")) == ["a"]
        await backend.delete_documents(["docs/a.md"])
        assert await self.ids(backend) == ["a"]

    @contract
    async def test_of_one_id_twice_in_a_batch_the_last_counts(self, stores: Stores) -> None:
        """A batch may hold an id twice; the last record of it is stored, once, by `replace_documents` too.

        When it fails: drop earlier records of the same id before the batch goes to the store.
        """
        backend = await stores.open()
        twice = [self.record("a", source="docs/x.md"), self.record("b"), self.record("a")]
        await backend.upsert(twice)
        assert await backend.count() == 2
        assert sorted(await self.ids(backend)) == ["a", "b"]
        assert set(await backend.documents()) == {"docs/a.md"}
        if Capability.ATOMIC_REPLACE in backend.capabilities:
            await backend.replace_documents(twice)
            assert sorted(await self.ids(backend)) == ["a", "b"]
            assert set(await backend.documents()) == {"docs/a.md"}

    @contract
    async def test_all_records_of_a_document_are_deleted_and_no_others(
        self, stores: Stores
    ) -> None:
        """`delete_documents` deletes by the exact source, however many records it has; unknown sources are no error.

        When it fails: sources are not patterns or prefixes, upper and lower case differ, a deletion is not one page long,
        and none to delete means none deleted.
        """
        backend = await stores.open()
        near = ["docs/a", "docs/a.md/b", "docs/A.md", "docs/a_md", "docs/aXmd", "xdocs/a.md"]
        await backend.upsert([self.record(name, source=name) for name in near])
        await backend.upsert(self.as_given(make_document_records("docs/a.md", 1200)))
        await backend.upsert([self.record("gone", source="docs/gone.md")])
        await backend.delete_documents([])
        assert await backend.count() == len(near) + 1201
        await backend.delete_documents(["never seen", "docs/a.md", "docs/gone.md", "docs/a.md"])
        assert sorted(await self.ids(backend)) == sorted(near)
        assert set(await backend.documents()) == set(near)
        assert await backend.count() == len(near)
        await backend.delete_documents(["docs/a_md", "docs/%", "docs/*"])
        assert set(await backend.documents()) == set(near) - {"docs/a_md"}

    @contract
    async def test_many_documents_are_deleted_at_once(self, stores: Stores) -> None:
        """Of 1,100 documents that are named in one call all are deleted, to the last.

        When it fails: look for a largest number of values in a request, and delete in portions.
        """
        backend = await stores.open()
        names = [f"docs/{number * 7 % 1110:04d}.md" for number in range(1110)]
        await backend.upsert([self.record(name, source=name) for name in names])
        await backend.delete_documents(names[:1100])
        assert await backend.count() == 10
        assert sorted(await self.ids(backend)) == sorted(names[1100:])
        assert set(await backend.documents()) == set(names[1100:])

    @contract
    async def test_what_was_deleted_can_come_back(self, stores: Stores) -> None:
        """A deleted document can be written again, with other and fewer records.

        When it fails: look for tombstones that outlive the new record, and for answers kept from before.
        """
        backend = await stores.open()
        for count in (3, 1, 2):
            await backend.upsert(self.as_given(make_document_records("docs/a.md", count)))
            assert len(await self.ids(backend)) == count == await backend.count()
            await backend.delete_documents(["docs/a.md"])
            assert await self.ids(backend) == []
            assert await backend.count() == 0
            assert dict(await backend.documents()) == {}

    @contract
    async def test_a_search_sees_what_was_just_written(self, stores: Stores) -> None:
        """Every answer is that of the present state, also to a question that was asked before.

        When it fails: look for caches of searches, filters, counts or documents, and for writes that become visible later (wait for
        the store's refresh before you return).
        """
        backend = await stores.open()
        for number in range(5):
            await backend.upsert([self.record(f"{number}", source=f"{number}.md", kind="table")])
            expected = [f"{one}" for one in range(number + 1)]
            assert sorted(await self.ids(backend)) == expected
            assert await backend.count() == number + 1
            assert sorted(await backend.documents()) == [f"{one}.md" for one in range(number + 1)]
            if Capability.FILTER_EQUALS in backend.capabilities:
                assert sorted(await self.ids(backend, Equals("kind", "table"))) == expected
        await backend.delete_documents(["2.md"])
        assert sorted(await self.ids(backend)) == ["0", "1", "3", "4"]
        if Capability.FILTER_EQUALS in backend.capabilities:
            assert sorted(await self.ids(backend, Equals("kind", "table"))) == ["0", "1", "3", "4"]

    @contract
    async def test_documents_tells_versions_and_numbers(self, stores: Stores) -> None:
        """`documents` gives for every source how many records are held and their version, None where they disagree.

        When it fails: store all three fields of the version with each record, compare them over all records of a document, and
        count what is there, not what the version promises.
        """
        backend = await stores.open()
        old, new = DocumentVersion("h1", "p", 2), DocumentVersion("h2", "p", 2)
        other, more = DocumentVersion("h1", "q", 2), DocumentVersion("h1", "p", 3)
        records = [
            self.record(f"{source}{place}", source=source, version=version, ordinal=place)
            for source, versions in {
                "same": [old, old],
                "one": [old],
                "content": [old, new],
                "pipeline": [old, other],
                "number": [old, more],
            }.items()
            for place, version in enumerate(versions)
        ]
        await backend.upsert(records)
        expected = {
            "same": DocumentState(old, 2),
            "one": DocumentState(old, 1),
            "content": DocumentState(None, 2),
            "pipeline": DocumentState(None, 2),
            "number": DocumentState(None, 2),
        }
        assert dict(await backend.documents()) == expected
        await backend.upsert([self.record("content0", source="content", version=new)])
        await backend.delete_documents(["one", "number"])
        held = await backend.documents()
        assert dict(held) == {
            "same": DocumentState(old, 2),
            "content": DocumentState(new, 2),
            "pipeline": DocumentState(None, 2),
        }

    @contract
    async def test_names_of_any_shape_are_kept_apart(self, stores: Stores) -> None:
        """Ids and sources come back as they were given: paths, Unicode, 1,000 characters, numbers, white space.

        When it fails: a store that wants other ids gets a digest of the id and keeps the id beside it; compare strings by code
        point, without trimming, folding, normalising or cutting.
        """
        await self._names(await stores.open(), ODD_NAMES)

    @contract
    async def test_names_that_are_no_valid_text_are_kept_apart(self, stores: Stores) -> None:
        """NUL characters and lone surrogates in ids and sources do no harm: file names may hold them.

        When it fails: encode such strings before the store sees them, for instance as bytes (`utf-8` with `surrogatepass`),
        hexadecimal or with escapes; do not replace or drop characters.
        """
        await self._names(await stores.open(), ALIEN_NAMES)

    async def _names(self, backend: Any, names: Sequence[str]) -> None:
        await backend.upsert([self.record(name, source=name) for name in names])
        assert await self.ids(backend) == sorted(names)
        assert set(await backend.documents()) == set(names)
        if Capability.FILTER_EQUALS in backend.capabilities:
            for name in names:
                assert await self.ids(backend, Equals("source", name)) == [name]
        await backend.upsert([self.record(name, source=name) for name in names])
        assert await backend.count() == len(names)
        await backend.delete_documents(names[::2])
        assert await self.ids(backend) == sorted(names[1::2])

    @contract
    async def test_contained_values_follow_an_upsert(self, stores: Stores) -> None:
        """A record that was replaced is found by the values of its present list fields, and not by those that it had.

        When it fails: values that are kept apart from the record, such as tags or rows of another table, are replaced with it.
        """
        backend = await stores.open()
        require(
            Capability.FILTER_CONTAINS in backend.capabilities, "does not claim FILTER_CONTAINS"
        )
        old, new = ("kept", "old", "old"), ("new", "kept")
        await backend.upsert([self.record("a", headings=old), self.record("b", headings=("old",))])
        assert await self.ids(backend, Contains("headings", "old")) == ["a", "b"]
        await backend.upsert([self.record("a", headings=new)])
        for value, expected in {"old": ["b"], "kept": ["a"], "new": ["a"]}.items():
            with trying(Contains("headings", value)):
                assert await self.ids(backend, Contains("headings", value)) == expected
        await backend.upsert([self.record("a")])
        for value in ("old", "kept", "new"):
            with trying(Contains("headings", value)):
                assert "a" not in await self.ids(backend, Contains("headings", value))

    @contract
    async def test_a_cancelled_call_leaves_the_store_usable(self, stores: Stores) -> None:
        """Whoever cancels a call, at whatever point of it, can go on: later calls are answered, and nothing else was changed.

        When it fails: release locks and connections in `finally` or with `async with`; what a thread began goes on there, so the next
        call has to wait for it.
        """
        backend = await stores.open()
        await backend.upsert([self.record("kept", source="docs/kept.md")])
        batch = [self.record(f"{number:03d}") for number in range(400)]
        calls: list[Callable[[], Awaitable[Any]]] = [
            lambda: backend.upsert(batch),
            lambda: self.ids(backend),
            backend.documents,
            backend.count,
            lambda: backend.delete_documents(["docs/none.md"]),
        ]
        if Capability.ATOMIC_REPLACE in backend.capabilities:
            calls.append(lambda: backend.replace_documents(batch))
        await cancel_again_and_again(*calls)
        await backend.upsert(batch)
        assert await backend.count() == 401
        assert sorted(await self.ids(backend)) == sorted(["kept", *(one.id for one in batch)])
        await backend.delete_documents(["docs/a.md"])
        assert await self.ids(backend) == ["kept"]

    @contract
    async def test_a_closed_store_is_not_an_empty_one(self, stores: Stores) -> None:
        """After `aclose`, whatever is asked raises `StoreError`, or is answered as before: nothing hangs, and nothing seems to be gone.

        When it fails: look whether the store is open at the beginning of each call, and raise `StoreError` with a hint.
        """
        backend = await stores.open()
        await backend.upsert([self.record("a")])
        reading: dict[str, Callable[[], Awaitable[Any]]] = {
            "search": lambda: self.ids(backend),
            "documents": backend.documents,
            "count": backend.count,
        }
        before = {name: await call() for name, call in reading.items()}
        await backend.aclose()
        for name, call in reading.items():
            with trying(f"{name} after aclose"), contextlib.suppress(StoreError):
                assert await call() == before[name]
        with trying("delete_documents after aclose"), contextlib.suppress(StoreError):
            await backend.delete_documents(["docs/none.md"])
        with trying("upsert after aclose"), contextlib.suppress(StoreError):
            await backend.upsert([self.record("b")])

    @contract
    async def test_searches_and_writes_at_once(self, stores: Stores) -> None:
        """Concurrent writes all arrive, and searches beside them give each match once and do not fail.

        When it fails: look for state that is read, changed and written back across an `await`, and for a client or connection
        that serves one call at a time.
        """
        backend = await stores.open()

        async def write(number: int) -> None:
            records = [self.record(f"{number}-{n:02d}", source=f"{number}.md") for n in range(20)]
            await backend.upsert(records[:10])
            await backend.upsert(records[5:])
            if number % 3 == 0:
                await backend.delete_documents([f"{number}.md"])

        async def read() -> None:
            for _ in range(10):
                ids = await self.ids(backend)
                assert len(ids) == len(set(ids))
                await backend.documents()
                await backend.count()

        await asyncio.gather(*(write(number) for number in range(12)), read(), read())
        kept = [number for number in range(12) if number % 3]
        assert await backend.count() == 20 * len(kept)
        expected = sorted(f"{number}-{n:02d}" for number in kept for n in range(20))
        assert await self.ids(backend) == expected
        assert set(await backend.documents()) == {f"{number}.md" for number in kept}
