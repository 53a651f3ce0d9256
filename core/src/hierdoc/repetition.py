"""Near-duplicates among hits, so that one text in many places does not crowd out others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from hierdoc.models import Chunk, Hit


def repeats_any(chunk: Chunk, hits: Sequence[Hit]) -> bool:
    """Whether the chunk says hardly anything that one of the hits does not say: nine tenths of the words of both are the same."""
    text = chunk.text
    own: frozenset[str] | None = None
    for hit in hits:
        other = hit.chunk.text
        if abs(len(other) - len(text)) * _LENGTH > len(text):
            continue
        if other == text:
            return True
        own = own or _words(text)
        words = _words(other)
        most = max(len(own), len(words)) * _SHARED
        if min(len(own), len(words)) >= most and len(own & words) >= _SHARED * len(own | words):
            return True
    return False


_SHARED = 0.9
_LENGTH = 10
"""One part in so many by which the lengths of near-duplicates differ at most."""


@lru_cache(maxsize=512)
def _words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())
