"""Where a definition stands: the sentence or item that a defined term begins, and where its text ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from hierdoc.text.language import sentence_ends


@dataclass(frozen=True, slots=True)
class Mention:
    """A term, where the item or sentence that defines it begins, and where its text begins behind the item's marker.

    `verb` is where the text surely goes on to. Where the end of the text is known, `end` says so; it is 0 elsewhere.
    """

    term: str
    item: int
    start: int
    verb: int = 0
    end: int = 0

    def place(self) -> tuple[int, str]:
        """What mentions are ordered by."""
        return self.start, self.term


def beginning_of(text: str, place: int, *, of_item: bool) -> tuple[int, int] | None:
    """Where the sentence that defines the term at `place` begins, with and without its marker.

    None where the term stands in the midst of a sentence or, if that is asked for, of an item.
    """
    low = max(0, place - _LOOK_BACK)
    block = _last_end(_PARAGRAPH_OR_ITEM, text, low, place)
    if block is None and low == 0:
        block = 0
    behind = low
    if block is not None:
        lead = _ITEM_LEAD.match(text, block, place)
        behind = lead.end() if lead else block
        if _SENTENCE_LEAD.match(text[behind:place]):
            return block, behind
    if of_item:
        return None
    clause = _last_end(_CLAUSE, text, behind, place)
    ends = [*sentence_ends(text, behind, place)[-1:], *([] if clause is None else [clause])]
    marked = _MARKED_TERM.search(
        text, max(behind if block is None else block, place - _LONGEST_MARKED), place
    )
    if marked:
        return marked.start(1), marked.end(1)
    if not ends:
        opens = block is not None and _TERM_LEAD.search(text, behind, place)
        return (block, behind) if opens and block is not None else None
    start = max(ends)
    if not _SENTENCE_LEAD.match(text[start:place]) and not _TERM_LEAD.search(text, start, place):
        return None
    line = text.rfind("\n", 0, start) + 1
    return (line if _CATCH_LINE.match(text, line, start) else start), start


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence that holds a span, at most some hundred characters to either side."""
    low, high = max(0, start - _LONGEST_SENTENCE), min(len(text), end + _LONGEST_SENTENCE)
    line = text.rfind("\n", low, start) + 1
    if text.startswith("|", line):  # a row of a table
        low = max(line, text.rfind("|", line, start) + 1)
        high = min(
            place
            for place in (text.find("|", end, high), text.find("\n", end, high), high)
            if place >= 0
        )
    block = _last_end(_PARAGRAPH_OR_ITEM, text, low, start)
    if block is not None:
        lead = _ITEM_LEAD.match(text, block, start)
        low = lead.end() if lead else block
    elif low:
        low = text.find(" ", low, start) + 1 or low
    low = max([low, *sentence_ends(text, low, start)[-1:]])
    blank = BLANK.search(text, end, high)
    high = blank.start() if blank else high
    high = min([high, *sentence_ends(text, end, high)[:1]])
    item = ITEM_LINE.search(text, end, high)
    whole = text[low : item.start() if item else high]
    return low + len(whole) - len(whole.lstrip()), low + len(whole.rstrip())


def definition_end(text: str, mention: Mention, limit: int) -> int:
    """Where the definition ends: with its item or paragraph, and what that goes on with behind a blank line.

    It goes on with paragraphs indented under its item and, after a colon, comma, semicolon or conjunction, with items of
    another kind than its own: the (a), (b), (c) of an item (1).
    """
    own = ITEM_LINE.match(text, mention.item)
    start = mention.start
    position = max(start, mention.verb)
    while True:
        blank = BLANK.search(text, position, limit)
        end = blank.start() if blank else limit
        sibling = _sibling(text, position, end, own)
        if sibling is not None:
            end = sibling
            break
        if not blank:
            break
        following = _TEXT.search(text, blank.end(), limit)
        if not following:
            break
        position = text.rfind("\n", 0, following.start()) + 1
        if not _goes_on(text, start, end, position, own):
            break
    whole = text[start:end].rstrip()
    lone = _LONE_MARKER.search(whole, max(0, len(whole) - 20))
    return start + len(whole[: lone.start()].rstrip() if lone else whole)


def _sibling(text: str, low: int, high: int, own: re.Match[str] | None) -> int | None:
    """Where the next item of the same kind begins."""
    if own is None:
        return None
    for item in ITEM_LINE.finditer(text, low, high):
        if _EXCEPTION.match(text, item.end()):
            continue
        if (
            marker_kind(item[2]) == marker_kind(own[2])
            and len(item[1]) <= len(own[1])
            and item.start() > low
        ):
            return item.start()
    return None


def _goes_on(text: str, start: int, end: int, following: int, own: re.Match[str] | None) -> bool:
    if _LONE_MARKER.search(text[max(start, end - 20) : end].rstrip()):
        return True
    item = ITEM_LINE.match(text, following)
    if own and text.startswith(own[1] + "  ", following):
        return True
    if _EXCEPTION.match(text, item.end() if item else following):
        return True
    if item is None and _is_cut_off(text, start, end, following):
        return True
    if item is None or (own and marker_kind(item[2]) == marker_kind(own[2])):
        return False
    return _GOES_ON.search(text[max(start, end - 12) : end].rstrip()) is not None


