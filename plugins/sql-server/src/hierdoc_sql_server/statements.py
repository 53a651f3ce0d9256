"""The statements, in Transact-SQL, and what filters become in them.

    hierdoc_manifest    one row: what the index is made for; locked by who writes
    hierdoc_chunks      one row per record: what it is found and ordered by, and its vector
    hierdoc_payloads    one row per record: all of it as JSON
    hierdoc_tags        one row per record and value that a filter can ask for

They are in the schema that is the collection. Ids, sources and values are known by 128 bits of a digest, so that keys are short and no comparison depends
on a collation. Values are parameters; lists of any length are one parameter, as JSON. Texts come and go as nvarchar, which every client takes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from hierdoc import Filter
from hierdoc.plugin import TagFold, join_conditions

MOST_DIMENSIONS = 1998
"""What the type `vector` takes in single precision."""

_TEXT = "varchar(max) COLLATE Latin1_General_100_BIN2_UTF8"
"""UTF-8 that is ordered by code point."""

_DIGESTS = "SELECT CONVERT(binary(16), value, 2) FROM OPENJSON(%s)"

MADE = (
    "CREATE TABLE {manifest} (one bit NOT NULL PRIMARY KEY CHECK (one = 1), made_for nvarchar(max) NOT NULL)",
    f"""
    CREATE TABLE {{chunks}} (
        chunk binary(16) NOT NULL PRIMARY KEY,
        document binary(16) NOT NULL,
        version binary(16) NOT NULL,
        id {_TEXT} NOT NULL,
        source {_TEXT} NOT NULL,
        ordinal int NOT NULL,
        content_hash {_TEXT} NOT NULL,
        fingerprint {_TEXT} NOT NULL,
        records int NOT NULL,
        vector {{vector}} NOT NULL
    )
    """,
    "CREATE INDEX hierdoc_document ON {chunks} (document, version)",
    f"""
    CREATE TABLE {{payloads}} (
        chunk binary(16) NOT NULL PRIMARY KEY REFERENCES {{chunks}} (chunk) ON DELETE CASCADE,
        payload {_TEXT} NOT NULL
    )
    """,
    """
    CREATE TABLE {tags} (
        tag binary(16) NOT NULL,
        chunk binary(16) NOT NULL REFERENCES {chunks} (chunk) ON DELETE CASCADE,
        PRIMARY KEY (tag, chunk)
    )
    """,
    "CREATE INDEX hierdoc_chunk ON {tags} (chunk)",
)

DROPPED = (
    "DROP TABLE IF EXISTS {tags}",
    "DROP TABLE IF EXISTS {payloads}",
    "DROP TABLE IF EXISTS {chunks}",
    "DROP TABLE IF EXISTS {manifest}",
)

SCHEMA_EXISTS = "SELECT SCHEMA_ID(%s)"
TABLE_EXISTS = "SELECT OBJECT_ID(%s, N'U')"
MAKE_SCHEMA = "CREATE SCHEMA {schema}"
MANIFEST = "SELECT made_for FROM {manifest}"
LOCKED_MANIFEST = "SELECT made_for FROM {manifest} WITH (TABLOCKX, HOLDLOCK)"
WRITE_MANIFEST = "INSERT INTO {manifest} (one, made_for) VALUES (1, %s)"

SESSION = "SET NOCOUNT ON; SET XACT_ABORT ON; SET LOCK_TIMEOUT {milliseconds}"
READS_A_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL SNAPSHOT"
BEGIN, COMMIT = "BEGIN TRANSACTION", "COMMIT TRANSACTION"

SERVER = """
    SELECT CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128)), CAST(SERVERPROPERTY('EngineEdition') AS int),
        d.name, d.compatibility_level, d.snapshot_isolation_state
    FROM sys.databases AS d WHERE d.database_id = DB_ID()
