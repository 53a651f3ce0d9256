"""What Chroma leaves behind in its folder: it never takes a deleted vector out of an index, nor removes the files of a deleted collection.

    chroma.sqlite3       among others the table `segments`: which index is of which collection
    SEGMENT/header.bin   of an HNSW index, 100 bytes, among them how many vectors are in it, deleted or not

Both are read as Chroma 1.0 to 1.5 write them. Where they are not found so, nothing is removed and nothing is counted.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from uuid import UUID

_HEADER = 100
_COUNT = slice(20, 28)
"""Bytes of a header, and where the count stands in it: behind a version, an offset and how many there is room for."""


def count_vectors(folder: Path, collection: UUID) -> int:
    """How many vectors the index of a collection has in its files, those of deleted entries included."""
    count = 0
    for segment, owner in _segments(folder).items():
        if owner == str(collection):
            with suppress(
                OSError
            ):  # not every segment is such an index, and a new one has no files
                header = (folder / segment / "header.bin").read_bytes()
                if len(header) == _HEADER:
                    count += int.from_bytes(header[_COUNT], "little")
    return count


def remove_orphans(folder: Path) -> None:
    """Remove the indexes of collections that are gone."""
    found = [one for one in folder.iterdir() if one.is_dir() and _is_segment(one.name)]
    if not found:
        return
    known = _segments(folder)  # read last: Chroma notes a segment before it makes its folder
    for one in found:
        if known and one.name not in known:
            shutil.rmtree(one, ignore_errors=True)


def _segments(folder: Path) -> dict[str, str]:
    """The collection of each segment; nothing where that cannot be read."""
    address = f"{(folder / 'chroma.sqlite3').absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            return dict(database.execute("SELECT id, collection FROM segments"))
    except sqlite3.Error:
        return {}


def _is_segment(name: str) -> bool:
    try:
        return str(UUID(name)) == name
    except ValueError:
        return False
