"""A chunk's place in its document, in words."""

from __future__ import annotations

from hierdoc.citations import heading_key
from hierdoc.models import Chunk, Document


def place_of(document: Document, chunk: Chunk) -> str:
    """Title and parent chain on one line: `Title > Part > Section`; a title that the first heading repeats is left out."""
    key, chain = heading_key(document.title), chunk.parent_chain
    if not key or (chain and heading_key(chain[0]) == key):
        return " > ".join(chain)
    return " > ".join((document.title, *chain))
