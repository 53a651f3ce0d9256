"""Keyword backends that are wrong on purpose: the conformance kit fails every one."""

from __future__ import annotations

import asyncio
import functools
import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from hierdoc import Filter, Match, StoreError
from hierdoc.plugin import Capability, Record, require_capabilities
from hierdoc_in_memory.keyword import InMemoryKeywordBackend
from hierdoc_testing import SPEC, KeywordBackendTests, conformance_tests, failing_tests


class Right(InMemoryKeywordBackend):
    """Right, to be made wrong."""


class WorstFirst(Right):
    caught_by = "test_matches_are_ordered_and_plain"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        return list(await super().search(text, 100_000, filter))[::-1][:limit]


class NegativeScores(Right):
    caught_by = "test_chunks_are_found_by_any_of_their_words"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        found = await super().search(text, limit, filter)
        return [Match(one.chunk_id, -one.score) for one in found]


class EqualScores(Right):
    caught_by = "test_more_of_the_query_scores_higher"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        found = await super().search(text, 100_000, filter)
        return [Match(one, 1.0) for one in sorted(match.chunk_id for match in found)][:limit]


class AllWordsRequired(Right):
    caught_by = "test_chunks_are_found_by_any_of_their_words"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        words = [
            await super(AllWordsRequired, self).search(one, 100_000, filter) for one in text.split()
        ]
        common = (
            set.intersection(*({m.chunk_id for m in found} for found in words)) if words else set()
        )
        found = await super().search(text, 100_000, filter)
        return [match for match in found if match.chunk_id in common][:limit]


class EverythingMatches(Right):
    caught_by = "test_chunks_are_found_by_any_of_their_words"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        found = list(await super().search(text, limit, filter))
        others = sorted(set(self._fields) - {match.chunk_id for match in found})
        return [*found, *(Match(one, 0.0) for one in others)][:limit] if filter is None else found


class CaseMatters(Right):
    caught_by = "test_chunks_are_found_by_any_of_their_words"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        found = await super().search(text, limit, filter)
        return found if text.islower() or not text else []


class AsciiOnly(Right):
    caught_by = "test_words_of_every_script_are_found"

    def _upsert(self, records: Sequence[Record]) -> None:
        def plain(text: str) -> str:
            return re.sub(r"[^\x00-\x7f]", "", text)

        super()._upsert(
            [replace(r, chunk=replace(r.chunk, text=plain(r.chunk.text))) for r in records]
        )


class ForgetsTheContext(Right):
    caught_by = "test_the_context_is_searched_too"

    def _upsert(self, records: Sequence[Record]) -> None:
        super()._upsert([replace(one, chunk=replace(one.chunk, context="")) for one in records])


class ParsesQueries(Right):
    caught_by = "test_a_query_without_a_known_word_finds_nothing"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        if text.count('"') % 2:
            raise StoreError("syntax error")
        return await super().search(text, limit, filter)


class NotIsAnOperator(Right):
    caught_by = "test_no_character_of_a_query_has_a_meaning"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        return await super().search(text.split("NOT")[0], limit, filter)


class FilterAfterTheLimit(Right):
    caught_by = "test_a_filter_that_selects_one_percent_fills_the_limit"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        best = {match.chunk_id for match in await super().search(text, limit)}
        return [one for one in await super().search(text, limit, filter) if one.chunk_id in best]


class KeepsOldWords(Right):
    caught_by = "test_searches_and_writes_at_once"

    def _upsert(self, records: Sequence[Record]) -> None:
        old = {one.id: getattr(self, "texts", {}).get(one.id, "") for one in records}
        super()._upsert(
            [
                replace(r, chunk=replace(r.chunk, text=f"{r.chunk.text} {old[r.id]}"))
                for r in records
            ]
        )
        self.texts = getattr(self, "texts", {}) | {one.id: one.chunk.text for one in records}


class CutsTexts(Right):
    caught_by = "test_texts_and_queries_of_any_shape"

    def _upsert(self, records: Sequence[Record]) -> None:
        super()._upsert(
            [replace(r, chunk=replace(r.chunk, text=r.chunk.text[:32_766])) for r in records]
        )


