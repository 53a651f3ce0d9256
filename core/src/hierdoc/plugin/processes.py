"""Conversions in processes of their own, so that one file can stop neither the others nor the program.

A process is an interpreter that `subprocess` starts, not one of `multiprocessing`: that would run the program's main module again.
It gets the function and then one file after the other on its standard input, and ends when that does, whatever becomes of
its parent.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import IO, Any, NoReturn

from hierdoc.errors import ConversionError, HierdocError
from hierdoc.models import Document, Source
from hierdoc.plugin.settings import ConversionLimits

Conversion = Callable[[Source], Document]
"""A function at the top level of a module, or a `functools.partial` of one: it is sent to the process by its name."""


class ConversionPool:
    """Converts files within limits; processes start with the first files, and are used again.

    Args:
        conversion: Makes the document, and raises `ConversionError` where it cannot. A `MemoryError` it lets pass.
        limits: The limits; by default the conversion runs in a thread of this process.

    Raises:
        ValueError: The conversion is defined in the program's main module, where no other process finds it.
    """

    def __init__(self, conversion: Conversion, limits: ConversionLimits | None = None) -> None:
        self.limits = limits or ConversionLimits(processes=0)
        self._conversion = conversion
        self._count = _cores() if self.limits.processes is None else self.limits.processes
        if not sys.executable or getattr(sys, "frozen", False):  # no interpreter to start
            self._count = 0
        function = conversion.func if isinstance(conversion, partial) else conversion
        if self._count and function.__module__ == "__main__":
            raise ValueError(f"{function.__qualname__} must be defined in a module to be imported")
        self._idle: list[_Process] = []
        self._threads: ThreadPoolExecutor | None = None
        weakref.finalize(self, _end_all, self._idle)  # also when the interpreter ends

    async def convert(self, source: Source) -> Document:
        """The document; a cancelled conversion ends its process.

        Raises:
            ConversionError: The file cannot be converted, is over a limit, or ended the process.
        """
        if not self._count:
            document = await asyncio.to_thread(self._conversion, source)
            _check_length(document, self.limits.characters)
            return document
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._count, "hierdoc-conversion")
        ticket = _Ticket()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, self._convert, source, ticket)
        finally:
            ticket.cancel()

    async def aclose(self) -> None:
        """End the processes that are idle."""
        threads, self._threads = self._threads, None
        if threads is not None:
            await asyncio.to_thread(threads.shutdown)
        _end_all(self._idle)

    def _convert(self, source: Source, ticket: _Ticket) -> Document:
        while True:
            try:
                process = self._idle.pop()
            except IndexError:
                process = _Process(self._conversion, self.limits)
            used = process.used
            ticket.hold(process)
            try:
                document = process.convert(source, self.limits)
            except _Exhausted as error:
                if used and not ticket.cancelled and not error.late:
                    continue  # what it kept of earlier files may be at fault
                raise ConversionError(str(error), hint=error.hint) from None
            finally:
                ticket.release()
                if process.alive:
                    self._idle.append(process)
                else:
                    process.end()
            return document


def serve() -> NoReturn:
    """What such a process does: it converts what it is given until its standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    requests = sys.stdin.buffer
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no reply
    conversion, limits = _receive(requests) or sys.exit(0)
    records = _Records()
    logging.getLogger("hierdoc").addHandler(records)
    _limit_memory(limits.memory_mib)
    waiting: queue.SimpleQueue[Source] = queue.SimpleQueue()

    def read() -> None:
        while (source := _receive(requests)) is not None:
            waiting.put(source)
        os._exit(0)  # the parent is gone, or wants no more

    threading.Thread(target=read, daemon=True).start()
    _send(replies, _READY)
    while True:
        reply = _reply(conversion, waiting.get(), limits)
        _send(replies, (*reply, records.taken()))
        if reply[0] == _MEMORY:
            os._exit(1)


class _Exhausted(Exception):  # noqa: N818 - becomes an error where no other process helps
    """A file is over the limit of time or memory, or has ended its process."""

    def __init__(self, message: str, hint: str | None = None, *, late: bool = False) -> None:
        super().__init__(message)
        self.hint = hint
        self.late = late


