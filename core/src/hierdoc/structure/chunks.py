"""What a chunk of a document says about itself: its place, sections, definitions, references and kind.

For chunkers: they decide where to cut, `ChunkMaker` fills in the rest.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain

from hierdoc.citations import DIVISION, heading_key, section_key, split_heading, without_gloss
from hierdoc.models import Chunk, Definition, Document, Reference, Section
from hierdoc.quick import quick
from hierdoc.structure.boxes import boxes_of
from hierdoc.structure.cutting import Cutter, Piece
from hierdoc.structure.definitions import LONGEST_DEFINITION
from hierdoc.structure.kinds import Kinds
from hierdoc.structure.layout import Lines
from hierdoc.structure.packing import Outline, Span, pack
from hierdoc.structure.references import PlacedReference, find_references
from hierdoc.structure.sections import (
    NO_PARENT,
    FlatSection,
    body_start,
    flatten,
    is_enumerated,
    page_at,
)
from hierdoc.structure.titles import document_keys

MOST_REFERENCES = 100
"""References that a chunk keeps; more than chunks of the usual size have."""


class ChunkMaker:
    """Makes chunks of one document, which are asked for in order.

    Args:
        document: With its sections and definitions.
        references: Whether to look for references.

    Attributes:
        document: It.
        sections: All its sections in document order, without children.
        starts: Where each of them begins.
        parents: For each the index of its parent, or -1.
        keys: For each the key of its heading, None where it has no number.
    """

    def __init__(self, document: Document, *, references: bool = True) -> None:
        self.document = document
        text = document.text
        flat = flatten(document.sections)
        self.sections: list[Section] = []
        self.starts: list[int] = []
        self.parents: list[int] = []
        self.keys: list[str | None] = []
        self._visible: list[int] = []
        self._enumerated: list[bool] = []
        self._bodies: list[int] = []
        self._names: list[tuple[str, ...]] = []
        self._headings: list[tuple[str, ...]] = []
        for entry in flat:
            section = entry.section
            title, start = section.title, section.char_start
            number, rest = split_heading(title)
            key = section.key or number
            enumerated = is_enumerated(text, section)
            self.sections.append(_alone(section))
            self.starts.append(start)
            self.parents.append(entry.parent)
            self.keys.append(key)
            self._visible.append(start if text[start] == "#" else _first_text(text, start))
            self._enumerated.append(enumerated)
            self._bodies.append(body_start(text, section))
            self._names.append((section.id,) if key in (None, section.id) else (section.id, key))
            self._headings.append(
                _heading_keys(_without_enumerator(title) if enumerated else title, number, rest)
            )
        self._name_by_decimals()
        self._box_ends = [one.char_end for one in document.boxes]
        self._own = document_keys(document)
        self._chains: dict[int, tuple[tuple[str, ...], tuple[str, ...]]] = {
            NO_PARENT: ((), self._own)
        }
        self._lines = Lines(document.text)
        self._kinds = Kinds(document.text, document.language)
        self._definitions = document.definitions
        self._definition_starts = self._find_definitions() if document.definitions else []
        self._references = self._find_references(flat) if references else []
        self._reference_starts = [one.start for one in self._references]

    def packed(self, cutter: Cutter, limit: int, small: int) -> Iterator[Span]:
        """The spans that become chunks; see `hierdoc.structure.packing.pack`."""
        outline = Outline(
            self.document.text,
            self.sections,
            self.parents,
            [key is not None for key in self.keys],
            self._enumerated,
            self._bodies,
        )
        return pack(outline, cutter, limit, small)

    def section_at(self, position: int) -> int:
        """The index of the innermost section that holds a character; -1 before the first heading."""
        place = bisect_right(self.starts, position) - 1
        while place >= 0 and self.sections[place].char_end <= position:
            place = self.parents[place]
        return place

    def common_section(self, start: int, end: int) -> int:
        """The index of the innermost section that holds the whole span; -1 where there is none."""
        place = self.section_at(start)
        while place >= 0 and self.sections[place].char_end < end:
            place = self.parents[place]
        return place

    def chunk(self, piece: Piece, place: int, ordinal: int) -> Chunk:
        """The chunk of a piece of the text.

        Args:
            piece: What of the text it is. Sections and definitions that begin in what it repeats of the piece before belong
                to that one.
            place: The index of its section; -1 for none.
            ordinal: Its position among the document's chunks.
        """
        document, start, end = self.document, piece.start, piece.end
        first = bisect_left(self._visible, piece.fresh)
        last = bisect_left(self._visible, end, first)
        at = max(0, bisect_right(self.starts, start) - 1)
        names = self._names[at:last]
        if at < len(self.sections) and self._enumerated[at]:
            names = [*(self._names[outer] for outer in self._enumerated_around(at)), *names]
        definitions: tuple[Definition, ...] = ()
        if self._definitions:
            low, high = (bisect_left(self._definition_starts, at) for at in (piece.fresh, end))
            definitions = _first_of(self._definitions[low:high])
        parent_chain, ancestors = self._around(place)
        headings = self._headings[first:last]
        if self._kinds.tables and (rows := self._kinds.row_ids(piece.fresh, end)):
            named = [_row_names(row, parent_chain) for row in rows]
            names = [*names, *(keys for keys, _ in named)]
            headings = [*headings, *(shown for _, shown in named)]
        line_start, line_end = self._lines.of(start, end)
        pages = document.page_starts
        return _chunk(
            source=document.source,
            text=document.text[start:end],
            char_start=start,
            char_end=end,
            line_start=line_start,
            line_end=line_end,
            page_start=page_at(pages, start) if pages else None,
            page_end=page_at(pages, end - 1) if pages else None,
            ordinal=ordinal,
            title=document.title,
            parent_chain=parent_chain,
            section_id=self.sections[place].id if place >= 0 else None,
            section_keys=_distinct([*names, self._own] if ordinal == 0 else names),
            ancestor_keys=ancestors,
            headings=_distinct(headings),
            sections=tuple(self.sections[first:last]),
            definitions=definitions,
            references=self._references_in(start, end, place) if self._references else (),
            kind=self._kinds.of(start, end, line_end - line_start + 1, definitions),
            language=document.language,
            context=self._kinds.header(start) if self._kinds.tables else "",
            boxes=boxes_of(document.boxes, self._box_ends, start, end) if document.boxes else (),
        )

    def _name_by_decimals(self) -> None:
        """Give a division the name that the numbers of its sections imply: `division_8` to Chapter 8 with 8.1."""
        for key, parent in zip(self.keys, self.parents, strict=True):
            around = self.keys[parent] if parent >= 0 else None
            if key is None or around is None or not around.startswith(_DIVISIONS):
                continue
            number = around.partition("_")[2]
            implied = f"{DIVISION}{number}"
            if key.startswith(f"sec_{number}_") and implied not in self._names[parent]:
                self._names[parent] = (*self._names[parent], implied)

    def _enumerated_around(self, place: int) -> list[int]:
        """What an enumerated subsection is a part of: others, the outermost last but one, and their section."""
        around: list[int] = []
        while place >= 0 and self._enumerated[place]:
            place = self.parents[place]
            if place >= 0:
                around.append(place)
        return around[::-1]

    def _around(self, place: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The parent chain of a section and the names of its ancestors."""
        path = []
        while place not in self._chains:
            path.append(place)
            place = self.parents[place]
        titles, ancestors = self._chains[place]
        for inner in reversed(path):
            names = self._names[place] if place >= 0 else ()
            titles = (*titles, self.sections[inner].title)
            if names:
                ancestors = _distinct((ancestors, names))
            self._chains[inner] = titles, ancestors
            place = inner
        return titles, ancestors

    def _find_definitions(self) -> list[int]:
        """Where each definition begins: its text is a piece of its section's."""
        spans = {section.id: (section.char_start, section.char_end) for section in self.sections}
        starts: list[int] = []
        position = 0
        for definition in self._definitions:
            low, high = spans.get(definition.section_id or "", (0, len(self.document.text)))
            found = self.document.text.find(definition.text, max(low, position), high)
            position = found if found >= 0 else max(low, position)
            starts.append(position)
        return starts

    def _find_references(self, flat: Sequence[FlatSection]) -> list[PlacedReference]:
        """The references of the text that do not stand in headings."""
        found = []
        for one in find_references(self.document.text, flat, self.keys, self._own):
            place = bisect_right(self.starts, one.start) - 1
            if place < 0 or one.start >= self._bodies[place]:
                found.append(one)
        return found

    def _references_in(self, start: int, end: int, place: int) -> tuple[Reference, ...]:
        """What the text between refers to, other than the section that it stands in."""
        references: dict[str, Reference] = {}
        for number in range(bisect_left(self._reference_starts, start), len(self._references)):
            placed = self._references[number]
            if placed.end > end or len(references) == MOST_REFERENCES:
                break
            if placed.target is None or placed.target != place:
                references.setdefault(placed.reference.section_id, placed.reference)
        return tuple(references.values())


