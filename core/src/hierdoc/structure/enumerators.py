"""Enumerated subsections: `(a)`, `(1)`, `(A)`, `(i)`, `1.`, `a)` at the beginning of a paragraph, and what lies in what.

An enumerator goes on with a level that is open where it is the next of its kind, else begins a level where it is the first
of its kind (`(1)`, `(a)`, `(i)`), else goes on with one where a few are left out, as repealed ones are; else it is text. So the
levels are those that the text itself uses, in its own order. `(i)` after `(h)` is a letter, after `(A)` a numeral; where
both are possible, what follows decides: `(ii)` or `(j)`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from hierdoc.structure.domains import Domain
from hierdoc.structure.tokens import Token, heading_end, shape_of


@dataclass(slots=True)
class Item:
    """An enumerated subsection.

    Attributes:
        start: Where its enumerator begins.
        body: Where its text begins, behind a heading if it has one.
        title: The enumerator as written, and the heading.
        name: The enumerator as a part of a key: `a`, `1`, `iv`.
        parent: The index of the item that it lies in; -1 for none.
    """

    start: int
    body: int
    title: str
    name: str
    parent: int = -1


def nest(
    text: str,
    tokens: Sequence[Token],
    domain: Domain,
    bounds: Sequence[int],
    strict: Sequence[bool],
    once: Sequence[bool],
    depth: int | None,
) -> list[Item]:
    """The items that tokens make, in order.

    Args:
        text: The document.
        tokens: In order.
        domain: Says which kinds there are, and how they usually lie in each other.
        bounds: Where sections begin that hold items of their own, in order; what lies before the first is one too.
        strict: For the part before the first bound and each after: whether it belongs to no numbered section. Only lists in
            parentheses of two items at least count there.
        once: For each part whether items count only if none of their numbers comes twice.
        depth: How many levels of items to keep; None for all.
    """
    items: list[Item] = []
    first = 0
    while first < len(tokens):
        part = bisect_right(bounds, tokens[first].start)
        end = bounds[part] if part < len(bounds) else len(text)
        last = first
        while last < len(tokens) and tokens[last].start < end:
            last += 1
        run = _Run(text, tokens[first:last], domain)
        kept = run.items(loose=not strict[part], depth=depth)
        if once[part] and run.begun_anew:
            kept = []
        offset = len(items)
        for item in kept:
            if item.parent >= 0:
                item.parent += offset
        items += kept
        first = last
    return items


_Style = tuple[str, str]
"""A shape, `(`, `.` or `)`, and a kind of number: `1`, `a`, `A`, `i`, `I`, `aa` or `AA`."""
_Value = tuple[int, str]
"""A number, and what follows it in an inserted one: (2, "a") of `(2a)`."""
_FIRST: _Value = (1, "")
_MOST_LEFT_OUT = 3
_ROMAN = re.compile(r"x{0,4}(?:ix|iv|v?i{0,3})\Z")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10}
_DIGITS = re.compile(r"([0-9]{1,4})([a-zA-Z]{0,2})\Z")
_SAME_LETTER = re.compile(r"([a-zA-Z])\1+\Z")


def _style(sample: str) -> _Style:
    return shape_of(sample), sample.strip("().")


@dataclass(slots=True)
class _Level:
    """A level that is open: its style, the number of its last item, and that item's index."""

    style: _Style
    value: _Value
    item: int


