"""Headings by how they look beside the document's usual text: size, weight, case, place and numbering."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from hierdoc_pdf.marks import (
    ADMONITION,
    BULLET,
    CAPTION,
    DECIMAL,
    ENUMERATION,
    KINDS,
    LABEL,
    LARGER,
    LEADERS,
)
from hierdoc_pdf.paragraphs import is_centred
from hierdoc_pdf.values import Line, Style, Usual

LONGEST = 300
"""Characters that a heading may have; longer ones are text that is set apart."""

_MOST_LINES = 8
_SIGN = re.compile(r"§{1,2}\s?[0-9]{1,4}[a-z]{0,2}\.?")
_LARGEST = 120


def heading_style(
    group: Sequence[Line], usual: Usual, left: float, right: float, *, apart: bool
) -> Style | None:
    """The style of a group of lines that is a heading; None if it is none.

    Args:
        group: Lines that belong together.
        usual: What is usual in the document.
        left: Left edge of the column.
        right: Right edge of the column.
        apart: Whether there is more space above it than between lines.
    """
    text = " ".join(line.text for line in group)
    if len(text) > LONGEST or len(group) > _MOST_LINES or LEADERS.search(text):
        return None
    letters = sum(map(str.isalpha, text))
    is_number = _SIGN.fullmatch(text) is not None  # `§ 5` above its title
    if not is_number and (letters < 2 or letters < 0.4 * len(text.replace(" ", ""))):
        return None
    if _are_signs(text.split()):
        return None
    if text[-1] in ",;" or BULLET.match(text) or text.startswith(("(", "*", "†")):
        return None
    if CAPTION.fullmatch(text) or (text[0].islower() and text.endswith(".")):
        return None
    size = group[0].size
    if ADMONITION.fullmatch(text):
        return None
    bold = all(line.bold for line in group) and not usual.bold
    italic = all(line.italic for line in group) and not usual.italic
    larger = size >= LARGER * usual.size
    caps = letters >= 3 and sum(map(str.isupper, text)) >= 0.9 * letters
    centred = all(is_centred(line, left, right) for line in group)
    kind = kind_of(text)
    distinct = bold or larger or caps
    style = Style(kind, min(round(size * 2), _LARGEST), bold, italic, caps, centred)
    if kind and _is_labelled_heading(text, kind, style, larger, apart, len(group)):
        return style
    enumerated = ENUMERATION.match(text)
    if enumerated and not (distinct and len(text) < 120 and enumerated.end() + 1 < len(text)):
        return None
    if text[0].islower() and not larger:
        return None
    if larger and len(text) <= 200 and not (text.endswith(".") and len(text) > 120):
        return style
    if size < 0.9 * usual.size:
        return None
    if bold and letters >= 3 and not (text.endswith(":") and len(text) > 80):
        return style
    in_capitals = caps and letters >= 5 and len(text) <= 150 and not text.endswith(":")
    if in_capitals and (centred or apart) and " " in text.strip():
        return style
    if italic and apart and len(group) == 1 and len(text) <= 90 and not text.endswith((".", ":")):
        return style if text[0].isupper() else None
    return None


def _are_signs(words: Sequence[str]) -> bool:
    """Whether this is of a figure, formula or notes of music: letters that stand alone, or with signs; many different ones are words spaced out."""
    if any(sum(map(str.isalpha, word)) >= _WORD for word in words):
        return False
    alone = [word.casefold() for word in words if len(word) == 1 and word.isalpha()]
    if _DIGIT_BETWEEN.search(" ".join(words)):
        return True
    if max("".join(words), default="") > _LAST_ALPHABET:
        return False
    if any(unicodedata.category(one) == "Sm" for word in words for one in word):
        return True
    return len(alone) >= _FEWEST_ALONE and len(set(alone)) < _FEWEST_SPACED


_DIGIT_BETWEEN = re.compile(r"\b[A-Za-z](?: [0-9])+ [A-Za-z]\b")
_LAST_ALPHABET = "\u2e7f"
"""Behind it are signs of which one or two are a word."""

_FEWEST_ALONE, _WORD, _FEWEST_SPACED = 2, 3, 4
"""Letters that stand alone and are signs, letters of a word, and different ones of words that are spaced out."""


def kind_of(text: str) -> str:
    """What the label of a heading says that it is: `item`, `sec`, `decimal 2`; empty for none."""
    label = LABEL.match(text)
    if label and (text[0].isupper() or text[0] == "§"):
        word = (label["word"] or "§").casefold()
        rest = text[label.end() :].lstrip()
        if not rest or label["mark"] or rest[0].isupper() or not rest[0].isalnum():
            return KINDS.get(word, word)
    decimal = DECIMAL.match(text)
    if decimal:
        number = decimal["number"]
        rest = text[decimal.end() :].strip()
        dotted = "." in number or text[decimal.end() - 1] == "."
        if (dotted or len(number) <= 2) and rest[:1].isupper():
            return f"decimal {number.count('.') + 1}"
    return ""


def _is_labelled_heading(
    text: str, kind: str, style: Style, larger: bool, apart: bool, lines: int
) -> bool:
    """Whether text that begins with a label is a heading rather than a sentence that begins with a citation."""
    if kind.startswith("decimal"):
        return (style.bold or larger or style.caps) and not (text.endswith(".") and len(text) > 100)
    label = LABEL.match(text)
    rest = text[label.end() :].strip() if label else ""
    if style.bold or larger:
        return True
    if style.caps or style.centred:
        return len(text) <= 200
    if lines > 2 or not apart or len(text) > 120 or rest[:1].islower():
        return False
    words = [word for word in rest.rstrip(".").split() if word[:1].isalpha()]
    titled = sum(word[0].isupper() for word in words if len(word) > 3)
    long = sum(len(word) > 3 for word in words)
    return (not rest.endswith(".") or len(words) <= 10) and titled >= 0.6 * long
