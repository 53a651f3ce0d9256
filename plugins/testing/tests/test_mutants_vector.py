"""Vector backends that are wrong on purpose: the conformance kit fails every one, and none that is right."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import threading
import time
import unicodedata
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hierdoc import (
    CapabilityError,
    Filter,
    IndexMismatchError,
    Match,
    QueryError,
    StoreError,
    reciprocal_rank_fusion,
)
from hierdoc.errors import PartialWriteError
from hierdoc.filters import Contains, Equals, In, Not, Under
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    matches,
    require_capabilities,
)
from hierdoc_in_memory.keyword import KeywordIndex
from hierdoc_in_memory.vector import InMemoryVectorBackend
from hierdoc_testing import VectorBackendTests, conformance_tests, direction, failing_tests


class Right:
    """The simplest backend that is right: a dictionary, one array, and a lock."""

    capabilities = ALL_FILTERS | {Capability.ATOMIC_REPLACE, Capability.NATIVE_HYBRID}
    page = 1000
    caught_by = ""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self.spec: IndexSpec | None = None
        self.words = KeywordIndex(language="none")
        self.lock = threading.Lock()

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        if reset:
            self.records, self.words = {}, KeywordIndex(language="none")
        elif self.spec not in (None, spec):
            raise IndexMismatchError("another spec", hint="force it")
        self.spec = spec

    def check(self, records: Sequence[Record]) -> None:
        assert self.spec is not None
        for one in records:
            if one.vector is None or one.vector.shape != (self.spec.dimensions,):
                raise StoreError(f"{one.id!r} has no vector of this index")

    def put(self, records: Sequence[Record]) -> None:
        with self.lock:
            for one in records:
                self.records[one.id] = one
                self.words.add(one.id, one.text)

    def drop(self, ids: Sequence[str]) -> None:
        with self.lock:
            for one in ids:
                self.records.pop(one, None)
                self.words.remove(one)

    def of(self, sources: Sequence[str]) -> list[str]:
        wanted = set(sources)
        return [name for name, one in self.records.items() if one.chunk.source in wanted]

    async def upsert(self, records: Sequence[Record]) -> None:
        self.check(records)
        await asyncio.to_thread(self.put, records)

    async def replace_documents(self, records: Sequence[Record]) -> None:
        self.check(records)
        kept = {one.id for one in records}
        old = [name for name in self.of([one.chunk.source for one in records]) if name not in kept]
        self.drop(old)
        self.put(records)

    async def delete_documents(self, sources: Sequence[str]) -> None:
        await asyncio.to_thread(lambda: self.drop(self.of(sources)))

    def selected(self, filter: Filter | None) -> list[Record]:
        held = list(self.records.values())
        return [one for one in held if filter is None or matches(filter, one.fields())]

    def score(self, record: Record, query: Any) -> float:
        return float(np.dot(record.vector, query))

    def ranked(self, query: Any, filter: Filter | None) -> list[Match]:
        records = self.selected(filter)
        if not records:
            return []
        scores = np.array([one.vector for one in records]) @ query
        found = [Match(one.id, float(score)) for one, score in zip(records, scores, strict=True)]
        return sorted(found, key=lambda match: (-round(match.score, 6), match.chunk_id))

    def measured(self, vector: Any) -> None:
        assert self.spec is not None
        if vector.shape != (self.spec.dimensions,):
            raise QueryError("the vector has another length than those of the index")

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        self.measured(vector)
        found = await asyncio.to_thread(self.ranked, vector, filter)
        return [replace(match, score=round(match.score, 6)) for match in found[:limit]]

    async def hybrid_search(
        self,
        text: str,
        vector: Any,
        limit: int,
        weights: Mapping[str, float],
        filter: Filter | None = None,
    ) -> Any:
        self.measured(vector)

        def work() -> list[Match]:
            held = {one.id for one in self.selected(filter)}
            words = self.words.search(text, len(held), held.__contains__)
            legs = [[match.chunk_id for match in words]]
            used = [weights["keyword"]]
            if vector.any():
                legs.append([match.chunk_id for match in self.ranked(vector, filter)])
                used.append(weights["semantic"])
            fused = reciprocal_rank_fusion(legs, 60, used)
            return [Match(*one) for one in fused[:limit]]

        return await asyncio.to_thread(work)

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Any:
        held = [self.records[name] for name in ids if name in self.records]
        return [one if vectors else replace(one, vector=None) for one in held]

    async def find(self, filter: Filter, limit: int) -> Any:
        def work() -> list[Record]:
            held = self.selected(filter)
            return sorted(held, key=lambda one: (one.chunk.source, one.chunk.ordinal))[:limit]

        return await asyncio.to_thread(work)

    async def scan(self, *, vectors: bool = False) -> Any:
        ids = sorted(self.records)
        for start in range(0, len(ids), self.page):
            page = await self.get(ids[start : start + self.page], vectors=vectors)
            if page:
                yield page

    async def documents(self) -> Mapping[str, DocumentState]:
        def work() -> dict[str, DocumentState]:
            versions: dict[str, list[Any]] = {}
            for one in list(self.records.values()):
                versions.setdefault(one.chunk.source, []).append(one.version)
            return {
                source: DocumentState(held[0] if len(set(held)) == 1 else None, len(held))
                for source, held in versions.items()
            }

        return await asyncio.to_thread(work)

    async def count(self) -> int:
        return len(self.records)

    async def aclose(self) -> None:
        pass


class DistanceAsScore(Right):
    caught_by = "test_the_most_similar_comes_first_with_its_cosine"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        found = await super().search(vector, limit, filter)
        return [Match(match.chunk_id, 1 - match.score) for match in found]


class NegatedDistance(Right):
    caught_by = "test_the_most_similar_comes_first_with_its_cosine"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        found = await super().search(vector, limit, filter)
        return [Match(match.chunk_id, match.score - 1) for match in found]


class WorstFirst(Right):
    caught_by = "test_matches_are_ordered_and_plain"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        return (await super().search(vector, 10_000, filter))[::-1][:limit]


class TiesAsTheyCome(Right):
    caught_by = "test_matches_are_ordered_and_plain"

    def ranked(self, query: Any, filter: Filter | None) -> list[Match]:
        ids = list(self.records)
        return sorted(
            super().ranked(query, filter), key=lambda m: (-round(m.score, 6), ids.index(m.chunk_id))
        )


class TiesAfterTheLimit(Right):
    caught_by = "test_ties_are_broken_by_id_where_the_limit_cuts_them"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        ids = {name: n for n, name in enumerate(self.records)}
        found = await super().search(vector, 100_000, filter)
        found = sorted(found, key=lambda m: (-m.score, ids[m.chunk_id]))[:limit]
        return sorted(found, key=lambda m: (-m.score, m.chunk_id))


class Threshold(Right):
    caught_by = "test_hybrid_search_uses_the_weights"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        return [m for m in await super().search(vector, limit, filter) if m.score > 0]


class NumpyScores(Right):
    caught_by = "test_matches_are_ordered_and_plain"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        found = await super().search(vector, limit, filter)
        return [Match(match.chunk_id, np.float32(match.score)) for match in found]


class NotANumber(Right):
    caught_by = "test_a_zero_vector_is_stored_and_does_no_harm"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        found = await super().search(vector, limit, filter)
        zero = {name for name, one in self.records.items() if not one.vector.any()}
        return [Match(m.chunk_id, float("nan")) if m.chunk_id in zero else m for m in found]


class RefusesZeroVectors(Right):
    caught_by = "test_a_zero_vector_is_stored_and_does_no_harm"

    def put(self, records: Sequence[Record]) -> None:
        super().put([one for one in records if one.vector.any()])


class FilterAfterTheLimit(Right):
    caught_by = "test_a_filter_that_selects_one_percent_fills_the_limit"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        found = await super().search(vector, limit)
        kept = {one.id for one in self.selected(filter)}
        return [match for match in found if match.chunk_id in kept]


class OverfetchesTenfold(Right):
    caught_by = "test_a_filter_that_selects_one_percent_fills_the_limit"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        found = await super().search(vector, 10 * limit)
        kept = {one.id for one in self.selected(filter)}
        return [match for match in found if match.chunk_id in kept][:limit]


class IgnoresTheFilter(Right):
    caught_by = "test_upsert_replaces_a_record_whole"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        return await super().search(vector, limit)


class OneTooMany(Right):
    caught_by = "test_ties_are_broken_by_id_where_the_limit_cuts_them"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        return await super().search(vector, limit + 1, filter)


class AtMostAThousand(Right):
    caught_by = "test_the_limit_holds"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        return await super().search(vector, min(limit, 1000), filter)


class CachesSearches(Right):
    caught_by = "test_upsert_replaces_a_record_whole"

    def __init__(self) -> None:
        super().__init__()
        self.cache: dict[Any, Any] = {}

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        key = (vector.tobytes(), limit, str(filter))
        if key not in self.cache:
            self.cache[key] = await super().search(vector, limit, filter)
        return self.cache[key]


class CachesCounts(Right):
    caught_by = "test_all_records_of_a_document_are_deleted_and_no_others"
    counted: int | None = None

    async def count(self) -> int:
        self.counted = await super().count() if self.counted is None else self.counted
        return self.counted


class CachesDocuments(Right):
    caught_by = "test_all_records_of_a_document_are_deleted_and_no_others"
    known: Any = None

    async def documents(self) -> Any:
        self.known = self.known or await super().documents()
        return self.known


class WritesLater(Right):
    caught_by = "test_matches_are_ordered_and_plain"

    async def upsert(self, records: Sequence[Record]) -> None:
        self.check(records)
        self.later = asyncio.get_running_loop().call_later(0.05, self.put, records)


class AddsInsteadOfReplacing(Right):
    caught_by = "test_upsert_replaces_a_record_whole"

    def __init__(self) -> None:
        super().__init__()
        self.extra = 0

    async def upsert(self, records: Sequence[Record]) -> None:
        self.extra += sum(one.id in self.records for one in records)
        await super().upsert(records)

    async def count(self) -> int:
        return len(self.records) + self.extra


class IgnoresKnownIds(Right):
    caught_by = "test_upsert_replaces_a_record_whole"

    def put(self, records: Sequence[Record]) -> None:
        super().put([one for one in records if one.id not in self.records])


class FirstOfTwoCounts(Right):
    caught_by = "test_of_one_id_twice_in_a_batch_the_last_counts"

    async def upsert(self, records: Sequence[Record]) -> None:
        await super().upsert(records[::-1])


class KeepsOldFields(Right):
    caught_by = "test_upsert_replaces_a_record_whole"

    def put(self, records: Sequence[Record]) -> None:
        merged = []
        for one in records:
            old = self.records.get(one.id)
            if old and not one.chunk.headings:
                chunk = replace(one.chunk, headings=old.chunk.headings, kind=old.chunk.kind)
                one = replace(one, chunk=chunk)
            merged.append(one)
        super().put(merged)


class KeepsOldVectors(Right):
    caught_by = "test_a_new_vector_replaces_the_old_one"

    def put(self, records: Sequence[Record]) -> None:
        old = {name: one.vector for name, one in self.records.items()}
        super().put([replace(one, vector=old.get(one.id, one.vector)) for one in records])


class LowerCaseIds(Right):
    caught_by = "test_ties_are_broken_by_id_where_the_limit_cuts_them"

    def put(self, records: Sequence[Record]) -> None:
        super().put([replace(r, chunk=replace(r.chunk, id=r.id.lower())) for r in records])


class StrippedIds(Right):
    caught_by = "test_names_of_any_shape_are_kept_apart"

    def put(self, records: Sequence[Record]) -> None:
        super().put([replace(r, chunk=replace(r.chunk, id=r.id.strip())) for r in records])


class NormalisedIds(Right):
    caught_by = "test_names_of_any_shape_are_kept_apart"

    def put(self, records: Sequence[Record]) -> None:
        super().put(
            [
                replace(r, chunk=replace(r.chunk, id=unicodedata.normalize("NFKC", r.id)))
                for r in records
            ]
        )


class NumbersAsIds(Right):
    caught_by = "test_matches_are_ordered_and_plain"

    def put(self, records: Sequence[Record]) -> None:
        super().put(
            [
                replace(r, chunk=replace(r.chunk, id=str(int(r.id)) if r.id.isdigit() else r.id))
                for r in records
            ]
        )


class ShortIds(Right):
    caught_by = "test_names_of_any_shape_are_kept_apart"

    def put(self, records: Sequence[Record]) -> None:
        super().put([replace(r, chunk=replace(r.chunk, id=r.id[:512])) for r in records])


class PathsAsIds(Right):
    caught_by = "test_all_records_of_a_document_are_deleted_and_no_others"

    def put(self, records: Sequence[Record]) -> None:
        super().put(
            [replace(r, chunk=replace(r.chunk, id=r.id.replace("/", "_"))) for r in records]
        )


class ReplacesSurrogates(Right):
    caught_by = "test_names_that_are_no_valid_text_are_kept_apart"

    def put(self, records: Sequence[Record]) -> None:
        def clean(text: str) -> str:
            return text.encode("utf-8", "replace").decode()

        super().put([replace(r, chunk=replace(r.chunk, id=clean(r.id))) for r in records])


class DropsNul(Right):
    caught_by = "test_records_come_back_whole"

    def put(self, records: Sequence[Record]) -> None:
        super().put(
            [replace(r, chunk=replace(r.chunk, text=r.text.replace("\x00", ""))) for r in records]
        )


class DeletesByPrefix(Right):
    caught_by = "test_all_records_of_a_document_are_deleted_and_no_others"

    def of(self, sources: Sequence[str]) -> list[str]:
        begin = tuple(sources)
        return [name for name, one in self.records.items() if one.chunk.source.startswith(begin)]


class DeletesTheFirstSource(Right):
    caught_by = "test_all_records_of_a_document_are_deleted_and_no_others"

    async def delete_documents(self, sources: Sequence[str]) -> None:
        await super().delete_documents(sources[:1])


class DeletesAThousand(Right):
    caught_by = "test_all_records_of_a_document_are_deleted_and_no_others"

    async def delete_documents(self, sources: Sequence[str]) -> None:
        self.drop(self.of(sources)[:1000])


class DeletesAllForNone(Right):
    caught_by = "test_all_records_of_a_document_are_deleted_and_no_others"

    async def delete_documents(self, sources: Sequence[str]) -> None:
        self.drop(self.of(sources) if sources else list(self.records))


class UnknownSourcesRaise(Right):
    caught_by = "test_an_empty_store_holds_nothing"

    async def delete_documents(self, sources: Sequence[str]) -> None:
        if not set(sources) <= {one.chunk.source for one in self.records.values()}:
            raise StoreError("unknown document")
        await super().delete_documents(sources)


class LosesTheLastPage(Right):
    caught_by = "test_scan_goes_on_while_others_write"

    async def scan(self, *, vectors: bool = False) -> Any:
        held = [page async for page in super().scan(vectors=vectors)]
        for page in held[:-1] if len(held) > 1 else held:
            yield page


class RepeatsAPage(Right):
    caught_by = "test_records_come_back_whole"

    async def scan(self, *, vectors: bool = False) -> Any:
        async for page in super().scan(vectors=vectors):
            yield page
        if self.records:
            yield page[-1:]


class OnePage(Right):
    caught_by = "test_scan_gives_every_record_once_in_pages"
    page = 1_000_000


class ScansByOffset(Right):
    caught_by = "test_scan_goes_on_while_others_write"

    async def scan(self, *, vectors: bool = False) -> Any:
        start = 0
        while page := sorted(self.records)[start : start + self.page]:
            yield await self.get(page, vectors=vectors)
            start += self.page


class ScansWithoutVectors(Right):
    caught_by = "test_vectors_come_back_if_asked"

    async def scan(self, *, vectors: bool = False) -> Any:
        async for page in super().scan():
            yield page


class ShuffledVectors(Right):
    caught_by = "test_vectors_come_back_if_asked"

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Any:
        held = await super().get(ids, vectors=vectors)
        if not vectors:
            return held
        turned = [one.vector for one in held[::-1]]
        return [replace(one, vector=v) for one, v in zip(held, turned, strict=True)]


class DoubleVectors(Right):
    caught_by = "test_vectors_come_back_if_asked"

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Any:
        held = await super().get(ids, vectors=vectors)
        return [replace(o, vector=o.vector.astype(np.float64)) for o in held] if vectors else held


class GetsInItsOwnOrder(Right):
    caught_by = "test_records_come_back_whole"

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Any:
        return sorted(await super().get(ids, vectors=vectors), key=lambda one: one.id)


class GetsAThousand(Right):
    caught_by = "test_get_keeps_the_order_and_leaves_unknown_ids_out"

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Any:
        return await super().get(ids[:1000], vectors=vectors)


class UnknownIdsRaise(Right):
    caught_by = "test_get_keeps_the_order_and_leaves_unknown_ids_out"

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Any:
        return [self.records[name] for name in ids]


class FindsUnordered(Right):
    caught_by = "test_find_orders_by_source_and_position"

    async def find(self, filter: Filter, limit: int) -> Any:
        return self.selected(filter)[:limit]


class FindsThenSorts(Right):
    caught_by = "test_find_orders_by_source_and_position"

    async def find(self, filter: Filter, limit: int) -> Any:
        held = self.selected(filter)[:limit]
        return sorted(held, key=lambda one: (one.chunk.source, one.chunk.ordinal))


class OrdinalsAsText(Right):
    caught_by = "test_find_orders_by_source_and_position"

    async def find(self, filter: Filter, limit: int) -> Any:
        held = self.selected(filter)
        return sorted(held, key=lambda one: (one.chunk.source, str(one.chunk.ordinal)))[:limit]


class CollatedSources(Right):
    caught_by = "test_find_orders_by_source_and_position"

    async def find(self, filter: Filter, limit: int) -> Any:
        held = self.selected(filter)
        return sorted(held, key=lambda o: (o.chunk.source.lower(), o.chunk.ordinal))[:limit]


class LosesDefinitions(Right):
    caught_by = "test_records_come_back_whole"

    def put(self, records: Sequence[Record]) -> None:
        super().put(
            [replace(r, chunk=replace(r.chunk, references=(), sections=())) for r in records]
        )


class ListsForTuples(Right):
    caught_by = "test_records_come_back_whole"

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Any:
        held = await super().get(ids, vectors=vectors)
        return [
            replace(one, chunk=replace(one.chunk, parent_chain=list(one.chunk.parent_chain)))
            for one in held
        ]


class ShortTexts(Right):
    caught_by = "test_texts_of_any_shape_come_back"

    def put(self, records: Sequence[Record]) -> None:
        super().put(
            [replace(r, chunk=replace(r.chunk, text=r.chunk.text[:65_535])) for r in records]
        )


class TrustsTheVersion(Right):
    caught_by = "test_documents_tells_versions_and_numbers"

    async def documents(self) -> Any:
        held = await super().documents()
        return {
            s: replace(d, records=d.version.records if d.version else d.records)
            for s, d in held.items()
        }


class FirstVersionWins(Right):
    caught_by = "test_documents_tells_versions_and_numbers"

    async def documents(self) -> Any:
        held = await super().documents()
        first = {one.chunk.source: one.version for one in self.records.values()}
        return {source: replace(state, version=first[source]) for source, state in held.items()}


class TenBuckets(Right):
    caught_by = "test_ten_thousand_records_in_one_batch"

    async def documents(self) -> Any:
        return dict(list((await super().documents()).items())[:1000])


class TakesAnySpec(Right):
    caught_by = "test_another_spec_is_refused"

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        self.spec = None
        await super().prepare(spec, reset=reset)


class ForgetsToReset(Right):
    caught_by = "test_prepare_keeps_and_reset_drops"

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        self.spec = None if reset else self.spec
        await super().prepare(spec)


class AlwaysResets(Right):
    caught_by = "test_prepare_keeps_and_reset_drops"

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        await super().prepare(spec, reset=True)


class SharedState(Right):
    caught_by = "test_collections_share_nothing"
    shared: dict[str, Record] = {}  # noqa: RUF012 - the mistake

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        await super().prepare(spec, reset=reset)
        if reset:
            self.shared.clear()
        self.records = self.shared


class SwallowsErrors(Right):
    caught_by = "test_a_write_that_fails_names_what_was_not_written"

    async def upsert(self, records: Sequence[Record]) -> None:
        with contextlib.suppress(StoreError):
            await super().upsert(records)


class WritesTheRestSilently(Right):
    caught_by = "test_a_write_that_fails_names_what_was_not_written"

    def check(self, records: Sequence[Record]) -> None:
        pass

    def put(self, records: Sequence[Record]) -> None:
        super().put([one for one in records if one.vector.shape == (self.spec.dimensions,)])  # type: ignore[union-attr]


class NamesTheWrongOnes(Right):
    caught_by = "test_a_write_that_fails_names_what_was_not_written"

    async def upsert(self, records: Sequence[Record]) -> None:
        try:
            await super().upsert(records)
        except StoreError as error:
            raise PartialWriteError("some", failed={records[0].id: "no"}) from error


class BlocksInSearch(Right):
    caught_by = "test_the_event_loop_is_never_blocked"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        time.sleep(0.12)
        return await super().search(vector, limit, filter)


class BlocksInUpsert(Right):
    caught_by = "test_the_event_loop_is_never_blocked"

    async def upsert(self, records: Sequence[Record]) -> None:
        time.sleep(0.15)
        await super().upsert(records)


class BlocksInScan(Right):
    caught_by = "test_the_event_loop_is_never_blocked"

    async def scan(self, *, vectors: bool = False) -> Any:
        time.sleep(0.15)
        async for page in super().scan(vectors=vectors):
            yield page


class ComputesOnTheLoop(Right):
    caught_by = "test_the_event_loop_is_never_blocked"

    async def documents(self) -> Any:
        sum(number * number for number in range(3_000_000))
        return await super().documents()


class LosesConcurrentWrites(Right):
    caught_by = "test_searches_and_writes_at_once"

    async def upsert(self, records: Sequence[Record]) -> None:
        self.check(records)
        held = dict(self.records)
        await asyncio.sleep(0)
        self.records = held | {one.id: one for one in records}


class OneCallAtATime(Right):
    caught_by = "test_searches_and_writes_at_once"
    busy = False

    async def upsert(self, records: Sequence[Record]) -> None:
        if self.busy:
            raise StoreError("another call is under way")
        self.busy = True
        try:
            await asyncio.sleep(0)
            await super().upsert(records)
        finally:
            self.busy = False


class LeavesAThread(Right):
    caught_by = "test_nothing_is_left_after_aclose"

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        await super().prepare(spec, reset=reset)
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.stop.wait, args=(20,), daemon=True)
        self.thread.start()


class LeavesAFile(Right):
    caught_by = "test_nothing_is_left_after_aclose"

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        await super().prepare(spec, reset=reset)
        self.pipe = os.pipe()


class LeavesATask(Right):
    caught_by = "test_nothing_is_left_after_aclose"

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        await super().prepare(spec, reset=reset)
        self.task = asyncio.ensure_future(asyncio.sleep(100))


class ClosesOnce(Right):
    caught_by = "test_closing_again_does_nothing"
    closed = False

    async def aclose(self) -> None:
        if self.closed:
            raise StoreError("closed already")
        self.closed = True


class FilterWithPatterns(Right):
    caught_by = "test_a_claimed_operator_selects_what_it_means"

    def selected(self, filter: Filter | None) -> list[Record]:
        if isinstance(filter, Equals) and filter.value.endswith("%"):
            begin = filter.value[:-1]
            return [
                o for o in self.records.values() if str(o.fields()[filter.field]).startswith(begin)
            ]
        return super().selected(filter)


class NotSkipsNull(Right):
    caught_by = "test_a_claimed_operator_selects_what_it_means"

    def selected(self, filter: Filter | None) -> list[Record]:
        held = super().selected(filter)
        if isinstance(filter, Not) and isinstance(filter.filter, Equals):
            field = filter.filter.field
            return [one for one in held if one.fields()[field] is not None]
        return held


class EmptyInSelectsAll(Right):
    caught_by = "test_a_claimed_operator_selects_what_it_means"

    def selected(self, filter: Filter | None) -> list[Record]:
        if isinstance(filter, In) and not filter.values:
            return list(self.records.values())
        return super().selected(filter)


class UnderAnyLevel(Right):
    caught_by = "test_a_claimed_operator_selects_what_it_means"

    def selected(self, filter: Filter | None) -> list[Record]:
        if isinstance(filter, Under):
            wanted = set(filter.chain)
            return [one for one in self.records.values() if wanted <= set(one.chunk.parent_chain)]
        return super().selected(filter)


class FiltersWhatItDoesNotClaim(Right):
    caught_by = "test_an_unclaimed_operator_is_refused"
    capabilities = Right.capabilities - {Capability.FILTER_NOT, Capability.FILTER_OR}


class ClaimsTooMuch(Right):
    caught_by = "test_a_claimed_operator_selects_what_it_means"

    def selected(self, filter: Filter | None) -> list[Record]:
        if isinstance(filter, Under):
            raise CapabilityError("no prefixes here")
        return super().selected(filter)


class ImitatesHybrid(Right):
    caught_by = "test_unclaimed_hybrid_search_is_refused"
    capabilities = Right.capabilities - {Capability.NATIVE_HYBRID}


class ClaimsPersistence(Right):
    caught_by = "test_what_is_persistent_is_there_after_reopening"
    capabilities = Right.capabilities | {Capability.PERSISTENT}


class HybridIgnoresTheText(Right):
    caught_by = "test_hybrid_search_uses_the_text"

    async def hybrid_search(
        self, text: str, vector: Any, limit: int, weights: Any, filter: Any = None
    ) -> Any:
        return await self.search(vector, limit, filter)


class HybridIgnoresTheVector(Right):
    caught_by = "test_hybrid_search_uses_the_weights"

    async def hybrid_search(
        self, text: str, vector: Any, limit: int, weights: Any, filter: Any = None
    ) -> Any:
        return await super().hybrid_search(text, vector * 0, limit, weights, filter)


class HybridIgnoresTheWeights(Right):
    caught_by = "test_hybrid_search_uses_the_weights"

    async def hybrid_search(
        self, text: str, vector: Any, limit: int, weights: Any, filter: Any = None
    ) -> Any:
        weights = {"semantic": 0.5, "keyword": 0.5}
        return await super().hybrid_search(text, vector, limit, weights, filter)


class HybridSwapsTheWeights(Right):
    caught_by = "test_hybrid_search_uses_the_context"

    async def hybrid_search(
        self, text: str, vector: Any, limit: int, weights: Any, filter: Any = None
    ) -> Any:
        weights = {"semantic": weights["keyword"], "keyword": weights["semantic"]}
        return await super().hybrid_search(text, vector, limit, weights, filter)


class HybridIgnoresTheFilter(Right):
    caught_by = "test_hybrid_matches_keep_order_limit_and_filter"

    async def hybrid_search(
        self, text: str, vector: Any, limit: int, weights: Any, filter: Any = None
    ) -> Any:
        return await super().hybrid_search(text, vector, limit, weights)


class HybridMatchesTheWholeField(Right):
    caught_by = "test_hybrid_search_uses_the_text"

    async def hybrid_search(
        self, text: str, vector: Any, limit: int, weights: Any, filter: Any = None
    ) -> Any:
        exact = any(one.text == text for one in self.records.values())
        return await super().hybrid_search(text if exact else "", vector, limit, weights, filter)


class HybridTakesTheTextForAFilter(Right):
    caught_by = "test_hybrid_search_uses_the_weights"

    async def hybrid_search(
        self, text: str, vector: Any, limit: int, weights: Any, filter: Any = None
    ) -> Any:
        found = await super().hybrid_search(text, vector, limit, weights, filter)
        words = {match.chunk_id for match in self.words.search(text, 1000)}
        return [match for match in found if match.chunk_id in words] if words else found


class HybridForgetsTheContext(Right):
    caught_by = "test_hybrid_search_uses_the_context"

    def put(self, records: Sequence[Record]) -> None:
        super().put(records)
        for one in records:
            self.words.add(one.id, one.chunk.text)


class ReplacesInTwoSteps(Right):
    caught_by = "test_a_document_is_seen_before_or_after_its_replacement"

    async def replace_documents(self, records: Sequence[Record]) -> None:
        await self.delete_documents([one.chunk.source for one in records])
        await self.upsert(records)


class ReplaceKeepsOldRecords(Right):
    caught_by = "test_replaced_documents_have_only_the_new_records"

    async def replace_documents(self, records: Sequence[Record]) -> None:
        await self.upsert(records)


class ReplaceDropsEverything(Right):
    caught_by = "test_replaced_documents_have_only_the_new_records"

    async def replace_documents(self, records: Sequence[Record]) -> None:
        self.check(records)
        self.drop(list(self.records))
        self.put(records)


class ChangesTheQuery(Right):
    caught_by = "test_a_search_leaves_the_query_as_it_is"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        found = await super().search(vector, limit, filter)
        vector *= 2
        return found


class CutsLongVectors(Right):
    caught_by = "test_a_query_of_another_length_is_refused"

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        assert self.spec is not None
        padded = np.zeros(self.spec.dimensions, np.float32)
        size = min(len(vector), len(padded))
        padded[:size] = vector[:size]
        return await super().search(padded, limit, filter)


class FirstHalfOfTheVector(Right):
    caught_by = "test_search_is_exact_among_a_few_hundred"

    def ranked(self, query: Any, filter: Filter | None) -> list[Match]:
        half = query.copy()
        half[len(half) // 2 :] = 0
        return super().ranked(half, filter)


class SortsLists(Right):
    caught_by = "test_records_come_back_whole"

    def put(self, records: Sequence[Record]) -> None:
        super().put([changed(r, section_keys=tuple(sorted(r.chunk.section_keys))) for r in records])


class DropsRepetitions(Right):
    caught_by = "test_records_come_back_whole"

    def put(self, records: Sequence[Record]) -> None:
        super().put([changed(r, headings=tuple(dict.fromkeys(r.chunk.headings))) for r in records])


class UnixLineEnds(Right):
    caught_by = "test_records_come_back_whole"

    def put(self, records: Sequence[Record]) -> None:
        super().put([changed(r, text=r.chunk.text.replace("\r\n", "\n")) for r in records])


class SplitsLines(Right):
    caught_by = "test_records_come_back_whole"

    def put(self, records: Sequence[Record]) -> None:
        super().put([changed(r, text="\n".join(r.chunk.text.splitlines())) for r in records])


class JoinsHeadings(Right):
    caught_by = "test_records_come_back_whole"

    def put(self, records: Sequence[Record]) -> None:
        def parted(chain: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(" > ".join(chain).split(" > ")) if chain else ()

        super().put([changed(r, parent_chain=parted(r.chunk.parent_chain)) for r in records])


class ForgetsWorks(Right):
    caught_by = "test_records_come_back_whole"

    def put(self, records: Sequence[Record]) -> None:
        super().put(
            [
                changed(r, references=tuple(replace(one, keys=()) for one in r.chunk.references))
                for r in records
            ]
        )


class SixteenBitOrdinals(Right):
    caught_by = "test_records_come_back_whole"

    def put(self, records: Sequence[Record]) -> None:
        super().put([changed(r, ordinal=r.chunk.ordinal % 65_536) for r in records])


class PaddedOrdinals(Right):
    caught_by = "test_find_orders_by_source_and_position"

    async def find(self, filter: Filter, limit: int) -> Any:
        held = self.selected(filter)
        return sorted(held, key=lambda o: (o.chunk.source, f"{o.chunk.ordinal:04d}"))[:limit]


class _HashedIds(Right):
    def number(self, id: str) -> int:
        raise NotImplementedError

    def put(self, records: Sequence[Record]) -> None:
        for one in records:
            same = [
                i for i in self.records if i != one.id and self.number(i) == self.number(one.id)
            ]
            self.drop(same)
            super().put([one])


class Crc32Ids(_HashedIds):
    caught_by = "test_names_of_any_shape_are_kept_apart"

    def number(self, id: str) -> int:
        return zlib.crc32(id.encode("utf-8", "surrogatepass"))


class JavaHashIds(_HashedIds):
    caught_by = "test_names_of_any_shape_are_kept_apart"

    def number(self, id: str) -> int:
        return functools.reduce(lambda made, one: (31 * made + ord(one)) & 0xFFFFFFFF, id, 0)


class InOncePerValue(Right):
    caught_by = "test_a_claimed_operator_selects_what_it_means"

    def selected(self, filter: Filter | None) -> list[Record]:
        if isinstance(filter, In):
            each = [
                super(InOncePerValue, self).selected(Equals(filter.field, one))
                for one in filter.values
            ]
            return [record for found in each for record in found]
        return super().selected(filter)


class ComposesLetters(Right):
    caught_by = "test_a_claimed_operator_selects_what_it_means"

    def selected(self, filter: Filter | None) -> list[Record]:
        if isinstance(filter, Contains):
            wanted = unicodedata.normalize("NFC", filter.value)
            return [
                one
                for one in self.records.values()
                if wanted in [unicodedata.normalize("NFC", v) for v in one.fields()[filter.field]]
            ]
        return super().selected(filter)


class ForgetsReferenceKeys(Right):
    caught_by = "test_a_claimed_operator_selects_what_it_means"

    def selected(self, filter: Filter | None) -> list[Record]:
        if isinstance(filter, Contains) and filter.field == "reference_keys":
            return []
        return super().selected(filter)


class KeepsOldTags(Right):
    caught_by = "test_contained_values_follow_an_upsert"

    def __init__(self) -> None:
        super().__init__()
        self.tags: dict[str, set[str]] = {}

    def put(self, records: Sequence[Record]) -> None:
        super().put(records)
        for one in records:
            self.tags.setdefault(one.id, set()).update(one.chunk.headings)

    def selected(self, filter: Filter | None) -> list[Record]:
        if isinstance(filter, Contains) and filter.field == "headings":
            return [one for one in self.records.values() if filter.value in self.tags[one.id]]
        return super().selected(filter)


class RoundsScores(Right):
    caught_by = "test_scores_close_to_each_other_come_in_order"

    def ranked(self, query: Any, filter: Filter | None) -> list[Match]:
        found = [replace(one, score=round(one.score, 2)) for one in super().ranked(query, filter)]
        return sorted(found, key=lambda match: (-match.score, match.chunk_id))


class FiveBits(Right):
    caught_by = "test_scores_close_to_each_other_come_in_order"

    def put(self, records: Sequence[Record]) -> None:
        def coarse(vector: Any) -> Any:
            most = float(np.abs(vector).max()) or 1.0
            return (np.round(vector / most * 15) * most / 15).astype(np.float32)

        super().put([replace(one, vector=coarse(one.vector)) for one in records])


class FirstComponentsOnly(Right):
    caught_by = "test_search_is_exact_among_a_few_hundred"

    def ranked(self, query: Any, filter: Filter | None) -> list[Match]:
        short = query.copy()
        short[256:] = 0
        return super().ranked(short, filter)


class ChecksPortionByPortion(Right):
    caught_by = "test_a_wrong_record_among_thousands_is_named"

    async def upsert(self, records: Sequence[Record]) -> None:
        for start in range(0, len(records), 1000):
            await super().upsert(records[start : start + 1000])


class NamesThePortion(Right):
    caught_by = "test_a_wrong_record_among_thousands_is_named"

    async def upsert(self, records: Sequence[Record]) -> None:
        for start in range(0, len(records), 1000):
            try:
                await super().upsert(records[start : start + 1000])
            except StoreError as error:
                failed = {one.id: "no" for one in records[start : start + 1000]}
                raise PartialWriteError("some were not written", failed=failed) from error


class EmptiesItsBatch(Right):
    caught_by = "test_what_is_written_stays_as_it_is"

    async def upsert(self, records: Any) -> None:
        while records:
            await super().upsert(records[:10])
            del records[:10]


class ScalesVectorsInPlace(Right):
    caught_by = "test_what_is_written_stays_as_it_is"

    async def upsert(self, records: Sequence[Record]) -> None:
        for one in records:
            assert one.vector is not None
            one.vector[:] = one.vector * np.float32(2)
        await super().upsert(records)


class NeverReleasesItsLock(Right):
    caught_by = "test_a_cancelled_call_leaves_the_store_usable"

    def __init__(self) -> None:
        super().__init__()
        self.turn = asyncio.Lock()

    async def upsert(self, records: Sequence[Record]) -> None:
        await self.turn.acquire()
        await super().upsert(records)
        self.turn.release()


class StaysBusy(Right):
    caught_by = "test_a_cancelled_call_leaves_the_store_usable"
    busy = False

    async def documents(self) -> Any:
        if self.busy:
            raise StoreError("another call is under way")
        self.busy = True
        held = await super().documents()
        self.busy = False
        return held


class ClosesOnCancel(Right):
    caught_by = "test_a_cancelled_call_leaves_the_store_usable"
    broken = False

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        if self.broken:
            raise StoreError("the connection is broken")
        self.broken = True
        found = await super().search(vector, limit, filter)
        self.broken = False
        return found


class ClosedSeemsEmpty(Right):
    caught_by = "test_a_closed_store_is_not_an_empty_one"

    async def aclose(self) -> None:
        self.records = {}


class ClosedRaisesAnything(Right):
    caught_by = "test_a_closed_store_is_not_an_empty_one"
    closed = False

    async def count(self) -> int:
        if self.closed:
            raise AttributeError("'NoneType' object has no attribute 'execute'")
        return await super().count()

    async def aclose(self) -> None:
        self.closed = True


class AnyErrorForALength(Right):
    caught_by = "test_a_query_of_another_length_is_refused"

    def measured(self, vector: Any) -> None:
        assert self.spec is not None
        if vector.shape != (self.spec.dimensions,):
            raise ValueError("shapes do not match")


class HybridOfAnyLength(Right):
    caught_by = "test_a_query_of_another_length_is_refused"

    async def hybrid_search(
        self, text: str, vector: Any, limit: int, weights: Any, filter: Any = None
    ) -> Any:
        assert self.spec is not None
        padded = np.resize(vector, self.spec.dimensions) if len(vector) else direction(1)
        return await super().hybrid_search(text, padded, limit, weights, filter)


class FirstSearchBuilds(Right):
    caught_by = "test_the_event_loop_is_never_blocked"
    fresh = False

    async def upsert(self, records: Sequence[Record]) -> None:
        await super().upsert(records)
        self.fresh = False

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        if not self.fresh:
            time.sleep(0.15)
        self.fresh = True
        return await super().search(vector, limit, filter)


class HybridFiltersAfterTheLimit(Right):
    caught_by = "test_hybrid_matches_keep_order_limit_and_filter"

    async def hybrid_search(
        self, text: str, vector: Any, limit: int, weights: Any, filter: Any = None
    ) -> Any:
        found = await super().hybrid_search(text, vector, limit, weights)
        kept = {one.id for one in self.selected(filter)}
        return [match for match in found if match.chunk_id in kept]


class ReplacingLeavesTheCache(Right):
    caught_by = "test_replaced_documents_have_only_the_new_records"

    def __init__(self) -> None:
        super().__init__()
        self.cache: dict[Any, Any] = {}

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        self.cache.clear()
        await super().prepare(spec, reset=reset)

    async def upsert(self, records: Sequence[Record]) -> None:
        await super().upsert(records)
        self.cache.clear()

    async def delete_documents(self, sources: Sequence[str]) -> None:
        await super().delete_documents(sources)
        self.cache.clear()

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        if filter is not None:
            return await super().search(vector, limit, filter)
        key = (vector.tobytes(), limit)
        if key not in self.cache:
            self.cache[key] = await super().search(vector, limit)
        return self.cache[key]


class ReplaceCountsTheFirst(Right):
    caught_by = "test_of_one_id_twice_in_a_batch_the_last_counts"

    async def replace_documents(self, records: Sequence[Record]) -> None:
        await super().replace_documents(records[::-1])


class LosesConcurrentReplacements(Right):
    caught_by = "test_replacements_at_once_all_arrive"

    async def replace_documents(self, records: Sequence[Record]) -> None:
        self.check(records)
        old = set(self.of([one.chunk.source for one in records]))
        held = {name: one for name, one in self.records.items() if name not in old}
        await asyncio.sleep(0)
        self.records = held | {one.id: one for one in records}


class LosesAFullLastPage(Right):
    caught_by = "test_scan_may_end_with_a_full_page"
    page = 256

    async def scan(self, *, vectors: bool = False) -> Any:
        last: Any = None
        async for page in super().scan(vectors=vectors):
            if last:
                yield last
            last = page
        if last and len(last) < self.page:
            yield last


class GetsEachOnce(Right):
    caught_by = "test_get_keeps_the_order_and_leaves_unknown_ids_out"

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Any:
        return await super().get(list(dict.fromkeys(ids)), vectors=vectors)


class AThousandSources(Right):
    caught_by = "test_many_documents_are_deleted_at_once"

    async def delete_documents(self, sources: Sequence[str]) -> None:
        await super().delete_documents(sources[:1000])


class WithoutEquals(Right):
    """Right, though it claims few of the filters."""

    capabilities = Right.capabilities - {Capability.FILTER_EQUALS}

    def selected(self, filter: Filter | None) -> list[Record]:
        if filter is not None:
            require_capabilities(filter, self.capabilities, "the store")
        return super().selected(filter)

    async def find(self, filter: Filter, limit: int) -> Any:
        require_capabilities(filter, self.capabilities, "the store")
        return await super().find(filter, limit)


class EqualsAlone(WithoutEquals):
    capabilities = Right.capabilities - ALL_FILTERS | {Capability.FILTER_EQUALS}


class WithoutFilters(WithoutEquals):
    capabilities = Right.capabilities - ALL_FILTERS


def changed(record: Record, **fields: Any) -> Record:
    return replace(record, chunk=replace(record.chunk, **fields))


TEN_THOUSAND = (
    "test_ten_thousand_records_in_one_batch test_scan_gives_every_record_once_in_pages".split()
)
MARKS: dict[str, Any] = dict.fromkeys(TEN_THOUSAND, pytest.mark.nightly)
MARKS["test_the_event_loop_is_never_blocked"] = [pytest.mark.nightly, pytest.mark.alone]
QUICK = [name for name in conformance_tests(VectorBackendTests) if name not in MARKS]

MUTANTS = [
    pytest.param(one, id=one.__name__, marks=MARKS.get(one.caught_by, ()))
    for one in list(globals().values())
    if isinstance(one, type) and issubclass(one, Right) and one.caught_by
]


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_kit_fails_it(
    mutant: type[Right],
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    record_property("caught by", mutant.caught_by)
    monkeypatch.setattr("hierdoc_testing.watch._SETTLING", 0.1)  # what these leave never ends
    monkeypatch.setattr(
        "hierdoc_testing.patience.SHARE", 0.1
    )  # and what these wait for never comes
    found = failing_tests(VectorBackendTests, lambda collection: mutant(), only=[mutant.caught_by])
    assert list(found) == [mutant.caught_by]


@pytest.mark.parametrize(
    "only",
    [QUICK, pytest.param([], marks=[pytest.mark.nightly, pytest.mark.alone])],
    ids=["quick", "whole"],
)
@pytest.mark.parametrize(
    "right",
    [
        Right,
        # Its plugin's own tests show the same.
        pytest.param(InMemoryVectorBackend, marks=pytest.mark.nightly),
    ],
    ids=lambda one: one.__name__,
)
def test_the_kit_passes_what_is_right(right: type, only: list[str]) -> None:
    assert failing_tests(VectorBackendTests, lambda collection: right(), only=only) == {}


@pytest.mark.parametrize(
    "right",
    [
        WithoutEquals,
        pytest.param(EqualsAlone, marks=pytest.mark.nightly),
        pytest.param(WithoutFilters, marks=pytest.mark.nightly),
    ],
    ids=lambda one: one.__name__,
)
def test_the_kit_passes_what_claims_few_filters(right: type[Right]) -> None:
    assert failing_tests(VectorBackendTests, lambda collection: right(), only=QUICK) == {}
