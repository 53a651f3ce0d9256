"""What a chunk mostly is: code, a table, definitions, requirements, a list, or plain content."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import chain
from operator import attrgetter

from hierdoc.models import ChunkKind, Definition
from hierdoc.structure.layout import Spans, find_fences, find_tables


class Kinds:
    """Tells what chunks of one text are.

    Args:
        text: Markdown.
        language: ISO 639-1 code, for the words of duty; None to try those of all languages.

    Attributes:
        tables: The text's tables, in order.
    """

    def __init__(self, text: str, language: str | None = None) -> None:
        self._text = text
        self._fences = Spans(find_fences(text))
        self.tables = find_tables(text, self._fences)
        self._rows = Spans((table.start, table.end) for table in self.tables)
        known = DUTIES.get(language or "")
        self._duties = known or tuple(word for word in _ALL_DUTIES if word in text)
        self._clause = _CLAUSES.get(language or "")

    def of(
        self, start: int, end: int, lines: int, definitions: Sequence[Definition] = ()
    ) -> ChunkKind:
        """What `text[start:end]` mostly is.

        The first that holds of:

        - `code`: fences are half of it, or more;
        - `table`: rows are half of it, or more;
        - `definition`: definitions that begin in it are half of it, or more;
        - `requirement`: it says `shall`, `must` or the like once in 300 characters, a long sentence, or more often;
        - `list`: of its lines that are not indented half begin an item, or more, and three at least;
        - `content`.

        Args:
            start: Where the chunk begins.
            end: Where it ends.
            lines: How many lines it has.
            definitions: Those that begin in it.
        """
        half = (end - start) / 2
        if self._fences and self._fences.covered(start, end) >= half:
            return "code"
        if self.tables and self._rows.covered(start, end) >= half:
            return "table"
        if definitions and sum(map(len, {one.text for one in definitions})) >= half:
            return "definition"
        if self._lays_down(start, end):
            return "requirement"
        text = self._text
        if lines < _FEWEST_ITEMS:
            return "content"
        items = len(_ITEM.findall(text, start, end)) + bool(_FIRST_ITEM.match(text, start, end))
        if items < _FEWEST_ITEMS:
            return "content"
        unindented = len(_UNINDENTED.findall(text, start, end)) + 1
        return "list" if 2 * items >= unindented else "content"

    def _lays_down(self, start: int, end: int) -> bool:
        """Whether words of duty are frequent; the commonest come first, and often suffice."""
        rare = end - start
        count = self._text.count
        for word in self._duties:
            rare -= _DUTY_EVERY * count(word, start, end)
            if rare <= 0:
                return True
        if self._clause:
            rare -= _DUTY_EVERY * len(self._clause.findall(self._text, start, end))
        return rare <= 0

    def header(self, start: int) -> str:
        """The header of the table that goes on at this place, above it; empty where there is none."""
        place = bisect_right(self.tables, start, key=attrgetter("start")) - 1
        if place < 0:
            return ""
        table = self.tables[place]
        shown = table.header_end < start < table.end
        return table.header if shown and len(table.header) <= _LONGEST_HEADER else ""


def kind_of(
    text: str, definitions: Sequence[Definition] = (), language: str | None = None
) -> ChunkKind:
    """What a text on its own mostly is; see `Kinds.of`."""
    return Kinds(text, language).of(0, len(text), text.count("\n") + 1, definitions)


DUTIES: dict[str, tuple[str, ...]] = {
    "en": (" shall", " must", "MUST", " required to ", "SHALL"),
    "de": (" muss", " müssen", " verpflichtet", "MUSS"),
    "fr": (" doit ", " doivent ", " est tenu", " sont tenu"),
    "es": (" debe ", " deben ", " deberá", " obligad"),
    "it": (" deve ", " devono ", " tenut", " obbligat"),
    "pt": (" deve ", " devem ", " deverá", " obrigad"),
    "nl": (" moet ", " moeten ", " dient ", " dienen ", " verplicht"),
    "sv": (" ska ", " skall ", " måste "),
    "da": (" skal ", " må ikke "),
    "no": (" skal ", " må "),
    "fi": (" on oltava ", " täytyy ", " pitää "),
    "ro": (" trebuie ", " obligat"),
    "ru": (" должен ", " должны ", " должна ", " обязан"),
}
"""By language: what a sentence says that lays down a duty."""

_CLAUSES = {
    "de": re.compile(
        r" (?:hat|haben|ist|sind) [^.;:\n]{0,160}?(?: zu [a-zäöüß]+n|[a-zäöüß]zu[a-zäöüß]+n)\b"
    )
}
"""Duties whose words stand apart: `hat den Antrag zu stellen`."""

_ALL_DUTIES = tuple(dict.fromkeys(chain.from_iterable(DUTIES.values())))
_ITEM_START = r"[ \t>]*(?:[-*+•]|\(?[0-9a-zA-Z]{1,4}[.)])[ \t]"
_ITEM = re.compile(r"\n" + _ITEM_START)
_FIRST_ITEM = re.compile(_ITEM_START)
_UNINDENTED = re.compile(r"\n\S")
_FEWEST_ITEMS = 3
_DUTY_EVERY = 300
_LONGEST_HEADER = 2_000
"""Characters of a table's header that are worth repeating."""