class TooManyClauses(Right):
    caught_by = "test_texts_and_queries_of_any_shape"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        if len(text.split()) > 1024:
            raise StoreError("too many clauses")
        return await super().search(text, limit, filter)


class TenThousandAtMost(Right):
    caught_by = "test_ten_thousand_records_in_one_batch"

    def _upsert(self, records: Sequence[Record]) -> None:
        super()._upsert(records[:10_000])


class PhrasesAsWords(Right):
    caught_by = "test_a_phrase_is_its_words_in_order_side_by_side"

    async def search_phrase(self, phrase: str, limit: int, filter: Filter | None = None) -> Any:
        return await self.search(phrase, limit, filter)


class PhrasesAsWritten(Right):
    caught_by = "test_punctuation_between_the_words_of_a_phrase_does_not_count"

    async def search_phrase(self, phrase: str, limit: int, filter: Filter | None = None) -> Any:
        if set(phrase) & set(",'’“”"):
            return []
        return await super().search_phrase(phrase, limit, filter)


class PhrasesInAllFields(Right):
    caught_by = "test_a_phrase_lies_within_the_text"

    def put(self, record: Record) -> None:
        self._index.add(record.id, record.text, record.chunk.language)


class PhrasesUnordered(Right):
    caught_by = "test_a_phrase_is_its_words_in_order_side_by_side"

    async def search_phrase(self, phrase: str, limit: int, filter: Filter | None = None) -> Any:
        one = await super().search_phrase(phrase, limit, filter)
        other = await super().search_phrase(" ".join(phrase.split()[::-1]), limit, filter)
        found = {match.chunk_id: match for match in [*other, *one]}
        return sorted(found.values(), key=lambda match: (-match.score, match.chunk_id))[:limit]


class PhrasesIgnoreTheFilter(Right):
    caught_by = "test_a_claimed_operator_selects_what_it_means"

    async def search_phrase(self, phrase: str, limit: int, filter: Filter | None = None) -> Any:
        return await super().search_phrase(phrase, limit)


class PhrasesUnclaimed(Right):
    caught_by = "test_unclaimed_phrases_are_refused"
    capabilities = Right.capabilities - {Capability.PHRASES}


class PhrasesOfNothingMatchAll(Right):
    caught_by = "test_phrases_of_nothing_find_nothing"

    async def search_phrase(self, phrase: str, limit: int, filter: Filter | None = None) -> Any:
        return await super().search_phrase(phrase.strip(" …") or "the", limit, filter)


class StaleCount(Right):
    caught_by = "test_all_records_of_a_document_are_deleted_and_no_others"

    async def count(self) -> int:
        self.first = getattr(self, "first", None) or len(self._fields)
        return self.first


class DeletesNothing(Right):
    caught_by = "test_upsert_replaces_a_record_whole"

    async def delete_documents(self, sources: Sequence[str]) -> None:
        pass


class BlocksInSearch(Right):
    caught_by = "test_the_event_loop_is_never_blocked"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        time.sleep(0.12)
        return await super().search(text, limit, filter)


class BlocksInDelete(Right):
    caught_by = "test_the_event_loop_is_never_blocked"

    async def delete_documents(self, sources: Sequence[str]) -> None:
        time.sleep(0.12)
        await super().delete_documents(sources)


class LeavesATask(Right):
    caught_by = "test_nothing_is_left_after_aclose"

    async def upsert(self, records: Sequence[Record]) -> None:
        await super().upsert(records)
        self.task = asyncio.ensure_future(asyncio.sleep(60))


class ForgetsTheName(Right):
    caught_by = "test_a_chunk_is_found_by_the_name_of_its_document"

    def put(self, record: Record) -> None:
        super().put(changed(record, source="x.md"))


class IndexesThePath(Right):
    caught_by = "test_a_chunk_is_found_by_the_name_of_its_document"

    def put(self, record: Record) -> None:
        super().put(changed(record, text=f"{record.chunk.source} {record.chunk.text}"))


