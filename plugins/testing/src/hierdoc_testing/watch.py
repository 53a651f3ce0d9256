"""Watches what a component does to the process: how long it keeps the event loop, and what it leaves behind.

A busy machine must not make a component look bad. Time that the loop's thread spends waiting for a processor is taken off where
the system tells it (Linux), in the end also what another thread waits for one, since that thread may hold the interpreter; the garbage collector passes over what was there before (the tests' own records above all), a
measurement is repeated before it counts against the component, and the last word has a comparison with what the same loop
suffers from an innocent thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

LIMIT = 0.05
"""Seconds for which no call may keep the event loop."""

_BEAT = 0.002
_ATTEMPTS = 5
_SETTLING = 2.0
"""Seconds in which threads and sockets of something closed may come to their end."""


async def longest_stall(work: Callable[[], Awaitable[Any]], *, others: bool = False) -> float:
    """Seconds for which the event loop was kept at most from turning while the work was done.

    Args:
        work: It.
        others: Whether to take off what other threads of this process waited for a processor.
    """
    longest = 0.0

    async def beat() -> None:
        nonlocal longest
        while True:
            begun, before = time.perf_counter(), _waits_for_a_processor(others)
            await asyncio.sleep(_BEAT)
            late = time.perf_counter() - begun - _BEAT
            longest = max(longest, late - _waited(before, _waits_for_a_processor(others)))

    with _garbage_of_now_alone():
        beating = asyncio.ensure_future(beat())
        await asyncio.sleep(2 * _BEAT)
        longest = 0.0
        try:
            await work()
            await asyncio.sleep(2 * _BEAT)  # so that the beat sees a stall at the very end
        finally:
            beating.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await beating
    return longest


@contextlib.contextmanager
def _garbage_of_now_alone() -> Iterator[None]:
    """Let the garbage collector pass over all that is there: it would take long to go through the tests of a large suite."""
    was_frozen = gc.get_freeze_count() > 0
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        if not was_frozen:  # else somebody wants it so, and thawing would thaw theirs too
            gc.unfreeze()


async def assert_never_blocks(
    name: str,
    work: Callable[[], Awaitable[Any]],
    before: Callable[[], Awaitable[Any]] | None = None,
) -> None:
    """Fail if the work keeps the event loop for more than 50 ms every time that it is done.

    Args:
        name: What is done, for the message.
        work: Does it; may be called several times.
        before: What has to happen each time before it, unmeasured: a write whose cost the next search may bear.
    """
    stalls: list[float] = []
    for _ in range(_ATTEMPTS):
        if before is not None:
            await before()
        stalls.append(await longest_stall(work))
        if stalls[-1] <= LIMIT:
            return
    for _ in range(_ATTEMPTS):
        if before is not None:
            await before()
        stalls.append(await longest_stall(work, others=True))
        if stalls[-1] <= LIMIT:
            return
    innocent = min([await longest_stall(_innocent_thread) for _ in range(3)])
    allowed = max(LIMIT, 1.5 * innocent)
    assert min(stalls) <= allowed, (
        f"{name} kept the event loop for {min(stalls) * 1000:.0f} ms or more in each of "
        f"{len(stalls)} attempts; {allowed * 1000:.0f} ms are allowed"
    )


def assert_nothing_is_left(use: Callable[[], Awaitable[Any]]) -> None:
    """Fail if each use leaves a thread or an open file or socket behind.

    Args:
        use: Opens a component, uses and closes it, and returns it: it is kept, so that no finalizer tidies up.
    """
    with _garbage_of_now_alone():
        kept, left = [asyncio.run(_used(use))], []  # the first may set up what the library keeps
        for _ in range(3):
            gc.collect()
            before = _resources()
            kept.append(asyncio.run(_used(use)))
            left.append(_settled(before))
    # What others in this process open or close meanwhile is no matter: only what each use added and is still there counts.
    now = _resources()
    for what in ("thread", "file"):
        stayed = [sum(kind == what for kind, *_ in added & now) for added in left]
        assert not all(stayed), f"{what}s left after each aclose: {', '.join(map(str, stayed))}"


async def _used(use: Callable[[], Awaitable[Any]]) -> Any:
    before = asyncio.all_tasks()
    component = await use()
    for _ in range(100):
        left = asyncio.all_tasks() - before
        if not left:
            return component
        await asyncio.sleep(0.01)
    raise AssertionError(f"tasks still run after aclose: {left}")


def _settled(before: set[tuple[str, object, str]]) -> set[tuple[str, object, str]]:
    """The resources in use that were not before, once there are none or they have had their time."""
    end = time.monotonic() + _SETTLING
    while True:
        gc.collect()
        added = _resources() - before
        if not added or time.monotonic() > end:
            return added
        time.sleep(0.02)


def _resources() -> set[tuple[str, object, str]]:
    """Threads and open files, sockets included, each with what tells it from others."""
    found: set[tuple[str, object, str]] = {
        ("thread", thread, "") for thread in threading.enumerate()
    }
    files = Path("/proc/self/fd")
    for number in os.listdir(files) if files.is_dir() else ():
        with contextlib.suppress(FileNotFoundError):  # that of the listing itself
            found.add(("file", number, os.readlink(files / number)))
    return found


async def _innocent_thread() -> None:
    """Work in a thread that does everything right: it keeps the interpreter busy, not the loop."""
    await asyncio.to_thread(lambda: sum(number * number for number in range(1_000_000)))


def _waits_for_a_processor(others: bool) -> dict[str, float]:
    """Seconds for which this thread, or each of this process, was ready to run and had no processor; empty where the system does not tell."""
    tasks = Path("/proc/self/task")
    own = str(threading.get_native_id())
    waits = {}
    for thread in os.listdir(tasks) if others and tasks.is_dir() else [own]:
        with contextlib.suppress(OSError, IndexError, ValueError):  # a thread may end meanwhile
            told = (tasks / thread / "schedstat").read_bytes()
            waits[thread] = int(told.split()[1]) / 1e9
    return waits


def _waited(before: dict[str, float], now: dict[str, float]) -> float:
    """Seconds that this thread waited for a processor meanwhile, and the one that waited longest of the others."""
    waited = {thread: wait - before.get(thread, 0.0) for thread, wait in now.items()}
    own = waited.pop(str(threading.get_native_id()), 0.0)
    return own + max(waited.values(), default=0.0)
