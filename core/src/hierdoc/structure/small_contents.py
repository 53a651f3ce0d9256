"""Lists that a chapter begins with, of its own sections: they are no sections, for the same come again at once, with their text.

CHAPTER 2 BERTHS
2-1. Kinds of berths.
2-2. Fees.

2-1. Kinds of berths. A berth is …
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from hierdoc.structure.candidates import Candidates, HeadingCandidate


def without_small_contents(candidates: Candidates) -> Candidates:
    """The candidates without those that such lists have."""
    numbered = candidates.numbered
    keys = [one.key for one in numbered]
    if len(set(keys)) == len(keys):
        return candidates
    listed = {
        numbered[index].start
        for start, end in _runs(candidates.layout.text, numbered)
        for index in _repeated(keys, start, end)
    }
    if len(listed) < _FEWEST:
        return candidates
    return replace(
        candidates, lines=tuple(one for one in candidates.lines if one.start not in listed)
    )


def _runs(text: str, numbered: Sequence[HeadingCandidate]) -> Iterator[tuple[int, int]]:
    """Where lines stand that have nothing below them but each other, and what follows on these: first index and the one behind the last."""
    first = 0
    for index, (one, following) in enumerate(pairwise(numbered)):
        below = text[one.body : min(following.start, one.body + _LONGEST_GAP)]
        if one.level or below.strip(" \t\r\n\xa0.…·_*|-0123456789"):
            if index > first:
                yield first, index
            first = index + 1
    if len(numbered) - 1 > first:
        yield first, len(numbered) - 1


def _repeated(keys: Sequence[str | None], start: int, end: int) -> Iterator[int]:
    """The indices in a run of lines that come again, all in the same order, right behind themselves."""
    places: dict[str | None, int] = {}
    again: list[int] = []  # how far behind each line its key comes again; 0 where it does not
    for index in range(end, start - 1, -1):
        again.append(places.get(keys[index], index) - index)
        places[keys[index]] = index
    again.reverse()
    index = start
    while index < end:
        length = again[index - start]
        if keys[index] and 0 < length <= _LONGEST_LIST and _agree(keys, index, length):
            yield from range(index, index + length)
            index += length
        else:
            index += 1


def _agree(keys: Sequence[str | None], index: int, length: int) -> bool:
    return keys[index : index + length] == keys[index + length : index + 2 * length]


_FEWEST = 3
"""Lines of all such lists of a text."""

_LONGEST_LIST = 500
_LONGEST_GAP = 400