class CommonWordsCountAgainst(Right):
    """The inverse document frequency of Robertson and Sparck Jones, which falls below zero."""

    caught_by = "test_words_of_most_chunks_still_count"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        scores: dict[str, float] = {}
        for word in text.split():
            found = await super().search(word, 100_000, filter)
            rest = len(self._fields) - len(found)
            for one in found:
                idf = math.log((rest + 0.5) / (len(found) + 0.5))
                scores[one.chunk_id] = scores.get(one.chunk_id, 0.0) + idf
        return ranked(scores, limit)


class CommonWordsAreDropped(Right):
    caught_by = "test_words_of_most_chunks_still_count"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        kept = [
            word
            for word in text.split()
            if 2 * len(await super(CommonWordsAreDropped, self).search(word, 100_000))
            <= len(self._fields)
        ]
        return await super().search(" ".join(kept), limit, filter)


class _Words(Right):
    def reduced(self, text: str) -> str:
        raise NotImplementedError

    def put(self, record: Record) -> None:
        super().put(changed(record, text=self.reduced(record.chunk.text)))

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        return await super().search(self.reduced(text), limit, filter)


class ShortWordsAreDropped(_Words):
    caught_by = "test_identifiers_are_told_apart_and_found_by_their_parts"

    def reduced(self, text: str) -> str:
        return " ".join(re.findall(r"\w{2,}", text))


class IdentifiersAreWholeOnly(_Words):
    caught_by = "test_identifiers_are_told_apart_and_found_by_their_parts"

    def reduced(self, text: str) -> str:
        return re.sub("[0-9]", lambda one: "qwertyuiop"[int(one[0])], text.replace("-", ""))


class ScoresWithinThePage(Right):
    """From the worst of what is returned to the best: another limit, other scores."""

    caught_by = "test_the_limit_changes_neither_order_nor_scores"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        found = await super().search(text, limit, filter)
        low, high = (found[-1].score, found[0].score) if found else (0, 0)
        spread = high - low or 1.0
        return [Match(one.chunk_id, 0.1 + 0.9 * (one.score - low) / spread) for one in found]


class CutsEachWordsMatches(Right):
    caught_by = "test_words_of_most_chunks_still_count"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        if len(text.split()) < 2:
            return await super().search(text, limit, filter)
        scores: dict[str, float] = {}
        for word in text.split():
            for one in await super().search(word, limit, filter):
                scores[one.chunk_id] = scores.get(one.chunk_id, 0.0) + one.score
        return ranked(scores, limit)


class TheFirstKnownWords(Right):
    caught_by = "test_every_known_word_of_a_long_query_counts"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        known = [
            word
            for word in text.split()
            if await super(TheFirstKnownWords, self).search(word, 1, filter)
        ]
        text = " ".join(known[:25]) if len(known) > 25 else text
        return await super().search(text, limit, filter)


class FilterBindsToTheLastWord(Right):
    """`anchor OR berth AND kind = table`, without brackets."""

    caught_by = "test_a_filter_holds_for_every_word_of_the_query"

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        if filter is None:
            return await super().search(text, limit)
        *words, last = text.split() or [""]
        scores = {one.chunk_id: one.score for one in await super().search(" ".join(words), 100_000)}
        for one in await super().search(last, 100_000, filter):
            scores[one.chunk_id] = scores.get(one.chunk_id, 0.0) + one.score
        return ranked(scores, limit)


class PhraseTiesAsTheyCome(Right):
    caught_by = "test_phrases_are_filtered_limited_and_ordered"

    async def search_phrase(self, phrase: str, limit: int, filter: Filter | None = None) -> Any:
        place = {name: number for number, name in enumerate(self._fields)}
        found = await super().search_phrase(phrase, 100_000, filter)
        first = sorted(found, key=lambda one: (-one.score, place[one.chunk_id]))[:limit]
        return sorted(first, key=lambda one: (-one.score, one.chunk_id))


class LowersAsciiOnly(_Words):
    caught_by = "test_words_of_every_script_are_found"

    def reduced(self, text: str) -> str:
        return "".join(f"{one}q" if one.isupper() and one > "\x7f" else one for one in text)


