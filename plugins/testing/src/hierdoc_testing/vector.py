"""The conformance tests of vector backends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hierdoc import CapabilityError, Filter, IndexMismatchError, QueryError, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.filters import Equals
from hierdoc.plugin import Capability, ComponentKind, DocumentVersion, IndexSpec, Record
from hierdoc_testing.backend import check_matches
from hierdoc_testing.base import assert_same, contract, require, trying
from hierdoc_testing.corpus import (
    DIMENSIONS,
    DOCUMENT_VERSION,
    SPEC,
    direction,
    directions,
    make_document_records,
    make_record,
)
from hierdoc_testing.filtering import FilterTests
from hierdoc_testing.hybrid import HybridTests
from hierdoc_testing.metadata import MetadataRecordTests
from hierdoc_testing.records import RecordTests
from hierdoc_testing.scale import ScaleTests
from hierdoc_testing.stores import Stores
from hierdoc_testing.writing import WritingTests


class VectorBackendTests(
    RecordTests, HybridTests, ScaleTests, FilterTests, MetadataRecordTests, WritingTests
):
    """What a vector backend promises: derive from it, supply `open_backend`, and pytest does the rest."""

    kind = ComponentKind.VECTOR

    async def found(self, backend: Any, filter: Filter | None = None, limit: int = 1000) -> Any:
        """Matches by a vector that every record of the kit has."""
        return list(await backend.search(direction(1), limit, filter))

    def weak(self, id: str, **fields: Any) -> Record:
        """A record that points the other way."""
        return make_record(id, vector=direction(-1), **fields)

    async def check_found(self, backend: Any, filter: Filter, expected: Sequence[Record]) -> None:
        """`find` selects the same, by source and position."""
        order = sorted(expected, key=lambda one: (one.chunk.source, one.chunk.ordinal))
        found = [one.id for one in await backend.find(filter, 1000)]
        assert found == [one.id for one in order], filter
        found = [one.id for one in await backend.find(filter, 2)]
        assert found == [one.id for one in order[:2]], filter

    async def filtering_methods(self, backend: Any, filter: Filter) -> None:
        """`search`, `find` and `hybrid_search` refuse."""
        await super().filtering_methods(backend, filter)
        with pytest.raises(CapabilityError):
            await backend.find(filter, 10)
        if Capability.NATIVE_HYBRID in backend.capabilities:
            weights = {"semantic": 0.5, "keyword": 0.5}
            with pytest.raises(CapabilityError):
                await backend.hybrid_search("word", direction(1), 10, weights, filter)

    @contract
    async def test_the_most_similar_comes_first_with_its_cosine(self, stores: Stores) -> None:
        """The score is the cosine: 1 for the same direction, 0 across, -1 for the opposite; no record is too far away.

        When it fails: turn distances into similarities (cosine is 1 - cosine distance), and set no threshold.
        """
        backend = await stores.open()
        vectors = {
            "opposite": direction(-1),
            "near": direction(3, 4),
            "same": direction(1),
            "far": direction(0, 0, 1),
            "nearer": direction(4, 3),
            "behind": direction(-3, 4),
        }
        await backend.upsert([make_record(name, vector=vector) for name, vector in vectors.items()])
        matches = await backend.search(direction(1), 10)
        check_matches(matches)
        expected = {"same": 1, "nearer": 0.8, "near": 0.6, "far": 0, "behind": -0.6, "opposite": -1}
        assert [match.chunk_id for match in matches] == list(expected)
        scores = [match.score for match in matches]
        assert scores == pytest.approx(list(expected.values()), abs=0.02)
        reverse = await backend.search(direction(-1), 10)
        assert [match.chunk_id for match in reverse] == list(expected)[::-1]

    @contract
    async def test_scores_close_to_each_other_come_in_order(self, stores: Stores) -> None:
        """Of records whose cosines are 0.004 apart, the nearer comes first; scores are true to a thousandth.

        When it fails: do not round scores; what an index of few bits finds has to be compared again with the vectors themselves.
        """
        backend = await stores.open()
        filled = directions(1)[0]  # so that every component counts
        across = directions(1, seed=1)[0]
        across -= (across @ filled) * filled
        across /= np.linalg.norm(across)
        cosines = [0.95 - 0.004 * place for place in range(60)]
        vectors = [one * filled + (1 - one**2) ** 0.5 * across for one in cosines]
        order = [number * 7 % 60 for number in range(60)]
        await backend.upsert(
            [make_record(f"{n:02d}", vector=np.asarray(vectors[n], np.float32)) for n in order]
        )
        matches = await backend.search(filled, 60)
        assert [match.chunk_id for match in matches] == [f"{n:02d}" for n in range(60)]
        assert [match.score for match in matches] == pytest.approx(cosines, abs=1e-3)

    @contract
    async def test_search_is_exact_among_a_few_hundred(self, stores: Stores) -> None:
        """Among 500 records in all directions, the best ten are those of the largest cosines.

        When it fails: all components of the vectors count, the query's too; raise the effort of an approximate index.
        """
        backend = await stores.open()
        vectors = directions(500)
        await backend.upsert([make_record(f"{n:03d}", vector=v) for n, v in enumerate(vectors)])
        for query in directions(5, seed=1):
            cosines = vectors @ query
            best = np.sort(cosines)[::-1][:10]
            matches = await backend.search(query, 10)
            assert [match.score for match in matches] == pytest.approx(best, abs=0.02)
            for match in matches:
                assert match.score == pytest.approx(cosines[int(match.chunk_id)], abs=0.02)

    @contract
    async def test_a_new_vector_replaces_the_old_one(self, stores: Stores) -> None:
        """After an upsert and after a deletion, searches know only the present vectors.

        When it fails: look for a vector index that is changed apart from the records, and for row numbers that move.
        """
        backend = await stores.open()
        axes = np.eye(DIMENSIONS, dtype=np.float32)
        records = [make_record(f"{n}", source=f"{n}.md", vector=axes[n]) for n in range(10)]
        await backend.upsert(records)
        await backend.search(axes[3], 3)
        await backend.upsert([make_record("3", source="3.md", vector=axes[12])])
        await backend.delete_documents(["5.md", "0.md"])
        await backend.upsert([make_record("new", source="new.md", vector=axes[5])])
        for axis, expected in ((1, "1"), (5, "new"), (9, "9"), (12, "3")):
            (match,) = await backend.search(axes[axis], 1)
            assert (match.chunk_id, match.score) == (expected, pytest.approx(1, abs=0.02))
        for axis in (0, 3):
            assert all(abs(one.score) < 0.02 for one in await backend.search(axes[axis], 20))

    @contract
    async def test_a_zero_vector_is_stored_and_does_no_harm(self, stores: Stores) -> None:
        """A record whose text has nothing to embed is held like any other; a search gives it the score 0 or leaves it out.

        When it fails: a zero vector has no direction; where the store refuses it or answers NaN, keep it beside the index.
        """
        backend = await stores.open()
        zero = make_record("zero", vector=direction(), ordinal=1)
        others = [make_record("a"), make_record("b", vector=direction(-1), ordinal=2)]
        await backend.upsert([zero, *others])
        matches = await backend.search(direction(1), 10)
        check_matches(matches)
        assert [one.chunk_id for one in matches if one.chunk_id != "zero"] == ["a", "b"]
        assert all(abs(one.score) < 0.02 for one in matches if one.chunk_id == "zero")
        (held,) = await backend.get(["zero"], vectors=True)
        assert np.array_equal(held.vector, direction())
        if Capability.FILTER_EQUALS in backend.capabilities:
            found = await backend.find(Equals("source", "docs/a.md"), 5)
            assert [one.id for one in found] == ["a", "zero", "b"]
        assert await backend.count() == 3

    @contract
    async def test_a_search_leaves_the_query_as_it_is(self, stores: Stores) -> None:
        """The query's array is not changed.

        When it fails: copy before you normalise.
        """
        backend = await stores.open()
        await backend.upsert([make_record("a"), make_record("b", vector=direction(1, 1))])
        query = direction(3, 4)
        await backend.search(query, 5)
        assert np.array_equal(query, direction(3, 4))

    @contract
    async def test_a_query_of_another_length_is_refused(self, stores: Stores) -> None:
        """A vector that is not of the index's dimensions raises `QueryError`; it is neither cut nor filled up.

        When it fails: compare its shape with the spec's dimensions before the store is asked, in `hybrid_search` too.
        """
        backend = await stores.open()
        await backend.upsert([make_record("a")])
        for length in (0, 1, DIMENSIONS - 1, DIMENSIONS + 1):
            vector = np.ones(length, np.float32) / max(length, 1) ** 0.5
            with trying(f"a vector of {length}"), pytest.raises(QueryError):
                await backend.search(vector, 5)
            if Capability.NATIVE_HYBRID in backend.capabilities:
                weights = {"semantic": 0.5, "keyword": 0.5}
                with trying(f"a vector of {length}"), pytest.raises(QueryError):
                    await backend.hybrid_search("word", vector, 5, weights)

    @contract
    async def test_a_write_that_fails_names_what_was_not_written(self, stores: Stores) -> None:
        """A record with a vector of another length fails: the error names it, and what it does not name is written.

        When it fails: raise `PartialWriteError` with exactly the ids that were not written, or, where nothing of the batch was,
        `StoreError` with the id in its message; never log and go on.
        """
        backend = await stores.open()
        await backend.upsert([make_record("old"), make_record("kept")])
        wrong = replace(make_record("wrong-one"), vector=np.ones(DIMENSIONS - 1, np.float32))
        batch = [make_record("right", "new"), wrong, make_record("old", "new")]
        await self._refused(backend, "upsert", batch, "wrong-one")
        assert sorted(one.id for one in await self.everything(backend) if one.id == "kept")

    @contract
    async def test_a_wrong_record_among_thousands_is_named(self, stores: Stores) -> None:
        """Of 3,000 records with one that is wrong, in the midst of them, what is written and what is not is as exact as of three.

        When it fails: check all records before the first portion is written, or name all that the store did not take.
        """
        backend = await stores.open()
        await backend.upsert([make_record("1000", "old"), make_record("kept")])
        batch = [make_record(f"{number:04d}", "new") for number in range(3000)]
        batch[1700] = replace(batch[1700], vector=np.ones(DIMENSIONS - 1, np.float32))
        await self._refused(backend, "upsert", batch, "1700")

    @contract
    async def test_a_replacement_that_fails_changes_nothing(self, stores: Stores) -> None:
        """With `ATOMIC_REPLACE`, documents stay as they were if one of the new records cannot be written.

        When it fails: check all records before the old ones are deleted, or roll back.
        """
        backend = await self._replacing(stores)
        await backend.replace_documents(make_document_records("docs/a.md", 3))
        new = make_document_records("docs/a.md", 2, "2")
        wrong = replace(new[1], vector=np.ones(DIMENSIONS + 1, np.float32))
        with pytest.raises(StoreError):
            await backend.replace_documents([new[0], wrong])
        held = sorted(one.id for one in await self.everything(backend))
        assert held == [one.id for one in make_document_records("docs/a.md", 3)]

    async def _refused(
        self, backend: Any, method: str, batch: Sequence[Record], wrong: str
    ) -> None:
        before = {one.id: one.text for one in await self.everything(backend)}
        with pytest.raises(StoreError) as caught:
            await getattr(backend, method)(batch)
        after = {one.id: one.text for one in await self.everything(backend)}
        if isinstance(caught.value, PartialWriteError):
            written = {one.id: one.text for one in batch if one.id not in caught.value.failed}
            assert wrong in caught.value.failed
            assert set(caught.value.failed) <= {one.id for one in batch}
            assert_same(sorted(after.items()), sorted((before | written).items()))
        else:
            assert wrong in str(caught.value)
            assert_same(sorted(after.items()), sorted(before.items()))

    @contract
    async def test_another_spec_is_refused(self, stores: Stores) -> None:
        """A filled store refuses another embedder and another dimension, with a hint, and stays as it is.

        When it fails: `prepare` compares the spec with that of the store and raises `IndexMismatchError` unless `reset` is true.
        """
        backend = await stores.open()
        await backend.upsert([make_record("a")])
        for spec in (replace(SPEC, embedder="another@2"), replace(SPEC, dimensions=DIMENSIONS * 2)):
            with pytest.raises(IndexMismatchError) as caught:
                await backend.prepare(spec)
            assert caught.value.hint
        await backend.prepare(SPEC)
        assert [one.id for one in await self.everything(backend)] == ["a"]

    @contract
    async def test_what_is_persistent_refuses_another_spec(self, stores: Stores) -> None:
        """With `PERSISTENT`, a store that was made for another embedder or dimension is refused and left as it is.

        When it fails: keep the spec in the store, compare it in `prepare`, raise `IndexMismatchError` with a hint; with
        `reset` the new spec holds.
        """
        backend = await stores.open()
        require(Capability.PERSISTENT in backend.capabilities, "does not claim PERSISTENT")
        await backend.upsert([make_record("a")])
        await backend.aclose()
        other = replace(SPEC, embedder="another@2")
        for spec in (other, replace(SPEC, dimensions=SPEC.dimensions // 2)):
            with pytest.raises(IndexMismatchError) as caught:
                await stores.open(spec=spec)
            assert caught.value.hint
        backend = await stores.open()
        assert await self.ids(backend) == ["a"]
        await backend.prepare(other, reset=True)
        await backend.aclose()
        backend = await stores.open(spec=other)
        assert await backend.count() == 0

    @contract
    async def test_reset_takes_another_dimension(self, stores: Stores) -> None:
        """With `reset`, the store takes vectors of another length, and refuses the old one.

        When it fails: make whatever depends on the dimension anew.
        """
        backend = await stores.open()
        await backend.upsert([make_record("a")])
        await backend.prepare(IndexSpec("another@2", 3), reset=True)
        short = np.array([0, 1, 0], np.float32)
        await backend.upsert([Record(make_record("b").chunk, DocumentVersion("h", "p", 1), short)])
        assert [match.chunk_id for match in await backend.search(short, 5)] == ["b"]
        with pytest.raises(StoreError):
            await backend.upsert([Record(make_record("c").chunk, DOCUMENT_VERSION, direction(1))])
