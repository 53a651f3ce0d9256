"""One pass over a text that finds its citations, and the levels that are mentioned without a number above them."""

from __future__ import annotations

import re

from hierdoc.citations.labels import IDENTIFIERS
from hierdoc.citations.reading import Reader
from hierdoc.citations.values import Citation, Mention
from hierdoc.citations.vocabulary import (
    CAPITAL_ORDINALS,
    CAPITALISED,
    SHORT_TAILS,
    TAILS,
    cardinal_value,
)


def scan(text: str) -> tuple[list[Citation], list[Mention]]:
    """The citations and mentions of a text, each in order, none within another."""
    flat = _flattened(text)
    reader = Reader(text, flat)
    first = _FIRST.match(text)
    if first:
        reader.read_ordinal(0, first[1])
    for candidate in _START.finditer(flat):
        number = candidate.start() + 1
        if number <= reader.behind:
            continue
        end = number - 1
        if candidate.lastindex:
            word = text[number : candidate.end()]
            if not cardinal_value(word):
                reader.read_ordinal(number, word)
            elif text[candidate.end() : candidate.end() + 1] != "-":  # no `Part Two-thirds`
                reader.read_cardinal(number, end, word)
            continue
        tail = flat[end - 3 : end]
        if tail in TAILS:
            if tail != "   " or any(mark in text[end - 3 : number] for mark in "§\n"):
                reader.read(number, end)
            continue
        separator = text[end]
        if tail[1:] == "  " and end > 4:
            if "§" in text[end - 2 : number] or f"{flat[end - 4 : end - 2]} " in TAILS:
                reader.read(number, end)
        elif tail[1:] in SHORT_TAILS or end < 4 or separator == "§":
            reader.read(number, end)
        elif separator == "-":
            if text[end - 1].isupper():
                reader.read_identifier(number, end)
        elif separator in "CP":
            reader.read_identifier(number, end + 1)
    return reader.citations, reader.mentions


def _flattened(text: str) -> str:
    """The text with a space for whatever may stand between a label and its number, so that one search finds all."""
    flat = text
    for mark in _SEPARATORS:
        flat = flat.replace(mark, " ")
    for name in _GLUED:
        pieces: list[str] = []
        behind = 0
        place = text.find(name)
        while place >= 0:
            end = place + len(name)
            if text[end : end + 1].isdigit():
                pieces += (flat[behind : end - 1], " ")
                behind = end
            place = text.find(name, end)
        if pieces:
            flat = "".join((*pieces, flat[behind:]))
    return flat


_SEPARATORS = "\n\t\r\xa0\u202f\u2009.-§"
"""What may stand between a label and its number."""

_ORDINAL_ENDINGS = "|".join(
    f"(?<={first})(?:{'|'.join(word[1:].replace('-', ' ') for word in CAPITALISED if word[0] == first)})"
    for first in sorted({word[0] for word in CAPITALISED})
)
_ORDINAL_INITIALS = "".join(sorted({word[0] for word in CAPITALISED}))
_START = re.compile(
    r" [0-9(A-ZÉivx](?:(?<=[0-9])([0-9]{0,2}(?:st|nd|rd|th)\b)?|(?<=[ivx])[ivx]{1,6}\b|(?<=\()(?=[0-9a-zA-Z]{1,5}\))"
    r"|(?<=[A-Z])(?:(?<=[IVXLCDM])[IVXLCDM]{0,8})?(?![A-Za-z])"
    rf"|(?<=[{_ORDINAL_INITIALS}])({_ORDINAL_ENDINGS})\b)"
)
"""What may begin a number. Its literal first character makes the search fast."""

_FIRST = re.compile(rf"({CAPITAL_ORDINALS}|[0-9]{{1,3}}(?:st|nd|rd|th))(?!\w)")
"""An ordinal that a text begins with, which no space precedes."""

_GLUED = tuple(sorted(name.upper() for name in IDENTIFIERS))
"""Labels joined to their number without anything between, `RFC7231`; their last letter is made a space to be found."""
