from .chunks import ChunkMaker as ChunkMaker
from .cutting import SMALLEST_LIMIT as SMALLEST_LIMIT
from .cutting import CountTokens as CountTokens
from .cutting import Cutter as Cutter
from .cutting import Piece as Piece
from .cutting import cut as cut
from .cutting import windows as windows
from .definitions import find_definitions as find_definitions
from .doubts import find_doubts as find_doubts
from .markdown import Heading as Heading
from .markdown import find_headings as find_headings
from .markdown import front_matter_end as front_matter_end
from .packing import Span as Span
from .place import place_of as place_of
from .references import PlacedReference as PlacedReference
from .references import find_references as find_references
from .sections import FlatSection as FlatSection
from .sections import body_start as body_start
from .sections import document_tree as document_tree
from .sections import flatten as flatten
from .sections import section_tree as section_tree
from .titles import document_keys as document_keys
from .understanding import understand as understand

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
    "document_tree",
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
