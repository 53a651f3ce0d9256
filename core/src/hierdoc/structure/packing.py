"""Which sections make a passage together, before any of them is cut.

A section goes with all that lies within it where that fits and holds no numbered section; small siblings go together under
their parent. Enumerated parts, the (a), (b), (1) of a text, are packed up to the limit: they are one section's text.
Other sections are packed up to a smaller size, so that a passage stays about one thing, and a numbered section never shares
a passage with its siblings: who cites Article 5 gets Article 5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hierdoc.models import Section
from hierdoc.structure.cutting import Cutter
from hierdoc.structure.markdown import heading_end

NO_SECTION = -1
"""Stands for the section of what precedes the first heading, and for the parent of an outermost section."""


@dataclass(frozen=True, slots=True)
class Span:
    """What becomes one passage or, where it is too long, is cut.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        body: Where the text behind its first headings begins.
        place: The index of the innermost section that all its text lies in; bare headings do not count.
    """

    start: int
    end: int
    body: int
    place: int


def pack(
    text: str,
    sections: Sequence[Section],
    parents: Sequence[int],
    keys: Sequence[str | None],
    cutter: Cutter,
    limit: int,
    small: int,
) -> Iterator[Span]:
    """All of the text in spans, in order.

    Args:
        text: The document.
        sections: All its sections in document order.
        parents: For each the index of its parent, or `NO_SECTION`.
        keys: For each the key of its heading, None where it has no number.
        cutter: Of the text.
        limit: Tokens that a passage may have.
        small: Tokens up to which sections that are not enumerated parts are put together.
    """
    first = sections[0].char_start if sections else len(text)
    if first > 0:
        yield Span(0, first, 0, NO_SECTION)
    if sections:
        yield from _Packing(text, sections, parents, keys, cutter, limit, small).spans()


def heading_ends(text: str, sections: Sequence[Section]) -> list[int]:
    """For each section where its own text begins: behind its heading or, where text runs on in that line, with it."""
    ends = []
    starts = [*(section.char_start for section in sections), len(text)]
    for section, (start, end) in zip(sections, pairwise(starts), strict=True):
        if text.startswith("#", start):
            newline = text.find("\n", start, end)
            ends.append(end if newline < 0 else newline)
            continue
        stop = heading_end(text, start, end)
        ends.append(start if _runs_on(text[start:stop], section.title) else stop)
    return ends


def _runs_on(line: str, title: str) -> bool:
    """Whether the line of a heading without markdown goes on with text."""
    if "\n" in line:  # a setext heading
        return False
    return len(line) > 2 * len(title) + _MARKUP or _letters(line) > _letters(title)


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


_ENUMERATOR = re.compile(r"(\(?[0-9A-Za-z]{1,6}\))|[0-9]{1,3}[a-z]?\.(?![0-9])|[a-z]{1,2}\.")
"""What the title of an enumerated part begins with; without a parenthesis only within numbered sections."""

_MARKUP = 200
"""Characters that a heading's line may have besides twice its title: markup and white space."""

_TEXT = re.compile(r"\S")
_LONGEST_TOKEN = 8
"""Characters of a token, on average, in text that is not looked at any closer."""


def _enumerated(
    text: str, sections: Sequence[Section], parents: Sequence[int], keys: Sequence[str | None]
) -> list[bool]:
    """For each section whether it is an enumerated part of the text of another, without a markdown heading."""
    found: list[bool] = []
    for section, parent in zip(sections, parents, strict=True):
        lead = _ENUMERATOR.match(section.title)
        found.append(
            lead is not None
            and parent >= 0
            and not text.startswith("#", section.char_start)
            and (lead[1] is not None or keys[parent] is not None)
        )
    return found


class _Packing:
    """One walk through one document's sections; `first` and `last` below are indices of sections."""

    def __init__(
        self,
        text: str,
        sections: Sequence[Section],
        parents: Sequence[int],
        keys: Sequence[str | None],
        cutter: Cutter,
        limit: int,
        small: int,
    ) -> None:
        self.sections, self.parents, self.cutter = sections, parents, cutter
        self.limit, self.small = limit, small
        count = len(sections)
        self.bodies = heading_ends(text, sections)
        self.starts = [*(section.char_start for section in sections), len(text)]
        self.bare = [
            not _TEXT.search(text, body, end)
            for body, end in zip(self.bodies, self.starts[1:], strict=True)
        ]
        self.part = _enumerated(text, sections, parents, keys)
        self.numbered = [
            key is not None and not part for key, part in zip(keys, self.part, strict=True)
        ]
        self.after = list(range(1, count + 1))
        self.holds_numbered = [False] * count
        self.holds_headed = [False] * count
        for index in reversed(range(count)):
            around = parents[index]
            if around >= 0:
                self.after[around] = max(self.after[around], self.after[index])
                self.holds_numbered[around] |= self.numbered[index] or self.holds_numbered[index]
                self.holds_headed[around] |= not self.part[index] or self.holds_headed[index]

    def spans(self) -> Iterator[Span]:
        """Walk through the sections, whole ones in one step."""
        first = index = 0
        end = len(self.sections)
        within: int | None = None  # whose children may join; None for nobody's
        roomy = False  # whether all that has joined are enumerated parts
        empty = True  # whether there are only bare headings so far
        while index < end:
            whole = self._is_whole(index)
            after = self.after[index] if whole else index + 1
            joins = index == first or empty
            if not joins and whole and self.parents[index] == within and not self.numbered[index]:
                cap = self.limit if self.part[index] and roomy else self.small
                joins = self._fits(first, after, cap)
            if not joins:
                yield self._span(first, index)
                first, empty = index, True
            if empty:
                roomy = True
                if not whole:
                    within = index
                elif self.numbered[index] or self.parents[index] < 0:
                    within = None
                else:
                    within, roomy = self.parents[index], self.part[index]
                empty = not whole and self.bare[index]
            else:
                roomy = roomy and self.part[index]
            index = after
        yield self._span(first, end)

    def _is_whole(self, index: int) -> bool:
        """Whether a section and all that lies within it go together."""
        after = self.after[index]
        if after == index + 1:
            return not self.bare[index]
        if self.holds_numbered[index]:
            return False
        return self._fits(index, after, self.small if self.holds_headed[index] else self.limit)

    def _fits(self, first: int, after: int, limit: int) -> bool:
        start, end = self.starts[first], self.starts[after]
        return end - start <= limit * _LONGEST_TOKEN and self.cutter.fits(start, end, limit)

    def _span(self, first: int, after: int) -> Span:
        leading = first
        while self.bare[leading] and leading < after - 1:
            leading += 1
        place = leading
        if not all(self.bare[leading + 1 : after]):
            while place >= 0 and self.after[place] < after:
                place = self.parents[place]
        return Span(self.starts[first], self.starts[after], self.bodies[leading], place)
