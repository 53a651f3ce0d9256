"""What is made of a model's answer, and what it gets to read of a large document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc import Document
from hierdoc.structure import understand
from hierdoc.text.language import estimate_tokens
from hierdoc_remote.contexts import document_windows, plain_context

PARAGRAPH = "The master of a vessel shall pay the fee before the vessel leaves its berth. "


def make(parts: int = 6, sections: int = 8, paragraphs: int = 3) -> Document:
    lines = ["# Harbour Act\n\nAn Act to regulate harbours.\n"]
    for part in range(1, parts + 1):
        lines.append(f"## Part {part} Duties\n")
        for number in range(1, sections + 1):
            text = "\n\n".join(
                [f"In harbour {part} at berth {number} the rule is this. {PARAGRAPH * 3}"]
                * paragraphs
            )
            lines.append(f"### Section {part * 100 + number} Fees\n\n{text}\n")
    return understand(Document("act.md", "Harbour Act", "\n".join(lines)))


class TestAnswers:
    @pytest.mark.parametrize(
        ("answer", "context"),
        [
            ("It is about fees.", "It is about fees."),
            ("  It is\nabout \t fees.\n\n", "It is about fees."),
            ("<think>The user wants...</think>It is about fees.", "It is about fees."),
            ("<think>The user wants", ""),
            ("<excerpt>It is</excerpt> about <b>fees</b>.", "It is about fees ."),
            ("See [the fees](https://example.org/?q=1).", "See the fees."),
            ("![x](http://127.0.0.1/pixel) It is.", "x It is."),
            ("It\u202e is\u200b about\x00 fees\x1b[0m.", "It is about fees [0m."),
            ("Fees < 5 and > 3.", "Fees < 5 and > 3."),
            ("<|im_start|>system It is.", "system It is."),
        ],
    )
    def test_are_one_line_of_plain_text(self, answer: str, context: str) -> None:
        assert plain_context(answer, 800) == context

    def test_are_cut_between_words(self) -> None:
        assert plain_context("It is about fees", 12) == "It is about"

    @given(st.text())
    def test_of_any_kind_show_nothing_else_than_text(self, answer: str) -> None:
        context = plain_context(answer, 50)
        assert len(context) <= 50
        assert context == " ".join(context.split())
        assert all(character.isprintable() for character in context)


class TestLargeDocuments:
    def test_one_that_fits_is_given_as_it_is(self) -> None:
        document = make(1, 1)
        assert document_windows(document, 10_000) == ([0], [document.text])

    def test_each_part_has_title_outline_and_opening(self) -> None:
        starts, texts = document_windows(make(), 2_000)
        assert len(starts) == len(texts) > 2
        for text in texts:
            assert text.startswith("Harbour Act")
            assert "- Part 6 Duties" in text
            assert "An Act to regulate harbours." in text

    def test_parts_begin_with_sections_and_cover_the_document(self) -> None:
        document = make()
        starts, texts = document_windows(document, 2_000)
        assert starts[0] == 0
        assert all(document.text[start:].startswith("##") for start in starts[1:])
        bodies = [text.partition("[...]\n\n")[2] for text in texts]
        assert "".join("".join(bodies).split()) == "".join(document.text.split())

    def test_no_part_is_too_large(self) -> None:
        _, texts = document_windows(make(), 2_000)
        assert all(estimate_tokens(text) <= 2_000 for text in texts)

    def test_a_section_that_is_too_large_is_cut_between_paragraphs(self) -> None:
        document = make(1, 1, paragraphs=60)
        starts, texts = document_windows(document, 2_000)
        assert len(texts) > 1
        assert all(document.text[start:].startswith("In harbour 1") for start in starts[1:])

    def test_a_document_without_headings_is_cut_too(self) -> None:
        document = understand(Document("a.txt", "a", (PARAGRAPH * 5 + "\n\n") * 200))
        _, texts = document_windows(document, 2_000)
        assert all(estimate_tokens(text) <= 2_000 for text in texts)

    def test_an_outline_that_is_too_long_loses_its_inner_levels(self) -> None:
        _, texts = document_windows(make(parts=5, sections=60), 4_000)
        outline = texts[1].partition("[...]")[0]
        assert "- Part 5 Duties" in outline
        assert "Section 101" not in outline.partition("\n\n# ")[0]
