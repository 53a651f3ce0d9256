"""Records that were read lately, each kept until it is written again or deleted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from hierdoc.plugin import DocumentState, DocumentVersion, Record, document_states
from hierdoc_sqlite.filters import decode, encode, marks
from hierdoc_sqlite.rows import RECORD_COLUMNS, RECORD_TABLES, record_of
from hierdoc_sqlite.schema import read_manifest

_KEPT = 4_096
"""Records that are kept, and as many older ones: twenty to fifty megabytes."""

_AT_ONCE = 128
"""Ids in one statement: SQLite limits how many values it takes."""

_FEW_CHANGES = 4_096
"""Changed rows up to which those records are sought out that are not what they were; beyond, all are forgotten."""

_Kept = tuple[Record | None, int]
"""What is remembered under an id: its record and that one's row; None and -1 for an id that no record has."""


class RecordCache:
    """Reads records; the methods take the one connection to read with, within a transaction if they do not say otherwise.

    Making records costs more than all else in a search. Where too many are kept, those go that were not asked for since the last
    time that others went.
    """

    def __init__(self) -> None:
        self._version = -1
        self._change = 0
        self._generation = ""
        self._recent: dict[str, _Kept] = {}
        self._older: dict[str, _Kept] = {}
        self._count: int | None = None
        self._documents: Mapping[str, DocumentState] | None = None

    def remembered(self, connection: sqlite3.Connection, ids: Sequence[str]) -> list[Record] | None:
        """What `by_ids` gives, if all of it is known and the database is the same; takes no transaction."""
        if data_version(connection) != self._version:
            return None
        try:
            found = [self._recalled(key) for key in ids]
        except KeyError:
            return None
        return [record for record in found if record is not None]

    def _recalled(self, key: str) -> Record | None:
        """What is remembered under an id, which from now on counts as used: None for one that no record has.

        Raises:
            KeyError: Nothing is.
        """
        if key not in self._recent:
            self._recent[key] = self._older[key]
        return self._recent[key][0]

    def count(self, connection: sqlite3.Connection) -> int:
        """The number of records."""
        self._follow(connection)
        if self._count is None:
            counted = connection.execute("SELECT coalesce(sum(held), 0) FROM documents")
            self._count = int(counted.fetchone()[0])
        return self._count

    def remembered_count(self, connection: sqlite3.Connection) -> int | None:
        """What `count` gives, if it is known and the database is the same; takes no transaction."""
        return self._count if data_version(connection) == self._version else None

    def documents(self, connection: sqlite3.Connection) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        self._follow(connection)
        if self._documents is None:
            statement = "SELECT source, content_hash, fingerprint, records, held FROM documents"
            self._documents = document_states(
                (
                    decode(source),
                    DocumentVersion(decode(digest), decode(fingerprint), records),
                    held,
                )
                for source, digest, fingerprint, records, held in connection.execute(statement)
            )
        return self._documents

    def remembered_documents(
        self, connection: sqlite3.Connection
    ) -> Mapping[str, DocumentState] | None:
        """What `documents` gives, if it is known and the database is the same; takes no transaction."""
        return self._documents if data_version(connection) == self._version else None

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
        ids = [decode(row[3]) for row in rows]
        records = self._known(connection, dict.fromkeys(ids))
        found: list[list[Record]] = [[] for _ in parts]
        for row, key in zip(rows, ids, strict=True):
            found[row[0]].append(records[key])
        return found

    def by_ids(self, connection: sqlite3.Connection, ids: Sequence[str]) -> list[Record]:
        """The records with these ids, in this order, unknown ones left out."""
        found = self._known(connection, dict.fromkeys(ids))
        return [found[key] for key in ids if key in found]

    def _known(self, connection: sqlite3.Connection, keys: Iterable[str]) -> dict[str, Record]:
        """The records with these ids."""
        self._follow(connection)
        found: dict[str, Record] = {}
        missing: list[str] = []
        for key in keys:
            try:
                record = self._recalled(key)
            except KeyError:
                missing.append(key)
                continue
            if record is not None:
                found[key] = record
        for start in range(0, len(missing), _AT_ONCE):
            some = missing[start : start + _AT_ONCE]
            chosen, values = marks([encode(key) for key in some])
            statement = f"SELECT chunks.row, {RECORD_COLUMNS} FROM chunks {RECORD_TABLES} WHERE chunks.id IN ({chosen})"  # noqa: S608 - values are parameters
            rows = connection.execute(statement, values)
            read = {one.id: (one, number) for number, *row in rows for one in [record_of(row)]}
            self._recent |= {key: read.get(key, _UNKNOWN) for key in some}
            found |= {key: record for key, (record, _) in read.items()}
        return found

    def _follow(self, connection: sqlite3.Connection) -> None:
        """Forget what the database no longer holds, and what was not asked for lately where too much is kept."""
        version = data_version(connection)
        if version != self._version:
            self._count = self._documents = None
            self._forget_changed(connection)
            self._version = version
        elif len(self._recent) > _KEPT:
            self._recent, self._older = {}, self._recent

    def _forget_changed(self, connection: sqlite3.Connection) -> None:
        """Forget what was written or deleted since the last time; an ingest writes again and again, and elsewhere mostly."""
        since, generation = self._change, self._generation
        self._generation = read_manifest(connection).generation
        written = connection.execute(_WRITTEN, (since, _FEW_CHANGES)).fetchall()
        freed = connection.execute(_FREED, (since, _FEW_CHANGES)).fetchall()
        changes = [change for *_, change in (*written, *freed)]
        if self._generation != generation or len(changes) >= _FEW_CHANGES:
            self._recent, self._older = {}, {}
            self._change = last_change(connection)
            return
        self._change = max(changes, default=since)
        rows = {row for row, *_ in (*written, *freed)}  # also of what stood there before
        ids = {decode(key) for _, key, _ in written}
        for kept in (self._recent, self._older):
            for key in [key for key, (_, row) in kept.items() if row in rows or key in ids]:
                del kept[key]


_UNKNOWN: _Kept = (None, -1)
_WRITTEN = "SELECT row, id, change FROM chunks WHERE change > ? LIMIT ?"
_FREED = "SELECT row, change FROM freed WHERE change > ? LIMIT ?"


def last_change(connection: sqlite3.Connection) -> int:
    """The highest number of a write to the database."""
    last = """
        SELECT max(coalesce((SELECT max(change) FROM chunks), 0), coalesce((SELECT max(change) FROM freed), 0))
    """
    return int(connection.execute(last).fetchone()[0])


def data_version(connection: sqlite3.Connection) -> int:
    """A number that changes whenever another connection has written."""
    version: int = connection.execute("PRAGMA data_version").fetchone()[0]
    return version
