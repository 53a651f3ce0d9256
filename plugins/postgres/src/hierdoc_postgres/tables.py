"""The tables of an index: their names, how they are made, and how it is told for what.

    hierdoc_KIND_manifest   one row: what the index is made for, and totals; locked by who writes
    hierdoc_KIND_chunks     one row per record
    hierdoc_KIND_postings   one row per record and term

KIND is `vector` or `keyword`; the schema is the configured collection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from psycopg import sql

from hierdoc.plugin import require_manifest
from hierdoc_postgres.database import Connection

SCHEMA_VERSION = 2
"""Raised with every change of the tables or of what stands in them."""

_PREPARING = 0x68646F63
"""The advisory lock that keeps several processes from making tables at once."""

_MANIFEST = """
    CREATE TABLE {manifest} (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        made_for jsonb NOT NULL,
        next_row bigint NOT NULL DEFAULT 0,
        chunks bigint NOT NULL DEFAULT 0,
        words bigint NOT NULL DEFAULT 0,
        variants text[] NOT NULL DEFAULT '{{}}'
    )
"""

_CHUNKS = """
    CREATE TABLE {chunks} (
        row bigint PRIMARY KEY,
        key uuid NOT NULL UNIQUE,
        document uuid NOT NULL,
        id text COLLATE "C" NOT NULL,
        source text COLLATE "C" NOT NULL,
        ordinal integer NOT NULL,
        content_hash text NOT NULL,
        fingerprint text NOT NULL,
        records integer NOT NULL,
        tags uuid[] NOT NULL,
        length integer NOT NULL,
        {own}
    )
"""

_POSTINGS = """
    CREATE TABLE {postings} (
        term bigint NOT NULL, row bigint NOT NULL, frequency integer NOT NULL, length integer NOT NULL
    )
"""

_INDEXES = (
    "CREATE INDEX ON {chunks} (document, ordinal)",
    "CREATE INDEX ON {chunks} USING gin (tags)",
    "CREATE INDEX ON {postings} (term, row) INCLUDE (frequency, length)",
    "CREATE INDEX ON {postings} (row)",
)


@dataclass(frozen=True)
class Tables:
    """The tables of one backend.

    Attributes:
        collection: The schema.
        kind: `vector` or `keyword`.
        own: Columns of `chunks` that only this kind has.
        indexes: Statements for indexes on them.
        made_for: What the index is made for; another index is refused.
    """

    collection: str
    kind: str
    own: sql.Composable
    indexes: tuple[str, ...]
    made_for: Mapping[str, Any]

    @property
    def names(self) -> dict[str, sql.Composable]:
        """The quoted names, for `sql.SQL(...).format`."""
        names: dict[str, sql.Composable] = {
            table: sql.Identifier(self.collection, f"hierdoc_{self.kind}_{table}")
            for table in ("manifest", "chunks", "postings")
        }
        return names

    def sql(self, statement: str, **more: sql.Composable) -> sql.Composed:
        """A statement of ours with the names in it."""
        return sql.SQL(statement).format(**self.names, **more)

    async def prepare(self, connection: Connection, *, reset: bool) -> None:
        """Make the tables unless they are there for the same purpose.

        Raises:
            IndexMismatchError: They are there for another one, and `reset` is false.
        """
        if not reset and await self._exists(connection):
            await self.require(connection)
            return
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_PREPARING,))
            if reset or not await self._exists(connection):  # nobody else was faster
                await self._make(connection)
        await self.require(connection)

    async def require(self, connection: Connection) -> None:
        """Raise IndexMismatchError unless the tables are made for this, by this version."""
        cursor = await connection.execute(self.sql("SELECT made_for FROM {manifest}"))
        found = await cursor.fetchone()
        require_manifest(
            found[0] if found else None,
            self.made_for,
            f"postgres, {self.collection}: the {self.kind} index",
            or_else="name another `collection`",
        )

    async def _exists(self, connection: Connection) -> bool:
        cursor = await connection.execute(
            "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = %s",
            (self.collection, f"hierdoc_{self.kind}_manifest"),
        )
        return await cursor.fetchone() is not None

    async def _make(self, connection: Connection) -> None:
        from psycopg.types.json import Jsonb

        schema = sql.Identifier(self.collection)
        cursor = await connection.execute(
            "SELECT 1 FROM pg_namespace WHERE nspname = %s", (self.collection,)
        )
        if await cursor.fetchone() is None:
            await connection.execute(sql.SQL("CREATE SCHEMA {}").format(schema))
        if self.kind == "vector":
            await connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        await connection.execute(self.sql("DROP TABLE IF EXISTS {manifest}, {chunks}, {postings}"))
        await connection.execute(self.sql(_MANIFEST))
        await connection.execute(self.sql(_CHUNKS, own=self.own))
        await connection.execute(self.sql(_POSTINGS))
        for index in (*_INDEXES, *self.indexes):
            await connection.execute(self.sql(index))
        await connection.execute(
            self.sql("INSERT INTO {manifest} (made_for) VALUES (%s)"),
            (Jsonb(dict(self.made_for)),),
        )
