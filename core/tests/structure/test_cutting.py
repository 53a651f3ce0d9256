"""Cutting: what holds of all pieces, and where a reader would cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc.structure.cutting import Piece, cut, windows
from hierdoc.structure.layout import find_fences
from hierdoc.text.language import estimate_tokens

TEXTS = st.lists(
    st.sampled_from(
        [
            "word ",
            "Word. ",
            "longerword",
            "\n",
            "\n\n",
            "  \n",
            "- item ",
            "| a | b |\n",
            "```\n",
            "§ 4.2",
            "法律。",
            "😀",
            "(((",
            "\t",
            "x" * 70,
        ]
    ),
    max_size=60,
).map("".join)


def fresh(text: str, pieces: list[Piece]) -> list[str]:
    """What each piece adds to the one before."""
    return [text[max(piece.start, piece.fresh) : piece.end] for piece in pieces]


def paragraphs(*sizes: int) -> str:
    """Paragraphs of so many words."""
    return "\n\n".join(" ".join(["word"] * size) for size in sizes)


# Laws


@given(TEXTS, st.integers(8, 40), st.integers(0, 60), st.booleans())
def test_pieces_hold_everything_in_order_and_none_exceeds_the_limit(
    text: str, limit: int, overlap: int, structured: bool
) -> None:
    pieces = (
        cut(text, 0, len(text), limit, overlap) if structured else windows(text, limit, overlap)
    )
    for piece in pieces:
        assert max(piece.start, piece.fresh) < piece.end
        assert text[piece.start : piece.end].rstrip() == text[piece.start : piece.end]
        assert estimate_tokens(text[piece.start : piece.end]) <= limit
        assert estimate_tokens(text[piece.start : piece.fresh]) <= overlap
    for before, after in pairwise(pieces):
        assert max(before.start, before.fresh) < after.start
        assert before.end == after.fresh
    ends = [0, *(piece.end for piece in pieces)]
    gaps = zip(ends, [*(piece.start for piece in pieces), len(text)], strict=True)
    assert not any(text[start:end].strip() for start, end in gaps)


@given(TEXTS, st.integers(0, 20), st.integers(0, 20))
def test_only_the_span_is_cut(text: str, before: int, behind: int) -> None:
    start, end = min(before, len(text)), max(0, len(text) - behind)
    for piece in cut(text, start, end, 10, 3):
        assert start <= piece.start
        assert piece.end <= end


# Where


def test_what_fits_is_one_piece_without_white_space_around_it() -> None:
    text = "\n\n  a b\n\n"
    assert cut(text, 0, len(text), 50) == [Piece(2, 7, 2)]


def test_nothing_gives_no_pieces() -> None:
    assert cut(" \n ", 0, 3, 50) == windows("", 50) == []


def test_blank_lines_come_before_sentences() -> None:
    text = "One two three four. Five six.\n\nSeven eight nine ten. Eleven twelve."
    assert fresh(text, cut(text, 0, len(text), 20)) == text.split("\n\n")


def test_items_come_before_sentences() -> None:
    text = "- One two. Three four five six.\n- Seven eight. Nine ten eleven.\n- Twelve. Thirteen twenty."
    assert fresh(text, cut(text, 0, len(text), 20)) == text.split("\n")


def test_sentences_come_before_words() -> None:
    text = "One two three four five six.\nSeven eight nine ten eleven twelve."
    assert fresh(text, cut(text, 0, len(text), 20)) == text.split("\n")


def test_words_come_before_characters() -> None:
    text = "abcdefgh " * 30
    assert all(piece.endswith("h") for piece in fresh(text, cut(text, 0, len(text), 20)))


def test_a_label_is_not_cut_from_its_number() -> None:
    text = "see Section 12 and " * 60
    assert not any(piece.endswith("Section") for piece in fresh(text, cut(text, 0, len(text), 20)))


def test_a_word_over_the_limit_is_cut() -> None:
    text = "x" * 1000
    assert "".join(fresh(text, cut(text, 0, len(text), 20))) == text


def test_pieces_are_of_about_equal_size() -> None:
    text = paragraphs(*[5] * 21)
    sizes = [estimate_tokens(piece) for piece in fresh(text, cut(text, 0, len(text), 170))]
    assert max(sizes) < 1.5 * min(sizes)


def test_a_fence_that_fits_is_not_cut_at_its_blank_lines() -> None:
    fence = "```\na = 1\n\nb = 2\n\nc = 3\n```"
    text = f"{paragraphs(12)}\n\n{fence}\n\n{paragraphs(12)}"
    assert fence in fresh(text, cut(text, 0, len(text), 32))


def test_a_fence_over_the_limit_is_cut_between_lines() -> None:
    text = "```\n" + "value = compute(one, two)\n" * 30 + "```"
    lines = text.split("\n")
    for piece in fresh(text, cut(text, 0, len(text), 60)):
        assert set(piece.split("\n")) <= set(lines)


def test_a_table_over_the_limit_is_cut_between_rows() -> None:
    text = "| a | b |\n|---|---|\n" + "| some words. And more | 2 |\n" * 40
    for piece in fresh(text, cut(text, 0, len(text), 60)):
        assert all(row.startswith("|") and row.endswith("|") for row in piece.split("\n"))


def test_a_heading_is_not_cut_from_what_follows() -> None:
    heading = "# Some heading of several words"
    text = f"{heading}\n\n{paragraphs(40, 40)}"
    first = cut(text, 0, len(text), 85, heading_end=len(heading))[0]
    assert "word" in text[first.start : first.end].removeprefix(heading)


# Overlap


def test_a_piece_repeats_the_last_sentences_of_the_one_before() -> None:
    text = "One two three. Four five six. Seven eight nine. Ten eleven twelve."
    pieces = cut(text, 0, len(text), 24, 8)
    repeated = [text[piece.start : piece.fresh].strip() for piece in pieces[1:]]
    assert repeated
    assert all(part in text.split(". ") or f"{part}" in text for part in repeated)
    assert all(part[0].isupper() for part in repeated)


def test_without_a_sentence_that_fits_it_repeats_words() -> None:
    text = "alpha beta gamma delta " * 30
    pieces = cut(text, 0, len(text), 40, 10)
    assert all(piece.start < piece.fresh for piece in pieces[1:])
    assert all(text[piece.start - 1] == " " for piece in pieces[1:])


def test_at_most_half_a_piece_is_repeated() -> None:
    text = "alpha beta gamma delta " * 30
    for piece in windows(text, 20, 1000):
        assert estimate_tokens(text[piece.start : piece.fresh]) <= 10


# Fences


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("a\n```\nb\n```\nc", ["```\nb\n```"]),
        ("~~~\n```\n~~~", ["~~~\n```\n~~~"]),
        ("- ```\n  a\n  ```\nb", ["- ```\n  a\n  ```"]),
        ("````\n```\n````", ["````\n```\n````"]),
        ("```\na", ["```\na"]),
        ("a ``` b\nc ``` d", []),
        ("``` a`b", []),
    ],
)
def test_fences(text: str, spans: list[str]) -> None:
    assert [text[start:end] for start, end in find_fences(text, 0, len(text))] == spans
