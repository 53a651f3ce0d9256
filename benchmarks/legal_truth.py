"""What is true of the real legal documents, counted by reading them, and how much of it is found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from hierdoc.citations import section_key
from hierdoc.models import Document
from hierdoc.structure import (
    PlacedReference,
    body_start,
    document_keys,
    find_references,
    flatten,
    understand,
)

GDPR_DEFINITIONS = 26
"""Numbered items of Article 4 of Regulation (EU) 2016/679, each with a term."""

GDPR_OTHER_NAMES = ("Board", "Board", "CERT", "CSIRT", "Charter", "Court of Justice", "TEU")
"""Names and abbreviations that the Regulation introduces elsewhere: `(the ‘Board’)` and the like."""

GDPR_REFERENCES: Mapping[str, Sequence[str]] = {
    "art_6": [
        "art_6",
        "art_6",
        "art_6",
        "ch_9",
        "art_6",
        "art_6",
        "art_6",
        "ch_9",
        "art_23",
        "art_9",
        "art_10",
    ],
    "art_17": [
        "art_6",
        "art_9",
        "art_21",
        "art_21",
        "art_8",
        "art_17",
        "art_17",
        "art_17",
        "art_9",
        "art_9",
        "art_9",
        "art_89",
        "art_17",
    ],
    "art_22": ["art_22", "art_22", "art_22", "art_22", "art_9", "art_9", "art_9"],
}
"""Per article, read by a person: the article or chapter that each reference in its text leads to, in order."""

_MEANS = re.compile(r"'([^']{1,80})'(?:,[^'.;:]{1,120},)?\s+(?:means|has\s+the\s+meaning|mean)\b")


@dataclass(frozen=True)
class Resolution:
    """How many references of a document are resolved.

    Attributes:
        own: References that lead to the document itself, as far as the text says.
        resolved: How many of them have a section.
        foreign: References that name another work.
    """

    own: int
    resolved: int
    foreign: int

    @property
    def share(self) -> float:
        """Of the references to the document itself, those that are resolved."""
        return self.resolved / self.own if self.own else 1.0


def terms_by_eye(text: str) -> list[str]:
    """Terms of a bill in single quotes with `means` behind them, found by that pattern alone."""
    return [" ".join(found[1].split()) for found in _MEANS.finditer(text)]


def references_of(document: Document, own: Collection[str] = ()) -> list[PlacedReference]:
    """The references of a document, those in its headings left out."""
    understood = understand(document)
    flat = flatten(understood.sections)
    keys = [section_key(entry.section.title) for entry in flat]
    names = (*document_keys(understood), *own)
    found = find_references(document.text, flat, keys, names)
    ends = {entry.section.char_start: body_start(document.text, entry.section) for entry in flat}
    headings = sorted(ends.items())
    return [one for one in found if not any(low <= one.start < high for low, high in headings)]


def resolution(references: Sequence[PlacedReference]) -> Resolution:
    """How many are resolved."""
    own = [one for one in references if not one.reference.work]
    resolved = sum(one.target is not None for one in own)
    return Resolution(len(own), resolved, len(references) - len(own))


def units_cited(
    document: Document, references: Sequence[PlacedReference], section_id: str
) -> list[str]:
    """The articles, sections or chapters that the references in one section lead to, in order."""
    flat = flatten(understand(document).sections)
    section = next(entry.section for entry in flat if entry.section.id == section_id)
    inside = [one for one in references if section.char_start <= one.start < section.char_end]
    return ["_".join(one.reference.section_id.split("_")[:2]) for one in inside]


def missing(expected: Sequence[str], found: Sequence[str]) -> Counter[str]:
    """What is expected and not found, with how often."""
    return Counter(expected) - Counter(found)
