"""Headings numbered as in an outline: `III. RECOMMENDATIONS`, below it `A. General`, below that `1. Labels`.

Such a letter or number alone says nothing; where it stands among the others does. They are read in order, each as the next of its
kind, in documents that have two Roman numerals and more. `Section III.A.1` cites `sec_3_a_1`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hierdoc.citations.vocabulary import roman_value
from hierdoc.structure.implied import LEADERS, Mark, plain_title
from hierdoc.structure.lines import (
    VERB,
    Hidden,
    LinePattern,
    begins_paragraph,
    whole_line,
)


def number_outline(text: str, headings: Sequence[Mark], hidden: Hidden) -> list[Mark]:
    """Give the headings of an outline their keys, and return those that are no markdown.

    Args:
        text: The document.
        headings: Markdown's.
        hidden: What of the text holds no headings.
    """
    candidates = _of_headings(headings)
    if not candidates and not _SECOND.search(text):
        return []
    if sum(mark.level > 0 for _, mark in candidates) < 2:
        candidates = [*candidates, *_of_lines(text, hidden)]
        candidates.sort(key=lambda one: one[1].start)
    numbered = _numbered(candidates)
    if sum(len(number) == 1 for _, number in numbered) < 2:
        return []
    for mark, number in numbered:
        mark.key, mark.label, mark.number = "_".join(("sec", *number)), "number", number
    return [mark for mark, _ in numbered if not mark.level]


def _of_headings(headings: Sequence[Mark]) -> list[tuple[str, Mark]]:
    found = [(one, mark) for mark in headings if (one := _ENUMERATOR.match(mark.title))]
    return [(one[1], mark) for one, mark in found]


def _of_lines(text: str, hidden: Hidden) -> Iterable[tuple[str, Mark]]:
    for line in _LINE.finditer(text):
        start, position = line.start(1), line.end()
        body = whole_line(text, position, item=False)
        title = text[position:body]
        apart = _BLANK_LINE.match(text, body) or title.isupper()
        if body == position or not apart or VERB.search(title) or LEADERS.search(title):
            continue
        if begins_paragraph(text, start, -1) and not hidden.holds(start):
            yield line[2], Mark(start, body, plain_title(text[start:body]))


@dataclass(slots=True)
class _Place:
    """How far the outline has got: the last Roman numeral, letter and number."""

    numeral: int = 0
    letter: int = 0
    number: int = 0


def _numbered(candidates: Iterable[tuple[str, Mark]]) -> list[tuple[Mark, tuple[str, ...]]]:
    """Those that are the next of their kind, with their numbers."""
    found = []
    at = _Place()
    for enumerator, mark in candidates:
        numeral = roman_value(enumerator)
        letter = _LETTERS.find(enumerator) + 1 if len(enumerator) == 1 else 0
        if enumerator.isdigit():
            if not at.numeral or int(enumerator) != at.number + 1:
                continue
            at.number += 1
        elif letter and at.numeral and letter == at.letter + 1 and numeral != at.numeral + 1:
            at.letter, at.number = letter, 0
        elif numeral and numeral in (at.numeral + 1, 1):
            at = _Place(numeral)
        else:
            continue
        parts = [str(at.numeral)]
        if at.letter:
            parts.append(_LETTERS[at.letter - 1].lower())
        if at.number:
            parts.append(str(at.number))
        found.append((mark, tuple(parts)))
    return found


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ENUMERATOR = re.compile(r"([IVX]{1,6}|[A-Z]|[0-9]{1,2})\.[ \t\xa0]+(?=[^\W\d_])")
_LINE = LinePattern(
    r"[ \t\xa0]{0,40}((?:\*\*)?([IVX]{1,6}|[A-Z]|[0-9]{1,2})\.[ \t\xa0]{1,8}(?=[A-Z\"“‘]))"
)
_SECOND = re.compile(r"\n[ \t\xa0]{0,40}(?:\*\*)?II\.[ \t\xa0]{1,8}[A-Z\"“‘]")
_BLANK_LINE = re.compile(r"[ \t\r*]*\n[ \t\r]*\n")
