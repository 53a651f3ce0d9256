"""Who may call a server: where it listens, the token that callers show, and how large a request may be."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from hierdoc_tools import limits

SHORTEST_TOKEN = 16
"""Characters that a token has at least."""

CONNECTIONS = 500
"""At once; further ones are refused."""

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
"""What a client on this machine may call the server.

A page in a browser may reach the loopback under a name of its own: then the header `Host` gives it away.
"""

Message = MutableMapping[str, Any]
Application = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]
"""An ASGI application."""


class AccessError(Exception):
    """A server could be reached by whom it should not."""


@dataclass(frozen=True)
class Token:
    """The secret that callers show.

    Attributes:
        secret: It; None where there is none, and everyone who reaches the server may call.
    """

    secret: str | None = field(default=None, repr=False)

    def is_shown(self, given: str | bytes) -> bool:
        """Whether this is the secret; the time that the answer takes says nothing about it."""
        shown = given.encode("utf-8", "replace") if isinstance(given, str) else given
        return self.secret is None or hmac.compare_digest(shown, self.secret.encode())

    def is_borne(self, authorization: bytes) -> bool:
        """Whether the header `Authorization` shows it, as `Bearer TOKEN`."""
        kind, _, shown = authorization.partition(b" ")
        return self.secret is None or (self.is_shown(shown.strip()) and kind.lower() == b"bearer")


def token_for(host: str, given: str | None, variable: str) -> Token:
    """The token of a server, which must not be reached from elsewhere by anybody.

    Args:
        host: Where it listens.
        given: What the user set; empty for none.
        variable: The environment variable that holds it.

    Raises:
        AccessError: There is no token where one is needed, or it can be guessed.
    """
    if given and len(given) < SHORTEST_TOKEN:
        raise AccessError(
            f"The token in {variable} has {len(given)} characters; {SHORTEST_TOKEN} at least."
        )
    if not given and not is_loopback(host):
        raise AccessError(
            f"--host {host} can be reached from elsewhere: put a token in {variable}, which clients then show as `Authorization: Bearer`."
        )
    return Token(given or None)


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine reach a server that listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; with port 0 at any that is free.

    Raises:
        OSError: It cannot.
    """
    (family, _, _, _, address), *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return socket.create_server(address, family=family, backlog=CONNECTIONS)


def url(listening: socket.socket, path: str = "/") -> str:
    """Where clients reach a server that listens there."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}{path}" if ":" in host else f"http://{host}:{port}{path}"


def stated_length(headers: Mapping[bytes, bytes]) -> int:
    """How many bytes a request says that it has."""
    stated = headers.get(b"content-length", b"0")
    return int(stated) if stated.isdigit() else 0


def bounded(
    receive: Callable[[], Awaitable[Message]], most: int = limits.BODY
) -> Callable[[], Awaitable[Message]]:
    """Of a body whose length is not stated no more than the limit: then the client is as good as gone."""
    taken = 0

    async def next_part() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        return {"type": "http.disconnect"} if taken > most else message

    return next_part
