"""Repairs what a crash or a lost store left behind: the vector backend's records are the truth, the rest is derived."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import contextmanager

from hierdoc.errors import IndexDamagedError
from hierdoc.filters import Equals
from hierdoc.plugin.protocols import (
    KeywordBackend,
    SupportsAtomicReplace,
    SupportsDeletedCount,
    VectorBackend,
)
from hierdoc.plugin.records import UNFINISHED, DocumentState, Record

KEYWORD_REBUILT = "the keyword index was made anew from the records"
"""Begins the note that says so."""

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


async def held_documents(vector: VectorBackend) -> dict[str, DocumentState]:
    """What the vector backend holds of every document; the mark of an unfinished ingest is none."""
    held = dict(await vector.documents())
    held.pop(UNFINISHED, None)
    return held


async def reconcile(
    vector: VectorBackend, keyword: KeywordBackend, *, lacking: bool = False
) -> int:
    """Make the keyword backend hold what the vector backend holds.

    Documents that only the keyword backend has are deleted there; those it lacks, holds in part or at another version are
    written anew from the records.

    Args:
        vector: Holds the truth.
        keyword: Is repaired.
        lacking: Leave alone what it holds beyond the truth: an ingest that is under way in another process announces there what it
            is about to write.

    Returns:
        How many documents were repaired.

    Raises:
        KeywordDamagedError: The keyword index must be made anew first.
    """
    truth = await held_documents(vector)
    with keyword_damage():
        derived = await keyword.documents()
    if truth == derived:
        return 0
    wanted = {
        source
        for source, state in truth.items()
        if state != (there := derived.get(source))
        and not (lacking and there and there.covers(state))
    }
    gone, outdated = derived.keys() - truth, wanted & derived.keys()
    repaired = len(wanted | gone)
    if repaired:
        logger.info("repairing the keyword index: %d documents", repaired)
    if isinstance(keyword, SupportsAtomicReplace):  # readers see them all the while
        await _replace_each(vector, keyword, sorted(outdated))
        wanted -= outdated
    else:
        gone |= outdated
    if gone:
        with keyword_damage():
            await keyword.delete_documents(sorted(gone))
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
    return repaired


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
    await _replace_each(vector, keyword, await held_documents(vector))


async def _replace_each(
    vector: VectorBackend, keyword: SupportsAtomicReplace, sources: Iterable[str]
) -> None:
    """Write these documents anew, as the vector backend holds them, many at once."""
    batch: list[Record] = []
    for source in sources:
        batch += await vector.find(Equals("source", source), limit=1_000_000)
        if len(batch) >= _BATCH:
            with keyword_damage():
                await keyword.replace_documents(batch)
            batch = []
    if batch:
        with keyword_damage():
            await keyword.replace_documents(batch)


async def _records_of(vector: VectorBackend, sources: set[str]) -> AsyncIterator[Sequence[Record]]:
    if len(sources) >= _MANY:
        async for page in vector.scan():
            yield [record for record in page if record.chunk.source in sources]
        return
    for source in sorted(sources):
        yield await vector.find(Equals("source", source), limit=1_000_000)
