"""BM25 in memory: the formulas, held against other implementations, and that changes leave no trace."""

from __future__ import annotations

import asyncio
import math
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from hierdoc import Analyzer, Chunk
from hierdoc.filters import Equals, Not
from hierdoc.plugin import DocumentVersion, Record
from hierdoc_in_memory import bm25
from hierdoc_in_memory import keyword as keyword_memory
from hierdoc_in_memory.bm25 import Bm25Index, Variant
from hierdoc_in_memory.keyword import InMemoryKeywordBackend, KeywordIndex

TERMS = st.sampled_from("abcdefg")
TEXTS = st.lists(st.lists(TERMS, max_size=12), min_size=1, max_size=12)
VARIANTS = st.sampled_from(["lucene", "okapi"])
ALL = 1_000_000


def filled(texts: Sequence[Sequence[str]], **settings: Any) -> Bm25Index:
    index = Bm25Index(**settings)
    for number, terms in enumerate(texts):
        index.add(f"{number:03d}", terms)
    return index


# Formulas


def test_lucenes_formula() -> None:
    index = filled([["x", "x", "y"], ["y"], ["z", "y"]], k1=1.2, b=0.75)
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    score = idf * 2 * 2.2 / (2 + 1.2 * (1 - 0.75 + 0.75 * 3 / 2))
    assert index.search(["x"], ALL) == [("000", pytest.approx(score, rel=1e-12))]


@given(
    st.lists(st.lists(TERMS, min_size=1, max_size=12), min_size=1, max_size=12),
    st.lists(TERMS, max_size=5),
    st.floats(0.1, 3),
    st.floats(0, 1),
)
def test_okapi_scores_are_those_of_rank_bm25(
    texts: list[list[str]], query: list[str], k1: float, b: float
) -> None:
    found = dict(filled(texts, k1=k1, b=b, variant="okapi").search(query, ALL))
    matching = [n for n, terms in enumerate(texts) if set(terms) & set(query)]
    assert sorted(found) == [f"{n:03d}" for n in matching]
    scores = BM25Okapi(texts, k1=k1, b=b).get_scores(query)
    for n in matching:
        assert found[f"{n:03d}"] == pytest.approx(scores[n], abs=1e-9)


def test_okapi_scores_on_a_real_document(shared_data: Path) -> None:
    analyzer = Analyzer()
    text = (shared_data / "legal" / "us-constitution.md").read_text(encoding="utf-8")
    texts = [analyzer.terms(paragraph) for paragraph in text.split("\n\n")]
    index, okapi = filled(texts, variant="okapi"), BM25Okapi(texts)
    for query in ("the right of the people", "Article I, Section 8", "vested in a Congress"):
        terms = analyzer.query_terms(query)
        scores = okapi.get_scores(terms)
        found = index.search(terms, ALL)
        assert found
        for id_, score in found:
            assert score == pytest.approx(scores[int(id_)], abs=1e-9)


# Ranking


@given(TEXTS, st.lists(TERMS, max_size=4), st.integers(0, 15), VARIANTS)
def test_a_limit_cuts_the_whole_ranking_and_ties_go_by_id(
    texts: list[list[str]], query: list[str], limit: int, variant: Variant
) -> None:
    index = filled(texts, variant=variant)
    everything = index.search(query, ALL)
    assert everything == sorted(everything, key=lambda one: (-one[1], one[0]))
    assert index.search(query, limit) == everything[:limit]


@given(TEXTS, st.lists(TERMS, max_size=4), st.integers(1, 15), st.sets(st.integers(0, 11)))
def test_what_is_not_allowed_makes_room_for_the_next(
    texts: list[list[str]], query: list[str], limit: int, allowed: set[int]
) -> None:
    index = filled(texts)
    expected = [one for one in index.search(query, ALL) if int(one[0]) in allowed]
    assert index.search(query, limit, lambda id_: int(id_) in allowed) == expected[:limit]


def test_only_the_best_are_asked_whether_they_are_allowed() -> None:
    index = filled([["x"] * (1 + n % 7) for n in range(900)])
    asked: list[str] = []
    index.search(["x"], 5, lambda id_: asked.append(id_) is None)
    assert len(asked) == 20


# Phrases


def occurrences(terms: Sequence[str], phrase: Sequence[str]) -> int:
    size = len(phrase)
    starts = range(len(terms) - size + 1)
    return sum(list(terms[start : start + size]) == list(phrase) for start in starts)


@given(TEXTS, st.lists(TERMS, min_size=1, max_size=4), VARIANTS)
def test_a_phrase_is_found_where_it_stands(
    texts: list[list[str]], phrase: list[str], variant: Variant
) -> None:
    found = dict(filled(texts, variant=variant).search_phrase(phrase, ALL))
    assert set(found) == {f"{n:03d}" for n, terms in enumerate(texts) if occurrences(terms, phrase)}