_chunk, _section = quick(Chunk), quick(Section)
_TEXT = re.compile(r"[^\s\ufeff]")
_DIVISIONS = ("ch_", "app_", "annex_", "part_")
"""What the keys of divisions begin with whose sections may have their number before their own: 8.1 in Chapter 8, A.1 in Appendix A."""

_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LETTERED = re.compile(r"([A-Z]{1,3})([0-9]{1,4}(?:\.[0-9]{1,4}){0,5})\b")
_ENUMERATOR = re.compile(r"\(?\w{1,6}[.)]\s*")


def _first_of(definitions: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """As many as have, together, no more text than one may have."""
    if sum(len(one.text) for one in definitions) <= LONGEST_DEFINITION:
        return definitions
    ends = accumulate(len(one.text) for one in definitions)
    return definitions[: max(1, sum(end <= LONGEST_DEFINITION for end in ends))]


def _first_text(text: str, position: int) -> int:
    found = _TEXT.search(text, position)
    return found.start() if found else position


def _without_enumerator(title: str) -> str:
    return _ENUMERATOR.sub("", title, count=1)


def _alone(section: Section) -> Section:
    """The section without its children; spelled out, because `dataclasses.replace` takes five times as long."""
    if not section.children:
        return section
    return _section(
        section.id,
        section.title,
        section.level,
        section.char_start,
        section.char_end,
        section.line_start,
        section.line_end,
        section.page_start,
        section.page_end,
        key=section.key,
        body_start=section.body_start,
    )


def _heading_keys(title: str, key: str | None, rest: str) -> tuple[str, ...]:
    """A heading as it is compared; also what stands behind its number, and without what explains it in brackets."""
    whole = heading_key(title)
    if not whole:
        return ()
    names = {whole: None}
    behind = heading_key(rest) if key else whole
    if behind:
        names[behind] = None
        names[without_gloss(behind)] = None
    return tuple(names)


def _row_names(row: str, titles: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys by which the id of a row is cited, and the names by which it is looked up: below `V6.2` 6.2.4 is V6.2.4, too."""
    key = section_key(row.lstrip(_CAPITALS) if "." in row and "-" not in row else row)
    shown = [heading_key(row)]
    for title in titles:
        letters = _LETTERED.match(title)
        if letters and f"{row}.".startswith(f"{letters[2]}."):
            shown.append(heading_key(letters[1] + row))
    return (key,) if key else (), tuple(shown)


def _distinct(groups: Sequence[Iterable[str]]) -> tuple[str, ...]:
    if len(groups) < 2:
        return tuple(groups[0]) if groups else ()
    return tuple(dict.fromkeys(chain.from_iterable(groups)))
