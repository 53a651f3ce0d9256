"""A part of a document as the page shows it: rendered, with what was found marked, amid its outline and, of PDF, on its pages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hierdoc.index import AsyncIndex
from hierdoc.models import Box, Chunk, Section
from hierdoc_serve.rendering import Span, rendered

AROUND = 12_000
"""Characters of a document that are shown at once, about."""

_MOST_HEADINGS = 300
_MOST_SHEETS = 6


@dataclass(frozen=True)
class Heading:
    """A heading of the outline as it is shown: those around the place and the outermost ones."""

    title: str
    section_id: str
    depth: int
    start: int
    end: int
    current: bool
    below: int


@dataclass(frozen=True)
class Sheet:
    """A page of a PDF file with the rectangles of what was found."""

    page: int
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class Reading:
    """A part of a document.

    Attributes:
        source: The document's name.
        title: Its title.
        language: Its language, where that is clear.
        html: The part, rendered and safe.
        start, end: Which characters it is.
        length: Where the last chunk of the document ends.
        chain: Headings around what is marked.
        headings: The outline around it.
        sheets: Pages with what is marked; empty where the document has none.
    """

    source: str
    title: str
    language: str | None
    html: str
    start: int
    end: int
    length: int
    chain: tuple[str, ...]
    headings: tuple[Heading, ...]
    sheets: tuple[Sheet, ...]


async def read_span(source: str, start: int, end: int, index: AsyncIndex) -> Reading | None:
    """The part of a document around a span, which is marked.

    Args:
        source: The document's name.
        start: Where the span begins.
        end: Where it ends, exclusive; nothing is marked if it is not behind `start`.
        index: Holds the document.

    Returns:
        None where the document has no text there.

    Raises:
        QueryError: The index holds no such document.
    """
    chunks = await index.chunks(source)
    return await asyncio.to_thread(read, chunks, start, end)


def read(chunks: Sequence[Chunk], start: int, end: int) -> Reading | None:
    """The same, of a document's chunks in order."""
    if not chunks or start >= chunks[-1].char_end:
        return None
    first = next(at for at, one in enumerate(chunks) if one.char_end > start)
    low, high = _around(chunks, first, max(end, start + 1))
    shown = chunks[low:high]
    text, base = _joined(shown), shown[0].char_start
    marked = Span(max(start - base, 0), min(end - base, len(text)))
    found = [one for one in chunks[first:high] if one.char_start < max(end, start + 1)]
    return Reading(
        chunks[0].source,
        chunks[0].title,
        chunks[0].language,
        rendered(text, marked),
        base,
        base + len(text),
        chunks[-1].char_end,
        found[0].parent_chain if found else (),
        tuple(_headings(chunks, start)),
        tuple(_sheets(found, start, end)),
    )


def _around(chunks: Sequence[Chunk], first: int, end: int) -> tuple[int, int]:
    """Which chunks are shown: what is marked, and as much before and behind as fits, from the beginning of a section if one is near."""
    low, high = first, first + 1
    while high < len(chunks) and chunks[high].char_start < min(
        end, chunks[first].char_start + AROUND
    ):
        high += 1
    room = AROUND - (chunks[high - 1].char_end - chunks[low].char_start)
    while low > 0 and chunks[first].char_start - chunks[low - 1].char_start < room // 3:
        low -= 1
    headed = [at for at in range(low, first + 1) if chunks[at].sections]
    low = headed[0] if headed and low else low
    while high < len(chunks) and chunks[high].char_end - chunks[low].char_start < AROUND:
        high += 1
    return low, high


def _joined(chunks: Sequence[Chunk]) -> str:
    """The text of chunks that follow each other; between them a document has only white space."""
    parts: list[str] = []
    end = chunks[0].char_start
    for chunk in chunks:
        if chunk.char_start > end:
            parts.append("\n" * (chunk.char_start - end))
            end = chunk.char_start
        if chunk.char_end > end:
            parts.append(chunk.text[end - chunk.char_start :])
            end = chunk.char_end
    return "".join(parts)


def _headings(chunks: Sequence[Chunk], position: int) -> Iterator[Heading]:
    """The outline: the outermost headings, those around the place, and what lies directly in these."""
    path: list[tuple[Section, int]] = []
    unique = {one.id: one for chunk in chunks for one in chunk.sections}
    inside: dict[str, int] = {}
    flat: list[tuple[Section, int, str | None]] = []
    for section in unique.values():
        while path and path[-1][0].level >= section.level:
            path.pop()
        parent = path[-1][0].id if path else None
        for one, _ in path:
            inside[one.id] = inside.get(one.id, 0) + 1
        flat.append((section, len(path), parent))
        path.append((section, len(path)))
    around = {one.id for one, _, _ in flat if one.char_start <= position < one.char_end}
    innermost = [one.id for one, _, _ in flat if one.id in around][-1:]
    shown = [entry for entry in flat if entry[2] is None or entry[2] in around]
    here = next((at for at, entry in enumerate(shown) if [entry[0].id] == innermost), 0)
    begin = max(0, min(here - _MOST_HEADINGS // 2, len(shown) - _MOST_HEADINGS))
    for section, depth, _ in shown[begin : begin + _MOST_HEADINGS]:
        yield Heading(
            section.title or "(untitled)",
            section.id,
            min(depth, 6),
            section.char_start,
            section.body_start or section.char_start + 1,
            [section.id] == innermost,
            0 if section.id in around else inside.get(section.id, 0),
        )


def _sheets(chunks: Sequence[Chunk], start: int, end: int) -> Iterator[Sheet]:
    """The pages of what is marked. A rectangle that also holds other text is left out, its page is not."""
    whole = [one for one in chunks if (one.char_start, one.char_end) == (start, end)]
    boxes = [
        box
        for chunk in whole or chunks
        for box in chunk.boxes
        if box.char_start < end and box.char_end > start
    ]
    for page in sorted({one.page for one in boxes})[:_MOST_SHEETS]:
        here = (one for one in boxes if one.page == page)
        within = (one for one in here if one.char_start >= start and one.char_end <= end)
        yield Sheet(page, tuple(dict.fromkeys(within)))
