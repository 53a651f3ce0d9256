"""Spans of a text, and what of it lies in one of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator


class Spans:
    """Spans of a text, `(start, end)`, in order; where several overlap, as one.

    Args:
        spans: In any order.
    """

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        for start, end in sorted(spans):
            if not self.ends or end > self.ends[-1]:
                self.starts.append(start)
                self.ends.append(end)

    def __bool__(self) -> bool:
        return bool(self.starts)

    def joined(self, others: Spans) -> Spans:
        """Both."""
        return Spans(
            (
                *zip(self.starts, self.ends, strict=True),
                *zip(others.starts, others.ends, strict=True),
            )
        )

    def without(self, places: Iterable[int]) -> Spans:
        """Those of them that hold none of these places."""
        if not self:
            return self
        holding = {bisect_right(self.starts, place) - 1 for place in places if self.holds(place)}
        spans = zip(self.starts, self.ends, strict=True)
        return Spans(span for index, span in enumerate(spans) if index not in holding)

    def holds(self, place: int) -> bool:
        """Whether a place lies in one of them."""
        index = bisect_right(self.starts, place) - 1
        return index >= 0 and place < self.ends[index]

    def cut_by(self, place: int) -> bool:
        """Whether a place lies in one of them, but not at its beginning."""
        index = bisect_left(self.starts, place) - 1
        return index >= 0 and place < self.ends[index]

    def between(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        """What of them lies between two places."""
        first = max(0, bisect_right(self.starts, low) - 1)
        for index in range(first, bisect_left(self.starts, high)):
            if self.ends[index] > low:
                yield max(low, self.starts[index]), min(high, self.ends[index])

    def covered(self, low: int, high: int) -> int:
        """How many characters between two places lie in one of them."""
        first, last = max(0, bisect_right(self.starts, low) - 1), bisect_left(self.starts, high)
        spans = zip(self.starts[first:last], self.ends[first:last], strict=True)
        return sum(min(end, high) - max(start, low) for start, end in spans if end > low)
