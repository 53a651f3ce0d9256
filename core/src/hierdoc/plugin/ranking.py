"""The best matches of a store that orders equals by chance: it is asked until it is clear which of those that tie belong to them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence

from hierdoc.models import Match

_WIDER = 4


def ranked(found: Iterable[Match], limit: int) -> list[Match]:
    """Up to `limit` matches, best first, ties by chunk id."""
    return sorted(found, key=lambda match: (-match.score, match.chunk_id))[:limit]


def best_matches(
    search: Callable[[int], Sequence[Match]], limit: int, most: int | None = None
) -> list[Match]:
    """The best matches of a search, ties by chunk id.

    Args:
        search: Finds up to so many matches, in any order among equals.
        limit: How many are wanted, 1 at least.
        most: How many the store gives at most; None for any number.
    """
    asking = _asking(limit, most)
    wanted = next(asking)
    while True:
        try:
            wanted = asking.send(search(wanted))
        except StopIteration as done:
            best: list[Match] = done.value
            return best


async def best_matches_async(
    search: Callable[[int], Awaitable[Sequence[Match]]], limit: int, most: int | None = None
) -> list[Match]:
    """The same as `best_matches`, of a search that is awaited."""
    asking = _asking(limit, most)
    wanted = next(asking)
    while True:
        found = await search(wanted)
        try:
            wanted = asking.send(found)
        except StopIteration as done:
            best: list[Match] = done.value
            return best


def _asking(limit: int, most: int | None) -> Generator[int, Sequence[Match], list[Match]]:
    """Yields how many to ask for, takes what was found, and returns the best."""
    wanted = limit + 1 if most is None else min(limit + 1, most)
    while True:
        found = yield wanted
        scores = sorted((match.score for match in found), reverse=True)
        if len(found) < wanted or wanted == most or scores[-1] < scores[limit - 1]:
            return ranked(found, limit)
        wanted = _WIDER * wanted if most is None else min(_WIDER * wanted, most)
