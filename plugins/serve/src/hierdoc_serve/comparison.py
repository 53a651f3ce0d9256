"""Two searches for the same, side by side: which hits both have, and how far they moved."""

from __future__ import annotations

from collections.abc import Mapping

from hierdoc.models import Chunk, SearchResult


def compared(result: SearchResult, other: SearchResult) -> Mapping[int, int | None]:
    """For each rank the rank of the same place in the other result; None where that lacks it.

    Two configurations may cut documents differently, so a place is the same where characters of the same document overlap.
    """
    found: dict[int, int | None] = {}
    for hit in result.hits:
        same = (one.rank for one in other.hits if _overlap(hit.chunk, one.chunk))
        found[hit.rank] = next(same, None)
    return found


def _overlap(one: Chunk, other: Chunk) -> bool:
    return (
        one.source == other.source
        and one.char_start < other.char_end
        and other.char_start < one.char_end
    )
