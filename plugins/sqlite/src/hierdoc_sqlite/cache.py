"""Records that were read lately, kept as long as the database stays the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from hierdoc.plugin import Record
from hierdoc_sqlite.filters import encode, marks
from hierdoc_sqlite.rows import RECORD_COLUMNS, RECORD_TABLES, record_of

_KEPT = 4_096
"""Records that are kept, and as many older ones: twenty to fifty megabytes."""

_AT_ONCE = 128
"""Ids in one statement: SQLite limits how many values it takes."""


class RecordCache:
    """Reads records; the methods take the one connection to read with, within a transaction.

    Making records costs more than all else in a search. Where too many are kept, those go that were not asked for since the last
    time that others went.
    """

    def __init__(self) -> None:
        self._version = -1
        self._recent: dict[bytes, Record] = {}
        self._older: dict[bytes, Record] = {}

    def by_conditions(
        self, connection: sqlite3.Connection, parts: Sequence[tuple[str, Sequence[object], int]]
    ) -> list[list[Record]]:
        """For each condition over `chunks`, with its parameters, the first so many records, by source and position."""
        selected = [
            f"SELECT * FROM (SELECT {number}, source, ordinal, id FROM chunks"  # noqa: S608 - values are parameters
            f" JOIN documents USING (document) WHERE {sql} ORDER BY source, ordinal, id LIMIT ?)"
            for number, (sql, _, _) in enumerate(parts)
        ]
        parameters = [one for _, some, limit in parts for one in (*some, limit)]
        rows = sorted(connection.execute(" UNION ALL ".join(selected), parameters))
        records = self._known(connection, dict.fromkeys(row[3] for row in rows))
        found: list[list[Record]] = [[] for _ in parts]
        for part, _, _, key in rows:
            found[part].append(records[key])
        return found

    def by_ids(self, connection: sqlite3.Connection, ids: Sequence[str]) -> list[Record]:
        """The records with these ids, in this order, unknown ones left out."""
        keys = [encode(one) for one in ids]
        found = self._known(connection, dict.fromkeys(keys))
        return [found[key] for key in keys if key in found]

    def _known(self, connection: sqlite3.Connection, keys: Iterable[bytes]) -> dict[bytes, Record]:
        """The records with these ids."""
        version = connection.execute("PRAGMA data_version").fetchone()[0]  # changes with the data
        if version != self._version:
            self._recent, self._older = {}, {}
            self._version = version
        elif len(self._recent) > _KEPT:
            self._recent, self._older = {}, self._recent
        recent, older = self._recent, self._older
        found: dict[bytes, Record] = {}
        missing: list[bytes] = []
        for key in keys:
            record = recent.get(key) or older.get(key)
            if record is None:
                missing.append(key)
            else:
                found[key] = record
        for start in range(0, len(missing), _AT_ONCE):
            some = missing[start : start + _AT_ONCE]
            chosen, values = marks(some)
            statement = (
                f"SELECT {RECORD_COLUMNS} FROM chunks {RECORD_TABLES} WHERE chunks.id IN ({chosen})"  # noqa: S608 - values are parameters
            )
            found |= {row[0]: record_of(row) for row in connection.execute(statement, values)}
        recent |= found
        return found
