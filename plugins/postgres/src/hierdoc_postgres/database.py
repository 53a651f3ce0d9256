"""The way to the server: connections that are pooled, time-limited and replaced when they die, and what errors mean.

No message holds the password: what libpq says is searched for it, and what a malformed DSN says is not repeated.
"""

from __future__ import annotations

import asyncio
import math
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

import psycopg
from psycopg import AsyncConnection, errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from hierdoc import (
    ConfigError,
    HierdocError,
    IndexLockedError,
    IndexMismatchError,
    QueryError,
    StoreError,
)
from hierdoc.plugin import REBUILD, masked

if TYPE_CHECKING:
    from hierdoc_postgres import PostgresKeywordConfig, PostgresVectorConfig


class Connection(AsyncConnection[tuple[Any, ...]]):
    """A connection that ends where the server, or something on the way to it, says nothing for too long.

    The server's own `statement_timeout` is of no help then, and psycopg has no limit.

    Attributes:
        patience: Seconds to wait for each answer.
    """

    patience: float = math.inf
    _has_stalled = False

    async def wait(self, *arguments: Any, **options: Any) -> Any:
        """What the superclass does.

        Raises:
            StalledError: No answer came in time.
        """
        if self.patience == math.inf:
            return await super().wait(*arguments, **options)
        watch = asyncio.get_running_loop().call_later(self.patience, self._cut)
        try:
            return await super().wait(*arguments, **options)
        except psycopg.OperationalError as error:
            if self._has_stalled:
                raise StalledError(f"no answer within {self.patience:g} s") from error
            raise
        finally:
            watch.cancel()

    def _cut(self) -> None:
        """End the connection under libpq's feet, which then reports an error as for any that was lost."""
        self._has_stalled = True
        with (
            suppress(OSError, psycopg.OperationalError),
            socket.fromfd(self.fileno(), socket.AF_INET, socket.SOCK_STREAM) as doubled,
        ):
            doubled.shutdown(socket.SHUT_RDWR)


class StalledError(psycopg.OperationalError):
    """A server that did not answer in time."""


T = TypeVar("T")
Work = Callable[[Connection], Awaitable[T]]

_OLDEST_SERVER = 13_00_00
_OLDEST_PGVECTOR = (0, 8)
_GRACE = 1.0
"""Seconds by which an answer may come later than the server's own limit lets it."""

_FOR_WRITES = 10
"""How many times longer than a search a statement that writes may take."""


