"""What hits repeat: one text in many places, and many passages of one place, must not crowd out others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
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
        if min(len(own), len(words)) < _SHARED * max(len(own), len(words)):
            continue
        both = len(own & words)
        if both >= _SHARED * (len(own) + len(words) - both):
            return True
    return False


def spread(hits: Sequence[Hit]) -> list[Hit]:
    """The hits, best first, with the scores of those lessened that others from the same page or section come before.

    Of one section cut in five the best passage answers the question as well as all; the other four would hide four sections. What
    the exact leg found keeps its place. The idea is that of maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998), with places in
    the document for similarity.

    Args:
        hits: Best first.
    """
    seen: Counter[tuple[str, int | str | None]] = Counter()
    ordered: list[Hit] = []
    for hit in hits:
        place = hit.chunk.source, hit.chunk.page_start or hit.chunk.section_id
        before = seen[place]
        if before and hit.score > 0 and "exact" not in hit.scores:
            what = f"page {place[1]}" if hit.chunk.page_start else "section"
            why = f"{before} of this {what} before it, so {_AGAIN**before:.2f} of its score"
            why = f"{hit.why}; {why}" if hit.why else why
            hit = replace(hit, score=hit.score * _AGAIN**before, why=why)
        ordered.append(hit)
        seen[place] += 1
    ordered.sort(key=lambda hit: -hit.score)
    return ordered


_AGAIN = 0.85
"""What each further hit from one place has of its score."""

_SHARED = 0.9
"""Of the words of both, what near-duplicates have in common at least."""

_LENGTH = 10
"""One part in so many by which the lengths of near-duplicates differ at most."""


@lru_cache(maxsize=512)
def _words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())
