"""Sections that are named by where they stand: `this chapter`, `the preceding Article`, `dieses Abschnitts`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hierdoc.structure.grammar import WORDS


@dataclass(frozen=True, slots=True)
class Relative:
    """Such a name.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        prefix: The label of the section: `ch` of `this chapter`.
        step: 0 for the section around it, -1 for the one before that, 1 for the one behind.
    """

    start: int
    end: int
    prefix: str
    step: int


def find_relative(text: str) -> list[Relative]:
    """All such names, in order."""
    found: list[Relative] = []
    for trigger, pattern, step in _PATTERNS:
        position = text.find(trigger)
        while position >= 0:
            match = pattern.match(text, max(0, position - _BACK.get(trigger, 0)))
            word = WORDS.get(match[1].lower()) if match else None
            if match and word and word.prefix and not word.level:
                found.append(Relative(match.start(), match.end(), word.prefix, step))
            position = text.find(trigger, position + len(trigger))
    for trigger, step in _BEHIND:
        position = text.find(f" {trigger}")
        while position >= 0:
            label = _WORD_BEFORE.search(text, max(0, position - _LONGEST_LABEL), position)
            word = WORDS.get(label[0].lower()) if label else None
            if label and word and word.prefix and not word.level:
                end = position + 1 + len(trigger)
                found.append(Relative(label.start(), end, word.prefix, step))
            position = text.find(f" {trigger}", position + 1)
    found.sort(key=lambda one: one.start)
    return found


_LABEL = r"[\s\xa0]([^\W\d_]{3,20})(?!\w|[\s\xa0](?:[0-9(]|[IVXLC]+\b))"
_BEFORE = (
    ("his ", "[Tt]his", 0),
    ("dies", "dies(?:e[rsmn]?)", 0),
    ("présent", "présente?", 0),
    ("presente ", "presente", 0),
    ("preceding ", "preceding", -1),
    ("previous ", "previous", -1),
    ("foregoing ", "foregoing", -1),
    ("following ", "following", 1),
    ("next ", "next", 1),
    ("vorstehend", "vorstehende[nrsm]?", -1),
    ("vorhergehend", "vorhergehende[nrsm]?", -1),
    ("vorangehend", "vorangehende[nrsm]?", -1),
    ("nachfolgend", "nachfolgende[nrsm]?", 1),
)
"""What stands before the label: a piece of it that is searched for, the whole as a pattern, and the step it means."""

_BEHIND = (("précédent", -1), ("suivant", 1), ("anterior", -1), ("siguiente", 1), ("precedente", -1))
"""What stands behind the label in Romance languages: `l'article précédent`."""

_PATTERNS = [(trigger, re.compile(words + _LABEL), step) for trigger, words, step in _BEFORE]
_LONGEST_LABEL = 16
_WORD_BEFORE = re.compile(r"[^\W\d_]{3,14}\Z")
_BACK = {"his ": 1}
