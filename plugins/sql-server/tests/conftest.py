"""A stand-in for SQL Server on the loopback: it speaks TDS 7.4 [MS-TDS] and takes the part of Transact-SQL that the plugin's statements are in.

Statements are parsed in SQL Server's dialect, and everything that is not known here is refused, as are the mistakes that SQL Server refuses: wrong types,
names and numbers of parameters, an order without a limit in a subquery, vectors of another length, what is no JSON. SQLite then
executes them, in a file that all connections share: its transactions and locks stand for those of the server.
"""

from __future__ import annotations

import json
import re
import socket
import sqlite3
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlglot
from sqlglot import exp

USER, PASSWORD, DATABASE = "hierdoc", "correct;horse}1", "laws"

_BATCH, _RPC, _REPLY, _ATTENTION, _LOGIN, _PRELOGIN = 1, 3, 4, 6, 16, 18
_MORE, _ERROR, _COUNTED, _CANCELLED = 1, 2, 16, 32
_COLLATION = bytes.fromhex("0904d00034")

_KNOWN_COLLATION = "Latin1_General_100_BIN2_UTF8"
_PROPERTIES = {"ProductVersion", "EngineEdition"}
_RESERVED = {"key", "index", "user", "order", "group", "table", "schema", "rank", "row_number", "file", "plan", "public", "rule"}  # fmt: skip

_ALLOWED = (
    exp.Select, exp.From, exp.Where, exp.Join, exp.Order, exp.Ordered, exp.Group, exp.Limit, exp.Subquery, exp.Table, exp.TableAlias,
    exp.Column, exp.Identifier, exp.Alias, exp.Literal, exp.National, exp.Parameter, exp.Var, exp.Paren, exp.And, exp.Or, exp.Not, exp.In,
    exp.EQ, exp.GT, exp.Star, exp.Min, exp.Count, exp.Cast, exp.Convert, exp.DataType, exp.DataTypeParam, exp.OpenJSON, exp.OpenJSONColumnDef,
    exp.Anonymous, exp.ObjectId, exp.WithTableHint, exp.Insert, exp.Delete, exp.Create, exp.Drop, exp.Schema, exp.ColumnDef,
    exp.ColumnConstraint, exp.NotNullColumnConstraint, exp.PrimaryKeyColumnConstraint, exp.CheckColumnConstraint, exp.CollateColumnConstraint,
    exp.Values, exp.Reference, exp.PrimaryKey, exp.Index, exp.IndexParameters, exp.Tuple,
)  # fmt: skip
_FUNCTIONS = {"VECTOR_DISTANCE": 3, "SERVERPROPERTY": 1, "DB_ID": 0, "SCHEMA_ID": 1}
_TYPES = {"BINARY", "VARCHAR", "NVARCHAR", "INT", "BIT", "VECTOR"}


