"""The index that the tools read: opened while the protocol already answers, and brought up to date beside the calls."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, SecretStr

from hierdoc.errors import HierdocError
from hierdoc.plugin.stores import masked
from hierdoc_tools.apart import can_be_apart, updated, updated_apart
from hierdoc_tools.arguments import sentence

if TYPE_CHECKING:
    from hierdoc.config.models import Config
    from hierdoc.index import AsyncIndex

logger = logging.getLogger("hierdoc_tools")

TO_FILL = "`hierdoc ingest` fills it, and so does the server's option `--ingest`."
"""What to do about an empty index."""


class Corpus:
    """One configured index, for as long as the server runs.

    Use it with `async with`: that begins to open the index and, where it is wanted or nothing is kept between two runs, an ingest.

    Args:
        config: What is served.
        ingest: Whether to bring the index up to date first; None for only where it keeps nothing.
        apart: Whether the program does nothing but answer: an ingest then runs in a process of its own, where the stores let it, and
            what is loaded is kept from the garbage collector, which would go through all of it for a tenth of a second.
    """

    def __init__(self, config: Config, *, ingest: bool | None = None, apart: bool = False) -> None:
        self.config = config
        self._wanted = ingest
        self._apart = apart
        self._opening: asyncio.Task[AsyncIndex] | None = None
        self._ingesting: asyncio.Task[None] | None = None
        self._building = bool(ingest)
        self._progress = (0, 0)
        self._trouble = ""
        self._scrub = Scrubber(config)
        self._calls = 0
        self._quiet = asyncio.Event()
        self._quiet.set()

    async def index(self) -> AsyncIndex:
        """The opened index.

        Raises:
            HierdocError: It cannot be opened.
        """
        assert self._opening is not None
        return await asyncio.shield(self._opening)

    @property
    def building(self) -> bool:
        """Whether an ingest is under way."""
        return self._building

    @property
    def files_read(self) -> int:
        """How many files the ingest has read so far."""
        return self._progress[0]

    async def settled(self) -> None:
        """Wait until the index is open and no ingest is under way."""
        assert self._ingesting is not None
        await asyncio.wait([self._ingesting])

    @contextmanager
    def answering(self) -> Iterator[None]:
        """While a call is answered: an ingest in this process waits between two documents, though never for long."""
        self._calls += 1
        self._quiet.clear()
        try:
            yield
        finally:
            self._calls -= 1
            if not self._calls:
                self._quiet.set()

    def notes(self) -> list[str]:
        """What whoever reads an answer should know of the index."""
        if self.building:
            done, total = self._progress
            files = f": {done} of {total} files are read" if total else ""
            return [f"The index is being built{files}. Documents may be missing; ask again later."]
        return [self._trouble] if self._trouble else []

    def scrub(self, text: str) -> str:
        """A message without secrets of the configuration and without paths outside the source."""
        return self._scrub(text)

    async def __aenter__(self) -> Corpus:
        self._opening = asyncio.create_task(asyncio.to_thread(self._open))
        self._ingesting = asyncio.create_task(self._ingest())
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._opening is not None
        assert self._ingesting is not None
        self._ingesting.cancel()
        with suppress(asyncio.CancelledError):
            await self._ingesting
        with suppress(HierdocError):
            await (await self._opening).aclose()

    def _open(self) -> AsyncIndex:
        from hierdoc.index import AsyncIndex  # takes its time, and the protocol need not wait

        return AsyncIndex.open(self.config)

    async def _ingest(self) -> None:
        try:
            index = await self.index()
            if self._apart:
                gc.freeze()
            if self._wanted or (self._wanted is None and not index.persistent):
                self._building = True
                await self._update(index)
            elif not await index.count():
                logger.warning("the index is empty: %s", TO_FILL)
        except HierdocError as error:
            told = f"{sentence(str(error))} {error.hint or ''}".rstrip()
            logger.error("%s", told)
            self._trouble = self.scrub(f"The index could not be brought up to date. {told}")
        except Exception:  # reported: what is in the index can still be searched
            logger.exception("the ingest failed")
            self._trouble = "The index could not be brought up to date: an internal error."
        finally:
            self._building = False

    async def _update(self, index: AsyncIndex) -> None:
        async def note(done: int, total: int, name: str) -> None:
            self._progress = done, total

        async def note_and_wait(done: int, total: int, name: str) -> None:
            self._progress = done, total
            with suppress(TimeoutError, asyncio.TimeoutError):
                await asyncio.wait_for(self._quiet.wait(), _PATIENCE)

        if self._apart and can_be_apart(index):
            report = await updated_apart(self.config, note)
        else:
            with _quick_turns():
                report = await updated(index, note_and_wait)
        counts = ", ".join(f"{number} {what}" for what, number in report.counts.items() if number)
        logger.info("ingest: %s", counts or "nothing to do")
        for failure in report.failures:
            logger.warning("failed: %s: %s", failure.source, failure.error)
        if report.failures:
            several = len(report.failures) > 1
            files = f"{len(report.failures)} files" if several else "1 file"
            self._trouble = (
                f"{files} could not be read and {'are' if several else 'is'} not searched."
            )


@contextmanager
def _quick_turns() -> Iterator[None]:
    """Let threads take turns often: answering gives up the interpreter at each statement, and an ingest keeps it for a whole turn."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, _TURN))
    try:
        yield
    finally:
        sys.setswitchinterval(before)


_TURN = 0.0005
"""Seconds that a thread may keep the interpreter while others wait for it, and an ingest is under way."""

_PATIENCE = 0.2
"""Seconds that an ingest waits between two documents for calls to be answered."""


class Scrubber:
    """Takes out of messages what a client must not learn: secrets of the configuration, and paths outside the source."""

    def __init__(self, config: Config) -> None:
        self._secrets = list(_secrets(config))
        base, home = str(config.base.resolve()), str(Path.home())
        self._known = ((base, ""), (home, f"~{os.sep}"))

    def __call__(self, text: str) -> str:
        """The message as a client may see it."""
        text = _CREDENTIALS.sub("***@", masked(text, self._secrets))
        for folder, shown in self._known:
            text = text.replace(f"{folder}{os.sep}", shown)
        return _PATH.sub(lambda found: ".../" + re.split(r"[\\/]", found[0])[-1], text)


_CREDENTIALS = re.compile(r"(?<=://)[^\s/@]+@")
_ROOT = r"(?:~?/|[A-Za-z]:[\\/])"
_PATH = re.compile(
    rf"(?<=')~?{_ROOT}[^'\n]+(?=')|(?<=\"){_ROOT}[^\"\n]+(?=\")|(?<![\w:/.~-]){_ROOT}[^\s'\":;,()<>]+"
)
"""An absolute path, in quotes or as far as the next space; what follows `//` in a URL is none."""


def _secrets(value: Any) -> Iterator[SecretStr]:
    if isinstance(value, SecretStr):
        yield value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _secrets(getattr(value, name))
    elif isinstance(value, dict):
        for one in value.values():
            yield from _secrets(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _secrets(one)