class Database:
    """Connections to one server.

    Args:
        dsn: A URI or `key=value` pairs.
        settings: Of each session, by name.
        connections: How many at most.
        timeout: Seconds to wait for one.

    Raises:
        ConfigError: The DSN is malformed.
    """

    def __init__(
        self, dsn: str, settings: dict[str, str], connections: int, timeout: float
    ) -> None:
        before_query = dsn.partition("?")[0] if "://" in dsn else ""
        if before_query.count("@") > 1 or "@" in before_query.partition("://")[2].partition("/")[2]:
            raise ConfigError(
                "postgres: the password in the dsn holds a character that ends it",
                hint="Write `@` as %40, `/` as %2F and `%` as %25, or give the dsn as `key=value` pairs.",
            )
        try:
            parts = conninfo_to_dict(dsn)
        except psycopg.ProgrammingError:
            raise ConfigError(
                "postgres: the dsn cannot be read",
                hint="Write it like postgresql://user:${PASSWORD}@host:5432/database.",
            ) from None  # the original repeats the dsn, with its password
        self._passwords = [str(parts.get(name) or "") for name in ("password", "sslpassword")]
        self.name = (
            f"postgres at {parts.get('host') or 'this machine'}, {parts.get('dbname') or 'default'}"
        )
        self._dsn = make_conninfo(
            dsn,
            connect_timeout=int(parts.get("connect_timeout") or max(2, round(timeout))),
            application_name=parts.get("application_name") or "hierdoc",
        )
        self._settings = settings
        self._connections = connections
        self._timeout = timeout
        self._pool: AsyncConnectionPool[Connection] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._made: WeakSet[Connection] = WeakSet()
        self._closed = False

    @classmethod
    def of(cls, config: PostgresVectorConfig | PostgresKeywordConfig, **settings: str) -> Database:
        """The database that a configuration names."""
        milliseconds = str(round(config.timeout * 1000))
        return cls(
            config.dsn.get_secret_value(),
            {"statement_timeout": milliseconds, "lock_timeout": milliseconds, **settings},
            config.connections,
            config.timeout,
        )

    async def check(self, *, with_vectors: bool) -> None:
        """Connect once, without the pool.

        Raises:
            StoreError: The server does not answer, refuses, is too old or, where that is asked for, lacks pgvector.
        """
        async with self._single() as connection:
            if connection.info.server_version < _OLDEST_SERVER:
                raise StoreError(
                    f"{self.name}: the server is of version {connection.info.server_version // 10_000}",
                    hint="Use PostgreSQL 13 or later.",
                )
            if with_vectors:
                await self._require_pgvector(connection)

    async def prepare(self, work: Work[None], *, with_vectors: bool) -> None:
        """Do it on a connection of its own, so that errors come at once; afterwards the pool is open."""
        if self._closed:
            raise StoreError(f"{self.name}: the index is closed", hint="Open it again.")
        await self.check(with_vectors=with_vectors)
        async with self._single() as connection:
            connection.patience = self._patience(writes=True)
            with self.reported():
                await work(connection)
        await self._pool_of_this_loop()

    async def _pool_of_this_loop(self) -> AsyncConnectionPool[Connection]:
        """The pool; a new one in a new event loop, since connections belong to the loop that they were made in."""
        loop = asyncio.get_running_loop()
        if self._pool is None or self._loop is not loop:
            for connection in self._made:  # of a loop that has ended
                connection.pgconn.finish()
            pool = AsyncConnectionPool(
                self._dsn,
                connection_class=Connection,
                kwargs={"autocommit": True, "prepare_threshold": None},
                min_size=1,
                max_size=self._connections,
                timeout=self._timeout,
                open=False,
                configure=self._configure,
                name="hierdoc-postgres",
            )
            await pool.open(
                wait=True
            )  # a worker that is cancelled while it connects would never end
            self._pool, self._loop = pool, loop
        return self._pool

    async def run(self, work: Work[T], *, writes: bool = False) -> T:
        """What `work` returns, with a connection of the pool; tried again where the connection turns out dead.

        Args:
            work: What is to be done; it may be begun several times.
            writes: Whether its statements may take longer than an answer to a search.

        Raises:
            StoreError: The server cannot do it, or does not answer.
        """
        if self._closed:
            raise StoreError(f"{self.name}: the index is closed", hint="Open it again.")
        pool = await self._pool_of_this_loop()
        with self.reported():
            for others in range(self._connections, -1, -1):  # all of which may have died
                async with pool.connection() as connection:
                    connection.patience = self._patience(writes)
                    try:
                        return await work(connection)
                    except StalledError:
                        raise
                    except psycopg.OperationalError:
                        if not (connection.broken and others):
                            raise
        raise AssertionError("the last attempt returns or raises")

    def _patience(self, writes: bool) -> float:
        return self._timeout * (_FOR_WRITES if writes else 1) + _GRACE

    async def aclose(self) -> None:
        """Close all connections; calling it again does nothing."""
        self._closed = True
        pool, self._pool = self._pool, None
        if pool is not None and self._loop is asyncio.get_running_loop():
            await pool.close()
        for connection in self._made:
            connection.pgconn.finish()

    @contextmanager
    def reported(self) -> Iterator[None]:
        """Say in hierdoc's terms what psycopg complains of."""
        try:
            yield
        except psycopg.Error as error:
            raise self._as_ours(error) from error

    @asynccontextmanager
    async def _single(self) -> AsyncIterator[Connection]:
        with self.reported():
            connection = await Connection.connect(
                self._dsn, autocommit=True, prepare_threshold=None
            )
        connection.patience = self._patience(writes=False)
        async with connection:
            with self.reported():
                await self._configure(connection)
            yield connection

    async def _configure(self, connection: Connection) -> None:
        self._made.add(connection)
        connection.patience = self._patience(writes=False)
        for name, value in self._settings.items():
            await connection.execute("SELECT set_config(%s, %s, false)", (name, value))

    async def _require_pgvector(self, connection: Connection) -> None:
        with self.reported():
            cursor = await connection.execute(
                "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector'"
            )
            found = await cursor.fetchone()
        if found is None:
            raise StoreError(
                f"{self.name}: the server has no pgvector",
                hint="Install the extension on the server (https://github.com/pgvector/pgvector).",
            )
        version = tuple(int(part) for part in str(found[0]).split(".")[:2])
        if version < _OLDEST_PGVECTOR:
            raise StoreError(
                f"{self.name}: pgvector {found[0]} is too old",
                hint="Update it to 0.8 or later, then run ALTER EXTENSION vector UPDATE.",
            )

    def _as_ours(self, error: psycopg.Error) -> HierdocError:
        text = str(error).strip().split("\n")[0] or type(error).__name__
        said = f"{self.name}: {masked(text, self._passwords)}"
        if isinstance(error, errors.LockNotAvailable):
            return IndexLockedError(
                f"{self.name}: another process is writing to the index",
                hint="Wait until it has finished, then try again.",
            )
        if isinstance(error, PoolTimeout):
            return StoreError(
                f"{self.name}: no connection within {self._timeout:g} s",
                hint="See whether the server runs, or raise `connections`.",
            )
        if isinstance(error, StalledError):
            return StoreError(
                f"{self.name}: {error}",
                hint="See whether the server and the way to it work, or raise `timeout`.",
            )
        if isinstance(error, errors.QueryCanceled):
            return StoreError(
                f"{self.name}: no answer within {self._timeout:g} s", hint="Raise `timeout`."
            )
        if isinstance(error, (errors.StatementTooComplex, errors.ProgramLimitExceeded)):
            return QueryError(said, hint="Ask with several smaller filters.")
        if isinstance(
            error, (errors.UndefinedTable, errors.UndefinedColumn, errors.InvalidSchemaName)
        ):
            return IndexMismatchError(said, hint=REBUILD)
        if isinstance(error, errors.InsufficientPrivilege):
            hint = "Let this user create schemas, tables and the extension vector, or create them for it."
            return StoreError(said, hint=hint)
        if isinstance(error, psycopg.OperationalError):
            return StoreError(said, hint="See whether the server runs and the dsn is right.")
        return StoreError(said, hint="See the server's log.")
