"""What a search found as one text for a language model."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc import Chunk, Definition, Hit, SearchResult

TEXT = "One two three. Four five six. Seven eight nine. Ten."


def hit(start: int, end: int, rank: int = 1, source: str = "act.md", **fields: object) -> Hit:
    chunk = Chunk(
        source,
        TEXT[start:end],
        start,
        end,
        1,
        1,
        parent_chain=("Title I", "Section 4"),
        page_start=3,
        page_end=3,
    )
    return Hit(rank, 1.0, {}, chunk, **fields)  # type: ignore[arg-type]


def result(*hits: Hit) -> SearchResult:
    return SearchResult("q", "hybrid", 10, hits)


def test_passages_say_where_they_stand() -> None:
    context = result(hit(0, 14)).context()
    assert (
        context.text
        == "[1] act.md · Title I > Section 4 · page 3 · characters 0-14\nOne two three."
    )
    (passage,) = context.passages
    assert (passage.number, passage.char_start, passage.char_end) == (1, 0, 14)


def test_they_are_in_reading_order_and_merged_where_they_touch() -> None:
    found = result(hit(30, 47), hit(0, 15, 2), hit(15, 35, 3), hit(0, 14, 4, "other.md"))
    context = found.context()
    assert [(one.source, one.text) for one in context.passages] == [
        ("act.md", TEXT[:47]),
        ("other.md", TEXT[:14]),
    ]


def test_the_best_that_fit_come_in() -> None:
    found = result(hit(0, 14), hit(15, 47, 2), hit(48, 52, 3))
    without_second = result(hit(0, 14), hit(48, 52, 3)).context(1_000).tokens
    context = found.context(without_second)
    assert (context.left_out, context.tokens) == (1, without_second)
    assert [one.char_start for one in context.passages] == [0, 48]
    assert found.context(1).passages == ()


def test_tokens_are_counted_as_the_caller_says() -> None:
    context = result(hit(0, 14)).context(11, count_tokens=lambda text: len(text.split()))
    assert context.tokens == len(context.text.split()) <= 14
    assert result(hit(0, 14)).context(3, count_tokens=lambda text: len(text.split())).left_out == 1


def test_definitions_come_once_unless_a_passage_holds_them() -> None:
    one = Definition("Four", "Four means 4.", "act.md")
    held = Definition("Ten", "Ten.", "act.md")
    found = result(hit(0, 14, definitions=(one, held)), hit(48, 52, 2, definitions=(one,)))
    assert found.context().text.endswith("Definitions:\n- Four (act.md): Four means 4.")


def test_a_budget_of_nothing_is_wrong() -> None:
    with pytest.raises(ValueError, match="budget_tokens is 0"):
        result().context(0)


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 52), st.sampled_from("ab")), max_size=8),
    st.integers(1, 200),
)
def test_passages_are_the_documents_own_characters(
    spans: list[tuple[int, int, str]], budget: int
) -> None:
    hits = [hit(start, max(end, start + 1), source=name) for start, end, name in spans]
    context = result(*(replace(one, rank=rank) for rank, one in enumerate(hits, 1))).context(budget)
    assert context.tokens <= budget
    for one in context.passages:
        assert one.text == TEXT[one.char_start : one.char_end]
        assert one.reference in context.text
    places = [(one.source, one.char_start, one.char_end) for one in context.passages]
    assert all(a[0] != b[0] or a[2] < b[1] for a, b in pairwise(places))
