"""The vectors of a database, in memory and kept up to date with it."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hierdoc import Filter, IndexDamagedError, IndexMismatchError, Match
from hierdoc.plugin import REBUILD
from hierdoc.plugin.vectors import VectorMatrix
from hierdoc.plugin.worker import Later
from hierdoc_sqlite.cache import data_version
from hierdoc_sqlite.filters import condition, decode
from hierdoc_sqlite.rows import vectors_of
from hierdoc_sqlite.schema import Manifest, read_manifest

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SMALL = 12_000_000
"""Numbers in a matrix that hasty work may go through: about a millisecond, less than a busy machine takes to change threads twice."""

_BATCH = 500
"""Vectors read at a time."""

_REMEMBERED = 8
"""Filters whose rows are remembered until something changes."""


class VectorCache:
    """Searches the vectors of a database.

    All are read at the first search, later only those that changed since. A search has two steps: `current` takes the one
    connection to read with, within a transaction, and `scan`, which takes long where there are many vectors, leaves it to others.
    What `current` found is of one state of the database, and `scan` refuses it once the vectors are of another.

    Args:
        path: Of the database, for messages.
        manifest: What the index was made for.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self._path = path
        self._manifest = manifest
        self._matrix: VectorMatrix | None = None
        self._version = -1
        self._change = 0
        self._rows: dict[Filter, NDArray[np.int64]] = {}
        self._state = 0
        self._scanning = threading.Lock()

    def current(
        self, connection: sqlite3.Connection, filter: Filter | None, *, hasty: bool = False
    ) -> tuple[int, NDArray[np.int64] | None]:
        """Bring the vectors up to date.

        Args:
            connection: Within a transaction.
            filter: Which records to consider.
            hasty: Raise `Later` rather than read vectors.

        Returns:
            The state that they are in, and the rows that the filter selects; None for all.
        """
        version = data_version(connection)
        if self._matrix is None or version != self._version:
            if hasty:
                raise Later
            with self._scanning:
                self._state += 1
                self._refresh(connection)
            self._version = version
        return self._state, None if filter is None else self._selected(connection, filter)

    def known(
        self, connection: sqlite3.Connection, filter: Filter | None
    ) -> tuple[int, NDArray[np.int64] | None] | None:
        """What `current` gives, if nothing has changed and the filter's rows are remembered; takes no transaction."""
        if self._matrix is None or data_version(connection) != self._version:
            return None
        if filter is None:
            return self._state, None
        rows = self._rows.get(filter)
        return None if rows is None else (self._state, rows)

    def scan(
        self,
        state: int,
        rows: NDArray[np.int64] | None,
        query: NDArray[np.float32],
        limit: int,
        *,
        hasty: bool = False,
    ) -> list[Match] | None:
        """The `limit` best chunks by cosine, best first, ties by chunk id; None where the vectors are in another state by now.

        Args:
            state: Of `current`.
            rows: Of `current`.
            query: float32 of shape [dimensions], of length 1 or 0.
            limit: How many.
            hasty: Raise `Later` rather than do what takes long.
        """
        if not self._scanning.acquire(blocking=not hasty):
            raise Later
        try:
            if self._matrix is None or state != self._state:
                return None
            if hasty and len(self._matrix) * self._matrix.dimensions > _SMALL:
                raise Later
            return self._matrix.search(query, limit, rows)
        finally:
            self._scanning.release()

    def _selected(self, connection: sqlite3.Connection, filter: Filter) -> NDArray[np.int64]:
        if filter not in self._rows:
            sql, parameters = condition(filter)
            found = connection.execute(f"SELECT row FROM chunks WHERE {sql}", parameters)  # noqa: S608
            while len(self._rows) >= _REMEMBERED:
                del self._rows[next(iter(self._rows))]
            self._rows[filter] = np.fromiter((row for (row,) in found), np.int64)
        return self._rows[filter]

    def _refresh(self, connection: sqlite3.Connection) -> None:
        matrix, self._matrix = self._matrix, None  # what is half done is done anew
        self._rows.clear()
        manifest = read_manifest(connection)
        if manifest.spec != self._manifest.spec:
            raise IndexMismatchError(
                f"{self._path} was made anew by another process with the embedder {manifest.spec.embedder!r}",
                hint="Open the index again with that embedder.",
            )
        if matrix is None or manifest.generation != self._manifest.generation:
            self._manifest = manifest
            self._change = 0
            (end,) = connection.execute("SELECT max(row) FROM chunks").fetchone()
            self._require_dense(connection, end)
            matrix = VectorMatrix(manifest.spec.dimensions, 0 if end is None else end + 1)
        self._read_changes(connection, matrix)
        (held,) = connection.execute("SELECT coalesce(sum(held), 0) FROM documents").fetchone()
        if len(matrix) != held:  # some have fallen out of an index of the database
            raise IndexDamagedError(
                f"{self._path} is damaged: {held} vectors should be in it, and {len(matrix)} are",
                hint=REBUILD,
            )
        self._matrix = matrix

    def _require_dense(self, connection: sqlite3.Connection, end: int | None) -> None:
        """Every number up to the last is used or free; damage would ask for memory without bounds."""
        count = "SELECT (SELECT count(*) FROM chunks) + (SELECT count(*) FROM freed)"
        if end is not None and not 0 <= end < connection.execute(count).fetchone()[0]:
            raise IndexDamagedError(f"{self._path} is damaged: there is no row {end}", hint=REBUILD)

    def _read_changes(self, connection: sqlite3.Connection, matrix: VectorMatrix) -> None:
        last = self._change
        freed = connection.execute("SELECT row, change FROM freed WHERE change > ?", (last,))
        dropped = freed.fetchall()
        matrix.drop([row for row, _ in dropped])
        changed = connection.execute(
            """
            SELECT row, change, id, vector, checksum FROM chunks JOIN vectors USING (row) WHERE change > ?
            """,
            (last,),
        )
        self._change = max((change for _, change in dropped), default=last)
        while batch := changed.fetchmany(_BATCH):
            rows, changes, ids, blobs, checksums = zip(*batch, strict=True)
            try:
                matrix.put(
                    rows, [decode(chunk_id) for chunk_id in ids], vectors_of(blobs, checksums)
                )
            except ValueError as error:
                raise IndexDamagedError(
                    f"{self._path} is damaged: vectors cannot be read: {error}",
                    hint=REBUILD,
                ) from error
            self._change = max(self._change, *changes)
