"""What a passage of a document says about itself: its place, sections, definitions, references and kind.

For chunkers: they decide where to cut, `Passages` fills in the rest.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from hierdoc.models import Chunk, Definition, Document, Kind, Reference, Section
from hierdoc.structure.cutting import Piece, find_fences
from hierdoc.structure.markdown import heading_end, line_starts
from hierdoc.structure.numbering import heading_key, split_heading
from hierdoc.structure.references import find_references
from hierdoc.structure.sections import NO_PARENT, flatten, page_at
from hierdoc.structure.titles import document_keys

MOST_REFERENCES = 100
"""References that a chunk keeps; more than passages of the usual size have."""


class Passages:
    """Makes chunks of one document.

    Args:
        document: With its sections and definitions.

    Attributes:
        document: It.
        sections: All its sections in document order.
        starts: Where each of them begins.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        flat = flatten(document.sections)
        headings = [split_heading(entry.section.title) for entry in flat]
        keys = [key for key, _ in headings]
        self.sections = [_alone(entry.section) for entry in flat]
        self.starts = [section.char_start for section in self.sections]
        self._parents = [entry.parent for entry in flat]
        self._names = [
            (section.id,) if key is None or key == section.id else (section.id, key)
            for section, key in zip(self.sections, keys, strict=True)
        ]
        self._headings = [
            _heading_keys(section.title, *heading)
            for section, heading in zip(self.sections, headings, strict=True)
        ]
        self._own = document_keys(document)
        self._chains: dict[int, tuple[tuple[str, ...], tuple[str, ...]]] = {
            NO_PARENT: ((), self._own)
        }
        self._lines = line_starts(document.text)
        self._definitions = document.definitions
        self._definition_starts = self._find_definitions()
        found = find_references(document.text, flat, keys, self._own)
        self._references = [one for one in found if not self._in_heading(one.start)]
        self._reference_starts = [one.start for one in self._references]

    def section_at(self, position: int) -> int:
        """The index of the innermost section that holds a character; -1 before the first heading."""
        place = bisect_right(self.starts, position) - 1
        while place >= 0 and self.sections[place].char_end <= position:
            place = self._parents[place]
        return place

    def common_section(self, start: int, end: int) -> int:
        """The index of the innermost section that holds the whole span; -1 where there is none."""
        place = self.section_at(start)
        while place >= 0 and self.sections[place].char_end < end:
            place = self._parents[place]
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
        text = document.text[start:end]
        begun = slice(bisect_left(self.starts, piece.fresh), bisect_left(self.starts, end))
        held = range(max(0, bisect_right(self.starts, start) - 1), begun.stop)
        defined = slice(
            bisect_left(self._definition_starts, piece.fresh),
            bisect_left(self._definition_starts, end),
        )
        definitions = tuple(self._definitions[defined])
        parent_chain, ancestors = self._around(place)
        return Chunk(
            source=document.source,
            text=text,
            char_start=start,
            char_end=end,
            line_start=bisect_right(self._lines, start),
            line_end=bisect_right(self._lines, end - 1),
            page_start=page_at(document.page_starts, start),
            page_end=page_at(document.page_starts, end - 1),
            ordinal=ordinal,
            title=document.title,
            parent_chain=parent_chain,
            section_id=self.sections[place].id if place >= 0 else None,
            section_keys=_distinct(
                (*self._names[held.start : held.stop], *((self._own,) if ordinal == 0 else ()))
            ),
            ancestor_keys=ancestors,
            headings=_distinct(self._headings[begun]),
            sections=tuple(self.sections[begun]),
            definitions=definitions,
            references=self._references_in(start, end, place),
            kind=kind_of(text, definitions, document.language),
            language=document.language,
        )

    def _around(self, place: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The parent chain of a section and the names of its ancestors."""
        known = self._chains.get(place)
        if known is None:
            parent = self._parents[place]
            titles, ancestors = self._around(parent)
            names = self._names[parent] if parent >= 0 else ()
            known = (*titles, self.sections[place].title), _distinct((ancestors, names))
            self._chains[place] = known
        return known

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

    def _in_heading(self, position: int) -> bool:
        place = bisect_right(self.starts, position) - 1
        if place < 0:
            return False
        end = self.sections[place].char_end
        return position < heading_end(self.document.text, self.starts[place], end)

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


def kind_of(text: str, definitions: Sequence[Definition] = (), language: str | None = None) -> Kind:
    """What a passage mostly is.

    The first that holds of:

    - `code`: fences are half of it, or more;
    - `table`: rows that begin with `|` are half of it, or more;
    - `definition`: definitions that begin in it are half of it, or more;
    - `requirement`: it says `shall`, `must` or the like at least once in 400 characters;
    - `list`: of its lines that are not indented half begin an item, or more, and three at least;
    - `content`.
    """
    half = len(text) / 2
    if ("```" in text or "~~~" in text) and half <= sum(
        closing - opening for opening, closing in find_fences(text, 0, len(text))
    ):
        return "code"
    lines = "\n" + text
    if "|" in text and sum(map(len, _ROW.findall(lines))) >= half:
        return "table"
    if definitions and sum(map(len, {definition.text for definition in definitions})) >= half:
        return "definition"
    modals = _MODALS.get(language or "", _ALL_MODALS)
    if sum(map(text.count, modals)) * _MODAL_EVERY >= len(text):
        return "requirement"
    items = len(_ITEM.findall(lines))
    return "list" if items >= 3 and 2 * items >= len(_UNINDENTED.findall(lines)) else "content"


_ROW = re.compile(r"\n[ \t>]*\|[^\n]*")
_ITEM = re.compile(r"\n[ \t>]*(?:[-*+•]|\(?[0-9a-zA-Z]{1,4}[.)])[ \t]")
_UNINDENTED = re.compile(r"\n\S")
_MODALS = {
    "en": (" shall ", " must ", "SHALL", "MUST"),
    "de": (" muss ", " müssen ", " ist verpflichtet ", " sind verpflichtet "),
    "fr": (" doit ", " doivent "),
    "es": (" debe ", " deben ", " deberá ", " deberán "),
    "it": (" deve ", " devono "),
    "pt": (" deve ", " devem "),
    "nl": (" moet ", " moeten "),
    "sv": (" ska ", " skall ", " måste "),
    "da": (" skal ", " må ikke "),
    "no": (" skal ", " må "),
    "fi": (" on oltava ", " täytyy "),
    "ro": (" trebuie ",),
    "ru": (" должен ", " должны ", " обязан "),
}
_ALL_MODALS = tuple(dict.fromkeys(chain.from_iterable(_MODALS.values())))
_MODAL_EVERY = 400


def _alone(section: Section) -> Section:
    """The section without its children."""
    if not section.children:
        return section
    return replace(section, children=())


def _heading_keys(title: str, key: str | None, rest: str) -> tuple[str, ...]:
    """A heading as it is compared; of a numbered one also what stands behind the number."""
    whole = heading_key(title)
    behind = heading_key(rest) if key else ""
    return (whole, behind) if behind and behind != whole else (whole,)


def _distinct(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(groups)))
