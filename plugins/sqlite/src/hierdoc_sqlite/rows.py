"""Records as rows of the tables of `schema`, and back.

What filters look at has columns of its own, so have text and context; the rest of a chunk is JSON without what is empty.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from json import JSONEncoder
from typing import TYPE_CHECKING, Any
from zlib import crc32

from hierdoc import IndexDamagedError
from hierdoc.plugin import REBUILD, Record
from hierdoc.plugin.records import read_json
from hierdoc_sqlite.filters import LISTS, decode, decode_chain, encode, encode_chain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RECORD_COLUMNS = """
    chunks.id, documents.source, title, language, content_hash, fingerprint, records, chunks.ordinal, section_id, kind, chain,
    text, context, rest, texts.checksum
"""
"""What `record_of` takes; the checksum is that of all before it."""

RECORD_TABLES = "JOIN documents USING (document) JOIN texts USING (row)"
"""Where they stand, besides `chunks`."""

_PLAIN = f"SELECT {RECORD_COLUMNS} FROM chunks {RECORD_TABLES}"  # noqa: S608 - fixed names
_WITH_VECTOR = f"SELECT {RECORD_COLUMNS}, vector, vectors.checksum FROM chunks {RECORD_TABLES} JOIN vectors USING (row)"  # noqa: S608

_COLUMNS = frozenset(
    {
        "id",
        "source",
        "title",
        "language",
        "ordinal",
        "section_id",
        "kind",
        "parent_chain",
        "text",
        "context",
    }
)
_json = JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))

DocumentKey = tuple[bytes, bytes, "bytes | None", bytes, bytes, int]
"""What chunks share: source, title, language, content hash, fingerprint, number of records."""


def select_records(
    connection: sqlite3.Connection, where: str, values: Iterable[Any], *, vectors: bool = False
) -> Iterator[Record]:
    """For each value the records for which `where`, a condition with one parameter, holds.

    Raises:
        IndexDamagedError: A row cannot be read.
    """
    statement = f"{_WITH_VECTOR if vectors else _PLAIN} WHERE {where}"
    for value in values:
        for row in connection.execute(statement, (value,)):
            yield record_of(row)


def document_key(record: Record) -> DocumentKey:
    """What the record shares with others of its document."""
    chunk, version = record.chunk, record.version
    return (
        encode(chunk.source),
        encode(chunk.title),
        None if chunk.language is None else encode(chunk.language),
        encode(version.content_hash),
        encode(version.fingerprint),
        version.records,
    )


def insert_records(
    connection: sqlite3.Connection,
    records: Sequence[Record],
    vectors: NDArray[np.float32],
    rows: Sequence[int],
    documents: Sequence[int],
    change: int,
) -> None:
    """Write records into rows that are free.

    Args:
        connection: Within a transaction.
        records: With ids that are not in the database.
        vectors: float32 of shape [len(records), dimensions].
        rows: One number for each record.
        documents: For each record the row of its document.
        change: The number of this write.
    """
    placed = list(zip(rows, records, strict=True))
    connection.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            _chunk_row(row, record, document, change)
            for (row, record), document in zip(placed, documents, strict=True)
        ),
    )
    connection.executemany(
        "INSERT INTO texts VALUES (?, ?, ?, ?, ?)",
        (_text_row(row, record) for row, record in placed),
    )
    # Neighbours in the index one after the other: a third of the time.
    listed = sorted(entry for row, record in placed for entry in _listed(row, record))
    connection.executemany("INSERT INTO listed VALUES (?, ?, ?)", listed)
    data, width = vectors.astype("<f4", copy=False).data.cast("B"), 4 * vectors.shape[1]
    blobs = [data[start : start + width] for start in range(0, len(rows) * width, width)]
    connection.executemany(
        "INSERT INTO vectors VALUES (?, ?, ?)", zip(rows, blobs, map(crc32, blobs), strict=True)
    )


def delete_rows(connection: sqlite3.Connection, rows: Sequence[int]) -> None:
    """Delete what stands in these rows, which all hold chunks."""
    for start in range(0, len(rows), 256):
        some = rows[start : start + 256]
        records = list(select_records(connection, "row = ?", some))
        connection.executemany(
            "DELETE FROM listed WHERE field = ? AND value = ? AND row = ?",
            [
                entry
                for row, record in zip(some, records, strict=True)
                for entry in _listed(row, record)
            ],
        )
        for table in ("chunks", "texts", "vectors"):
            connection.executemany(
                f"DELETE FROM {table} WHERE row = ?",  # noqa: S608 - a fixed name
                [(row,) for row in some],
            )


def vectors_of(blobs: Sequence[bytes], checksums: Sequence[int]) -> NDArray[np.float32]:
    """Stored vectors, float32 of shape [len(blobs), dimensions], to read only.

    Raises:
        ValueError: They are not what was written.
    """
    import numpy as np  # what does not look at vectors starts without

    if tuple(map(crc32, blobs)) != tuple(checksums):
        raise ValueError("a vector is not what was written")

    return (
        np.frombuffer(b"".join(blobs), "<f4").astype(np.float32, copy=False).reshape(len(blobs), -1)
    )


def _chunk_row(row: int, record: Record, document: int, change: int) -> tuple[Any, ...]:
    chunk = record.chunk
    return (
        row,
        encode(chunk.id),
        document,
        chunk.ordinal,
        None if chunk.section_id is None else encode(chunk.section_id),
        encode(chunk.kind),
        encode_chain(chunk.parent_chain),
        change,
    )


def _text_row(row: int, record: Record) -> tuple[int, bytes, bytes, bytes, int]:
    fields = record.payload()["chunk"]
    rest = {
        name: value
        for name, value in fields.items()
        if name not in _COLUMNS and value is not None and value not in ((), [], {})
    }
    chunk = record.chunk
    text = encode(chunk.text), encode(chunk.context), encode(_json.encode(rest))
    placed = _chunk_row(row, record, 0, 0)
    whole = (placed[1], *document_key(record), *placed[3:7], *text)
    return row, *text, _checksum(whole)


def _checksum(row: tuple[Any, ...]) -> int:
    """Of the values of `RECORD_COLUMNS` but the last.

    Raises:
        TypeError: A value is not of its type.
    """
    identity, source, title, language, digest, fingerprint, records, ordinal, section, *rest = row
    numbers = b"%d %d" % (records, ordinal)
    shared = identity, source, title, language or b"", digest, fingerprint, numbers, section or b""
    return crc32(b"\0".join((*shared, *rest[:5])))


def _listed(row: int, record: Record) -> set[tuple[int, bytes, int]]:
    fields = record.fields()
    return {
        (number, encode(value), row) for name, number in LISTS.items() for value in fields[name]
    }


def record_of(row: tuple[Any, ...]) -> Record:
    """The record of a row of `RECORD_COLUMNS`, and of its vector and that one's checksum behind them, if they are there.

    Raises:
        IndexDamagedError: It cannot be read, or is not what was written.
    """
    try:
        if _checksum(row) != row[14]:
            raise ValueError("it is not what was written")
        chunk = dict(read_json(row[13]))
        chunk["id"] = decode(row[0])
        chunk["source"] = decode(row[1])
        chunk["title"] = decode(row[2])
        chunk["language"] = None if row[3] is None else decode(row[3])
        chunk["ordinal"] = row[7]
        chunk["section_id"] = None if row[8] is None else decode(row[8])
        chunk["kind"] = decode(row[9])
        chunk["parent_chain"] = decode_chain(row[10])
        chunk["text"] = decode(row[11])
        chunk["context"] = decode(row[12])
        version = {
            "content_hash": decode(row[4]),
            "fingerprint": decode(row[5]),
            "records": row[6],
        }
        vector = None if len(row) == 15 else vectors_of(row[15:16], row[16:])[0].copy()
        return Record.from_payload({"chunk": chunk, "version": version}, vector)
    except (ValueError, KeyError, TypeError) as error:
        raise IndexDamagedError(
            f"the index is damaged: chunk {row[0]!r} cannot be read: {error}",
            hint=REBUILD,
        ) from error
