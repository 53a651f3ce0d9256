"""The conformance tests of rerankers."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from hierdoc import Hit
from hierdoc.plugin import ComponentKind
from hierdoc_testing.base import Conformance, cancel_again_and_again, contract, trying
from hierdoc_testing.component import OpenComponent, Opener, check_nothing_is_left
from hierdoc_testing.corpus import make_hits, make_text
from hierdoc_testing.embedder import ODD_TEXTS, TEXTS
from hierdoc_testing.patience import LONG_QUIET
from hierdoc_testing.watch import assert_never_blocks


class RerankerTests(Conformance):
    """What a reranker promises: derive from it, supply `open_reranker`, and pytest does the rest.

    A model for the tests may be simple, but must prefer the text that has the query's words.
    """

    kind = ComponentKind.RERANKER

    @pytest.fixture
    def open_reranker(self) -> OpenComponent:
        """Supply this one: a function without arguments that gives a new reranker."""
        raise NotImplementedError("supply the fixture `open_reranker`; see docs/plugins/testing.md")

    @pytest.fixture
    def rerankers(self, open_reranker: OpenComponent) -> Opener:
        """Opens the reranker under test, and closes it."""
        return Opener(open_reranker, self.kind)

    async def rerank(
        self, reranker: Any, query: str, hits: Sequence[Hit], limit: int = 100
    ) -> list[Hit]:
        """What the reranker makes of the hits, after a look at its form."""
        ranked = list(await reranker.rerank(query, hits, limit))
        given = {hit.chunk.id: hit for hit in hits}
        assert len(ranked) == min(limit, len(hits))
        assert len({hit.chunk.id for hit in ranked}) == len(ranked)
        for hit in ranked:
            assert isinstance(hit, Hit)
            assert isinstance(hit.score, float)
            assert math.isfinite(hit.score)
            old = given[hit.chunk.id]
            assert replace(hit, rank=old.rank, score=old.score, why=old.why) == old
            assert hit.why.startswith(old.why)
        scores = [hit.score for hit in ranked]
        assert scores == sorted(scores, reverse=True)
        return ranked

    @contract
    async def test_hits_come_back_whole_with_new_scores(self, rerankers: Opener) -> None:
        """All hits are there, each once, unchanged but for score, rank and more to `why`, scores falling.

        When it fails: use `dataclasses.replace(hit, score=...)`, with the score that they are sorted by, higher for better.
        """
        reranker = rerankers.open()
        assert inspect.iscoroutinefunction(reranker.rerank)
        for count in (1, 2, 8):
            await self.rerank(reranker, TEXTS[0], make_hits(TEXTS[:count]))
        hits = make_hits(TEXTS)
        ranked = await self.rerank(reranker, TEXTS[5], hits)
        assert ranked[0].score > ranked[-1].score
        old = {hit.chunk.id: hit.score for hit in hits}
        assert any(hit.score != old[hit.chunk.id] for hit in ranked)

    @contract
    async def test_the_text_that_answers_comes_first(self, rerankers: Opener) -> None:
        """The hit whose words the query has comes first, wherever it stood before.

        When it fails: see that query and text reach the model, and which way its scores go.
        """
        reranker = rerankers.open()
        for number, text in enumerate(TEXTS):
            ranked = await self.rerank(reranker, text, make_hits(TEXTS))
            assert ranked[0].chunk.text == text, number
            backwards = await self.rerank(reranker, text, make_hits(TEXTS[::-1]))
            assert backwards[0].chunk.text == text, number

    @contract
    async def test_the_limit_takes_the_best(self, rerankers: Opener) -> None:
        """Of all hits the best `limit` are returned; the last given may be among them.

        When it fails: cut after ranking, not before.
        """
        reranker = rerankers.open()
        hits = make_hits(TEXTS)
        whole = await self.rerank(reranker, TEXTS[7], hits)
        for limit in (0, 1, 3, len(TEXTS), 50):
            ranked = await self.rerank(reranker, TEXTS[7], hits, limit)
            expected = [hit.score for hit in whole[:limit]]
            assert [hit.score for hit in ranked] == pytest.approx(expected, abs=1e-3)
        assert (await self.rerank(reranker, TEXTS[7], hits, 1))[0].chunk.text == TEXTS[7]

    @contract
    async def test_ranks_need_not_begin_at_one(self, rerankers: Opener) -> None:
        """Hits of a later page, whose ranks begin at 11, have gaps or come in another order, are ranked as any others.

        When it fails: a hit's place in the list is not its rank: keep hits by their place or by `hit.chunk.id`.
        """
        reranker = rerankers.open()
        hits = make_hits(TEXTS)
        later = [replace(hit, rank=hit.rank * 3 + 10) for hit in hits][::-1]
        ranked = await self.rerank(reranker, TEXTS[6], later)
        assert ranked[0].chunk.text == TEXTS[6]
        expected = [hit.score for hit in await self.rerank(reranker, TEXTS[6], hits[::-1])]
        assert [hit.score for hit in ranked] == pytest.approx(expected, abs=1e-3)

    @contract
    async def test_hits_of_equal_texts_all_stay(self, rerankers: Opener) -> None:
        """Of hits with the same text, as clauses of two contracts have it, each comes back as itself, with about the same score.

        When it fails: map answers back by place or by `hit.chunk.id`, letter by letter; neither by text nor by a place in the document,
        which a chunk of another document has, too.
        """
        reranker = rerankers.open()
        hits = make_hits([TEXTS[0], TEXTS[1], TEXTS[0], TEXTS[1], TEXTS[0]])
        ranked = await self.rerank(reranker, TEXTS[0], hits)
        assert [hit.chunk.text for hit in ranked] == [*[TEXTS[0]] * 3, *[TEXTS[1]] * 2]
        assert ranked[0].score == pytest.approx(ranked[2].score, abs=1e-2)
        names = ("a", "A", "a ", "\u00e9", "e\u0301")
        alike = [
            replace(hit, chunk=replace(hit.chunk, id=name, source=f"{name}.md", ordinal=0))
            for hit, name in zip(hits, names, strict=True)
        ]
        ranked = await self.rerank(reranker, TEXTS[0], alike)
        assert {hit.chunk.id for hit in ranked[:3]} == {"a", "a ", "e\u0301"}

    @contract
    async def test_no_hits_give_no_hits(self, rerankers: Opener) -> None:
        """An empty list comes back empty.

        When it fails: do not ask a model about nothing.
        """
        assert await self.rerank(rerankers.open(), "berth", []) == []

    @contract
    async def test_many_hits_keep_their_scores(self, rerankers: Opener) -> None:
        """Among 520 hits each gets its own score, whatever batch it is in.

        When it fails: look at the seams of batches, at what maps answers back to hits, and at how many a service takes at once.
        """
        reranker = rerankers.open()
        texts = [f"Nothing {make_text(12, seed=number)}" for number in range(520)]
        places = {0: 2, 31: 3, 32: 2, 99: 4, 100: 2, 149: 3, 255: 2, 256: 5, 499: 6, 500: 2, 519: 2}
        for place, number in places.items():
            texts[place] = TEXTS[number]
        hits = make_hits(texts)
        ranked = await self.rerank(reranker, TEXTS[2], hits, 600)
        found = {hit.chunk.id for hit in ranked[: list(places.values()).count(2)]}
        assert found == {hits[place].chunk.id for place, number in places.items() if number == 2}

    @contract
    async def test_odd_texts_and_queries_are_taken(self, rerankers: Opener) -> None:
        """Empty and huge texts, odd characters and a query of thousands of words do no harm.

        When it fails: a text that is too long for the model is read in windows or up to its limit, and the hit stays in.
        """
        reranker = rerankers.open()
        hits = make_hits([*ODD_TEXTS, make_text(20_000), TEXTS[0]])
        await self.rerank(reranker, TEXTS[0], hits)
        for query in (*ODD_TEXTS, make_text(5000)):
            with trying(query):
                await self.rerank(reranker, query, make_hits(TEXTS))

    @contract
    async def test_the_same_hits_are_ranked_alike(self, rerankers: Opener) -> None:
        """The same call gives the same ranking, and the list that was given stays as it is.

        When it fails: sort a copy, and leave chance and state out.
        """
        reranker = rerankers.open()
        hits = make_hits(TEXTS)
        given = list(hits)
        first = await self.rerank(reranker, TEXTS[4], given)
        await self.rerank(reranker, TEXTS[1], make_hits(TEXTS[:3]))
        again = await self.rerank(reranker, TEXTS[4], given)
        assert [hit.chunk.id for hit in again] == [hit.chunk.id for hit in first]
        assert given == hits

    @contract
    async def test_calls_may_overlap(self, rerankers: Opener) -> None:
        """Calls at the same time are answered each for its own query.

        When it fails: keep query and hits in the call; models are often not safe for threads.
        """
        reranker = rerankers.open()
        calls = [self.rerank(reranker, text, make_hits(TEXTS)) for text in TEXTS]
        for text, ranked in zip(TEXTS, await asyncio.gather(*calls), strict=True):
            assert ranked[0].chunk.text == text

    @contract
    async def test_a_cancelled_call_leaves_the_reranker_usable(self, rerankers: Opener) -> None:
        """Whoever cancels a call, at whatever point of it, can go on: later calls are answered as ever.

        When it fails: release locks in `finally` or with `async with`; what a thread began goes on there.
        """
        reranker, hits = rerankers.open(), make_hits(TEXTS[:3])
        await cancel_again_and_again(lambda: reranker.rerank(TEXTS[1], hits, 3))
        ranked = await self.rerank(reranker, TEXTS[1], hits)
        assert ranked[0].chunk.text == TEXTS[1]

    @contract(quiet=LONG_QUIET)
    async def test_the_event_loop_is_never_blocked(self, rerankers: Opener) -> None:
        """Reranking 50 hits keeps the event loop for no more than 50 ms.

        When it fails: give the model to a thread (`asyncio.to_thread`), its loading too.
        """
        reranker = rerankers.open()
        hits = make_hits([make_text(100, seed=number) for number in range(50)])
        await assert_never_blocks("rerank", lambda: reranker.rerank(TEXTS[0], hits, 10))

    @contract
    def test_nothing_is_left_after_aclose(self, open_reranker: OpenComponent) -> None:
        """No thread, task, open file or connection outlives `aclose`, or the call where there is no `aclose`.

        When it fails: close clients and executors in `aclose` and wait for them.
        """

        async def use(reranker: Any) -> None:
            await reranker.rerank(TEXTS[0], make_hits(TEXTS), 3)

        check_nothing_is_left(open_reranker, use)
