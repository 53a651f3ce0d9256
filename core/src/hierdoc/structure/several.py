"""Several agreements in one file: each begins with its title, and counts its articles and sections from 1 on anew.

What tells a title from a header that runs above pages is what follows: the first number again, and the next behind it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hierdoc.citations.vocabulary import RESTARTING
from hierdoc.quick import quick
from hierdoc.structure.candidates import Candidates, HeadingCandidate, merged
from hierdoc.structure.charters import names_charter
from hierdoc.structure.domains import AGREEMENT


def with_agreements(candidates: Candidates) -> Candidates:
    """The candidates with the titles of the agreements, where there are several."""
    if candidates.witness or candidates.outline or len(candidates.headings) > 1:
        return candidates
    titles = list(_titles(candidates))
    firsts: dict[int, HeadingCandidate] = {}  # of several titles above one first number the first
    for one, following in titles:
        if _begins(following):
            firsts.setdefault(following[0].start, one)
    begun = list(firsts.values())
    count = Counter(one.title for one, _ in titles)
    own = Counter(one.title for one in begun)
    begun = [one for one in begun if own[one.title] == count[one.title]]
    if len(begun) < _FEWEST:
        return candidates
    return replace(candidates, lines=tuple(merged(candidates.lines, begun)))


def parts_of(candidates: Candidates) -> list[tuple[HeadingCandidate | None, Candidates]]:
    """The title of each agreement with the candidates that lie in it; what stands before the first has none."""
    titles = [one for one in candidates.lines if one.label == AGREEMENT]
    bounds = [0, *(one.start for one in titles), len(candidates.layout.text) + 1]
    return [
        (
            title,
            replace(
                candidates,
                headings=_between(candidates.headings, low, high),
                lines=_between(candidates.lines, low, high),
            ),
        )
        for title, low, high in zip([None, *titles], bounds, bounds[1:], strict=False)
    ]


def _between(
    found: Sequence[HeadingCandidate], low: int, high: int
) -> tuple[HeadingCandidate, ...]:
    return tuple(one for one in found if low <= one.start < high and one.label != AGREEMENT)


def _titles(
    candidates: Candidates,
) -> Iterator[tuple[HeadingCandidate, Sequence[HeadingCandidate]]]:
    """Lines that name an agreement, each with the first numbers behind it; none within a schedule, which is a form of one."""
    text, numbered = candidates.layout.text, candidates.numbered
    place = 0
    for line in _TITLE.finditer(text):
        start, title = line.start(1), " ".join(line[1].split())
        while place < len(numbered) and numbered[place].start < start:
            place += 1
        before = numbered[place - 1] if place else None
        known = place < len(numbered) and numbered[place].start == start
        if known or (before and (before.label in RESTARTING or before.body > start)):
            continue
        if title.isupper() and names_charter(title) and not candidates.layout.hidden.holds(start):
            found = _candidate(start, line.end(1), title, label=AGREEMENT)
            yield found, numbered[place : place + _FEWEST]


def _begins(following: Sequence[HeadingCandidate]) -> bool:
    """Whether numbers begin with the first, and go on with the next or with its first part."""
    numbers = [one.number for one in following]
    if len(numbers) < _FEWEST or numbers[0][:1] != ("1",) or following[0].unlikely:
        return False
    return numbers[1] in (("2",), ("1", "1"), ("1", "2"))


_candidate = quick(HeadingCandidate)
_FEWEST = 2
_TITLE = re.compile(
    r"(?:\A|\n[ \t\r]*\n|\f)[ \t]{0,80}([A-Z][^\n]{6,100}?)(?=[ \t\r]*\n[ \t\r]*(?:\n|$))"
)
