"""The socket of a connection, as pytds takes it: it keeps to our times, encrypts, and says at once what went wrong.

TDS 7 begins in the clear: both sides say in a first message whether they encrypt, and exchange the handshake of TLS within messages of the same kind
[MS-TDS 2.2.6.5]. That is done here, by the library of Python: it checks the certificate and the name in it against the authorities that the
operating system knows, or those that are named.
"""

from __future__ import annotations

import socket
import ssl
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pytds
from pytds.instance_browser_client import resolve_instance_port

from hierdoc_sql_server.address import Address

T = TypeVar("T")

_PRELOGIN, _REPLY = 0x12, 0x04
_ENCRYPTION, _END = 1, 0xFF
_ON, _NOT_SUPPORTED, _REQUIRED = b"\1", b"\2", b"\3"

_HEADER = struct.Struct(">BBHHBB")
_LARGEST = 4096
"""Bytes of a message before the sides have agreed on more."""

_AT_ONCE = 1 << 16

_CHANGE, _ROUTING = 0xE3, 20
_TOKENS = (0xAA, 0xAB, 0xAD, _CHANGE)
"""Kinds of parts of a reply to a login that begin with their length."""


class LineError(Exception):
    """The connection ended, could not be made, or gave no answer in time."""


class EncryptionError(Exception):
    """The connection cannot be encrypted, or the certificate is not to be trusted."""


class RouteError(Exception):
    """The server sends us to another one, as gateways of Azure do.

    Attributes:
        host: The other one.
        port: Its port.
    """

    def __init__(self, host: str, port: int) -> None:
        super().__init__(f"sent on to {host}, {port}")
        self.host, self.port = host, port


