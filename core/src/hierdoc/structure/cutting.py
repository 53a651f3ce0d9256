"""Cutting a span of text into pieces of bounded size, where a reader would cut it.

Blank lines are the best places, then the beginnings of list items, table rows and lines of code, then sentences, then
words, then characters. A line that is an anchor stays with what follows. Pieces are of about equal size. Sizes are those of `estimate_tokens`, whose estimate of a whole is
at most the sum of its parts', so that pieces may be put together from parts that are counted once.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hierdoc.quick import quick
from hierdoc.structure.layout import Spans, find_fences
from hierdoc.structure.lines import is_anchor, text_behind_anchors
from hierdoc.text.language import SMALLEST_LIMIT as SMALLEST_LIMIT
from hierdoc.text.language import estimate_tokens, fits, sentence_ends

CountTokens = Callable[[str], int]
"""How many tokens a model makes of a text."""

NEAR = 1.5
"""How far tokens by estimate and by count may be from each other, as a factor: only where the estimate is within this
factor of the limit are tokens counted."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text: `text[start:end]`. What of it stands before `fresh`, where the piece before ends, repeats that."""

    start: int
    end: int
    fresh: int


def cut(
    text: str, start: int, end: int, limit: int, overlap: int = 0, heading_end: int | None = None
) -> list[Piece]:
    """Pieces of `text[start:end]` that hold all of it but white space, in order; see `Cutter`."""
    return Cutter(text, limit, overlap).cut(start, end, heading_end)


def windows(text: str, limit: int, overlap: int = 0) -> list[Piece]:
    """Pieces of a whole text that are as long as they may be, cut between words; see `Cutter`."""
    return Cutter(text, limit, overlap).windows()