class _Ticket:
    """By which a conversion can be cancelled from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self.cancelled = False

    def hold(self, process: _Process) -> None:
        with self._lock:
            self._process = process
            if self.cancelled:
                process.kill()

    def release(self) -> None:
        with self._lock:
            self._process = None

    def cancel(self) -> None:
        with self._lock:
            self.cancelled = True
            if self._process is not None:
                self._process.kill()


class _Process:
    """One process, as its parent sees it; `used` says whether it has converted a file."""

    def __init__(self, conversion: Conversion, limits: ConversionLimits) -> None:
        self.used = False
        self.alive = True
        self._ready = False
        program = "import sys; sys.path[:] = sys.argv[1].split('\\n'); from hierdoc.plugin.processes import serve; serve()"
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter
            [sys.executable, "-c", program, "\n".join(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ENVIRONMENT},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests: IO[bytes] = self._process.stdin
        self._replies: IO[bytes] = self._process.stdout
        with suppress(OSError):  # it has ended already, which the first file will tell
            _send(self._requests, (conversion, limits))

    def convert(self, source: Source, limits: ConversionLimits) -> Document:
        """The document.

        Raises:
            _Exhausted: The process is of no more use.
            HierdocError: What the conversion raised.
        """
        late = threading.Event()
        if not self._ready:  # to start takes time that is no file's
            self._ready = self._answer(_START, threading.Event()) == _READY
        reply = self._answer(limits.seconds, late, source)
        self.used = True
        if reply is None:
            self.alive = False
            raise self._ended(source.name, limits, late=late.is_set())
        kind, value, records = reply
        for level, message in records:
            logging.getLogger("hierdoc").log(level, "%s", message)
        if kind == _MEMORY:
            self.alive = False
            raise _Exhausted(
                f"{source.name}: takes more memory to convert than the limit, {limits.memory_mib:,} MiB",
                "Split it, or raise `limits.memory_mib` of the converter.",
            )
        if kind == _ERROR:
            error, message, hint = value
            raise error(message, hint=hint)
        document: Document = value
        return document

    def _answer(self, seconds: float, late: threading.Event, *request: object) -> Any:
        """What it says next, to a request if there is one; None, and `late` set, where it has not for so long."""

        def stop() -> None:
            late.set()
            self.kill()

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            for one in request:
                _send(self._requests, one)
            return _receive(self._replies)
        except OSError:
            return None
        finally:
            timer.cancel()

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self.alive = False
        self._process.kill()

    def end(self) -> None:
        """Have it end, and wait for that."""
        self.alive = False
        with suppress(OSError):
            self._requests.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._replies.close()

    def _ended(self, name: str, limits: ConversionLimits, *, late: bool) -> _Exhausted:
        if late:
            return _Exhausted(
                f"{name}: takes longer to convert than the limit, {limits.seconds:g} seconds",
                "Split it, or raise `limits.seconds` of the converter.",
                late=True,
            )
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        status = self._process.returncode
        how = f"signal {-status}" if status is not None and status < 0 else f"status {status}"
        return _Exhausted(
            f"{name}: ended the process that converted it, by {how}: it is damaged, or takes more memory than the limit,"
            f" {limits.memory_mib:,} MiB"
        )


class _Records(logging.Handler):
    """Keeps what is logged, for the parent."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._kept: list[tuple[int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it, up to a number."""
        if len(self._kept) < _MOST_RECORDS:
            self._kept.append((record.levelno, record.getMessage()))

    def taken(self) -> list[tuple[int, str]]:
        """What was kept since the last call."""
        kept, self._kept = self._kept, []
        return kept


_DOCUMENT, _ERROR, _MEMORY = "document", "error", "memory"
_MOST_RECORDS = 100
_LENGTH = struct.Struct(">Q")

_READY = "ready"
"""What it says when it can take files."""

_START = 120.0
"""Seconds that a process may take to start, on a machine with much else to do."""

_PATIENCE = 2.0
"""Seconds that a process gets to end by itself."""

_ENVIRONMENT = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "MALLOC_ARENA_MAX"), "1"
)
"""Threads reserve memory that counts against the limit; there is a process for each core."""


def _cores() -> int:
    return min(os.cpu_count() or 1, 4)


def _reply(conversion: Conversion, source: Source, limits: ConversionLimits) -> tuple[str, Any]:
    try:
        document = conversion(source)
        _check_length(document, limits.characters)
    except MemoryError:
        return _MEMORY, None
    except HierdocError as error:
        return _ERROR, (type(error), str(error), error.hint)
    except Exception as error:  # whatever a file does to a library, it is this file that fails
        reason = " ".join(str(error).split())[:300]
        message = f"{source.name}: cannot be converted: {type(error).__name__}: {reason}"
        return _ERROR, (ConversionError, message, None)
    return _DOCUMENT, document


def _check_length(document: Document, limit: int) -> None:
    if len(document.text) > limit:
        raise ConversionError(
            f"{document.source}: holds {len(document.text):,} characters of text, the limit is {limit:,}",
            hint="Split it, or raise `limits.characters` of the converter.",
        )


def _limit_memory(mebibytes: int) -> None:
    """Have allocations fail beyond the limit, where the system can do so."""
    with suppress(ImportError, ValueError, OSError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20))


def _send(stream: IO[bytes], value: object) -> None:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    """What the other side sent; None where it has ended."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    return pickle.loads(data) if len(data) == length else None  # noqa: S301 - from our own process


def _end_all(processes: list[_Process]) -> None:
    while processes:
        processes.pop().end()
