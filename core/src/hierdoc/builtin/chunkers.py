"""Chunkers: along the structure of a document, and by length alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hierdoc import Chunk, Document, DomainName
from hierdoc.structure import understand
from hierdoc.structure.cutting import SMALLEST_LIMIT, Piece, cut, windows
from hierdoc.structure.passages import Passages
from hierdoc.structure.sections import body_start


class StructureChunker:
    """One chunk per section: its heading and its own text, up to the first heading within it.

    A heading without text of its own goes with the section that follows, so that no chunk is a bare heading. A section over the limit is
    cut, at blank lines where possible (see `hierdoc.structure.cutting`). A document without headings is cut as one section.

    Args:
        max_chunk_tokens: Tokens that no chunk exceeds, by `estimate_tokens`.
        chunk_overlap: Tokens that a chunk repeats at most of the one before, where a section is cut.
        domain: How a document is divided besides headings, for one that was not passed through `understand`.
        max_subsection_depth: How many levels of enumerated subsections such a document keeps; None for all.

    Raises:
        ValueError: The limit is below 8 or the overlap below 0.
    """

    def __init__(
        self,
        max_chunk_tokens: int = 800,
        chunk_overlap: int = 50,
        domain: DomainName = "auto",
        max_subsection_depth: int | None = None,
    ) -> None:
        _check(max_chunk_tokens, chunk_overlap)
        self._limit = max_chunk_tokens
        self._overlap = chunk_overlap
        self._domain = domain
        self._depth = max_subsection_depth

    def chunk(self, document: Document) -> Sequence[Chunk]:
        """The document's chunks; one that was not passed through `understand` is understood first."""
        if not document.sections:
            document = understand(document, self._domain, self._depth)
        passages = Passages(document)
        chunks: list[Chunk] = []
        for start, end, body, place in _blocks(passages):
            pieces = cut(document.text, start, end, self._limit, self._overlap, body)
            for piece in pieces:
                own = _own_section(passages, piece, start, body, place)
                chunks.append(passages.chunk(piece, own, len(chunks)))
        return chunks


class TokenChunker:
    """Chunks as long as the limit allows, cut between words, whatever the structure.

    Args:
        max_chunk_tokens: Tokens that no chunk exceeds, by `estimate_tokens`.
        chunk_overlap: Tokens that a chunk repeats at most of the one before.
        domain: How a document is divided besides headings, for one that was not passed through `understand`.
        max_subsection_depth: How many levels of enumerated subsections such a document keeps; None for all.

    Raises:
        ValueError: The limit is below 8 or the overlap below 0.
    """

    def __init__(
        self,
        max_chunk_tokens: int = 800,
        chunk_overlap: int = 50,
        domain: DomainName = "auto",
        max_subsection_depth: int | None = None,
    ) -> None:
        _check(max_chunk_tokens, chunk_overlap)
        self._limit = max_chunk_tokens
        self._overlap = chunk_overlap
        self._domain = domain
        self._depth = max_subsection_depth

    def chunk(self, document: Document) -> Sequence[Chunk]:
        """The document's chunks; one that was not passed through `understand` is understood first."""
        if not document.sections:
            document = understand(document, self._domain, self._depth)
        passages = Passages(document)
        pieces = windows(document.text, self._limit, self._overlap)
        return [
            passages.chunk(piece, passages.common_section(piece.start, piece.end), ordinal)
            for ordinal, piece in enumerate(pieces)
        ]


def _blocks(passages: Passages) -> Iterator[tuple[int, int, int, int]]:
    """Spans to be cut apart: start, end, where the text behind the headings begins, and the section whose text it is.

    Headings without text of their own are joined to the next that has some.
    """
    text = passages.document.text
    places = [place for place in range(len(passages.sections)) if not passages.is_enumerated(place)]
    starts = [*(passages.starts[place] for place in places), len(text)]
    if starts[0] > 0 or len(starts) == 1:
        yield 0, starts[0], 0, -1
    joined: int | None = None
    for place, (start, end) in zip(places, pairwise(starts), strict=True):
        body = body_start(text, passages.sections[place])
        bare = not text[body:end].strip()
        if bare and end < len(text):
            joined = start if joined is None else joined
        else:
            yield start if joined is None else joined, end, body, place
            joined = None


def _own_section(passages: Passages, piece: Piece, start: int, body: int, place: int) -> int:
    """The index of the section that a piece of a block is a part of.

    Args:
        passages: Of the document.
        piece: The piece.
        start: Where the block begins, with the headings that are joined to it.
        body: Where the text behind them begins.
        place: The section whose text it is.
    """
    if piece.end <= body:
        return passages.section_at(piece.end - 1)
    if place < 0 or piece.start >= body:
        return passages.common_section(piece.start, piece.end)
    section = passages.sections[place]
    around = passages.parent(place)
    while around >= 0 and section.key is None:  # a heading that but names a numbered section
        outer = passages.sections[around]
        if outer.key is None or outer.char_start < start or outer.char_end != section.char_end:
            break
        section, place, around = outer, around, passages.parent(around)
    return place


def _check(max_chunk_tokens: int, chunk_overlap: int) -> None:
    if max_chunk_tokens < SMALLEST_LIMIT:
        raise ValueError(f"max_chunk_tokens is {max_chunk_tokens}, below {SMALLEST_LIMIT}")
    if chunk_overlap < 0:
        raise ValueError(f"chunk_overlap is {chunk_overlap}, below 0")