class PhrasesFilteredAfterTheLimit(Right):
    caught_by = "test_a_filter_that_selects_one_percent_fills_the_limit_of_phrases"

    async def search_phrase(self, phrase: str, limit: int, filter: Filter | None = None) -> Any:
        best = {match.chunk_id for match in await super().search_phrase(phrase, 10 * limit)}
        found = await super().search_phrase(phrase, limit, filter)
        return [one for one in found if one.chunk_id in best]


class KeepsOldTags(Right):
    caught_by = "test_contained_values_follow_an_upsert"

    def _upsert(self, records: Sequence[Record]) -> None:
        old = {one.id: self._fields.get(one.id, {}).get("headings", ()) for one in records}
        super()._upsert(records)
        for chunk_id, values in old.items():
            self._fields[chunk_id]["headings"] += tuple(values)


class JavaHashIds(Right):
    caught_by = "test_names_of_any_shape_are_kept_apart"

    def _upsert(self, records: Sequence[Record]) -> None:
        def number(id: str) -> int:
            return functools.reduce(lambda made, one: (31 * made + ord(one)) & 0xFFFFFFFF, id, 0)

        super()._upsert(list({number(one.id): one for one in records}.values()))


class EmptiesItsBatch(Right):
    caught_by = "test_what_is_written_stays_as_it_is"

    async def upsert(self, records: Any) -> None:
        while records:
            await super().upsert(records[:10])
            del records[:10]


class NeverReleasesItsLock(Right):
    caught_by = "test_a_cancelled_call_leaves_the_store_usable"

    def __init__(self) -> None:
        super().__init__()
        self.turn = asyncio.Lock()

    async def upsert(self, records: Sequence[Record]) -> None:
        await self.turn.acquire()
        await super().upsert(records)
        self.turn.release()


class ClosedSeemsEmpty(Right):
    caught_by = "test_a_closed_store_is_not_an_empty_one"

    async def aclose(self) -> None:
        await self.prepare(SPEC, reset=True)


class FirstSearchBuilds(Right):
    caught_by = "test_the_event_loop_is_never_blocked"
    fresh = False

    async def upsert(self, records: Sequence[Record]) -> None:
        await super().upsert(records)
        self.fresh = False

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Any:
        if not self.fresh:
            time.sleep(0.15)
        self.fresh = True
        return await super().search(text, limit, filter)


class WithoutEquals(Right):
    """Right, though it claims few of the filters."""

    capabilities = Right.capabilities - {Capability.FILTER_EQUALS}

    def allows(self, filter: Filter | None) -> Any:
        if filter is not None:
            require_capabilities(filter, self.capabilities, "the store")
        return super().allows(filter)


def ranked(scores: Mapping[str, float], limit: int) -> list[Match]:
    return [Match(*one) for one in sorted(scores.items(), key=lambda o: (-o[1], o[0]))[:limit]]


def changed(record: Record, **fields: Any) -> Record:
    return replace(record, chunk=replace(record.chunk, **fields))


TEN_THOUSAND = (
    "test_ten_thousand_records_in_one_batch test_scan_gives_every_record_once_in_pages".split()
)
MARKS: dict[str, Any] = dict.fromkeys(TEN_THOUSAND, pytest.mark.nightly)
MARKS["test_the_event_loop_is_never_blocked"] = [pytest.mark.nightly, pytest.mark.alone]
QUICK = [name for name in conformance_tests(KeywordBackendTests) if name not in MARKS]

MUTANTS = [
    pytest.param(one, id=one.__name__, marks=MARKS.get(one.caught_by, ()))
    for one in list(globals().values())
    if isinstance(one, type) and issubclass(one, Right) and hasattr(one, "caught_by")
]


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_kit_fails_it(
    mutant: Any,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    record_property("caught by", mutant.caught_by)
    monkeypatch.setattr("hierdoc_testing.patience.SHARE", 0.05)  # what these wait for never comes
    found = failing_tests(KeywordBackendTests, lambda collection: mutant(), only=[mutant.caught_by])
    assert list(found) == [mutant.caught_by]


@pytest.mark.nightly
@pytest.mark.parametrize("right", [Right, WithoutEquals], ids=lambda one: one.__name__)
def test_the_kit_passes_what_is_right(right: type[Right]) -> None:
    assert failing_tests(KeywordBackendTests, lambda collection: right(), only=QUICK) == {}
