"""Near-duplicates among hits, so that one text in many places does not crowd out others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hierdoc.models import Chunk, Hit


def repeats_any(chunk: Chunk, hits: Sequence[Hit]) -> bool:
    """Whether the chunk says hardly anything that one of the hits does not say: nine tenths of the words of both are the same."""
    length = len(chunk.text)
    own: frozenset[str] | None = None
    for hit in hits:
        other = hit.chunk
        if abs(len(other.text) - length) * _LENGTH > length:
            continue
        if other.text == chunk.text:
            return True
        if own is None:
            own = _words(chunk)
        words = _words(other)
        if len(own & words) >= _SHARED * len(own | words):
            return True
    return False


_SHARED = 0.9
_LENGTH = 10
"""One part in so many by which the lengths of near-duplicates differ at most."""

_WORD = re.compile(r"\w+")


def _words(chunk: Chunk) -> frozenset[str]:
    return frozenset(_WORD.findall(chunk.text.casefold()))
