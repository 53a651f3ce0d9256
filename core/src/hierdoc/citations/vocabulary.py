"""The words of citations, looked up as they are written: what each leads to, ordinals and Roman numerals."""

from __future__ import annotations

import re
from typing import NamedTuple

from hierdoc.citations.labels import (
    ACTS,
    CARDINALS,
    COMMUNITIES,
    LABELS,
    LEVELS,
    NUMBER_WORDS,
    ORDINALS,
    PLURALS,
    ROMAN_TO_39,
    UNNUMBERED,
)


class Word(NamedTuple):
    """What a word of the vocabulary leads to.

    Attributes:
        prefix: What keys begin with behind it; empty where it is no label.
        level: The kind of level behind it; empty where it is none.
        several: Whether several numbers may follow.
        act: What the keys of acts begin with whose number and year follow.
        aside: Whether it stands between a label and its number, as `No` does.
    """

    prefix: str = ""
    level: str = ""
    several: bool = False
    act: str = ""
    aside: bool = False


def ordinal_value(word: str) -> int:
    """What an ordinal counts; 0 for another word."""
    return _ORDINAL_VALUES.get(word.lower(), 0)


def cardinal_value(word: str) -> int:
    """What a number word says; 0 for another word."""
    return _CARDINAL_VALUES.get(word.lower(), 0)


def roman_value(numeral: str, prefix: str = "") -> int:
    """The value of a Roman numeral; 0 for what is none, and for C, D, L and M alone, which are letters."""
    numeral = numeral.upper()
    if numeral in ("C", "D", "L", "M") or not _ROMAN_NUMERAL.match(numeral):
        return 0
    if prefix in ROMAN_TO_39 and numeral.strip("IVX"):
        return 0
    values = [_ROMAN_VALUES[letter] for letter in numeral]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )


def _words_of_the_vocabulary() -> dict[str, Word]:
    """Every word in lower case."""
    made: dict[str, Word] = {}
    for prefix, several in LABELS.items():
        for word in several.split():
            made[word] = Word(prefix, several=word in PLURALS)
    for kind, several in LEVELS.items():
        for word in several.split():
            made[word] = made.get(word, Word())._replace(level=kind)
    for act, several in ACTS.items():
        for word in several.split():
            made[word] = made.get(word, Word())._replace(act=act)
    for word in UNNUMBERED:
        made.setdefault(word, Word())
    for word in NUMBER_WORDS:
        made[word] = made.get(word, Word())._replace(aside=True)
    return made


_ORDINAL_VALUES = {
    word: value for value, line in enumerate(ORDINALS, start=1) for word in line.split()
}
_CARDINAL_VALUES = {word: value for value, word in enumerate(CARDINALS, start=1)}
_ROMAN_NUMERAL = re.compile(
    r"(?=.)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\Z", re.DOTALL
)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}

WORDS = _words_of_the_vocabulary()


def _variants(word: str) -> tuple[str, ...]:
    return word, word.capitalize(), word.upper()


CODE_WORD, LAW_WORD, COMMUNITY = Word("code"), Word("publ"), Word("community", aside=True)
CASED: dict[str, Word] = {cased: word for name, word in WORDS.items() for cased in _variants(name)}
CASED |= dict.fromkeys(("C", "R", "A", "USC", "CFR"), CODE_WORD)
CASED |= {
    "L": LAW_WORD,
    "Law": LAW_WORD._replace(level=WORDS["law"].level) if "law" in WORDS else LAW_WORD,
}
CASED |= {f"({name})": COMMUNITY for name in COMMUNITIES}
for _section in ("§", "§§"):
    CASED.pop(_section, None)
TAILS = (
    frozenset(word[-3:] for word in CASED if len(word) >= 3)
    | {"S C", "F R", "SCA"}
    | {"   ", "  §"}
)
TAILS |= {f"{word[-2:]} " for word in CASED if len(word) >= 2} | {" L ", " C "}
SHORT_TAILS = frozenset(word[-2:] for word in CASED if len(word) == 2) | {" L", "  "}
SECTION, SECTIONS = Word("sec"), Word("sec", several=True)

CAPITALISED = sorted(
    {word.capitalize() for line in (*ORDINALS, *CARDINALS) for word in line.split()},
    key=lambda word: (-len(word), word),
)
CAPITAL_ORDINALS = "|".join(
    f"{first}(?:{'|'.join(word[1:] for word in CAPITALISED if word[0] == first)})"
    for first in sorted({word[0] for word in CAPITALISED})
)
"""By their first letters, so that most words are dismissed at one look."""
