"""Milvus Lite as a server: in a process of its own, which can be killed, and behind a relay that fails as it is told."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import grpc
import pytest

from hierdoc_milvus.connection import LiteServers


@pytest.fixture
def make_server() -> Iterator[Callable[[Path], Server]]:
    """Starts servers on folders; tests are skipped where Milvus Lite is not installed."""
    if find_spec("milvus_lite") is None:
        pytest.skip("milvus-lite is not installed")
    made: list[Server] = []

    def make(folder: Path) -> Server:
        made.append(Server(folder))
        return made[-1]

    yield make
    for one in made:
        one.kill()


@pytest.fixture(scope="session")
def lite_uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a Milvus Lite answers, the same for all tests: each names a collection of its own."""
    if find_spec("milvus_lite") is None:
        pytest.skip("milvus-lite is not installed")
    servers, folder = LiteServers(), tmp_path_factory.mktemp("milvus-lite")
    yield servers.start(folder)
    servers.stop(folder)


@pytest.fixture
def relay(lite_uri: str) -> Iterator[Relay]:
    """A server that fails as it is told."""
    relay = Relay(lite_uri.removeprefix("http://"))
    yield relay
    relay.stop()


class Relay(grpc.GenericRpcHandler):
    """Passes on what a client asks a server, unless it is to fail.

    Args:
        address: Of the server.

    Attributes:
        failures: Methods, such as `Query`, and the code that each is answered with, once; `*` for all, always.
        replies: Methods, and a message in bytes that each is answered with, once.
        identities: The `authorization` of each request.
        methods: What was asked, in order.
    """

    def __init__(self, address: str) -> None:
        self.failures: list[tuple[str, grpc.StatusCode]] = []
        self.replies: list[tuple[str, bytes]] = []
        self.identities: set[str | None] = set()
        self.methods: list[str] = []
        self._channel = grpc.insecure_channel(address)
        self._pool = ThreadPoolExecutor(4)
        self._server = grpc.server(self._pool)
        self._server.add_generic_rpc_handlers([self])
        self.uri = f"http://127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def service(self, details: Any) -> Any:
        """Handles a request of any method as bytes."""
        name = details.method.rpartition("/")[2]
        self.methods.append(name)
        self.identities.add(dict(details.invocation_metadata).get("authorization"))

        def answer(request: bytes, context: Any) -> Any:
            for place, (wanted, code) in enumerate(self.failures):
                if wanted in (name, "*"):
                    if wanted == name:
                        del self.failures[place]
                    context.abort(code, "as the test says")
            if self.replies and self.replies[0][0] == name:
                return self.replies.pop(0)[1]
            return self._channel.unary_unary(details.method)(request)

        return grpc.unary_unary_rpc_method_handler(answer)

    def stop(self) -> None:
        """End it."""
        self._server.stop(None).wait()
        self._channel.close()
        self._pool.shutdown()


class Server:
    """A process that serves a folder over gRPC.

    Args:
        folder: Its data.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.uri = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None
        self.restart()

    def restart(self) -> None:
        """Start it, and wait until it listens."""
        command = "from milvus_lite.adapter.grpc.server import run_server; import sys; run_server(sys.argv[1], '127.0.0.1', int(sys.argv[2]))"
        self._process = subprocess.Popen(
            [sys.executable, "-c", command, str(self._folder), str(self.port)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + 60
        while time.monotonic() < end and self._process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        pytest.fail("Milvus Lite does not listen")

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
