"""Which candidates are headings: those whose numbers go on as the domain's numberings count, and what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hierdoc.citations import heading_key
from hierdoc.structure.candidates import (
    Candidates,
    HeadingCandidate,
    find_bold,
    find_recitals,
    merged,
)
from hierdoc.structure.domains import CODE, DECIMAL, PLAIN, RESTARTING, Count, Domain, Numbering
from hierdoc.structure.layout import Layout


@dataclass(frozen=True, slots=True)
class Selection:
    """The headings of a text, markdown's and others.

    Attributes:
        layout: Of the text.
        domain: How it is divided; None where it is divided by markdown's headings alone, or by bold ones.
        headings: In order.
    """

    layout: Layout
    domain: Domain | None
    headings: tuple[HeadingCandidate, ...]


def select(candidates: Candidates, domain: Domain | None, *, named: bool = False) -> Selection:
    """The headings among the candidates.

    Args:
        candidates: They.
        domain: How such texts are divided; None where nothing but markdown's headings or bold paragraphs divides this one.
        named: Whether the domain was named, not recognised.
    """
    layout, markdown = candidates.layout, candidates.headings
    if domain is None:
        bold = [] if markdown else find_bold(layout)
        return Selection(layout, None, tuple(bold) if len(bold) > 1 else _told_apart(markdown))
    headings = merged(counted(candidates, domain, named=named), candidates.outline)
    if domain.bold == "always" or named or not markdown:
        headings = merged(headings, find_bold(layout))
    if domain.recitals:
        headings = merged(headings, find_recitals(layout))
    return Selection(layout, domain, _told_apart(_without_contents(layout.text, headings, domain)))


def _told_apart(headings: Sequence[HeadingCandidate]) -> tuple[HeadingCandidate, ...]:
    """The headings; among sections that are called so, `§ 2`, a heading `2.` is no section: its key begins with `no`."""
    called = sum(one.label == "sec" for one in headings)
    alone = [one for one in headings if one.label == "number" and len(one.number) == 1]
    if not alone or called < len(alone):
        return tuple(headings)
    numbers = {one.start for one in alone}
    return tuple(
        [
            replace(one, key=f"no_{one.number[0]}") if one.start in numbers else one
            for one in headings
        ]
    )


def counted(
    candidates: Candidates, domain: Domain, *, named: bool = False
) -> list[HeadingCandidate]:
    """The numbered candidates without lines that are not the next of their numbering, or not of this domain."""
    return _Counting(candidates, domain, named).headings()


def contains(outer: HeadingCandidate, inner: HeadingCandidate, domain: Domain) -> bool:
    """Whether the one lies in the other by what they are called, where both are numbered."""
    if outer.label == inner.label:
        same = outer.number == inner.number[: len(outer.number)]
        return same and len(outer.number) < len(inner.number)
    first, second = family_of(outer, domain), family_of(inner, domain)
    return first is None or second is None or first < second


def family_of(heading: HeadingCandidate, domain: Domain) -> int | None:
    """How far in a heading stands by its label; None for one that says nothing about it."""
    label = "number" if heading.label == "plain" else heading.label
    rank = domain.rank(label)
    return len(domain.divisions) if rank is None and label == "number" else rank


class _Counting:
    """Reads the candidates of one text in order."""

    def __init__(self, candidates: Candidates, domain: Domain, named: bool) -> None:
        self._text = candidates.layout.text
        self._all = _with_appendices(candidates.numbered)
        self._domain = domain
        self._strict = bool(candidates.headings) and not named and not domain.run_in
        self._count = Count()
        self._refused: HeadingCandidate | None = None
        self._first_parts: dict[str, int] = {}  # where the first 3.1 is, by its 3
        for index, one in enumerate(self._all):
            if one.label == "number" and one.number[1:]:
                self._first_parts.setdefault(one.number[0], index)
        plain = dict.fromkeys(_value(one) for one in self._all if one.label == "plain")
        # An excerpt of an act begins with any number, but then goes on with the next.
        self._first_plain = (1, next((value for value in plain if value + 1 in plain), 1))

    def headings(self) -> list[HeadingCandidate]:
        """The candidates that are headings."""
        kept: list[HeadingCandidate] = []
        lonely: list[int] = []  # decimal numbers without parts, of which few are none
        codes: dict[str, list[int]] = {}
        anchored = False
        for index, one in enumerate(self._all):
            if one.label in RESTARTING:
                self._count.restart()
            numbering = self._domain.numbering(one.label)
            if one.level or not _counts(one):
                if not (one.level or self._divides(one)):
                    continue
                if one.level and _counts(one) and DECIMAL in self._domain.numberings:
                    self._count.take(one.number[:-1], _value(one))
                self._refused = None
                kept.append(one)
                continue
            if numbering is None or not self._follows(index, numbering):
                if not one.number[1:]:
                    self._refused = one
                continue
            if numbering is CODE:
                codes.setdefault(one.number[0], []).append(len(kept))
            elif numbering is DECIMAL and not one.number[1:] and not self._has_parts(index):
                lonely.append(len(kept))
            else:
                anchored = anchored or not one.number[1:]
            if numbering is not CODE:
                self._refused = None
            self._count.take(one.number[:-1], _value(one))
            kept.append(replace(one, label=numbering.label))
        dropped = {place for few in codes.values() if len(few) < CODE.fewest for place in few}
        if len(lonely) < _FEWEST_LONELY and not anchored:
            dropped |= set(lonely)
        return [one for place, one in enumerate(kept) if place not in dropped]

    def _divides(self, one: HeadingCandidate) -> bool:
        """Whether lines with this label divide texts of the domain; `A.1` does within an appendix A."""
        if one.label == "number":
            return PLAIN not in self._domain.numberings
        return self._domain.rank(one.label) is not None

    def _follows(self, index: int, numbering: Numbering) -> bool:
        """Whether a line with a number alone is the next of its numbering, and reads like a heading."""
        one = self._all[index]
        stem, value = one.number[:-1], _value(one)
        if numbering is PLAIN:
            return self._count.is_next(stem, value, numbering, self._first_plain)
        if numbering is CODE:
            apart = _BLANK_LINE.match(self._text, one.body)
            return bool(apart) and self._count.is_next(stem, value, numbering, None)
        if not stem:
            if self._has_parts(index):
                return not _is_bare(one) and self._count.is_next(stem, value, _PARTED, None)
            if self._strict or not self._is_headed(index) or self._goes_on_with_list(one):
                return False
        return self._count.is_next(stem, value, numbering)

    def _has_parts(self, index: int) -> bool:
        """Whether `3.1` is the first of its kind that comes behind this `3.`."""
        first = self._first_parts.get(self._all[index].number[0])
        return first is not None and first > index

    def _is_headed(self, index: int) -> bool:
        one, following = self._all[index], self._all[index + 1 : index + 2]
        end = following[0].start if following else len(self._text)
        if _is_bare(one) or not self._text[one.body : end].strip():
            return False
        return self._domain.run_in or _BLANK_LINE.match(self._text, one.body) is not None

    def _goes_on_with_list(self, one: HeadingCandidate) -> bool:
        """Whether the number before it, in the same column, was none of a heading."""
        refused = self._refused
        return (
            refused is not None
            and _value(refused) + 1 == _value(one)
            and _column(self._text, refused) == _column(self._text, one)
        )


def _with_appendices(candidates: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """The candidates, `A.1` only within appendix A."""
    kept: list[HeadingCandidate] = []
    around: HeadingCandidate | None = None
    for one in candidates:
        if one.label in RESTARTING:
            around = one
        if not one.level and one.label == "number" and one.number[0].isalpha():
            if around is not None and around.number == one.number[:1]:
                kept.append(replace(one, key="_".join((around.key or "", *one.number[1:]))))
        else:
            kept.append(one)
    return kept


def _counts(one: HeadingCandidate) -> bool:
    """Whether it begins with a number alone, and that is none of an appendix (`A.1`)."""
    return one.label == "code" or (one.label in DECIMAL.reads and not one.number[0].isalpha())


def _is_bare(one: HeadingCandidate) -> bool:
    """Whether it has no title."""
    return one.title.strip(" .").isdigit()


def _value(one: HeadingCandidate) -> int:
    digits = _DIGITS.match(one.number[-1])
    return int(digits[0]) if digits else 0


def _column(text: str, one: HeadingCandidate) -> int:
    return one.start - text.rfind("\n", 0, one.start)


_PARTED = replace(DECIMAL, skips=None)
"""A number whose parts show that it is a heading, whatever was left out before it."""

_FEWEST_LONELY = 3
_DIGITS = re.compile("[0-9]+")
_BLANK_LINE = re.compile(r"[ \t\r]*\n[ \t\r]*\n")


# Tables of contents


def _without_contents(
    text: str, headings: Sequence[HeadingCandidate], domain: Domain
) -> tuple[HeadingCandidate, ...]:
    """The headings without implied ones of a table of contents: three and more with nothing under them that come again."""
    signs = [_PAGE_NUMBER.sub("", heading_key(one.title)) for one in headings]
    again: list[int | None] = [None] * len(headings)  # where each comes the next time
    places: dict[str, int] = {}
    for index in reversed(range(len(headings))):
        again[index] = places.get(signs[index])
        places[signs[index]] = index
    dropped: set[int] = set()
    first = 0
    while first < len(headings):
        last = first
        while last < len(headings) and _has_nothing_below(text, headings, last):
            last += 1
        repeated = [index for index in range(first, last) if again[index] is not None]
        leaves = sum(
            not contains(headings[index], headings[index + 1], domain)
            for index in range(first, min(last, len(headings) - 1))
        )
        if leaves >= 3 and len(repeated) >= 3:
            begin = repeated[0]
            end = min(again[begin] or last, last)
            inside = [index for index in repeated if index < end]
            dropped.update(range(begin, end) if end < last else range(begin, inside[-1] + 1))
        first = max(last, first + 1)
    return tuple(one for index, one in enumerate(headings) if index not in dropped)


def _has_nothing_below(text: str, headings: Sequence[HeadingCandidate], index: int) -> bool:
    """Whether an implied heading has nothing under it but the next, page numbers aside."""
    one = headings[index]
    if one.level or one.bold or index + 1 == len(headings):
        return False
    between = text[one.body : min(headings[index + 1].start, one.body + 40)]
    return not between.strip(" \t\r\n\xa0.…0123456789")


_PAGE_NUMBER = re.compile(r"[\s.…·_]*[0-9]{1,4}\Z")
