"""Native hybrid search: that text, vector, weights and filter all count."""

from __future__ import annotations

from typing import Any, cast

from hierdoc.filters import Equals
from hierdoc.plugin import Capability, SupportsHybridSearch
from hierdoc_testing.backend import BackendTests, check_matches
from hierdoc_testing.base import contract, require, trying
from hierdoc_testing.corpus import direction, make_record
from hierdoc_testing.stores import Stores

_RECORDS = 30
_LAST = f"{_RECORDS - 1:02d}"


class HybridTests(BackendTests):
    """`hybrid_search`, of vector backends that claim `NATIVE_HYBRID`."""

    @contract
    async def test_hybrid_search_uses_the_text(self, stores: Stores) -> None:
        """A query whose words occur in one document alone moves that document up; its words count, not its letters.

        When it fails: see that the request has the query's text in it, and that the store's full-text index covers all of `record.text_fields()`.
        """
        backend = await self._filled(stores)
        without = await self._ranking(backend, "nowhere")
        rank = (await self._ranking(backend, "zanzibar")).index(_LAST)
        assert _LAST not in without or rank < without.index(_LAST)
        assert (await self._ranking(backend, "What about ZANZIBAR?")).index(_LAST) == rank
        assert await self._ranking(backend, "zanzi") == without

    @contract
    async def test_hybrid_search_uses_the_context(self, stores: Stores) -> None:
        """The generated context is searched with the text.

        When it fails: index `record.text`, not `record.chunk.text`.
        """
        backend = await self._filled(stores)
        records = [make_record("context", "berth", vector=direction(-1), context="About Mombasa")]
        await backend.upsert(records)
        found = await self._ranking(backend, "mombasa", semantic=0, keyword=1)
        assert found[0] == "context"

    @contract
    async def test_hybrid_search_uses_the_weights(self, stores: Stores) -> None:
        """With all the weight on a leg its best is first; weights between shift the order from one to the other.

        When it fails: pass both weights to the store, `semantic` for the vector and `keyword` for the text, not their names swapped.
        """
        backend = await self._filled(stores)
        semantic = [match.chunk_id for match in await backend.search(direction(1), 50)]
        found = await self._ranking(backend, "zanzibar", semantic=1, keyword=0)
        assert [one for one in found if one != _LAST] == semantic[:-1]
        assert found[0] == "00"
        assert (await self._ranking(backend, "zanzibar", semantic=0, keyword=1))[0] == _LAST
        assert (await self._ranking(backend, "zanzibar", semantic=0.9, keyword=0.1))[0] == "00"
        assert (await self._ranking(backend, "zanzibar", semantic=0.1, keyword=0.9))[0] == _LAST

    @contract
    async def test_hybrid_search_uses_the_vector(self, stores: Stores) -> None:
        """Without a word in common the order is that of the vectors, and another vector gives another order.

        When it fails: see that the request has the vector in it, and that the text is no filter.
        """
        backend = await self._filled(stores)
        semantic = [match.chunk_id for match in await backend.search(direction(1), 50)]
        for text in ("nowhere", "", "…"):
            assert await self._ranking(backend, text) == semantic
        weights = {"semantic": 0.5, "keyword": 0.5}
        matches = await backend.hybrid_search("nowhere", direction(-1), 50, weights)
        assert matches[0].chunk_id == _LAST

    @contract
    async def test_hybrid_search_without_a_direction_uses_the_text(self, stores: Stores) -> None:
        """A zero vector, of a query that the embedder knows no word of, leaves the text.

        When it fails: leave the vector leg out of the request where the vector is zero.
        """
        backend = await self._filled(stores)
        weights = {"semantic": 0.5, "keyword": 0.5}
        matches = await backend.hybrid_search("zanzibar", direction(), 50, weights)
        check_matches(matches)
        assert matches[0].chunk_id == _LAST

    @contract
    async def test_hybrid_matches_keep_order_limit_and_filter(self, stores: Stores) -> None:
        """Matches come best first, ties by id, each once, at most `limit`, and only what the filter selects, before the limit.

        When it fails: the contract is that of `search`; give limit and filter to both legs.
        """
        backend = await self._filled(stores)
        weights = {"semantic": 0.5, "keyword": 0.3}
        for limit in (0, 1, 7, 100):
            matches = await backend.hybrid_search("zanzibar berth", direction(1), limit, weights)
            check_matches(matches)
            assert len(matches) == min(limit, _RECORDS)
        if Capability.FILTER_EQUALS in backend.capabilities:
            every_third = [f"{number:02d}" for number in range(0, _RECORDS, 3)]
            tables = Equals("kind", "table")
            for text in ("berth", "zanzibar", "nowhere"):
                matches = await backend.hybrid_search(text, direction(1), 50, weights, tables)
                assert sorted(match.chunk_id for match in matches) == every_third
                check_matches(matches)
            worst = Equals("source", f"{_RECORDS - 2}.md")  # in both legs
            matches = await backend.hybrid_search("zanzibar", direction(1), 1, weights, worst)
            assert [match.chunk_id for match in matches] == [f"{_RECORDS - 2:02d}"]

    @contract
    async def test_no_character_of_a_hybrid_query_has_a_meaning(self, stores: Stores) -> None:
        """Quotes, operators and brackets in the text are no syntax, and no text is too long or too strange.

        When it fails: escape the text or use the store's plain-text query.
        """
        backend = await self._filled(stores)
        odd = [
            '"zanzibar',
            "zanzibar AND NOT (",
            "+zanzibar -zanzibar",
            "zanzibar:*",
            "'zanzibar';",
        ]
        for text in (*odd, "zanzibar \x00", "zanzibar \ud800", "zanzibar " + "word " * 5000):
            with trying(text):
                assert (await self._ranking(backend, text, semantic=0, keyword=1))[0] == _LAST

    @contract
    async def test_hybrid_search_sees_what_was_just_written(self, stores: Stores) -> None:
        """New, replaced and deleted records count at once, in the text leg too.

        When it fails: wait until the full-text index has the write, and drop the old text with the old record.
        """
        backend = await self._filled(stores)
        await backend.upsert([make_record(_LAST, "berth", vector=direction(-1), source="l.md")])
        await backend.upsert([make_record("new", "zanzibar", vector=direction(-1), source="n.md")])
        found = await self._ranking(backend, "zanzibar", semantic=0, keyword=1)
        assert found[0] == "new"
        await backend.delete_documents(["n.md"])
        assert "new" not in await self._ranking(backend, "zanzibar", semantic=0, keyword=1)

    @contract
    async def test_unclaimed_hybrid_search_is_refused(self, stores: Stores) -> None:
        """Without `NATIVE_HYBRID`, there is no `hybrid_search`, or it raises `CapabilityError`.

        When it fails: claim the capability, or take the method away; two searches fused in Python are core's work.
        """
        backend = await stores.open()
        given = ("word", direction(1), 5, {"semantic": 0.5, "keyword": 0.5})
        await self._refuses(backend, Capability.NATIVE_HYBRID, "hybrid_search", *given)

    async def _filled(self, stores: Stores) -> Any:
        """A backend whose records turn away from the query one by one; the last alone speaks of Zanzibar."""
        backend: Any = await stores.open()
        require(Capability.NATIVE_HYBRID in backend.capabilities, "does not claim NATIVE_HYBRID")
        assert isinstance(backend, SupportsHybridSearch), "has no hybrid_search"
        backend = cast(Any, backend)
        await backend.upsert(
            [
                make_record(
                    f"{number:02d}",
                    "the berth at Zanzibar" if number == _RECORDS - 1 else "the berth at harbour",
                    vector=direction(_RECORDS - 2 * number, 1 + number),
                    kind="table" if number % 3 == 0 else "content",
                    source=f"{number}.md",
                    language="en",
                )
                for number in range(_RECORDS)
            ]
        )
        return backend

    async def _ranking(
        self, backend: Any, text: str, semantic: float = 0.5, keyword: float = 0.5
    ) -> list[str]:
        # Core passes the weights of all legs.
        weights = {"semantic": semantic, "keyword": keyword, "exact": 0.2, "hybrid": 1.0}
        matches = await backend.hybrid_search(text, direction(1), 50, weights)
        check_matches(matches)
        return [match.chunk_id for match in matches]