"""
VECTORS = "SELECT VECTOR_DISTANCE('dot', CAST(N'[1]' AS vector(1)), CAST(N'[2]' AS vector(1)))"
ALLOW_SNAPSHOTS = "ALTER DATABASE CURRENT SET ALLOW_SNAPSHOT_ISOLATION ON"

INSERTS = (
    """
    INSERT INTO {chunks} (chunk, document, version, id, source, ordinal, content_hash, fingerprint, records, vector)
    SELECT CONVERT(binary(16), chunk, 2), CONVERT(binary(16), document, 2), CONVERT(binary(16), version, 2),
        id, source, ordinal, content_hash, fingerprint, records, CAST(vector AS {vector})
    FROM OPENJSON(%s) WITH (
        chunk nvarchar(32) '$.chunk', document nvarchar(32) '$.document', version nvarchar(32) '$.version',
        id nvarchar(max) '$.id', source nvarchar(max) '$.source', ordinal int '$.ordinal',
        content_hash nvarchar(max) '$.content_hash', fingerprint nvarchar(max) '$.fingerprint', records int '$.records',
        vector nvarchar(max) '$.vector'
    )
    """,
    """
    INSERT INTO {payloads} (chunk, payload)
    SELECT CONVERT(binary(16), chunk, 2), payload
    FROM OPENJSON(%s) WITH (chunk nvarchar(32) '$.chunk', payload nvarchar(max) '$.payload')
    """,
    """
    INSERT INTO {tags} (tag, chunk)
    SELECT CONVERT(binary(16), tag, 2), CONVERT(binary(16), chunk, 2)
    FROM OPENJSON(%s) WITH (tag nvarchar(32) '$.tag', chunk nvarchar(32) '$.chunk')
    """,
)
"""Of records, each with the rows for its table as JSON."""

DELETE_CHUNKS = "DELETE FROM {chunks} WHERE chunk IN ({digests})"
DELETE_DOCUMENTS = "DELETE FROM {chunks} WHERE document IN ({digests})"

STATES = """
    SELECT CAST(MIN(source) AS nvarchar(max)), CAST(MIN(content_hash) AS nvarchar(max)),
        CAST(MIN(fingerprint) AS nvarchar(max)), MIN(records), COUNT(*)
    FROM {chunks} GROUP BY document, version
"""
COUNT = "SELECT COUNT(*) FROM {chunks}"

NEAREST = """
    SELECT TOP (%s) CAST(near.id AS nvarchar(max)), near.distance FROM (
        SELECT c.id, VECTOR_DISTANCE('dot', c.vector, CAST(%s AS {vector})) AS distance
        FROM {chunks} AS c WHERE {where}
    ) AS near ORDER BY near.distance, near.id
"""

RECORDS = """
    SELECT TOP (%s) c.chunk, CAST(p.payload AS nvarchar(max)){column}
    FROM {chunks} AS c JOIN {payloads} AS p ON p.chunk = c.chunk
    WHERE {where} ORDER BY {order}
"""
VECTOR_COLUMN = ", CAST(c.vector AS nvarchar(max))"
BY_PLACE = "c.source, c.ordinal, c.id"
BY_KEY = "c.chunk"
AFTER = "c.chunk > CONVERT(binary(16), %s, 2)"
AMONG = f"c.chunk IN ({_DIGESTS})"

Condition = tuple[str, list[object]]
"""What a row of `{chunks} AS c` must fulfil, and its parameters."""


def names(collection: str) -> dict[str, str]:
    """What `str.format` puts in statements: the quoted names of the schema and its tables, and how a list is read."""
    schema = quoted(collection)
    tables = ("manifest", "chunks", "payloads", "tags")
    made = {one: f"{schema}.{quoted(f'hierdoc_{one}')}" for one in tables}
    return {"schema": schema, "digests": _DIGESTS, **made}


def quoted(name: str) -> str:
    """An identifier."""
    return "[" + name.replace("]", "]]") + "]"


def as_json(values: Iterable[object]) -> str:
    """A list as one parameter."""
    return json.dumps(list(values), ensure_ascii=False, separators=(",", ":"))


def condition(filter: Filter | None, names: Mapping[str, str]) -> Condition:
    """What a row must fulfil for the filter to select its record."""
    return ("1 = 1", []) if filter is None else _Selection(names)(filter)


class _Selection(TagFold[Condition]):
    """Tags are parameters, never part of a statement."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._tags = names["tags"]

    def has_any(self, tags: Sequence[str]) -> Condition:
        chosen = f"SELECT t.chunk FROM {self._tags} AS t WHERE t.tag IN ({_DIGESTS})"  # noqa: S608 - a quoted name
        return f"c.chunk IN ({chosen})", [as_json(tags)]

    def all_of(self, parts: Sequence[Condition]) -> Condition:
        return _joined(parts, "AND") if parts else ("1 = 1", [])

    def any_of(self, parts: Sequence[Condition]) -> Condition:
        return _joined(parts, "OR") if parts else ("1 = 0", [])

    def negation(self, part: Condition) -> Condition:
        return f"NOT ({part[0]})", part[1]


def _joined(parts: Sequence[Condition], operator: str) -> Condition:
    parameters = [one for _, some in parts for one in some]
    return join_conditions([text for text, _ in parts], operator), parameters
