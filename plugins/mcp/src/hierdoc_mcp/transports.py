"""How clients reach the server: over standard input and output as a child process, or over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, BinaryIO

from hierdoc_tools import limits
from hierdoc_tools.access import (
    CONNECTIONS,
    LOOPBACK_NAMES,
    Application,
    Message,
    Token,
    bounded,
    is_loopback,
    stated_length,
)

if TYPE_CHECKING:
    import socket

    from mcp.server.lowlevel import Server

# Standard input and output


@contextmanager
def claimed_streams() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The process's standard input and output, for the protocol alone.

    Whatever else reads or writes there meanwhile, libraries and child processes included, finds nothing and writes to standard error.
    """
    sys.stdout.flush()
    kept = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    try:
        # A thread may wait for input until the process ends: nobody must close what it reads.
        yield os.fdopen(kept[0], "rb", closefd=False), os.fdopen(kept[1], "wb", closefd=False)
    finally:
        sys.stdout.flush()
        for number, original in enumerate(kept):
            os.dup2(original, number)


class _Lines:
    """Lines of a stream, read by a thread of its own that nobody waits for: so the server can be stopped while none comes."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = TextIOWrapper(stream, encoding="utf-8", errors="replace")
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="hierdoc-mcp-input", daemon=True).start()

    def _read(self) -> None:
        line = "-"
        while line:
            try:
                line = self._stream.readline()
            except (OSError, ValueError):
                line = ""
            if self._loop.is_closed():
                return
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await self._queue.get():
            yield line


async def serve_stdio(server: Server[Any]) -> None:
    """Serve the client that started this process, until it closes standard input."""
    import anyio
    from mcp.server.stdio import stdio_server

    with claimed_streams() as (given, taken):
        lines: Any = _Lines(given)
        written = anyio.wrap_file(TextIOWrapper(taken, encoding="utf-8", newline="\n"))
        async with stdio_server(lines, written) as (read, write):
            await server.run(read, write, server.create_initialization_options())


# HTTP


async def serve_http(server: Server[Any], listening: socket.socket, token: Token) -> None:
    """Serve clients over streamable HTTP at `/mcp`, until the process is told to stop.

    Args:
        server: It.
        listening: Where; of `hierdoc_tools.access.listen`.
        token: What clients must show as `Authorization: Bearer`.
    """
    import uvicorn
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.server.transport_security import TransportSecuritySettings

    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=is_loopback(listening.getsockname()[0]),
        allowed_hosts=[f"{name}:*" for name in LOOPBACK_NAMES],
        allowed_origins=[f"http://{name}:*" for name in LOOPBACK_NAMES],
    )
    # Without sessions there is nothing to take over or to exhaust; no tool needs one.
    manager = StreamableHTTPSessionManager(
        app=server, json_response=True, stateless=True, security_settings=security
    )
    application = guarded(manager.handle_request, token)
    config = uvicorn.Config(
        application, lifespan="off", log_config=None, access_log=False,
        server_header=False, limit_concurrency=CONNECTIONS, timeout_graceful_shutdown=3, timeout_keep_alive=limits.KEPT,
    )  # fmt: skip
    async with manager.run():
        await uvicorn.Server(config).serve(sockets=[listening])


def guarded(application: Any, token: Token) -> Application:
    """The application at `/mcp`, for those alone who show the token, and for requests of a bearable size.

    Args:
        application: Any ASGI application.
        token: The secret.
    """

    async def guard(scope: Message, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        headers = dict(scope["headers"])
        if not token.is_borne(headers.get(b"authorization", b"")):
            await _refuse(send, 401, "a token is needed: Authorization: Bearer TOKEN")
        elif scope["path"].rstrip("/") != "/mcp":
            await _refuse(send, 404, "the server is at /mcp")
        elif stated_length(headers) > limits.BODY:
            await _refuse(send, 413, f"a request may have {limits.BODY:,} bytes")
        else:
            await application(scope, bounded(receive), send)

    return guard


async def _refuse(send: Callable[[Message], Awaitable[None]], status: int, reason: str) -> None:
    body = json.dumps({"error": reason}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="hierdoc"'))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
