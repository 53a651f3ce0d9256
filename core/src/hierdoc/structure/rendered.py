"""The numbers that lists have when they are shown: markdown counts items that are all written `1.`, and Pandoc those written `#.`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hierdoc.citations.grammar import numeral


@dataclass(frozen=True, slots=True)
class Token:
    """What may be an enumerator.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        shape: What stands around its number.
        name: Its number, as it is written or counted.
        chained: Whether it stands right behind another or a heading, and so in no column.
        column: How far in it stands, from 0; -1 for a chained one.
        counted: Whether its number is counted, not written.
    """

    start: int
    end: int
    shape: str
    name: str
    chained: bool = False
    column: int = -1
    counted: bool = False


def rendered(text: str, tokens: Sequence[Token]) -> list[Token]:
    """The tokens of one section, with numbers in place of `1.` and `#.` where lists repeat them.

    Args:
        text: That of the tokens.
        tokens: In order.
    """
    named = list(tokens)
    repeated = [one.name in (_FIRST, ANY) and one.shape in _SHAPES for one in tokens]
    if sum(repeated) < 2 and not any(one.name == ANY for one in tokens):
        return named
    for items in _lists(text, tokens):
        first = tokens[items[0]]
        again = [tokens[place].name for place in items[1:]]
        if all(name == _FIRST for name in (first.name, *again)):
            again = [ANY] * len(again)
        for count, (place, name) in enumerate(zip(items, ["", *again], strict=True)):
            if name == ANY or (not count and first.name == ANY):
                name = _counted(first.name, count)
                named[place] = replace(tokens[place], name=name, counted=True)
    return named


def is_over(text: str, end: int, start: int, column: int) -> bool:
    """Whether a paragraph between two items lies in none of them.

    Args:
        text: That of the items.
        end: Where the enumerator of the first ends.
        start: Where that of the second begins.
        column: How far in the first stands.
    """
    return any(
        found.end() <= start and len(found[1].expandtabs(4)) <= column
        for found in _BREAK.finditer(text, end, start + 1)
    )


ANY = "#"
"""The name of an enumerator that is only counted."""

_FIRST = "1"
_SHAPES = (".", ")")
_BREAK = re.compile(r"\n[ \t]*\n([ \t]*)\S")


def _lists(text: str, tokens: Sequence[Token]) -> list[list[int]]:
    """The lists of a section, each the indices of its items: those in one column, with nothing but what lies in them between."""
    lists: list[list[int]] = []
    around: list[list[int]] = []
    for place, one in enumerate(tokens):
        if one.column < 0:
            continue
        while around and tokens[around[-1][0]].column > one.column + 1:
            around.pop()
        last = tokens[around[-1][-1]] if around else None
        if last and last.shape == one.shape and last.column >= one.column - 1:
            if not is_over(text, last.end, one.start, last.column):
                around[-1].append(place)
                continue
            around.pop()
        around.append([place])
        lists.append(around[-1])
    return lists


def _counted(first: str, count: int) -> str:
    """The number of an item so far behind the first of a list."""
    if first.isdigit():
        return str(int(first) + count)
    if first in ("i", "I"):
        written = numeral(count + 1)
        return written.upper() if first.isupper() else written
    if len(first) == 1 and first.isalpha():
        return chr(ord(first) + count)
    return str(count + 1)
