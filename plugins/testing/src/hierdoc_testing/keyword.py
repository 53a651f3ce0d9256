"""The conformance tests of keyword backends."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from hierdoc import CapabilityError, Filter
from hierdoc.filters import Equals, Not
from hierdoc.plugin import (
    Capability,
    ComponentKind,
    Record,
    SupportsPhrases,
    SupportsTermStatistics,
)
from hierdoc_testing.backend import check_matches
from hierdoc_testing.base import contract, require, trying
from hierdoc_testing.corpus import make_record, make_text, unique_word
from hierdoc_testing.filtering import FilterTests
from hierdoc_testing.lifecycle import LifecycleTests
from hierdoc_testing.metadata import MetadataTests
from hierdoc_testing.patience import LONG_QUIET
from hierdoc_testing.scale import make_many_records
from hierdoc_testing.stores import Stores
from hierdoc_testing.watch import assert_never_blocks
from hierdoc_testing.writing import WritingTests

ODD_TEXTS = ("", "\x00", "lone \ud800 surrogate", "x" * 1_000_000, "法" * 100_000, "a-" * 50_000)
"""Texts that tokenizers and stores stumble over."""

SYNTAX = (
    '"berth', "berth AND NOT (", "+berth -berth", "text:berth", "berth^9 berth~2 be?*", "[berth TO]", "\\berth",
    "<berth>", "berth:*", "berth & !", "berth'; DROP TABLE", "NOT berth", "{berth}", "berth/",
)  # fmt: skip
"""What is syntax elsewhere."""


class PhraseTests(FilterTests):
    """`search_phrase`, of keyword backends that claim `PHRASES`."""

    @contract
    async def test_a_phrase_is_its_words_in_order_side_by_side(self, stores: Stores) -> None:
        """Found is what has all words of the phrase next to each other in this order, in any case.

        When it fails: a phrase is neither its words anywhere nor a run of characters; store positions.
        """
        texts = {
            "yes": "He owes a duty of care to all.",
            "begins": "Duty of Care! It is owed.",
            "order": "Care of duty.",
            "apart": "The duty to take care of it, of some care.",
            "part": "The duty of the state.",
            "letters": "Heavyduty of careless.",
            "gap": "A duty owed of care.",
        }
        assert sorted(await self._phrase(stores, texts, "duty of care")) == ["begins", "yes"]

    @contract
    async def test_punctuation_between_the_words_of_a_phrase_does_not_count(
        self, stores: Stores
    ) -> None:
        """Commas, brackets, quotes and dashes between words, and the style of an apostrophe, do not part a phrase.

        When it fails: take text and phrase apart by the same analysis; marks are no words, and have no positions.
        """
        texts = {
            "bare": "The owners duty of care ends.",
            "marks": "The owner's duty, of (care) ends.",
            "quotes": "The owner’s “duty” — of ‘care’ ends.",
            "other": "The owners have a duty of all care.",
        }
        expected = ["bare", "marks", "quotes"]
        for phrase in ("owner's duty of care", "owner’s duty, of care", "owners “duty of care”"):
            assert sorted(await self._phrase(stores, texts, phrase)) == expected, phrase

    @contract
    async def test_a_phrase_lies_within_one_chunk(self, stores: Stores) -> None:
        """The words must follow each other in the same chunk, as often as the phrase repeats them.

        When it fails: look at positions across fields and chunks, and at words that the phrase has twice.
        """
        texts = {"a": "anchor anchor anchor", "b": "anchor", "c": "anchor away anchor", "d": "away"}
        assert await self._phrase(stores, texts, "anchor anchor") == ["a"]

    @contract
    async def test_a_phrase_lies_within_the_text(self, stores: Stores) -> None:
        """Phrases are looked for in the chunk's text alone: neither in its context or its document's name, nor across them.

        When it fails: search words in all fields of the record, and phrases in a field that holds `record.chunk.text` only.
        """
        backend = await self._with_phrases(stores)
        records = [
            self.record("text", "a duty of care"),
            self.record("context", "two", context="a duty of care"),
            self.record("across", "of care", context="a duty"),
            make_record("name", "two", source="a duty of care.md"),
        ]
        await backend.upsert(records)
        assert await _ids(backend.search_phrase("duty of care", 9)) == ["text"]
        assert sorted(await _ids(backend.search("duty", 9))) == [
            "across",
            "context",
            "name",
            "text",
        ]

    @contract
    async def test_phrases_are_filtered_limited_and_ordered(self, stores: Stores) -> None:
        """A phrase search keeps limit, filter and order as any other search does.

        When it fails: filter and limit belong into the same request; sort by (-score, id).
        """
        backend = await self._with_phrases(stores)
        records = [
            self.record(f"{n:03d}", "the base fee", kind="table" if n % 9 == 0 else "content")
            for n in (number * 7 % 90 for number in range(90))
        ]
        await backend.upsert([*records, self.record("none", "base of a fee", kind="table")])
        matches = await backend.search_phrase("base fee", 20)
        check_matches(matches)
        assert [match.chunk_id for match in matches] == [f"{n:03d}" for n in range(20)]
        assert len(await backend.search_phrase("base fee", 1000)) == 90
        assert list(await backend.search_phrase("base fee", 0)) == []
        if Capability.FILTER_EQUALS in backend.capabilities:
            found = await backend.search_phrase("base fee", 8, Equals("kind", "table"))
            assert [match.chunk_id for match in found] == [f"{n:03d}" for n in range(0, 72, 9)]

    @contract
    async def test_a_filter_that_selects_one_percent_fills_the_limit_of_phrases(
        self, stores: Stores
    ) -> None:
        """Of 2,000 chunks with the phrase, a filter finds its one percent, also where theirs are the lowest scores.

        When it fails: give the filter to the store with the phrase, instead of filtering what it returns.
        """
        backend = await self._with_phrases(stores)
        require(Capability.FILTER_EQUALS in backend.capabilities, "does not claim FILTER_EQUALS")
        long = "the base fee among many others that say nothing of it"
        await backend.upsert(
            [
                self.record(f"{number:04d}", long, kind="table")
                if number % 100 == 99
                else self.record(f"{number:04d}", "the base fee")
                for number in range(2000)
            ]
        )
        expected = [f"{number:04d}" for number in range(99, 2000, 100)]
        for limit in (5, 20, 50):
            found = await _ids(backend.search_phrase("base fee", limit, Equals("kind", "table")))
            assert found == expected[:limit]

    @contract
    async def test_frequencies_tell_which_words_are_known(self, stores: Stores) -> None:
        """`document_frequencies`, where a backend has it, counts the chunks with each word, in any form, in the order of the words.

        When it fails: analyse the words as those of a query, but without the parts of compounds (`query_terms(word, ..., compounds=False)`);
        of a word of several terms the most frequent counts.
        """
        backend = await stores.open()
        require(isinstance(backend, SupportsTermStatistics), "has no document_frequencies")
        words = ["harbours", "zebra", "fee", "HARBOUR", "", "eip-1559"]
        assert list(await backend.document_frequencies(words)) == [0] * len(words)
        texts = ["the harbour fee", "a harbour", "fees of EIP-1559", "harbour of harbours"]
        await backend.upsert([self.record(f"{n}", text) for n, text in enumerate(texts)])
        assert list(await backend.document_frequencies(words)) == [3, 0, 2, 3, 0, 1]
        german = "Das Recht auf Asyl und die Frist für den Antrag sind in dem Gesetz und der Verordnung geregelt."
        record = self.record("german", german)
        await backend.upsert([replace(record, chunk=replace(record.chunk, language="de"))])
        assert list(await backend.document_frequencies(["Asylrecht", "Recht"])) == [0, 1]
        assert list(await backend.document_frequencies([])) == []

    @contract
    async def test_phrases_of_nothing_find_nothing(self, stores: Stores) -> None:
        """A phrase without words, or with a word that no chunk has, finds nothing; no character has a meaning.

        When it fails: an empty phrase is no match-all query, and quotes within a phrase must be escaped.
        """
        texts = {"a": "the base fee", "b": "the fee"}
        for phrase in ("", "  ", "…", "base fee nowhere", "nowhere", "\x00", "\ud800"):
            with trying(phrase):
                assert await self._phrase(stores, texts, phrase) == []
        for phrase in ('base" OR "fee', "base fee*", "(base fee)"):
            with trying(phrase):
                assert set(await self._phrase(stores, texts, phrase)) <= {"a"}

    @contract
    async def test_phrases_see_what_was_just_written(self, stores: Stores) -> None:
        """Replaced and deleted texts are not found by their phrases any more.

        When it fails: positions of the old text stayed behind.
        """
        backend = await self._with_phrases(stores)
        await backend.upsert([self.record("a", "base fee"), self.record("b", "other words")])
        assert await _ids(backend.search_phrase("base fee", 9)) == ["a"]
        await backend.upsert([self.record("a", "fee base"), self.record("b", "a base fee")])
        assert await _ids(backend.search_phrase("base fee", 9)) == ["b"]
        await backend.delete_documents(["docs/a.md"])
        assert await _ids(backend.search_phrase("base fee", 9)) == []

    @contract
    async def test_unclaimed_phrases_are_refused(self, stores: Stores) -> None:
        """Without `PHRASES`, there is no `search_phrase`, or it raises `CapabilityError`.

        When it fails: claim the capability, or take the method away.
        """
        backend = await stores.open()
        await self._refuses(backend, Capability.PHRASES, "search_phrase", "a word", 5)

    async def _with_phrases(self, stores: Stores) -> Any:
        backend = await stores.open()
        require(Capability.PHRASES in backend.capabilities, "does not claim PHRASES")
        assert isinstance(backend, SupportsPhrases)
        return backend

    async def _phrase(self, stores: Stores, texts: dict[str, str], phrase: str) -> list[str]:
        backend = await self._with_phrases(stores)
        await backend.upsert(
            [self.record(name, text, language="en") for name, text in texts.items()]
        )
        return await _ids(backend.search_phrase(phrase, 10))


class KeywordBackendTests(PhraseTests, MetadataTests, LifecycleTests, WritingTests):
    """What a keyword backend promises: derive from it, supply `open_backend`, and pytest does the rest."""

    kind = ComponentKind.KEYWORD

    def record(self, id: str, text: str = "word", **fields: Any) -> Record:
        """A record without a vector, as core gives it to keyword backends, that is not found by its document's name."""
        record = make_record(id, text, **fields)
        return _Nameless(record.chunk, record.version)

    def as_given(self, records: Sequence[Record]) -> list[Record]:
        """Without their vectors, and all with the same text."""
        return [
            _Nameless(replace(record.chunk, text="word"), record.version) for record in records
        ]  # so that scores are equal

    def weak(self, id: str, **fields: Any) -> Record:
        """A longer text with the word once."""
        return self.record(id, "word among many others that say nothing of it", **fields)

    async def found(self, backend: Any, filter: Filter | None = None, limit: int = 1000) -> Any:
        """Matches by a word that every record of the kit has."""
        return list(await backend.search("word", limit, filter))

    async def filtering_methods(self, backend: Any, filter: Filter) -> None:
        """`search` and `search_phrase` refuse."""
        await super().filtering_methods(backend, filter)
        if Capability.PHRASES in backend.capabilities:
            with pytest.raises(CapabilityError):
                await backend.search_phrase("a word", 10, filter)

    async def check_found(self, backend: Any, filter: Filter, expected: Sequence[Record]) -> None:
        """`search_phrase` selects the same."""
        if Capability.PHRASES in backend.capabilities:
            found = await _ids(backend.search_phrase("word", 1000, filter))
            assert sorted(found) == [one.id for one in expected], filter

    @contract
    async def test_chunks_are_found_by_any_of_their_words(self, stores: Stores) -> None:
        """Found is every chunk with a word of the query, in any case, and no other; punctuation is no part of a word.

        When it fails: the query's words are alternatives, not all required; a chunk that scores nothing is no match.
        """
        backend = await self._filled(
            stores,
            a="The BERTH, at the quay.",
            b="A pilot (licensed).",
            c="Nothing of it.",
            d="berthing",
        )
        assert set(await self._search(backend, "berth?")) - {"d"} == {"a"}
        assert set(await self._search(backend, "Which berth has a LICENSED pilot")) >= {"a", "b"}
        assert "c" not in await self._search(backend, "berth licensed")
        assert await self._search(backend, "quay") == ["a"]

    @contract
    async def test_words_of_every_script_are_found(self, stores: Stores) -> None:
        """Words with letters outside ASCII, digits and signs are found as they are written, and in capitals, in any language.

        When it fails: look at the tokenizer's idea of a word, and at the language that query and text are analysed in; a lower case that
        knows only ASCII, as some databases have it, is none.
        """
        backend = await stores.open()
        words = {
            "de": "Verträge", "fr": "résiliés", "ru": "договор", "el": "σύμβαση", "zh": "合同", "tr": "ışık",
            "en": "203(a)(1)", "ar": "عقد", None: "EIP-1559",
        }  # fmt: skip
        await backend.upsert(
            [
                self.record(f"{language}", f"xx {word} yy", language=language)
                for language, word in words.items()
            ]
        )
        for language, word in words.items():
            with trying(word):
                assert (await self._search(backend, word))[:1] == [f"{language}"]
        for language in ("de", "fr", "ru", "el"):
            capitals = words[language].upper()
            with trying(capitals):
                assert (await self._search(backend, capitals))[:1] == [language]

    @contract
    async def test_the_context_is_searched_too(self, stores: Stores) -> None:
        """The generated context is indexed with the text.

        When it fails: index `record_terms(record, analyzer)` or `record.text`, not `record.chunk.text`.
        """
        backend = await stores.open()
        await backend.upsert(
            [self.record("a", "Two.", context="Harbour Act"), self.record("b", "Two.")]
        )
        assert await self._search(backend, "harbour") == ["a"]
        assert sorted(await self._search(backend, "two")) == ["a", "b"]

    @contract
    async def test_a_chunk_is_found_by_the_name_of_its_document(self, stores: Stores) -> None:
        """The document's name, without folders and suffix, is indexed with the text, and changes with the record.

        When it fails: index `record_terms(record, analyzer)` or all of `record.text_fields()`.
        """
        backend = await stores.open()
        named = replace(make_record("a", "One.", source="acts/harbour-order.md"), vector=None)
        await backend.upsert([named, self.record("b", "Two."), self.record("c", "An order.")])
        assert await self._search(backend, "harbour") == ["a"]
        assert sorted(await self._search(backend, "order")) == ["a", "c"]
        assert "a" not in await self._search(backend, "acts")
        renamed = replace(make_record("a", "One.", source="acts/pilotage.md"), vector=None)
        await backend.upsert([renamed])
        assert await self._search(backend, "harbour") == []
        assert await self._search(backend, "pilotage") == ["a"]

    @contract
    async def test_words_of_most_chunks_still_count(self, stores: Stores) -> None:
        """A word that nine chunks of ten have finds them all, and a chunk with it beside a rarer one comes before one without it.

        When it fails: an inverse document frequency must not fall to zero or below; Lucene's, ln(1 + (N - n + 0.5) / (n + 0.5)), does not.
        """
        backend = await stores.open()
        words = [unique_word(number) for number in range(98)]
        fillers = {f"filler-{one}": f"vessel light cargo {one}" for one in words[:90]}
        others = {f"other-{one}": f"signal light cargo {one}" for one in words[90:]}
        texts = {"z-both": "vessel permit cargo storm", "a-one": "signal permit cargo storm"}
        await backend.upsert(
            [self.record(name, text) for name, text in {**fillers, **others, **texts}.items()]
        )
        assert (await self._search(backend, "vessel permit"))[:2] == ["z-both", "a-one"]
        found = await self._search(backend, "vessel", 200)
        assert sorted(found) == sorted([*fillers, "z-both"])

    @contract
    async def test_identifiers_are_told_apart_and_found_by_their_parts(
        self, stores: Stores
    ) -> None:
        """`203(a)(1)` comes before `203(a)(2)`, as `23.2` does before `23.3`; `1559` finds `EIP-1559`, and so does `eip-1559`.

        When it fails: keep identifiers whole and in parts, in texts and queries alike; `hierdoc.Analyzer` does.
        """
        backend = await stores.open()
        texts = {
            "b": "Under section 203(a)(1) the master decides.",
            "a": "Under section 203(a)(2) the master decides.",
            "d": "Rule 23.2 of the harbour.",
            "c": "Rule 23.3 of the harbour.",
            "e": "Fees follow EIP-1559 since then.",
        }
        fillers = {f"filler-{number}": "Others decide on storms." for number in range(20)}
        await backend.upsert(
            [self.record(name, text, language="en") for name, text in {**texts, **fillers}.items()]
        )
        first = {
            "203(a)(1)": "b",
            "203(a)(2)": "a",
            "23.2": "d",
            "23.3": "c",
            "1559": "e",
            "eip-1559": "e",
        }
        for query, expected in first.items():
            with trying(query):
                assert (await self._search(backend, query))[:1] == [expected]

    @contract
    async def test_more_of_the_query_scores_higher(self, stores: Stores) -> None:
        """A chunk with more of the query's words, or with the word more often, comes before one with less.

        When it fails: higher is better; see that scores are those of the query, of all its words, and not of a filter.
        """
        backend = await stores.open()
        texts = {
            "z-both": "berth pilot cargo storm",
            "a-one": "berth signal cargo storm",
            "y-often": "anchor anchor anchor storm",
            "b-once": "anchor signal cargo storm",
        }
        fillers = {f"filler-{number:02d}": "signal light cargo storm" for number in range(40)}
        await backend.upsert(
            [self.record(name, text) for name, text in {**texts, **fillers}.items()]
        )
        assert await self._search(backend, "pilot berth") == ["z-both", "a-one"]
        assert await self._search(backend, "anchor") == ["y-often", "b-once"]
        assert await self._search(backend, "pilot berth", 1) == ["z-both"]
        matches = await backend.search("anchor", 2)
        assert matches[0].score > matches[1].score

    @contract
    async def test_the_limit_changes_neither_order_nor_scores(self, stores: Stores) -> None:
        """A lower limit gives the beginning of what a higher one gives, with the same scores, whatever the words of the query.

        When it fails: do not scale scores to the page that is returned, and add up the words of a query before anything is cut.
        """
        backend = await stores.open()
        words = ("anchor", "berth", "pilot")
        texts = [
            " ".join(words[place] for place in range(3) for _ in range(number // 3**place % 3))
            for number in range(1, 27)
        ]
        fill = "signal light cargo storm"
        await backend.upsert(
            [self.record(f"{n * 7 % 26:02d}", f"{fill} {text}") for n, text in enumerate(texts)]
        )
        for query in ("pilot", "anchor berth", "anchor berth pilot"):
            whole = [(one.chunk_id, one.score) for one in await backend.search(query, 100)]
            for limit in (1, 2, 5, 17):
                with trying(f"{query!r}, the first {limit}"):
                    matches = await backend.search(query, limit)
                    assert [one.chunk_id for one in matches] == [one for one, _ in whole[:limit]]
                    scores = [score for _, score in whole[:limit]]
                    assert [one.score for one in matches] == pytest.approx(scores, rel=1e-3)

    @contract
    async def test_a_filter_holds_for_every_word_of_the_query(self, stores: Stores) -> None:
        """Of a query of several words, no chunk is found that the filter does not select, whichever of the words it has.

        When it fails: put the query's words in brackets, or the filter beside them: `AND` binds more closely than `OR`.
        """
        backend = await stores.open()
        require(Capability.FILTER_EQUALS in backend.capabilities, "does not claim FILTER_EQUALS")
        words = ("anchor", "berth", "pilot")
        await backend.upsert(
            [
                self.record(f"{kind}-{word}", f"the {word} waits", kind=kind)
                for word in words
                for kind in ("content", "table")
            ]
        )
        for query in ("anchor berth pilot", "pilot anchor berth"):
            found = await backend.search(query, 10, Equals("kind", "table"))
            assert sorted(one.chunk_id for one in found) == [f"table-{word}" for word in words]

    @contract
    async def test_every_known_word_of_a_long_query_counts(self, stores: Stores) -> None:
        """Of a query of 200 words, each of which one chunk has, all 200 chunks are found: none of its words is dropped.

        When it fails: look for a largest number of words or clauses of the store; ask in portions, and add up what they give.
        """
        backend = await stores.open()
        words = [unique_word(number) for number in range(200)]
        await backend.upsert([self.record(word, f"the {word} waits") for word in words])
        assert sorted(await self._search(backend, " ".join(words), 300)) == sorted(words)

    @contract
    async def test_a_replaced_text_is_not_found_any_more(self, stores: Stores) -> None:
        """After an upsert with a known id, its old words find nothing and its new ones find it.

        When it fails: remove the old postings with the old record, in all segments.
        """
        backend = await self._filled(stores, a="old anchor", b="old berth", c="buoy")
        await self._search(backend, "anchor")
        await backend.upsert([self.record("a", "new signal")])
        assert await self._search(backend, "anchor") == []
        assert await self._search(backend, "old") == ["b"]
        assert await self._search(backend, "signal") == ["a"]

    @contract
    async def test_a_query_without_a_known_word_finds_nothing(self, stores: Stores) -> None:
        """Empty queries, punctuation, unknown words, NUL characters and lone surrogates find nothing and do no harm.

        When it fails: nothing to look for is not a match-all query, and not an error.
        """
        backend = await self._filled(stores, a="some words", b="other words")
        for query in ("", "  \n", "…", "nowhere", "\x00", "\ud800", '"', "*", "()", "AND"):
            with trying(query):
                assert await self._search(backend, query) == []

    @contract
    async def test_no_character_of_a_query_has_a_meaning(self, stores: Stores) -> None:
        """Quotes, operators, brackets, wildcards and field names in a query are no syntax.

        When it fails: build the query from words, or escape it; do not give user input to a query parser.
        """
        backend = await self._filled(stores, a="the berth", b="quay", c="pilot", d="beer")
        for query in SYNTAX:
            with trying(query):
                assert await self._search(backend, query) == ["a"]

    @contract
    async def test_texts_and_queries_of_any_shape(self, stores: Stores) -> None:
        """Empty and huge texts, odd characters and queries of thousands of words are taken; their words are found.

        When it fails: look for a longest word, text or query of the store, and cut words, not texts.
        """
        backend = await stores.open()
        await backend.upsert([self.record(f"{n}", text) for n, text in enumerate(ODD_TEXTS)])
        last = f"{make_text(100_000)} zanzibar"
        await backend.upsert(
            [
                *(
                    self.record(f"found-{n}", f"{text} zanzibar")
                    for n, text in enumerate(ODD_TEXTS)
                ),
                self.record("found-long", last),
            ]
        )
        expected = sorted([*(f"found-{n}" for n in range(len(ODD_TEXTS))), "found-long"])
        assert sorted(await self._search(backend, "zanzibar", 100)) == expected
        query = " ".join(f"unknown{number}" for number in range(5000))
        assert sorted(await self._search(backend, f"{query} zanzibar", 100)) == expected
        assert await backend.count() == 2 * len(ODD_TEXTS) + 1

    @contract(quiet=LONG_QUIET)
    async def test_ten_thousand_records_in_one_batch(self, stores: Stores) -> None:
        """10,300 records written in one call are all held, counted, listed, found, and deleted with their documents.

        When it fails: split batches to the store's limits, and page through whatever it answers in pages of 10, 100, 1,000 or 10,000.
        """
        backend = await stores.open()
        records = [replace(one, vector=None) for one in make_many_records()]
        await backend.upsert(records)
        assert await backend.count() == len(records)
        states = await backend.documents()
        assert len(states) == len({one.chunk.source for one in records})
        assert states["big.md"].records == 1500
        for number in (0, 999, 1000, 9999, 10_000, 10_299):
            assert (await self._search(backend, unique_word(number), 1)) == [f"{number:05d}"]
        assert len(await self._search(backend, "word", 2500)) == 2500
        if Capability.FILTER_EQUALS in backend.capabilities:
            matches = await backend.search("word", 500, Equals("kind", "table"))
            assert [match.chunk_id for match in matches] == [
                f"{n:05d}" for n in range(0, 10_300, 100)
            ]
        await backend.delete_documents(["big.md"])
        assert await backend.count() == len(records) - 1500
        assert await self._search(backend, unique_word(7)) == []

    @contract(quiet=LONG_QUIET)
    async def test_the_event_loop_is_never_blocked(self, stores: Stores) -> None:
        """No call keeps the event loop for more than 50 ms, with 10,300 records in the store; neither does the first one after a write.

        When it fails: the message names the call; give calculation and synchronous clients to a thread (`asyncio.to_thread`), and
        yield between portions of work that must stay on the loop. What a write puts off, the next call does in a thread too.
        """
        backend = await stores.open()
        records = [replace(one, vector=None) for one in make_many_records()]
        work: dict[str, Callable[[], Awaitable[Any]]] = {
            "upsert": lambda: backend.upsert(records),
            "search": lambda: backend.search(f"word {unique_word(77)} {unique_word(78)}", 1000),
            "documents": backend.documents,
            "count": backend.count,
        }
        if {Capability.FILTER_EQUALS, Capability.FILTER_NOT} <= backend.capabilities:
            few = Not(Equals("kind", "content"))
            work["filtered search"] = lambda: backend.search("word", 1000, few)
        if Capability.PHRASES in backend.capabilities:
            work["search_phrase"] = lambda: backend.search_phrase(f"word {unique_word(77)}", 1000)
        if Capability.ATOMIC_REPLACE in backend.capabilities:
            work["replace_documents"] = lambda: backend.replace_documents(records[:3000])
        work["delete_documents"] = lambda: backend.delete_documents(["big.md"])
        work["prepare"] = lambda: backend.prepare(stores.spec, reset=True)
        for name, call in work.items():
            if name in ("search", "search_phrase", "documents", "count"):
                after = f"{name}, the first after a write"
                await assert_never_blocks(after, call, lambda: backend.upsert(records[:1]))
            await assert_never_blocks(name, call)

    async def _filled(self, stores: Stores, **texts: str) -> Any:
        backend = await stores.open()
        await backend.upsert(
            [self.record(name, text, language="en") for name, text in texts.items()]
        )
        return backend

    async def _search(self, backend: Any, query: str, limit: int = 10) -> list[str]:
        matches = await backend.search(query, limit)
        check_matches(matches)
        return [match.chunk_id for match in matches]


async def _ids(search: Awaitable[Any]) -> list[str]:
    matches = await search
    check_matches(matches)
    return [match.chunk_id for match in matches]


class _Nameless(Record):
    """A record whose document's name is no part of its text, so that equal texts of different documents score alike."""

    __slots__ = ()

    def text_fields(self) -> dict[str, str]:
        return super().text_fields() | {"name": ""}
