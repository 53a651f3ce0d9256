"""Words broken at the ends of lines, made whole."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

HYPHENS = ("-", "\ufffe")
_LAST = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)[-\ufffe]$")
_FIRST = re.compile(r"[^\W\d_]+")
_PUNCTUATION = ".,;:!?()[]\"'“”‘’"


class Joint(NamedTuple):
    """How a line goes on with the next: whether its last character goes, and what comes between."""

    cut: bool
    glue: str


class Mender:
    """Joins lines; whether a hyphen stays is decided by the words of the document itself.

    Args:
        texts: Gives the document's text when it is first needed.
    """

    def __init__(self, texts: Callable[[], Sequence[str]]) -> None:
        self._texts = texts

    def joints(self, lines: Sequence[str]) -> list[Joint]:
        """For each line how it goes on; the last one ends."""
        found = [
            self._joint(line, following) if line.endswith(HYPHENS) else Joint(False, " ")
            for line, following in itertools.pairwise(lines)
        ]
        return [*found, Joint(False, "")]

    def _joint(self, line: str, following: str) -> Joint:
        left, right = _LAST.search(line), _FIRST.match(following)
        if not left:
            return Joint(False, "" if line[-2:-1].isalnum() and following[:1].isalnum() else " ")
        if not right:
            return Joint(False, "" if following[:1].isdigit() else " ")
        if not right[0][0].islower():
            return Joint(False, "")
        first = left[1].rsplit("-", 1)[-1]
        whole, compound = f"{first}{right[0]}".lower(), f"{left[1]}-{right[0]}".lower()
        words = self._words
        if compound in words or (
            whole not in words and first.lower() in words and right[0].lower() in words
        ):
            return Joint(False, "")
        return Joint(True, "")

    @cached_property
    def _words(self) -> frozenset[str]:
        words = " ".join(self._texts()).lower().split()
        return frozenset(word.strip(_PUNCTUATION) for word in set(words))
