"""Whether the files of a Tantivy index are what was written.

    meta.json            names the segments and what is deleted in them
    SEGMENT.SUFFIX       files of a segment; each ends in a footer: JSON with the CRC-32 of what stands before it, the length of that JSON,
    SEGMENT.NUMBER.del   and 1337, both in four bytes

Tantivy itself reads the checksums only when asked to, which its Python interface cannot, and panics over files that are damaged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from struct import unpack
from typing import Any
from zlib import crc32

_MAGIC = 1337
_AT_ONCE = 1 << 20
_LONGEST_FOOTER = 50_000


def require_sound(folder: Path) -> None:
    """Compare the files of the last commit with their checksums: some 2 GB a second.

    Raises:
        ValueError: One is damaged or missing.
    """
    while True:
        meta = _meta(folder)
        try:
            for file in list(_files(folder, json.loads(meta))):
                _require_checksum(file)
            return
        except FileNotFoundError as error:
            if _meta(folder) == meta:  # else another process has merged segments meanwhile
                raise ValueError(f"{error.filename} is missing") from error


def count_deleted(folder: Path) -> int:
    """How many records of the last commit are deleted and not yet gone from the segments."""
    segments = json.loads(_meta(folder))["segments"]
    return sum((segment["deletes"] or {}).get("num_deleted_docs", 0) for segment in segments)


def _meta(folder: Path) -> bytes:
    return (folder / "meta.json").read_bytes()


def _files(folder: Path, meta: dict[str, Any]) -> Iterator[Path]:
    try:
        deletes = {
            segment["segment_id"].replace("-", ""): segment["deletes"]
            for segment in meta["segments"]
        }
        found = set()
        for file in folder.iterdir():
            name, *number, suffix = file.name.split(".")
            if name in deletes and not number:
                found.add(name)
                yield folder / f"{name}.{suffix}"
        if missing := deletes.keys() - found:
            raise FileNotFoundError(2, "No such file", min(missing))
        for name, deleted in deletes.items():
            if deleted:
                yield folder / f"{name}.{deleted['opstamp']}.del"
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError("meta.json is damaged") from error


def _require_checksum(file: Path) -> None:
    with file.open("rb") as stream:
        end = stream.seek(0, 2) - 8
        stream.seek(max(end, 0))
        tail = stream.read()
        length, magic = unpack("<II", tail) if len(tail) == 8 else (0, 0)
        if magic != _MAGIC or not 0 < length <= min(end, _LONGEST_FOOTER):
            raise ValueError(f"{file.name} has no footer")
        stream.seek(end - length)
        try:
            wanted = json.loads(stream.read(length))["crc"]
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"{file.name} has no checksum") from None
        stream.seek(0)
        checksum, left = 0, end - length
        while part := stream.read(min(left, _AT_ONCE)):
            checksum, left = crc32(part, checksum), left - len(part)
        if checksum != wanted:
            raise ValueError(f"{file.name} is not what was written")
