"""Citations: found in text, and brought to one form, the key, by which they can be compared.

    Section 203(a)(1), Sec. 203 (a) (1)     sec_203_a_1
    § 4.2, "4.2 Scope" as a heading         sec_4_2
    Article IV, Art. 4, Artikel 4           art_4
    § 1 Abs. 2 Satz 1 Nr. 3                 sec_1_2_3

A key is in lower case: a label, then the number of each level. Sentences (`Satz 1`) are not numbered in a text, so they
are no level of a key. Of a range or list (`Articles 15 to 22`) each number that is written becomes a citation. Citations
within each other (`Article I, Section 2`) are found one by one.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from hierdoc.structure.labels import (
    IDENTIFIERS,
    LABELS,
    LETTERED,
    LEVELS,
    NOT_IDENTIFIERS,
    PLURALS,
    ROMAN,
    ROMAN_TO_39,
    SECTIONS_IF_DECIMAL,
    UNNUMBERED,
)


@dataclass(frozen=True, slots=True)
class Citation:
    """A mention of a part of a document.

    Attributes:
        text: As written: `text[start:end]` of what was searched.
        key: The normalised form.
        unit: The key without the levels below the number itself: `sec_203` of `sec_203_a_1`, `sec_4_2` of `sec_4_2`.
        start: Where it begins.
        end: Where it ends.
    """

    text: str
    key: str
    unit: str
    start: int
    end: int


def find_citations(text: str) -> list[Citation]:
    """All citations, in order, none within another. Time is linear in the length of the text."""
    found: list[Citation] = []
    behind = 0
    for candidate in _NUMBER_START.finditer(text):
        number = candidate.start()
        place = number - 1
        before = text[place - 1 : place]
        if number <= behind or not (before.isalpha() or before in _BEFORE or text[place] == "§"):
            continue
        label = _label_before(text, behind, place)
        prefix = _prefix(label[0], hyphen=text[place] == "-") if label else None
        if not label or not prefix:
            continue
        word, start = label
        several = word.lower() in PLURALS
        parsed = _number_at(text, number, prefix, in_list=several)
        while parsed:
            key, unit, behind = parsed
            found.append(Citation(text[start:behind], key, unit, start, behind))
            following = _next_in_list(text, found[-1]) if several else None
            if following is None:
                break
            start = following
            parsed = _number_at(text, start, prefix, in_list=True)
    return found


def section_key(title: str) -> str | None:
    """The key of a numbered heading, None for another."""
    return split_heading(title)[0]


def split_heading(title: str) -> tuple[str | None, str]:
    """The key of a heading and the text behind its number; None and the whole title where it has no number.

    `SEC. 203. REPORTS.` gives `sec_203` and `REPORTS.`; a number alone counts as a section's (`4.2 Scope`).
    """
    labelled = _LABEL_AT_START.match(title)
    prefix = _prefix(labelled[1], hyphen=labelled[2] == "-") if labelled else None
    parsed = _number_at(title, labelled.end(), prefix) if labelled and prefix else None
    if parsed:
        return parsed[0], title[parsed[2] :].lstrip(_BETWEEN)
    bare = _BARE_NUMBER.match(title)
    if bare:
        number = bare[1] or bare[2] or bare[3]
        return f"sec_{number.replace('.', '_')}", title[bare.end() :].lstrip(_BETWEEN)
    return None, title


def heading_key(title: str) -> str:
    """The form in which headings are compared: one case, one kind of quote, dash and space, no punctuation at the end."""
    if title.isascii():
        folded = title.lower()
    else:
        folded = unicodedata.normalize("NFKC", title).casefold().translate(_TYPOGRAPHY)
    return " ".join(folded.split()).lstrip("# ").rstrip(_TRAILING)


_PREFIXES = {word: prefix for prefix, words in LABELS.items() for word in words.split()}
_REACH = max(map(len, _PREFIXES)) + 8
"""Characters before a number within which its label begins."""

_BETWEEN = " \t\xa0.:;,)]–—-"
_TRAILING = " .:;,!?-"
_TYPOGRAPHY = {
    **dict.fromkeys(map(ord, "‘’‚‛′´"), "'"),
    **dict.fromkeys(map(ord, "“”„‟«»″"), '"'),
    **dict.fromkeys(map(ord, "‐‑‒–—―−"), "-"),
    0xAD: "",
}

_NUMBER_START = re.compile(
    r"[0-9A-Zivx(](?<=[ \xa0\u202f\n\t.§-][0-9A-Zivx(])(?:(?<=[0-9])"
    r"|(?<=[A-Z])(?:(?<=[IVXLCDM])[IVXLCDM]{0,8}|[A-Z]?)(?![A-Za-z])|(?<=[ivx])[ivx]{1,6}\b|(?<=\()(?=[0-9]))"
)
"""What may begin a number, behind what may separate it from its label; a set comes first so that the search is fast."""

_BEFORE = frozenset(" .§\n\r\t\xa0\u202f")
"""What may stand before the separator, besides letters."""

_LAST_WORD = re.compile(r"(?:[^\W\d_]+|§+)\Z")
_LABEL_AT_START = re.compile(r"[\s#*\[(]*([^\W\d_]{2,}|§{1,2})\.?[ \xa0\u202f\t]{0,4}(-?)")
_BARE_NUMBER = re.compile(
    r"\s*(?:([0-9]{1,3}(?:\.[0-9]{1,3})+)(?=[.):]?(?:\s|\Z))"
    r"|([0-9]{1,3})(?=[.):](?:\s|\Z))|([0-9]{1,2})(?=[ \xa0\t]+[A-ZÀ-ÖØ-ÞА-Я]))"
)
_LETTERS = r"(?:(?!(?:st|nd|rd|th)\b)[A-Za-z]{1,2}(?![A-Za-z]))?"
_ARABIC = re.compile(
    rf"[0-9]{{1,6}}{_LETTERS}(?:[.-][0-9]{{1,6}}{_LETTERS})*(?!\w|,[0-9]{{3}}(?![0-9]))"
)
_ARABIC_IN_LIST = re.compile(
    rf"[0-9]{{1,6}}{_LETTERS}(?:\.[0-9]{{1,6}}{_LETTERS})*(?!\w|,[0-9]{{3}}(?![0-9]))"
)
_PLAIN = re.compile(r"[0-9]{1,6}(?!\w|[.-][0-9])")
_IN_PARENTHESES = re.compile(r"\(([0-9]{1,4})\)")
_ROMAN = re.compile(r"([IVXLCDM]{1,9}|[ivx]{2,7})(?:-?([A-Z]))?(?!\w)")
_CAPITALS = re.compile(r"[A-Z]{1,2}(?:[.-]?[0-9]{1,4})*(?!\w)")
_ROMAN_NUMERAL = re.compile(
    r"(?=.)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\Z", re.DOTALL
)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}

_DIGITS = re.compile(r"[0-9]{1,6}")
_JOINT = re.compile(r"[.-]")
_DEEPER = re.compile(
    r"(?: ?\((?:[0-9]{1,3}[a-z]?|([a-z])\1?|[ivx]{1,6}|([A-Z])\2?|[IVX]{1,6})\)){1,8}"
)
_ONE_DEEPER = re.compile(r"\((\w+)\)")
_LEVEL_WORDS, _UNNUMBERED_WORDS = (
    "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
    for words in (LEVELS, UNNUMBERED)
)
_LEVEL = re.compile(
    rf",?[ \xa0\n]{{1,2}}(?:({_LEVEL_WORDS})|{_UNNUMBERED_WORDS})\.?[ \xa0\n]?"
    r"(?:\(([0-9]{1,3}[a-z]?|([a-z])\3?|[ivx]{1,6})\)|([0-9]{1,3}[a-z]?|([a-z])\5?|[ivx]{1,6})(?!\w))",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"(?:\s?[,;]\s?(?:(?:and|or|to|und|oder|bis|et|ou|à|y|e|och|en|og)\s)?"
    r"|\s(?:and|or|to|through|und|oder|bis zu|bis|et|ou|à|y|e|och|en|og|tot)\s|\s?[–—-]\s?)"
    r"(?=[0-9]|[IVXLCDM]+\b)"
)


def _label_before(text: str, low: int, separator: int) -> tuple[str, int] | None:
    """The word before a separator and where it begins, if at most one line ending lies between."""
    low = max(low, separator - _REACH)
    window = text[low : separator + 1]
    before = window[:-1] if window[-1] == "-" else window.rstrip(" \xa0\u202f\n\r\t.")
    if window.count("\n", len(before)) > 1:
        return None
    word = before.rsplit(None, 1)[-1] if before else ""
    if not word.isalpha():
        last = _LAST_WORD.search(word)
        if not last:
            return None
        word = last[0]
    start = low + len(before) - len(word)
    if start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_/\\"):
        return None
    return word, start


def _prefix(word: str, *, hyphen: bool) -> str | None:
    """What the keys of this label begin with; None if it is none, or none that a hyphen joins to its number."""
    prefix = _PREFIXES.get(word.lower())
    if not hyphen or prefix in IDENTIFIERS:
        return prefix
    capitals = word.isascii() and word.isupper() and 2 <= len(word) <= 10
    return word.lower() if capitals and word not in NOT_IDENTIFIERS and not prefix else None


def _number_at(
    text: str, position: int, prefix: str, *, in_list: bool = False
) -> tuple[str, str, int] | None:
    """The key of the number that stands at this place, that of its outermost level, and where it ends."""
    main = _main_number(text, position, prefix, in_list)
    if main is None:
        return None
    number, end = main
    if prefix in SECTIONS_IF_DECIMAL and "." in number:
        prefix = "sec"
    unit = "_".join((prefix, *_JOINT.split(number.lower())))
    if prefix not in LABELS or prefix in IDENTIFIERS:
        return unit, unit, end
    levels: list[str] = []
    deeper = _DEEPER.match(text, end)
    if deeper:
        levels += _ONE_DEEPER.findall(deeper[0])
        end = deeper.end()
    level = _LEVEL.match(text, end)
    while level:
        if level[1]:
            levels.append(level[2] or level[4])
        end = level.end()
        level = _LEVEL.match(text, end)
    return "_".join((unit, *levels)).lower(), unit, end


def _next_in_list(text: str, citation: Citation) -> int | None:
    """Where the next number of a list or range begins.

    After a level, a number that is not higher than the citation's own counts levels: `§§ 306, 307 Abs. 1 bis 3`.
    """
    more = _MORE.match(text, citation.end)
    if more and citation.key != citation.unit:
        own, other = _DIGITS.search(citation.unit), _DIGITS.match(text, more.end())
        if own and other and int(other[0]) <= int(own[0]):
            return None
    return more.end() if more else None


def _main_number(text: str, position: int, prefix: str, in_list: bool) -> tuple[str, int] | None:
    """The outermost level, its Roman numerals made Arabic, and where it ends."""
    if prefix not in LABELS or prefix in IDENTIFIERS:
        plain = _PLAIN.match(text, position)
        return (plain[0], plain.end()) if plain else None
    arabic = (_ARABIC_IN_LIST if in_list else _ARABIC).match(text, position)
    if arabic:
        return arabic[0], arabic.end()
    if prefix == "recital":
        enclosed = _IN_PARENTHESES.match(text, position)
        return (enclosed[1], enclosed.end()) if enclosed else None
    if prefix in ROMAN or prefix in ROMAN_TO_39:
        roman = _ROMAN.match(text, position)
        value = _roman_value(roman[1], prefix) if roman else 0
        if roman and value:
            return f"{value}-{roman[2]}" if roman[2] else str(value), roman.end()
    capitals = _CAPITALS.match(text, position) if prefix in LETTERED else None
    return (capitals[0], capitals.end()) if capitals else None


def _roman_value(numeral: str, prefix: str) -> int:
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
