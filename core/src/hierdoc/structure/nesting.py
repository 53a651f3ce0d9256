"""Which section lies in which: headings by their levels and labels, and the enumerated subsections under them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from hierdoc.citations import PARAGRAPH
from hierdoc.structure.candidates import HeadingCandidate
from hierdoc.structure.domains import CONTROL, DOMAINS, Domain
from hierdoc.structure.enumerators import find_items
from hierdoc.structure.levels import effective_levels, in_own_order
from hierdoc.structure.selection import Selection, contains
from hierdoc.text.words import words

NO_PARENT = -1
"""Stands for the parent of an outermost section."""


@dataclass(frozen=True, slots=True)
class Nesting:
    """The sections of a text.

    Attributes:
        headings: What begins each, headings and enumerators, in order.
        parents: For each the index of the one it lies in, or `NO_PARENT`.
    """

    headings: tuple[HeadingCandidate, ...]
    parents: tuple[int, ...]


def nest(
    selection: Selection, max_subsection_depth: int | None = None, *, by_look: bool = False
) -> Nesting:
    """The sections that headings and enumerators begin, and which of them lies in which.

    Args:
        selection: The headings.
        max_subsection_depth: How many levels of enumerated subsections to keep; None for all.
        by_look: Whether levels were told from how headings look; see `Document.levels_by_look`.
    """
    headings, domain = selection.headings, selection.domain
    if domain is None:
        return by_level(headings)
    parents = _parents(selection.layout.text, headings, domain, by_look=by_look)
    nesting = Nesting(headings, parents)
    if domain.enumerators and max_subsection_depth != 0:
        nesting = _with_items(selection, nesting, domain, max_subsection_depth)
    text = selection.layout.text
    return Nesting(
        tuple(one if one.level else _from_line_begin(text, one) for one in nesting.headings),
        nesting.parents,
    )


MOST_NESTED = 32
"""How many sections lie in each other at most: every chunk names those around it."""


def shallow(nesting: Nesting) -> Nesting:
    """The sections with none deeper than `MOST_NESTED`: what lies deeper stands beside the innermost."""
    parents: list[int] = []
    depths: list[int] = []
    for parent in nesting.parents:
        kept = parents[parent] if parent >= 0 and depths[parent] == MOST_NESTED else parent
        parents.append(kept)
        depths.append(depths[kept] + 1 if kept >= 0 else 1)
    return Nesting(nesting.headings, tuple(parents))


def by_level(headings: Sequence[HeadingCandidate]) -> Nesting:
    """Headings of which each lies in the nearest one before it of a lower level."""
    parents: list[int] = []
    around: list[int] = []
    for index, one in enumerate(headings):
        while around and headings[around[-1]].level >= one.level:
            around.pop()
        parents.append(around[-1] if around else NO_PARENT)
        around.append(index)
    return Nesting(tuple(headings), tuple(parents))


def _parents(
    text: str, headings: Sequence[HeadingCandidate], domain: Domain, *, by_look: bool
) -> tuple[int, ...]:
    """For each heading the index of the one it lies in: by level among markdown's headings, by label among others."""
    domain = in_own_order(text, headings, domain)
    headings = _with_levels(headings)
    levels = effective_levels(text, headings, domain, by_look=by_look)
    parents: list[int] = []
    around: list[int] = []
    for index, one in enumerate(headings):
        keep = 0
        for outer in around:
            if one.level and headings[outer].level:
                closed = levels[outer] >= levels[index]
            else:
                closed = _closes(one, headings[outer], domain)
            if closed:
                break
            keep += 1
        del around[keep:]
        parents.append(around[-1] if around else NO_PARENT)
        around.append(index)
    return tuple(parents)


def _with_levels(headings: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """The headings; an implied one among markdown's of the same label, `Item 7` among others, has the level that all of these have."""
    levels: dict[str, set[int]] = {}
    count = Counter(one.label for one in headings if one.level)
    for one in headings:
        if one.level and one.label:
            levels.setdefault(one.label, set()).add(one.level)
    shared = {
        label: min(found)
        for label, found in levels.items()
        if len(found) == 1 and count[label] >= _FEWEST and label not in _BARE
    }
    if not shared:
        return list(headings)
    return [
        replace(one, level=shared[one.label]) if not one.level and one.label in shared else one
        for one in headings
    ]


def _closes(one: HeadingCandidate, outer: HeadingCandidate, domain: Domain) -> bool:
    """Whether a section ends where a heading begins, of which one at least is implied.

    An implied heading lies within a markdown heading unless that is of its own kind.
    """
    if outer.bold:
        return one.label not in (PARAGRAPH, CONTROL)
    if outer.label == PARAGRAPH or (one.level and one.label is None):
        return True
    if outer.level and outer.label != one.label:
        return False
    return bool(outer.label and one.label) and not contains(outer, one, domain)


def _with_items(
    selection: Selection, nesting: Nesting, domain: Domain, depth: int | None
) -> Nesting:
    """The headings and the enumerated subsections between them."""
    headings, parents = nesting.headings, nesting.parents
    keyed: list[bool] = []
    for one, parent in zip(headings, parents, strict=True):
        keyed.append(bool(one.key) or (parent >= 0 and keyed[parent]))
    report = not DOMAINS[domain.name].enumerators
    holds_parts = [
        report and one.number != () and one.number == following.number[: len(one.number)]
        for one, following in pairwise(headings)
    ]  # item 1 of section 2 would be called as 2.1 is
    holds_parts += [False] * (len(headings) - len(holds_parts))
    items = find_items(
        selection.layout,
        headings,
        domain,
        strict=[True, *(not one or held for one, held in zip(keyed, holds_parts, strict=True))],
        once=[False, *(one.label not in _LEAVES for one in headings)],
        depth=depth,
    )
    order = sorted(
        [
            *((one.start, 0, index) for index, one in enumerate(headings)),
            *((item.start, 1, index) for index, (item, _) in enumerate(items)),
        ]
    )
    places = {(kind, index): place for place, (_, kind, index) in enumerate(order)}
    places[0, NO_PARENT] = NO_PARENT
    all_headings: list[HeadingCandidate] = []
    all_parents: list[int] = []
    last = NO_PARENT  # heading before the item
    for _, kind, index in order:
        if kind == 0:
            last = index
            all_headings.append(headings[index])
            all_parents.append(places[0, parents[index]])
        else:
            item, parent = items[index]
            all_headings.append(item)
            all_parents.append(places[1, parent] if parent >= 0 else places[0, last])
    return Nesting(tuple(all_headings), tuple(all_parents))


def _from_line_begin(text: str, one: HeadingCandidate) -> HeadingCandidate:
    """The heading begun where its line does, if nothing but indentation and a bullet stands before it."""
    start = one.start
    line = max(text.rfind("\n", max(0, start - 100), start) + 1, start - 100, 0)
    if line == start or (line and text[line - 1] != "\n"):
        return one
    return one if text[line:start].strip(" \t\xa0\f\r\ufeff-*+•") else replace(one, start=line)


_FEWEST = 4
"""Headings of markdown with one label that show which level it has."""

_BARE = words("number plain code step")
_LEAVES = words("sec art amend rule cl number plain")
"""Labels of what holds enumerated subsections; in other divisions lists that begin again are lists and no more."""
