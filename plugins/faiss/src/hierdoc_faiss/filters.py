"""Filters as SQL conditions over the table `tags`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hierdoc import Filter
from hierdoc.plugin import TagFold, join_conditions

Condition = tuple[str, list[str]]
"""SQL over a table with `row`, and its parameters."""


def condition(filter: Filter) -> Condition:
    """What a row must fulfil for the filter to select its record."""
    return _Selection()(filter)


class _Selection(TagFold[Condition]):
    def has_any(self, tags: Sequence[str]) -> Condition:
        """One parameter, however many there are: SQLite limits how many a statement has."""
        listed = "SELECT value FROM json_each(?)"
        return f"row IN (SELECT row FROM tags WHERE tag IN ({listed}))", [json.dumps(tags)]  # noqa: S608

    def all_of(self, parts: Sequence[Condition]) -> Condition:
        return _joined(parts, "AND") if parts else ("1", [])

    def any_of(self, parts: Sequence[Condition]) -> Condition:
        return _joined(parts, "OR") if parts else ("0", [])

    def negation(self, part: Condition) -> Condition:
        return f"NOT ({part[0]})", part[1]


def _joined(parts: Sequence[Condition], operator: str) -> Condition:
    parameters = [one for _, some in parts for one in some]
    return join_conditions([sql for sql, _ in parts], operator), parameters
