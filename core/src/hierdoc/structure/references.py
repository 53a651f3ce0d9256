"""Cross-references: citations in a document, resolved to its sections where they mean one of these.

A citation means the nearest section of its key: first within the section it stands in, then within each around that.
`Article I, Section 2` and `section 2 of article I` are one reference. What belongs to another work (`section 4 of the Clean Air
Act`, `§ 823 BGB`) stays unresolved, and so does what several sections could be.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hierdoc.models import Reference
from hierdoc.structure.numbering import Citation, find_citations
from hierdoc.structure.sections import NO_PARENT, FlatSection


@dataclass(frozen=True, slots=True)
class PlacedReference:
    """A reference, its place in the text, and the index of the section it means; None while unresolved."""

    reference: Reference
    start: int
    end: int
    target: int | None


def find_references(
    text: str, flat: Sequence[FlatSection], keys: Sequence[str | None]
) -> list[PlacedReference]:
    """All references of a document, in order.

    Args:
        text: The document's text.
        flat: Its sections in document order.
        keys: For each the key of its heading, None where it has none.
    """
    within = _sections_within(flat, keys)
    starts = [entry.section.char_start for entry in flat]
    references = []
    for group in _grouped(text, find_citations(text)):
        start = min(citation.start for citation in group)
        end = max(citation.end for citation in group)
        target = None
        if not _FOREIGN.match(text, end):
            place = bisect_right(starts, start) - 1
            target = _resolved([citation.key for citation in group], place, flat, within)
        key = "_".join(citation.key for citation in group)
        reference = Reference(
            text=" ".join(text[start:end].split()),
            section_id=key if target is None else flat[target].section.id,
            resolved=target is not None,
        )
        references.append(PlacedReference(reference, start, end, target))
    return references


_AMBIGUOUS = -2
_INWARD = re.compile(r",?\s{1,2}")
_OUTWARD = re.compile(
    r",?\s(?:of|in|under|des|der|von|de|du|della|del|van|av|i)\s(?:the\s|this\s|la\s)?"
)

_WORKS = "Act|Code|Law|Statutes?|Regulations?|Directive|Treaty|Charter|Convention|Agreement|Rules|Order|Constitution of"
_FOREIGN = re.compile(
    rf"""
    ,?\s(?:of|under|to|in)\s(?:the\s)?(?!this\b|such\b)
        (?:(?:[A-Z][\w.'’&-]*|and|for|of|on|the|to)\s){{0,12}}?(?:{_WORKS})\b
  | ,?\s(?:of|under)\s(?:Council\s|Commission\s)?(?:Regulation|Directive|Decision|Public\sLaw|Framework)\b
  | ,?\s(?:of\s(?:the\s)?)?(?:United\sStates\sCode|Code\sof\sFederal|U\.\s?S\.\s?C|C\.\s?F\.\s?R|TFEU|TEU)
  | \s(?:des|der|dem)\s(?:[a-zäöüß]+\s){{0,2}}
        (?:[A-ZÄÖÜ][\wäöüß-]*(?:gesetz(?:e?s|buch(?:e?s)?)?|ordnung|verordnung|vertrag(?:e?s)?|abkommens)
          |Verordnung|Richtlinie|Vertrags)\b
  | \s(?:[A-ZÄÖÜ]{{2,6}}|[A-ZÄÖÜ][a-zäöü]{{0,4}}[A-ZÄÖÜ][A-Za-z]{{0,4}})(?!\w)
    """,
    re.VERBOSE,
)
"""What stands behind a citation of another work."""


def _grouped(text: str, citations: Iterable[Citation]) -> list[tuple[Citation, ...]]:
    """Citations that locate one thing together, the outermost first."""
    groups: list[tuple[Citation, ...]] = []
    behind = -1
    for citation in citations:
        gap = text[behind : citation.start] if 0 <= citation.start - behind <= 20 else None
        last = groups[-1] if groups else ()
        if gap and _label(citation) not in map(_label, last):
            if _INWARD.fullmatch(gap) and not text[last[-1].end - 1].isspace():
                groups[-1] = (*last, citation)
                behind = citation.end
                continue
            if _OUTWARD.fullmatch(gap):
                groups[-1] = (citation, *last)
                behind = citation.end
                continue
        groups.append((citation,))
        behind = citation.end
    return groups


def _label(citation: Citation) -> str:
    return citation.key.partition("_")[0]


def _sections_within(
    flat: Sequence[FlatSection], keys: Sequence[str | None]
) -> dict[tuple[int, str], int]:
    """For each section (or the document) and key: the one section of that key within it, or `_AMBIGUOUS`."""
    within: dict[tuple[int, str], int] = {}
    for index, key in enumerate(keys):
        if key is None:
            continue
        around = index
        while True:
            place = (around, key)
            within[place] = index if within.get(place, index) == index else _AMBIGUOUS
            if around == NO_PARENT:
                break
            around = flat[around].parent
    return within


def _resolved(
    keys: Sequence[str],
    place: int,
    flat: Sequence[FlatSection],
    within: dict[tuple[int, str], int],
) -> int | None:
    """The section that a chain of keys means, the outermost first; None where that is none or not clear."""
    target = _nearest(keys[0], place, flat, within)
    for key in keys[1:]:
        if target is None:
            break
        inner = [within[target, part] for part in _shortened(key) if (target, part) in within]
        target = inner[0] if inner else None
    return None if target == _AMBIGUOUS else target


def _nearest(
    key: str, place: int, flat: Sequence[FlatSection], within: dict[tuple[int, str], int]
) -> int | None:
    for part in _shortened(key):
        around = place
        while True:
            if (around, part) in within:
                return within[around, part]
            if around == NO_PARENT:
                break
            around = flat[around].parent
    return None


def _shortened(key: str) -> list[str]:
    """The key, then those of the parts around it: `sec_203_a_1`, `sec_203_a`, `sec_203`."""
    levels = key.split("_")
    return ["_".join(levels[:length]) for length in range(len(levels), 1, -1)]
