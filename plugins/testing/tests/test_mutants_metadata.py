"""Backends that compare metadata wrongly on purpose: the conformance kit fails every one, and none that is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from hierdoc import Filter, Match
from hierdoc.filters import And, Contains, Not, Or
from hierdoc.plugin import Capability, Record, matches
from hierdoc_in_memory.keyword import InMemoryKeywordBackend
from hierdoc_in_memory.vector import InMemoryVectorBackend
from hierdoc_testing import KeywordBackendTests, VectorBackendTests, failing_tests
from hierdoc_testing.metadata import MetadataRecordTests


class Right(InMemoryVectorBackend):
    """Filters record by record, to be made wrong."""

    caught_by = ""
    capabilities = InMemoryVectorBackend.capabilities | {Capability.NATIVE_HYBRID}

    async def hybrid_search(
        self,
        text: str,
        vector: Any,
        limit: int,
        weights: Mapping[str, float],
        filter: Filter | None = None,
    ) -> Any:
        return await self.search(vector, limit, filter)

    def fields(self, record: Record) -> Mapping[str, Any]:
        return record.fields()

    def asked(self, filter: Filter) -> Filter:
        return filter

    def kept(self, record: Record) -> Record:
        return record

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        found: Sequence[Match] = await super().search(vector, 100_000)
        if filter is None:
            return found[:limit]
        chosen = {one.id for one in await self.find(filter, 100_000)}
        return [match for match in found if match.chunk_id in chosen][:limit]

    async def find(self, filter: Filter, limit: int) -> Any:
        held = [one async for page in self.scan() for one in page]
        found = [one for one in held if matches(self.asked(filter), self.fields(one))]
        return sorted(found, key=lambda one: (one.chunk.source, one.chunk.ordinal))[:limit]

    async def upsert(self, records: Sequence[Record]) -> None:
        await super().upsert([self.kept(one) for one in records])

    async def replace_documents(self, records: Sequence[Record]) -> None:
        await super().replace_documents([self.kept(one) for one in records])


def _with_entries(record: Record, entries: Sequence[str]) -> Mapping[str, Any]:
    return {**record.fields(), "metadata": tuple(entries)}


def _rewritten(filter: Filter, leaf: Any) -> Filter:
    """The tree with other leaves."""
    if isinstance(filter, (And, Or)):
        return type(filter)(*(_rewritten(part, leaf) for part in filter.filters))
    if isinstance(filter, Not):
        return Not(_rewritten(filter.filter, leaf))
    return leaf(filter) if isinstance(filter, Contains) else filter


class ForgetsMetadata(Right):
    caught_by = "test_metadata_comes_back_with_its_types"

    def kept(self, record: Record) -> Record:
        return replace(record, chunk=replace(record.chunk, metadata={}))


class DatesBecomeText(Right):
    caught_by = "test_metadata_comes_back_with_its_types"

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Any:
        return [
            replace(
                one,
                chunk=replace(
                    one.chunk,
                    metadata={
                        name: str(value) if type(value).__name__ == "date" else value
                        for name, value in one.chunk.metadata.items()
                    },
                ),
            )
            for one in await super().get(ids, vectors=vectors)
        ]


class NumbersBecomeFloats(Right):
    caught_by = "test_metadata_comes_back_with_its_types"

    def kept(self, record: Record) -> Record:
        held = {
            name: float(value) if type(value) is int else value
            for name, value in record.chunk.metadata.items()
        }
        return replace(record, chunk=replace(record.chunk, metadata=held))


class SortsFields(Right):
    caught_by = "test_metadata_comes_back_with_its_types"

    def kept(self, record: Record) -> Record:
        held = dict(sorted(record.chunk.metadata.items()))
        return replace(record, chunk=replace(record.chunk, metadata=held))


class FindsNothingByMetadata(Right):
    caught_by = "test_metadata_is_compared_in_its_order"

    def fields(self, record: Record) -> Mapping[str, Any]:
        return _with_entries(record, ())


class KeepsAHundredEntries(Right):
    caught_by = "test_metadata_is_equal_or_contained"

    def fields(self, record: Record) -> Mapping[str, Any]:
        return _with_entries(record, record.fields()["metadata"][:100])


class ShortEntries(Right):
    caught_by = "test_metadata_is_equal_or_contained"

    def fields(self, record: Record) -> Mapping[str, Any]:
        return _with_entries(record, [one[:256] for one in record.fields()["metadata"]])


class CutsEntriesAndQuestions(ShortEntries):
    def asked(self, filter: Filter) -> Filter:
        return _rewritten(filter, lambda leaf: Contains(leaf.field, leaf.value[:256]))


class EntriesAreBeginnings(Right):
    caught_by = "test_metadata_is_equal_or_contained"

    def fields(self, record: Record) -> Mapping[str, Any]:
        entries = record.fields()["metadata"]
        return _with_entries(record, [one[:n] for one in entries for n in range(1, len(one) + 1)])


class AsciiEntries(Right):
    caught_by = "test_metadata_is_equal_or_contained"

    def fields(self, record: Record) -> Mapping[str, Any]:
        entries = record.fields()["metadata"]
        return _with_entries(record, [one.encode("ascii", "ignore").decode() for one in entries])


class SignsDoNotCount(Right):
    caught_by = "test_metadata_is_compared_in_its_order"

    def fields(self, record: Record) -> Mapping[str, Any]:
        entries = [one.replace(">", "=") for one in record.fields()["metadata"]]
        return _with_entries(record, entries)

    def asked(self, filter: Filter) -> Filter:
        return _rewritten(filter, lambda leaf: Contains(leaf.field, leaf.value.replace(">", "=")))


class AtMostFiftyLookUps(Right):
    caught_by = "test_metadata_is_compared_in_its_order"

    def asked(self, filter: Filter) -> Filter:
        return Or(*filter.filters[:50]) if isinstance(filter, Or) else filter


class OneListForAll(Right):
    caught_by = "test_metadata_is_compared_together_with_all_else"

    def asked(self, filter: Filter) -> Filter:
        if isinstance(filter, And) and len(filter.filters) > 2:
            return filter.filters[0]
        return filter


class SkipsWhatReadsTheSame(Right):
    caught_by = "test_metadata_changes_where_nothing_else_does"

    async def upsert(self, records: Sequence[Record]) -> None:
        held = {one.id: one.text for one in await self.get([one.id for one in records])}
        await super().upsert([one for one in records if held.get(one.id) != one.text])


class ReplacesOnlyTexts(Right):
    caught_by = "test_metadata_changes_where_nothing_else_does"

    async def replace_documents(self, records: Sequence[Record]) -> None:
        held = {one.id: one.chunk.metadata for one in await self.get([one.id for one in records])}
        await super().replace_documents(
            [
                replace(
                    one, chunk=replace(one.chunk, metadata=held.get(one.id, one.chunk.metadata))
                )
                for one in records
            ]
        )


class RemembersOldEntries(Right):
    caught_by = "test_metadata_changes_where_nothing_else_does"

    def __init__(self) -> None:
        super().__init__()
        self.all: dict[str, dict[str, None]] = {}

    def kept(self, record: Record) -> Record:
        held = self.all.setdefault(record.id, {})
        held |= dict.fromkeys(record.fields()["metadata"])
        return record

    def fields(self, record: Record) -> Mapping[str, Any]:
        return _with_entries(record, tuple(self.all[record.id]))


class SearchIgnoresIt(Right):
    caught_by = "test_metadata_is_compared_in_its_order"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        everything = lambda leaf: And() if leaf.field == "metadata" else leaf  # noqa: E731
        return await super().search(vector, limit, filter and _rewritten(filter, everything))


class FindIgnoresIt(Right):
    caught_by = "test_metadata_is_compared_in_its_order"

    async def find(self, filter: Filter, limit: int) -> Any:
        everything = lambda leaf: And() if leaf.field == "metadata" else leaf  # noqa: E731
        return await InMemoryVectorBackend.find(self, _rewritten(filter, everything), limit)


class HybridSearchIgnoresIt(Right):
    caught_by = "test_metadata_filters_hybrid_search"

    async def hybrid_search(
        self,
        text: str,
        vector: Any,
        limit: int,
        weights: Mapping[str, float],
        filter: Filter | None = None,
    ) -> Any:
        return await self.search(vector, limit)


class KeywordsWithoutMetadata(InMemoryKeywordBackend):
    caught_by = "test_metadata_is_compared_in_its_order"

    def _upsert(self, records: Sequence[Record]) -> None:
        super()._upsert(records)
        for one in records:
            self._fields[one.id] = {**one.fields(), "metadata": ()}


class KeywordsWithOldMetadata(InMemoryKeywordBackend):
    caught_by = "test_metadata_changes_where_nothing_else_does"

    def _upsert(self, records: Sequence[Record]) -> None:
        old = dict(self._fields)
        super()._upsert(records)
        for one in records:
            if one.id in old:
                self._fields[one.id] = {**one.fields(), "metadata": old[one.id]["metadata"]}


MUTANTS = [
    pytest.param(one, id=one.__name__)
    for one in list(globals().values())
    if isinstance(one, type) and getattr(one, "caught_by", "")
]


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_kit_fails_it(mutant: Any) -> None:
    keyword = issubclass(mutant, InMemoryKeywordBackend)
    tests = KeywordBackendTests if keyword else VectorBackendTests
    found = failing_tests(tests, lambda collection: mutant(), only=[mutant.caught_by])
    assert list(found) == [mutant.caught_by]


def test_the_kit_passes_what_is_right() -> None:
    only = [name for name in dir(MetadataRecordTests) if name.startswith("test_metadata")]
    assert failing_tests(VectorBackendTests, lambda collection: Right(), only=only) == {}
