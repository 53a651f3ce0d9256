"""What is known of an index's documents as a whole: what they are called, and which of them are incomplete.

Other processes may write to the index while it is open here, so each call looks whether they have. That costs a store next to
nothing that knows whether it has changed, and others no more than a share of the time.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hierdoc.errors import HierdocError
from hierdoc.filters import And, Contains, In
from hierdoc.plugin.capabilities import Capability
from hierdoc.plugin.protocols import VectorBackend
from hierdoc.plugin.records import UNFINISHED, DocumentState, Record
from hierdoc.search.naming import DocumentNames
from hierdoc.structure.names import FIRST_OF_DOCUMENT

logger = logging.getLogger("hierdoc")

_MOST_NAMED = 20_000
"""Documents whose parties and years are known; of further ones only the names of their files are."""

_FEW = 500
"""Changed documents up to which these alone are read."""

_OF_SOME = {Capability.FILTER_AND, Capability.FILTER_IN}
"""What it takes to read them alone."""

_SHARE = 10
"""Looking again waits for so many times what looking took."""

_SOON = 0.5
"""Seconds after the first look at most until the next."""

_PATIENCE = 0.1
"""Seconds that a call waits for what is new, where it could be answered by what was known before."""


@dataclass(frozen=True)
class Overview:
    """The documents of an index at one time.

    Attributes:
        held: What the store said of them; the mark of an unfinished ingest may be among them.
        firsts: The records that they begin with.
        names: What they are called.
        incomplete: Those of which a crash or a write that is under way left only a part.
    """

    held: Mapping[str, DocumentState]
    firsts: Sequence[Record]
    names: DocumentNames
    incomplete: frozenset[str]


class OverviewKeeper:
    """Keeps the overview of the documents of a store up to date, whoever writes to it.

    Args:
        vector: The store; prepared before the first call.
    """

    def __init__(self, vector: VectorBackend) -> None:
        self._vector = vector
        self._known: Overview | None = None
        self._looking: asyncio.Task[None] | None = None
        self._next = 0.0
        self._turns = asyncio.Lock()

    async def current(self) -> Overview:
        """The overview as it is now; as it was shortly before where finding that out takes long or is under way."""
        while True:
            looking, known = self._looking, self._known
            looks = looking is None and self._may_have_changed()
            if looks:
                looking = self._looking = asyncio.create_task(self._look(known))
            # What is incomplete is left out of answers, so it is worth waiting for its completion.
            must_wait = known is None or bool(known.incomplete)
            if looking is not None and (looks or must_wait):
                await asyncio.wait({looking}, timeout=None if must_wait else _PATIENCE)
                async with self._turns:  # of many that waited, each leaves the event loop a turn
                    await asyncio.sleep(0)
                if looking.done() and not looking.cancelled():
                    looking.result()
            if self._known is not None:  # else `forget` was called meanwhile
                return self._known

    async def incomplete(self) -> frozenset[str]:
        """The documents that are incomplete; none in a store that replaces them as a whole."""
        if Capability.ATOMIC_REPLACE in self._vector.capabilities:
            return frozenset()
        return (await self.current()).incomplete

    def forget(self) -> None:
        """Look again at the next call, and wait for what is found: this process has written."""
        self._known = None
        if self._looking is not None:
            self._looking.cancel()  # it may have looked before
            self._looking = None

    async def aclose(self) -> None:
        """Look no more."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait({self._looking})

    def _may_have_changed(self) -> bool:
        known = self._known
        if known is None:
            return True
        others_write = Capability.MULTI_PROCESS in self._vector.capabilities
        return others_write and (bool(known.incomplete) or time.monotonic() >= self._next)

    async def _look(self, known: Overview | None) -> None:
        begun = time.monotonic()
        try:
            self._known = await self._seen(known)
        except HierdocError as error:
            if known is None:
                raise
            logger.info("the documents are taken to be as they were: %s", error)
        finally:
            now = time.monotonic()
            pause = _SHARE * (now - begun)
            # The first look imports and fills caches, so says little of the next.
            self._next = now + (pause if known else min(pause, _SOON))
            if self._looking is asyncio.current_task():
                self._looking = None

    async def _seen(self, known: Overview | None) -> Overview:
        held = await self._vector.documents()
        if known is None:
            return await asyncio.to_thread(_overview, held, await self._firsts(None))
        if held is known.held:
            return known
        changed = await asyncio.to_thread(_changed, known.held, held)
        if not changed and len(held) == len(known.held):
            return known
        few = len(changed) <= _FEW and self._vector.capabilities >= _OF_SOME
        firsts = await self._firsts(changed if few else None)
        left = held.keys() - {*changed}
        kept = [one for one in known.firsts if one.chunk.source in left]
        return await asyncio.to_thread(_overview, held, [*kept, *firsts] if few else firsts)

    async def _firsts(self, sources: Sequence[str] | None) -> Sequence[Record]:
        """The records that these documents begin with, or all do."""
        if Capability.FILTER_CONTAINS not in self._vector.capabilities or sources == []:
            return ()
        first = Contains("section_keys", FIRST_OF_DOCUMENT)
        if sources is None:
            return await self._vector.find(first, _MOST_NAMED)
        return await self._vector.find(And(In("source", sources), first), len(sources))


def _changed(before: Mapping[str, DocumentState], now: Mapping[str, DocumentState]) -> list[str]:
    return [source for source, state in now.items() if before.get(source) != state]


def _overview(held: Mapping[str, DocumentState], firsts: Sequence[Record]) -> Overview:
    sources = [source for source in held if source != UNFINISHED]
    incomplete = frozenset(source for source in sources if not held[source].complete)
    return Overview(held, firsts, DocumentNames(sources, firsts), incomplete)
