"""Repairs what a crash or a lost store left behind: the vector backend's records are the truth, the rest is derived."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence

from hierdoc.filters import Equals
from hierdoc.plugin.protocols import KeywordBackend, VectorBackend
from hierdoc.plugin.records import Record

logger = logging.getLogger("hierdoc")

_MANY = 64
"""From so many documents on, one scan is cheaper than a look-up for each."""

_BATCH = 4096
"""Records written to the keyword backend at once."""


async def reconcile(vector: VectorBackend, keyword: KeywordBackend) -> int:
    """Make the keyword backend hold what the vector backend holds.

    Documents that only the keyword backend has are deleted there; those it lacks, holds in part or at another version are
    written anew from the records.

    Returns:
        How many documents were repaired.
    """
    truth, derived = await vector.documents(), await keyword.documents()
    if truth == derived:
        return 0
    stale = [source for source in derived if derived[source] != truth.get(source)]
    wanted = {source for source in truth if truth[source] != derived.get(source)}
    logger.info("repairing the keyword index: %d documents", len(wanted.union(stale)))
    if stale:
        await keyword.delete_documents(stale)
    batch: list[Record] = []
    async for records in _records_of(vector, wanted):
        batch += records
        if len(batch) >= _BATCH:
            await keyword.upsert(batch)
            batch = []
    if batch:
        await keyword.upsert(batch)
    return len(wanted.union(stale))


async def incomplete_documents(vector: VectorBackend) -> frozenset[str]:
    """Documents of which a crash left only a part; searches leave them out until an ingest repairs them."""
    held = await vector.documents()
    return frozenset(source for source, state in held.items() if not state.complete)


async def _records_of(vector: VectorBackend, sources: set[str]) -> AsyncIterator[Sequence[Record]]:
    if len(sources) >= _MANY:
        async for page in vector.scan():
            yield [record for record in page if record.chunk.source in sources]
        return
    for source in sorted(sources):
        yield await vector.find(Equals("source", source), limit=1_000_000)
