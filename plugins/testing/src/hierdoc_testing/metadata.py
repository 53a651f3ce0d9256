"""What both kinds of backends promise of the metadata that documents bring: comparisons of it are look-ups that any store can do.

`hierdoc.plugin.resolved` makes `Contains` over the list field `metadata` of a comparison, and `Record.fields()` gives its entries: some
dozens for each value, of which a store must not lose or mix up one.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from hierdoc import Filter, Version
from hierdoc.filters import And, Compare, Equals, Not, Or, Under
from hierdoc.plugin import Capability, DocumentVersion, Record, SupportsAtomicReplace, resolved
from hierdoc_testing.backend import BackendTests
from hierdoc_testing.base import contract, require
from hierdoc_testing.corpus import DOCUMENT_VERSION, direction
from hierdoc_testing.stores import Stores

DECLARED: Mapping[str, Any] = {
    "effective": "date",
    "pages": "number",
    "version": "version",
    "author": "text",
    "tags": "list",
    "draft": "boolean",
}

_DATES = [date.min, *(date(y, m, d) for y in (999, 2000, 2020) for m in (1, 10) for d in (1, 10, 12, 31)), date.max]  # fmt: skip
_NUMBERS = [-1e300, -256.0, -2.5, -1, 0, 5e-324, 0.1, 1, 2, 2.5, 9, 10, 99.99, 100, 255, 256, 2**53, 1e300]  # fmt: skip
_VERSIONS = [Version(one) for one in "0 0.9 1.0.dev1 1.0-alpha 1.0-alpha.1 1.0b2 1.0-rc.10 1.0 1.0.post1 1.0.1 1.2 1.10 2-draft 2 10.1".split()]  # fmt: skip
_TEXTS = ["a", "ab", "A b", "é", "a>b", "=a", "a%", "a_", "' OR '1'='1", "法", "true", "x" * 900]
_LISTS = [("a", "b"), ("ab",), ("b", "a b", "é"), tuple(f"tag {number}" for number in range(90)), ("a>b", "=a")]  # fmt: skip
_VALUES: Mapping[str, Sequence[Any]] = {
    "effective": _DATES,
    "pages": _NUMBERS,
    "version": _VERSIONS,
    "author": _TEXTS,
    "tags": _LISTS,
    "draft": [False, True],
}
_ASKED: Mapping[str, Sequence[Any]] = {
    "effective": (date(999, 10, 1), date(2000, 1, 1)),
    "pages": (-2.5, 2),
    "version": (Version("1.0-alpha"), Version("1")),
}
_MEETS: Mapping[Any, Callable[[int, int], bool]] = {
    "<=": operator.le,
    ">": operator.gt,
    "=": operator.eq,
}
"""How the places of what is held and what is asked stand to each other in the order of all values; `>` and `<=` need every look-up."""


class MetadataTests(BackendTests):
    """Comparisons of metadata, for both kinds of backends."""

    def described_records(self) -> list[Record]:
        """Records with every value of every field, some of which each lacks, of a score that is the same for all."""
        count = max(map(len, _VALUES.values())) + 6
        return [
            self.record(
                f"{number:03d}",
                source=f"docs/{number % 5}.md",
                ordinal=number,
                kind=("content", "table")[number % 2],
                parent_chain=(("a",), ("a", "b"), ("c",))[number % 3],
                metadata={
                    name: values[(number + place) % (len(values) + 1)]
                    for place, (name, values) in enumerate(_VALUES.items())
                    if (number + place) % (len(values) + 1) < len(values)
                },
            )
            for number in range(count)
        ]

    async def selected(self, backend: Any, filter: Filter) -> list[str]:
        """The ids that a filter selects, in every method that takes one."""
        return await self.ids(backend, resolved(filter, DECLARED))

    async def described(self, stores: Stores) -> Any:
        """A backend that holds them; skips one that cannot compare."""
        backend = await stores.open()
        needed = {Capability[f"FILTER_{one}"] for one in ("CONTAINS", "AND", "OR", "NOT")}
        lacking = sorted(one.name for one in needed - backend.capabilities)
        require(not lacking, f"does not claim {', '.join(lacking)}")
        await backend.upsert(self.described_records())
        return backend

    @contract
    async def test_metadata_is_compared_in_its_order(self, stores: Stores) -> None:
        """Dates, numbers and versions are before, after or equal to what a filter names, to the last of them.

        When it fails: keep every entry of the field `metadata` whole, however many; `hierdoc.metadata` says what they stand for.
        """
        backend = await self.described(stores)
        records = self.described_records()
        for name, asked in _ASKED.items():
            order = {str(value): place for place, value in enumerate(_VALUES[name])}
            order["1"] = order.get("1.0", order.get("1", 0))  # the same version, another spelling
            for value, (sign, meets) in itertools.product(asked, _MEETS.items()):
                expected = [
                    one.id
                    for one in records
                    if name in one.chunk.metadata
                    and meets(order[str(one.chunk.metadata[name])], order[str(value)])
                ]
                compare = Compare(name, sign, value)
                assert await self.selected(backend, compare) == expected, compare

    @contract
    async def test_metadata_is_equal_or_contained(self, stores: Stores) -> None:
        """Texts, booleans and the texts of lists are equal to what a filter names, but for case; nothing in them is a pattern.

        When it fails: strings of the field `metadata` are equal or not, by code point, and long ones are not cut.
        """
        backend = await self.described(stores)
        records = self.described_records()
        filters: list[tuple[Filter, str, Any]] = [
            *((Compare("author", "=", text.upper()), "author", {text}) for text in _TEXTS),
            (Compare("author", "in", ("É", "nobody", "a%")), "author", {"é", "a%"}),
            (Compare("author", "=", "x" * 899), "author", set()),
            (Compare("draft", "=", True), "draft", {True}),
            (Compare("draft", "=", False), "draft", {False}),
            *((Compare("tags", "contains", one), "tags", one) for some in _LISTS for one in some[-3:]),
        ]  # fmt: skip
        for asked, name, wanted in filters:
            expected = [
                one.id
                for one in records
                if name in one.chunk.metadata
                and (
                    wanted in one.chunk.metadata[name]  # type: ignore[operator]
                    if name == "tags"
                    else one.chunk.metadata[name] in wanted
                )
            ]
            assert await self.selected(backend, asked) == expected, asked

    @contract
    async def test_metadata_is_compared_together_with_all_else(self, stores: Stores) -> None:
        """Comparisons stand within `And`, `Or` and `Not` beside each other and beside filters of other fields.

        When it fails: several values of one list field may be asked for in one filter, each for itself.
        """
        backend = await self.described(stores)
        records = [(one.id, one.chunk, one.chunk.metadata) for one in self.described_records()]

        def values(name: str) -> list[tuple[str, Any]]:
            return [(one, held[name]) for one, _, held in records if name in held]

        later = Compare("effective", ">", "2000")
        short = Compare("pages", "<", 100)
        tagged = Or(Compare("tags", "contains", "ab"), Compare("draft", "=", True))
        several = And(later, short, Not(tagged))
        by_field = {
            "effective": {one for one, held in values("effective") if held > date(2000, 12, 31)},
            "pages": {one for one, held in values("pages") if held < 100},
            "tags": {one for one, held in values("tags") if "ab" in held},
            "draft": {one for one, held in values("draft") if held},
        }
        both = by_field["effective"] & by_field["pages"] - by_field["tags"] - by_field["draft"]
        assert await self.selected(backend, several) == sorted(both)
        if Capability.FILTER_EQUALS in backend.capabilities:
            tables = {one for one, chunk, _ in records if chunk.kind == "table"}
            found = await self.selected(backend, Or(And(Equals("kind", "table"), later), short))
            assert found == sorted(tables & by_field["effective"] | by_field["pages"])
        if Capability.FILTER_PREFIX in backend.capabilities:
            below = {one for one, chunk, _ in records if chunk.parent_chain[0] == "a"}
            found = await self.selected(backend, And(Under(["a"]), Not(short)))
            assert found == sorted(below - by_field["pages"])

    @contract
    async def test_metadata_changes_where_nothing_else_does(self, stores: Stores) -> None:
        """A record that is written again with other metadata is found by that and no more by what it had.

        When it fails: text and vector may be the same as before; write the fields all the same, and forget the old ones.
        """
        backend = await self.described(stores)
        await backend.delete_documents([f"docs/{number}.md" for number in range(5)])
        old = self.record(
            "a", metadata={"effective": date(2019, 5, 1), "tags": ("old",)}, source="docs/a.md"
        )
        new = self.record(
            "a", metadata={"effective": date(2021, 5, 1), "author": "b"}, source="docs/a.md"
        )
        ways = [backend.upsert]
        if Capability.ATOMIC_REPLACE in backend.capabilities:
            assert isinstance(backend, SupportsAtomicReplace)
            ways.append(backend.replace_documents)
        for number, write in enumerate(ways):
            version = DocumentVersion(f"changed {number}", "pipeline", 1)
            await write([replace(old, version=DOCUMENT_VERSION)])
            assert await self.selected(backend, Compare("effective", "<", "2020")) == ["a"]
            await write([replace(new, version=version)])
            assert await self.selected(backend, Compare("effective", "<", "2020")) == []
            assert await self.selected(backend, Compare("tags", "contains", "old")) == []
            assert await self.selected(backend, Compare("effective", ">=", "2021-05-01")) == ["a"]
            assert await self.selected(backend, Compare("author", "=", "b")) == ["a"]
        await backend.delete_documents(["docs/a.md"])
        assert await self.selected(backend, Compare("effective", ">", "2020")) == []

    @contract
    async def test_metadata_is_compared_after_reopening(self, stores: Stores) -> None:
        """With `PERSISTENT`, comparisons select the same after reopening.

        When it fails: see what of the field `metadata` lives only in memory.
        """
        backend = await self.described(stores)
        require(Capability.PERSISTENT in backend.capabilities, "does not claim PERSISTENT")
        filters = (Compare("effective", "<=", "2000-10"), Not(Compare("version", ">", "1.0")))
        before = [await self.selected(backend, one) for one in filters]
        backend = await stores.reopen(backend)
        assert [await self.selected(backend, one) for one in filters] == before


class MetadataRecordTests(MetadataTests):
    """What vector backends promise besides: they give it back."""

    async def selected(self, backend: Any, filter: Filter) -> list[str]:
        """`find` selects what `search` does."""
        searched = await super().selected(backend, filter)
        found = await backend.find(resolved(filter, DECLARED), 1000)
        assert sorted(one.id for one in found) == searched, filter
        return searched

    @contract
    async def test_metadata_filters_hybrid_search(self, stores: Stores) -> None:
        """With `NATIVE_HYBRID`, `hybrid_search` selects by metadata as `search` does, in both of its legs.

        When it fails: give the filter to the text's half too.
        """
        backend = await self.described(stores)
        require(Capability.NATIVE_HYBRID in backend.capabilities, "does not claim NATIVE_HYBRID")
        weights = {"semantic": 0.5, "keyword": 0.5}
        for asked in (Compare("effective", ">", "2000"), Not(Compare("version", ">=", "1.0"))):
            look_ups = resolved(asked, DECLARED)
            found = await backend.hybrid_search("word", direction(1), 1000, weights, look_ups)
            assert sorted(one.chunk_id for one in found) == await self.selected(backend, asked)

    @contract
    async def test_metadata_comes_back_with_its_types(self, stores: Stores) -> None:
        """`get` and `scan` give dates, versions, lists, numbers and booleans as they were, in the same order of fields.

        When it fails: store `Record.payload()` as one blob and read it with `Record.from_payload`.
        """
        backend = await stores.open()
        records = self.described_records()
        await backend.upsert(records)
        got = await backend.get([one.id for one in records])
        scanned = [record async for page in backend.scan() for record in page]
        for held in (got, sorted(scanned, key=lambda one: one.id)):
            for one, given in zip(held, records, strict=True):
                assert list(one.chunk.metadata.items()) == list(given.chunk.metadata.items())
                types = [type(value) for value in one.chunk.metadata.values()]
                assert types == [type(value) for value in given.chunk.metadata.values()]
