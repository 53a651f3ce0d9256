"""Filters: they select what they mean, push nothing out of the limit, and leave scores alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierdoc import Chunk, Definition, Filter
from hierdoc.filters import And, Contains, Equals, In, Not, Or, Under
from hierdoc.plugin import DocumentVersion, IndexSpec, Record, matches

Scenario = Callable[[Any], Awaitable[Any]]
Run = Callable[[Scenario], Any]


def record(id: str, text: str, **fields: Any) -> Record:
    chunk = Chunk(fields.pop("source", "doc.md"), text, 0, len(text), 1, 1, id=id, **fields)
    return Record(chunk, DocumentVersion("hash", "pipeline", 1))


def ids(found: Sequence[Any]) -> list[str]:
    return [match.chunk_id for match in found]


KINDS = ["content", "definition", "table"]
NAMES = ["", "a", "b", "a/b", "A", "é", "a b"]
CHAINS = [(), ("a",), ("a", "b"), ("a", "b", "c"), ("b",), ("a/b",), ("a b",)]


def corpus() -> list[Record]:
    return [
        record(
            f"{number:03d}",
            f"word number {number} " + "filler " * (number % 7),
            source=NAMES[number % 7],
            title=NAMES[number % 5],
            section_id=None if number % 3 == 0 else NAMES[number % 4],
            kind=KINDS[number % 3],
            language=[None, "en", "de"][number % 3],
            section_keys=tuple(NAMES[: number % 4]),
            ancestor_keys=tuple(NAMES[number % 4 :]),
            headings=tuple(NAMES[number % 6 :][:1]),
            definitions=tuple(Definition(one.upper(), "", "s") for one in NAMES[: number % 3]),
            parent_chain=CHAINS[number % len(CHAINS)],
        )
        for number in range(210)
    ]


SCALARS = st.sampled_from(["source", "title", "section_id", "kind", "language"])
VALUES = st.sampled_from([*NAMES, *KINDS, "en", "de", "elsewhere"])
LEAVES: st.SearchStrategy[Filter] = st.one_of(
    st.builds(Equals, SCALARS, VALUES),
    st.builds(In, SCALARS, st.lists(VALUES, max_size=3)),
    st.builds(
        Contains,
        st.sampled_from(["section_keys", "ancestor_keys", "headings", "terms", "reference_keys"]),
        VALUES,
    ),
    st.builds(Under, st.sampled_from([*CHAINS, ("c",), ("b", "a")])),
)
FILTERS: st.SearchStrategy[Filter] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: And(*parts)),
        st.lists(inner, max_size=3).map(lambda parts: Or(*parts)),
        st.builds(Not, inner),
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def filled(open_backend: Callable[[Path], Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A backend that holds the corpus, and what awaits its calls."""
    loop = asyncio.new_event_loop()
    backend = open_backend(tmp_path_factory.mktemp("keyword"))
    loop.run_until_complete(backend.prepare(IndexSpec("embedder", 3)))
    loop.run_until_complete(backend.upsert(corpus()))
    yield backend, loop.run_until_complete
    loop.run_until_complete(backend.aclose())
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


@settings(deadline=None)
@given(FILTERS)
def test_a_filter_selects_what_it_means_and_changes_no_score(filled: Any, filter: Filter) -> None:
    backend, wait_for = filled
    everything = wait_for(backend.search("number word 7", 1000))
    assert len(everything) == 210
    selected = {one.id for one in corpus() if matches(filter, one.fields())}
    expected = [match for match in everything if match.chunk_id in selected]
    assert wait_for(backend.search("number word 7", 1000, filter)) == expected
    assert wait_for(backend.search("number word 7", 3, filter)) == expected[:3]
