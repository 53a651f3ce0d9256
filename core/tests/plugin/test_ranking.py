"""Asking stores that order equals by chance."""

from __future__ import annotations

import asyncio
import random

import pytest

from hierdoc import Match
from hierdoc.plugin import best_matches, best_matches_async, ranked

SCORES = {f"{number:02}": number // 7 / 10 for number in range(60)}  # seven of each score


class Store:
    """Gives the best of its matches, equals in any order.

    Args:
        most: How many it gives at most.
    """

    def __init__(self, most: int = 1000) -> None:
        self.most = most
        self.asked: list[int] = []

    def search(self, wanted: int) -> list[Match]:
        self.asked.append(wanted)
        found = [Match(*one) for one in SCORES.items()]
        random.Random(1).shuffle(found)
        return sorted(found, key=lambda one: -one.score)[: min(wanted, self.most)]


def the_best(limit: int) -> list[Match]:
    return ranked([Match(*one) for one in SCORES.items()], limit)


@pytest.mark.parametrize("limit", [1, 5, 10, 59, 60, 100])
def test_of_those_that_tie_with_the_last_the_first_by_id_are_taken(limit: int) -> None:
    assert best_matches(Store().search, limit) == the_best(limit)


def test_a_search_may_be_awaited() -> None:
    store = Store()

    async def search(wanted: int) -> list[Match]:
        return store.search(wanted)

    assert asyncio.run(best_matches_async(search, 5)) == the_best(5)
    assert store.asked == [6, 24]


def test_no_more_is_asked_for_than_the_store_gives() -> None:
    store = Store(most=12)
    found = best_matches(store.search, 10, 12)
    assert store.asked == [11, 12]
    assert [one.score for one in found] == [one.score for one in the_best(10)]


def test_what_is_clear_is_asked_once() -> None:
    store = Store()
    best_matches(store.search, 4 + 7)  # 56 to 59 have the best score, and seven the next
    assert store.asked == [12]
