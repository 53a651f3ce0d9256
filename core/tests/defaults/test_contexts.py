"""Contexts that need no model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from hierdoc import Chunk, Document
from hierdoc.defaults.contexts import NoContext, StructuralContext


def chunk(*parent_chain: str) -> Chunk:
    return Chunk("a.md", "text", 0, 4, 1, 1, parent_chain=parent_chain)


def contexts(title: str, *chunks: Chunk) -> Sequence[str]:
    document = Document("a.md", title, "text")
    return asyncio.run(StructuralContext().generate(document, chunks))


def test_no_context_is_an_empty_text_for_each_chunk() -> None:
    document = Document("a.md", "A", "text")
    assert list(asyncio.run(NoContext().generate(document, [chunk(), chunk()]))) == ["", ""]


def test_title_and_parent_chain_stand_on_one_line() -> None:
    assert contexts("The Act", chunk("Title I", "Section 1")) == ["The Act > Title I > Section 1"]


def test_a_chunk_before_the_first_heading_has_the_title() -> None:
    assert contexts("The Act", chunk()) == ["The Act"]


@pytest.mark.parametrize("title", ["The Act", "THE ACT.", ""])
def test_a_title_that_the_first_heading_repeats_is_left_out(title: str) -> None:
    assert contexts(title, chunk("The Act", "Section 1")) == ["The Act > Section 1"]


def test_chunks_keep_their_order() -> None:
    assert contexts("T", chunk("A"), chunk("B")) == ["T > A", "T > B"]