class RefusalError(Exception):
    """An error of the server's, by its number."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(reason)
        self.number = number


@dataclass
class Server:
    """The server: what it is, how it is to fail, and what it was asked.

    Attributes:
        file: Of its database.
        port: Where it listens.
        dsn: A connection string that reaches it.
        statements: Each statement, with its parameters.
        failures: What to answer to the next statements that match: pattern, number and text of the error.
        version: Its `ProductVersion`.
        edition: Its `EngineEdition`.
        vectors: Whether it knows them.
        level: Of compatibility.
        snapshots: Whether the database allows snapshot isolation.
        owner: Whether the user may change the database.
        certificate: Its key and certificate; None where it does not encrypt.
        logins: How often somebody logged in.
        routes: Hosts and ports that the next logins are sent on to.
    """

    file: Path
    port: int = 0
    statements: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    failures: list[tuple[str, int, str]] = field(default_factory=list)
    version: str = "17.0.1000.7"
    edition: int = 3
    vectors: bool = True
    level: int = 170
    snapshots: bool = True
    owner: bool = True
    certificate: tuple[Path, Path] | None = None
    logins: int = 0
    routes: list[tuple[str, int]] = field(default_factory=list)
    open: set[socket.socket] = field(default_factory=set)
    ended: threading.Condition = field(default_factory=threading.Condition)

    @property
    def dsn(self) -> str:
        return self.reached()

    def reached(self, **changed: Any) -> str:
        """A connection string, with other values."""
        values = {
            "Server": f"127.0.0.1,{self.port}",
            "Database": DATABASE,
            "User ID": USER,
            "Password": "{" + PASSWORD.replace("}", "}}") + "}",
            "Encrypt": "no",
        }
        return ";".join(f"{name}={value}" for name, value in {**values, **changed}.items())

    def asked(self, pattern: str) -> list[tuple[str, dict[str, Any]]]:
        """The statements that match."""
        return [one for one in self.statements if re.search(pattern, one[0])]

    def drop(self) -> None:
        """End all connections."""
        for one in list(self.open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def has_at_most(self, connections: int) -> bool:
        """Whether no more connections are open, or will be in a moment."""
        with self.ended:
            return self.ended.wait_for(lambda: len(self.open) <= connections, 5)

    def execute(self, statement: str) -> list[Any]:
        """What SQLite says of the database itself; `schema.table` is one name."""
        with sqlite3.connect(self.file) as database:
            rows = database.execute(statement).fetchall()
        database.close()
        return rows


class Session:
    """One connection's state, and its database."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._refused: RefusalError | None = None
        self._snapshot = False
        self._database = sqlite3.connect(server.file, isolation_level=None)
        self._database.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON;"
            'CREATE TABLE IF NOT EXISTS "sys.schemas" (name TEXT PRIMARY KEY);'
            'CREATE TEMP TABLE "sys.databases" (name, database_id, compatibility_level, snapshot_isolation_state)'
        )
        functions: dict[str, tuple[int, Callable[..., Any]]] = {
            "vector": (2, _vector),
            "text": (1, _text),
            "digest": (1, _digest),
            "checked": (1, _checked),
            "vector_distance": (3, _distance),
            "serverproperty": (1, self._property),
        }
        for name, (arguments, work) in functions.items():
            self._database.create_function(name, arguments, self._noting(work), deterministic=True)

    def close(self) -> None:
        self._database.close()

    def run(self, batch: str, parameters: dict[str, Any]) -> list[tuple[list[str], list[Any]]]:
        """Names of columns and rows of each statement in a batch that gives some."""
        answers = []
        statements = [one.strip() for one in batch.split(";") if one.strip()]
        for statement in statements:
            self._server.statements.append((statement, parameters))
            for number, (pattern, error, text) in enumerate(self._server.failures):
                if re.search(pattern, statement):
                    del self._server.failures[number]
                    raise RefusalError(error, text)
            if re.match(r"CREATE SCHEMA\b", statement) and len(statements) > 1:
                raise RefusalError(111, "'CREATE SCHEMA' must be the first statement in a batch")
            answers += self._one(statement, parameters)
        return answers

    def _one(self, statement: str, parameters: dict[str, Any]) -> list[tuple[list[str], list[Any]]]:
        if re.fullmatch(r"SET (NOCOUNT|XACT_ABORT) ON", statement):
            return []
        if limit := re.fullmatch(r"SET LOCK_TIMEOUT (\d+)", statement):
            self._database.execute(f"PRAGMA busy_timeout = {limit[1]}")
            return []
        if statement == "SET TRANSACTION ISOLATION LEVEL SNAPSHOT":  # beyond the parser
            self._snapshot = True
            return []
        if statement == "ALTER DATABASE CURRENT SET ALLOW_SNAPSHOT_ISOLATION ON":
            if not self._server.owner:
                raise RefusalError(5011, "User does not have permission to alter database 'laws'")
            self._server.snapshots = True
            return []
        if statement in ("BEGIN TRANSACTION", "COMMIT TRANSACTION"):
            self._execute("BEGIN IMMEDIATE" if statement[0] == "B" else "COMMIT", {})
            return []
        if self._snapshot and not self._server.snapshots:
            raise RefusalError(3952, "Snapshot isolation transaction failed accessing database")
        if "VECTOR" in statement.upper() and not self._server.vectors:
            raise RefusalError(243, "Type vector is not a defined system type.")
        kind, translated, used = translate(statement)
        if unknown := used - parameters.keys():
            raise RefusalError(137, f"Must declare the scalar variable {sorted(unknown)}")
        if kind == "schema":
            self._execute('INSERT INTO "sys.schemas" VALUES (:name)', {"name": translated})
            return []
        if "sys.databases" in translated:
            self._database.execute('DELETE FROM temp."sys.databases"')
            row = (DATABASE, 5, self._server.level, int(self._server.snapshots))
            self._database.execute('INSERT INTO temp."sys.databases" VALUES (?, ?, ?, ?)', row)
        if kind == "table":
            schema = translated.partition('"')[2].partition(".")[0]
            there = 'SELECT 1 FROM "sys.schemas" WHERE name = ?'
            if not self._database.execute(there, [schema]).fetchone():
                raise RefusalError(2760, f'The specified schema name "{schema}" does not exist')
        cursor = self._execute(translated, {name: parameters[name] for name in used})
        if cursor.description is None:
            return []
        rows = cursor.fetchall()
        return [(["" for _ in cursor.description], rows)]

    def _execute(self, statement: str, parameters: dict[str, Any]) -> sqlite3.Cursor:
        self._refused = None
        try:
            return self._database.execute(statement, parameters)
        except sqlite3.Error as error:
            if self._refused:
                raise self._refused from error
            said = str(error)
            for words, number in (("no such table", 208), ("no such column", 207), ("UNIQUE", 2627), ("NOT NULL", 515), ("locked", 1222), ("FOREIGN", 547), ("JSON", 13609)):  # fmt: skip
                if words in said:
                    raise RefusalError(number, said) from error
            raise

    def _noting(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """A function for SQLite, which keeps the reasons of failures to itself."""

        def noting(*arguments: Any) -> Any:
            try:
                return work(*arguments)
            except RefusalError as error:
                self._refused = error
                raise

        return noting

    def _property(self, name: str) -> Any:
        return {
            "ProductVersion": self._server.version,
            "EngineEdition": self._server.edition,
        }[name]


@lru_cache(maxsize=64)
def _vector(written: Any, dimensions: int) -> bytes:
    """A vector as it is kept: 4 bytes a number."""
    try:
        numbers = json.loads(written)
    except ValueError as error:
        raise RefusalError(13609, "JSON text is not properly formatted") from error
    if len(numbers) != dimensions:
        raise RefusalError(
            42204, f"The vector dimensions {dimensions} and {len(numbers)} do not match"
        )
    kept = np.array(numbers, np.float32)
    if not np.isfinite(kept).all():
        raise RefusalError(42203, "Invalid value for a vector")
    return kept.tobytes()


def _text(value: Any) -> Any:
    """A vector as SQL Server shows it, with eight significant digits; other values as they are."""
    if not isinstance(value, bytes):
        return value
    return "[" + ",".join(f"{one:.7e}" for one in np.frombuffer(value, np.float32)) + "]"


def _digest(text: str) -> bytes:
    if not re.fullmatch(r"[0-9a-fA-F]{32}", text):
        raise RefusalError(8114, "Error converting data type nvarchar to binary")
    return bytes.fromhex(text)


def _checked(text: Any) -> Any:
    """A parameter that is to be an array in JSON."""
    try:
        json.loads(text)
    except ValueError as error:
        raise RefusalError(13609, "JSON text is not properly formatted") from error
    return text


def _distance(metric: str, one: bytes, other: bytes) -> float:
    if metric != "dot":
        raise RefusalError(42201, f"metric {metric!r}")
    if len(one) != len(other):
        raise RefusalError(42204, "The vector dimensions do not match")
    return -float(np.frombuffer(one, np.float32) @ np.frombuffer(other, np.float32))


@lru_cache(maxsize=512)
def translate(statement: str) -> tuple[str, str, frozenset[str]]:
    """A statement of SQL Server's in SQLite's words: what kind it is, the words, and the parameters in it.

    Raises:
        RefusalError: SQL Server would not take it, or nothing here knows it.
    """
    if re.search(r"\bLIMIT\b|\|\||\btrue\b|\bfalse\b", statement):
        raise RefusalError(102, "Incorrect syntax")
    try:
        (tree,) = sqlglot.parse(statement, read="tsql")
    except sqlglot.errors.ParseError as error:
        raise RefusalError(102, f"Incorrect syntax: {error}") from error
    assert tree is not None
    for node in tree.walk():
        _require(node)
    used = frozenset(str(node.this.this) for node in tree.find_all(exp.Parameter))
    if isinstance(tree, exp.Create) and tree.kind == "SCHEMA":
        return "schema", tree.this.db, used
    kind = "table" if isinstance(tree, exp.Create) and tree.kind == "TABLE" else "other"
    for node in reversed(list(tree.walk())):  # from the leaves up
        changed = _in_sqlite(node)
        if changed is not node:
            node.replace(changed)
    return kind, tree.sql("sqlite"), used


def _require(node: exp.Expression) -> None:
    """Raise `RefusalError` for what SQL Server would not take, and for what is not known here."""
    if type(node) not in _ALLOWED:
        raise RefusalError(102, f"Incorrect syntax near {node.sql('tsql')!r}")
    if isinstance(node, exp.Anonymous) and _FUNCTIONS.get(node.name.upper()) != len(
        node.expressions
    ):
        raise RefusalError(195, f"{node.name!r} is not a recognized built-in function name.")
    if isinstance(node, exp.DataType):
        if node.this.name not in _TYPES:
            raise RefusalError(2715, f"Cannot find data type {node.this.name}")
        if node.this.name == "VECTOR" and not 1 <= int(node.expressions[0].name) <= 1998:
            raise RefusalError(42202, "Invalid number of dimensions")
    if isinstance(node, exp.Identifier) and not node.quoted and node.name.lower() in _RESERVED:
        raise RefusalError(156, f"Incorrect syntax near the keyword {node.name!r}")
    if isinstance(node, exp.CollateColumnConstraint) and node.this.name != _KNOWN_COLLATION:
        raise RefusalError(448, f"Invalid collation {node.this.name!r}")
    unlimited = isinstance(node, exp.Select) and not node.args.get("limit")
    if unlimited and node.args.get("order") and node.parent is not None:
        raise RefusalError(1033, "The ORDER BY clause is invalid in subqueries without TOP")
    if isinstance(node, exp.Subquery) and isinstance(node.parent, exp.From) and not node.alias:
        raise RefusalError(102, "Incorrect syntax: a derived table needs a name")
    if isinstance(node, exp.Convert) and (
        node.this.this.name != "BINARY" or getattr(node.args.get("style"), "name", "") != "2"
    ):
        raise RefusalError(8114, "Error converting data type nvarchar to binary")


def _in_sqlite(node: exp.Expression) -> exp.Expression:
    if isinstance(node, exp.Parameter):
        return exp.Placeholder(this=str(node.this.this))
    if isinstance(node, exp.National):
        return exp.Literal.string(node.name)
    if isinstance(node, exp.ObjectId):
        return _subquery(
            "SELECT rowid FROM sqlite_master WHERE type = 'table' AND name = "
            "replace(replace(replace({}, '].[', '.'), '[', ''), ']', '')",
            node.this,
        )
    if isinstance(node, exp.Anonymous) and node.name.upper() == "SCHEMA_ID":
        return _subquery('SELECT rowid FROM "sys.schemas" WHERE name = {}', node.expressions[0])
    if isinstance(node, exp.Anonymous) and node.name.upper() == "DB_ID":
        return exp.Literal.number(5)
    if isinstance(node, exp.Convert):
        return exp.Anonymous(this="digest", expressions=[node.expression])
    if isinstance(node, exp.Cast):
        name = node.to.this.name
        if name == "VECTOR":
            size = exp.Literal.number(node.to.expressions[0].name)
            return exp.Anonymous(this="vector", expressions=[node.this, size])
        return (
            exp.Anonymous(this="text", expressions=[node.this]) if name == "NVARCHAR" else node.this
        )
    if isinstance(node, exp.Table):
        if isinstance(node.this, exp.OpenJSON):
            return _each(node.this, node.alias)
        if node.db:
            name = exp.to_identifier(f"{node.db}.{node.name}", quoted=True)
            return exp.Table(this=name, alias=node.args.get("alias"))
    if isinstance(node, exp.Index) and node.args.get("table") is not None:
        table = node.args["table"]
        node.set("this", exp.to_identifier(f"{table.db}.{table.name}.{node.name}", quoted=True))
    if isinstance(node, exp.ColumnDef):
        kinds = {"INT": "INTEGER", "BIT": "INTEGER", "BINARY": "BLOB", "VECTOR": "BLOB"}
        node.set("kind", exp.DataType.build(kinds.get(node.kind.this.name, "TEXT"), "sqlite"))
        kept = [
            one for one in node.constraints if not isinstance(one.kind, exp.CollateColumnConstraint)
        ]
        node.set("constraints", kept)
    return node


def _each(rows: exp.OpenJSON, alias: str) -> exp.Expression:
    """The rows of a JSON array, as SQLite has them."""
    columns = rows.expressions
    parts = ["value"]
    if columns:
        parts = [f"json_extract(value, '{one.args['path'].name}') AS {one.name}" for one in columns]
    text = f"SELECT {', '.join(parts)} FROM json_each(checked({{}}))"
    made = _subquery(text, rows.this)
    made.set("alias", exp.TableAlias(this=exp.to_identifier(alias or "each_")))
    return made


def _subquery(text: str, value: exp.Expression) -> exp.Expression:
    made = sqlglot.parse_one(text.format(":p"), read="sqlite")
    for node in list(made.find_all(exp.Placeholder)):
        node.replace(value.copy())
    return exp.Subquery(this=made)


class Talk:
    """What is said on one connection."""

    def __init__(self, server: Server, line: socket.socket) -> None:
        self._server = server
        self._line = line
        self._tls: ssl.SSLObject | None = None
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()

    def go_on(self) -> None:
        """Until it ends."""
        kind, data = self._message()
        assert kind == _PRELOGIN
        encrypted = self._prelogin(data)
        if encrypted and not self._handshake():
            return
        kind, data = self._message()
        assert kind == _LOGIN
        if not self._login(data):
            return
        session = Session(self._server)
        try:
            while True:
                kind, data = self._message()
                if kind == _ATTENTION:
                    self._send(_done(0xFD, _CANCELLED))
                else:
                    self._send(self._answer(session, kind, data))
        finally:
            session.close()

    def _prelogin(self, data: bytes) -> bool:
        options = {}
        for place in range(0, len(data), 5):
            if data[place] == 0xFF:
                break
            start, size = struct.unpack_from(">HH", data, place + 1)
            options[data[place]] = data[start : start + size]
        wanted = options[1][0] == 1
        offered = self._server.certificate is not None
        said = 1 if wanted and offered else 3 if offered else 2
        body = struct.pack(">BHHBHHB", 0, 11, 6, 1, 17, 1, 0xFF) + b"\x11\0\x03\xe8\0\0"
        self._send(body + bytes([said]))
        return wanted and offered

    def _handshake(self) -> bool:
        """TLS, each of whose steps is a message of its own."""
        assert self._server.certificate is not None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        key, certificate = self._server.certificate
        context.load_cert_chain(certificate, key)
        tls = context.wrap_bio(self._in, self._out, server_side=True)
        while True:
            try:
                tls.do_handshake()
                done = True
            except ssl.SSLWantReadError:
                done = False
            except ssl.SSLError:
                return False
            if said := self._out.read():
                self._send(said, _PRELOGIN)
            if done:
                self._tls = tls
                return True
            self._in.write(self._message()[1])

    def _login(self, data: bytes) -> bool:
        def text(place: int) -> bytes:
            start, size = struct.unpack_from("<HH", data, 36 + 4 * place)
            return data[start : start + 2 * size]

        user, database = text(1).decode("utf-16-le"), text(8).decode("utf-16-le")
        password = bytes(((b ^ 0xA5) << 4 & 0xF0) | ((b ^ 0xA5) >> 4) for b in text(2))
        if (user, password.decode("utf-16-le")) != (USER, PASSWORD):
            self._send(_error(18456, f"Login failed for user '{user}'.") + _done(0xFD, _ERROR))
            return False
        if database not in ("", DATABASE):
            reason = f'Cannot open database "{database}" requested by the login. The login failed.'
            self._send(_error(4060, reason) + _done(0xFD, _ERROR))
            return False
        if self._server.routes:
            host, port = self._server.routes.pop(0)
            value = struct.pack("<BHH", 0, port, len(host)) + host.encode("utf-16-le")
            change = struct.pack("<BH", 20, len(value)) + value + b"\0\0"
            self._send(b"\xe3" + struct.pack("<H", len(change)) + change + _done(0xFD, 0))
            return False
        self._server.logins += 1
        named = _b(DATABASE) + _b("master")
        name = "Microsoft SQL Server"
        acknowledged = b"\x01" + struct.pack(">I", 0x74000004) + _b(name) + b"\x11\0\x03\xe8"
        self._send(
            b"\xe3" + struct.pack("<HB", 1 + len(named), 1) + named
            + b"\xe3" + struct.pack("<HBB", 8, 7, 5) + _COLLATION + b"\0"
            + b"\xad" + struct.pack("<H", len(acknowledged)) + acknowledged
            + _done(0xFD, 0)
        )  # fmt: skip
        return True

    def _answer(self, session: Session, kind: int, data: bytes) -> bytes:
        (skipped,) = struct.unpack_from("<I", data)
        rpc = kind == _RPC
        try:
            if rpc:
                statement, parameters = _read_call(data[skipped:])
            else:
                statement, parameters = data[skipped:].decode("utf-16-le"), {}
            answers = session.run(statement, parameters)
        except RefusalError as refusal:
            said = _error(refusal.number, str(refusal))
            ended = _done(0xFE if rpc else 0xFD, _ERROR)
            return said + (b"\x79" + struct.pack("<i", refusal.number) if rpc else b"") + ended
        body = b""
        for columns, rows in answers:
            body += _table(columns, rows)
            body += _done(0xFF, _COUNTED | _MORE, len(rows)) if rpc else b""
        if rpc:
            return body + b"\x79\0\0\0\0" + _done(0xFE, 0)
        return body + _done(0xFD, _COUNTED if answers else 0)

    def _message(self) -> tuple[int, bytes]:
        data = b""
        while True:
            kind, status, size = struct.unpack(">BBH", self._exactly(8)[:4])
            data += self._exactly(size - 8)
            if status & 1:
                return kind, data

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            some = self._receive(size - len(data))
            if not some:
                raise ConnectionError
            data += some
        return data

    def _receive(self, size: int) -> bytes:
        if self._tls is None:
            return self._line.recv(size)
        while True:
            try:
                return self._tls.read(size)
            except ssl.SSLWantReadError:
                some = self._line.recv(1 << 16)
                if not some:
                    return b""
                self._in.write(some)

    def _send(self, data: bytes, kind: int = _REPLY) -> None:
        packets = [data[start : start + 4088] for start in range(0, len(data), 4088)]
        whole = b""
        for number, one in enumerate(packets):
            last = number == len(packets) - 1
            whole += struct.pack(">BBHHBB", kind, last, 8 + len(one), 51, number % 256, 0) + one
        if self._tls is not None:
            self._tls.write(whole)
            whole = self._out.read()
        self._line.sendall(whole)


def _read_call(data: bytes) -> tuple[str, dict[str, Any]]:
    """The statement and the parameters of a call of `sp_executesql`."""
    marker, procedure, _ = struct.unpack_from("<HHH", data)
    assert (marker, procedure) == (0xFFFF, 10), "only sp_executesql is called"
    place, values = 6, []
    while place < len(data):
        size = data[place]
        name = data[place + 1 : place + 1 + 2 * size].decode("utf-16-le")
        place += 2 + 2 * size
        kind = data[place]
        if kind == 0x26:  # an integer
            length = data[place + 2]
            value: Any = int.from_bytes(data[place + 3 : place + 3 + length], "little", signed=True)
            place += 3 + length
        else:
            assert (kind, data[place + 1 : place + 3]) == (0xE7, b"\xff\xff"), "nvarchar(max)"
            place += 8 + 8
            parts = b""
            while length := struct.unpack_from("<I", data, place)[0]:
                parts += data[place + 4 : place + 4 + length]
                place += 4 + length
            place += 4
            value = parts.decode("utf-16-le")
        values.append((name, value))
    (_, statement), (_, definitions), *given = values
    declared = [one.split()[0] for one in definitions.split(",")]
    if declared != [name for name, _ in given]:
        raise RefusalError(8178, "The parameterized query expects parameters")
    if len(given) > 2098:
        raise RefusalError(8003, "Too many parameters: the maximum is 2100.")
    return statement, {name.removeprefix("@"): value for name, value in given}


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes:
    kinds = [
        next((type(row[place]) for row in rows if row[place] is not None), str)
        for place in range(len(columns))
    ]
    infos = {
        int: b"\x26\x08",
        float: b"\x6d\x08",
        bytes: b"\xad\x10\0",
        str: b"\xe7\xff\xff" + _COLLATION,
    }
    body = b"\x81" + struct.pack("<H", len(columns))
    for name, kind in zip(columns, kinds, strict=True):
        body += struct.pack("<IH", 0, 1) + infos[kind] + _b(name)
    parts = [body]
    for row in rows:
        parts.append(b"\xd1")
        parts += [_value(value, kind) for value, kind in zip(row, kinds, strict=True)]
    return b"".join(parts)


def _value(value: Any, kind: type) -> bytes:
    if kind is int:
        return b"\0" if value is None else b"\x08" + struct.pack("<q", value)
    if kind is float:
        return b"\0" if value is None else b"\x08" + struct.pack("<d", value)
    if kind is bytes:
        return struct.pack("<H", len(value)) + value
    if value is None:
        return b"\xff" * 8
    data = value.encode("utf-16-le")
    # In pieces, as the server sends them, one of which ends within a character.
    pieces = [data[start : start + 4001] for start in range(0, len(data), 4001)]
    sent = b"".join(struct.pack("<I", len(one)) + one for one in pieces)
    return struct.pack("<Q", len(data)) + sent + b"\0\0\0\0"


def _error(number: int, text: str) -> bytes:
    said = text[:2000].encode("utf-16-le")
    level = 14 if number < 50_000 else 16
    body = struct.pack("<iBBH", number, 1, level, len(said) // 2) + said + _b("server") + _b("")
    body += struct.pack("<i", 1)
    return b"\xaa" + struct.pack("<H", len(body)) + body


def _done(token: int, status: int, count: int = 0) -> bytes:
    return struct.pack("<BHHQ", token, status, 0xC1, count)


def _b(text: str) -> bytes:
    return bytes([len(text)]) + text.encode("utf-16-le")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server of its own for each test, stopped at its end."""
    listener = socket.create_server(("127.0.0.1", 0))
    served = Server(tmp_path / "database.sqlite", listener.getsockname()[1])
    talks: list[threading.Thread] = []

    def talk(line: socket.socket) -> None:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with line, suppress(OSError, ConnectionError):
            Talk(served, line).go_on()
        with served.ended:
            served.open.discard(line)
            served.ended.notify_all()

    def accept() -> None:
        while True:
            try:
                line, _ = listener.accept()
            except OSError:
                return
            served.open.add(line)
            thread = threading.Thread(target=talk, args=(line,), name="talk")
            talks.append(thread)
            thread.start()

    acceptor = threading.Thread(target=accept, name="server")
    acceptor.start()
    yield served
    with suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    served.drop()
    for thread in (acceptor, *talks):
        thread.join()
