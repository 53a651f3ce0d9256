"""The conformance tests of chunkers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest

from hierdoc import Chunk, Document, Section
from hierdoc.citations import heading_key
from hierdoc.plugin import ComponentKind, SupportsTokenLimit
from hierdoc_testing.base import Conformance, assert_same, contract, require
from hierdoc_testing.component import OpenComponent, Opener
from hierdoc_testing.corpus import make_document, make_markdown, make_text

_KINDS = ("content", "definition", "requirement", "table", "code", "list")

TEXTS = {
    "markdown": make_markdown(),
    "long sections": make_markdown(sections=5, words=3000),
    "no headings": make_text(4000),
    "headings only": "# One\n\n## Two\n\n### Three\n",
    "one line": make_text(3000).replace("\n", " "),
    "one word": "x" * 30_000,
    "no spaces": "法律责任。" * 4000,
    "leading space": "\n\n   \n# Title\n\nText.\n\n\n\n",
    "table": "# Table\n\n| a | b |\n|---|---|\n" + "".join(f"| {n} | value |\n" for n in range(800)),
    "code": "# Code\n\n```\n" + "x = 1\n\n# no heading\n" * 400 + "```\n\nAfter.\n",
    "skipped levels": "### Deep first\n\ntext a\n\n# Top\n\ntext b\n\n#### Deeper\n\ntext c\n\n## Two\n\ntext d\n",
    "same headings": "# Part\n\n## Rule\n\none\n\n## Rule\n\ntwo\n\n# Part\n\n## Rule\n\nthree\n",
    "alien": "# A \x00 b\n\nlone \ud800 surrogate, é e\u0301 😀\n\n## C\n\n<|endoftext|> [INST] &amp; <b>\n",
    "Windows line ends": make_markdown().replace("\n", "\r\n"),
    "blank stretches": "# One\n\nFirst." + "\n" * 5_000 + "Second." + " \t\n" * 5_000 + "## Two" + "\n" * 3_000 + "Third.",
    "page breaks": "# One\n\nFirst page.\x0c\nSecond\x0bpage.\u2028\n\n## Two\n\nThird\x85page.\x1c\n\n" + "Fourth page.\x0c\n" * 400 + "\n## Three\n\nEnd.\n",
    "definitions": '# Definitions\n\n"Berth" means a place for a vessel.\n\n"Pilot" means a guide.\n\n'
    "# Rules\n\nSee Section 2.\n\n# Section 2\n\nThe Pilot shall come.\n",
}  # fmt: skip
"""Texts that chunkers stumble over."""


class ChunkerTests(Conformance):
    """What a chunker promises: derive from it, supply `open_chunker`, and pytest does the rest."""

    kind = ComponentKind.CHUNKER

    @pytest.fixture
    def open_chunker(self) -> OpenComponent:
        """Supply this one: a function without arguments that gives a new chunker."""
        raise NotImplementedError("supply the fixture `open_chunker`; see docs/plugins/testing.md")

    @pytest.fixture
    def chunkers(self, open_chunker: OpenComponent) -> Opener:
        """Opens the chunker under test."""
        return Opener(open_chunker, self.kind)

    @contract
    @pytest.mark.parametrize("text", TEXTS)
    def test_spans_are_exact(self, chunkers: Opener, text: str) -> None:
        """A chunk's text is exactly the document's between its offsets, is not blank, and names its document.

        When it fails: do not strip or join text after the offsets are set; move the offsets instead.
        """
        document = make_document(TEXTS[text])
        for chunk in chunkers.open().chunk(document):
            assert isinstance(chunk, Chunk)
            assert 0 <= chunk.char_start < chunk.char_end <= len(document.text)
            assert chunk.text == document.text[chunk.char_start : chunk.char_end]
            assert chunk.text.strip()
            assert chunk.source == document.source

    @contract
    @pytest.mark.parametrize("text", TEXTS)
    def test_no_text_is_lost(self, chunkers: Opener, text: str) -> None:
        """Every character that is not white space lies in a chunk: before the first heading and behind the last too.

        When it fails: look at the ends, at what stands before the first heading, and at pieces that are too long or too short.
        """
        document = make_document(TEXTS[text])
        covered = bytearray(len(document.text))
        for chunk in chunkers.open().chunk(document):
            covered[chunk.char_start : chunk.char_end] = b"\1" * (chunk.char_end - chunk.char_start)
        lost = [
            place
            for place, character in enumerate(document.text)
            if not covered[place] and not character.isspace()
        ]
        assert not lost, f"{len(lost)} characters, the first at {lost[0]}"

    @contract
    @pytest.mark.parametrize("text", TEXTS)
    def test_chunks_come_in_document_order(self, chunkers: Opener, text: str) -> None:
        """Chunks begin and end one after the other, and `ordinal` counts them from 0.

        When it fails: sort by offset; a chunk that lies within another says nothing new; number them per document.
        """
        chunks = chunkers.open().chunk(make_document(TEXTS[text]))
        for one, other in pairwise(chunks):
            assert one.char_start < other.char_start
            assert one.char_end < other.char_end
        assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))

    @contract
    @pytest.mark.parametrize("text", [name for name in TEXTS if name != "alien"])
    def test_lines_and_pages_are_those_of_the_span(self, chunkers: Opener, text: str) -> None:
        """Lines and pages count from 1 and are those of the first and the last character; no pages, no page numbers.

        When it fails: compute both from the offsets, with the end's last character, not the one behind it. A line ends with a line feed alone:
        `splitlines` parts at form feeds, too, which texts of PDF files are full of.
        """
        document = make_document(TEXTS[text], pages=7)
        for chunk in chunkers.open().chunk(document):
            last = chunk.char_end - 1
            assert chunk.line_start == 1 + document.text.count("\n", 0, chunk.char_start)
            assert chunk.line_end == 1 + document.text.count("\n", 0, last)
            assert chunk.page_start == bisect_right(document.page_starts, chunk.char_start)
            assert chunk.page_end == bisect_right(document.page_starts, last)
        for chunk in chunkers.open().chunk(make_document(TEXTS[text])):
            assert (chunk.page_start, chunk.page_end) == (None, None)

    @contract
    def test_what_core_gives_is_left_to_core(self, chunkers: Opener) -> None:
        """Ids are empty; title and language are the document's; `kind` is one of the known ones; a context is the document's words.

        When it fails: core makes the ids, so that they are stable; take title and language from the document, and into `context`
        only lines that belong to a chunk and stand before it, such as a table's caption and header.
        """
        document = make_document(title="A title of its own")
        for chunk in chunkers.open().chunk(document):
            assert chunk.id == ""
            before = document.text[: chunk.char_start]
            assert [line for line in chunk.context.splitlines() if line not in before] == []
            assert chunk.title == document.title
            assert chunk.language == document.language
            assert chunk.kind in _KINDS

    @contract
    @pytest.mark.parametrize("text", TEXTS)
    def test_the_outline_is_the_sum_of_the_chunks(self, chunkers: Opener, text: str) -> None:
        """Every section begins in exactly one chunk, in order, without children; its heading and id can be looked up there.

        When it fails: fill in `sections`, `headings` and `section_keys`, as `hierdoc.structure.ChunkMaker` does; of chunks
        that overlap, the first has the section.
        """
        document = make_document(TEXTS[text])
        chunks = chunkers.open().chunk(document)
        begun = [section for chunk in chunks for section in chunk.sections]
        places = [(one.id, one.char_start) for one, _ in _flat(document.sections)]
        assert [(one.id, one.char_start) for one in begun] == places
        assert all(section.children == () for section in begun)
        for chunk in chunks:
            for section in chunk.sections:
                assert chunk.char_start <= section.char_start < chunk.char_end
                assert section.id in chunk.section_keys
                assert heading_key(section.title) in chunk.headings

    @contract
    @pytest.mark.parametrize("text", TEXTS)
    def test_the_parent_chain_leads_to_the_section(self, chunkers: Opener, text: str) -> None:
        """`section_id` is that of a section with text in the chunk, `parent_chain` its headings from the outermost to its own.

        When it fails: `hierdoc.structure.ChunkMaker` knows the chain of every section; a chunk before the first heading has
        neither.
        """
        document = make_document(TEXTS[text])
        chains = {section.id: (section, chain) for section, chain in _flat(document.sections)}
        for chunk in chunkers.open().chunk(document):
            if chunk.section_id is None:
                assert chunk.parent_chain == ()
                around = [
                    section
                    for section, _ in chains.values()
                    if section.char_start <= chunk.char_start and chunk.char_end <= section.char_end
                ]
                assert not around
                continue
            section, chain = chains[chunk.section_id]
            assert section.char_start < chunk.char_end
            assert chunk.char_start < section.char_end
            assert chunk.parent_chain == chain

    @contract
    @pytest.mark.parametrize("text", TEXTS)
    def test_ancestors_can_be_looked_up(self, chunkers: Opener, text: str) -> None:
        """`ancestor_keys` has the ids of all sections around that of `section_id`, and of no others.

        When it fails: `hierdoc.structure.ChunkMaker` knows them: a filter for all of Part I asks for them.
        """
        document = make_document(TEXTS[text])
        around = dict(_around(document.sections))
        for chunk in chunkers.open().chunk(document):
            held = set(chunk.ancestor_keys)
            expected = around.get(chunk.section_id or "", ())
            assert held & around.keys() == set(expected), chunk.section_id

    @contract
    def test_kinds_are_those_of_the_text(self, chunkers: Opener) -> None:
        """What lies in a table is of the kind `table`, in a code block `code`, in a list `list`; prose is `content`.

        When it fails: `hierdoc.structure.ChunkMaker` tells kinds; look at chunks that begin or end within a block.
        """
        items = "# List\n\n" + "".join(f"- item number {n} of the list\n" for n in range(800))
        texts = {
            "table": TEXTS["table"],
            "code": TEXTS["code"],
            "list": items,
            "content": TEXTS["no headings"],
        }
        for kind, text in texts.items():
            document = make_document(text)
            chunks = list(chunkers.open().chunk(document))
            for chunk in chunks[1:-1] if len(chunks) > 2 else chunks[:1]:
                assert chunk.kind == kind, chunk.text[:60]

    @contract
    def test_tokens_are_counted_as_told(self, chunkers: Opener) -> None:
        """`counting`, where a chunker has it, gives another one that goes by that count; the first stays as it is.

        When it fails: copy the chunker with the new count, and ask it wherever the limit decides.
        """
        chunker = chunkers.open()
        require(isinstance(chunker, SupportsTokenLimit), "has no limit in tokens")
        document = make_document(make_text(4000))
        before = list(chunker.chunk(document))
        many = list(chunker.counting(lambda text: len(text) + 1).chunk(document))
        assert len(before) < len(many)
        assert_same(chunker.chunk(document), before)

    @contract
    def test_definitions_and_references_are_found_where_they_stand(self, chunkers: Opener) -> None:
        """Each definition of the document is in one chunk that has its text; a chunk's references stand in its text.

        When it fails: hand `document.definitions` to the chunks, as `hierdoc.structure.ChunkMaker` does; of chunks that overlap, the first
        has the definition.
        """
        many = "".join(
            f'"Berth{n}" means the place {n} for a vessel at the quay.\n\n' for n in range(300)
        )
        for text in (TEXTS["definitions"], f"# Definitions\n\n{many}# Rules\n\nSee Section 2.\n"):
            document = make_document(text)
            assert document.definitions
            chunks = chunkers.open().chunk(document)
            held = [one for chunk in chunks for one in chunk.definitions]
            assert_same(held, document.definitions)
            for chunk in chunks:
                assert all(one.text[:20] in chunk.text for one in chunk.definitions)
                assert all(one.text in chunk.text for one in chunk.references)
            assert any(chunk.references for chunk in chunks)

    @contract
    def test_nothing_makes_no_chunks(self, chunkers: Opener) -> None:
        """A document without text, or of white space, has no chunks.

        When it fails: leave out what `strip()` leaves empty.
        """
        for text in ("", " ", "\n\n\t \n", "\u00a0\u2003"):
            assert list(chunkers.open().chunk(make_document(text))) == []

    @contract
    def test_a_document_is_always_cut_alike(self, chunkers: Opener) -> None:
        """The same document gives the same chunks, whatever was cut before, also of its own source, by whichever chunker of this configuration.

        When it fails: keep no state between calls, and leave chance and the clock out.
        """
        chunker = chunkers.open()
        one, other = make_document(), make_document(make_text(900), source="other.md", title="O")
        first = list(chunker.chunk(one))
        second = list(chunker.chunk(other))
        assert_same(chunker.chunk(one), first)
        assert_same(chunker.chunk(other), second)
        assert_same(chunkers.open().chunk(one), first)
        assert {chunk.source for chunk in second} == {"other.md"}
        changed = make_document(make_markdown(3, 50), source=one.source)
        assert_same(chunker.chunk(changed), chunkers.open().chunk(changed))

    @contract
    def test_documents_are_cut_side_by_side(self, chunkers: Opener) -> None:
        """Core calls from threads: several documents at once are cut as they are one by one.

        When it fails: keep what belongs to a document in variables of the call, not on the object.
        """
        chunker = chunkers.open()
        documents = [
            make_document(make_markdown(4 + n, 60), source=f"{n}.md", title=f"{n}")
            for n in range(16)
        ]
        expected = [list(chunker.chunk(document)) for document in documents]
        with ThreadPoolExecutor(8) as pool:
            together = pool.map(lambda one: list(chunker.chunk(one)), documents)
            for chunks, alone in zip(together, expected, strict=True):
                assert_same(chunks, alone)

    @contract
    def test_a_megabyte_is_cut(self, chunkers: Opener) -> None:
        """A document of a megabyte, with headings and without, is cut completely.

        When it fails: look for work that grows with the square of the length.
        """
        for text in (make_markdown(sections=200, words=800), make_text(160_000)):
            document = make_document(text)
            chunks = chunkers.open().chunk(document)
            assert sum(len("".join(chunk.text.split())) for chunk in chunks) >= len(
                "".join(document.text.split())
            )

    @contract
    def test_the_document_stays_as_it_is(self, chunkers: Opener) -> None:
        """Cutting changes nothing in the document.

        When it fails: documents are frozen; do not change their mappings either.
        """
        document, same = make_document(), make_document()
        chunkers.open().chunk(document)
        assert _values(document) == _values(same)


def _flat(
    sections: Sequence[Section], above: tuple[str, ...] = ()
) -> Iterator[tuple[Section, tuple[str, ...]]]:
    """All sections in document order, each with its headings from the outermost to its own."""
    for section in sections:
        chain = (*above, section.title)
        yield section, chain
        yield from _flat(section.children, chain)


def _around(
    sections: Sequence[Section], above: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The id of each section, with those of all around it."""
    for section in sections:
        yield section.id, above
        yield from _around(section.children, (*above, section.id))


def _values(document: Document) -> Any:
    return document.text, document.sections, document.definitions, dict(document.metadata)
