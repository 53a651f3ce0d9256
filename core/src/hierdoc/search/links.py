"""References between documents, by look-up in the store: where a reference leads, and what cites a section.

Records declare the keys of their documents (in `ancestor_keys`) and of what they cite (`reference_keys`); nothing is scanned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hierdoc.citations import GENERIC, section_key
from hierdoc.errors import CapabilityError
from hierdoc.filters import And, Contains, Equals, Filter, Or
from hierdoc.models import Hit, LegScore, Reference
from hierdoc.plugin.protocols import VectorBackend
from hierdoc.plugin.records import Record
from hierdoc.search.exact import ExactMatch, named_sections

_MOST_LINKS = 60
"""References of one result that are looked up in other documents."""

_FEWEST_RECORDS, _RECORDS_EACH = 24, 4
"""Records that are looked at, at least, and for each reference."""

_Target = tuple[str, str]
"""The key of a work, and that of a section in it; the work's own again where it is meant as a whole."""


async def with_links(vector: VectorBackend, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, their references to other ingested documents resolved; unresolved where no document has such a section."""
    wanted: dict[_Target, None] = {}
    for hit in hits:
        for reference in hit.references:
            if _leads_elsewhere(reference) and len(wanted) < _MOST_LINKS:
                wanted[_target(reference)] = None
    if not wanted:
        return list(hits)
    try:
        limit = max(_FEWEST_RECORDS, _RECORDS_EACH * len(wanted))
        records = await vector.find(_any_of(wanted), limit)
    except CapabilityError:
        return list(hits)
    found = {target: _begins(target, records) for target in wanted}
    return [
        replace(hit, references=tuple(_linked(one, found) for one in hit.references))
        for hit in hits
    ]


async def citing(vector: VectorBackend, reference: str, limit: int) -> list[Hit]:
    """The passages that cite a section or a document, in the order of the store's documents.

    Args:
        vector: Holds the records.
        reference: A citation, a section id or a heading.
        limit: How many passages at most.
    """
    conditions: list[Filter] = []
    for match in await named_sections(vector, reference):
        conditions += _citing(match)
    if not conditions:
        return []
    records = await vector.find(Or(*dict.fromkeys(conditions)), limit)
    records = sorted(records, key=lambda record: (record.chunk.source, record.chunk.ordinal))
    return [
        Hit(
            rank,
            1.0,
            {"exact": LegScore(rank, 1.0)},
            record.chunk,
            True,
            references=record.chunk.references,
        )
        for rank, record in enumerate(records, start=1)
    ]


def _citing(match: ExactMatch) -> Iterable[Filter]:
    """What holds of a record that cites this section: one of its own document, or one that names its document."""
    chunk = match.record.chunk
    works = [key for key in chunk.ancestor_keys if key not in GENERIC]
    if match.document:
        return [Contains("reference_keys", f"{match.document}:")]
    if match.section_id is None:
        return []
    keys = {match.section_id}
    keys |= {
        key
        for section in chunk.sections
        if section.id == match.section_id and (key := section_key(section.title))
    }
    same = And(Equals("source", chunk.source), Contains("reference_keys", match.section_id))
    return [
        same,
        *(Contains("reference_keys", f"{work}:{key}") for work in works for key in sorted(keys)),
    ]


def _leads_elsewhere(reference: Reference) -> bool:
    return bool(reference.work) and not reference.resolved and reference.work not in GENERIC


def _target(reference: Reference) -> _Target:
    return reference.work, reference.keys[-1] if reference.keys else reference.work


def _any_of(targets: Iterable[_Target]) -> Filter:
    whole = [Contains("section_keys", work) for work, key in targets if work == key]
    parts = [
        And(
            Contains("ancestor_keys", work),
            Or(*(Contains("section_keys", key) for key in _enclosing(key))),
        )
        for work, key in targets
        if work != key
    ]
    return Or(*whole, *parts)


def _enclosing(key: str) -> list[str]:
    """`sec_203_a_1`, `sec_203_a`, `sec_203`."""
    parts = key.split("_")
    return ["_".join(parts[:count]) for count in range(len(parts), 1, -1)]


def _begins(target: _Target, records: Sequence[Record]) -> Record | None:
    """The record in which the section begins, or the nearest around it that there is."""
    work, key = target
    for wanted in [key] if key == work else _enclosing(key):
        held = [
            record
            for record in records
            if wanted in record.chunk.section_keys and (work in record.chunk.ancestor_keys)
        ]
        if held:
            return min(held, key=lambda record: (record.chunk.source, record.chunk.ordinal))
    return None


def _linked(reference: Reference, found: dict[_Target, Record | None]) -> Reference:
    target = _target(reference)
    record = found.get(target) if _leads_elsewhere(reference) else None
    if record is None:
        return reference
    chunk = record.chunk
    keys = set(_enclosing(target[1]))
    held = [
        section.id for section in chunk.sections if {section.id, section_key(section.title)} & keys
    ]
    section_id = held[0] if held else (chunk.section_id or target[1])
    if target[0] == target[1]:
        section_id = target[0]
    return replace(
        reference, section_id=section_id, resolved=True, chunk_ids=(record.id,), source=chunk.source
    )
