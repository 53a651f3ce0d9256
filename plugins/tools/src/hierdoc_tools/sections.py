"""Sections as hits make them up: their text without their neighbours', what they cite, and what cites them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hierdoc.models import Chunk, Hit, Section
from hierdoc_tools.limits import cut, tokens
from hierdoc_tools.replies import Cited, Citing, Place, SectionText, place_fields

SMALLEST_PART = 60
"""Tokens of a section that are worth a part of their own."""

_EXCERPT = 160
"""Characters around a citation that are shown, twice as many behind it."""


@dataclass(frozen=True)
class NamedSection:
    """A section that a reference names, or a whole document.

    Attributes:
        section: It; None for a document.
        chunks: Those with its text, in order; its neighbours may stand in them too.
        hits: The same as the index gave them.
        why: How the reference leads to it.
    """

    section: Section | None
    chunks: Sequence[Chunk]
    hits: Sequence[Hit]
    why: str

    @property
    def span(self) -> tuple[int, int]:
        """From where to where it goes in its document."""
        if self.section:
            return self.section.char_start, self.section.char_end
        return self.chunks[0].char_start, self.chunks[-1].char_end

    @property
    def chain(self) -> list[str]:
        """The headings from the outermost to its own."""
        chain = list(self.chunks[0].parent_chain)
        if self.section is None:
            return chain
        title = self.section.title
        return [*chain[: chain.index(title)], title] if title in chain else [*chain, title]

    def place(self) -> Place:
        """Where it stands, as a whole."""
        return Place.model_validate(self._fields(*self.span))

    def read(self, offset: int, room: int) -> SectionText:
        """Its text from an offset in the document, or from its beginning, as far as there is room for so many tokens."""
        start, end = self.span
        position = reached = max(start, offset)
        left = max(room, SMALLEST_PART)
        parts: list[str] = []
        truncated = False
        for chunk in self.chunks:
            if chunk.char_end <= reached or chunk.char_start >= end:
                continue
            since = max(reached, chunk.char_start) - chunk.char_start
            whole = chunk.text[since : end - chunk.char_start]
            if parts and chunk.char_start > reached:
                parts.append("\n\n")
            elif not parts:  # or a page could hold nothing but the space before the next
                since += len(whole) - len(whole.lstrip())
                whole = whole.lstrip()
                position = chunk.char_start + since
            text = whole if tokens(whole) <= left else cut(whole, left)
            parts.append(text)
            left -= tokens(text)
            reached = chunk.char_start + since + len(text)
            truncated = len(text) < len(whole)
            if truncated:
                break
        fields = self._fields(position, reached if parts else end)
        heading = self.section.title if self.section else ""
        text = "".join(parts).rstrip()
        return SectionText(**fields, heading=heading, why=self.why, text=text, truncated=truncated)

    def cites(self) -> Iterator[Cited]:
        """What it cites, in order."""
        start, end = self.span
        for hit in self.hits:
            chunk = hit.chunk
            begin = max(start - chunk.char_start, 0)
            own = chunk.text[begin : max(end - chunk.char_start, 0)]
            for one in hit.references:
                at = _find(own, one.text)
                if at >= 0:
                    yield Cited(
                        text=one.text,
                        line=line_of(chunk, chunk.char_start + begin + at),
                        resolved=one.resolved,
                        source=one.source or chunk.source,
                        section_id=one.section_id,
                    )

    def _fields(self, start: int, end: int) -> dict[str, Any]:
        """The fields of `Place` for a part of it."""
        first = next((one for one in self.chunks if one.char_end > start), self.chunks[-1])
        last = next((one for one in self.chunks if one.char_end >= end), self.chunks[-1])
        section_id = self.section.id if self.section else None
        return {
            **place_fields(first, section_id),
            "parent_chain": self.chain,
            "char_start": start,
            "char_end": end,
            "line_start": line_of(first, start),
            "line_end": max(line_of(first, start), line_of(last, end - 1)),
            "page_end": last.page_end,
        }


def line_of(chunk: Chunk, offset: int) -> int:
    """The line of an offset in a chunk's document."""
    return chunk.line_start + chunk.text.count("\n", 0, max(offset - chunk.char_start, 0))


def named_sections(hits: Sequence[Hit]) -> list[NamedSection]:
    """The sections that hits of `AsyncIndex.section` make up."""
    groups: list[list[Hit]] = []
    for hit in hits:
        if not groups or hit.named or groups[-1][-1].chunk.source != hit.chunk.source:
            groups.append([])
        groups[-1].append(hit)
    found = []
    for group in groups:
        first = group[0]
        begun = [one for one in first.chunk.sections if one.id == first.named]
        chunks = [hit.chunk for hit in group]
        found.append(NamedSection(begun[0] if begun else None, chunks, group, first.why))
    return found


def citing(hit: Hit, cited: Sequence[NamedSection]) -> Iterator[Citing]:
    """The place in a chunk that cites one of these sections, unless that is the section itself."""
    chunk = hit.chunk
    own = [one.span for one in cited if one.chunks[0].source == chunk.source]
    places: list[int] = []
    texts: dict[str, None] = {}
    for one in hit.references:
        at = max(_find(chunk.text, one.text), 0)
        offset = chunk.char_start + at
        if not any(start <= offset < end for start, end in own):
            places.append(at)
            texts[one.text] = None
    if places:
        first = min(places)
        fields = place_fields(chunk, hit.section_id)
        line = line_of(chunk, chunk.char_start + first)
        fields |= {"line_start": line, "line_end": line}
        yield Citing(**fields, citations=list(texts), excerpt=_around(chunk.text, first))


def _find(text: str, citation: str) -> int:
    """Where a citation stands, not in the midst of a word or number; -1 where it does not."""
    found = re.search(rf"(?<!\w){re.escape(citation)}(?!\w)", text)
    return found.start() if found else text.find(citation)


def _around(text: str, at: int) -> str:
    """The words around a place, from a line's beginning or after an ellipsis."""
    start = max(text.rfind("\n", 0, at) + 1, at - _EXCERPT)
    line_end = text.find("\n", at)
    end = min(line_end if line_end >= 0 else len(text), at + 2 * _EXCERPT)
    if start and text[start - 1] != "\n":
        start = text.find(" ", start) + 1 or start
    if end < len(text) and text[end] != "\n":
        end = max(text.rfind(" ", start, end), at)
    before = "" if start == 0 or text[start - 1] == "\n" else "... "
    return (
        f"{before}{text[start:end].strip()}{'' if end == line_end or end == len(text) else ' ...'}"
    )
