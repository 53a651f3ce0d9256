"""Defined terms: where a document says what its words mean, and where that text ends.

Anywhere in a document a term in quotes or bold counts where a sentence or list item begins with it and a defining verb
follows (`‘personal data’ means …`, `The term "child" means …`, `„Daten“ bezeichnet …`), a name in parentheses behind what it
stands for (`Acme Corporation (the "Company")`, `(im Folgenden „Verkäufer“)`), and tables of terms. In sections that are headed
as definitions, interpretation or a glossary also what their items begin with: `- **epoch**: …`, `„Daten“ alle …`,
`Business Day means …`, definition lists.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain

from hierdoc.models import Definition, Section
from hierdoc.structure.glossaries import glossary_spans, glossed, headed, tabulated
from hierdoc.structure.mentions import Mention, beginning_of, cleaned, last_end, places_of
from hierdoc.structure.sections import flatten, is_enumerated
from hierdoc.structure.terms import (
    ANOTHER_TERM,
    BLANK,
    BOLD_TERM,
    CALLED_TERM,
    CALLS,
    CLOSING,
    DECIMAL,
    ENDS,
    EXCEPTION,
    FULL_LINE,
    GOES_ON,
    ITEM_LEAD,
    ITEM_LINE,
    LONE_MARKER,
    LONGEST_PARENTHESES,
    LONGEST_SENTENCE,
    MOST_TERMS,
    NAME_BEFORE,
    PARAGRAPH_OR_ITEM,
    PARENTHESES,
    TERM,
    TEXT,
    VERB,
)
from hierdoc.text.language import sentence_ends


def find_definitions(text: str, source: str, sections: Sequence[Section]) -> tuple[Definition, ...]:
    """The definitions of a document, in order; each text is a piece of the document's, word for word.

    Args:
        text: The document's text.
        source: Its name.
        sections: Its outermost sections.
    """
    flat = [entry for entry in flatten(sections) if not is_enumerated(text, entry.section)]
    starts = [entry.section.char_start for entry in flat]
    headings = [
        start
        for start in starts
        if not (marker := ITEM_LINE.match(text, start)) or DECIMAL.match(marker[2])
    ]
    glossary = glossary_spans(text, flat)
    found = {
        (one.start, one.term): one
        for one in chain(
            _quoted(text),
            _named(text),
            _bold(text),
            _parenthesised(text),
            glossed(text, glossary),
            tabulated(text),
        )
        if any(map(str.isalnum, one.term))
    }
    ordered = sorted([*found.values(), *headed(text, flat, sorted(found))], key=Mention.place)
    definitions = []
    item = start = end = len(text)  # of the mention behind
    for mention in reversed(ordered):
        place = bisect_right(starts, mention.start)
        section_id = flat[place - 1].section.id if place else None
        if mention.end:
            definitions.append(
                Definition(mention.term, text[mention.start : mention.end], source, section_id)
            )
            continue
        if mention.start < start:
            limit = item if item > mention.start else start
            below = bisect_right(headings, mention.start)
            end = _definition_end(text, mention, min([limit, *headings[below : below + 1]]))
            item, start = mention.item, mention.start
        definitions.append(Definition(mention.term, text[start:end], source, section_id))
    return tuple(reversed(definitions))


def _quoted(text: str) -> Iterator[Mention]:
    """Terms in quotes with a defining verb behind them."""
    position = 0
    while True:
        match = TERM.search(text, position)
        if not match:
            return
        position = match.start() + 1
        terms = [match]
        verb = VERB.match(text, match.end())
        while not verb and len(terms) < MOST_TERMS:
            another = ANOTHER_TERM.match(text, terms[-1].end())
            if not another:
                break
            terms.append(another)
            verb = VERB.match(text, another.end())
        if not verb:
            continue
        beginning = beginning_of(text, match.start(), of_item=verb[1] is not None)
        if beginning:
            position = verb.end()
            for term in terms:
                yield Mention(cleaned(term[1] or term[2]), *beginning, verb.end())


def _named(text: str) -> Iterator[Mention]:
    """Terms without quotes that are called so: `The term child means …`."""
    for call in CALLS:
        for place in places_of(text, call):
            match = CALLED_TERM.match(text, place + len(call))
            beginning = beginning_of(text, match.start(1), of_item=False) if match else None
            if match and beginning:
                yield Mention(cleaned(match[1]), *beginning)


def _parenthesised(text: str) -> Iterator[Mention]:
    """Names in parentheses behind what they stand for; their text is the sentence."""
    for found in CLOSING.finditer(text):
        closing = found.start() - (2 if text[found.start() - 1] == "*" else 1)
        opening = text.rfind("(", max(0, closing - LONGEST_PARENTHESES), closing)
        match = (
            PARENTHESES.match(text, opening)
            if opening > 0 and text[opening - 1].isspace()
            else None
        )
        if match is None or not (match["lead"] or _follows_a_name(text, opening)):
            continue
        terms = [term[1] or term[2] for term in TERM.finditer(match[0])]
        if not terms or VERB.match(text, match.end()):
            continue
        start, end = _sentence_around(text, match.start(), match.end())
        for term in terms:
            name = cleaned(term)
            if name[:1].isupper():
                yield Mention(name, start, start, end=end)


def _follows_a_name(text: str, place: int) -> bool:
    """Whether a name stands before this place: `Acme Corporation ("Acme")`."""
    return NAME_BEFORE.search(text, max(0, place - 40), place) is not None


def _sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence that holds a span, at most some hundred characters to either side."""
    low, high = max(0, start - LONGEST_SENTENCE), min(len(text), end + LONGEST_SENTENCE)
    block = last_end(PARAGRAPH_OR_ITEM, text, low, start)
    if block is not None:
        lead = ITEM_LEAD.match(text, block, start)
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


