"""The stages after fusion: what each moves, and that none moves what is pinned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc import Chunk, Match
from hierdoc.search.query import Query
from hierdoc.search.ranking import (
    STAGES,
    Ranking,
    View,
    arranged,
    boost_named_documents,
    deduplicate,
    diversify,
    lessen_bare,
    lessen_recitals,
    pin_verbatim,
)
from hierdoc_testing.context import make_chunks

_, (CHUNK, *_OTHERS) = make_chunks(3)

HUNDRED = " ".join(f"word{number}" for number in range(100))


def chunk(name: str, section: str = "", *, page: int | None = None, text: str = "") -> Chunk:
    return replace(
        CHUNK,
        id=name,
        text=text or f"{name} says this",
        section_id=section or name,
        page_start=page,
        page_end=page,
    )


def view(*chunks: Chunk, shares: Mapping[str, float] | None = None, query: str = "x") -> View:
    return View(Query.parse(query), {one.id: one for one in chunks}, shares or {}, wanted=10)


def ranked(**scores: float) -> tuple[Match, ...]:
    return tuple(Match(name, score) for name, score in scores.items())


def names(matches: tuple[Match, ...]) -> list[str]:
    return [match.chunk_id for match in matches]


def test_several_sections_come_before_more_of_one() -> None:
    held = [chunk("a1", "a"), chunk("a2", "a"), chunk("a3", "a"), chunk("b"), chunk("c")]
    found = diversify(Ranking(ranked=ranked(a1=1.0, a2=0.9, a3=0.8, b=0.78, c=0.6)), view(*held))
    assert names(found.ranked) == ["a1", "b", "a2", "c", "a3"]
    assert [one.score for one in found.ranked] == pytest.approx([1.0, 0.78, 0.765, 0.6, 0.578])
    assert found.notes == {
        "a2": "1 of this section before it, so 0.85 of its score",
        "a3": "2 of this section before it, so 0.72 of its score",
    }


def test_what_stands_out_stays_before() -> None:
    held = [chunk("a1", "a"), chunk("a2", "a"), chunk("b")]
    found = diversify(Ranking(ranked=ranked(a1=1.0, a2=0.9, b=0.5)), view(*held))
    assert names(found.ranked) == ["a1", "a2", "b"]


def test_of_paged_documents_pages_are_the_places() -> None:
    held = [chunk("a", page=3), chunk("b", page=3), chunk("c", page=4)]
    found = diversify(Ranking(ranked=ranked(a=1.0, b=0.9, c=0.8)), view(*held))
    assert names(found.ranked) == ["a", "c", "b"]


def test_the_order_of_equals_and_of_negative_scores_stays() -> None:
    held = [chunk("a"), chunk("b1", "b"), chunk("b2", "b"), chunk("c")]
    found = diversify(Ranking(ranked=ranked(a=0.5, b1=0.5, b2=-0.1, c=-0.2)), view(*held))
    assert names(found.ranked) == ["a", "b1", "b2", "c"]


def test_what_is_pinned_counts_as_before() -> None:
    held = [chunk("a1", "a"), chunk("a2", "a"), chunk("b")]
    ranking = Ranking(pinned=ranked(a1=2.0), ranked=ranked(a2=1.0, b=0.95))
    assert names(diversify(ranking, view(*held)).order) == ["a1", "b", "a2"]


def test_a_short_chunk_that_its_context_alone_brings_up_comes_later() -> None:
    context = "The Zen of Harbours"
    held = [
        replace(chunk("licence", text="It is in the public domain."), context=context),
        replace(chunk("short", text="Moor with care, says the Zen."), context=context),
        replace(chunk("long", text="Ships come and go. " * 30), context=context),
        chunk("other", text="It is in the public domain."),
    ]
    ranking = Ranking(ranked=ranked(licence=1.0, long=0.9, short=0.8, other=0.7))
    found = lessen_bare(ranking, view(*held, query="zen of harbours"))
    assert names(found.ranked) == ["long", "short", "other", "licence"]
    assert list(found.notes) == ["licence"]


def test_scores_are_raised_by_the_share_of_the_name() -> None:
    held = [
        replace(chunk(name), source=source) for name, source in zip("abcd", "wxyx", strict=True)
    ]
    shares = {"x": 1.0, "y": 0.1}
    ranking = Ranking(ranked=ranked(a=1.0, b=0.9, c=0.8, d=0.1))
    found = boost_named_documents(ranking, view(*held, shares=shares))
    assert names(found.ranked) == ["b", "a", "c", "d"]
    assert found.ranked[0].score == pytest.approx(1.3)
    assert set(found.notes.values()) == {"its document is named"}


@pytest.mark.parametrize(
    ("other", "repeats"),
    [
        (HUNDRED, True),
        (HUNDRED.replace("word7 ", "other "), True),
        (HUNDRED.replace("word1", "other"), False),
        (HUNDRED[:300], False),
    ],
)
def test_near_duplicates_come_last(other: str, repeats: bool) -> None:
    held = [chunk("a", text=HUNDRED), chunk("b", text=other), chunk("c")]
    found = deduplicate(Ranking(ranked=ranked(a=1.0, b=0.9, c=0.1)), view(*held))
    assert names(found.order) == (["a", "c", "b"] if repeats else ["a", "b", "c"])
    assert names(found.repeated) == (["b"] if repeats else [])


def test_what_repeats_the_pinned_comes_last_too() -> None:
    held = [chunk("a", text=HUNDRED), chunk("b", text=HUNDRED), chunk("c")]
    ranking = Ranking(pinned=ranked(a=2.0), ranked=ranked(b=1.0, c=0.5))
    assert names(deduplicate(ranking, view(*held)).order) == ["a", "c", "b"]


@given(st.lists(st.sets(st.integers(0, 40), min_size=1, max_size=30), min_size=2, max_size=12))
def test_the_short_way_finds_the_duplicates_that_all_pairs_have(sets: list[set[int]]) -> None:
    texts = [" ".join(f"{number:0{5 + number % 7}}" for number in sorted(some)) for some in sets]
    held = [chunk(str(number), text=text) for number, text in enumerate(texts)]
    ranking = Ranking(ranked=tuple(Match(one.id, -float(one.id)) for one in held))
    kept: list[str] = []
    for text in texts:
        words = set(text.split())
        kept += [text] * all(
            abs(len(text) - len(one)) > len(text) // 10
            or len(words & set(one.split())) < 0.9 * len(words | set(one.split()))
            for one in kept
        )
    found = deduplicate(ranking, replace(view(*held), wanted=100))
    assert [texts[int(name)] for name in names(found.ranked)] == kept


def test_a_sentence_that_stands_word_for_word_is_pinned() -> None:
    text = "All legislative Powers — herein granted — shall be vested in a Congress."
    held = [chunk("a"), chunk("b", text=text)]
    ranking = Ranking(ranked=ranked(a=1.0, b=0.2))
    asked = view(*held, query="legislative powers - herein granted - shall be vested")
    found = pin_verbatim(ranking, asked)
    assert names(found.pinned) == ["b"]
    assert found.pinned[0].score >= 1.0
    assert pin_verbatim(ranking, view(*held, query="shall be vested")) == ranking


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=8),
    st.lists(st.sampled_from("abc"), min_size=8, max_size=8),
    st.integers(0, 8),
)
def test_no_stage_moves_what_is_pinned_and_none_loses_or_doubles(
    scores: list[float], sections: list[str], pinned: int
) -> None:
    held = [chunk(f"{number}", section) for number, section in enumerate(sections)]
    matches = [Match(str(number), score) for number, score in enumerate(sorted(scores)[::-1])]
    ranking = Ranking(tuple(matches[:pinned]), tuple(matches[pinned:]))
    found = arranged(ranking, view(*held, shares={CHUNK.source: 0.5}), STAGES)
    assert found.pinned == ranking.pinned
    assert sorted(names(found.order)) == sorted(names(ranking.order))


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Die Straße ist jedem frei.", "die strasse ist jedem frei"),
        ("Die Strasse ist jedem frei.", "die Straße ist jedem frei"),
        ("It is con\u00adsidered to be final.", "it is considered to be final"),
        ("It is o\ufb03cially to be final.", "it is officially to be final"),
        ("CALL getUserName AT THE END", "call getusername at the end"),
    ],
)
def test_words_are_the_same_however_they_are_written(text: str, query: str) -> None:
    ranking = Ranking(ranked=ranked(a=1.0))
    assert names(pin_verbatim(ranking, view(chunk("a", text=text), query=query)).pinned) == ["a"]


RECITALS = [replace(chunk("whereas"), section_keys=("recital_1", "recital_2")), chunk("article")]


def test_an_article_comes_before_the_recital_that_says_the_same() -> None:
    ranking = Ranking(ranked=ranked(whereas=1.0, article=0.9))
    found = lessen_recitals(ranking, view(*RECITALS, query="who keeps the log of a ferry?"))
    assert names(found.ranked) == ["article", "whereas"]
    assert found.notes["whereas"].startswith("it is a recital")


@pytest.mark.parametrize(
    "query", ["why is a log kept?", "the recital on logs", "Warum gibt es ein Logbuch?"]
)
def test_who_asks_for_reasons_gets_recitals(query: str) -> None:
    ranking = Ranking(ranked=ranked(whereas=1.0, article=0.9))
    assert lessen_recitals(ranking, view(*RECITALS, query=query)) == ranking
