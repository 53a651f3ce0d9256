"""Which sections make a chunk together, before any of them is cut.

A section goes with all that lies within it where that fits and holds no numbered section; small siblings go together under
their parent. Enumerated parts, the (a), (b), (1) of a text, are packed up to the limit: they are one section's text.
Other sections are packed up to a smaller size, so that a chunk stays about one thing, and a numbered section never shares
a chunk with its siblings: who cites Article 5 gets Article 5. A line that is an anchor counts as no text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hierdoc.models import Section
from hierdoc.quick import quick
from hierdoc.structure.cutting import Cutter
from hierdoc.structure.lines import text_behind_anchors

NO_SECTION = -1
"""Stands for the section of what precedes the first heading, and for the parent of an outermost section."""


@dataclass(frozen=True, slots=True)
class Span:
    """What becomes one chunk or, where it is too long, is cut.

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


@dataclass(frozen=True, slots=True)
class Outline:
    """A document's sections in document order, and of each what packing asks about it.

    Attributes:
        text: The document.
        sections: All its sections.
        parents: The index of the parent, or `NO_SECTION`.
        numbered: Whether it has a number.
        enumerated: Whether it is an enumerated part of another's text.
        bodies: Where the text behind its heading begins.
    """

    text: str
    sections: Sequence[Section]
    parents: Sequence[int]
    numbered: Sequence[bool]
    enumerated: Sequence[bool]
    bodies: Sequence[int]


def pack(outline: Outline, cutter: Cutter, limit: int, small: int) -> Iterator[Span]:
    """All of the text in spans, in order.

    Args:
        outline: Of the document.
        cutter: Of its text.
        limit: Tokens that a chunk may have.
        small: Tokens up to which sections that are not enumerated parts are put together.
    """
    sections = outline.sections
    text = outline.text
    first = sections[0].char_start if sections else len(text)
    if first > 0 and (not sections or text_behind_anchors(text, 0, first) < first):
        yield Span(0, first, 0, NO_SECTION)
    if sections:
        yield from _Packing(outline, cutter, limit, small).spans()


_span = quick(Span)
_LONGEST_TOKEN = 8
"""Characters of a token, on average, in text that is not looked at any closer."""


class _Packing:
    """One walk through one document's sections; `first` and `last` below are indices of sections."""

    def __init__(self, outline: Outline, cutter: Cutter, limit: int, small: int) -> None:
        self.sections, self.parents, self.cutter = outline.sections, outline.parents, cutter
        self.limit, self.small = limit, small
        count = len(self.sections)
        text, self.bodies = outline.text, outline.bodies
        self.starts = [*(section.char_start for section in self.sections), len(text)]
        self.bare = [
            text_behind_anchors(text, body, end) == end
            for body, end in zip(self.bodies, self.starts[1:], strict=True)
        ]
        if text_behind_anchors(text, 0, self.starts[0]) == self.starts[0]:
            self.starts[0] = 0
        self.part = outline.enumerated
        self.numbered = [
            numbered and not part
            for numbered, part in zip(outline.numbered, self.part, strict=True)
        ]
        self.after = list(range(1, count + 1))
        self.holds_numbered = [False] * count
        self.holds_headed = [False] * count
        for index in reversed(range(count)):
            around = self.parents[index]
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
        return _span(self.starts[first], self.starts[after], self.bodies[leading], place)