class _Run:
    """The enumerators of one section."""

    def __init__(self, text: str, tokens: Sequence[Token], domain: Domain) -> None:
        self.text = text
        self.tokens = tokens
        self.headings = domain.item_headings
        self.order = {_style(sample): rank for rank, sample in enumerate(domain.enumerators)}
        self.begun_anew = False
        self.known: dict[tuple[str, str], list[tuple[_Style, _Value]]] = {}
        self.places: dict[str, list[int]] = {}
        for index, token in enumerate(tokens):
            self.places.setdefault(token.name, []).append(index)

    def items(self, *, loose: bool, depth: int | None) -> list[Item]:
        levels: list[_Level] = []
        items: list[Item] = []
        depths: list[int] = []
        members: list[int] = []  # how many items share a level, by the index of its first
        firsts: list[int] = []
        refused = -1
        for index, token in enumerate(self.tokens):
            if not loose and token.shape != "(":
                continue
            if token.chained and token.start <= refused:
                refused = token.end + 2
                continue
            place = self._place(levels, index)
            if place is None:
                refused = token.end + 2
                continue
            count, style, value, begins = place
            first = len(items) if begins else firsts[levels[count].item]
            del levels[count:]
            levels.append(_Level(style, value, len(items)))
            parent = levels[-2].item if count else -1
            items.append(self._item(token, parent))
            depths.append(count)
            firsts.append(first)
            members.append(0)
            members[first] += 1
        kept = [
            (depth is None or depths[index] < depth)
            and (loose or members[self._outermost(items, firsts, index)] > 1)
            for index in range(len(items))
        ]
        renamed: dict[int, int] = {-1: -1}
        result: list[Item] = []
        for index, item in enumerate(items):
            if kept[index]:
                renamed[index] = len(result)
                item.parent = renamed[item.parent]
                result.append(item)
        return result

    def _outermost(self, items: Sequence[Item], firsts: Sequence[int], index: int) -> int:
        while items[index].parent >= 0:
            index = items[index].parent
        return firsts[index]

    def _item(self, token: Token, parent: int) -> Item:
        text = self.text
        body = heading_end(text, token.end) if self.headings and token.shape == "(" else token.end
        title = text[token.start : body].replace("*", "").replace("\\", "")
        if body > token.end:
            title = " ".join(title.split()).rstrip(" —–-")
        return Item(token.start, body, title, token.name.lower(), parent)

    def _place(
        self, levels: Sequence[_Level], index: int
    ) -> tuple[int, _Style, _Value, bool] | None:
        """The depth of an enumerator, its style and number, and whether it begins a level; None for text."""
        token = self.tokens[index]
        readings = self._readings(token)
        next_of = None
        if not token.chained:
            next_of = self._successor(levels, readings)
        opening = self._opening(levels, readings)
        if next_of and opening and self._prefers_opening(levels, next_of, opening, index):
            next_of = None
        if next_of or opening:
            return next_of or opening
        if token.chained:
            return None
        for depth in reversed(range(len(levels))):
            level = levels[depth]
            for style, value in readings:
                if style == level.style and 0 < value[0] - level.value[0] <= _MOST_LEFT_OUT:
                    return depth, style, value, False
        for depth, level in enumerate(levels):  # the level begins anew
            for style, value in readings:
                if style == level.style and value == _FIRST:
                    self.begun_anew = True
                    return depth, style, value, True
        return None

    def _successor(
        self, levels: Sequence[_Level], readings: Sequence[tuple[_Style, _Value]]
    ) -> tuple[int, _Style, _Value, bool] | None:
        for depth in reversed(range(len(levels))):
            level = levels[depth]
            for style, value in readings:
                if style == level.style and _follows(level.value, value):
                    return depth, style, value, False
        return None

    def _opening(
        self, levels: Sequence[_Level], readings: Sequence[tuple[_Style, _Value]]
    ) -> tuple[int, _Style, _Value, bool] | None:
        new = [one for one in readings if one[1] == _FIRST]
        if new and levels:
            taken = [level.style for level in levels]
            new = [one for one in new if one[0] not in taken]
        if not new:
            return None
        style, value = min(new, key=lambda one: self.order[one[0]]) if not levels else new[-1]
        return len(levels), style, value, True

    def _prefers_opening(
        self,
        levels: Sequence[_Level],
        next_of: tuple[int, _Style, _Value, bool],
        opening: tuple[int, _Style, _Value, bool],
        index: int,
    ) -> bool:
        """Whether an enumerator that may go on with a level rather begins one, as `(i)` may behind `(h)`."""
        name = self.tokens[index].name
        following = "i" * 2 if name.islower() else "I" * 2
        letter = chr(ord(name[0]) + 1)
        after = {one: self._next(one, index) for one in (following, letter, name)}
        nearest = min(after, key=lambda one: after[one])
        if after[nearest] < len(self.tokens):
            return nearest == following
        if next_of[0] == len(levels) - 1:
            return False
        innermost = levels[-1].style
        return self.order.get(opening[1], 0) - self.order.get(innermost, 0) == 1

    def _next(self, name: str, index: int) -> int:
        places = self.places.get(name, [])
        place = bisect_right(places, index)
        return places[place] if place < len(places) else len(self.tokens)

    def _readings(self, token: Token) -> list[tuple[_Style, _Value]]:
        """What an enumerator may be, letters before numerals; worked out once for all of one name and shape."""
        written = token.shape, token.name
        found = self.known.get(written)
        if found is None:
            found = self.known[written] = self._read(*written)
        return found

    def _read(self, shape: str, name: str) -> list[tuple[_Style, _Value]]:
        found: list[tuple[_Style, _Value]] = []
        digits = _DIGITS.match(name)
        if digits:
            found.append(((shape, "1"), (int(digits[1]), digits[2].lower())))
        else:
            lower, upper = name.lower(), name.isupper()
            letter, numeral, double = ("A", "I", "AA") if upper else ("a", "i", "aa")
            if len(name) == 1:
                found.append(((shape, letter), (ord(lower) - 96, "")))
            elif len(name) == 2:
                if _SAME_LETTER.match(name):
                    found.append(((shape, double), (ord(lower[0]) - 96, "")))
                    found.append(((shape, letter), (26 + ord(lower[0]) - 96, "")))
                found.append(((shape, letter), (ord(lower[0]) - 96, lower[1])))
            elif _SAME_LETTER.match(name):
                found.append(((shape, letter), (26 * (len(name) - 1) + ord(lower[0]) - 96, "")))
            if _ROMAN.match(lower) and len(lower) <= 6:
                found.append(((shape, numeral), (_roman(lower), "")))
        return [one for one in found if one[0] in self.order]


def _follows(last: _Value, value: _Value) -> bool:
    """Whether a number is the next one: `(b)` or `(aa)` after `(a)`."""
    if value[1]:
        return value[0] == last[0] and value[1] > last[1]
    return value[0] == last[0] + 1


def _roman(numeral: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in numeral]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
