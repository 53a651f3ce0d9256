"""The levels of markdown's headings: the author's, and where these say too little, the labels'.

Formats and their converters end at some level, and write all that lies deeper at that one: `#### Title 2` with nothing under it, and
at once `#### Chapter 1`. Labels decide among the kinds of headings to which that happens, and nowhere else: an author's levels are
never reordered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from hierdoc.citations.vocabulary import roman_value
from hierdoc.structure.candidates import HeadingCandidate
from hierdoc.structure.domains import Domain
from hierdoc.structure.selection import family_of

Level = tuple[int, float, int]
"""The author's level, then how far in the label lies, then how many parts the number has."""

_Kind = tuple[float, int]


def effective_levels(
    text: str, headings: Sequence[HeadingCandidate], domain: Domain
) -> list[Level]:
    """A level for each heading; those of headings that are none of markdown's mean nothing.

    Args:
        text: That of the headings.
        headings: In order.
        domain: Says in which order labels usually lie in each other.
    """
    kinds = _kinds(headings, domain)
    places = _flat_kinds(text, headings, kinds)
    flat = {level for level, _ in places}
    return [
        (one.level, *places.get((one.level, kind), _INNERMOST))
        if one.level in flat
        else (one.level, 0, 0)
        for one, kind in zip(headings, kinds, strict=True)
    ]


def _kinds(headings: Sequence[HeadingCandidate], domain: Domain) -> list[_Kind | None]:
    """For each markdown heading how far in those of its label lie, and how many parts its number has; None without a label.

    Outlines count as labels, further in than all others: `I :`, below it `A :`, `1° :`, `a :`.
    """
    kinds: list[_Kind | None] = []
    signs: dict[_Kind, str] = {}
    for one in headings:
        family = family_of(one, domain) if one.level else None
        kind: _Kind | None = None
        if family is not None:
            kind = family, len(one.number) if one.label == "number" else 1
        elif one.level and (outlined := _OUTLINED.match(one.title)):
            kind = _kind_of_sign(outlined[1] or outlined[2], signs)
            signs[kind] = outlined[1] or outlined[2]
        kinds.append(kind)
    return kinds


def _kind_of_sign(sign: str, before: Mapping[_Kind, str]) -> _Kind:
    """Roman numerals, capitals, numbers, small letters; a letter that is a numeral too goes on with the letters before it."""
    if sign.isdigit():
        return _NUMBERS
    letters = _CAPITALS if sign.isupper() else _LETTERS
    is_next = len(sign) == 1 and before.get(letters) == chr(ord(sign) - 1)
    return _NUMERALS if sign.isupper() and roman_value(sign) and not is_next else letters


def _flat_kinds(
    text: str, headings: Sequence[HeadingCandidate], kinds: Sequence[_Kind | None]
) -> dict[tuple[int, _Kind | None], _Kind]:
    """Levels with the kinds that are mixed up there, and how far in each of these lies.

    A kind lies as far in as its label says, unless it lies in one at an outer level that its label would hold: the first part of
    chapter 2 in title 5. Such a one lies in the kind before it.
    """
    flat: Counter[tuple[int, _Kind, _Kind]] = Counter()
    nested: Counter[tuple[int, _Kind, _Kind]] = Counter()
    before: dict[tuple[int, _Kind], _Kind] = {}
    for level, outer, below, inner in _adjacent(text, headings, kinds):
        if level < below:
            nested[level, outer, inner] += 1
        elif level == below and outer < inner:
            flat[level, outer, inner] += 1
        elif level == below and outer > inner:
            before.setdefault((level, inner), outer)
    places: dict[tuple[int, _Kind | None], _Kind] = {}
    for (level, outer, inner), count in flat.items():
        if count >= nested[level, outer, inner]:
            places |= {(level, outer): outer, (level, inner): inner}
    misplaced = before.keys() & _in_what_they_would_hold(headings, kinds)
    for level, kind in misplaced:
        around = before[level, kind]
        places[level, kind] = places[level, around] = around
        places[level, kind] = around[0] + 0.5, around[1]
    return places


def _adjacent(
    text: str, headings: Sequence[HeadingCandidate], kinds: Sequence[_Kind | None]
) -> Iterator[tuple[int, _Kind, int, _Kind]]:
    """Level and kind of each heading with nothing under it but the next one, and those of that one."""
    for (one, following), (outer, inner) in zip(pairwise(headings), pairwise(kinds), strict=True):
        levels = one.level and following.level
        if levels and outer and inner and not text[one.body : following.start].strip():
            yield one.level, outer, following.level, inner


def _in_what_they_would_hold(
    headings: Sequence[HeadingCandidate], kinds: Sequence[_Kind | None]
) -> set[tuple[int, _Kind]]:
    """Levels and kinds of headings all of which lie, by the author's levels, in a heading that their label would hold."""
    found: dict[tuple[int, _Kind], bool] = {}
    around: list[tuple[int, _Kind]] = []
    for one, kind in zip(headings, kinds, strict=True):
        if not one.level or kind is None:
            continue
        while around and around[-1][0] >= one.level:
            around.pop()
        inside = any(outer > kind for _, outer in around)
        found[one.level, kind] = found.get((one.level, kind), True) and inside
        around.append((one.level, kind))
    return {key for key, inside in found.items() if inside}


_OUTLINED = re.compile(
    r"(?:([IVXLC]{1,6}|[A-Z]|[a-z])(?: (?:bis|ter|quater|quinquies))?|([0-9]{1,3})°)\s?[.:)°–—-](?:\s|\Z)"
)
_NUMERALS, _CAPITALS, _NUMBERS, _LETTERS = (90.0, 0), (91.0, 0), (92.0, 0), (93.0, 0)
_INNERMOST = (99.0, 0)
"""Of a heading without a label among others whose labels decide: it lies in the last of them."""
