"""Finds the sentences and lists that define terms without quotes, in the ways of `definition_forms`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest

from hierdoc.structure.definition_forms import LISTS, SENTENCES
from hierdoc.structure.definition_places import (
    LEADING_ARTICLE,
    MARKER,
    Mention,
    cleaned,
    marker_kind,
    places_of_any,
    sentence_around,
)


def stated(text: str, languages: Collection[str]) -> Iterator[Mention]:
    """Terms that a sentence defines in one of the ways of `SENTENCES`, in these languages."""
    forms = [form for form in SENTENCES if form.language in languages]
    anchors = dict.fromkeys(anchor for form in forms for anchor in form.anchors)
    places: dict[str, list[int]] = {anchor: [] for anchor in anchors}
    for place, anchor in places_of_any(text, tuple(anchors)):
        places[anchor].append(place)
    for form in forms:
        for anchor in form.anchors:
            for place in places[anchor]:
                behind = form.behind.match(text, place)
                begins = _sentence_begin(text, place) if behind else None
                if behind is None or begins is None:
                    continue
                before = form.before.fullmatch(text, begins, place)
                if before is None:
                    continue
                groups = (*before.groupdict().values(), *behind.groupdict().values())
                term = cleaned(next(filter(None, groups), ""))
                rest = text[behind.end() : behind.end() + _REST]
                if len(term) > 1 and form.accepts(term, rest):
                    end = sentence_around(text, place, behind.end())[1]
                    closed = text[end - 1] in _CLOSED
                    name = LEADING_ARTICLE.sub("", term)
                    yield Mention(name, begins, begins, behind.end(), end if closed else 0)


def listed(text: str, headings: Sequence[int], languages: Collection[str]) -> Iterator[Mention]:
    """The items of lists that `LISTS` leads to: those of the first one's kind, as far as they count on.

    Args:
        text: Where to look.
        headings: Where headings begin; no list goes beyond one, nor beyond the lead of another list.
        languages: Those whose leads to look for.
    """
    leads = {anchor: lead for language, anchor, lead in LISTS if language in languages}
    limits = sorted(
        {
            match.end()
            for place, anchor in places_of_any(text, tuple(leads))
            if (match := leads[anchor].match(text, place))
        }
    )
    for place, low in enumerate(limits):
        below = bisect_right(headings, low)
        ends = [*limits[place + 1 : place + 2], *headings[below : below + 1], low + _LONGEST_LIST]
        if text[low - 1] != "\n":
            yield from _items_in_line(text, low, min(ends))
        else:
            yield from _items(text, low, min(ends))


def _items_in_line(text: str, low: int, high: int) -> Iterator[Mention]:
    """The items of a list within a paragraph: `: 1° Keeper: who keeps it; 2° Lamp: …`."""
    paragraph = text.find("\n\n", low, high)
    high = high if paragraph < 0 else paragraph
    items = list(_INLINE_ITEM.finditer(text, low, high))
    for item, following in zip_longest(items, items[1:]):
        end = following.start() if following else high
        name = LEADING_ARTICLE.sub("", cleaned(item["term"]))
        yield Mention(name, item.start("term"), item.start("term"), item.end(), end)


def _items(text: str, low: int, high: int) -> Iterator[Mention]:
    opened = _QUOTED_ITEM.search(text, low, high)
    if opened and not text[low : opened.start()].strip():
        for quoted in _QUOTED_ITEM.finditer(text, low, high):
            term = LEADING_ARTICLE.sub("", cleaned(quoted["term"]))
            yield Mention(term, quoted.start("item"), quoted.start("item"))
        return
    first: tuple[str, str] | None = None
    last: tuple[int, ...] = ()
    behind = low
    for item in _LIST_ITEM.finditer(text, low, high):
        kind = marker_kind(item[2])[:1] + str(len(item[1]))
        counts = _counted(item[2])
        if first is None:
            if text[low : item.start()].strip():
                return
            first = kind, item[1]
        elif not counts:
            if len(item[1]) > len(first[1]) or marker_kind(item[2])[:1] != first[0][:1]:
                continue
            if _interrupted(text, behind, item.start()):
                return
        elif kind != first[0] or counts <= last:
            continue
        last = counts
        behind = item.end()
        listed = _LISTED_TERM.match(text, item.end())
        if listed:
            yield Mention(
                LEADING_ARTICLE.sub("", cleaned(listed["term"] or listed["quoted"])),
                item.start(),
                listed.start("item"),
            )


_INLINE_ITEM = re.compile(
    r"[ \t;,.]{0,3}(?:[0-9]{1,2}[°º]|[0-9]{1,2}[.)]|[a-z]\))[ \t]{1,3}(?P<term>[^\n:;.]{2,80}?)[ \xa0]?:(?=[ \xa0])"
)


def _interrupted(text: str, low: int, high: int) -> bool:
    """Whether a paragraph between two items leads to another list."""
    between = text[low:high].rstrip()
    return between.endswith(":") and "\n\n" in between


def _counted(marker: str) -> tuple[int, ...]:
    """What a marker counts: `1.2` as (1, 2), `b)` as (2,), nothing for a bullet."""
    numbers = re.findall(r"[0-9]+", marker)
    if numbers:
        letter = re.search(r"[0-9]([a-z])", marker)
        return (*map(int, numbers), *([ord(letter[1])] if letter else []))
    letters = re.sub(r"\W", "", marker).lower()
    return (len(letters), *map(ord, letters)) if letters else ()


def _sentence_begin(text: str, place: int) -> int | None:
    """Where the sentence or item begins that goes on at a place, behind its marker; None where that is too far off."""
    low = max(0, place - _LONGEST_BEGINNING)
    start = 0 if low == 0 else -1
    for ending in _ENDINGS:
        found = text.rfind(ending, low, place)
        if found >= 0:
            start = max(start, found + len(ending))
    line = text.rfind("\n", max(low, start), place)
    while line >= 0:
        if text.startswith("#", line + 1):
            following = text.find("\n", line + 1, place)
            start = following + 1 if following >= 0 else -1
            break
        if _MARKED_LINE.match(text, line + 1, place):
            start = line + 1
            break
        line = text.rfind("\n", max(low, start), line)
    if start < 0:
        return None
    lead = _LEAD.match(text, start, place)
    return lead.end() if lead else start


_REST = 300
"""Characters behind a verb that are looked at."""

_CLOSED = frozenset('.;,!?)»”"')
"""What a sentence ends with that no list goes on with."""

_LONGEST_BEGINNING = 500
_LONGEST_LIST = 100_000
_ENDINGS = ("\n\n", ". ", ".\n", "; ", ";\n", ": ", ":\n", "\n \n", "? ", "! ")
_MARKED_LINE = re.compile(rf"[ \t>]*{MARKER}[ \t]")
_LEAD = re.compile(
    rf"[\s>]*(?:{MARKER}[ \t\n]+)*(?:(?:[IVXLC]{{1,5}}|[A-Z]|[0-9]{{1,2}})(?:[ \xa0]?[°.)]+)?[ \xa0]?[.–—−-]{{1,2}}[ \xa0]?|[0-9]{{1,2}}[ ]+)?[*_]{{0,2}}"
)
"""What opens a sentence of a law before its first word: markers, `III.-`, the number of a sentence."""

_LIST_ITEM = re.compile(rf"(?m)^([ \t]*)({MARKER}(?=[ \t\r\n]|\Z)|[-–•](?=\w))")
_QUOTED_ITEM = re.compile(
    r"(?m)^[ \t]{0,12}(?P<item>[«„“\"][ \xa0]?(?P<term>[^\W\d_][^.;:\n«»„“”\"*]{0,99}?)[ \xa0]?[»“”\"])(?=[ \xa0]?:\s|[ \xa0][a-zà-ÿ])"
)
"""A term in quotes that opens a paragraph of a list without markers."""

_LISTED_TERM = re.compile(
    r"\s*(?P<item>[„«“‘\"][ \xa0]?(?P<quoted>[^\W\d_][^.;:\n«»“”‘’\"*]{0,99}?)[ \xa0]?[“»”’\"](?=[:,]?\s)"
    r"|[*_«“\"]{0,3}(?P<term>[^\W\d_][^.;:\n«»“”\"*]{0,99}?)[*_»”\"]{0,3}[ \xa0]?(?::(?=\s)|[–—](?=\s)|,\s(?=(?:les?|la|une?|des|toute?s?|tous|ceux|celles?)\s|l[’'])|\s(?=(?:jede[rs]?|wer|alle|diejenigen?|solche)\b)))"
)
