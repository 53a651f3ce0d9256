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
        start = min(group[0].start, group[-1].start)
        end = max(group[0].end, group[-1].end)
        if _is_label(text, start, end):
            continue
        target = None
        if not _FOREIGN.match(text, end):
            place = bisect_right(starts, start) - 1
            target = _resolved(group, place, flat, within)
            if target is None and len(group) > 1:
                target = _resolved(group[::-1], place, flat, within)
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
    (?:(?:,|\s(?:und|oder|bis|and|or|to))\s{{1,9}}(?:Abs(?:\.|atz)\s)?[0-9]{{1,4}}[a-z]?(?:\([0-9a-z]{{1,3}}\))*){{0,12}}
    (?: ,?\s{{1,9}}(?:of|under|to|in)\s{{1,9}}(?:the\s{{1,9}})?(?!this\b|such\b)
          (?:(?:[A-Z][\w.'’&-]*|and|for|of|on|the|to)\s{{1,9}}){{0,12}}?(?:{_WORKS})\b
      | ,?\s{{1,9}}(?:of|under)\s{{1,9}}(?:Council\s|Commission\s)?
          (?:Regulation|Directive|Decision|Public\sLaw|Framework)\b
      | ,?\s{{1,9}}(?:of\s(?:the\s)?)?(?:United\sStates\sCode|Code\sof\sFederal|U\.\s?S\.\s?C|C\.\s?F\.\s?R|TFEU|TEU)
      | \s{{1,9}}(?:des|der|dem)\s{{1,9}}(?:[a-zäöüß]+\s{{1,9}}){{0,2}}
          (?:[A-ZÄÖÜ][\wäöüß-]*(?:gesetz(?:e?s|buch(?:e?s)?)?|ordnung|vertrag(?:e?s)?|abkommens|richtlinie)
            |Gesetzes|Verordnung|Richtlinie|Vertrag(?:e?s)|Abkommens)\b
      | \s{{1,9}}(?:[A-ZÄÖÜ]{{2,6}}|[A-ZÄÖÜ][a-zäöü]{{0,4}}[A-ZÄÖÜ][A-Za-z]{{0,4}})(?!\w)
    )
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


def _is_label(text: str, start: int, end: int) -> bool:
    """Whether the citation is the number of the paragraph that it begins: `Section 6. If a court …`."""
    if text[end : end + 1] not in (".", ":", "—", "–"):
        return False
    line = text.rfind("\n", 0, start)
    return (
        not text[line + 1 : start].strip(" \t*_")
        and not text[text.rfind("\n", 0, max(line, 0)) + 1 : max(line, 0)].strip()
    )


def _resolved(
    group: Sequence[Citation],
    place: int,
    flat: Sequence[FlatSection],
    within: dict[tuple[int, str], int],
) -> int | None:
    """The section that citations within each other mean, the outermost first; None where that is none or not clear."""
    target = _nearest(group[0], place, flat, within)
    for citation in group[1:]:
        if target is None:
            break
        keys = _shortened(citation)
        target = next((within[target, key] for key in keys if (target, key) in within), None)
    return None if target == _AMBIGUOUS else target


def _nearest(
    citation: Citation,
    place: int,
    flat: Sequence[FlatSection],
    within: dict[tuple[int, str], int],
) -> int | None:
    for key in _shortened(citation):
        around = place
        while (around, key) not in within and around != NO_PARENT:
            around = flat[around].parent
        if (around, key) in within:
            return within[around, key]
    return None


def _shortened(citation: Citation) -> list[str]:
    """The key, then those of the levels around it: `sec_203_a_1`, `sec_203_a`, `sec_203`."""
    levels = citation.key[len(citation.unit) :].split("_")[1:]
    return ["_".join((citation.unit, *levels[:count])) for count in range(len(levels), -1, -1)]
