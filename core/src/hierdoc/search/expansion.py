"""More of the section around a hit: what `search.expand` asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hierdoc.filters import And, Equals, Filter, Under
from hierdoc.models import Chunk, Expand, Hit
from hierdoc.plugin.protocols import VectorBackend


async def expanded(vector: VectorBackend, hits: Sequence[Hit], expand: Expand) -> list[Hit]:
    """The hits, each with other passages of its section.

    `parent` gives the passages of the section that the hit's own lies in, its own included, up to `MOST` and those nearest to the
    hit; `siblings` the one before and the one after it within that section.

    Args:
        vector: Holds the records; claims `FILTER_PREFIX`, `FILTER_EQUALS` and `FILTER_AND`.
        hits: Of one search.
        expand: How far.

    Raises:
        CapabilityError: The backend does not claim these.
    """
    if expand == "none":
        return list(hits)
    return [replace(hit, more=await _around(vector, hit.chunk, expand)) for hit in hits]


MOST = 12
"""Passages that a hit is given at most."""

_SECTION = 1_000
"""Passages of one section that are looked at."""


async def _around(vector: VectorBackend, chunk: Chunk, expand: Expand) -> tuple[Chunk, ...]:
    parent = chunk.parent_chain[:-1]
    place: Filter = Equals("source", chunk.source)
    if parent:
        place = And(place, Under(parent))
    records = await vector.find(place, _SECTION)
    others = [one.chunk for one in records if one.chunk.id != chunk.id]
    others.sort(key=lambda one: (abs(one.ordinal - chunk.ordinal), one.ordinal))
    if expand == "siblings":
        others = [one for one in others if abs(one.ordinal - chunk.ordinal) == 1]
    return tuple(sorted(others[:MOST], key=lambda one: one.ordinal))
