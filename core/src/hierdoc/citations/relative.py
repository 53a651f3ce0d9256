"""Sections that are named by where they stand: `this chapter`, `the preceding Article`, `dieses Abschnitts`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hierdoc.citations.vocabulary import WORDS


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
    middle = len(text) // 2
    sample = text[:_SAMPLE] + text[middle : middle + _SAMPLE]
    short = len(text) <= 2 * _SAMPLE
    for sign, trigger, pattern, step in _PATTERNS:
        if not short and sign not in sample:
            continue
        position = text.find(trigger)
        while position >= 0:
            match = pattern.match(text, max(0, position - _BACK.get(trigger, 0)))
            word = WORDS.get(match[1].lower()) if match else None
            if match and word and word.prefix and not word.level:
                found.append(Relative(match.start(), match.end(), word.prefix, step))
            position = text.find(trigger, position + len(trigger))
    for trigger, step in _BEHIND if short or " de " in sample or " di " in sample else ():
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
    (" the ", "his ", "[Tt]his", 0),
    (" the ", "preceding ", "preceding", -1),
    (" the ", "previous ", "previous", -1),
    (" the ", "following ", "following", 1),
    (" the ", "next ", "next", 1),
    (" der ", "dies", "dies(?:e[rsmn]?)", 0),
    (" der ", "vorstehend", "vorstehende[nrsm]?", -1),
    (" der ", "vorhergehend", "vorhergehende[nrsm]?", -1),
    (" der ", "nachfolgend", "nachfolgende[nrsm]?", 1),
    ("é", "présent", "présente?", 0),
    (" de ", "presente ", "presente", 0),
)
"""What stands before the label: a word of its language, a piece that is searched for, the whole, and the step it means."""

_BEHIND = (
    ("précédent", -1),
    ("suivant", 1),
    ("anterior", -1),
    ("siguiente", 1),
    ("precedente", -1),
)
"""What stands behind the label in Romance languages: `l'article précédent`."""

_SAMPLE = 4_000
"""Characters at two places of a long text in which a word of a language is looked for."""

_PATTERNS = [
    (sign, trigger, re.compile(words + _LABEL), step) for sign, trigger, words, step in _BEFORE
]
_LONGEST_LABEL = 16
_WORD_BEFORE = re.compile(r"[^\W\d_]{3,14}\Z")
_BACK = {"his ": 1}
