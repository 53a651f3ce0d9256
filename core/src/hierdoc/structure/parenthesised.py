"""Headings whose number a parenthesis closes, `1) Indentation`, `3.1) Spaces`: lists look so too, but no text follows their items."""

from __future__ import annotations

import re
from dataclasses import replace

from hierdoc.quick import quick
from hierdoc.structure.candidates import Candidates, HeadingCandidate, merged
from hierdoc.structure.lines import VERB


def with_parenthesised(candidates: Candidates) -> Candidates:
    """The candidates with such headings, where nothing else is numbered: they count from 1 on, and text stands below each."""
    if candidates.witness or candidates.outline or any(one.label for one in candidates.numbered):
        return candidates
    text, hidden = candidates.layout.text, candidates.layout.hidden
    found = []
    last = 0
    for line in _HEADING.finditer(text):
        number = line[2].split(".")
        goes_on = int(number[0]) == last + (len(number) == 1)
        if goes_on and not VERB.search(line[3]) and not hidden.holds(line.start(1)):
            found.append(line)
            last = int(number[0])
    if last < _FEWEST:
        return candidates
    ends = [*(line.start(1) for line in found[1:]), len(text)]
    lengths = [end - line.end(1) for line, end in zip(found, ends, strict=True)]
    if sum(length >= _SHORTEST for length in lengths) < _MOST * len(found):
        return candidates
    return replace(
        candidates, lines=tuple(merged([_candidate_of(line) for line in found], candidates.lines))
    )


def _candidate_of(line: re.Match[str]) -> HeadingCandidate:
    title = " ".join(line[1].replace("*", "").split())
    number = tuple(line[2].split("."))
    key = "_".join(("sec", *number))
    return _candidate(line.start(1), line.end(1), title, 0, key, "number", number)


_candidate = quick(HeadingCandidate)

_FEWEST = 3
_SHORTEST = 80
"""Characters that stand below a heading."""

_MOST = 0.8
_HEADING = re.compile(
    r"(?:\A|\n)[ \t\r]*\n[ \t]{0,3}((?:\*\*)?([0-9]{1,2}(?:\.[0-9]{1,2}){0,2})\)[ \t\xa0]{1,4}([^\W\d_][^\n]{1,100}?[^\s.,;:])(?:\*\*)?)"
    r"(?=[ \t\r]*\n[ \t\r]*\n)"
)
