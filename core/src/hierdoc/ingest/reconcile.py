"""Repairs what a crash or a lost store left behind: the vector backend's records are the truth, the rest is derived."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager

from hierdoc.errors import IndexDamagedError
from hierdoc.filters import Equals
from hierdoc.plugin.protocols import (
    KeywordBackend,
    SupportsAtomicReplace,
    SupportsDeletedCount,
    VectorBackend,
)
from hierdoc.plugin.records import Record

logger = logging.getLogger("hierdoc")

_MANY = 64
"""From so many documents on, one scan is cheaper than a look-up for each."""

_BATCH = 4096
"""Records written to the keyword backend at once."""

_TOLERATED = 20
"""So many times more records must there be than deleted ones that still count."""


class KeywordDamagedError(IndexDamagedError):
    """It is the keyword index that is damaged: it is derived, so it can be made anew from the records."""


@contextmanager
def keyword_damage() -> Iterator[None]:
    """Tell damage of the keyword index, to which all calls within go, from damage of the records."""
    try:
        yield
    except IndexDamagedError as error:
        raise KeywordDamagedError(str(error), hint=error.hint) from error


async def reconcile(vector: VectorBackend, keyword: KeywordBackend) -> int:
    """Make the keyword backend hold what the vector backend holds.

    Documents that only the keyword backend has are deleted there; those it lacks, holds in part or at another version are
    written anew from the records.

    Returns:
        How many documents were repaired.

    Raises:
        KeywordDamagedError: The keyword index must be made anew first.
    """
    truth = await vector.documents()
    with keyword_damage():
        derived = await keyword.documents()
    if truth == derived:
        return 0
    stale = [source for source in derived if derived[source] != truth.get(source)]
    wanted = {source for source in truth if truth[source] != derived.get(source)}
    logger.info("repairing the keyword index: %d documents", len(wanted.union(stale)))
    if stale:
        with keyword_damage():
            await keyword.delete_documents(stale)
    batch: list[Record] = []
    async for records in _records_of(vector, wanted):
        batch += records
        if len(batch) >= _BATCH:
            with keyword_damage():
                await keyword.upsert(batch)
            batch = []
    if batch:
        with keyword_damage():
            await keyword.upsert(batch)
    return len(wanted.union(stale))


async def forget_deleted(vector: VectorBackend, keyword: KeywordBackend) -> None:
    """Write the keyword index anew, document by document, where deleted records distort its statistics: then it ranks like a fresh one.

    Searches meanwhile see every document; what is interrupted is done by the next ingest.
    """
    if not isinstance(keyword, SupportsDeletedCount):
        return
    assert isinstance(keyword, SupportsAtomicReplace)
    with keyword_damage():
        if await keyword.deleted() * _TOLERATED <= await keyword.count():
            return
    logger.info("writing the keyword index anew: too much in it is deleted")
    batch: list[Record] = []
    for source in await vector.documents():
        batch += await vector.find(Equals("source", source), limit=1_000_000)
        if len(batch) >= _BATCH:
            with keyword_damage():
                await keyword.replace_documents(batch)
            batch = []
    with keyword_damage():
        await keyword.replace_documents(batch)


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
