"""Headings, implied headings and enumerated subsections of a text, and which of them lies in which."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from hierdoc.citations import heading_key
from hierdoc.models import DomainName
from hierdoc.structure.cutting import find_fences
from hierdoc.structure.domains import DOMAINS, Domain, is_agreement, recognise
from hierdoc.structure.enumerators import Item, nest
from hierdoc.structure.implied import (
    Mark,
    find_bold,
    find_labelled,
    find_ordinals,
    find_recitals,
    heading_mark,
)
from hierdoc.structure.lines import Hidden
from hierdoc.structure.markdown import find_headings_and_blocks, with_newlines
from hierdoc.structure.outlines import number_outline
from hierdoc.structure.sequence import in_sequence, rising
from hierdoc.structure.tokens import find_tokens

NO_PARENT = -1
"""Stands for the parent of an outermost section."""


def find_marks(
    text: str, domain: DomainName = "auto", max_subsection_depth: int | None = None
) -> tuple[list[Mark], list[int]]:
    """All headings and enumerated subsections in order, and for each the index of what it lies in.

    Args:
        text: The document.
        domain: One of `DomainName`.
        max_subsection_depth: How many levels of enumerated subsections to keep; None for all.
    """
    if "\r" in text or "\f" in text:
        text = with_newlines(text).replace("\f", "\n")  # every offset unchanged
    headings, blocks = find_headings_and_blocks(text)
    marks = [
        heading_mark(heading.char_start, heading.char_end, heading.title, heading.level)
        for heading in headings
    ]
    if domain == "none":
        return marks, _parents_by_level(marks)
    hidden = Hidden(blocks)
    known = None if domain == "auto" else DOMAINS[domain]
    implied = find_labelled(text, hidden, numbered=len(headings) <= 1 or known is not None)
    implied = _merged(implied, find_ordinals(text, hidden))
    outline = number_outline(text, marks, hidden)
    if (implied or outline) and text.find("```") + text.find("~~~") > -2:
        hidden = Hidden([*blocks, *find_fences(text, 0, len(text))])
        implied, outline = (
            [mark for mark in found if not hidden.holds(mark.start)] for found in (implied, outline)
        )
    outlined = {mark.start for mark in outline}
    merged = _merged(marks, [mark for mark in implied if mark.start not in outlined])
    chosen = known or _recognised(text, merged) or (DOMAINS["technical"] if outline else None)
    if chosen is None:
        if not marks:
            bold = find_bold(text, hidden)
            marks = bold if len(bold) > 1 else []
        return marks, _parents_by_level(marks)
    merged = _merged(in_sequence(text, merged, chosen, explicit=known is not None), outline)
    if chosen.bold and (known or chosen.name not in ("technical", "academic") or not marks):
        merged = _merged(merged, find_bold(text, hidden))
    if chosen.recitals:
        merged = _merged(merged, find_recitals(text))
    merged = _without_contents(text, merged, chosen)
    parents = _nested(merged, chosen)
    if chosen.enumerators and max_subsection_depth != 0:
        merged, parents = _with_items(text, merged, parents, chosen, hidden, max_subsection_depth)
    for mark in merged:
        if not mark.level:
            mark.start = _line_begin(text, mark.start)
    return merged, parents


def _recognised(text: str, merged: Sequence[Mark]) -> Domain | None:
    if not any(mark.label for mark in merged):
        return None
    likely = DOMAINS["legal_contract" if is_agreement(text) else "technical"]
    ordered = in_sequence(text, merged, likely, explicit=False)
    labels = [mark.label for mark in merged if mark.label not in (None, "plain", "number", "code")]
    numbered = [mark for mark in merged if mark.label == "number" and mark.level]
    decimals = sum(mark.label == "number" and not mark.level for mark in ordered)
    decimals += sum(len(mark.number) > 1 for mark in numbered)
    plain = sum(mark.label == "plain" for mark in rising(merged))
    names = [label for label in labels if label] + ["number"] * len(numbered)
    return recognise(text, names, decimals, plain)


def _merged(marks: Sequence[Mark], others: Iterable[Mark]) -> list[Mark]:
    """All in order, without others that begin within a heading or are one already."""
    starts = [mark.start for mark in marks]
    new = []
    for other in others:
        place = bisect_right(starts, other.start) - 1
        if place < 0 or other.start >= max(marks[place].body, marks[place].start + 1):
            new.append(other)
    return sorted([*marks, *new], key=lambda mark: mark.start) if new else list(marks)


def _division(mark: Mark) -> str:
    return "number" if mark.label == "plain" else mark.label or ""


def _without_contents(text: str, marks: Sequence[Mark], domain: Domain) -> list[Mark]:
    """The marks without implied ones of a table of contents: three and more with nothing under them that come again."""
    signs = [_sign(mark) for mark in marks]
    again: list[int | None] = [None] * len(marks)  # where each comes the next time
    places: dict[str, int] = {}
    for index in reversed(range(len(marks))):
        again[index] = places.get(signs[index])
        places[signs[index]] = index
    dropped: set[int] = set()
    first = 0
    while first < len(marks):
        last = first
        while last < len(marks) and _is_bare(text, marks, last):
            last += 1
        repeated = [index for index in range(first, last) if again[index] is not None]
        leaves = sum(
            not _contains(marks[index], marks[index + 1], domain)
            for index in range(first, min(last, len(marks) - 1))
        )
        if leaves >= 3 and len(repeated) >= 3:
            begin = repeated[0]
            end = min(again[begin] or last, last)
            inside = [index for index in repeated if index < end]
            dropped.update(range(begin, end) if end < last else range(begin, inside[-1] + 1))
        first = max(last, first + 1)
    return [mark for index, mark in enumerate(marks) if index not in dropped]


def _is_bare(text: str, marks: Sequence[Mark], index: int) -> bool:
    """Whether an implied heading has nothing under it but the next, page numbers aside."""
    mark = marks[index]
    if mark.level or mark.bold or index + 1 == len(marks):
        return False
    between = text[mark.body : min(marks[index + 1].start, mark.body + 40)]
    return not between.strip(" \t\r\n\xa0.…0123456789")


def _sign(mark: Mark) -> str:
    return _PAGE_NUMBER.sub("", heading_key(mark.title))


def _family(mark: Mark, domain: Domain) -> int | None:
    """How far in a mark stands by its label; None for one that says nothing about it."""
    rank = domain.rank(_division(mark)) if mark.label else None
    return len(domain.divisions) if rank is None and mark.label == "number" else rank


def _contains(outer: Mark, inner: Mark, domain: Domain) -> bool:
    """Whether the one lies in the other by what they are called, where both are numbered."""
    if outer.label == inner.label and outer.number != inner.number[: len(outer.number)]:
        return False
    if outer.label == inner.label:
        return len(outer.number) < len(inner.number)
    first, second = _family(outer, domain), _family(inner, domain)
    return first is None or second is None or first < second


def _nested(marks: Sequence[Mark], domain: Domain) -> list[int]:
    """For each mark the index of the one it lies in: by level among markdown's headings, by label among others."""
    levels = _effective_levels(marks, domain)
    parents: list[int] = []
    around: list[int] = []
    for index, mark in enumerate(marks):
        keep = 0
        for outer in around:
            if mark.level and marks[outer].level:
                closed = levels[outer] >= levels[index]
            else:
                closed = _closes(mark, marks[outer], domain)
            if closed:
                break
            keep += 1
        del around[keep:]
        parents.append(around[-1] if around else NO_PARENT)
        around.append(index)
    return parents