class Cutter:
    """Cuts spans of one text.

    Args:
        text: The document.
        limit: Tokens that no piece exceeds; at least `SMALLEST_LIMIT`.
        overlap: Tokens of the piece before that a piece repeats at most; never more than half the limit.
        count: How tokens are counted near the limit; None to go by `estimate_tokens` alone.
    """

    def __init__(
        self, text: str, limit: int, overlap: int = 0, count: CountTokens | None = None
    ) -> None:
        self._text = text
        self._limit = limit
        self._overlap = overlap
        self._count = count

    def cut(self, start: int, end: int, heading_end: int | None = None) -> list[Piece]:
        """Pieces of a span that hold all of it but white space, in order.

        Args:
            start: Where the span begins.
            end: Where it ends.
            heading_end: Where a heading at the beginning ends, which is not cut from what follows.
        """
        text = self._text
        start, end = _trimmed(text, start, end)
        if start >= end:
            return []
        if self.fits(start, end):
            return [_piece(start, end, start)]

        def attempt(limit: int) -> list[Piece]:
            overlap = min(self._overlap, limit // 2)
            parts = _parts(text, start, end, limit - overlap, heading_end)
            spans = [_trimmed(text, low, high) for low, high in _balanced(parts, limit - overlap)]
            return _overlapping(text, [span for span in spans if span[0] < span[1]], overlap)

        return self._counted(attempt)

    def windows(self) -> list[Piece]:
        """Pieces of the whole text that are as long as they may be, cut between words."""
        text = self._text

        def attempt(limit: int) -> list[Piece]:
            overlap = min(self._overlap, limit // 2)
            cuts = _word_places(text, 0, len(text), limit - overlap)
            places = [0, *(place for place, _ in cuts)]
            spans = [_trimmed(text, low, high) for low, high in pairwise(places)]
            kept = [span for span in spans if span[0] < span[1]]
            return _overlapping(text, kept, overlap, words=True)

        return self._counted(attempt, sure=False)

    def fits(self, start: int, end: int, limit: int | None = None) -> bool:
        """Whether a span has at most `limit` tokens, the cutter's own by default; counted only where that is close."""
        limit = self._limit if limit is None else limit
        if end - start > _MOST_CHARACTERS * limit:
            return False
        text = self._text[start:end]
        if self._count is None:
            return fits(text, limit)
        if fits(text, int(limit / NEAR)):
            return True
        return fits(text, int(limit * NEAR)) and self._count(text) <= limit

    def _counted(self, attempt: Callable[[int], list[Piece]], *, sure: bool = True) -> list[Piece]:
        """The pieces of an attempt or, as long as one has too many tokens, of one with a lower limit.

        Args:
            attempt: Makes pieces within a limit.
            sure: Whether they are within it by estimate; by words they are cut where the estimate of what is left may be higher.
        """
        aim, least = self._limit, SMALLEST_LIMIT if sure else 2
        while True:
            pieces = attempt(aim)
            if (sure and self._count is None) or aim <= least:
                return pieces
            if all(self.fits(piece.start, piece.end) for piece in pieces):
                return pieces
            aim = max(least, aim * 4 // 5)


_PARAGRAPH, _ITEM, _SENTENCE, _WORD = range(4)
"""What a cut comes before, the best first."""

_BLANK_LINES = re.compile(r"\n[ \t\r]*\n\s*")
_ITEM_LINE = re.compile(r"\n(?=[ \t>]*(?:[-*+•][ \t]|\(?[0-9A-Za-z]{1,5}[.)][ \t]|\||    |\t))")
_NEWLINE = re.compile(r"\n")
_BLANK = re.compile(r"\s+")
_TEXT = re.compile(r"\S")
_LEADING_BLANK_LINES = re.compile(r"\s*\n")
_OVERLAP_CHARACTERS = 6
"""Characters per token within which the beginning of an overlap is sought."""

_MOST_CHARACTERS = 16
"""Characters per token, white space included, beyond which a span is not even looked at."""

_LEAST_FILLED = 0.6
"""Share of its even size that a piece has at least before a good place is taken."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of text that is not cut any further, and what a cut before it comes before."""

    start: int
    end: int
    tokens: int
    level: int


_piece, _part = quick(Piece), quick(_Part)


def _parts(text: str, start: int, end: int, limit: int, heading_end: int | None) -> list[_Part]:
    """Gapless parts of at most `limit` tokens, no finer than they must be."""
    body = _first_text(text, heading_end, end) if heading_end is not None else start
    if not fits(text[start:body], limit // 2):
        body = start
    fences = Spans(find_fences(text, start, end))
    parts: list[_Part] = []
    waiting = [(start, end, _PARAGRAPH, _PARAGRAPH)]
    while waiting:
        low, high, level, finer = waiting.pop()
        tokens = estimate_tokens(text[low:high]) if finer > _PARAGRAPH else limit + 1
        if tokens <= limit:
            parts.append(_part(low, high, tokens, level))
        elif finer == _WORD:
            parts += _words(text, low, high, max(low, body), level, limit)
        else:
            places = _places(text, max(low, body), high, finer, fences)
            bounds = [low, *_apart(places, max(low, body), high, limit // 8), high]
            waiting += reversed(
                [
                    (one, other, finer if number else level, finer + 1)
                    for number, (one, other) in enumerate(pairwise(bounds))
                ]
            )
    return parts


def _places(text: str, low: int, high: int, level: int, fences: Spans) -> list[int]:
    """Where text may be cut at this level."""
    if level == _SENTENCE:
        return sentence_ends(text, low, high)
    pattern = _BLANK_LINES if level == _PARAGRAPH else _ITEM_LINE
    places = [
        match.end()
        for match in pattern.finditer(text, low, high)
        if text[match.start() - 1] not in "]}>=:" or not is_anchor(text, low, match.start())
    ]
    if places and text_behind_anchors(text, places[-1], high) == high:
        del places[-1]
    if fences:
        places = [place for place in places if not fences.cut_by(place)]
    if level == _ITEM:
        for opening, closing in fences.between(low, high):
            inside = _NEWLINE.finditer(text, opening, closing)
            places += [match.end() for match in inside]
        places.sort()
    return places


def _apart(places: Iterable[int], low: int, high: int, characters: int) -> list[int]:
    """Those of the places between that are not too near each other to be worth counting apart."""
    kept: list[int] = []
    since = low
    for place in places:
        if low < place < high and place - since >= characters:
            kept.append(place)
            since = place
    return kept


def _words(text: str, start: int, end: int, body: int, level: int, limit: int) -> Iterator[_Part]:
    """Parts of a quarter of the limit, the first with the heading that stands before `body`."""
    low, heading = start, estimate_tokens(text[start:body])
    for place, tokens in _word_places(text, body, end, max(2, limit // 4)):
        if low == start:
            yield _part(low, place, heading + tokens, level)
        else:
            yield _part(low, place, tokens, _WORD)
        low = place


def _word_places(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """Places at most `limit` tokens apart, behind white space or, where a word is longer than that, within it.

    Each comes with the number of tokens since the place before it.
    """
    characters = limit * 3
    while start < end:
        place = min(end, start + characters)
        if place < end:
            blank = _last_blank(text, start + max(1, characters // 2), place)
            place = blank + 1 if blank >= 0 else place
        tokens = estimate_tokens(text[start:place])
        if tokens > limit:
            characters = max(1, min(place - start - 1, (place - start) * limit // tokens))
            continue
        yield place, tokens
        characters = max(limit // 2, min(2 * characters, (place - start) * limit // max(tokens, 1)))
        start = place


def _last_blank(text: str, low: int, high: int) -> int:
    """The last white space in the span, a line ending if there is one; -1 for none. `Section 5` is not cut if it can be helped."""
    newline = text.rfind("\n", low, high)
    if newline >= 0:
        return newline
    blank = max(text.rfind(" ", low, high), text.rfind("\t", low, high))
    if blank >= 0 and text[blank + 1] in "0123456789(":
        earlier = text.rfind(" ", low, blank)
        return earlier if earlier >= 0 else blank
    return blank


def _balanced(parts: Sequence[_Part], limit: int) -> Iterator[tuple[int, int]]:
    """Join parts to pieces of about equal size, cut at the best places."""
    rest = sum(part.tokens for part in parts)
    first = 0
    while first < len(parts):
        if rest <= limit:
            yield parts[first].start, parts[-1].end
            return
        target = rest / math.ceil(rest / limit)
        last = _best_cut(parts, first, target, limit)
        yield parts[first].start, parts[last - 1].end
        rest -= sum(part.tokens for part in parts[first:last])
        first = last


def _best_cut(parts: Sequence[_Part], first: int, target: float, limit: int) -> int:
    """The index of the part that the next piece begins with."""
    best, worth = first + 1, (math.inf, math.inf)
    tokens = parts[first].tokens
    for index in range(first + 1, len(parts)):
        reached = tokens >= _LEAST_FILLED * target
        candidate = (parts[index].level if reached else math.inf, abs(tokens - target))
        if candidate <= worth:
            best, worth = index, candidate
        tokens += parts[index].tokens
        if tokens > limit:
            break
    return best


def _overlapping(
    text: str,
    spans: Sequence[tuple[int, int]],
    overlap: int,
    *,
    words: bool = False,
) -> list[Piece]:
    """The spans as pieces, each from the second on begun earlier by up to `overlap` tokens."""
    pieces = [_piece(start, end, start) for start, end in spans[:1]]
    for (before, fresh), (start, end) in pairwise(spans):
        begin = start
        if overlap:
            begin = _overlap_start(text, before, start, overlap, words=words)
        pieces.append(_piece(begin, end, fresh))
    return pieces


def _overlap_start(text: str, low: int, start: int, overlap: int, *, words: bool) -> int:
    """Where to begin so that at most `overlap` tokens stand before `start`: a sentence, a line, else a word."""
    low = max(low + 1, start - overlap * _OVERLAP_CHARACTERS)
    if not words:
        lines = (match.end() for match in _ITEM_LINE.finditer(text, low, start))
        place = _first_fitting(
            text, sorted((*sentence_ends(text, low, start), *lines)), start, overlap
        )
        if place < start:
            return place
    blanks = [match.end() for match in _BLANK.finditer(text, low, start)]
    return _first_fitting(text, blanks, start, overlap)


def _first_fitting(text: str, places: Sequence[int], start: int, limit: int) -> int:
    """The first of these places with text, at most `limit` tokens of it, between it and `start`; else `start`."""
    first = bisect_left(places, True, key=lambda place: fits(text[place:start], limit))
    place = places[first] if first < len(places) else start
    return place if text[place:start].strip() else start


def _first_text(text: str, position: int, end: int) -> int:
    found = _TEXT.search(text, position, end)
    return found.start() if found else end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without blank lines before it and white space after it."""
    blank = _LEADING_BLANK_LINES.match(text, start, end)
    start = blank.end() if blank else start
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
