"""An ingest in a process of its own: it takes neither the interpreter nor the event loop from whoever answers calls meanwhile.

`benchmarks/bench_calls.py` measures what that is worth.

The process is an interpreter that `subprocess` starts, not one of `multiprocessing`: that would run the program's main module again.
It gets the configuration on its standard input, says what it does on its standard output, and ends when its parent does.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import struct
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, NoReturn

from hierdoc.errors import HierdocError, IndexLockedError, IndexMismatchError, StoreError

if TYPE_CHECKING:
    from hierdoc.config.models import Config
    from hierdoc.index import AsyncIndex
    from hierdoc.ingest.report import IngestReport

Progress = Callable[[int, int, str], Awaitable[None]]

RETRY = 5.0
"""Seconds between attempts at an index that another process is writing to."""

_NICE = 5
"""How much the process steps back behind the one that answers calls."""

_PATIENCE = 2.0
"""Seconds that the process gets to end by itself."""

_LENGTH = struct.Struct(">Q")
_READ, _DONE, _ERROR = "read", "done", "error"
_PROGRAM = "import sys; sys.path[:] = sys.argv[1].split('\\n'); from hierdoc_tools.apart import serve; serve()"


def can_be_apart(index: AsyncIndex) -> bool:
    """Whether another process can write to this index while this one reads it."""
    frozen = not sys.executable or getattr(sys, "frozen", False)  # no interpreter to start
    return index.shared and not frozen


async def updated(index: AsyncIndex, progress: Progress) -> IngestReport:
    """Bring an index up to date, also where another embedder has made it or another process is at it.

    Raises:
        HierdocError: As `AsyncIndex.ingest`.
    """
    force = False
    while True:
        try:
            return await index.ingest(progress=progress, force=force)
        except IndexMismatchError:
            if force or index.config.file is not None:
                raise
            force = True  # it is hierdoc's own, in the cache
        except IndexLockedError:  # another client's server is at it
            await asyncio.sleep(RETRY)


async def updated_apart(config: Config, progress: Progress) -> IngestReport:
    """The same in a process of its own, which is ended if this is cancelled.

    Raises:
        HierdocError: As `AsyncIndex.ingest`, or the process ended before it was done.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _PROGRAM, "\n".join(sys.path),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(_packed(config))
        while (said := await _received(process.stdout)) is not None:
            kind, *given = said
            if kind == _READ:
                await progress(*given)
            elif kind == _ERROR:
                error, message, hint = given
                raise error(message, hint=hint)
            else:
                (report,) = given
                return report  # type: ignore[no-any-return]
        await process.wait()
    finally:
        await _ended(process)
    status = process.returncode or 0
    how = f"signal {-status}" if status < 0 else f"status {status}"
    raise StoreError(
        f"the process of the ingest ended before it was done, by {how}",
        hint="`hierdoc ingest` goes on where it stopped.",
    )


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Let the process end, and see to it that it does."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), _PATIENCE)
    except (TimeoutError, asyncio.TimeoutError):
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def serve() -> NoReturn:
    """What the process does: one ingest."""
    from hierdoc.index import AsyncIndex
    from hierdoc_tools.options import log_to_stderr

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    with suppress(AttributeError, OSError):  # Windows has no such thing
        os.nice(_NICE)
    said = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is none of it
    log_to_stderr()
    config = pickle.loads(_whole(sys.stdin.buffer))  # noqa: S301 - from our own parent
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def say(*what: object) -> None:
        said.write(_packed(what))
        said.flush()

    async def note(done: int, total: int, name: str) -> None:
        say(_READ, done, total, name)

    async def work() -> IngestReport:
        async with AsyncIndex.open(config) as index:
            return await updated(index, note)

    try:
        say(_DONE, asyncio.run(work()))
    except HierdocError as error:
        say(_ERROR, type(error), str(error), error.hint)
    os._exit(0)


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def _whole(stream: IO[bytes]) -> bytes:
    (length,) = _LENGTH.unpack(stream.read(_LENGTH.size))
    return stream.read(length)


def _packed(value: object) -> bytes:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


async def _received(stream: asyncio.StreamReader) -> Any:
    """What the process says next; None where it has ended."""
    try:
        (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
        return pickle.loads(await stream.readexactly(length))  # noqa: S301 - from our own process
    except asyncio.IncompleteReadError:
        return None
