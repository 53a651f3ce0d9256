"""Which lines that begin with a number alone are headings: those whose numbers go up as the sections of a document do."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hierdoc.structure.domains import Domain
from hierdoc.structure.implied import Mark

RESTARTING = frozenset(("sched", "annex", "app", "exhibit"))
"""Labels of divisions in which numbers begin anew."""


def in_sequence(text: str, marks: Sequence[Mark], domain: Domain, *, explicit: bool) -> list[Mark]:
    """The marks without implied ones that are numbered alone and not the next of their kind, or not of this domain.

    Args:
        text: The document.
        marks: Headings and lines that may be some, in order.
        domain: How such documents are divided.
        explicit: Whether the domain was named, not recognised.
    """
    if domain.numbers == "plain":
        return [
            mark
            for mark in rising(_with_appendices(marks))
            if mark.level or mark.label != "number"
            if mark.level
            or domain.rank("number" if mark.label == "plain" else mark.label or "") is not None
        ]
    return _Sequence(text, _with_appendices(marks), domain, explicit).kept()


def rising(marks: Sequence[Mark]) -> list[Mark]:
    """The marks without plain numbers that do not go up one by one, or nearly so."""
    plain = [int(_digits(mark)) for mark in marks if mark.label == "plain"]
    begin = next((one for one in plain if one + 1 in plain), None)
    last, kept = None, []
    for mark in marks:
        if mark.label in RESTARTING:
            last = None
        if mark.label == "plain":
            number = int(_digits(mark))
            first = number == 1 or number == begin
            if not (first if last is None else last <= number <= last + 20):
                continue
            last = number
        kept.append(mark)
    return kept


class _Sequence:
    """Reads the marks of one document in order."""

    def __init__(self, text: str, marks: Sequence[Mark], domain: Domain, explicit: bool) -> None:
        self._text = text
        self._marks = marks
        self._domain = domain
        self._strict = any(mark.level for mark in marks) and not explicit
        self._strict = self._strict and domain.name != "legal_contract"
        self._last: dict[tuple[str, ...], int] = {}
        self._refused: Mark | None = None
        self._codes: dict[str, list[int]] = {}
        self._first_parts = _first_parts(marks)

    def kept(self) -> list[Mark]:
        """The marks that are headings."""
        kept: list[Mark] = []
        lonely: list[int] = []
        anchored = False
        for index, mark in enumerate(self._marks):
            if mark.label in RESTARTING:
                self._last.clear()
            if mark.label == "code":
                if self._domain.rank("sec") is not None and self._is_next_code(index):
                    self._codes.setdefault(mark.number[0], []).append(len(kept))
                    kept.append(mark)
                continue
            if mark.label not in ("number", "plain") or mark.number[0].isalpha():
                if (
                    mark.level
                    or mark.label == "number"
                    or self._domain.rank(mark.label or "") is not None
                ):
                    kept.append(mark)
                    self._refused = None
                continue
            if not mark.level:
                if self._domain.numbers != "decimal" or not self._follows(index):
                    if not mark.number[1:]:
                        self._refused = mark
                    continue
                if not mark.number[1:] and not self._has_parts(index):
                    lonely.append(len(kept))
                else:
                    anchored = anchored or not mark.number[1:]
                mark.label = "number"
            self._refused = None
            self._last[mark.number[:-1]] = _count(mark)
            kept.append(mark)
        dropped = {place for places in self._codes.values() if len(places) < 2 for place in places}
        if len(lonely) < 3 and not anchored:
            dropped |= set(lonely)
        for places in self._codes.values():
            for place in places:
                kept[place].label = "code" if place in dropped else "sec"
        return [mark for place, mark in enumerate(kept) if place not in dropped]

    def _follows(self, index: int) -> bool:
        """Whether an implied mark with a number alone is the next of its kind, and reads like a heading."""
        mark = self._marks[index]
        count, before = _count(mark), self._last.get(mark.number[:-1])
        if mark.number[1:]:
            return count == 1 if before is None else before < count <= before + 3
        if self._strict and not self._has_parts(index):
            return False
        if self._has_parts(index):
            return not _is_bare(mark) and (before is None or before < count)
        if not self._is_headed(index) or self._goes_on_with_list(mark):
            return False
        return count == 1 if before is None else before < count <= before + 3

    def _is_next_code(self, index: int) -> bool:
        """Whether a number such as `1798.105` comes behind the last of its kind, and reads like a heading."""
        mark = self._marks[index]
        count, before = _count(mark), self._last.get(mark.number[:-1], -1)
        if not before < count or not _BLANK_LINE.match(self._text, mark.body):
            return False
        self._last[mark.number[:-1]] = count
        return True

    def _has_parts(self, index: int) -> bool:
        """Whether `3.1` is the first of its kind that comes behind this `3.`."""
        first = self._first_parts.get(self._marks[index].number[0])
        return first is not None and first > index

    def _is_headed(self, index: int) -> bool:
        mark, marks = self._marks[index], self._marks
        end = marks[index + 1].start if index + 1 < len(marks) else len(self._text)
        if _is_bare(mark) or not self._text[mark.body : end].strip():
            return False
        apart = _BLANK_LINE.match(self._text, mark.body)
        return bool(apart) or self._domain.name == "legal_contract"

    def _goes_on_with_list(self, mark: Mark) -> bool:
        """Whether the number before it, in the same column, was none of a heading."""
        refused = self._refused
        return (
            refused is not None
            and _count(refused) + 1 == _count(mark)
            and _column(self._text, refused) == _column(self._text, mark)
        )


def _first_parts(marks: Sequence[Mark]) -> dict[str, int]:
    """The first part of each number with several -> the place of the first such mark."""
    first: dict[str, int] = {}
    for index, mark in enumerate(marks):
        if mark.label == "number" and mark.number[1:]:
            first.setdefault(mark.number[0], index)
    return first


def _with_appendices(marks: Sequence[Mark]) -> list[Mark]:
    """The marks, `A.1` only within appendix A."""
    kept, around = [], None
    for mark in marks:
        if mark.label in RESTARTING:
            around = mark
        if not mark.level and mark.label == "number" and mark.number[0].isalpha():
            if around is None or around.number != mark.number[:1]:
                continue
            mark.key = "_".join((around.key or "", *mark.number[1:]))
        kept.append(mark)
    return kept


def _is_bare(mark: Mark) -> bool:
    """Whether it has no title."""
    return mark.title.strip(" .").isdigit()


def _count(mark: Mark) -> int:
    digits = _DIGITS.match(mark.number[-1])
    return int(digits[0]) if digits else 0


def _digits(mark: Mark) -> str:
    return mark.number[0].rstrip("abcdefghijklmnopqrstuvwxyz")


def _column(text: str, mark: Mark) -> int:
    return mark.start - text.rfind("\n", 0, mark.start)


_DIGITS = re.compile("[0-9]+")
_BLANK_LINE = re.compile(r"[ \t\r]*\n[ \t\r]*\n")
