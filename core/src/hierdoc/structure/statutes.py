"""Sections of statutes whose heading, and a sign behind it, stand before the text on one line: `3. Fees.—(1) A fee …`, `3. Fees : (1) A fee …`.

The signs differ from country to country and from printer to printer, and no blank line need stand between sections. A single such line
may be anything; several whose text begins with `(1)` make the document a statute.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from hierdoc.citations import section_key
from hierdoc.quick import quick
from hierdoc.structure.candidates import Candidates, HeadingCandidate, merged
from hierdoc.structure.lines import DIGITS, NEXT_LINE, LinePattern
from hierdoc.text.words import words


def with_run_in_sections(candidates: Candidates) -> Candidates:
    """The candidates with the sections of a statute, if the text is one: a number alone then begins no item of a list."""
    if candidates.witness or len(candidates.headings) > 1:
        return candidates
    text, hidden = candidates.layout.text, candidates.layout.hidden
    if not _SURE.search(text):
        return candidates
    found = [line for line in _SECTION.finditer(text) if not hidden.holds(line.start(1))]
    if sum(text.startswith("(1)", line.end()) for line in found) < _FEWEST:
        return candidates
    sections = [_section(line) for line in found]
    divisions = [one for one in _hyphenated(text) if not hidden.holds(one.start)]
    divisions = _without_contents(divisions, sections[0].start)
    others = (
        one.called("plain") if one.label == "number" and not one.number[1:] else one
        for one in candidates.lines
    )
    lines = merged(sorted([*sections, *divisions], key=lambda one: one.start), others)
    return replace(candidates, lines=tuple(lines), of_statute=True)


def with_sections_of_codes(candidates: Candidates) -> Candidates:
    """The candidates with the sections of a municipal code whose numbers a sign parts from the heading: `5-11-1: Fees:`, `5.04.010 - Fees`."""
    if candidates.witness or len(candidates.headings) > 1:
        return candidates
    text, hidden = candidates.layout.text, candidates.layout.hidden
    found = [line for line in _OF_CODE.finditer(text) if not hidden.holds(line.start(1))]
    keys = [section_key(f"§ {line[2]}") for line in found]
    listed = [(key, line) for key, line in zip(keys, found, strict=True) if key]
    last = {key: place for place, (key, _) in enumerate(listed)}
    if len(last) < _FEWEST_OF_CODE:
        return candidates
    sections = [
        _candidate(
            line.start(1),
            line.end(1),
            " ".join(line[1].split()),
            0,
            key,
            "sec",
            tuple(key.split("_")[1:]),
        )
        for place, (key, line) in enumerate(listed)
        if last[key] == place  # a list stands above the sections
    ]
    return replace(candidates, lines=tuple(merged(sections, candidates.lines)))


def _section(line: re.Match[str]) -> HeadingCandidate:
    number = line[2].lower()
    title = " ".join(line[1].replace("*", "").split())
    return _candidate(line.start(1), line.end(3), title, 0, f"sec_{number}", "plain", (number,))


def _without_contents(divisions: Sequence[HeadingCandidate], first: int) -> list[HeadingCandidate]:
    """The divisions without those of a table of contents: before the first section the numbers begin anew."""
    before = [one for one in divisions if one.start < first]
    keys = [one.key for one in before]
    begin = next(
        (place for place in range(len(keys) - 1, -1, -1) if keys[place] in keys[:place]), 0
    )
    return [*before[begin:], *divisions[len(before) :]]


def _hyphenated(text: str) -> Iterable[HeadingCandidate]:
    """Divisions whose number a hyphen joins to the label, alone on their lines, with the name below: two at least."""
    lines = list(_DIVISION.finditer(text))
    if len(lines) < _FEWEST:
        return
    for line in lines:
        key = section_key(f"{line[2]} {line[3]}")
        if key is None:
            continue
        below = NEXT_LINE.match(text, line.end())
        named = below and not below[1] and below[2].isupper() and len(below[3]) < _LONGEST_NAME
        body = below.end() if below and named else line.end()
        body = line.start() + len(text[line.start() : body].rstrip())
        title = " ".join(text[line.start(1) : body].split())
        label, *number = key.split("_")
        yield _candidate(line.start(1), body, title, 0, key, label, tuple(number))


_candidate = quick(HeadingCandidate)

_FEWEST = 2
_FEWEST_OF_CODE = 3
_OF_CODE = LinePattern(
    r"[ \t\xa0]{0,20}(([0-9]{1,3}[A-Z]?-[0-9]{1,3}[A-Z]?-[0-9]{1,3}[A-Z]?(?=[:.])|[0-9]{1,3}(?:\.[0-9]{1,3}){1,2}\.[0-9]{3}(?= ?[–—-] ))"
    r"(?::|\.| ?[–—-])[ \t\xa0]{1,4}[A-Z][^\n]{2,120}?)(?=[ \t\r]*(?:\n|\Z))",
    DIGITS,
)
_LONGEST_NAME = 80
_HEADING = r"(?:[^\n:;—–.]|\.(?=[^\s—–-])){2,160}?"
_SIGN = r"(?:\.[ \t\xa0]?[—–-]{1,2}|[ \t\xa0]?[—–]|[ \t\xa0]?:)"
_SURE = LinePattern(
    rf"[ \t\xa0]{{0,20}}[0-9]{{1,4}}\.[ \t\xa0]{{1,4}}[A-Z]{_HEADING}(?:{_SIGN}|\.)[ \t\xa0]?\(1\)[ \t\xa0][A-Z“‘\"]",
    DIGITS,
)
_SECTION = LinePattern(
    rf"[ \t\xa0]{{0,20}}((?:\*\*)?([0-9]{{1,4}}[A-Z]{{0,3}})\.[ \t\xa0]{{1,4}}(?=[A-Z“‘\"\[]){_HEADING}\.?)"
    rf"((?<!\.){_SIGN}|(?<=\.)[ \t\xa0]?[—–-]{{1,2}}|(?<=\.)(?=[ \t\xa0]\(1\)))(?:\*\*)?[ \t\xa0]{{0,2}}(?=\(1\)[ \t\xa0][A-Z“‘\"]|[A-Z“‘\"])",
    DIGITS,
)
_DIVISION = LinePattern(
    r"[ \t\xa0]{0,80}((Part|PART|Chapter|CHAPTER|Schedule|SCHEDULE|Title|TITLE)[ ]?-[ ]?([0-9]{1,3}|[IVXLC]{1,7}))(?=[ \t\r]*(?:\n|\Z))",
    words("Part PART Chapter CHAPTER Schedule SCHEDULE Title TITLE"),
)