def _bold(text: str) -> Iterator[Mention]:
    """Terms in bold with a defining verb behind them, at the beginning of a paragraph or item."""
    for match in BOLD_TERM.finditer(text):
        beginning = beginning_of(text, match.start(), of_item=True)
        if beginning:
            yield Mention(cleaned(match[1]), *beginning)


def _definition_end(text: str, mention: Mention, limit: int) -> int:
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
        following = TEXT.search(text, blank.end(), limit)
        if not following:
            break
        position = text.rfind("\n", 0, following.start()) + 1
        if not _goes_on(text, start, end, position, own):
            break
    whole = text[start:end].rstrip()
    lone = LONE_MARKER.search(whole, max(0, len(whole) - 20))
    return start + len(whole[: lone.start()].rstrip() if lone else whole)


def _sibling(text: str, low: int, high: int, own: re.Match[str] | None) -> int | None:
    """Where the next item of the same kind begins."""
    if own is None:
        return None
    for item in ITEM_LINE.finditer(text, low, high):
        if EXCEPTION.match(text, item.end()):
            continue
        if _kind(item[2]) == _kind(own[2]) and len(item[1]) <= len(own[1]) and item.start() > low:
            return item.start()
    return None


def _goes_on(text: str, start: int, end: int, following: int, own: re.Match[str] | None) -> bool:
    if LONE_MARKER.search(text[max(start, end - 20) : end].rstrip()):
        return True
    item = ITEM_LINE.match(text, following)
    if own and text.startswith(own[1] + "  ", following):
        return True
    if EXCEPTION.match(text, item.end() if item else following):
        return True
    if item is None and _is_cut_off(text, start, end, following):
        return True
    if item is None or (own and _kind(item[2]) == _kind(own[2])):
        return False
    return GOES_ON.search(text[max(start, end - 12) : end].rstrip()) is not None


def _is_cut_off(text: str, start: int, end: int, following: int) -> bool:
    """Whether a sentence goes on behind a blank line, as where a page ends: nothing closes it, and no heading follows."""
    if ENDS.search(text[max(start, end - 8) : end].rstrip()):
        return False
    begins = text[following : following + 1]
    line = end - max(start, text.rfind("\n", start, end))
    return (line >= FULL_LINE // 2 and begins.islower()) or (
        line >= FULL_LINE and (begins.isalnum() or begins in "'‘“\"(")
    )


def _kind(marker: str) -> str:
    """What markers of one list have in common."""
    return re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"[0-9]+", "1", marker)))