def _closes(mark: Mark, outer: Mark, domain: Domain) -> bool:
    """Whether a section ends where a mark begins, of which one at least is implied.

    An implied mark lies within a markdown heading unless that is of its own kind.
    """
    if outer.bold or (mark.level and mark.label is None):
        return True
    if outer.level and outer.label != mark.label:
        return False
    return bool(outer.label and mark.label) and not _contains(outer, mark, domain)


def _effective_levels(marks: Sequence[Mark], domain: Domain) -> list[tuple[int, int, int]]:
    """A level for each markdown heading: its own or, where those of different labels get mixed up, one by the labels' order."""
    levels_of: dict[tuple[int, int], set[int]] = {}
    clashes: set[tuple[tuple[int, int], tuple[int, int]]] = (
        set()
    )  # an outer kind ends with an inner, or lies in it
    around: list[tuple[int, tuple[int, int]]] = []
    for mark in marks:
        family = _family(mark, domain)
        while mark.level and around and around[-1][0] >= mark.level:
            closed = around.pop()[1]
            if family is not None and closed < (family, len(mark.number)):
                clashes.add((closed, (family, len(mark.number))))
        if mark.level and family is not None:
            own = (family, len(mark.number))
            levels_of.setdefault(own, set()).add(mark.level)
            clashes |= {(own, holder) for _, holder in around if own < holder}
            around.append((mark.level, own))
    confused = {
        kind
        for outer, inner in clashes
        if min(levels_of[inner]) <= max(levels_of[outer])
        and max(levels_of[inner]) >= min(levels_of[outer])
        for kind in (outer, inner)
    }
    base = min((min(levels_of[kind]) for kind in confused), default=0)
    deepest = max((max(levels_of[kind]) for kind in confused), default=0)
    confused |= {
        kind for kind, held in levels_of.items() if base <= max(held) and min(held) <= deepest
    }
    found = []
    for mark in marks:
        family = _family(mark, domain)
        kind = (family, len(mark.number)) if family is not None else None
        if kind in confused:
            found.append((base, kind[0], kind[1]) if kind else (base, 0, 0))
        elif confused and mark.level == base:
            found.append((base, 99, 0))
        else:
            found.append((mark.level, 0, 0))
    return found