def test_a_phrase_scores_like_one_term_with_the_sum_of_the_idfs() -> None:
    index = filled([["a", "b", "a", "b"], ["b", "a"], ["c"]], k1=1.2, b=0)
    idf = 2 * math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    score = idf * 2 * 2.2 / (2 + 1.2)
    assert index.search_phrase(["a", "b"], ALL) == [("000", pytest.approx(score, rel=1e-12))]


# Changes


@given(
    st.lists(st.tuples(st.integers(0, 5), st.none() | st.lists(TERMS, max_size=6)), max_size=40),
    st.lists(TERMS, max_size=4),
    VARIANTS,
    st.sampled_from([0, 3, 1024]),
)
def test_changes_leave_no_trace(
    changes: list[tuple[int, list[str] | None]], query: list[str], variant: Variant, compact_at: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25, "_COMPACT_AT", compact_at)
        index, held = Bm25Index(variant=variant), dict[str, list[str]]()
        for number, terms in changes:
            if terms is None:
                index.remove(str(number))
                held.pop(str(number), None)
            else:
                index.add(str(number), terms)
                held[str(number)] = terms
        fresh = Bm25Index(variant=variant)
        for id_, terms in held.items():
            fresh.add(id_, terms)
        assert len(index) == len(held)
        assert all(id_ in index for id_ in held)
        expected = fresh.search(query, ALL)
        assert [one[0] for one in index.search(query, ALL)] == [one[0] for one in expected]
        assert [one[1] for one in index.search(query, ALL)] == pytest.approx(
            [one[1] for one in expected], rel=1e-9
        )
        phrase = query[:2]
        assert dict(index.search_phrase(phrase, ALL)) == pytest.approx(
            dict(fresh.search_phrase(phrase, ALL)), rel=1e-9
        )


def test_replacing_for_ever_takes_no_more_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, "_COMPACT_AT", 10)
    index = Bm25Index()
    for n in range(1000):
        index.add(str(n % 5), ["a", "b"])
    assert len(index._ids) <= 20
    assert sum(map(len, index._postings)) <= 2 * 2 * 20


def test_a_search_that_fails_does_no_harm() -> None:
    index = filled([["a"], ["a", "b"]])

    def fail(id_: str) -> bool:
        raise LookupError(id_)

    with pytest.raises(LookupError) as caught:
        index.search(["a"], 1, fail)
    index.add("new", ["a"])  # while the traceback still holds the frames of the search
    assert caught.value.args
    assert len(index.search(["a"], ALL)) == 3


def test_threads_may_search_and_change_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, "_COMPACT_AT", 10)
    index, problems, stop = filled([["a", "b"]] * 20), [], threading.Event()

    def look() -> None:
        while not stop.is_set():
            found = Counter(id_ for id_, _ in index.search(["a"], ALL))
            phrase = index.search_phrase(["a", "b"], ALL)
            if len(found) < 19 or found.most_common(1)[0][1] > 1 or len(phrase) < 19:
                problems.append(found)

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for n in range(2000):
        index.add(f"{n % 20:03d}", ["a", "b", str(n)])
    stop.set()
    for thread in threads:
        thread.join()
    assert problems == []


# Texts


def test_the_right_tool_among_many() -> None:
    index = KeywordIndex()
    index.add("list_files", "List the files in a folder")
    index.add("read_file", "Read a file and return its text")
    index.add("send_mail", "Send an e-mail message to somebody")
    index.add("getWeather", "Current weather for a city: getWeather(city)")
    assert index.search("which files are in this folder?", limit=1)[0].chunk_id == "list_files"
    assert index.search("weather in Paris")[0].chunk_id == "getWeather"
    index.remove("list_files")
    assert [match.chunk_id for match in index.search("files")] == ["read_file"]
    assert len(index) == 3


def test_a_language_that_is_gone_is_searched_no_more() -> None:
    index = KeywordIndex()
    index.add("de", "eine Kündigung", language="de")
    index.add("en", "the treaties", language="en")
    assert [match.chunk_id for match in index.search("Kündigungen")] == ["de"]
    index.add("de", "eine Kündigung", language="en")
    assert index.search("Kündigungen") == []


@pytest.mark.parametrize("inline", [0, 5_000])
def test_large_indexes_are_searched_in_a_thread(
    inline: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyword_memory, "_INLINE_CHUNKS_ONE_BY_ONE", inline)
    threads: set[threading.Thread] = set()
    search = KeywordIndex.search

    def noting(*arguments: Any) -> Any:
        threads.add(threading.current_thread())
        return search(*arguments)

    monkeypatch.setattr(KeywordIndex, "search", noting)

    async def scenario() -> None:
        backend = InMemoryKeywordBackend()
        chunk = Chunk("s", "word", 0, 4, 1, 1, id="a")
        await backend.upsert([Record(chunk, DocumentVersion("h", "p", 1))])
        assert len(await backend.search("word", 1, Not(Equals("source", "t")))) == 1

    asyncio.run(scenario())
    assert (threads == {threading.main_thread()}) == bool(inline)
