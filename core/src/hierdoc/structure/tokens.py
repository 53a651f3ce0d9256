"""What may be an enumerator: `(a)`, `1.` or `a)` where a paragraph or line begins, or right behind a heading or another."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from hierdoc.structure.domains import Domain
from hierdoc.structure.lines import (
    Hidden,
    LinePattern,
    begins_paragraph,
    heading_behind,
    line_end,
)


@dataclass(slots=True)
class Token:
    """What may be an enumerator."""

    start: int
    end: int
    shape: str
    name: str
    chained: bool
    first_in_line: bool


def find_tokens(text: str, domain: Domain, places: Collection[int], hidden: Hidden) -> list[Token]:
    """What may be enumerators, in order.

    Args:
        text: The document.
        domain: Says which kinds there are.
        places: Where the text of headings begins: an enumerator may stand there within a line (`Section 5. (a) The …`).
        hidden: What of the text holds none.
    """
    shapes = {shape_of(sample) for sample in domain.enumerators}
    tokens: list[Token] = []
    ends = frozenset(places)
    line_before = -1
    for line in _line_pattern(frozenset(shapes)).finditer(text):
        token = _token(line, 1)
        if hidden.holds(token.start) or not _opens(text, token, line_before, ends):
            continue
        tokens.append(token)
        tokens += _chained(text, token, headings=domain.item_headings)
        line_before = line_end(text, tokens[-1].end)
    for place in places:
        inline = _INLINE.match(text, place)
        if inline and not hidden.holds(place) and "(" in shapes:
            token = _token(inline, 1)
            token.chained = True
            tokens.append(token)
            tokens += _chained(text, token, headings=domain.item_headings)
    tokens.sort(key=lambda token: token.start)
    return [
        token
        for place, token in enumerate(tokens)
        if not place or token.start != tokens[place - 1].start
    ]


def heading_end(text: str, position: int) -> int:
    """Where the heading behind an enumerator ends; `position` for none."""
    start = _after_blank(text, position)
    end = heading_behind(text, start, item=True)
    return end if end > start else position


_CHAIN = re.compile(
    r"(?:\*\*)?[ \xa0]?\(([0-9]{1,4}[a-zA-Z]{0,2}|[a-z]{1,5}|[A-Z]{1,5})\)(?=[ \t\xa0\r\n(*]|\Z)"
)
_INLINE = re.compile(
    r"[ \t\xa0*]{0,4}(?:[—–-][ \t\xa0]?)?(\(([0-9]{1,4}|[a-z]{1,5}|[A-Z]{1,5})\)(?=[ \t\xa0(]))"
)
_NOT_BEHIND = re.compile(
    r"[,;.)]|\s*(?:of|and|or|to|through)\s(?:(?:this|that|the|such|any|each)\s)?"
    r"(?:section|subsection|paragraph|subparagraph|clause|article|title|chapter|act\b|regulation|directive|\()",
    re.IGNORECASE,
)


_BULLETS = frozenset(("- ", "* ", "+ ", "• "))


@cache
def _line_pattern(shapes: frozenset[str]) -> LinePattern:
    forms = []
    if "(" in shapes:
        forms.append(r"\((?:[0-9]{1,4}[a-zA-Z]{0,2}|[a-z]{1,5}|[A-Z]{1,5})\)(?=[ \t\xa0\r\n(*]|\Z)")
    if "." in shapes:
        forms.append(r"[0-9]{1,3}[a-z]{0,2}\\?\.(?=[ \t\xa0\r\n])")
    if ")" in shapes:
        forms.append(r"[a-z]{1,3}\\?\)(?=[ \t\xa0\r\n])")
    return LinePattern(
        rf"[ \t\xa0\f\r]{{0,80}}(?:[-*+•][ \t]{{1,4}})?(?:\*\*|__)?({'|'.join(forms)})"
    )


def _token(match: re.Match[str], group: int) -> Token:
    written = match[group]
    name = written.strip("().\\")
    return Token(match.start(group), match.end(group), shape_of(written), name, False, True)


def _chained(text: str, token: Token, *, headings: bool) -> list[Token]:
    """The enumerators that follow one at once: `(a)(1) The …`."""
    tokens: list[Token] = []
    position = token.end
    behind = heading_end(text, position) if headings else position
    while len(tokens) < 6:
        link = _CHAIN.match(text, position)
        if not link and behind > position:
            link = _INLINE.match(text, behind)
        if not link:
            break
        start = text.index("(", link.start())
        end = text.index(")", start) + 1
        tokens.append(Token(start, end, "(", text[start + 1 : end - 1], True, False))
        position, behind = end, end
    return tokens


def _opens(text: str, token: Token, line_before: int, headings: frozenset[int]) -> bool:
    if _NOT_BEHIND.match(text, token.end):
        return False
    if _end_before(text, token.start) in headings:
        return True
    start = token.start
    if text[start - 2 : start] in _BULLETS:
        start = text.rindex(text[start - 2], 0, start)
    return begins_paragraph(text, start, line_before, item=True)


def _end_before(text: str, position: int) -> int:
    """Where the text before a place ends, without white space, bullets and marks of bold."""
    low = max(0, position - 100)
    return low + len(text[low:position].rstrip(" \t\xa0\r\n*-+•"))


def shape_of(written: str) -> str:
    """What stands around an enumerator's number: `(`, `.` or `)`."""
    return "(" if written[0] == "(" else written[-1]


def _after_blank(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\xa0*":
        position += 1
    return position
