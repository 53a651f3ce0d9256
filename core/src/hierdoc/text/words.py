"""Sets of words, written as texts."""

from __future__ import annotations


def words(*texts: str) -> frozenset[str]:
    """The words of these texts."""
    return frozenset(" ".join(texts).split())
