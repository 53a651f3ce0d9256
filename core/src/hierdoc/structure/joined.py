"""Text whose lines were joined: pages or whole chapters on one line, as scraped contracts and filings often have them.

    … belong to NCM.     Section 11.3 Non-Competition.     (a) During the term … arising hereunder. 5.5. Approved Supplier. It is …

Where a paragraph began can still be seen: by a wide gap, by a number that stands between two sentences, or by one that goes on with
those before it. `unjoined` puts line ends in place of spaces there, so that every offset into one text is one into the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hierdoc.structure.lines import labelled_by


def unjoined(text: str) -> str:
    """The text with a line end where a paragraph seems to begin within a long line; of the same length, and often the same.

    Only text that stands in long lines for the most part, and has no headings of markdown, is changed. What begins a line then is
    still judged like any other line: numbers must go on, sentences that begin with a citation are not headings.
    """
    if not _is_joined(text):
        return text
    pieces: list[str] = []
    behind = 0
    for start, end, is_apart in _breaks(text):
        pieces.append(text[behind:start])
        pieces.append(("\n\n" if is_apart and end - start > 1 else "\n").ljust(end - start))
        behind = end
    pieces.append(text[behind:])
    return _CAPITALS.sub(r"\1\n", "".join(pieces))


def _is_joined(text: str) -> bool:
    """Whether half of a text stands in long lines."""
    if len(text) < _LONG_LINE or _HEADING.match(text) or _OTHER_HEADING.search(text):
        return False
    long = behind = 0
    while behind < len(text):
        last = text.rfind("\n", behind, behind + _LONG_LINE)
        if last >= 0:  # all lines up to there are short
            behind = last + 1
            continue
        end = text.find("\n", behind + _LONG_LINE)
        end = len(text) if end < 0 else end
        if end - behind >= _LONG_LINE:
            long += end - behind
        behind = end + 1
    return 2 * long >= len(text)


def _breaks(text: str) -> Iterator[tuple[int, int, bool]]:
    """The spaces in place of which paragraphs begin, and whether an empty line stood there."""
    counted: dict[str, set[tuple[int, ...]]] = {}
    behind = 0  # where the paragraph begins that has been reached
    for found in _GAP.finditer(text):
        start, end = found.span()
        number = found["number"] or found["label"]
        parts = tuple(int(part) for part in _DIGITS.findall(number or ""))
        before = counted.setdefault((found["word"] or "").lower(), set())
        begins_line = not start or text[start - 1] == "\n"
        is_narrow = end - start <= _NARROW and not begins_line
        if is_narrow and not (found["first"] and _is_title(text, behind, start)):
            is_next = bool(parts) and _goes_on(parts, before)
            is_bare = len(parts) > 1 and parts in counted.get("", ())
            if found["label"] and parts and (is_bare or not is_next):
                continue  # a sentence that begins with a citation
            if not _is_over(text, start, is_item=bool(found["item"])) and (
                len(parts) < 2
                or not is_next
                or _LEADS_ON.search(text, max(0, start - _LONGEST_LEAD), start)
            ):
                continue
            if end - start == 1 and text[start - 1] not in _CLEAR_ENDS:
                start -= 1  # the letter before gives way, or nothing would show that a paragraph ends there
        if not begins_line:
            yield start, end, bool(number or found["item"])
        behind = end
        if parts:
            before.add(parts)


def _is_title(text: str, behind: int, end: int) -> bool:
    """Whether a numbered title and no more stands between the beginning of a paragraph, or of a line, and a place."""
    line = text.rfind("\n", max(behind, end - _LONGEST_TITLE), end)
    if line < 0 and end - behind > _LONGEST_TITLE:
        return False
    return _TITLE.fullmatch(text, max(behind, line + 1), end) is not None


def _is_over(text: str, place: int, *, is_item: bool) -> bool:
    """Whether a sentence ends before a place, or a clause does before an enumerator; the number of a page may stand between."""
    before = text[max(0, place - _LONGEST_LEAD) : place].rstrip()
    if page := _PAGE_NUMBER.search(before):
        before = before[: page.start()]
    if not before:
        return True
    if is_item:
        return before[-1] in ".;:*" or _JOINED_BY.search(before) is not None
    return before[-1] in _SENTENCE_ENDS and not _INITIAL.search(before)


def _goes_on(parts: tuple[int, ...], counted: set[tuple[int, ...]]) -> bool:
    """Whether a number comes soon after one before it, or is the first below one or of all."""
    *stem, last = parts
    if parts in counted:
        return False
    if last <= 1:
        return not stem or tuple(stem) in counted or len(stem) == 1
    return any((*stem, last - step) in counted for step in range(1, _MOST_LEFT_OUT + 2))


_LONG_LINE = 1_000
_MOST_LEFT_OUT = 2
_NARROW = 2
"""Spaces between two sentences at most."""

_LONGEST_LEAD = 24
_LONGEST_TITLE = 200
_HEADING = re.compile(r"#{1,6}[ \t]")
_OTHER_HEADING = re.compile(r"\n#{1,6}[ \t]")
_DIGITS = re.compile(r"[0-9]+")
_INITIAL = re.compile(
    r"(?<![A-Za-z])(?<!Exhibit )(?<!Schedule )(?<!Appendix )(?<!Annex )(?<!Attachment )(?<!Part )[A-Z]\.\Z"
)
_CLEAR_ENDS = frozenset(".;:!?")
_SENTENCE_ENDS = frozenset('.;:)"”’]*_-?!')
_PAGE_NUMBER = re.compile(r"(?:(?<=[.;:)*\"”\]])|(?=[ ](?:Page|-)))[ ](?:Page[ ])?-?[0-9]{1,3}-?\Z")
_JOINED_BY = re.compile(r"[;,][ ](?:and|or|and/or)\Z")
_LEADS_ON = re.compile(
    r"(?:\b(?:[Ss]ections?|[Ss]ec\.|[Aa]rticles?|[Pp]aragraphs?|[Cc]lauses?|[Ss]chedules?|[Ee]xhibits?|[Rr]ules?|Tables?|Figures?|Phase"
    r"|[Vv]ersion|Release|No\.|USD|EUR|GBP|CHF|is|are|was|were|of|in|to|and|or|by|at|than|least|most|through|from|with|under|see|per"
    r"|about|over|approximately)|[,(§$€£0-9])\Z"
)
"""What a number goes on with that begins no paragraph."""

_BEHIND_NUMBER = r"(?=[ \xa0]+[\"“(]?[A-Z(*])"
_GAP = re.compile(
    r"(?:(?m:^)[ \xa0]*|(?<![ \xa0])[ \xa0]+)(?![ \xa0])(?=[A-Z0-9(*]|(?<=[ ]{3}))(?=(?P<first>(?:(?:Section|SECTION)[ ])?[0-9]{1,2}\.0?[01]\b|\((?:a|i|1|A)\))?)(?="
    rf"(?P<number>[0-9]{{1,2}}(?:(?:\.[0-9]{{1,2}}){{1,5}}\.?|\.)){_BEHIND_NUMBER}"
    rf"|(?P<label>(?=(?P<word>[^\W\d_]*)){labelled_by()}[.:]?(?=[ \xa0]+[\"“(]?[A-Z]|[ \xa0]{{3}}|[ ]?[—–-]))"
    r"|(?P<item>\((?:[ivxl]{1,7}|[a-z]{1,2}|[A-Z]{1,2}|[0-9]{1,2})\)(?=[ \xa0]))"
    r"|(?<=[ ]{3})\S)"
)
"""What stands before a number, a label with its number or an enumerator: spaces or the beginning of a line; wide gaps before whatever follows."""

_TITLE = re.compile(
    r"[ ]*(?:[0-9]{1,2}(?:\.[0-9]{1,2}){0,4}\.?|(?:ARTICLE|Article|SECTION|Section)[ ](?:[0-9]{1,2}|[IVXL]{1,6})[.:]?)[ ]{1,4}"
    r"(?:(?:[A-Z\"“][\w'’&/,;”\"-]*|and|of|for|the|to|in|or|with|by|on|;|&|-)[ ]){0,11}[A-Z][\w'’&/,-]*"
)
"""`1. DEFINITIONS`: the title of a section ends where its first subsection or paragraph begins."""

_CAPITALS = re.compile(
    r"(?m)(^[ ]*(?:[0-9]{1,2}(?:\.[0-9]{1,2}){0,4}\.?|(?:ARTICLE|SECTION)[ ](?:[0-9]{1,2}|[IVXL]{1,6})[.:]?)"
    r"[ ]{1,4}(?:[A-Z&][A-Z'’&,/;-]*[ ]){0,11}[A-Z]{3,}[:.]?)[ ](?=[\"“]?[A-Z](?:[a-z]|[ ][a-z]))"
)
"""`3. RISK OF LOSS Supplier shall ship …`: a title in capitals ends where a sentence begins."""
