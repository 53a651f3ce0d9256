"""Understanding a document: its sections, definitions and references. Pure functions: no I/O, no clock, no logging.

    from hierdoc.structure import ChunkMaker, Piece, understand

    document = understand(Document(source="act.md", text=text))     # with sections, definitions and language
    maker = ChunkMaker(document)                                   # what any piece of it says about itself

This package is the door: others import from here alone. Behind it a text passes through these modules, each of which takes
the frozen value that the one before it made:

    layout.py        text -> Layout              headings of markdown, fences, tables
    candidates.py    Layout -> Candidates        what may be a heading, as it was found
    recognition.py   Candidates -> Domain        which tradition the text is of
    selection.py     Candidates -> Selection     which are headings: one automaton counts, `Domain` says how
    nesting.py       Selection -> Nesting        which lies in which, and the (a), (1) between them
    sections.py      Nesting -> Section          ids, keys, lines and pages
    chunks.py        Document -> Chunk           what a piece says about itself, where a chunker cuts

A document whose markup states its outline skips the steps before nesting: `stated.py` makes a Nesting of what is stated.

Beside the way stand the readers that these ask: `markdown`, `blocks` and `inline` (CommonMark), `lines` (where a line may begin a
section), `joined` (where one may within a long line), `contents` (the document's own table of contents, the best witness of all),
`captions` (lines without a number above sections), `levels` (the author's, and where they say too little, the labels'), `domains` (the traditions, as data), `enumerators`; behind it `doubts`
(what speaks against the sections); for chunks `packing`, `cutting`, `kinds`, `references`, `definitions`, `names`, `titles` and `place`.
"""

from __future__ import annotations

from dataclasses import replace

from hierdoc.models import Document, DomainName
from hierdoc.structure.chunks import ChunkMaker
from hierdoc.structure.cutting import SMALLEST_LIMIT, CountTokens, Cutter, Piece, cut, windows
from hierdoc.structure.definitions import find_definitions
from hierdoc.structure.doubts import find_doubts
from hierdoc.structure.markdown import Heading, find_headings, front_matter_end
from hierdoc.structure.packing import Span
from hierdoc.structure.place import place_of
from hierdoc.structure.references import PlacedReference, find_references
from hierdoc.structure.sections import (
    FlatSection,
    body_start,
    document_tree,
    flatten,
    section_tree,
)
from hierdoc.structure.titles import document_keys
from hierdoc.text.language import detect_language


def understand(
    document: Document,
    domain: DomainName = "auto",
    max_subsection_depth: int | None = None,
    *,
    definitions: bool = True,
) -> Document:
    """The document with its sections and definitions, and its language if the converter did not know it.

    Args:
        document: As a converter made it.
        domain: How it is divided besides headings; see `section_tree`. A document with an outline is divided as that says.
        max_subsection_depth: How many levels of enumerated subsections to keep; None for all.
        definitions: Whether to look for defined terms.

    Raises:
        ConversionError: The document's outline does not fit its text.
    """
    sections = document_tree(document, domain, max_subsection_depth)
    return replace(
        document,
        sections=sections,
        definitions=find_definitions(document.text, document.source, sections)
        if definitions
        else (),
        language=document.language or detect_language(document.text),
    )


__all__ = [
    "SMALLEST_LIMIT",
    "ChunkMaker",
    "CountTokens",
    "Cutter",
    "FlatSection",
    "Heading",
    "Piece",
    "PlacedReference",
    "Span",
    "body_start",
    "cut",
    "document_keys",
    "find_definitions",
    "find_doubts",
    "find_headings",
    "find_references",
    "flatten",
    "front_matter_end",
    "place_of",
    "section_tree",
    "understand",
    "windows",
]
