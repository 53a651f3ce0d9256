"""How much a call may ask for, and how often calls may come: whoever sends them may be a program gone wild."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

QUERY = 2_000
"""Characters of a query, a reference, a term or a filter."""

TOP_K = 50
"""Chunks that a search may be asked for."""

NAMES = 20
"""Documents or sections that one call may name."""

PAGE = 100
"""Entries of a list, whatever their size."""

BUDGET = 4_000
"""Tokens of a reply where the call does not say."""

FEWEST_TOKENS, MOST_TOKENS = 200, 16_000
"""Between which a call may set them."""

SECONDS = 30.0
"""That a call may take."""

KEPT = 20
"""Seconds for which an idle connection is kept: longer than clients keep theirs, which is five in httpx. Where both let go at once, a
request goes into a connection that nobody reads any more."""

BODY = 4_000_000
"""Bytes of a request over HTTP."""


def tokens(text: str) -> int:
    """What a text counts: a third of its bytes, which is more than most models count."""
    return -(-len(text.encode("utf-8", "replace")) // 3)


def cut(text: str, room: int) -> str:
    """The text as far as it has so many tokens, cut at the end of a line or else of a word."""
    text = text.rstrip()
    if tokens(text) <= room:
        return text
    kept = text.encode("utf-8", "replace")[: 3 * max(room, 1)].decode("utf-8", "ignore")
    at = kept.rfind("\n", len(kept) // 2)
    at = at if at > 0 else kept.rfind(" ", len(kept) // 2)
    return kept[: at if at > 0 else len(kept)].rstrip()


@dataclass
class Rate:
    """So many calls a minute, and at first as many at once.

    Attributes:
        per_minute: How many; 0 for any number.
        clock: Tells the seconds.
    """

    per_minute: int
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._left = float(self.per_minute)
        self._seen = self.clock()

    def wait(self) -> float:
        """Count a call: 0 if it may go on, else after how many seconds the next one may."""
        if not self.per_minute:
            return 0.0
        now = self.clock()
        each = 60.0 / self.per_minute
        self._left = min(self._left + (now - self._seen) / each, float(self.per_minute))
        self._seen = now
        if self._left >= 1.0:
            self._left -= 1.0
            return 0.0
        return (1.0 - self._left) * each
