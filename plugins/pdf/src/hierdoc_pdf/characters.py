"""Characters that only print needs, as the ones that people type."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

_LIGATURES = {
    "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl",
    "\ufb05": "st", "\ufb06": "st",
}  # fmt: skip
_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_NOTHING = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_TABLE: dict[int, str | None] = {
    **{code: None for code in range(32) if code not in (9, 10, 13)},
    **dict.fromkeys(range(127, 160)),
    **dict.fromkeys(range(55296, 57344), "�"),
    **{ord(space): " " for space in _SPACES},
    **{ord(nothing): None for nothing in _NOTHING},
    **{ord(ligature): letters for ligature, letters in _LIGATURES.items()},
    2: "\ufffe",
    0xFFFF: None,
    0x2010: "-",
    0x2011: "-",
    0xF0B7: "•",
    0xF0A7: "▪",
    0xF0D8: "▸",
    0xF0FC: "✓",
    **dict.fromkeys((0xF06F, 0xF071, 0xF0A8), "☐"),
    **dict.fromkeys((0xF0FD, 0xF0FE, 0xF078), "☒"),
}


def normalised(text: str) -> str:
    r"""The text without ligatures, odd spaces, control characters and half characters.

    A hyphen that pdfium takes for one of a broken word stays `\\ufffe`. The symbol fonts' bullets become bullets.
    """
    return text if text.isascii() and text.isprintable() else text.translate(_TABLE)


def lost_letters(texts: Iterable[str]) -> dict[str, str]:
    """Words that lost the second `f` of `ff`, as `af ect`, and what they are in the same document, `affect`.

    pdfium takes a letter that overlaps an equal one for the same letter drawn twice. A word is only mended if it
    occurs whole, and what stands behind the gap never occurs as a word of its own.
    """
    text = "\n".join(texts)
    broken = set(_AFTER_F.findall(text))
    words = text.split() if broken else []
    whole = {word.strip(_PUNCTUATION).lower() for word in set(words) if "ff" in word.lower()}
    suspects = [(left, right) for left, right in broken if f"{left}f{right}".lower() in whole]
    if not suspects:
        return {}
    following = itertools.pairwise(words)
    known = {word.strip(_PUNCTUATION) for before, word in following if before[-1] != "f"}
    return {f"{left} {right}": f"{left}f{right}" for left, right in suspects if right not in known}


def with_letters(text: str, lost: dict[str, str]) -> str:
    """The text with what `lost_letters` found mended."""
    return _AFTER_F.sub(lambda match: lost.get(match[0], match[0]), text)


_AFTER_F = re.compile(r"\b([^\W\d_]{1,12}f) ([a-z]{2,})")
_PUNCTUATION = ".,;:!?()[]\"'“”‘’"
