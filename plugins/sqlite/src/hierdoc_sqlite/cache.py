"""Records that were read lately, kept as long as the database stays the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from hierdoc.plugin import Record
from hierdoc_sqlite.filters import encode
from hierdoc_sqlite.rows import RECORD_COLUMNS, RECORD_TABLES, record_of

_MOST = 2_048
"""Records that are kept: some ten megabytes."""

_AT_ONCE = 100
"""Ids in one statement: SQLite limits how many values it takes."""

_VERSION = "(SELECT data_version FROM pragma_data_version)"
"""Another one after each change by another connection; asked within the statement that reads, it is of the same state, and asked once."""


class RecordCache:
    """Reads records, each call by one statement; the methods take the one connection to read with."""

    def __init__(self) -> None:
        self._version = -1
        self._records: dict[bytes, Record] = {}

    def by_conditions(
        self, connection: sqlite3.Connection, parts: Sequence[tuple[str, Sequence[object], int]]
    ) -> list[list[Record]]:
        """For each condition over `chunks`, with its parameters, the first so many records, by source and position."""
        selected = [
            f"SELECT * FROM (SELECT {number} AS part, row, source, ordinal, id FROM chunks"  # noqa: S608 - values are parameters
            f" JOIN documents USING (document) WHERE {sql} ORDER BY source, ordinal, id LIMIT ?)"
            for number, (sql, _, _) in enumerate(parts)
        ]
        statement = f"""
            SELECT {_VERSION}, part, {RECORD_COLUMNS}
            FROM ({" UNION ALL ".join(selected)}) AS selected
            JOIN chunks USING (row) {RECORD_TABLES}
            ORDER BY part, documents.source, chunks.ordinal, chunks.id
        """  # noqa: S608
        parameters = [one for _, some, limit in parts for one in (*some, limit)]
        found: list[list[Record]] = [[] for _ in parts]
        for version, part, *row in connection.execute(statement, parameters):
            found[part].append(self._known(version, row))
        return found

    def by_ids(self, connection: sqlite3.Connection, ids: Sequence[str]) -> list[Record]:
        """The records with these ids, in this order, unknown ones left out."""
        wanted = list(dict.fromkeys(ids))
        found: dict[str, Record] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            statement = f"""
                SELECT {_VERSION}, {RECORD_COLUMNS} FROM chunks {RECORD_TABLES}
                WHERE chunks.id IN ({marks})
            """  # noqa: S608 - values are parameters
            for version, *row in connection.execute(statement, [encode(one) for one in some]):
                record = self._known(version, row)
                found[record.id] = record
        return [found[one] for one in ids if one in found]

    def _known(self, version: int, row: Sequence[object]) -> Record:
        """The record of a row, made once: taking the JSON apart costs more than reading it."""
        if version != self._version or len(self._records) > _MOST:
            self._records = {}
            self._version = version
        key = row[0]
        if not isinstance(key, bytes):
            raise TypeError(f"an id of {type(key).__name__}")
        record = self._records.get(key)
        if record is None:
            record = self._records[key] = record_of(tuple(row))
        return record
