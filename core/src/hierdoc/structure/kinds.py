"""What a chunk mostly is: code, a table, definitions, requirements, a list, or plain content."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import chain
from operator import attrgetter, itemgetter

from hierdoc.citations.vocabulary import IDENTIFIERS, NOT_IDENTIFIERS
from hierdoc.models import ChunkKind, Definition
from hierdoc.structure.layout import Spans, Table, find_fences, find_tables


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

    def row_ids(self, start: int, end: int) -> list[str]:
        """The ids of the rows that begin between two places: first cells that hold nothing but an id, `6.2.4` or `AC-2(1)`.

        At most `MOST_ROW_IDS` of them.
        """
        low, high = (bisect_left(self._ids, place, key=itemgetter(0)) for place in (start, end))
        return [name for _, name in self._ids[low : min(high, low + MOST_ROW_IDS)]]

    @cached_property
    def _ids(self) -> list[tuple[int, str]]:
        """Where each row begins that has an id, and the id, in order."""
        return list(chain.from_iterable(map(self._ids_of, self.tables)))

    def _ids_of(self, table: Table) -> list[tuple[int, str]]:
        """The ids of one table's rows; a number of two parts is one only beside the next, for amounts look the same."""
        if _OTHER_NUMBERS.match(table.header.lstrip("| \t*_`")):
            return []
        found = [
            (row.start(), row[1])
            for row in _ROW_ID.finditer(self._text, max(0, table.start - 1), table.end)
        ]
        names = {name for _, name in found}
        return [(place, name) for place, name in found if _is_id(name, names)]

    def header(self, start: int) -> str:
        """What stands above the table that goes on at this place: its caption and its headers; empty where no table goes on."""
        place = bisect_right(self.tables, start, key=attrgetter("start")) - 1
        if place < 0 or not self.tables[place].header_end < start < self.tables[place].end:
            return ""
        table = self.tables[place]
        above = [self._caption(table), table.header, self._second_header(table, start)]
        return "\n".join(one for one in above if one and len(one) <= _LONGEST_HEADER)

    def _caption(self, table: Table) -> str:
        """The short paragraphs right above a table, such as `Table 2: Fees` and `(in thousands)`."""
        above = self._text[max(0, table.start - _ABOVE) : table.start].rstrip()
        lines: list[str] = []
        for line in reversed(
            above.splitlines()[1:] if len(above) == _ABOVE else above.splitlines()
        ):
            caption = line.strip(" \t>*_")
            if not caption:
                continue
            is_short = len(caption) <= _LONGEST_CAPTION and not caption.endswith((".", ";"))
            if not is_short or caption[0] in "#|<`~-" or len(lines) == _CAPTIONS:
                break
            lines.insert(0, caption)
        return "\n".join(lines)

    def _second_header(self, table: Table, end: int) -> str:
        """The row that names the columns where the header names none: printed tables begin with `(in millions)` alone."""
        cells = _cells(table.header)
        if not table.header or any(cells[1:]):
            return ""
        rows = self._text[table.header_end : min(end, table.header_end + _LONGEST_HEADER)]
        for row in rows.splitlines()[2 : 2 + _CAPTIONS]:
            named = list(filter(None, _cells(row)[1:]))
            if named:
                return "" if any(map(_AMOUNT.search, named)) else row.strip()
        return ""


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip(" \t>").strip("|").split("|")]


def _is_id(name: str, names: Collection[str]) -> bool:
    """Whether a first cell is the row's own id: no amount, and not the name of another document."""
    letters = name.partition("-")[0]
    if letters.lower() in IDENTIFIERS or letters in NOT_IDENTIFIERS:
        return False
    if not name[0].isdigit() or name.count(".") > 1:
        return True
    stem, _, last = name.partition(".")
    return last[0] != "0" and any(f"{stem}.{int(last) + step}" in names for step in (-1, 1))


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

MOST_ROW_IDS = 100
"""Ids of rows that a chunk is found by."""

_ROW_ID = re.compile(
    r"(?:\A|\n)[ \t>]*\|[ \t]*(?:[*_`]{1,3}|\[)?"
    r"([A-Z]{0,4}[0-9]{1,4}(?:\.[0-9]{1,4}){1,5}"
    r"|[A-Z]{2,6}(?:[.-][A-Z]{1,6}){0,3}-[0-9]{1,4}(?:\([0-9]{1,3}\)){0,2})"
    r"(?:[*_`]{1,3}|\]\([^()\n|]{0,200}\))?[ \t]*(?=\|)"
)
_OTHER_NUMBERS = re.compile(r"(?:version|release|revision|rev|date|datum|stand)\b", re.IGNORECASE)
"""What the first column is called where its numbers are no ids."""

_ALL_DUTIES = tuple(dict.fromkeys(chain.from_iterable(DUTIES.values())))
_ITEM_START = r"[ \t>]*(?:[-*+•]|\(?[0-9a-zA-Z]{1,4}[.)])[ \t]"
_ITEM = re.compile(r"\n" + _ITEM_START)
_FIRST_ITEM = re.compile(_ITEM_START)
_UNINDENTED = re.compile(r"\n\S")
_FEWEST_ITEMS = 3
_DUTY_EVERY = 300
_AMOUNT = re.compile(r"(?<![0-9])(?!(?:19|20)[0-9]{2}(?![0-9.,]))[$€£(]?[0-9][0-9.,]*[0-9)%](?!\w)")
"""A figure that is neither a year nor one digit."""

_ABOVE, _CAPTIONS, _LONGEST_CAPTION = 600, 3, 160
"""Characters above a table in which its caption stands, its lines, and the characters of one."""

_LONGEST_HEADER = 2_000
"""Characters of a table's header that are worth repeating."""
