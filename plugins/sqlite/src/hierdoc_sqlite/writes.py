"""Changes to the tables of `schema`; each function runs within one transaction of its caller."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from hierdoc.plugin import Record
from hierdoc_sqlite.cache import last_change
from hierdoc_sqlite.filters import encode
from hierdoc_sqlite.rows import DocumentKey, delete_rows, document_key, insert_records

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def write_records(
    connection: sqlite3.Connection,
    records: Sequence[Record],
    vectors: NDArray[np.float32],
    replaced: Collection[str] = (),
) -> None:
    """Write records, each with an id of its own; those in the database with the same ids give way.

    Args:
        connection: Within a transaction.
        records: What to write.
        vectors: float32 of shape [len(records), dimensions], of length 1 or 0.
        replaced: Documents all of whose records give way too.
    """
    change = last_change(connection) + 1
    old = _rows(connection, "id = ?", (record.id for record in records))
    old |= _rows(connection, _OF_SOURCE, replaced)
    _free(connection, sorted(old), change)
    numbers: dict[DocumentKey, int] = {}
    documents = []
    for record in records:
        key = document_key(record)
        if key not in numbers:
            numbers[key] = _document(connection, key)
        documents.append(numbers[key])
    rows = _take_rows(connection, len(records))
    insert_records(connection, records, vectors, rows, documents, change)
    _settle(connection, numbers.values())


def delete_sources(connection: sqlite3.Connection, sources: Iterable[str]) -> None:
    """Delete all records of these documents; unknown ones are no error."""
    rows = _rows(connection, _OF_SOURCE, sources)
    _free(connection, sorted(rows), last_change(connection) + 1)


_OF_SOURCE = "document IN (SELECT document FROM documents WHERE source = ?)"


def _rows(connection: sqlite3.Connection, where: str, values: Iterable[str]) -> set[int]:
    statement = f"SELECT row FROM chunks WHERE {where}"  # noqa: S608 - fixed conditions
    return {row for value in values for (row,) in connection.execute(statement, (encode(value),))}


def _free(connection: sqlite3.Connection, rows: Sequence[int], change: int) -> None:
    """Delete what stands in these rows and note them as free."""
    documents = {
        document
        for row in rows
        for (document,) in connection.execute("SELECT document FROM chunks WHERE row = ?", (row,))
    }
    delete_rows(connection, rows)
    connection.executemany("INSERT INTO freed VALUES (?, ?)", [(row, change) for row in rows])
    _settle(connection, documents)


def _take_rows(connection: sqlite3.Connection, count: int) -> list[int]:
    """Numbers of rows to write to: free ones first, then new ones."""
    highest = "SELECT max(coalesce((SELECT max(row) FROM chunks), -1), coalesce((SELECT max(row) FROM freed), -1))"
    end = connection.execute(highest).fetchone()[0] + 1
    free = connection.execute("SELECT row FROM freed ORDER BY row LIMIT ?", (count,)).fetchall()
    connection.executemany("DELETE FROM freed WHERE row = ?", free)
    rows = [row for (row,) in free]
    return rows + list(range(end, end + count - len(rows)))


def _document(connection: sqlite3.Connection, key: DocumentKey) -> int:
    """The row of a document, made if there is none."""
    same = """
        SELECT document FROM documents
        WHERE source = ? AND title = ? AND language IS ? AND content_hash = ? AND fingerprint = ? AND records = ?
    """
    found = connection.execute(same, key).fetchone()
    if found is None:
        insert = """
            INSERT INTO documents (source, title, language, content_hash, fingerprint, records, held)
            VALUES (?, ?, ?, ?, ?, ?, 0)
        """
        return connection.execute(insert, key).lastrowid or 0
    return int(found[0])


def _settle(connection: sqlite3.Connection, documents: Iterable[int]) -> None:
    """Count anew what these documents hold, and forget those that hold nothing."""
    numbers = [(document,) for document in documents]
    count = "SELECT count(*) FROM chunks WHERE chunks.document = documents.document"
    connection.executemany(
        f"UPDATE documents SET held = ({count}) WHERE document = ?",  # noqa: S608 - fixed
        numbers,
    )
    connection.executemany("DELETE FROM documents WHERE document = ? AND held = 0", numbers)
