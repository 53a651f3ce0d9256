"""Gives up on a test in which nothing happens any more, and says in which line it waits."""

from __future__ import annotations

import asyncio
import contextlib
import linecache
import os
import signal
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

QUIET = 30.0
"""Seconds without any work of this process, and of those that it started, after which a test counts as hanging."""

LONG_QUIET = 120.0
"""The same for tests in which others work while this process waits: a server on ten thousand records, a second process that starts."""

LONGEST = 600.0
"""Seconds after which a test is given up that goes on working."""

SHARE = 1.0
"""How much of that is waited: less where nothing but hanging is expected."""

_IDLE = 0.02
"""Share of a processor below which a process does nothing."""

_LOOK = 0.5
_SHOWN = 3
_OWN = str(Path(__file__).parent)
_LIBRARY = sysconfig.get_paths()["stdlib"]
_OUTER = (
    "<frozen",
    *(
        f"{_LIBRARY}/{one}"
        for one in ("asyncio", "concurrent", "threading", "selectors", "contextlib", "functools")
    ),
)


_NO_HINT = "hierdoc_testing_no_hint"


def unhinted(error: BaseException) -> BaseException:
    """The error, marked as one that does not come of what its test asks for: the test's hint would point elsewhere."""
    with contextlib.suppress(AttributeError):
        setattr(error, _NO_HINT, True)
    return error


def is_unhinted(error: BaseException) -> bool:
    """Whether an error is so marked."""
    return getattr(error, _NO_HINT, False)


@contextlib.contextmanager
def patience(seconds: float = QUIET, longest: float = LONGEST) -> Iterator[None]:
    """Fail in the main thread where the process rests for long within, on the event loop or beside it.

    Args:
        seconds: For how long it may do nothing.
        longest: For how long it may work.
    """
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return
    seconds *= SHARE
    over = threading.Event()
    report = ""

    def give_up(*_: Any) -> None:
        raise unhinted(pytest.fail.Exception(report, pytrace=False))  # passes `except Exception`

    def watch() -> None:
        nonlocal report
        begun = last = time.monotonic()
        while not over.wait(_LOOK):
            worked = _worked()
            over.wait(_LOOK)
            now = time.monotonic()
            if not 0 <= _worked() - worked <= _IDLE * _LOOK:
                last = now
            if now - last > seconds or now - begun > longest:
                if not report:
                    what = "nothing happens" if now - last > seconds else "it goes on"
                    waited = now - (last if now - last > seconds else begun)
                    report = f"gave up after {waited:.0f} s in which {what}; it waits here:\n{_waiting_lines()}"
                signal.pthread_kill(main, signal.SIGALRM)  # again where tidying up hangs as well
                last = now - seconds + 2

    main = threading.main_thread().ident or 0
    previous = signal.signal(signal.SIGALRM, give_up)
    watcher = threading.Thread(target=watch, name="hierdoc-testing-patience", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
        signal.signal(signal.SIGALRM, previous)


def _worked() -> float:
    """Seconds of a processor that this process and those below it have had; of these where the system tells (Linux)."""
    return sum(os.times()[:4]) + sum(map(_of_process, _below("self")))


def _below(process: str) -> Iterator[str]:
    with contextlib.suppress(OSError):
        for file in Path("/proc", process, "task").glob("*/children"):
            for child in file.read_text().split():
                yield child
                yield from _below(child)


def _of_process(process: str) -> float:
    try:
        fields = Path("/proc", process, "stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0.0
    return float(int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _waiting_lines() -> str:
    """Where the tasks of the event loop wait, or the main thread where it does not turn, and the threads that were given work."""
    frames = sys._current_frames()
    main = list(_outward(frames.get(threading.main_thread().ident or 0)))
    waiting = next((one for one in main if one.f_code.co_name == "run_forever"), None)
    places: list[list[FrameType]] = []
    if waiting is not None and main and main[0].f_code.co_filename.endswith("selectors.py"):
        tasks = asyncio.all_tasks(waiting.f_locals["self"])
        places += [_awaiting(task.get_coro()) for task in tasks]
    else:
        places.append(main[::-1])
    for identity, frame in frames.items():
        thread = list(_outward(frame))
        if identity != threading.main_thread().ident and any(map(_is_given_work, thread)):
            places.append(thread[::-1])
    shown = [line for place in places for line in _shown(place)]
    return "\n".join(dict.fromkeys(shown)) or "  (nowhere in Python)"


def _outward(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _awaiting(coroutine: Any) -> list[FrameType]:
    """The frames of a coroutine and of what it awaits, from the outside in."""
    found = []
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None) or getattr(coroutine, "gi_frame", None)
        if frame is not None:
            found.append(frame)
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None)
    return found


def _shown(frames: list[FrameType]) -> list[str]:
    """The innermost lines of what is under test or, where there are none, of the kit: what ran the test is left out."""
    begin = max((n for n, one in enumerate(frames) if _is_runner(one)), default=-1) + 1
    inner = [one for one in frames[begin:] if not one.f_code.co_filename.startswith(_OUTER)]
    foreign = [one for one in inner if not one.f_code.co_filename.startswith(_OWN)]
    return [
        f"  {one.f_code.co_filename}:{one.f_lineno} in {one.f_code.co_name}: "
        f"{linecache.getline(one.f_code.co_filename, one.f_lineno).strip()}"
        for one in (foreign or inner)[-_SHOWN:]
    ]


def _is_runner(frame: FrameType) -> bool:
    """Whether a frame belongs to what calls the test: all outside it does too."""
    return (
        frame.f_code.co_filename.endswith("hierdoc_testing/base.py")
        and frame.f_code.co_name == "run"
    )


def _is_given_work(frame: FrameType) -> bool:
    name, file = frame.f_code.co_name, frame.f_code.co_filename
    return name == "run" and file.endswith("concurrent/futures/thread.py")
