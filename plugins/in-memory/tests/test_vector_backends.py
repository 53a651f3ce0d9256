"""What both built-in vector backends promise beyond the conformance kit: one list of behaviours, run for each."""

from __future__ import annotations

import asyncio
import gc
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierdoc import (
    Chunk,
    Definition,
    Filter,
    IndexMismatchError,
    QueryError,
    Reference,
    Section,
    StoreError,
)
from hierdoc.filters import And, Contains, Equals, In, Not, Or, Under
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    ComponentKind,
    DocumentState,
    DocumentVersion,
    IndexSpec,
    Record,
    SupportsAtomicReplace,
    default_registry,
    matches,
)
from hierdoc_in_memory import vector as vector_memory
from hierdoc_sqlite import backend as vector_sqlite
from hierdoc_sqlite import search as sqlite_search

SPEC = IndexSpec("embedder", 4)
VERSION = DocumentVersion("hash", "pipeline", 1)
BACKENDS = ("sqlite", "in-memory")

Scenario = Callable[[Any], Awaitable[Any]]
Run = Callable[[Scenario], Any]


def record(id: str, vector: Sequence[float] = (1, 0, 0, 0), **fields: Any) -> Record:
    version = fields.pop("version", VERSION)
    text = fields.pop("text", f"text of {id!r}")
    chunk = Chunk(fields.pop("source", "doc.md"), text, 0, len(text), 1, 1, id=id, **fields)
    return Record(chunk, version, np.array(vector, np.float32))


def document(source: str, count: int, label: str = "1") -> list[Record]:
    version = DocumentVersion(label, "pipeline", count)
    return [
        record(f"{source}#{label}.{n}", source=source, ordinal=n, version=version)
        for n in range(count)
    ]


def ids(found: Sequence[Any]) -> list[str]:
    return [getattr(one, "chunk_id", None) or one.id for one in found]


def unit(*numbers: float) -> Any:
    vector = np.array(numbers, np.float32)
    return vector / np.linalg.norm(vector)


async def everything(backend: Any, **options: Any) -> list[Record]:
    return [record async for page in backend.scan(**options) for record in page]


def open_backend(name: str, folder: Path) -> Any:
    provider = default_registry().find(ComponentKind.VECTOR, name)
    fields = {"path": folder} if name == "sqlite" else {}
    return provider.open(provider.config.model_validate({"provider": name, **fields}))


def run_on(name: str, folder: Path, scenario: Scenario, spec: IndexSpec = SPEC) -> Any:
    async def main() -> Any:
        backend = open_backend(name, folder)
        try:
            await backend.prepare(spec)
            return await scenario(backend)
        finally:
            await backend.aclose()

    return asyncio.run(main())


