"""Filters as people write them.

    date >= 2020 and (tags contains energy or not version = "2.1") and author in (Ada, "Grace Hopper")

A comparison is a field, an operator of `Compare` and a value; a value with white space or signs in it stands in quotes. `not` binds
closer than `and`, and that closer than `or`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn, get_args

from hierdoc.errors import QueryError
from hierdoc.filters import DEEPEST, And, Compare, Filter, Not, Operator, Or

LONGEST_EXPRESSION = 20_000
"""Characters."""

_TOKEN = re.compile(
    r"""(?P<quoted>"[^"]*"|'[^']*')|(?P<sign>[<>!=]+)|(?P<mark>[(),])|(?P<word>[^\s"'()<>!=,]+)"""
)
_SPACE = re.compile(r"\s*")
FIELD_NAME = re.compile(r"[^\W\d][\w-]*")
"""What a field may be called."""

_OPERATORS: dict[str, Operator] = {one: one for one in get_args(Operator)} | {"==": "="}
RESERVED = frozenset(("and", "or", "not", "in", "contains"))
"""Words that are no fields."""


def read_filter(text: str) -> Filter:
    """The filter that an expression stands for.

    Raises:
        QueryError: It cannot be read; the message says where.
    """
    return _Reader(text).read()


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int


class _Reader:
    """Reads an expression from left to right, one method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[_Token] = []
        self._place = 0
        if len(text) > LONGEST_EXPRESSION:
            self._fail(f"it has more than {LONGEST_EXPRESSION:,} characters")
        start = self._after_space(0)
        while start < len(text):
            found = _TOKEN.match(text, start)
            if not found:
                self._fail("a quote is not closed", start)
            self._tokens.append(_Token(str(found.lastgroup), found[0], start))
            start = self._after_space(found.end())
        self._tokens.append(_Token("end", "", len(text)))

    def read(self) -> Filter:
        found = self._alternatives(1)
        if self._next.kind != "end":
            self._expected("`and` or `or`, or quotes around a value of several words")
        return found

    def _alternatives(self, depth: int) -> Filter:
        parts = [self._conditions(depth)]
        while self._takes("or"):
            parts.append(self._conditions(depth))
        return parts[0] if len(parts) == 1 else Or(*parts)

    def _conditions(self, depth: int) -> Filter:
        parts = [self._condition(depth)]
        while self._takes("and"):
            parts.append(self._condition(depth))
        return parts[0] if len(parts) == 1 else And(*parts)

    def _condition(self, depth: int) -> Filter:
        if depth > DEEPEST // 3:  # a bracket may hold an `or` of an `and`
            self._fail(f"it is nested more than {DEEPEST // 3} deep", self._next.start)
        if self._takes("not"):
            return Not(self._condition(depth + 1))
        if self._takes("("):
            found = self._alternatives(depth + 1)
            if not self._takes(")"):
                self._expected("`and`, `or` or a closing bracket")
            return found
        return self._comparison()

    def _comparison(self) -> Filter:
        field = self._next.text
        if (
            self._next.kind != "word"
            or not FIELD_NAME.fullmatch(field)
            or field.casefold() in RESERVED
        ):
            self._expected("a field")
        self._place += 1
        operator = _OPERATORS.get(self._next.text.casefold())
        if operator is None:
            self._expected(f"one of {' '.join(get_args(Operator))}")
        self._place += 1
        return Compare(field, operator, self._values() if operator == "in" else self._value())

    def _values(self) -> tuple[str, ...]:
        if not self._takes("("):
            self._expected("values in brackets")
        found = [self._value()]
        while self._takes(","):
            found.append(self._value())
        if not self._takes(")"):
            self._expected("a comma or a closing bracket")
        return tuple(found)

    def _value(self) -> str:
        one = self._next
        if one.kind not in ("word", "quoted") or one.text.casefold() in RESERVED:
            self._expected("a value")
        self._place += 1
        return one.text[1:-1] if one.kind == "quoted" else one.text

    @property
    def _next(self) -> _Token:
        return self._tokens[self._place]

    def _takes(self, wanted: str) -> bool:
        """Whether this comes next, which is then done with."""
        taken = self._next.kind in ("word", "mark") and self._next.text.casefold() == wanted
        self._place += taken
        return taken

    def _after_space(self, start: int) -> int:
        found = _SPACE.match(self._text, start)
        return found.end() if found else start

    def _expected(self, what: str) -> NoReturn:
        self._fail(f"there should be {what}", self._next.start)

    def _fail(self, what: str, start: int | None = None) -> NoReturn:
        where = ""
        if start is not None:
            rest = self._text[start : start + 30].strip()
            where = f" at character {start + 1}, " + (
                f"where {rest!r} stands" if rest else "the end"
            )
        shown = self._text if len(self._text) <= 200 else f"{self._text[:200]}..."
        raise QueryError(
            f"the filter {shown!r} cannot be read: {what}{where}",
            hint='Write comparisons such as: date >= 2020 and (tags contains energy or not version = "2.1")',
        )
