"""Sections that are named by where they stand or by what was cited before: `this chapter`, `the preceding Article`, `such section`.

this chapter, dieses Abschnitts, au présent chapitre              the one around
the preceding Article, the two foregoing sections                 those before it
that section, such section, ledit article, Id.                    the one that was cited last
this subsection, the preceding paragraph, l'alinéa précédent      levels of the section around
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hierdoc.citations.vocabulary import WORDS, Word, cardinal_value


@dataclass(frozen=True, slots=True)
class Relative:
    """Such a name.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        prefix: The label of the section: `ch` of `this chapter`; empty for a level, and for `Id.`.
        step: 0 for the section around it, -1 for the one before that, 1 for the one behind.
        count: How many sections there are.
        level: The kind of the level, `para` of `this paragraph`; empty for a section.
        elsewhere: Whether what was cited last is meant and not where it stands.
    """

    start: int
    end: int
    prefix: str
    step: int = 0
    count: int = 1
    level: str = ""
    elsewhere: bool = False


def find_relative(text: str) -> list[Relative]:
    """All such names, in order."""
    middle = len(text) // 2
    sample = _SIGNS  # a short text may hold none of the words that tell its language
    if len(text) > 2 * _SAMPLE:
        sample = text[:_SAMPLE] + text[middle : middle + _SAMPLE]
    found = [*_labels_behind(text, sample), *_labels_before(text, sample), *_same(text, sample)]
    found.sort(key=lambda one: one.start)
    return found


def _labels_behind(text: str, sample: str) -> Iterator[Relative]:
    """`this chapter`, `the two preceding sections`."""
    for sign, trigger, pattern, step in _PATTERNS:
        if sign not in sample:
            continue
        position = text.find(trigger)
        while position >= 0:
            match = pattern.match(text, max(0, position - _BACK.get(trigger, 0)))
            word = WORDS.get(match[1].lower()) if match else None
            if match and word and _names_section(word):
                counted = _COUNTED.search(
                    text, max(0, match.start() - _LONGEST_COUNT), match.start()
                )
                count = _COUNTS.get(counted[1].lower(), 0) if counted else 0
                if count or not word.several:
                    start = counted.start(1) if counted and count else match.start()
                    yield _relative(start, match.end(), word, step, max(1, count))
            position = text.find(trigger, position + len(trigger))


def _labels_before(text: str, sample: str) -> Iterator[Relative]:
    """`l'article précédent`, `los dos artículos anteriores`."""
    for trigger, step in _BEHIND if " de " in sample or " di " in sample else ():
        position = text.find(f" {trigger}")
        while position >= 0:
            label = _WORD_BEFORE.search(text, max(0, position - _LONGEST_LABEL), position)
            word = WORDS.get(label[0].lower()) if label else None
            if label and word and _names_section(word):
                counted = _COUNTED.search(
                    text, max(0, label.start() - _LONGEST_COUNT), label.start()
                )
                count = _COUNTS.get(counted[1].lower(), 0) if counted else 0
                end = position + 1 + len(trigger)
                while text[end : end + 1].isalpha():  # `anteriores`
                    end += 1
                if count or not word.several:
                    start = counted.start(1) if counted and count else label.start()
                    yield _relative(start, end, word, step, max(1, count))
            position = text.find(f" {trigger}", position + 1)


def _same(text: str, sample: str) -> Iterator[Relative]:
    """`that section`, `ledit article`, `Id.`: what was cited last."""
    for sign, triggers in _SAME:
        for trigger in triggers if sign in sample else ():
            position = text.find(trigger)
            while position >= 0:
                named = _SAME_LABEL.match(text, position)
                word = WORDS.get(named[1].lower()) if named else None
                if named and word and word.prefix and not word.several:
                    start = position + trigger.startswith(" ")
                    while trigger[0] != " " and start and text[start - 1].isalpha():  # `ledit`
                        start -= 1
                    yield Relative(start, named.end(), word.prefix, elsewhere=True)
                position = text.find(trigger, position + len(trigger))
    for sign, endings in _IDEM:
        for ending in endings if sign in sample else ():
            position = text.find(ending)
            while position >= 0:
                end = position + len(ending)
                alone = _IDEM_ALONE.match(text, end)
                if alone and (not position or not text[position - 1].isalnum()):
                    yield Relative(position, end, "", elsewhere=True)
                position = text.find(ending, end)


def _names_section(word: Word) -> bool:
    return word.level in _LEVELS if word.level else bool(word.prefix)


def _relative(start: int, end: int, word: Word, step: int, count: int) -> Relative:
    return Relative(start, end, "" if word.level else word.prefix, step, count, word.level)


_LABEL = r"[\s\xa0]([^\W\d_]{3,20})(?!\w|[\s\xa0](?:[0-9(]|[IVXLC]+\b))"
_BEFORE = (
    (" the ", "his ", "[Tt]his", 0),
    (" the ", "preceding ", "preceding", -1),
    (" the ", "foregoing ", "foregoing", -1),
    (" the ", "previous ", "previous", -1),
    (" the ", "following ", "following", 1),
    (" the ", "next ", "next", 1),
    (" der ", "dies", "dies(?:e[rsmn]?)", 0),
    (" der ", "vorstehend", "vorstehende[nrsm]?", -1),
    (" der ", "vorhergehend", "vorhergehende[nrsm]?", -1),
    (" der ", "vorig", "vorige[nrsm]?", -1),
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

_SAME = (
    (" the ", (" that sec", " such sec", " said sec", " that art", " such art")),
    ("é", ("dit article", "même article")),
    (" de ", (" dicho artículo", " mismo artículo", " medesimo articolo", " stesso articolo", " mesmo artigo")),
)  # fmt: skip
"""A word of the language, and how it names again what was cited last; each costs a search of the text."""

_IDEM = ((" the ", ("Id.", "Ibid.")), (" der ", ("a.a.O.", "ebd.")))
"""A word of the language, and what stands for all that was cited last."""

_SAME_LABEL = re.compile(r"\s?\w+\s([^\W\d_]+)(?!\w|[\s\xa0](?:[0-9(]|[IVXLC]+\b))")
_IDEM_ALONE = re.compile(
    r"(?!,?\s{1,2}(?:at\s)?(?:§|[Ss]ec|[Aa]rt|[Rr]ule))\s{0,2}(?:at\s[0-9]|[A-Z(;]|\Z)"
)
"""What follows it where no citation does, which would say more."""
_SAMPLE = 4_000
"""Characters at two places of a long text in which a word of a language is looked for."""

_SIGNS = "".join(sign for sign, *_ in (*_BEFORE, *_SAME)) + " di "
_LEVELS = frozenset(("para", "sub", "subpara"))
"""Kinds of levels that are named so; `at this point` names none."""

_PATTERNS = [
    (sign, trigger, re.compile(words + _LABEL), step) for sign, trigger, words, step in _BEFORE
]
_LONGEST_LABEL = 16
_WORD_BEFORE = re.compile(r"[^\W\d_]{3,14}\Z")
_BACK = {"his ": 1}
_COUNTED = re.compile(r"(?<!\w)([^\W\d_]{2,6})\s(?:(?:next|last|immediately)\s)?\Z")
_LONGEST_COUNT = 20
_COUNTS = {name: cardinal_value(name) for name in ("two", "three", "four", "five")} | {
    "deux": 2, "trois": 3, "dos": 2, "tres": 3, "due": 2, "tre": 3, "dois": 2, "três": 3, "beiden": 2, "zwei": 2, "drei": 3,
}  # fmt: skip
"""Number words before such a name: `the two preceding sections`."""
