"""Lines whose form alone says nothing, but whose run does: `1) Lines`, a number alone above its text, `A. Procedure` behind numbered chapters.

Lists, footnotes and the numbers of pages look so too. What tells is that the numbers go on from the first, that text stands below, and that
nothing else is numbered so. To teach another such form, add a `Series`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from string import ascii_lowercase

from hierdoc.citations import PARAGRAPH
from hierdoc.citations.vocabulary import RESTARTING
from hierdoc.quick import quick
from hierdoc.structure.candidates import Candidates, HeadingCandidate, merged
from hierdoc.structure.lines import REACH, VERB, begins_paragraph


@dataclass(frozen=True, slots=True)
class Series:
    """A form of headings that count.

    Attributes:
        form: Of such a line, from the blank line above on: the heading in its first group, number or letter in the second, a title in the third.
        label: What its candidates are labelled.
        prefix: What their keys begin with.
        fewest: How many there are at least.
        may_be: Whether the other candidates leave room for it.
        is_meant: Whether a run of lines is one of headings.
        sure: Whether its lines are headings without being counted once more.
        anew: Whether it begins anew in each division, whose key theirs begin with.
    """

    form: re.Pattern[str]
    label: str
    prefix: str
    fewest: int
    may_be: Callable[[Candidates], bool]
    is_meant: Callable[[Candidates, Sequence[re.Match[str]]], bool]
    sure: bool = False
    anew: bool = False


def with_series(candidates: Candidates) -> Candidates:
    """The candidates with the headings of each series that the text has."""
    for series in _SERIES:
        if candidates.witness or not series.may_be(candidates):
            continue
        run = _run(candidates, series)
        if len(run) < series.fewest or not series.is_meant(candidates, run):
            continue
        found = [_candidate_of(line, series, _around(candidates, line, series)) for line in run]
        if series.sure:
            candidates = _with_sure(candidates, found)
        else:
            candidates = replace(candidates, lines=tuple(merged(found, candidates.lines)))
    return candidates


def _with_sure(candidates: Candidates, found: Sequence[HeadingCandidate]) -> Candidates:
    """The candidates with headings that need no more counting; below an outline they are paragraphs, which go on through it."""
    if candidates.outline:
        found = [one.called(PARAGRAPH) for one in found]
    return replace(candidates, outline=tuple(merged(candidates.outline, found)))


def _run(candidates: Candidates, series: Series) -> list[re.Match[str]]:
    """The lines of this form that count on from the first; a number with parts lies in the last one."""
    text, hidden = candidates.layout.text, candidates.layout.hidden
    run: list[re.Match[str]] = []
    last = 0
    for line in series.form.finditer(text):
        parts = line[2].lower().split(".")
        value = int(parts[0]) if parts[0].isdigit() else ascii_lowercase.index(parts[0]) + 1
        goes_on = value == last + (len(parts) == 1) or (series.anew and value == 1)
        if goes_on and not VERB.search(line[3]) and not hidden.holds(line.start(1)):
            run.append(line)
            last = value
    return run


def _around(candidates: Candidates, line: re.Match[str], series: Series) -> str:
    """What the key of a line begins with."""
    before = _division_of(candidates, line) if series.anew else None
    return (before and before.key) or series.prefix


def _candidate_of(line: re.Match[str], series: Series, prefix: str) -> HeadingCandidate:
    title = " ".join(line[1].replace("*", "").split())
    number = tuple(line[2].lower().split("."))
    key = "_".join((prefix, *number))
    return _candidate(line.start(1), line.end(1), title, 0, key, series.label, number)


_candidate = quick(HeadingCandidate)


# `1) Indentation`, `3.1) Spaces`


def _none_is_numbered(candidates: Candidates) -> bool:
    second = "2)" in candidates.layout.text
    return second and not candidates.outline and not any(one.label for one in candidates.numbered)


def _hold_text(candidates: Candidates, run: Sequence[re.Match[str]]) -> bool:
    """Whether text stands below most: no text follows the items of a list."""
    ends = [*(line.start(1) for line in run[1:]), len(candidates.layout.text)]
    lengths = [end - line.end(1) for line, end in zip(run, ends, strict=True)]
    return sum(length >= _SHORTEST for length in lengths) >= _MOST * len(run)


_SHORTEST = 80
"""Characters that stand below a heading."""

_MOST = 0.8
_PARENTHESISED = re.compile(
    r"(?:\A|\n)[ \t\r]*\n[ \t]{0,3}((?:\*\*)?([0-9]{1,2}(?:\.[0-9]{1,2}){0,2})\)[ \t\xa0]{1,4}([^\W\d_][^\n]{1,100}?[^\s.,;:])(?:\*\*)?)"
    r"(?=[ \t\r]*\n[ \t\r]*\n)"
)


# A number alone above its text, as articles of constitutions have it


def _no_leaf_is_numbered(candidates: Candidates) -> bool:
    """Whether nothing in which text stands is numbered otherwise: divisions may be."""
    if _SECOND_ALONE.search(candidates.layout.text) is None:
        return False
    numbers = any(one.number[-1].isdigit() for one in candidates.outline if one.number[1:])
    return (
        not numbers
        and len(candidates.headings) <= 1
        and not any(one.label in _LEAVES and not one.unlikely for one in candidates.lines)
    )


def _stand_above_text(candidates: Candidates, run: Sequence[re.Match[str]]) -> bool:
    """Whether what stands before each number is over, and the text below is no further out: so these are no pages."""
    text = candidates.layout.text
    starts = {one.body for one in (*candidates.numbered, *candidates.outline)}
    if len(text) - run[0].start(1) < _SHORTEST_ALONE * len(run):
        return False
    for line in run:
        start = line.start(1)
        before = text[max(0, start - REACH) : start].rstrip()
        headed = max(0, start - REACH) + len(before) in starts or before[-1:].isupper()
        if not (headed or before[-1:] in _ENDS) or not begins_paragraph(text, start, -1):
            return False
        if start - text.rfind("\n", 0, start) > _FURTHEST_IN + len(line["indent"]):
            return False
    return True


_LEAVES = frozenset(("sec", "art", "rule", "number", "plain", "code"))
_ENDS = frozenset('.;:!?)]"”’»—。')
_SECOND_ALONE = re.compile(r"\n[ \t*]{0,40}2[.*]{0,3}[ \t\r]*\n")
_FURTHEST_IN = 4
_SHORTEST_ALONE = 40
"""Characters of a numbered article, on an average."""

_ALONE = re.compile(
    r"(?:\n[ \t\r]*\n|(?<=[A-ZÀ-Þ])\n)[ \t]{0,40}((?:\*\*)?([1-9][0-9]{0,2})\.?(?:\*\*)?)()[ \t\r]*\n(?=(?P<indent>[ \t]*)[\"“‘«(]{0,2}(?:[A-ZÀ-ÞА-Я぀-ヿ一-鿿가-힣]|1[.)]))"
)


# Appendices that letters count behind numbered chapters, with parts of their own, `A.1. Proposal`


def _has_parts_of_appendices(candidates: Candidates) -> bool:
    parts = not candidates.outline and bool(_parts_of_appendices(candidates))
    return parts and not any(one.label in RESTARTING for one in candidates.numbered)


def _stand_behind_chapters(candidates: Candidates, run: Sequence[re.Match[str]]) -> bool:
    first = run[0].start(1)
    chapters = sum(
        one.label in ("number", "plain") and one.start < first for one in candidates.lines
    )
    return chapters >= _FEWEST_CHAPTERS and _parts_of_appendices(candidates)[0].start >= first


def _parts_of_appendices(candidates: Candidates) -> list[HeadingCandidate]:
    return [one for one in candidates.lines if len(one.number) > 1 and one.number[0] == "a"]


_FEWEST_CHAPTERS = 3


# `A. History`, `B. Business` within each of several items or chapters


def _has_divisions(candidates: Candidates) -> bool:
    if candidates.outline or len(candidates.headings) > 1:
        return False
    return sum(one.label in _DIVISIONS for one in candidates.lines) >= _FEWEST_DIVISIONS


def _lie_in_divisions(candidates: Candidates, run: Sequence[re.Match[str]]) -> bool:
    """Whether letters begin anew in several divisions, and go on within each of them."""
    around = [_division_of(candidates, line) for line in run]
    firsts = [one for one, line in zip(around, run, strict=True) if line[2] == "A"]
    alone = sum(
        line[2] != "A" and one is not before
        for before, one, line in zip(around, around[1:], run[1:], strict=False)
    )
    several = len({one.start for one in firsts if one}) >= _FEWEST_DIVISIONS
    return several and not alone and len(run) >= 2 * len(firsts) and None not in around


def _division_of(candidates: Candidates, line: re.Match[str]) -> HeadingCandidate | None:
    """The division in which a line stands."""
    place = bisect_right(candidates.lines, line.start(1), key=attrgetter("start"))
    before = candidates.lines[place - 1] if place else None
    return before if before and before.label in _DIVISIONS else None


_DIVISIONS = frozenset(("item", "ch", "part"))
_FEWEST_DIVISIONS = 2
_WITH_LETTER = re.compile(
    r"\n[ \t\r]*\n(([A-Z])\.[ \t]{1,4}([A-Z][^\n]{2,100}?[^\s.,;:]))(?=[ \t\r]*\n[ \t\r]*\n)"
)
_SERIES = (
    Series(_PARENTHESISED, "number", "sec", 3, _none_is_numbered, _hold_text),
    Series(_ALONE, "number", "sec", 3, _no_leaf_is_numbered, _stand_above_text, sure=True),
    Series(_WITH_LETTER, "app", "app", 1, _has_parts_of_appendices, _stand_behind_chapters),
    Series(
        _WITH_LETTER, "number", "sec", 4, _has_divisions, _lie_in_divisions, sure=True, anew=True
    ),
)