@pytest.fixture(params=BACKENDS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["at once", "in a thread"])
def run(
    name: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """Runs a scenario on an empty backend, once as it is, once with all work in threads."""
    if request.param == "in a thread":
        for module in (sqlite_search, vector_memory):
            monkeypatch.setattr(module, "_SMALL", -1)
        for module in (vector_sqlite, vector_memory):
            monkeypatch.setattr(module, "_FEW", -1)
        monkeypatch.setattr(vector_memory, "_HANDFUL", -1)
    return lambda scenario: run_on(name, tmp_path, scenario)


# Search


def test_scores_are_never_beyond_one(run: Run) -> None:
    vectors = [unit(*numbers) for numbers in np.random.default_rng(5).standard_normal((50, 4))]
    assert max(float(np.vdot(vector, vector)) for vector in vectors) > 1  # so rounding can lead

    async def scenario(backend: Any) -> None:
        await backend.upsert([record(f"{n}", vector) for n, vector in enumerate(vectors)])
        await backend.upsert([record(f"-{n}", -vector) for n, vector in enumerate(vectors)])
        for vector in vectors:
            found = await backend.search(vector, 100)
            assert (found[0].score, found[-1].score) == pytest.approx((1, -1))
            assert all(-1 <= match.score <= 1 for match in found)

    run(scenario)


@pytest.mark.parametrize("length", [1e-30, 0.5, 1.001, 1e30])
def test_vectors_of_any_length_give_cosines(run: Run, length: float) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert([record("it", unit(3, 4, 0, 0) * np.float32(length))])
        (match,) = await backend.search(unit(1, 0, 0, 0) * np.float32(length), 1)
        assert match.score == pytest.approx(0.6)

    run(scenario)


def test_a_zero_vector_scores_zero(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert([record("zero", (0, 0, 0, 0)), record("away", (-1, 0, 0, 0))])
        found = await backend.search(unit(1, 0, 0, 0), 2)
        assert [(match.chunk_id, match.score) for match in found] == [("zero", 0), ("away", -1)]

    run(scenario)


def test_a_zero_query_scores_all_zero(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert([record(f"{n:03d}") for n in range(300)])
        found = await backend.search(np.zeros(4, np.float32), 3)
        assert [(match.chunk_id, match.score) for match in found] == [
            ("000", 0),
            ("001", 0),
            ("002", 0),
        ]

    run(scenario)


def test_a_value_that_stands_twice_in_a_record_is_one(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        twice = [Definition("Fee", "one", "a"), Definition("fee", "two", "b")]
        await backend.upsert(
            [record("a", [1, 0, 0, 0], section_keys=("sec_1", "sec_1"), definitions=tuple(twice))]
        )
        assert ids(await backend.find(Contains("section_keys", "sec_1"), 9)) == ["a"]
        assert ids(await backend.find(Contains("terms", "fee"), 9)) == ["a"]
        await backend.delete_documents(["doc.md"])
        assert await backend.find(Contains("terms", "fee"), 9) == []

    run(scenario)


def test_an_empty_store_finds_nothing(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        assert list(await backend.search(unit(1, 0, 0, 0), 5)) == []
        assert list(await backend.search(unit(1, 0, 0, 0), 5, Equals("kind", "table"))) == []
        assert list(await backend.find(And(), 5)) == []
        assert list(await backend.get(["x"])) == []
        assert await everything(backend) == []
        assert dict(await backend.documents()) == {}
        assert await backend.count() == 0

    run(scenario)


@pytest.mark.parametrize(
    "vector", [[1, 0, 0], [[1, 0, 0, 0]], [1, 0, 0, np.nan], [np.inf, 0, 0, 0]]
)
def test_a_query_that_is_no_vector_of_the_index_is_refused(run: Run, vector: Any) -> None:
    async def scenario(backend: Any) -> None:
        with pytest.raises(QueryError, match="4 finite numbers"):
            await backend.search(np.array(vector, np.float32), 5)

    run(scenario)


@pytest.mark.parametrize("limit", [1, 10, 50, 400])
def test_search_among_many_finds_the_best(run: Run, limit: int) -> None:
    vectors = [unit(*numbers) for numbers in np.random.default_rng(6).standard_normal((4500, 4))]

    async def scenario(backend: Any) -> None:
        await backend.upsert([record(f"{n:04d}", vector) for n, vector in enumerate(vectors)])
        for query in vectors[:3]:
            scores = np.sort(np.array(vectors, np.float64) @ query)[::-1]
            found = await backend.search(query, limit)
            assert [match.score for match in found] == pytest.approx(scores[:limit], abs=1e-6)
            assert len({match.chunk_id for match in found}) == limit

    run(scenario)


def test_a_deleted_chunk_is_not_found_again(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert([record(str(n), source=f"{n}.md") for n in range(5)])
        await backend.search(unit(1, 0, 0, 0), 5)
        await backend.delete_documents(["1.md", "4.md"])
        assert ids(await backend.search(unit(1, 0, 0, 0), 5)) == ["0", "2", "3"]
        await backend.upsert([record("new", source="new.md")])
        assert ids(await backend.search(unit(1, 0, 0, 0), 5)) == ["0", "2", "3", "new"]

    run(scenario)


COMPONENTS = st.integers(-3, 3).map(float)
VECTORS = st.lists(st.tuples(COMPONENTS, COMPONENTS, COMPONENTS, COMPONENTS), max_size=300)


@settings(max_examples=30, deadline=None)
@given(
    name=st.sampled_from(BACKENDS),
    vectors=VECTORS,
    query=st.tuples(COMPONENTS, COMPONENTS, COMPONENTS, COMPONENTS),
    limit=st.integers(0, 40),
    gone=st.sets(st.integers(0, 5)),
    every=st.integers(1, 40),
)
def test_search_is_exact(
    name: str, vectors: Any, query: Any, limit: int, gone: set[int], every: int
) -> None:
    async def scenario(backend: Any) -> None:
        records = [
            record(
                f"{n * 7919 % 1000:03d}", vector, source=f"{n % 6}.md", section_id=str(n % every)
            )
            for n, vector in enumerate(vectors)
        ]
        await backend.upsert(records)
        await backend.delete_documents([f"{n}.md" for n in gone])
        left = [one for n, one in enumerate(records) if n % 6 not in gone]
        chosen = [one for one in left if one.chunk.section_id == "0"]
        for chosen_by, expected in ((None, left), (Equals("section_id", "0"), chosen)):
            found = await backend.search(np.array(query, np.float32), limit, chosen_by)
            cosines = {one.id: cosine(one.vector, query) for one in expected}
            assert len(found) == min(limit, len(expected))
            assert [(m.score, m.chunk_id) for m in found] == sorted(
                ((m.score, m.chunk_id) for m in found), key=lambda pair: (-pair[0], pair[1])
            )
            for match in found:
                assert match.score == pytest.approx(cosines.pop(match.chunk_id), abs=1e-6)
            assert not found or max(cosines.values(), default=-1) <= found[-1].score + 1e-6

    with tempfile.TemporaryDirectory() as folder:
        run_on(name, Path(folder), scenario)


def cosine(vector: Any, query: Any) -> float:
    one, other = np.array(vector, np.float64), np.array(query, np.float64)
    lengths = np.linalg.norm(one) * np.linalg.norm(other)
    return float(one @ other / lengths) if lengths else 0.0


# Records


STRANGE_IDS = [
    "a/b.md#1",
    "a_b.md#1",
    "A/B.md#1",
    "ä§法😀",
    "a\u0308",
    " ",
    "",
    "'; DROP TABLE chunks; --",
    "null\x00inside",
    "\ud800 lone",
    "x" * 1000,
    "x" * 1000 + "y",
    "%_*?[a]",
    "1",
    "01",
]


def test_ids_of_any_shape_are_kept_apart(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert([record(strange) for strange in STRANGE_IDS])
        assert [one.id for one in await backend.get(STRANGE_IDS)] == STRANGE_IDS
        found = await backend.search(unit(1, 0, 0, 0), 100)
        assert [match.chunk_id for match in found] == sorted(STRANGE_IDS)

    run(scenario)


def test_records_come_back_whole(run: Run) -> None:
    whole = Record(
        Chunk(
            source="a/ä\udcff.md",
            text="§ 4 \x00 “text”\r\n\ud800",
            char_start=10,
            char_end=20,
            line_start=2,
            line_end=3,
            page_start=1,
            page_end=2,
            id="id",
            ordinal=3,
            title="Title",
            parent_chain=("A", "", "C\x00\x01"),
            section_id="s",
            section_keys=("s", "s", "t"),
            ancestor_keys=("u",),
            headings=("h",),
            sections=(Section("s", "S", 1, 10, 20, 2, 3, 1, None),),
            definitions=(Definition("Term", "means it", "a.md"),),
            references=(Reference("§ 5", "sec_5", True, ("x",)),),
            kind="definition",
            language="de",
            context="Title > A",
        ),
        DocumentVersion("hash", "pipeline", 7),
        unit(1, 2, 3, 4),
    )
    bare = record("bare", unit(4, 3, 2, 1))

    async def scenario(backend: Any) -> None:
        await backend.upsert([whole, bare])
        found = [
            *await backend.get(["id", "bare"], vectors=True),
            *await backend.find(In("source", ["a/ä\udcff.md"]), 5),
            *await backend.find(Equals("source", "doc.md"), 5),
        ]
        for one, expected in zip(found, [whole, bare, whole, bare], strict=True):
            assert one.chunk == expected.chunk
            assert one.version == expected.version
        for one, expected in zip(found[:2], [whole, bare], strict=True):
            assert one.vector.dtype == np.float32
            assert np.array_equal(one.vector, expected.vector)
        assert all(one.vector is None for one in found[2:])

    run(scenario)


def test_vectors_stay_bit_for_bit_when_written_again(run: Run) -> None:
    rng = np.random.default_rng(3)

    async def scenario(backend: Any) -> None:
        await backend.upsert([record(str(n), rng.standard_normal(4) * 9) for n in range(200)])
        names = [str(n) for n in range(200)]
        first = await backend.get(names, vectors=True)
        await backend.replace_documents(first)
        second = await backend.get(names, vectors=True)
        for one, other in zip(first, second, strict=True):
            assert np.array_equal(one.vector, other.vector)

    run(scenario)


def test_what_is_given_away_is_not_what_is_stored(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        mine = record("a", (1, 0, 0, 0))
        await backend.upsert([mine])
        mine.vector[:] = 0
        (theirs,) = await backend.get(["a"], vectors=True)
        theirs.vector[:] = 0
        (match,) = await backend.search(unit(1, 0, 0, 0), 1)
        assert match.score == 1

    run(scenario)


def test_get_takes_any_number_of_ids(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        names = [str(n) for n in range(1000)]
        await backend.upsert([record(name) for name in names])
        asked = [*names, *(f"unknown {n}" for n in range(39_000))]
        assert ids(await backend.get(asked)) == names

    run(scenario)


def test_writing_nothing_changes_nothing(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert([record("a")])
        await backend.upsert([])
        await backend.replace_documents([])
        await backend.delete_documents([])
        assert ids(await everything(backend)) == ["a"]

    run(scenario)


@pytest.mark.parametrize(
    "vector", [None, np.ones(3), np.ones((1, 4)), np.full(4, np.nan), np.array([np.inf, 0, 0, 0])]
)
@pytest.mark.parametrize("method", ["upsert", "replace_documents"])
def test_a_record_without_a_right_vector_is_named_and_nothing_written(
    run: Run, method: str, vector: Any
) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert([record("old")])
        wrong = Record(record("wrong").chunk, VERSION, vector)
        with pytest.raises(StoreError, match=r"'wrong'.*nothing was written"):
            await getattr(backend, method)([record("right"), wrong])
        assert ids(await everything(backend)) == ["old"]

    run(scenario)


# Documents


def test_replace_documents_takes_an_id_from_another_document(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        await backend.replace_documents([record("moved", source="old.md")])
        await backend.replace_documents([record("moved", source="new.md")])
        assert set(await backend.documents()) == {"new.md"}

    run(scenario)


def test_replace_documents_clears_a_document_whose_record_is_also_given_to_another(
    run: Run,
) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert([record("old", source="a.md")])
        both = [record("same", source="a.md"), record("same", source="b.md")]
        await backend.replace_documents(both)
        assert {one.id: one.chunk.source for one in await everything(backend)} == {"same": "b.md"}

    run(scenario)


def test_a_document_with_missing_records_is_incomplete(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert(document("a.md", 3)[:2])
        states = await backend.documents()
        assert states["a.md"] == DocumentState(DocumentVersion("1", "pipeline", 3), 2)
        assert not states["a.md"].complete

    run(scenario)


def test_records_that_differ_in_title_and_language_are_of_one_document(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        version = DocumentVersion("1", "p", 3)
        await backend.upsert(
            [
                record("a", title="A", language="de", version=version),
                record("b", title="B", language="de", version=version),
                record("c", title="A", version=version),
            ]
        )
        assert dict(await backend.documents()) == {"doc.md": DocumentState(version, 3)}
        await backend.delete_documents(["doc.md"])
        assert await backend.count() == 0

    run(scenario)


# Finding and scanning


@pytest.mark.parametrize("limit", [0, -1])
def test_find_with_no_room_finds_nothing(run: Run, limit: int) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert([record("a")])
        assert list(await backend.find(And(), limit)) == []

    run(scenario)


def test_scan_gives_every_record_once_in_pages(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        expected = [one for n in range(50) for one in document(f"{n:02d}.md", 1 + n * 37 % 60)]
        await backend.replace_documents(expected[::-1])
        pages = [page async for page in backend.scan()]
        assert len(pages) > 2
        assert all(pages)
        assert [one.id for page in pages for one in page] == [one.id for one in expected]
        assert all(one.vector is None for page in pages for one in page)

    run(scenario)


def test_what_is_written_during_a_scan_does_not_disturb_the_rest(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        await backend.replace_documents([one for n in range(9) for one in document(f"{n}.md", 200)])
        seen = []
        async for page in backend.scan(vectors=True):
            if not seen:
                await backend.delete_documents(["5.md"])
                await backend.replace_documents(document("6.md", 7, "2"))
                await backend.replace_documents(document("0.md", 3, "2"))
            seen += ids(page)
        others = [one.id for n in (0, 1, 2, 3, 4, 7, 8) for one in document(f"{n}.md", 200)]
        assert [one for one in seen if one[0] not in "56"] == others
        assert [one for one in seen if one[0] == "6"] == ids(document("6.md", 7, "2"))
        assert not [one for one in seen if one[0] == "5"]

    run(scenario)


# Filters


FILTERED = [
    record(
        "act-1",
        source="act.md",
        title="Act",
        language="en",
        section_id="sec_1",
        section_keys=("sec_1", "section 1"),
        headings=("short title",),
        parent_chain=("Act", "Title I"),
        definitions=(Definition("Straße", "is a street", "act.md"),),
    ),
    record(
        "act-2",
        source="act.md",
        title="Act",
        language="en",
        ordinal=1,
        kind="definition",
        ancestor_keys=("sec_1",),
        parent_chain=("Act", "Title I", "Section 2"),
    ),
    record("code", source="code.md", title="Code", kind="table", parent_chain=("Act", "Title II")),
    record("note", source="note.md", parent_chain=("Actor",)),
]


@pytest.mark.parametrize("field", ["source", "title", "section_id", "kind", "language"])
def test_in_takes_any_number_of_values(run: Run, field: str) -> None:
    async def scenario(backend: Any) -> None:
        nasty = "a\x00'\ud800"
        await backend.upsert([record("it", **{field: nasty}), record("other", **{field: "other"})])
        many = [*(f"value {n}" for n in range(40_000)), nasty]
        assert ids(await backend.find(In(field, many), 5)) == ["it"]
        assert ids(await backend.search(unit(1, 0, 0, 0), 5, Not(In(field, many)))) == ["other"]

    run(scenario)


def test_a_filter_may_have_a_thousand_parts(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert(FILTERED)
        wide = [Contains("section_keys", f"section {n}") for n in range(1000)]
        assert ids(await backend.find(Or(*wide), 5)) == ["act-1"]
        assert ids(await backend.find(And(*map(Not, wide)), 5)) == ["act-2", "code", "note"]

    run(scenario)


def test_a_filter_sees_what_was_written_after_it_was_first_used(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        tables = Equals("kind", "table")
        await backend.upsert(FILTERED)
        assert ids(await backend.search(unit(1, 0, 0, 0), 5, tables)) == ["code"]
        await backend.upsert([record("more", kind="table"), record("code")])
        assert ids(await backend.search(unit(1, 0, 0, 0), 5, tables)) == ["more"]

    run(scenario)


VALUES = st.sampled_from(
    ["", "a", "b", "ab", "A", "\x00", "a\x00", "\x01", "\x01\x01", "\x01\x02", "\ud800"]
)
MAYBE = st.none() | VALUES
SOME = st.lists(VALUES, max_size=3).map(tuple)
RECORD_FIELDS = st.fixed_dictionaries(
    {
        "source": VALUES,
        "title": VALUES,
        "kind": VALUES,
        "section_id": MAYBE,
        "language": MAYBE,
        "parent_chain": SOME,
        "section_keys": SOME,
        "ancestor_keys": SOME,
        "headings": SOME,
        "definitions": st.lists(
            VALUES.map(lambda term: Definition(term, "means it", "doc.md")), max_size=2
        ).map(tuple),
    }
)
SCALARS = st.sampled_from(["source", "title", "section_id", "kind", "language"])
LISTS = st.sampled_from(["section_keys", "ancestor_keys", "headings", "terms", "reference_keys"])
FILTERS: st.SearchStrategy[Filter] = st.recursive(
    st.builds(Equals, SCALARS, VALUES)
    | st.builds(In, SCALARS, st.lists(VALUES, max_size=3))
    | st.builds(Contains, LISTS, VALUES)
    | st.builds(Under, st.lists(VALUES, max_size=3)),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: And(*parts))
        | st.lists(inner, max_size=3).map(lambda parts: Or(*parts))
        | st.builds(Not, inner)
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(BACKENDS),
    fields=st.lists(RECORD_FIELDS, max_size=12),
    filters=st.lists(FILTERS, min_size=1, max_size=8),
)
def test_a_filter_selects_exactly_what_matches_selects(
    name: str, fields: list[Any], filters: list[Filter]
) -> None:
    records = [record(f"{n:02d}", ordinal=n, **one) for n, one in enumerate(fields)]

    async def scenario(backend: Any) -> None:
        await backend.upsert(records)
        for tree in filters:
            chosen = [one for one in records if matches(tree, one.fields())]
            chosen.sort(key=lambda one: (one.chunk.source, one.chunk.ordinal))
            assert ids(await backend.find(tree, 99)) == [one.id for one in chosen]
            found = ids(await backend.search(unit(1, 0, 0, 0), 99, tree))
            assert found == sorted(one.id for one in chosen)

    with tempfile.TemporaryDirectory() as folder:
        run_on(name, Path(folder), scenario)


# A history of writes


class Model:
    """What a store should hold: records by id."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}

    def upsert(self, records: list[Record]) -> None:
        self.records |= {one.id: one for one in records}

    def replace_documents(self, records: list[Record]) -> None:
        self.delete_documents([one.chunk.source for one in records])
        self.upsert(records)

    def delete_documents(self, sources: list[str]) -> None:
        kept = [one for one in self.records.values() if one.chunk.source not in sources]
        self.records = {one.id: one for one in kept}


SOURCES = st.sampled_from(["a", "b", "c"])
WRITTEN = st.lists(
    st.builds(
        lambda name, source, label, axis: record(
            name, np.eye(4)[axis], source=source, version=DocumentVersion(label, "p", 2), text=label
        ),
        st.sampled_from("pqrstuvw"),
        SOURCES,
        st.sampled_from("12"),
        st.integers(0, 3),
    ),
    max_size=5,
)
STEPS = st.lists(
    st.tuples(st.sampled_from(["upsert", "replace_documents"]), WRITTEN)
    | st.tuples(st.just("delete_documents"), st.lists(SOURCES, max_size=2)),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(BACKENDS), steps=STEPS)
def test_any_history_of_writes_leaves_what_it_should(name: str, steps: list[Any]) -> None:
    async def scenario(backend: Any) -> None:
        model = Model()
        for method, argument in steps:
            await getattr(backend, method)(argument)
            getattr(model, method)(argument)
            held = await everything(backend)
            assert {one.id: one.chunk for one in held} == {
                one.id: one.chunk for one in model.records.values()
            }
            assert len(held) == await backend.count() == len(model.records)
            for axis in np.eye(4, dtype=np.float32):
                expected = sorted(
                    (-float(one.vector @ axis), one.id) for one in model.records.values()
                )
                found = await backend.search(axis, 99)
                assert [(-match.score, match.chunk_id) for match in found] == expected
            for source, state in (await backend.documents()).items():
                versions = [
                    one.version for one in model.records.values() if one.chunk.source == source
                ]
                agreed = versions[0] if len(set(versions)) == 1 else None
                assert state == DocumentState(agreed, len(versions))

    with tempfile.TemporaryDirectory() as folder:
        run_on(name, Path(folder), scenario)


# Opening, closing and doing many things at once


def test_the_capabilities_are_claimed_and_there(name: str, tmp_path: Path) -> None:
    backend = open_backend(name, tmp_path)
    assert backend.capabilities >= ALL_FILTERS | {Capability.ATOMIC_REPLACE}
    assert isinstance(backend, SupportsAtomicReplace)
    lasting = {Capability.PERSISTENT, Capability.MULTI_PROCESS}
    assert backend.capabilities & lasting == (lasting if name == "sqlite" else set())


@pytest.mark.parametrize("other", [IndexSpec("another", 4), IndexSpec("embedder", 5)])
def test_another_embedder_or_dimension_is_refused_with_the_way_out(run: Run, other: Any) -> None:
    async def scenario(backend: Any) -> None:
        await backend.upsert([record("a")])
        with pytest.raises(IndexMismatchError) as caught:
            await backend.prepare(other)
        for spec in (SPEC, other):
            assert f"'{spec.embedder}' with {spec.dimensions} dimensions" in str(caught.value)
        assert "hierdoc ingest --force" in (caught.value.hint or "")
        await backend.prepare(SPEC)
        assert await backend.count() == 1

    run(scenario)


def test_work_before_prepare_is_refused(name: str, tmp_path: Path) -> None:
    async def main() -> None:
        backend = open_backend(name, tmp_path)
        with pytest.raises(StoreError, match="not open"):
            await backend.search(unit(1, 0, 0, 0), 1)
        with pytest.raises(StoreError, match="not open"):
            await backend.upsert([record("a")])
        await backend.aclose()

    asyncio.run(main())


def test_aclose_lets_go_of_threads_and_may_be_called_again(name: str, tmp_path: Path) -> None:
    before = set(threading.enumerate())

    async def main() -> None:
        backend = open_backend(name, tmp_path)
        await backend.prepare(SPEC)
        await backend.upsert([record("a")])
        await backend.search(unit(1, 0, 0, 0), 1)
        await backend.aclose()
        assert set(threading.enumerate()) <= before
        await backend.aclose()
        with pytest.raises(StoreError):
            await backend.count()

    asyncio.run(main())
    gc.collect()  # a connection left open would warn


def test_a_backend_works_in_one_event_loop_after_another(name: str, tmp_path: Path) -> None:
    backend = open_backend(name, tmp_path)
    asyncio.run(backend.prepare(SPEC))
    asyncio.run(backend.upsert([record("a")]))
    assert ids(asyncio.run(backend.search(unit(1, 0, 0, 0), 5))) == ["a"]
    asyncio.run(backend.aclose())


def test_many_readers_and_writers_at_once(run: Run) -> None:
    async def scenario(backend: Any) -> None:
        async def write(n: int) -> None:
            for version in "123":
                await backend.replace_documents(document(f"{n}.md", 10, version))

        async def read() -> None:
            for _ in range(10):
                for found in (
                    await backend.find(Equals("source", "1.md"), 99),
                    await backend.search(unit(1, 0, 0, 0), 99, Equals("source", "1.md")),
                    [one async for page in backend.scan() for one in page if one.id[0] == "1"],
                ):
                    versions = {one.split("#")[1][0] for one in ids(found)}
                    assert (len(found), len(versions)) in {(0, 0), (10, 1)}

        await asyncio.gather(*map(write, range(8)), *(read() for _ in range(8)))
        assert await backend.count() == 80
        assert len(await backend.search(unit(1, 0, 0, 0), 999)) == 80

    run(scenario)


@pytest.mark.parametrize("work", ["write", "search", "find", "scan", "documents"])
def test_the_event_loop_goes_on_during_long_work(name: str, tmp_path: Path, work: str) -> None:
    all_but_tables = Not(Equals("kind", "table"))
    records = [one for n in range(200) for one in document(f"{n}.md", 20)]

    async def scenario(backend: Any) -> int:
        await backend.replace_documents(records)
        job = {
            "write": lambda: backend.replace_documents(records),
            "search": lambda: backend.search(unit(1, 0, 0, 0), 10_000, all_but_tables),
            "find": lambda: backend.find(all_but_tables, 10_000),
            "scan": lambda: everything(backend, vectors=True),
            "documents": backend.documents,
        }[work]
        turns = 0
        task = asyncio.ensure_future(job())
        while not task.done():
            await asyncio.sleep(0)
            turns += 1
        await task
        return turns

    assert run_on(name, tmp_path, scenario) > 2  # work on the loop itself leaves it one


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())  # fixtures of other tests may still hold some
    yield
    begun = set(threading.enumerate()) - before
    assert not [thread for thread in begun if thread.name.startswith("hierdoc-")]