def _with_items(
    text: str,
    marks: list[Mark],
    parents: list[int],
    domain: Domain,
    hidden: Hidden,
    depth: int | None,
) -> tuple[list[Mark], list[int]]:
    """The marks and the enumerated subsections between them."""
    places = [mark.body for mark in marks if not mark.level and not mark.bold]
    tokens = find_tokens(text, domain, places, hidden)
    starts = [mark.start for mark in marks]
    tokens = [
        token
        for token in tokens
        if (place := bisect_right(starts, token.start) - 1) < 0 or token.start >= marks[place].body
    ]
    keyed = [False]
    for index, mark in enumerate(marks):
        keyed.append(bool(mark.key) or (parents[index] >= 0 and keyed[parents[index] + 1]))
    strict = [not one for one in keyed]
    once = [mark.label not in _LEAVES for mark in marks]
    items = nest(text, tokens, domain, starts, strict, [False, *once], depth)
    return _interleaved(marks, parents, items)


def _interleaved(
    marks: Sequence[Mark], parents: Sequence[int], items: Sequence[Item]
) -> tuple[list[Mark], list[int]]:
    starts = [mark.start for mark in marks]
    before = [bisect_right(starts, item.start) for item in items]  # marks before each item
    shifted, place = [], 0
    for index in range(len(marks)):
        while place < len(items) and before[place] <= index:
            place += 1
        shifted.append(index + place)
    all_marks: list[Mark | None] = [None] * (len(marks) + len(items))
    all_parents = [NO_PARENT] * len(all_marks)
    for index, mark in enumerate(marks):
        all_marks[shifted[index]] = mark
        parent = parents[index]
        all_parents[shifted[index]] = shifted[parent] if parent >= 0 else NO_PARENT
    for number, item in enumerate(items):
        own = number + before[number]
        all_marks[own] = Mark(item.start, item.body, item.title, enumerator=item.name)
        if item.parent >= 0:
            all_parents[own] = item.parent + before[item.parent]
        elif before[number]:
            all_parents[own] = shifted[before[number] - 1]
    return [mark for mark in all_marks if mark is not None], all_parents


def _line_begin(text: str, start: int) -> int:
    """Where the line begins, if nothing but indentation and a bullet stands before what begins here."""
    line = max(text.rfind("\n", max(0, start - 100), start) + 1, start - 100, 0)
    if line and text[line - 1] != "\n":
        return start
    return start if text[line:start].strip(" \t\xa0\f\r\ufeff-*+•") else line


def _parents_by_level(marks: Sequence[Mark]) -> list[int]:
    parents: list[int] = []
    around: list[int] = []
    for index, mark in enumerate(marks):
        while around and marks[around[-1]].level >= mark.level:
            around.pop()
        parents.append(around[-1] if around else NO_PARENT)
        around.append(index)
    return parents


_LEAVES = frozenset(("sec", "art", "amend", "rule", "cl", "number", "plain"))
"""Labels of what holds enumerated subsections; in other divisions lists that begin again are lists and no more."""

_PAGE_NUMBER = re.compile(r"[\s.…·_]*[0-9]{1,4}\Z")
