"""A proxy before a server that fails as it is told, and what every store must make of it.

Each fault ends in a retry that succeeds, in a result that says what is missing, or in an error with a way out; and nothing is lost:
the next ingest makes the index whole.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from hierdoc import AsyncIndex, HierdocError

HTTP_FAULTS = ("timeout", "429", "503", "cut", "refused", "restart")
"""timeout: no answer; 429, 503: the server says so; cut: the connection ends in the middle of the reply; refused: it ends before the
request is read; restart: all connections end, and for a while nobody listens."""

_HASTE, _PATIENCE = 0.7, 30.0
"""Seconds that a request may take while there are faults, and after them."""

_HANGS_AFTER = 120
"""Seconds after which nothing is waited for."""

_AWAY = 0.3
"""Seconds that a restart takes."""


class Proxy:
    """Passes on what a client and a server say to each other, until it is told to fail.

    Args:
        port: Of the server, on this machine.
    """

    def __init__(self, port: int) -> None:
        self._server = port
        self._lock, self._away = threading.Lock(), threading.Lock()
        self._open: set[socket.socket] = set()
        self._fault = ""
        self._wait = self._times = 0
        self._closed = False
        self.port = 0
        self.failed = 0
        self._listen()

    def fail(self, fault: str, after: int, times: int) -> None:
        """Answer so many requests, then fail so many times.

        Args:
            fault: One of `HTTP_FAULTS`.
            after: How many requests go well first.
            times: How often it fails.
        """
        with self._lock:
            self._fault, self._wait, self._times, self.failed = fault, after, times, 0

    def wait(self) -> None:
        """Until a restart is over."""
        with self._away:
            pass

    def close(self) -> None:
        """End all connections."""
        self._closed = True
        self._listener.close()
        self._drop()

    def _listen(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port), reuse_port=False)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self._server)) as server:
            with self._lock:
                self._open |= {client, server}
            fault: list[str] = []
            threading.Thread(target=self._answer, args=(client, server, fault), daemon=True).start()
            is_new = True
            while data := client.recv(1 << 16):
                fault[:] = [self._due()] if is_new or not fault else fault
                is_new = False
                if fault[0] == "refused":
                    break
                if fault[0] == "restart":
                    self._restart()
                    break
                if fault[0] in ("429", "503"):
                    client.settimeout(0.05)  # until the request was read
                    with suppress(TimeoutError):
                        while client.recv(1 << 16):
                            pass
                    body = b'{"status": {"error": "busy"}, "error": "busy"}'
                    head = f"HTTP/1.1 {fault[0]} Busy\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
                    client.sendall(f"{head}connection: close\r\n\r\n".encode() + body)
                    break
                server.sendall(data)
            self._end(server)  # which learns that the client is gone, and undoes what it had begun
        self._end(client)

    def _answer(self, client: socket.socket, server: socket.socket, fault: list[str]) -> None:
        with suppress(OSError):
            while data := server.recv(1 << 16):
                asked = fault[0] if fault else ""
                fault.clear()  # what comes next from the client is another request
                if asked == "timeout":
                    continue
                if asked == "cut":
                    client.sendall(data[: len(data) // 2])
                    break
                client.sendall(data)
        self._end(client, server)

    def _due(self) -> str:
        """How the request that begins is to fail; empty if not."""
        with self._lock:
            if not self._fault:
                return ""
            if self._wait:
                self._wait -= 1
                return ""
            if not self._times:
                return ""
            self._times -= 1
            self.failed += 1
            if self._fault == "restart" and not self._away.acquire(blocking=False):
                return "refused"  # another connection has brought it about
            return self._fault

    def _restart(self) -> None:
        """End all connections, and listen again after a while; whoever calls holds `_away`."""
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._drop()
            time.sleep(_AWAY)
            if not self._closed:
                self._listen()
        finally:
            self._away.release()

    def _drop(self) -> None:
        with self._lock:
            dropped, self._open = self._open, set()
        self._end(*dropped)

    def _end(self, *sockets: socket.socket) -> None:
        for one in sockets:
            with suppress(OSError):  # a reset, as from a process that died
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


@contextmanager
def proxy(port: int) -> Iterator[Proxy]:
    """A proxy before a server of this machine."""
    made = Proxy(port)
    try:
        yield made
    finally:
        made.close()


@dataclass
class Told:
    """What became of faults.

    Attributes:
        tried: How many there were, by kind.
        ended: How they ended: one of `ENDS`, or what must not be.
        wrong: What must not be.
    """

    tried: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def require(
        self, store: str, faults: Sequence[str], count_faults: Callable[[str, int, int], None]
    ) -> None:
        """Fail the test unless all these happened and ended well.

        Args:
            store: What to call it in the table of faults.
            faults: Which.
            count_faults: The fixture.
        """
        count_faults(f"wire, {store}", sum(self.tried.values()), len(self.wrong))
        print(f"tried {dict(self.tried)}, ended {dict(self.ended)}")
        assert not self.wrong, "\n".join(self.wrong)
        assert all(self.tried[fault] for fault in faults), self.tried


def write(corpus: Path, version: int) -> None:
    """Three documents, each with other text in each version, and one that comes and goes."""
    corpus.mkdir(exist_ok=True)
    for number in range(3):
        sections = [
            f"## Section {one}\n\nThe berth of ship {number} has length {one * (version + 2)}.\n"
            for one in range(1, 8)
        ]
        (corpus / f"act-{number}.md").write_text(f"# Act {number}\n\n" + "\n".join(sections))
    passing = corpus / "passing.md"
    if version % 2:
        passing.write_text("# Passing\n\nA lighthouse stands here.\n")
    else:
        passing.unlink(missing_ok=True)


async def ids(config: Mapping[str, Any]) -> set[str]:
    """Of all chunks that an index holds; those of the source where it is in memory."""
    async with AsyncIndex.open(config) as index:
        if config["vector"] == "in-memory":
            await index.ingest()
        return {chunk.id for chunk in await index.chunks()}


async def torture(
    folder: Path,
    stores: Callable[[float], Mapping[str, Any]],
    proxy: Proxy,
    faults: Sequence[str] = HTTP_FAULTS,
    moments: Sequence[int] = (0, 3, 8),
) -> Told:
    """Let each fault happen at several moments of an ingest and of a search, once or for long.

    Args:
        folder: To put documents in.
        stores: Takes the seconds that a request may take, and gives the part of a configuration that names the stores, which lie
            behind the proxy.
        proxy: It.
        faults: Which.
        moments: After how many requests.
    """
    corpus = folder / "corpus"
    source = {"source": str(corpus), "embedder": "static"}
    hasty, patient = {**source, **stores(_HASTE)}, {**source, **stores(_PATIENCE)}
    told = Told()
    write(corpus, 0)
    await _ingest(patient)
    cases = product(faults, moments, (1, 1000), (_ingest, _search))
    for version, (fault, after, times, work) in enumerate(cases, start=1):
        if work is _ingest:
            write(corpus, version // 2 + 1)
        proxy.fail(fault, after, times)
        how = await _outcome(work(hasty))
        happened = proxy.failed
        proxy.fail("", 0, 0)
        proxy.wait()
        what = f"{fault} x {times} after {after} requests of {work.__name__[1:]}"
        told.tried[fault] += bool(happened)
        told.ended[how] += bool(happened)
        if how not in ENDS:
            told.wrong.append(f"{what}: {how}")
        healed = [await _outcome(_ingest(patient)), await _outcome(_search(patient))]
        if healed != ["retried", "retried"]:
            told.wrong.append(f"{what}: afterwards {healed}")
        elif await ids(patient) != await ids({**source, "vector": "in-memory", "keyword": None}):
            told.wrong.append(f"{what}: the index is not what the source is")
    return told


async def _outcome(work: Coroutine[Any, Any, str]) -> str:
    try:
        return await asyncio.wait_for(work, _HANGS_AFTER)
    except HierdocError as error:
        return "error" if error.hint else f"no way out of {error}"
    except asyncio.TimeoutError:
        return "hangs"
    except Exception as error:  # reported
        return f"{type(error).__name__}: {error}"


ENDS = ("retried", "degraded", "reported", "error")


async def _ingest(config: Mapping[str, Any]) -> str:
    async with AsyncIndex.open(config) as index:
        return "reported" if (await index.ingest()).failures else "retried"


async def _search(config: Mapping[str, Any]) -> str:
    async with AsyncIndex.open(config) as index:
        result = await index.search("berth of ship 2")
    if result.degraded:
        return "degraded"
    return "retried" if "of ship 2" in result.hits[0].chunk.text else "another answer, unmarked"
