"""How a Redis is reached, what it must be able to do, and its errors in hierdoc's words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import redis
from redis.backoff import ExponentialBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from hierdoc import StoreError
from hierdoc.plugin import masked
from hierdoc_redis import RedisConfig

_OLDEST = (8, 0)
"""The first version that brings searches, and the scorer BM25STD."""

_PORT = 6379

_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 10.0
"""Seconds before the second attempt, which double from one to the next, and at most."""

_AGAIN = (redis.ConnectionError, redis.TimeoutError, redis.BusyLoadingError)

_LOOK = "Look into the server's log."

_FAILURES = (
    ("noauth", "Give `password`, and `username` if the server knows several."),
    ("authentication", "Check `username` and `password`."),
    ("nopermission", "Give the user the permissions that the plugin's README lists."),
    ("outofmemory", "Give the server more memory: it holds all records in it."),
    ("readonly", "Give the primary in `url`: a replica takes no writes."),
    (
        "busyloading",
        "The server reads its data from the disk: try again later, or raise `retries`.",
    ),
    ("certificate", "Give the authority that vouches for the server in `ca_certs`."),
    ("ssl", "Check whether `url` needs rediss."),
    ("timeout", "Raise `timeout`, or see what keeps the server busy."),
    ("connect", "Start the server, or check `url`, which needs rediss where the server wants TLS."),
)
"""What the name of an error or its message contains, and what to do then; the first that fits counts."""


class Connection:
    """A client of a Redis, for one thread; it connects at the first command.

    Args:
        config: Where the server is and how to reach it.
    """

    def __init__(self, config: RedisConfig) -> None:
        self._config = config
        self._client: redis.Redis | None = None

    @property
    def place(self) -> str:
        """Host and port, for messages."""
        return urlsplit(self._config.url).netloc

    @property
    def client(self) -> Any:
        """The client, a `redis.Redis`; its answers are bytes, in the shape of RESP 2, which its types do not say."""
        if self._client is None:
            self._client = self._open()
        return self._client

    def ask(self, *command: Any) -> Any:
        """What the server answers to a command."""
        return self.client.execute_command(*command)

    def close(self) -> None:
        """Close it; calling it again does nothing."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    @contextmanager
    def reported(self) -> Iterator[None]:
        """Say it in hierdoc's terms when the client or the server fails."""
        try:
            yield
        except (RedisError, OSError) as error:
            raise self._failure(error) from error

    def require_search(self) -> dict[str, Any]:
        """What the server says of itself.

        Raises:
            StoreError: It is older than Redis 8, or cannot search.
        """
        told: dict[str, Any] = self.client.info()
        number = str(told.get("redis_version", ""))
        parts = tuple(int(part) for part in number.split(".")[:2] if part.isdigit())
        if parts < _OLDEST or "valkey_version" in told:
            name = "Valkey" if "valkey_version" in told else "Redis"
            raise StoreError(
                f"the {name} at {self.place} says that it is version {number}; vectors and BM25STD are there from Redis 8.0 on",
                hint="Update the server; what came before has no search, or another one.",
            )
        if not self.knows("FT.SEARCH"):
            raise StoreError(
                f"the Redis at {self.place} cannot search: the module Redis Query Engine is not loaded, or its commands are "
                "forbidden to this user",
                hint="Start the server with the modules that its distribution brings, or permit the user @search.",
            )
        return told

    def knows(self, command: str) -> bool:
        """Whether the server has a command."""
        (found,) = self.ask("COMMAND INFO", command)
        return found is not None

    def _open(self) -> redis.Redis:
        config, where = self._config, urlsplit(self._config.url)
        secure: dict[str, Any] = {}
        if where.scheme == "rediss":
            secure = {"ssl": True, "ssl_check_hostname": True, "ssl_cert_reqs": "required"}
            if config.ca_certs is not None:
                secure["ssl_ca_certs"] = str(config.ca_certs)
        return redis.Redis(
            host=where.hostname or "localhost",
            port=where.port or _PORT,
            username=config.username,
            password=None if config.password is None else config.password.get_secret_value(),
            socket_timeout=config.timeout,
            socket_connect_timeout=config.timeout,
            retry=Retry(ExponentialBackoff(_LONGEST_PAUSE, _FIRST_PAUSE), config.retries, _AGAIN),
            retry_on_error=list(_AGAIN),
            protocol=2,
            **secure,
        )

    def _failure(self, error: Exception) -> StoreError:
        # Of a transaction the client names the command, with all that it was to write.
        told = str(error).rpartition("of pipeline caused error: ")[2]
        text = " ".join(told.split())[:300] or type(error).__name__
        text = masked(text, [self._config.password])
        said = f"{type(error).__name__} {text}".lower()
        hint = next((hint for word, hint in _FAILURES if word in said), _LOOK)
        return StoreError(f"Redis at {self.place}: {text}", hint=hint)


def check(config: RedisConfig) -> None:
    """Raise `StoreError` where a backend of this configuration would not work."""
    connection = Connection(config)
    try:
        with connection.reported():
            told = connection.require_search()
            policy = str(told.get("maxmemory_policy", "noeviction"))
            if told.get("maxmemory") and policy.startswith("allkeys"):
                raise StoreError(
                    f"the Redis at {connection.place} drops what it holds when its memory is full (maxmemory-policy {policy})",
                    hint="Set maxmemory-policy to noeviction, so that writes fail instead.",
                )
    finally:
        connection.close()
