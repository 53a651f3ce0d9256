"""Asking what may be busy: so many requests at a time, documents in turn, and again where that helps."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TypeVar

from hierdoc import HierdocError

T = TypeVar("T")

logger = logging.getLogger("hierdoc")

_BUSY = frozenset({408, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same request may succeed."""

_REFUSED = frozenset({400, 413, 422})

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 60.0
"""Seconds before the second attempt, and before any."""


class RequestRefusedError(HierdocError):
    """The server takes this request for wrong, such as a text that is too long; others may succeed."""


class AccessError(HierdocError):
    """The key, the address or the model is wrong: no request will succeed."""


class MissingError(AccessError):
    """The server knows no such address."""


class BusyError(Exception):
    """The same request may succeed later.

    Args:
        error: What to raise where it does not.
        problem: What has happened, for the log.
        seconds: What the server asks to wait for; None where it does not say.
    """

    def __init__(self, error: HierdocError, problem: str, seconds: float | None = None) -> None:
        super().__init__(problem)
        self.error = error
        self.problem = problem
        self.seconds = seconds


def failure_of(
    status: int, message: str, hint: str | None = None, seconds: float | None = None
) -> HierdocError | BusyError:
    """What a server means that answers a request with this status.

    Args:
        status: Of HTTP.
        message: What is said of it, the server's words included.
        hint: What to do.
        seconds: What the server asks to wait for.
    """
    if status in _BUSY:
        return BusyError(HierdocError(message, hint=hint), f"status {status}", seconds)
    if status in _REFUSED:
        return RequestRefusedError(message, hint=hint)
    if status == 404:
        return MissingError(message, hint=hint)
    if status in (401, 403) or 300 <= status < 400:
        return AccessError(message, hint=hint)
    return HierdocError(message, hint=hint)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks to wait for, whether it gives a number or a date."""
    value = headers.get("retry-after", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


async def patiently(attempt: Callable[[], Awaitable[T]], retries: int, asked: str) -> T:
    """What an attempt gives, after further ones where it finds the server busy.

    Args:
        attempt: Raises `BusyError` where another may succeed.
        retries: Further attempts; the pause doubles, or is what the server asks for.
        asked: Who is asked, for the log.
    """
    pause, left = _FIRST_PAUSE, retries
    while True:
        try:
            return await attempt()
        except BusyError as busy:
            if not left or (busy.seconds or 0) > _LONGEST_PAUSE:
                raise busy.error from busy.__cause__
            seconds = busy.seconds or pause * random.uniform(0.75, 1.25)  # noqa: S311 - spreads requests
            logger.info("%s: %s, trying again in %.1f s", asked, busy.problem, seconds)
        await asyncio.sleep(seconds)
        pause, left = min(2 * pause, _LONGEST_PAUSE), left - 1


@dataclass(frozen=True)
class _Opened:
    """What belongs to one event loop, and cannot be used from another.

    Attributes:
        loop: It.
        slots: One for each request at the same time.
        room: For turns; one less than twice the slots, so that one turn which fills all of them leaves no room for another like it.
        door: Where turns wait in line.
    """

    loop: asyncio.AbstractEventLoop
    slots: asyncio.Semaphore
    room: asyncio.Semaphore
    door: asyncio.Lock


class Turns:
    """Who may ask, and when.

    Args:
        concurrency: Requests at the same time, at most.
    """

    def __init__(self, concurrency: int) -> None:
        self._most = concurrency
        self._opened: _Opened | None = None

    @property
    def slot(self) -> asyncio.Semaphore:
        """What to hold during a request."""
        return self._open().slots

    @asynccontextmanager
    async def turn(self, requests: int) -> AsyncIterator[Callable[[], None]]:
        """Wait until those whose turn it is leave slots idle; what is called for each of so many requests that has ended.

        Several small documents share the slots; two large ones follow each other, so that the server keeps what it has read of the first.
        """
        opened = self._open()
        left, held = requests, 0

        def ended() -> None:
            nonlocal left, held
            left -= 1
            if left < held:
                held -= 1
                opened.room.release()

        try:
            async with opened.door:
                while held < min(requests, self._most):
                    await opened.room.acquire()
                    held += 1
            yield ended
        finally:
            for _ in range(held):
                opened.room.release()

    def _open(self) -> _Opened:
        """What belongs to the running loop."""
        loop = asyncio.get_running_loop()
        if self._opened is None or self._opened.loop is not loop:
            slots, room = asyncio.Semaphore(self._most), asyncio.Semaphore(2 * self._most - 1)
            self._opened = _Opened(loop, slots, room, asyncio.Lock())
        return self._opened
