"""Records that were read lately, kept as long as the database stays the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from hierdoc.plugin import Record
from hierdoc_sqlite.filters import encode
from hierdoc_sqlite.rows import select_numbered

_MOST = 2_048
"""Records that are kept: some ten megabytes."""


class RecordCache:
    """Reads records; the methods take the one connection to read with, within a transaction."""

    def __init__(self) -> None:
        self._version = -1
        self._records: dict[int, Record] = {}

    def by_rows(self, connection: sqlite3.Connection, rows: Sequence[int]) -> list[Record]:
        """The records in these rows of `chunks`, in this order."""
        version = connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version or len(self._records) > _MOST:
            self._records = {}
            self._version = version
        unknown = [row for row in rows if row not in self._records]
        if unknown:
            self._records |= select_numbered(connection, "row", unknown)
        return [self._records[row] for row in rows]

    def by_ids(self, connection: sqlite3.Connection, ids: Sequence[str]) -> list[Record]:
        """The records with these ids, in this order, unknown ones left out."""
        marks = ", ".join("?" * len(ids))
        statement = f"SELECT id, row FROM chunks WHERE id IN ({marks})"  # noqa: S608 - values are parameters
        rows = dict(connection.execute(statement, [encode(one) for one in ids]))
        return self.by_rows(connection, [rows[key] for key in map(encode, ids) if key in rows])
