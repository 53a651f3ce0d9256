"""Requests to a MongoDB through its SDK: repeated while it is busy, and named when they fail."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar
from urllib.parse import urlsplit

from bson.errors import BSONError
from dns.exception import DNSException
from pymongo import AsyncMongoClient
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import (
    ConfigurationError,
    ConnectionFailure,
    ExecutionTimeout,
    InvalidOperation,
    NetworkTimeout,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
    WaitQueueTimeoutError,
)

from hierdoc import StoreError
from hierdoc.plugin import masked
from hierdoc_mongodb import MongoConfig

T = TypeVar("T")
Database = AsyncDatabase[dict[str, Any]]

_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 10.0
"""Seconds before the second attempt, which double from one to the next, and at most."""

_FAILURES = (PyMongoError, BSONError, DNSException, OSError)
"""What the SDK raises."""

BUSY = frozenset(
    (6, 7, 89, 91, 112, 134, 189, 262, 365, 462, 9001, 10107, 11000, 11600, 11602, 13388, 13435, 13436)
)  # fmt: skip
"""Codes that another attempt may change: a host out of reach, another primary, too much to do, two writes of one record at once."""

_LABELS = (
    "RetryableError",
    "RetryableWriteError",
    "SystemOverloadedError",
    "TransientTransactionError",
)
"""What the server calls errors that another attempt may change."""

_STARTING = ("while in state", "is not ready", "not_started", "initial_sync")
"""Of the message where MongoDB's search has not read the index yet, after a restart."""

_WRONG_CREDENTIALS, _NOT_ALLOWED, _OUT_OF_TIME = (18, 8000), (13, 8000), 50

_NO_SEARCH = (59, 115, 31082)
"""Codes of a server that knows no commands for search indexes, or nobody who searches."""

_RENEW = "Check `username` and `password`."


class RefusedError(StoreError):
    """The server finds fault with a request.

    Attributes:
        code: The server's name for the reason; 0 where it has none.
    """

    code = 0


class Connection:
    """A client of a deployment, for one event loop; it connects at the first request.

    Args:
        config: Where the deployment is, and as whom.
    """

    def __init__(self, config: MongoConfig) -> None:
        self._config = config
        self._client: AsyncMongoClient[dict[str, Any]] | None = None
        self._begun: set[asyncio.Future[Any]] = set()
        self._closed = False

    @property
    def place(self) -> str:
        """The deployment, in words for messages."""
        return f"MongoDB at {urlsplit(self._config.url).netloc}"

    async def ask(self, request: Callable[[Database], Awaitable[T]]) -> T:
        """What a request gives, asked again while the server is busy or does not answer.

        Raises:
            RefusedError: The server finds fault with it.
            StoreError: It does not answer, also when asked again.
        """
        return await self.finish(self._repeated(request))

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """What work gives, which is brought to its end also where nobody waits for that any more.

        A request that is broken off may have reached the server or not: later ones could overtake it.
        """
        begun = asyncio.ensure_future(work)
        self._begun.add(begun)
        begun.add_done_callback(self._begun.discard)
        return await asyncio.shield(begun)

    async def pause(self, attempt: int) -> None:
        """Wait before asking again; attempts count from 0."""
        await asyncio.sleep(min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE))

    @property
    def most_milliseconds(self) -> int:
        """How long the server may work on one request."""
        return max(1, round(1000 * self._config.timeout))

    async def aclose(self) -> None:
        """Close the connections; calling it again does nothing."""
        self._closed = True
        if self._begun:
            await asyncio.wait(self._begun)
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _repeated(self, request: Callable[[Database], Awaitable[T]]) -> T:
        for attempt in range(self._config.retries + 1):
            try:
                return await request(self._database())
            except _FAILURES as error:
                failure, again = self._judge(error)
                if not again or attempt == self._config.retries:
                    raise failure from error
            await self.pause(attempt)
        raise AssertionError("the last attempt returns or raises")

    def _database(self) -> Database:
        if self._closed:
            raise StoreError("the index is closed", hint="Open it again.")
        if self._client is None:
            config, wait = self._config, self.most_milliseconds
            options: dict[str, Any] = {}
            if config.username is not None and config.password is not None:
                options["username"] = config.username
                options["password"] = config.password.get_secret_value()
                if "authsource" not in config.url.lower():
                    options["authSource"] = "admin"
            if config.ca_certs is not None:
                options |= {"tls": True, "tlsCAFile": str(config.ca_certs)}
            self._client = AsyncMongoClient(
                config.url,
                serverSelectionTimeoutMS=wait,
                connectTimeoutMS=wait,
                socketTimeoutMS=wait,
                waitQueueTimeoutMS=wait,
                retryReads=False,  # we ask again ourselves, and all that is asked may be asked twice
                retryWrites=False,
                w="majority",
                appname="hierdoc",
                **options,
            )
        return self._client[self._config.database]

    def _judge(self, error: Exception) -> tuple[StoreError, bool]:
        """What to call a failure, and whether another attempt may help."""
        said = masked(" ".join(str(error).split())[:300], [self._config.password])
        if self._closed and isinstance(error, (InvalidOperation, ConnectionFailure)):
            return StoreError("the index is closed", hint="Open it again."), False
        if isinstance(error, (NetworkTimeout, ExecutionTimeout, WaitQueueTimeoutError)):
            text = f"{self.place}: no answer within {self._config.timeout:g} seconds"
            return StoreError(
                text, hint="Raise `timeout`, or see what keeps the server busy."
            ), True
        if isinstance(error, OperationFailure):
            return self._refused(error)
        if isinstance(error, (ConfigurationError, DNSException)):
            hint = "Check `url` and `ca_certs`, and that the network resolves the host's name."
            return StoreError(f"{self.place}: it cannot be reached: {said}", hint=hint), False
        text = f"{self.place}: it cannot be reached: {said or type(error).__name__}"
        if "certificate" in said.lower() or "ssl" in said.lower():
            hint = "Give the authority that vouches for it in `ca_certs`, and check whether the server wants TLS."
            return StoreError(text, hint=hint), False
        hint = "Start the server or check `url`; in Atlas, check that this machine's address is allowed."
        # Nobody was found in all the time that a request may take; the SDK has asked again and again.
        return StoreError(text, hint=hint), not isinstance(error, ServerSelectionTimeoutError)

    def _refused(self, error: OperationFailure) -> tuple[StoreError, bool]:
        code = error.code or 0
        details = error.details if isinstance(error.details, dict) else {}
        told = " ".join(str(details.get("errmsg") or error).split())[:300]
        failure = RefusedError(
            masked(f"{self.place} answers {code}: {told}", [self._config.password]),
            hint="Look into the server's log, and try again.",
        )
        failure.code = code
        starting = any(word in told.lower() for word in _STARTING)
        again = code in BUSY or starting or any(map(error.has_error_label, _LABELS))
        if code in _WRONG_CREDENTIALS and "auth" in told.lower():
            failure.hint = _RENEW
        elif code in _NOT_ALLOWED:
            failure.hint = (
                "Give the user the role readWrite on `database`; see the plugin's README."
            )
        elif code in _NO_SEARCH:
            failure.hint = "Use Atlas, a local deployment of Atlas, or a MongoDB with its search server (mongot): this one cannot search."
        elif starting:
            failure.hint = "The search server still reads the index: try again later."
        elif again:
            failure.hint = (
                "The server is busy or changes its primary: try again later, or raise `retries`."
            )
        return failure, again
