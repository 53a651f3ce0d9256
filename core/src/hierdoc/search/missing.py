"""Citations that lead nowhere: which of a query's are not in the index, and the nearest that are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from hierdoc.citations import find_query_citations, meanings
from hierdoc.errors import CapabilityError
from hierdoc.filters import And, Contains, Filter, Or
from hierdoc.models import MissingCitation
from hierdoc.plugin.protocols import VectorBackend
from hierdoc.plugin.records import Record


async def absent_citations(
    vector: VectorBackend, query: str, found: Iterable[Record], filter: Filter | None
) -> tuple[MissingCitation, ...]:
    """The citations of a query that no record found by the exact leg belongs to.

    Args:
        vector: Holds the records; claims `FILTER_CONTAINS`, `FILTER_OR` and `FILTER_AND`.
        query: As the user wrote it.
        found: What the exact leg found.
        filter: Which records to consider.
    """
    citations = find_query_citations(query)[:_CITATIONS]
    if not citations:
        return ()
    held = {
        key for record in found for key in (*record.chunk.section_keys, *record.chunk.ancestor_keys)
    }
    return tuple(
        [
            MissingCitation(
                citation.text, citation.key, await _nearest(vector, citation.unit, filter)
            )
            for citation in citations
            if held.isdisjoint(chain.from_iterable(meanings(citation.key, citation.unit)))
        ]
    )


_CITATIONS = 4
"""Citations of one query that are looked at."""

_REACH = 20
"""How far off a number may be that counts as near."""

_MOST = 3
"""Nearest ones that are named."""

_RECORDS = 100
_LAST_NUMBER = re.compile(r"[0-9]{1,6}(?=[a-z]?\Z)")


async def _nearest(vector: VectorBackend, unit: str, filter: Filter | None) -> tuple[str, ...]:
    number = _LAST_NUMBER.search(unit)
    if not number:
        return ()
    own = int(number[0])
    near = {
        f"{unit[: number.start()]}{other}": abs(other - own)
        for other in range(max(0, own - _REACH), own + _REACH + 1)
        if other != own
    }
    asked: Filter = Or(*(Contains("section_keys", key) for key in near))
    try:
        records: Sequence[Record] = await vector.find(
            asked if filter is None else And(asked, filter), _RECORDS
        )
    except CapabilityError:
        return ()
    there = {key for record in records for key in record.chunk.section_keys if key in near}
    return tuple(sorted(there, key=lambda key: (near[key], key))[:_MOST])
