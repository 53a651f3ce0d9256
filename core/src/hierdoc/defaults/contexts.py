"""Context generators that need no model: none, and the chunk's place in its document."""

from __future__ import annotations

from collections.abc import Sequence

from hierdoc import Chunk, Document
from hierdoc.citations import heading_key


class NoContext:
    """Leaves every chunk as it is."""

    async def generate(self, document: Document, chunks: Sequence[Chunk]) -> Sequence[str]:
        """An empty text for each chunk."""
        return [""] * len(chunks)


class StructuralContext:
    """Title and parent chain on one line: `Title > Part > Section`."""

    async def generate(self, document: Document, chunks: Sequence[Chunk]) -> Sequence[str]:
        """The place of each chunk; a title that the first heading repeats is left out."""
        title = heading_key(document.title)
        return [_place(document.title, title, chunk.parent_chain) for chunk in chunks]


def _place(title: str, key: str, parent_chain: Sequence[str]) -> str:
    if not key or (parent_chain and heading_key(parent_chain[0]) == key):
        return " > ".join(parent_chain)
    return " > ".join((title, *parent_chain))
