"""Requests to a Weaviate: REST for collections and tenants, gRPC for what they hold.

The messages of gRPC are those of Weaviate's Python client. The channel is ours: the client repeats requests by itself for a quarter of a
minute, and takes no authorities of the user's own.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import SplitResult, urlsplit

import grpc
import httpx
from grpc.aio import AioRpcError

from hierdoc import StoreError
from hierdoc.plugin import masked
from hierdoc_weaviate import WeaviateConfig
from hierdoc_weaviate.protocol import METHODS, health_weaviate_pb2

_OLDEST = (1, 33)
"""The first version whose filters know `Not`."""

_GRPC_PORT = 50051

_FIRST_PAUSE = 0.2
"""Seconds before the second attempt; each further one waits twice as long."""

_LONGEST_PAUSE = 60.0
"""Seconds that a server can make us wait before an attempt."""

_BUSY = (429, 502, 503, 504)
_BUSY_CODES = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
)
_REFUSING_CODES = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)
_MESSAGE_BYTES = 100_000_000
_CHANNEL = [
    ("grpc.max_send_message_length", _MESSAGE_BYTES),
    ("grpc.max_receive_message_length", _MESSAGE_BYTES),
    # A server that comes back is found soon: otherwise a channel waits for up to two minutes, whatever is asked meanwhile.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
]

_HINT_KEY = "Check `api_key`, and what it allows."
_HINT_CERTIFICATE = (
    "Give the authority that vouches for it in `ca_certs`, and check whether `url` needs https."
)


class AnswerError(StoreError):
    """The REST interface answers that it will not.

    Args:
        message: What happened and where.
        status: The HTTP status.
        hint: What to do next.
    """

    def __init__(self, message: str, *, status: int, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status


class _AgainError(Exception):
    """An attempt failed, and another one may not.

    Args:
        failure: What to raise if there is no other.
        after: Seconds that the server asks to wait.
    """

    def __init__(self, failure: StoreError, after: float | None = None) -> None:
        super().__init__(str(failure))
        self.failure = failure
        self.after = after


class Connection:
    """A Weaviate.

    Args:
        config: Where it is and how to reach it.
    """

    def __init__(self, config: WeaviateConfig) -> None:
        self._config = config
        self._client: httpx.AsyncClient | None = None
        self._channel: grpc.aio.Channel | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    @property
    def place(self) -> str:
        """Host and port, for messages."""
        return urlsplit(self._config.url).netloc

    async def rest(self, method: str, path: str, body: Any = None) -> Any:
        """What the REST interface answers, from JSON; None where the answer is empty.

        Args:
            method: Of HTTP.
            path: Below `/v1`.
            body: Sent as JSON.

        Raises:
            AnswerError: It answers with a status of failure, also when asked again.
            StoreError: It does not answer, or is no Weaviate.
        """
        return await self._patiently(lambda: self._rest(method, path, body))

    async def call(self, method: str, request: Any) -> Any:
        """What the gRPC interface answers.

        Args:
            method: One of `METHODS`.
            request: Its message.

        Raises:
            StoreError: It refuses or does not answer, also when asked again.
        """
        return await self._patiently(lambda: self._grpc(method, request))

    async def require_version(self) -> None:
        """Raise `StoreError` where the server is no Weaviate, or too old."""
        answer = await self.rest("GET", "/meta")
        number = str(answer.get("version", "")) if isinstance(answer, dict) else ""
        parts = tuple(int(part) for part in number.split(".")[:2] if part.isdigit())
        if len(parts) < 2:
            raise self._not_weaviate()
        if parts < _OLDEST:
            oldest = ".".join(map(str, _OLDEST))
            raise StoreError(
                f"the Weaviate at {self.place} is version {number}; it must be {oldest} or later",
                hint="Update the server.",
            )

    async def require_grpc(self) -> None:
        """Raise `StoreError` where the gRPC interface does not answer."""
        await self.call("Check", health_weaviate_pb2.WeaviateHealthCheckRequest())

    async def aclose(self) -> None:
        """Close the connections; calling it again does nothing."""
        self._closed = True
        client, self._client = self._client, None
        channel, self._channel = self._channel, None
        if client is not None:
            await client.aclose()
        if channel is not None:
            await channel.close()

    async def _patiently(self, ask: Callable[[], Awaitable[Any]]) -> Any:
        """Ask, and ask again while the server is busy or does not answer."""
        for attempt in range(self._config.retries + 1):
            try:
                return await ask()
            except _AgainError as error:
                if attempt == self._config.retries:
                    raise error.failure from error.failure.__cause__
                pause = _FIRST_PAUSE * 2**attempt
                await asyncio.sleep(min(max(pause, error.after or 0.0), _LONGEST_PAUSE))
        raise AssertionError("the last attempt returns or raises")

    async def _rest(self, method: str, path: str, body: Any) -> Any:
        client = await self._connect()
        try:
            response = await client.request(method, f"/v1{path}", json=body)
        except httpx.TimeoutException as error:
            raise _AgainError(self._late(error)) from error
        except httpx.TransportError as error:
            failure = self._unreachable(str(error) or type(error).__name__, error)
            if failure.hint == _HINT_CERTIFICATE:
                raise failure from error
            raise _AgainError(failure) from error
        if response.status_code >= 300:
            failure = self._refusal(response)
            if response.status_code in _BUSY:
                raise _AgainError(failure, _seconds(response.headers.get("retry-after")))
            raise failure
        if not response.content:
            return None
        try:
            return response.json()
        except ValueError as error:
            raise self._not_weaviate() from error

    async def _grpc(self, method: str, request: Any) -> Any:
        await self._connect()
        assert self._channel is not None
        path, reply = METHODS[method]
        ask = self._channel.unary_unary(
            path,
            request_serializer=type(request).SerializeToString,
            response_deserializer=reply.FromString,
        )
        try:
            return await ask(request, metadata=self._identity(), timeout=self._config.timeout)
        except AioRpcError as error:
            failure = self._grpc_failure(error)
            if error.code() in _BUSY_CODES and failure.hint != _HINT_CERTIFICATE:
                raise _AgainError(failure, _pushback(error)) from error
            raise failure from error

    async def _connect(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        trust = None
        if self._loop is not loop and not self._closed:  # connections belong to a loop
            trust = await asyncio.to_thread(self._trust)
        if self._closed:
            raise StoreError("the index is closed", hint="Open it again.")
        if trust is not None and self._loop is not loop:  # nobody else was faster
            secure, roots = trust
            self._channel = self._open_channel(roots)
            self._client = httpx.AsyncClient(
                base_url=self._config.url,
                headers=self._identity(),
                timeout=self._config.timeout,
                verify=secure,
            )
            self._loop = loop
        assert self._client is not None
        return self._client

    def _trust(self) -> tuple[ssl.SSLContext | bool, bytes | None]:
        """Who vouches for the two interfaces; reading all usual authorities takes a tenth of a second."""
        authorities = self._config.ca_certs
        try:
            roots = None if authorities is None else authorities.read_bytes()
            if not self._config.url.startswith("https:"):
                return False, roots
            return ssl.create_default_context(cafile=authorities), roots
        except OSError as error:
            raise StoreError(
                f"the authorities in {authorities} cannot be read: {error}",
                hint="Give a file in PEM format in `ca_certs`.",
            ) from error

    def _open_channel(self, roots: bytes | None) -> grpc.aio.Channel:
        target = grpc_target(self._config.url, self._config.grpc_url)
        if target.scheme == "http":
            return grpc.aio.insecure_channel(target.netloc, options=_CHANNEL)
        credentials = grpc.ssl_channel_credentials(roots)
        return grpc.aio.secure_channel(target.netloc, credentials, options=_CHANNEL)

    def _identity(self) -> list[tuple[str, str]]:
        key = self._config.api_key
        return [] if key is None else [("authorization", f"Bearer {key.get_secret_value()}")]

    def _refusal(self, response: httpx.Response) -> AnswerError:
        status = response.status_code
        text = f"Weaviate at {self.place} answers {status}"
        told = _told(response)
        if status in (401, 403):
            hint = _HINT_KEY
        elif status in _BUSY:
            hint = "The server is busy: try again later, or raise `retries`."
        else:
            hint = "Check `url`, and look into the server's log."
        message = self._without_secrets(f"{text}: {told}" if told else text)
        return AnswerError(message, status=status, hint=hint)

    def _grpc_failure(self, error: AioRpcError) -> StoreError:
        code = error.code()
        details = " ".join((error.details() or "").split())
        if code is grpc.StatusCode.DEADLINE_EXCEEDED:
            return self._late(error)
        if code is grpc.StatusCode.UNAVAILABLE:
            return self._unreachable(details[:300], error, "gRPC")
        hint = "Look into the server's log."
        if code in _REFUSING_CODES:
            hint = _HINT_KEY
        elif code is grpc.StatusCode.RESOURCE_EXHAUSTED:
            hint = "The server is busy: try again later, or raise `retries`."
        text = f"Weaviate at {self.place} answers {code.name}: {details[:300]}"
        failure = StoreError(self._without_secrets(text), hint=hint)
        failure.__cause__ = error
        return failure

    def _late(self, error: Exception) -> StoreError:
        failure = StoreError(
            f"Weaviate at {self.place}: no answer within {self._config.timeout:g} seconds",
            hint="Raise `timeout`, or see what keeps the server busy.",
        )
        failure.__cause__ = error
        return failure

    def _unreachable(self, reason: str, error: Exception, interface: str = "REST") -> StoreError:
        where = self.place
        hint = "Start the server, or check `url`."
        if interface == "gRPC":
            where = grpc_target(self._config.url, self._config.grpc_url).netloc
            hint = "Start the server, or check `grpc_url`."
        if "certificate" in reason.lower():
            hint = _HINT_CERTIFICATE
        text = f"Weaviate at {where} ({interface}): it cannot be reached: {reason}"
        failure = StoreError(self._without_secrets(text), hint=hint)
        failure.__cause__ = error
        return failure

    def _not_weaviate(self) -> StoreError:
        return StoreError(
            f"what answers at {self.place} is no Weaviate",
            hint="Check `url`: it takes the port of the REST interface, 8080 by default.",
        )

    def _without_secrets(self, text: str) -> str:
        return masked(text, [self._config.api_key])


def grpc_target(url: str, grpc_url: str | None) -> SplitResult:
    """Where gRPC is asked for: what is configured, or what belongs to the REST interface; with a port."""
    if grpc_url is not None:
        target = urlsplit(grpc_url)
        port = target.port or (443 if target.scheme == "https" else _GRPC_PORT)
        return urlsplit(f"{target.scheme}://{_bracketed(target.hostname)}:{port}")
    rest = urlsplit(url)
    host = rest.hostname or ""
    if host.endswith(".weaviate.cloud"):  # as the service names its two interfaces
        return urlsplit(f"https://grpc-{host}:443")
    return urlsplit(f"{rest.scheme}://{_bracketed(host)}:{_GRPC_PORT}")


def _bracketed(host: str | None) -> str:
    return f"[{host}]" if host and ":" in host else host or ""


def _told(response: httpx.Response) -> str:
    """The server's reason in a line, as far as the answer has one."""
    try:
        answer = response.json()
    except ValueError:
        return " ".join(response.text.split())[:300]
    if isinstance(answer, dict):
        errors = answer.get("error")
        if isinstance(errors, list):
            answer = "; ".join(str(one.get("message", one)) for one in errors if one)
        else:
            answer = answer.get("message") or errors or ""
    return " ".join(str(answer).split())[:300]


def _seconds(value: str | bytes | None) -> float | None:
    """What `retry-after` asks for, where it is a number of seconds (RFC 9110)."""
    try:
        return None if value is None else max(float(value), 0.0)
    except ValueError:
        return None


def _pushback(error: AioRpcError) -> float | None:
    """How long a gRPC server asks to wait: gRPC's own trailer in milliseconds, or that of a proxy in seconds."""
    trailers = {str(name): value for name, value in error.trailing_metadata() or ()}
    own = _seconds(trailers.get("grpc-retry-pushback-ms"))
    return own / 1000 if own is not None else _seconds(trailers.get("retry-after"))