class Line:
    """A socket.

    Args:
        address: Where the server is, and whether to encrypt.
        ca_certs: PEM file with the authorities that vouch for it; None for those of the operating system.
        patience: Seconds to wait for it, each time.

    Attributes:
        patience: May change at any time.

    Raises:
        LineError: Nobody answers there.
        EncryptionError: The authorities cannot be read.
    """

    def __init__(self, address: Address, ca_certs: Path | None, patience: float) -> None:
        self.patience = patience
        self._host = address.host
        self._context = _context(ca_certs) if address.encrypt else None
        self._tls: ssl.SSLObject | None = None
        self._from_server, self._to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._early = b""
        self._greeted = self._logged_in = False
        try:
            port = address.port
            if port is None:
                port = resolve_instance_port(
                    address.host, None, address.instance.upper(), timeout=patience
                )
            self._socket = socket.create_connection((address.host, port), patience)
        except (OSError, pytds.Error, LookupError, ValueError) as error:
            raise LineError(f"it cannot be reached: {error}") from error

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Send all of it."""
        if not self._greeted:
            self._greeted = True
            self._greet(bytes(data))
        elif self._tls is None:
            self._send(data)
        else:
            self._tls.write(data)
            self._send(self._to_server.read())

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Up to `size` bytes; none at the end.

        Raises:
            RouteError: The reply to the login names another server.
        """
        if not self._early and not self._logged_in:
            self._logged_in = True
            _, self._early = self._packet(self._decrypted)
            if route := _route(self._early):
                raise RouteError(*route)
        if self._early:
            some, self._early = self._early[:size], self._early[size:]
            return some
        return self._decrypted(size)

    def recv_into(self, buffer: Any, size: int = 0, flags: int = 0) -> int:
        """The same into a buffer; how many bytes it is."""
        some = self.recv(size or len(buffer))
        buffer[: len(some)] = some
        return len(some)

    def setsockopt(self, *options: Any) -> None:
        """What `socket.setsockopt` does."""
        self._try(lambda: self._socket.setsockopt(*options))

    def settimeout(self, timeout: float | None) -> None:
        """Does nothing: the times are ours."""

    def gettimeout(self) -> float | None:
        """Seconds to wait for the server."""
        return self.patience

    def close(self) -> None:
        """End the connection."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _greet(self, message: bytes) -> None:
        """Send the first message, saying that we encrypt if we do; keep the reply for pytds, which need not know."""
        place = _place_of_encryption(message)
        if self._context is not None:
            message = message[:place] + _ON + message[place + 1 :]
        self._send(message)
        kind, reply = self._packet(self._receive)
        if kind != _REPLY:
            raise LineError("what answers there is no SQL Server")
        place = _place_of_encryption(reply)
        said = reply[place : place + 1]
        if self._context is None and said != _NOT_SUPPORTED:
            raise EncryptionError("the server demands encryption")
        if self._context is not None:
            if said not in (_ON, _REQUIRED):
                raise EncryptionError("the server supports no encryption")
            reply = reply[:place] + _NOT_SUPPORTED + reply[place + 1 :]
            self._encrypt(self._context)
        self._early = reply

    def _encrypt(self, context: ssl.SSLContext) -> None:
        tls = context.wrap_bio(self._from_server, self._to_server, server_hostname=self._host)
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                self._send_handshake()
                _, packet = self._packet(self._receive)
                self._from_server.write(packet[_HEADER.size :])
            except ssl.SSLError as error:
                raise EncryptionError(str(getattr(error, "verify_message", error))) from error
        self._send_handshake()
        self._tls = tls

    def _send_handshake(self) -> None:
        said = self._to_server.read()
        room = _LARGEST - _HEADER.size
        for start in range(0, len(said), room):
            some = said[start : start + room]
            last = start + room >= len(said)
            header = _HEADER.pack(_PRELOGIN, last, _HEADER.size + len(some), 0, 0, 0)
            self._send(header + some)

    def _packet(self, receive: Callable[[int], bytes]) -> tuple[int, bytes]:
        """The kind of the next packet, and all of it."""
        data = b""
        size = _HEADER.size
        while len(data) < size:
            some = receive(size - len(data))
            if not some:
                raise LineError("the server closed the connection")
            data += some
            if len(data) == _HEADER.size:
                if data[0] not in (_PRELOGIN, _REPLY):
                    raise LineError("what answers there is no SQL Server")
                size = _HEADER.unpack(data)[2]
        return data[0], data

    def _decrypted(self, size: int) -> bytes:
        if self._tls is None:
            return self._receive(size)
        while True:
            try:
                return self._tls.read(size)
            except ssl.SSLWantReadError:
                some = self._receive(_AT_ONCE)
                if not some:
                    return b""
                self._from_server.write(some)
            except ssl.SSLError as error:
                raise LineError(f"the connection is lost: {error}") from error

    def _send(self, data: Any) -> None:
        self._try(lambda: self._socket.sendall(data))

    def _receive(self, size: int) -> bytes:
        return self._try(lambda: self._socket.recv(size))

    def _try(self, work: Callable[[], T]) -> T:
        try:
            self._socket.settimeout(self.patience)
            return work()
        except (TimeoutError, socket.timeout) as error:  # noqa: UP041 - two in Python 3.10
            raise LineError(f"no answer within {self.patience:g} seconds") from error
        except OSError as error:
            raise LineError(f"the connection is lost: {error}") from error


def _context(ca_certs: Path | None) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=str(ca_certs) if ca_certs else None)
    except OSError as error:  # which errors of TLS are, too
        raise EncryptionError(f"{ca_certs} cannot be read as PEM: {error}") from error
    context.maximum_version = ssl.TLSVersion.TLSv1_2  # what TDS 7 has room for
    return context


def _place_of_encryption(message: bytes) -> int:
    """Where a first message says whether its sender encrypts."""
    start = _HEADER.size
    for place in range(start, len(message) - 4, 5):
        if message[place] == _END:
            break
        if message[place] == _ENCRYPTION:
            offset = start + int(struct.unpack_from(">H", message, place + 1)[0])
            if offset < len(message):
                return offset
            break
    raise LineError("what answers there is no SQL Server")


def _route(packet: bytes) -> tuple[str, int] | None:
    """Host and port of the server that the reply to a login names, if it does [MS-TDS 2.2.7.9]."""
    place = _HEADER.size
    while place + 4 <= len(packet) and packet[place] in _TOKENS:
        (size,) = struct.unpack_from("<H", packet, place + 1)
        if packet[place] == _CHANGE and packet[place + 3] == _ROUTING:
            _, _, port, letters = struct.unpack_from("<HBHH", packet, place + 4)
            start = place + 11
            return packet[start : start + 2 * letters].decode("utf-16-le", "replace"), port
        place += 3 + size
    return None
