"""Context generators that need no model: none, and the chunk's place in its document."""

from __future__ import annotations

from collections.abc import Sequence

from hierdoc import Chunk, Document
from hierdoc.structure import place_of


class NoContext:
    """Leaves every chunk as it is."""

    async def generate(self, document: Document, chunks: Sequence[Chunk]) -> Sequence[str]:
        """An empty text for each chunk."""
        return [""] * len(chunks)


class StructuralContext:
    """Title and parent chain on one line: `Title > Part > Section`; see `place_of`."""

    async def generate(self, document: Document, chunks: Sequence[Chunk]) -> Sequence[str]:
        """The place of each chunk."""
        return [place_of(document, chunk) for chunk in chunks]
