"""Chunkers: along the structure of a document, and by length alone.

They are opened for every search too, which cuts nothing: what they are made of is imported at the first document.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

from hierdoc import Chunk, Document
from hierdoc.models import DomainName
from hierdoc.text.language import SMALLEST_LIMIT

if TYPE_CHECKING:
    from hierdoc.structure import ChunkMaker, CountTokens, Piece, Span


class StructureChunker:
    """Chunks along the sections of a document: small ones together, long ones cut.

    A section with all that lies within it is one chunk where it fits and holds no numbered sections; else its own text is one, and
    what lies within it is cut in the same way. Enumerated parts of a section, its (a), (b), (1), are put together up to the limit,
    other small sections under one parent up to `min_chunk_tokens`; see `hierdoc.structure.packing`. A heading without
    text of its own goes with what follows, so that no chunk is a bare heading. What is too long is cut at blank lines where
    possible; see `hierdoc.structure.cutting`. A document without headings is cut as one section.

    Args:
        max_chunk_tokens: Tokens that no chunk exceeds: by `count_tokens` near the limit, else by `estimate_tokens`.
        chunk_overlap: Tokens that a chunk repeats at most of the one before, where a section is cut.
        min_chunk_tokens: Sections under one parent go together up to this size; 0 for never.
        domain: How a document is divided besides headings, for one that was not passed through `understand`.
        max_subsection_depth: How many levels of enumerated subsections such a document keeps; None for all.
        extract_definitions: Whether such a document is searched for defined terms.
        extract_references: Whether chunks say what they refer to.
        count_tokens: How the embedder counts tokens; None to estimate.

    Raises:
        ValueError: The limit is below 8, or another number below 0.
    """

    def __init__(
        self,
        max_chunk_tokens: int = 800,
        chunk_overlap: int = 50,
        min_chunk_tokens: int = 50,
        *,
        domain: DomainName = "auto",
        max_subsection_depth: int | None = None,
        extract_definitions: bool = True,
        extract_references: bool = True,
        count_tokens: CountTokens | None = None,
    ) -> None:
        _check(max_chunk_tokens, chunk_overlap)
        if min_chunk_tokens < 0:
            raise ValueError(f"min_chunk_tokens is {min_chunk_tokens}, below 0")
        self._limit = max_chunk_tokens
        self._overlap = chunk_overlap
        self._small = min(min_chunk_tokens, max_chunk_tokens)
        self._domain: DomainName = domain
        self._depth = max_subsection_depth
        self._definitions = extract_definitions
        self._references = extract_references
        self._count = count_tokens

    def counting(self, count_tokens: CountTokens) -> StructureChunker:
        """The same chunker with tokens counted so; see `SupportsTokenLimit`."""
        other = copy(self)
        other._count = count_tokens
        return other

    def chunk(self, document: Document) -> Sequence[Chunk]:
        """The document's chunks; one that was not passed through `understand` is understood first."""
        from hierdoc.structure import ChunkMaker, Cutter, understand

        if not document.sections:
            document = understand(
                document, self._domain, self._depth, definitions=self._definitions
            )
        maker = ChunkMaker(document, references=self._references)
        cutter = Cutter(document.text, self._limit, self._overlap, self._count)
        chunks: list[Chunk] = []
        for span in maker.packed(cutter, self._limit, self._small):
            for piece in cutter.cut(span.start, span.end, span.body):
                own = _own_section(maker, piece, span)
                chunks.append(maker.chunk(piece, own, len(chunks)))
        return chunks


class TokenChunker:
    """Chunks as long as the limit allows, cut between words, whatever the structure.

    Args:
        max_chunk_tokens: Tokens that no chunk exceeds: by `count_tokens` near the limit, else by `estimate_tokens`.
        chunk_overlap: Tokens that a chunk repeats at most of the one before.
        domain: How a document is divided besides headings, for one that was not passed through `understand`.
        max_subsection_depth: How many levels of enumerated subsections such a document keeps; None for all.
        extract_definitions: Whether such a document is searched for defined terms.
        extract_references: Whether chunks say what they refer to.
        count_tokens: How the embedder counts tokens; None to estimate.

    Raises:
        ValueError: The limit is below 8 or the overlap below 0.
    """

    def __init__(
        self,
        max_chunk_tokens: int = 800,
        chunk_overlap: int = 50,
        *,
        domain: DomainName = "auto",
        max_subsection_depth: int | None = None,
        extract_definitions: bool = True,
        extract_references: bool = True,
        count_tokens: CountTokens | None = None,
    ) -> None:
        _check(max_chunk_tokens, chunk_overlap)
        self._limit = max_chunk_tokens
        self._overlap = chunk_overlap
        self._domain: DomainName = domain
        self._depth = max_subsection_depth
        self._definitions = extract_definitions
        self._references = extract_references
        self._count = count_tokens

    def counting(self, count_tokens: CountTokens) -> TokenChunker:
        """The same chunker with tokens counted so; see `SupportsTokenLimit`."""
        other = copy(self)
        other._count = count_tokens
        return other

    def chunk(self, document: Document) -> Sequence[Chunk]:
        """The document's chunks; one that was not passed through `understand` is understood first."""
        from hierdoc.structure import ChunkMaker, Cutter, understand

        if not document.sections:
            document = understand(
                document, self._domain, self._depth, definitions=self._definitions
            )
        maker = ChunkMaker(document, references=self._references)
        pieces = Cutter(document.text, self._limit, self._overlap, self._count).windows()
        return [
            maker.chunk(piece, maker.common_section(piece.start, piece.end), ordinal)
            for ordinal, piece in enumerate(pieces)
        ]


def _own_section(maker: ChunkMaker, piece: Piece, span: Span) -> int:
    """The index of the section that a piece of a span is a part of; -1 before the first heading."""
    if piece.end <= span.body:
        return maker.section_at(piece.end - 1)
    place = span.place
    if place < 0 or piece.start >= span.body:
        return maker.common_section(piece.start, piece.end)
    section = maker.sections[place]
    around = maker.parents[place]
    while around >= 0 and section.key is None:  # a heading that but names a numbered section
        outer = maker.sections[around]
        if outer.key is None or outer.char_start < span.start or outer.char_end != section.char_end:
            break
        section, place, around = outer, around, maker.parents[around]
    return place


def _check(max_chunk_tokens: int, chunk_overlap: int) -> None:
    if max_chunk_tokens < SMALLEST_LIMIT:
        raise ValueError(f"max_chunk_tokens is {max_chunk_tokens}, below {SMALLEST_LIMIT}")
    if chunk_overlap < 0:
        raise ValueError(f"chunk_overlap is {chunk_overlap}, below 0")
