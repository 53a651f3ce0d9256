"""What is numbered through a whole text, whatever its divisions: paragraphs, `[6]`, `42.`, `17`, and controls, `AC-2`, `FR-001`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hierdoc.citations import PARAGRAPH, section_key
from hierdoc.quick import quick
from hierdoc.structure.candidates import Candidates, HeadingCandidate
from hierdoc.structure.domains import CONTROL
from hierdoc.structure.layout import Layout
from hierdoc.structure.lines import DIGITS, VERB, LinePattern


def find_paragraphs(
    layout: Layout,
    headings: Sequence[HeadingCandidate],
    *,
    below: bool = False,
    brief: bool = False,
) -> tuple[HeadingCandidate, ...]:
    """The numbers of paragraphs that count through a whole text, in order; none where they number lists.

    Args:
        layout: Of the text.
        headings: The text's other headings, in order, with or without a number.
        below: Whether the headings may have numbers of their own, without a full stop: then those of paragraphs have one.
        brief: Whether paragraphs may be short, as in the decision of a court.
    """
    text = layout.text
    labelled = any(one.label for one in headings if not _is_outline(one))
    for form in _FORMS:
        if form is not _BRACKETED and labelled and not (below and form is _POINTED):
            continue
        found = _longest_run(layout, form)
        if len(found) < _FEWEST or not _run_through(text, found, brief=brief or form is _BRACKETED):
            continue
        if not (brief or form is _BRACKETED or _pass_headings(found, headings)):
            continue
        return tuple(
            _candidate(
                one.start(1),
                one.end(1),
                one[1].replace("*", ""),
                key=f"{PARAGRAPH}_{one[2]}",
                label=PARAGRAPH,
                number=(one[2],),
            )
            for one in found
        )
    return ()


def without_paragraphs(candidates: Candidates) -> Candidates:
    """The candidates without the numbers of paragraphs, where chapters count otherwise: `1 SCOPE`, below it `1.`, `2.`, and `3.` below `2 TERMS`."""
    text = candidates.layout.text
    chapters = [
        one
        for one in candidates.lines
        if one.label == "plain" and not one.unlikely and _CHAPTER.match(text, one.start)
    ]
    count = [(str(number),) for number in range(1, len(chapters) + 1)]
    if len(chapters) < _FEWEST_CHAPTERS or [one.number for one in chapters] != count:
        return candidates
    found = {one.start for one in find_paragraphs(candidates.layout, chapters, below=True)}
    lines = tuple(one for one in candidates.lines if one.start not in found)
    return replace(candidates, lines=lines)


def find_controls(layout: Layout, headings: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """Lines that begin with the identifier of a control or requirement, `AC-2(1) Account Management`, and count by their letters, in order.

    Args:
        layout: Of the text.
        headings: The text's other headings.
    """
    known = {one.start for one in headings}
    last: dict[str, tuple[int, int]] = {}
    counted: Counter[str] = Counter()
    found: list[tuple[str, HeadingCandidate]] = []
    for line in _CONTROL.finditer(layout.text):
        prefix, number, part = line[2], int(line[3]), int(line[4] or 0)
        title = line[1].replace("*", "").strip()
        key = section_key(title)
        if key is None or line.start(1) in known or layout.hidden.holds(line.start(1)):
            continue
        if (number, part) <= last.get(prefix, (0, 0)) or title[-1] in ",;" or VERB.search(title):
            continue
        last[prefix] = number, part
        counted[prefix] += 1
        own = tuple(key.split("_")[1:])
        body = line.start(1) + len(line[1].rstrip())
        one = _candidate(line.start(1), body, title, key=key, label=CONTROL, number=own)
        found.append((prefix, one))
    if len(found) < _FEWEST:
        return []
    return [one for prefix, one in found if counted[prefix] > 1]


def _is_outline(one: HeadingCandidate) -> bool:
    """Whether a heading has a Roman numeral or a letter for its number, `II. The law`, and no number that paragraphs have."""
    return one.label == "number" and not one.title[:1].isdigit()


def _longest_run(layout: Layout, form: LinePattern) -> list[re.Match[str]]:
    """The longest run of lines whose numbers count from 1 on, or from 0, without a gap; none where another is nearly as long."""
    runs: list[list[re.Match[str]]] = []
    for one in form.finditer(layout.text):
        number = int(one[2])
        if layout.hidden.holds(one.start(1)):
            continue
        if runs and number == int(runs[-1][-1][2]) + 1:
            runs[-1].append(one)
        elif number <= 1:
            runs.append([one])
    runs.sort(key=len, reverse=True)
    if not runs or (form is not _BRACKETED and len(runs) > 1 and len(runs[1]) > 1):
        return []
    return runs[0]


def _run_through(text: str, found: Sequence[re.Match[str]], *, brief: bool) -> bool:
    """Whether numbers divide most of a text, and stand before paragraphs of some length: no bibliography and no list."""
    whole = len(text) - found[0].start(1)
    shortest = _SHORTEST_BRIEF if brief else _SHORTEST
    return 2 * whole >= len(text) and whole >= shortest * len(found)


def _pass_headings(found: Sequence[re.Match[str]], headings: Sequence[HeadingCandidate]) -> bool:
    """Whether numbers go on below the next heading, where there are headings: a list would end there."""
    bounds = [one.start for one in headings[1:]]  # behind the title
    first, last = (bisect_right(bounds, one.start(1)) for one in (found[0], found[-1]))
    return not bounds or last > first


_candidate = quick(HeadingCandidate)

_CONTROL = LinePattern(
    r"[ \t\xa0]{0,12}((?:\*\*)?([A-Z]{2,5})-([0-9]{1,4})(?:\(([0-9]{1,3})\))?[:.]?(?:\*\*)?[ \t\xa0]+[A-Z][^\n]{2,120})(?=[ \t\r]*(?:\n|\Z))",
    (),
    "[A-Z]{2,5}",
    apart=True,
)
_BRACKETED = LinePattern(
    r"[ \t\xa0]{0,12}((?:\*\*)?\\?\[([1-9][0-9]{0,3})\\?\](?:\*\*)?)[ \t\xa0]+(?=\S)",
    "[\\",
    apart=True,
)
_POINTED = LinePattern(
    r"[ \t\xa0]{0,12}((?:\*\*)?(0|[1-9][0-9]{0,3})\\?\.(?:\*\*)?)[ \t\xa0]+(?=[A-ZÀ-Þ“„«‘(\"*_])",
    DIGITS,
    apart=True,
)
_BARE = LinePattern(
    r"[ \t\xa0]{0,12}((?:\*\*)?([1-9][0-9]{0,3})(?:\*\*)?)[ \t\xa0]+(?=[A-ZÀ-Þ“„«‘(\"*_])",
    DIGITS,
    apart=True,
)
_FORMS = (_BRACKETED, _POINTED, _BARE)
_CHAPTER = re.compile(r"(?:\*\*)?[0-9]{1,3}(?:\*\*)?[ \t\xa0]")
_FEWEST_CHAPTERS = 2
_FEWEST = 3
_SHORTEST, _SHORTEST_BRIEF = 120, 60
"""Characters of a paragraph that is cited by its number, on an average."""
