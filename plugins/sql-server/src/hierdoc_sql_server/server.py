"""The way to the server: connections that are kept, time-limited and replaced when they die, and what errors mean.

All of it is synchronous, and may be used by several threads. No message holds the password.
"""

from __future__ import annotations

import logging
import re
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import pytds

from hierdoc import HierdocError, IndexLockedError, IndexMismatchError, QueryError, StoreError
from hierdoc.plugin import REBUILD, masked
from hierdoc_sql_server import SqlServerConfig
from hierdoc_sql_server import statements as sql
from hierdoc_sql_server.address import Address, parse
from hierdoc_sql_server.line import EncryptionError, Line, LineError, RouteError

T = TypeVar("T")

_FIRST_PAUSE = 0.2
"""Seconds before the second attempt; each further one waits twice as long."""

_LONGEST_PAUSE = 60.0
"""Seconds that the server can make us wait before an attempt."""

_GRACE = 1.0
"""Seconds by which an answer may come later than the server's own limit lets it."""

_FOR_WRITES = 10
"""How many times longer than a search a statement that writes may take."""

_MOST_ROUTES = 3
"""Servers that send us on, one after the other."""

_LOCKED = 1222
_NOT_THERE = (208, 4902)
_MISMATCHED = (3960, 3961)
_REFUSED_LOGINS = (18452, 18456, 18470, 18486, 18487, 18488)
_NO_DATABASE = (4060, 40532, 40615, 40914)
_NOT_ALLOWED = (229, 230, 262, 300, 2760, 5011, 15151, 15247)
_TOO_COMPLEX = (191, 701, 8003, 8623, 8631, 8632)
_NO_VECTORS = (195, 243, 2715, 42274)
_BUSY = (
    64, 233, 1204, 1205, 4221, 4891, 10928, 10929, 10936, 40143, 40197, 40501, 40540, 40613, 42108, 42109, 49918, 49919, 49920,
    *_MISMATCHED,
)  # fmt: skip
"""Errors that another attempt may be spared: deadlocks, and what Azure SQL calls transient."""

_YEARS = {10: 2008, 11: 2012, 12: 2014, 13: 2016, 14: 2017, 15: 2019, 16: 2022, 17: 2025}
_EDITIONS = {5: "Azure SQL Database", 8: "Azure SQL Managed Instance"}
_OLDEST_LEVEL = 130
"""Of compatibility, below which a database knows no OPENJSON."""


# Its one attempt is given no time, see `_log_in`, of which it would warn each time that one fails.
logging.getLogger("pytds").addFilter(lambda record: "exceeded it's allocated" not in record.msg)