def _is_cut_off(text: str, start: int, end: int, following: int) -> bool:
    """Whether a sentence goes on behind a blank line, as where a page ends: nothing closes it, and no heading follows."""
    if _ENDS.search(text[max(start, end - 8) : end].rstrip()):
        return False
    begins = text[following : following + 1]
    line = end - max(start, text.rfind("\n", start, end))
    return (line >= _FULL_LINE // 2 and begins.islower()) or (
        line >= _FULL_LINE and (begins.isalnum() or begins in "'‘“\"(")
    )


def marker_kind(marker: str) -> str:
    """What markers of one list have in common."""
    return re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"[0-9]+", "1", marker)))


def places_of(text: str, piece: str) -> Iterator[int]:
    """Where a piece of text stands: many times as fast as a regular expression."""
    place = text.find(piece)
    while place >= 0:
        yield place
        place = text.find(piece, place + 1)


def places_of_any(text: str, pieces: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Where any of several pieces of text stands, and which: those that begin alike are looked for together."""
    for beginning, group in _by_beginning(pieces):
        for place in places_of(text, beginning):
            for piece in group:
                if text.startswith(piece, place):
                    yield place, piece


@cache
def _by_beginning(pieces: tuple[str, ...]) -> list[tuple[str, list[str]]]:
    """Pieces of text by what they begin with: one search of a text then finds several."""
    groups = [list(group) for _, group in groupby(sorted(pieces), lambda one: one[:_BEGINNING])]
    return [(group[0] if len(group) == 1 else group[0][:_BEGINNING], group) for group in groups]


def _last_end(pattern: re.Pattern[str], text: str, low: int, high: int) -> int | None:
    """Where the last match of a pattern between two places ends."""
    end = None
    for match in pattern.finditer(text, low, high):
        end = match.end()
    return end


def languages_in(text: str) -> frozenset[str]:
    """The languages whose forms to look for: of a long text those that its beginning or middle shows a word of."""
    middle = len(text) // 2
    sample = text[:_SAMPLE] + text[middle : middle + _SAMPLE]
    short = len(text) <= 2 * _SAMPLE
    return frozenset(one for one, sign in _SIGNS.items() if short or sign in sample)


def cleaned(term: str) -> str:
    """The term without quotes, markup and punctuation around it, on one line."""
    return " ".join(term.split()).strip(" *_`\"“”„«»'‘’‚,.;:")


TERM_WORDS = (
    "terms?|words?|expressions?|phrases?|begriffe?|ausdruck|ausdrücke|wort|termes?|mots?|qualificatif|vocable|notion|dénomination|términos?|termine|termini|termos?"
    "|begrepet|begreppet|begrebet|termen|uitdrukking|termului"
)
CLAUSES = "in|for|as|when|im|für|nach|pour|aux fins|au sens|dans|a efectos|a los efectos|ai fini|ai sensi|para|aos efeitos|i|vid|ved|voor"
"""How a clause begins that may stand before a defined term: `For the purposes of this Act, …`."""

LEADING_ARTICLE = re.compile(
    r"\A(?:the|an?|der|die|das|eine?|le|la|les|une?|el|los|las|una)\s|\Al[’']", re.IGNORECASE
)

MARKER = r"(?:[-*+•–]|\(?[0-9]{1,4}[a-z]?(?:[.)]|[ \xa0]?[°º])|[0-9]{1,3}(?:\.[0-9]{1,3}){1,5}\.?|\(?[a-zA-Z]{1,5}\)|[a-zA-Z]\.|[IVX]{2,5}\.|[IVX0-9]{1,5} [-–])"
"""What stands before a list item."""

_LOOK_BACK = 240
"""Characters before a term within which its sentence begins."""

_LONGEST_SENTENCE = 1_000

_PARAGRAPH_OR_ITEM = re.compile(
    rf"\n[ \t\r]*\n|\n(?=[ \t>|]*{MARKER}[ \t\n])|(?m:^) {{0,3}}#{{1,6}}[ \t][^\n]*\n"
)
_CLAUSE = re.compile(r"[:;][\"”’»)*_]{0,3}\s+|[—–]\s*|,\s(?:and|und|et|y|e)\s\Z")
_ITEM_LEAD = re.compile(rf"[ \t>|\n\r]*(?:(?:\*\*)?{MARKER}(?:\*\*)?(?:[ \t]+|[ \t\r]*\n[ \t]*))*")
_MARKED_TERM = re.compile(
    r"(?<=\s)((?:\([a-z0-9]{1,4}\)|[0-9]{1,3}(?:\.[0-9]{1,3}){1,4}\.?|[A-Z0-9]{1,2}[.)]|[a-z]\))\s{1,4})(?:[A-Z][\w'’()-]{0,30}\s){0,6}(?:[Tt]he\sterms?\s)?[*_]{0,3}\Z"
)
_LONGEST_MARKED = 120
_NUMBERED = r"(?:(?:[0-9]{1,3}(?:\.[0-9]{1,3}){1,4}\.?\s{1,4}(?:[A-Z][\w'’-]{0,30}\s){0,6}|\([a-z0-9]{1,4}\)\s{1,4}|[0-9]{1,3}\.\s{1,4}))?"
"""The number of a clause, and its heading, where lines are no longer told apart: `… ends. 1.2 Fee "Fee" means`."""

_SENTENCE_LEAD = re.compile(
    rf"{_NUMBERED}(?:(?:{CLAUSES})\b(?:[^.;:\"“”]|(?<=[0-9])\.(?=[0-9])){{0,140}},\s+)?(?:(?:the|an?|der|die|das|eine?|le|la|une?|el|una|il|uno)\s+|l['’])?(?:(?:{TERM_WORDS})\s+)?[*_]{{0,3}}\Z",
    re.IGNORECASE,
)
_TERM_LEAD = re.compile(
    rf"\b(?:(?:the|der|die|das|le|la|el|il)\s+|l['’])(?:{TERM_WORDS})\s+[*_]{{0,3}}\Z",
    re.IGNORECASE,
)
_CATCH_LINE = re.compile(rf"[ \t]*{MARKER}[ \t][^\n]{{0,120}}—\Z")

BLANK = re.compile(r"\n[ \t\r]*(?:\n|\Z)")
ITEM_LINE = re.compile(rf"(?m)^([ \t]*)({MARKER})(?=[ \t\r\n]|\Z)")
_TEXT = re.compile(r"\S")
_GOES_ON = re.compile(
    r"(?:[:;,—–]|\b(?:or|and|oder|und|ou|et|ist|sind|gelten|gilt|nicht|auch|ferner|est|sont))[*_]{0,2}\Z"
)
_LONE_MARKER = re.compile(rf"\n[ \t]*{MARKER}[ \t]*\Z")

_EXCEPTION = re.compile(
    r"\s*(?:[A-Z][A-Za-z ]{2,40}\.(?:—|–|--?)\s*)?(?:(?:The|Such|This|That|These)\s(?:terms?|expression|definition|word|phrase)(?:\s[\"“‘'][^\"”’'\n]{1,80}[\"”’']{1,2})?|It)\s"
    r"(?:does|do|shall|also|may|is|will)\s(?:not\s|also\s)?(?:be\s)?(?:includes?|extends?|appl(?:y|ies)|limited)\b"
    r"|\s*(?:EXCEPTIONS?|EXCLUSIONS?|INCLUSIONS?|SPECIAL RULES?|LIMITATIONS?)\.?(?:—|–|--?)",
)
"""What belongs to the definition before it: `The term does not include …`."""

_ENDS = re.compile(r"[.;:!?”\"»’…—–|][)\]*_]{0,3}\Z")
_FULL_LINE = 60
"""Characters of a line that ends because it is full."""

VERBS = (
    "means|mean|shall means?|will mean|is agreed to mean|are agreed to mean|shall have the|has the(?: same)? meaning|have the(?: same)? meanings?|is defined|are defined"
    "|shall be construed|refers? to|denotes?|bezeichnet|bezeichnen|bedeutet|bedeuten|désigne|désignent|s['’]entend(?:ent)?|signifie"
    "|significa|designa|se refiere a|se entiende|se entenderá|si intende|indica|entende-se|betyder|avses|forstås|wordt verstaan|betekent|tarkoittaa"
    "|tarkoitetaan|înseamnă|означает"
)
WEAK_VERBS = "includes?|shall include|umfasst|umfassen"
"""Verbs that define only where the term opens a paragraph or item."""

ASIDE = (
    r"[*_]{0,2}(?:\s{0,2}\([^()\n]{1,80}\))?"
    r"(?:\sand\s(?:its\s)?(?:cognates|(?:comparable|correlative|similar)\s\w+|(?:words|terms)\sof\s(?:like|similar)\simport|variations)(?:\sthereof)?)?"
    r"(?:,[^.;:\"“”‘’\n]{1,120},|,|\s(?:of|in|for|as\sused\sin|des|der|von)\s[^.,;:\"“”‘’\n]{1,60}?)?\s{1,3}"
)
"""What may stand between a term and its verb: `, in relation to a bank,`."""
VERB = re.compile(rf"{ASIDE}(?:(?:{VERBS})|({WEAK_VERBS}))\b", re.IGNORECASE)
VERB_IN_ITEM = re.compile(
    r"(?:,[^.;:\n]{1,120},)?\s?—\s{0,4}(?:[>“‘\"]\s?){0,4}\((?:1|i|I|a|A)\)\s{1,3}(?:means?|includes?)\b"
)
"""The verb of a term whose definition is a list: `the term “seat”— (1) means …`."""

_BEGINNING = 5
"""Characters that are alike of pieces which are looked for together."""

_SAMPLE = 4_000
_SIGNS = {
    "de": " der ", "fr": " les ", "es": " los ", "en": " the ", "it": " della ", "pt": " dos ", "nl": " het ", "pl": " się ",
    "sv": " och ", "da": " og ", "no": " og ",
}  # fmt: skip
"""A common word of each language, by which a text is seen to have some of it."""
