"""Searches "as of" a day: of each work the version that was in force then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Dated:
    """A document that says from when it is in force.

    Attributes:
        source: Its name.
        effective: That day.
        work: What tells the versions of its work from all other documents; None where nothing says so.
        place: Sorts as the versions of a work follow each other.
    """

    source: str
    effective: date
    work: tuple[str, str] | None
    place: tuple[date, str]


async def dated_documents(vector: VectorBackend) -> Sequence[Dated]:
    """All of them.

    Raises:
        CapabilityError: The vector backend does not claim the look-ups that this needs.
    """
    first = And(Contains("section_keys", FIRST_OF_DOCUMENT), Contains(METADATA, EFFECTIVE))
    found = [_dated(record.chunk) for record in await vector.find(first, _ALL)]
    return [one for one in found if one is not None]


def in_force(documents: Sequence[Dated], day: date, declared: Mapping[str, MetadataType]) -> Filter:
    """What was in force on a day; to be resolved.

    A document is from the day `effective` on, until the day before `expires` or before another version of its work is. Documents are
    versions of one work if they say the same `work` or, where they say none, have the same title and each a `version`. What says
    nothing of when it is in force always is.
    """
    works: dict[tuple[str, str], list[Dated]] = {}
    for one in documents:
        if one.work and one.effective <= day:
            works.setdefault(one.work, []).append(one)
    superseded: list[str] = []
    for versions in works.values():
        latest = max(one.place for one in versions)
        superseded += [one.source for one in versions if one.place < latest]
    parts: list[Filter] = [Not(Compare(EFFECTIVE, ">", day))]
    if declared.get(EXPIRES) == "date":
        parts.append(Not(Compare(EXPIRES, "<=", day)))
    if superseded:
        parts.append(Not(In("source", superseded)))
    return And(*parts)


def _dated(chunk: Chunk) -> Dated | None:
    effective, version, work = map(chunk.metadata.get, (EFFECTIVE, VERSION, WORK))
    if not isinstance(effective, date):  # of an ingest that declared it otherwise
        return None
    named = ("title", chunk.title) if version is not None else None
    named = (WORK, str(work)) if work is not None else named
    place = "" if version is None else sort_key(version) or str(version)
    return Dated(
        chunk.source,
        effective,
        named and (named[0], named[1].casefold()),
        (effective, place),
    )