class Connection:
    """One connection.

    Args:
        line: Its socket.
        link: What pytds made of it.
    """

    def __init__(self, line: Line, link: Any) -> None:
        self._line = line
        self._link = link

    def rows(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """What a statement gives; of one that gives none, nothing.

        Args:
            statement: With a `%s` for each parameter.
            parameters: Strings and integers.
        """
        with self._link.cursor() as cursor:
            cursor.execute(statement, tuple(parameters) or None)
            found: list[tuple[Any, ...]] = cursor.fetchall() if cursor.description else []
            while cursor.nextset():  # an error may come after an answer
                pass
            return found

    def be_patient(self, seconds: float) -> None:
        """Wait so long for each answer."""
        self._line.patience = seconds

    def close(self) -> None:
        """End it; the server takes back what was not committed."""
        self._line.close()
        with suppress(pytds.Error, LineError):  # which it may be told when it is dead
            self._link.close()


class Server:
    """A database of a server.

    Args:
        config: Where it is, and how long to wait for it. Its connection string is read when it is first needed.
    """

    def __init__(self, config: SqlServerConfig) -> None:
        self._config = config
        self._idle: dict[bool, list[Connection]] = {False: [], True: []}
        self._places = threading.BoundedSemaphore(config.connections)
        self._lock = threading.Lock()
        self._open = 0
        self._closed = False

    @cached_property
    def _address(self) -> Address:
        return parse(self._config.dsn.get_secret_value())

    @property
    def place(self) -> str:
        """The database, in words for messages."""
        address = self._address
        where = f"SQL Server at {address.host}" + (f"\\{address.instance}" * bool(address.instance))
        return f"{where}, {address.database or 'default database'}"

    def read(self, work: Callable[[Connection], T]) -> T:
        """What `work` gives, on a connection whose statements each see one state of the database, and wait for no writer.

        Raises:
            StoreError: The server cannot do it or does not answer, also when asked again.
        """
        return self._attempt(work, writes=False)

    def write(self, work: Callable[[Connection], T]) -> T:
        """What `work` gives, in one transaction: all of it is written or, where anything fails, nothing.

        Args:
            work: What is to be done; it may be begun several times.

        Raises:
            IndexLockedError: Another process kept writing.
            StoreError: The server cannot do it or does not answer, also when asked again.
        """

        def whole(connection: Connection) -> T:
            connection.rows(sql.BEGIN)
            result = work(connection)
            connection.rows(sql.COMMIT)
            return result

        return self._attempt(whole, writes=True)

    def check(self) -> str:
        """The server's version, when it answers, has vectors, and lets statements see one state.

        Raises:
            StoreError: Any of that is not so.
        """
        try:
            return self._attempt(self._checked, writes=True)
        finally:
            self.close()

    def require(self) -> None:
        """Raise `StoreError` unless the server is one that will do."""
        self._attempt(self._checked, writes=True)

    def close(self) -> None:
        """End all connections; those in use when they are given back."""
        self._closed = True
        self._end_idle()

    def _checked(self, connection: Connection) -> str:
        ((version, edition, database, level, snapshots),) = connection.rows(sql.SERVER)
        name = _EDITIONS.get(edition)
        if name is None:
            name = f"SQL Server {_YEARS.get(int(version.partition('.')[0]), '')} ({version})"
        try:
            connection.rows(sql.VECTORS)
        except pytds.DatabaseError as error:
            if getattr(error, "number", None) not in _NO_VECTORS:
                raise
            raise StoreError(
                f"{self.place}: {name} has no vectors",
                hint="The type vector comes with SQL Server 2025, Azure SQL Database, and Azure SQL Managed Instance that is always "
                "up to date. Use one of these, or another vector backend.",
            ) from error
        if level < _OLDEST_LEVEL:
            raise StoreError(
                f"{self.place}: the database {database!r} has compatibility level {level}",
                hint=f"Raise it: ALTER DATABASE {sql.quoted(database)} SET COMPATIBILITY_LEVEL = 170.",
            )
        if snapshots != 1:
            self._allow_snapshots(connection, database)
        return f"{name}, database {database}"

    def _allow_snapshots(self, connection: Connection, database: str) -> None:
        """Let readers see one state of the database while another process writes."""
        try:
            connection.rows(sql.ALLOW_SNAPSHOTS)
        except pytds.DatabaseError as error:
            raise StoreError(
                f"{self.place}: the database {database!r} does not allow snapshot isolation, and this user may not change that: "
                f"{self._told(error)}",
                hint=f"Let its owner run ALTER DATABASE {sql.quoted(database)} SET ALLOW_SNAPSHOT_ISOLATION ON.",
            ) from error

    def _attempt(self, work: Callable[[Connection], T], *, writes: bool) -> T:
        for attempt in range(self._config.retries + 1):
            try:
                with self._connected(writes) as connection:
                    return work(connection)
            except (pytds.Error, LineError, EncryptionError) as error:
                failure, again, after = self._judge(error)
                if not again or attempt == self._config.retries:
                    raise failure from error
                if not isinstance(error, pytds.DatabaseError):
                    self._end_idle()  # they may be as dead
            time.sleep(min(max(_FIRST_PAUSE * 2**attempt, after), _LONGEST_PAUSE))
        raise AssertionError("the last attempt returns or raises")

    @contextmanager
    def _connected(self, writes: bool) -> Iterator[Connection]:
        """A connection for the time of the block; where that fails, it is not used again."""
        if self._closed:
            raise StoreError(f"{self.place}: the index is closed", hint="Open it again.")
        if not self._places.acquire(timeout=self._config.timeout):
            raise StoreError(
                f"{self.place}: no connection was free within {self._config.timeout:g} seconds",
                hint="Raise `connections` or `timeout`.",
            )
        connection = None
        try:
            connection = self._take(writes)
            yield connection
        except BaseException:
            self._end(connection)
            raise
        else:
            with self._lock:
                kept = not self._closed
                if kept:
                    self._idle[writes].append(connection)
            if not kept:
                self._end(connection)
        finally:
            self._places.release()

    def _take(self, writes: bool) -> Connection:
        """An idle connection of this kind, or a new one, for which an idle one of the other kind may have to go."""
        with self._lock:
            if idle := self._idle[writes]:
                return idle.pop()
            others = self._idle[not writes]
            surplus = others.pop() if self._open >= self._config.connections and others else None
            self._open += 1
        self._end(surplus)
        try:
            return self._connect(writes)
        except BaseException:
            with self._lock:
                self._open -= 1
            raise

    def _end(self, connection: Connection | None) -> None:
        if connection is not None:
            connection.close()
            with self._lock:
                self._open -= 1

    def _end_idle(self) -> None:
        with self._lock:
            idle = [one for some in self._idle.values() for one in some]
            self._idle = {False: [], True: []}
        for one in idle:
            self._end(one)

    def _connect(self, writes: bool) -> Connection:
        config, address = self._config, self._address
        for _ in range(_MOST_ROUTES):
            try:
                line, link = self._log_in(address)
                break
            except RouteError as route:
                address = replace(address, host=route.host, port=route.port, instance="")
        else:
            raise LineError(f"sent on from server to server, at last to {address.host}")
        connection = Connection(line, link)
        try:
            session = sql.SESSION.format(milliseconds=round(config.timeout * 1000))
            connection.rows(session)
            if not writes:
                connection.rows(sql.READS_A_SNAPSHOT)
        except BaseException:
            connection.close()
            raise
        connection.be_patient(config.timeout * (_FOR_WRITES if writes else 1) + _GRACE)
        return connection

    def _log_in(self, address: Address) -> tuple[Line, Any]:
        line = Line(address, self._config.ca_certs, self._config.timeout)
        try:
            return line, pytds.connect(
                dsn=address.host,
                port=address.port,
                database=address.database or None,
                user=address.user,
                password=address.password,
                appname="hierdoc",
                autocommit=True,
                sock=line,
                # Its own attempts would be made on the socket that failed: the line has the time, and we try again.
                login_timeout=0.001,
                disable_connect_retry=True,
            )
        except TimeoutError as error:  # what it says after its last attempt
            line.close()
            raise error.__cause__ or LineError(str(error)) from None
        except (ValueError, LookupError, struct.error) as error:  # it reads what comes
            line.close()
            raise LineError(f"what answers there is no SQL Server: {error}") from error
        except BaseException:
            line.close()
            raise

    def _judge(self, error: Exception) -> tuple[HierdocError, bool, float]:
        """What to call a failure, whether another attempt may help, and how many seconds the server asks to wait."""
        number = getattr(error, "number", None)
        if isinstance(error, pytds.DatabaseError) and number:
            return self._answered(error, number)
        text = f"{self.place}: {self._told(error)}"
        if isinstance(error, EncryptionError):
            text = f"{self.place}: no encrypted connection: {self._told(error)}"
            hint = "Name the authority that vouches for the server in `ca_certs`, and as Server the name in its certificate."
            if "supports no" in text:
                hint = "Encrypt=no sends everything, the password included, as it is: for a server on this machine."
            elif "demands" in text:
                hint = "Leave Encrypt=no out of the dsn."
            return StoreError(text, hint=hint), False, 0.0
        if "no answer" in text:
            return StoreError(text, hint="Raise `timeout`, or try again later."), True, 0.0
        hint = "See whether the server runs, and whether Server in the dsn is right."
        return StoreError(text, hint=hint), True, 0.0

    def _answered(self, error: Exception, number: int) -> tuple[HierdocError, bool, float]:
        told = self._told(error)
        text = f"{self.place}: error {number}: {told}"
        if number == _LOCKED:
            said = f"{self.place}: another process is writing to the index"
            hint = "Wait until it has finished, then try again."
            return IndexLockedError(said, hint=hint), False, 0.0
        if number in _NOT_THERE:
            return IndexMismatchError(text, hint=REBUILD), False, 0.0
        if number in _TOO_COMPLEX:
            return QueryError(text, hint="Ask with several smaller filters."), False, 0.0
        hint = "See the server's documentation of this error."
        if number in _REFUSED_LOGINS:
            hint = "Check User ID and Password in the dsn; the user must be a login of SQL Server's own."
        elif number in _NO_DATABASE:
            hint = "Check Database in the dsn, whether this user may open it, and Azure's firewall."
        elif number in _NOT_ALLOWED:
            hint = "Let this user make the schema and its tables, or make the schema for it and let it own it."
        elif number in _BUSY:
            hint = "The server is busy: try again later, or raise `retries`."
        asked = re.search(r"after (\d+) seconds", told)
        return StoreError(text, hint=hint), number in _BUSY, float(asked[1]) if asked else 0.0

    def _told(self, error: Exception) -> str:
        return masked(_said(error), [self._address.password])


def _said(error: BaseException) -> str:
    text = str(error.args[0] if isinstance(error, pytds.DatabaseError) else error)
    return " ".join(text.split())[:300] or type(error).__name__
