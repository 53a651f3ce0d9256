"""Sets of words, written as texts, and the letters that begin a title."""

from __future__ import annotations


def words(*texts: str) -> frozenset[str]:
    """The words of these texts."""
    return frozenset(" ".join(texts).split())


_SMALL = "".join(chr(code) for code in range(0x80, 0x590) if chr(code).islower())

INITIAL = rf"(?![a-z{_SMALL}])[^\W\d_]"
"""A pattern for what a title may begin with: a capital letter, or one of a script that has no small ones."""
