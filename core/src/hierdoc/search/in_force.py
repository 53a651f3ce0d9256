"""Searches "as of" a day: of each work the version that was in force then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from hierdoc.errors import QueryError
from hierdoc.filters import METADATA, And, Compare, Contains, Filter, In, Not
from hierdoc.metadata import read_value, sort_key
from hierdoc.models import Chunk, MetadataType
from hierdoc.plugin.protocols import VectorBackend
from hierdoc.structure.names import FIRST_OF_DOCUMENT

EFFECTIVE, EXPIRES, VERSION, WORK = "effective", "expires", "version", "work"
"""The fields that say from which day and until which a document is in force, and of what it is which version."""

_ALL = 1_000_000


def read_day(day: str | date, declared: Mapping[str, MetadataType]) -> date:
    """The day that a search is as of.

    Raises:
        QueryError: It is none, or no field says from when documents are in force.
    """
    if declared.get(EFFECTIVE) != "date":
        raise QueryError(
            f"a search as of a day needs the field {EFFECTIVE!r}, which says from when a document is in force",
            hint=f"Declare it in the configuration (`metadata: {{{EFFECTIVE}: date}}`), give it to the documents, then ingest.",
        )
    try:
        found = read_value(day, "date")
        whole = isinstance(day, date) or sum(map(str.isdigit, day)) >= 8
    except ValueError:
        found, whole = None, False
    if not isinstance(found, date) or not whole:
        raise QueryError(
            f"as of {str(day)[:100]!r}: that is not a day", hint="Write it as in 2020-05-31."
        )
    return found


async def in_force(
    vector: VectorBackend, day: date, declared: Mapping[str, MetadataType]
) -> Filter:
    """What was in force on a day; to be resolved.

    A document is from the day `effective` on, until the day before `expires` or before another version of its work is. Documents are
    versions of one work if they say the same `work` or, where they say none, have the same title and each a `version`. What says
    nothing of when it is in force always is.

    Raises:
        CapabilityError: The vector backend does not claim the look-ups that this needs.
    """
    first = And(Contains("section_keys", FIRST_OF_DOCUMENT), Contains(METADATA, EFFECTIVE))
    works: dict[tuple[str, str], list[Chunk]] = {}
    for record in await vector.find(first, _ALL):
        work = _work(record.chunk)
        begins = record.chunk.metadata[EFFECTIVE]
        if work and isinstance(begins, date) and begins <= day:
            works.setdefault(work, []).append(record.chunk)
    superseded = [name for versions in works.values() for name in _superseded(versions)]
    parts: list[Filter] = [Not(Compare(EFFECTIVE, ">", day))]
    if declared.get(EXPIRES) == "date":
        parts.append(Not(Compare(EXPIRES, "<=", day)))
    if superseded:
        parts.append(Not(In("source", superseded)))
    return And(*parts)


def _work(chunk: Chunk) -> tuple[str, str] | None:
    """What tells the versions of one work from all other documents."""
    stated = chunk.metadata.get(WORK)
    if stated is not None:
        return WORK, str(stated).casefold()
    return ("title", chunk.title.casefold()) if VERSION in chunk.metadata else None


def _superseded(versions: Sequence[Chunk]) -> Sequence[str]:
    """All of these versions but the latest, or several that are equally late."""
    order = {one.source: _place(one) for one in versions}
    latest = max(order.values())
    return [source for source, place in order.items() if place < latest]


def _place(chunk: Chunk) -> tuple[str, str]:
    version = chunk.metadata.get(VERSION, "")
    return sort_key(chunk.metadata[EFFECTIVE]), sort_key(version) or str(version)
