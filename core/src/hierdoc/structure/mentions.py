"""Mentions of terms that something is said of, and where the sentence or item that says it begins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hierdoc.structure.terms import (
    CATCH_LINE,
    CLAUSE,
    ITEM_LEAD,
    LOOK_BACK,
    PARAGRAPH_OR_ITEM,
    SENTENCE_LEAD,
    TERM_LEAD,
)
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
    low = max(0, place - LOOK_BACK)
    block = last_end(PARAGRAPH_OR_ITEM, text, low, place)
    if block is None and low == 0:
        block = 0
    behind = low
    if block is not None:
        lead = ITEM_LEAD.match(text, block, place)
        behind = lead.end() if lead else block
        if SENTENCE_LEAD.match(text[behind:place]):
            return block, behind
    if of_item:
        return None
    clause = last_end(CLAUSE, text, behind, place)
    ends = [*sentence_ends(text, behind, place)[-1:], *([] if clause is None else [clause])]
    if not ends:
        opens = block is not None and TERM_LEAD.search(text, behind, place)
        return (block, behind) if opens and block is not None else None
    start = max(ends)
    if not SENTENCE_LEAD.match(text[start:place]) and not TERM_LEAD.search(text, start, place):
        return None
    line = text.rfind("\n", 0, start) + 1
    return (line if CATCH_LINE.match(text, line, start) else start), start


def places_of(text: str, piece: str) -> Iterator[int]:
    """Where a piece of text stands: many times as fast as a regular expression."""
    place = text.find(piece)
    while place >= 0:
        yield place
        place = text.find(piece, place + 1)


def last_end(pattern: re.Pattern[str], text: str, low: int, high: int) -> int | None:
    """Where the last match of a pattern between two places ends."""
    end = None
    for match in pattern.finditer(text, low, high):
        end = match.end()
    return end


def cleaned(term: str) -> str:
    """The term without quotes, markup and punctuation around it, on one line."""
    return " ".join(term.split()).strip(" *_`\"“”„«»'‘’‚,.;:")
