"""The conformance tests of context generators."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from hierdoc import Chunk, Document
from hierdoc.plugin import ComponentKind
from hierdoc.structure import ChunkMaker, Piece
from hierdoc_testing.base import Conformance, assert_same, contract
from hierdoc_testing.component import OpenComponent, Opener, check_nothing_is_left
from hierdoc_testing.corpus import make_document, make_markdown
from hierdoc_testing.patience import LONG_QUIET
from hierdoc_testing.watch import assert_never_blocks


class ContextGeneratorTests(Conformance):
    """What a context generator promises: derive from it and supply `open_context_generator`.

    A generator that asks a model gets one for the tests that answers by what it is asked, always the same.
    """

    kind = ComponentKind.CONTEXT

    @pytest.fixture
    def open_context_generator(self) -> OpenComponent:
        """Supply this one: a function without arguments that gives a new context generator."""
        raise NotImplementedError(
            "supply the fixture `open_context_generator`; see docs/plugins/testing.md"
        )

    @pytest.fixture
    def generators(self, open_context_generator: OpenComponent) -> Opener:
        """Opens the generator under test, and closes it."""
        return Opener(open_context_generator, self.kind)

    @contract
    async def test_one_text_for_each_chunk(self, generators: Opener) -> None:
        """As many strings as chunks: for none, for one, for hundreds.

        When it fails: give "" where there is nothing to say; look at the last batch.
        """
        generator = generators.open()
        assert inspect.iscoroutinefunction(generator.generate)
        for count in (0, 1, 2, 9, 33, 301):
            document, chunks = make_chunks(count)
            contexts = await generator.generate(document, chunks)
            assert len(contexts) == count
            assert all(isinstance(context, str) for context in contexts)

    @contract
    async def test_each_text_belongs_to_its_chunk(self, generators: Opener) -> None:
        """Chunks given in another order get the same texts in that order.

        When it fails: gather answers in the order of the chunks, not of their arrival; a model for tests must answer by the content.
        """
        generator = generators.open()
        document, chunks = make_chunks(40)
        straight = list(await generator.generate(document, chunks))
        reverse = list(await generator.generate(document, chunks[::-1]))
        assert_same(reverse[::-1], straight)
        assert_same(await generator.generate(document, chunks[7:20]), straight[7:20])
        document, chunks = make_chunks(301)
        contexts = list(await generator.generate(document, chunks))
        for place in (0, 99, 100, 255, 256, 300):
            alone = await generator.generate(document, chunks[place : place + 1])
            assert_same(alone, contexts[place : place + 1])

    @contract
    async def test_documents_are_kept_apart(self, generators: Opener) -> None:
        """Documents that are worked on at the same time get what they get one by one.

        When it fails: keep what belongs to a document in the call; a cache needs the document in its key.
        """
        generator = generators.open()
        made = [make_chunks(12, source=f"{n}.md", title=f"Title {n}") for n in range(8)]
        expected = [list(await generators.open().generate(*one)) for one in made]
        together = await asyncio.gather(*(generator.generate(*one) for one in made))
        assert_same([list(one) for one in together], expected)

    @contract
    async def test_odd_documents_are_taken(self, generators: Opener) -> None:
        """Documents without title and headings, with odd characters, and of a megabyte, do no harm.

        When it fails: escape what goes into a prompt or request, and keep to the model's limits.
        """
        generator = generators.open()
        for text, title in (("x", ""), ("\x00 lone \ud800 <|endoftext|> {x} %s", "\x00{}")):
            document = make_document(text, title=title)
            chunks = [Chunk(document.source, text, 0, len(text), 1, 1)]
            assert len(await generator.generate(document, chunks)) == 1
        document, chunks = make_chunks(100, words=1600)
        assert len(document.text) > 1_000_000
        assert len(await generator.generate(document, chunks)) == 100

    @contract
    async def test_what_is_given_stays_as_it_is(self, generators: Opener) -> None:
        """Neither the document nor the list of chunks is changed.

        When it fails: sort and fill copies.
        """
        document, chunks = make_chunks(10)
        given = list(chunks)
        await generators.open().generate(document, given)
        assert given == chunks

    @contract(quiet=LONG_QUIET)
    async def test_the_event_loop_is_never_blocked(self, generators: Opener) -> None:
        """Generating for 300 chunks keeps the event loop for no more than 50 ms.

        When it fails: await the model's client, and give calculation to a thread.
        """
        generator = generators.open()
        document, chunks = make_chunks(300)
        await assert_never_blocks("generate", lambda: generator.generate(document, chunks))

    @contract
    def test_nothing_is_left_after_aclose(self, open_context_generator: OpenComponent) -> None:
        """No thread, task, open file or connection outlives `aclose`, or the call where there is no `aclose`.

        When it fails: close clients in `aclose` and wait for them.
        """
        document, chunks = make_chunks(3)

        async def use(generator: Any) -> None:
            await generator.generate(document, chunks)

        check_nothing_is_left(open_context_generator, use)


def make_chunks(
    count: int, *, words: int = 20, source: str = "docs/harbour.md", title: str = "Harbour Act"
) -> tuple[Document, list[Chunk]]:
    """A document of so many sections, and a chunk for each of them."""
    text = make_markdown(count, words).partition("\n\n")[2] if count else ""
    document = make_document(text, source=source, title=title)
    maker = ChunkMaker(document)
    chunks = []
    ends: Sequence[int] = [*maker.starts, len(text)][1:]
    for place, (start, end) in enumerate(zip(maker.starts, ends, strict=True)):
        chunks.append(maker.chunk(Piece(start, end, start), place, place))
    return document, [replace(chunk, id="") for chunk in chunks]
