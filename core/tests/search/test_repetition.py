"""What hits repeat, and what comes first then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hierdoc import Hit, LegScore
from hierdoc.search.repetition import repeats_any, spread
from hierdoc_testing.context import make_chunks

_, (CHUNK, *_OTHERS) = make_chunks(3)


def hit(name: str, score: float, *, leg: str = "keyword", page: int | None = None) -> Hit:
    chunk = replace(CHUNK, id=f"{name} {score}", section_id=name, page_start=page, page_end=page)
    return Hit(0, score, {leg: LegScore(1, score)}, chunk, certain=leg == "exact")


def names(hits: list[Hit]) -> list[str | None]:
    return [one.chunk.section_id for one in hits]


def test_several_sections_come_before_more_of_one() -> None:
    found = spread([hit("a", 1.0), hit("a", 0.9), hit("a", 0.8), hit("b", 0.78), hit("c", 0.6)])
    assert names(found) == ["a", "b", "a", "c", "a"]
    assert [one.score for one in found] == pytest.approx([1.0, 0.78, 0.765, 0.6, 0.578])
    assert [one.why for one in found if one.why] == [
        "1 of this section before it, so 0.85 of its score",
        "2 of this section before it, so 0.72 of its score",
    ]


def test_what_stands_out_stays_before() -> None:
    assert names(spread([hit("a", 1.0), hit("a", 0.9), hit("b", 0.5)])) == ["a", "a", "b"]


def test_of_paged_documents_pages_are_the_places() -> None:
    found = [hit("a", 1.0, page=3), hit("b", 0.9, page=3), hit("c", 0.8, page=4)]
    assert names(spread(found)) == ["a", "c", "b"]


def test_what_the_exact_leg_found_keeps_its_place() -> None:
    found = [hit("a", 2.0, leg="exact"), hit("a", 1.9, leg="exact"), hit("a", 1.0), hit("b", 0.95)]
    assert names(spread(found)) == ["a", "a", "b", "a"]
    assert [one.certain for one in spread(found)] == [True, True, False, False]


def test_the_order_of_equals_and_of_negative_scores_stays() -> None:
    found = [hit("a", 0.5), hit("b", 0.5), hit("b", -0.1), hit("c", -0.2)]
    assert names(spread(found)) == ["a", "b", "b", "c"]
    assert spread([]) == []


def test_near_duplicates_are_known() -> None:
    text = " ".join(f"word{number}" for number in range(100))
    known = replace(hit("a", 1.0), chunk=replace(CHUNK, text=text))
    assert repeats_any(replace(CHUNK, text=text), [known])
    assert repeats_any(replace(CHUNK, text=text.replace("word7 ", "other ")), [known])
    assert not repeats_any(replace(CHUNK, text=text.replace("word1", "other")), [known])
    assert not repeats_any(replace(CHUNK, text=text[:300]), [known])
