"""One at a time at a resource: small work at once on the event loop, all other work in a thread of its own.

A hop to a thread and back costs only some 30 µs, but in the thread work gives up the interpreter at each step of SQLite and
has to win it back from the loop. Measured on 10,000 chunks beside other work on the loop, a search with its look-ups takes
1.3 ms (p95 1.5) at once and 4.9 ms (p95 100) in a thread; 16 of them at once take 10 ms (p95 14) and 13 ms (p95 36).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from hierdoc import StoreError

T = TypeVar("T")


class Later(Exception):  # noqa: N818 - no error: a change of plan
    """Raised by hasty work that turns out not to be small; it has changed nothing."""


class Worker:
    """Guards a resource.

    Args:
        name: Of the thread, which starts with the first work that needs it.
    """

    def __init__(self, name: str) -> None:
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(1, name)
        self._closed = False

    async def run(self, work: Callable[[], T], hasty: Callable[[], T] | None = None) -> T:
        """What `work` returns.

        Args:
            work: Runs in the thread, after all work that came before.
            hasty: Does the same in less than about 2 ms on the event loop, or raises `Later`; tried first where nobody
                else is at work.

        Raises:
            StoreError: The worker is closed.
        """
        if self._closed:
            raise StoreError("the index is closed", hint="Open it again.")
        if hasty is not None and self._lock.acquire(blocking=False):
            try:
                return hasty()
            except Later:
                pass
            finally:
                self._lock.release()
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._alone, work)

    async def aclose(self, last: Callable[[], None]) -> None:
        """Do one last thing after all that was asked for, and let go of the thread."""
        if self._closed:
            return
        self._closed = True
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._threads, self._alone, last)
        except asyncio.CancelledError:
            self._threads.shutdown(wait=False)
            raise
        self._threads.shutdown(wait=True)  # it has nothing left to do

    def _alone(self, work: Callable[[], T]) -> T:
        with self._lock:
            return work()
