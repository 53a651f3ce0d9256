"""What a library's files held when they were closed, for libraries that would search altered ones without a word."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

from hierdoc.errors import IndexDamagedError
from hierdoc.plugin.records import REBUILD

_BLOCK = 1 << 16
_EMPTY = bytes(_BLOCK)


def seal(folder: Path, file: Path) -> None:
    """Note the checksums of all files below a folder that nobody has open.

    Args:
        folder: Whose files.
        file: Where to note them; not below the folder.

    Raises:
        OSError: A file cannot be read, or the disk is full.
    """
    new = file.with_suffix(".new")
    new.write_text(json.dumps(dict(_checksums(folder))), "utf-8")
    new.replace(file)


def unseal(folder: Path, file: Path) -> None:
    """Compare the files with what was noted, if it was, and forget that, for they are about to change.

    A process that is killed notes nothing: then nothing is compared. It reads all files, some 1 GB a second.

    Args:
        folder: Whose files; nobody else may open them meanwhile.
        file: Where `seal` noted their checksums.

    Raises:
        IndexDamagedError: They are not what was closed. What was noted is kept, so that the next attempt ends the same.
    """
    try:
        noted = json.loads(file.read_bytes())
    except FileNotFoundError:
        return
    except ValueError:
        noted = {}
    found = dict(_checksums(folder))
    altered = sorted(name for name in {*noted, *found} if noted.get(name) != found.get(name))
    if altered:
        raise IndexDamagedError(
            f"{folder} is damaged: {altered[0]} is not what was written", hint=REBUILD
        )
    file.unlink()


def _checksums(folder: Path) -> Iterator[tuple[str, int]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            with file.open("rb") as opened:
                yield str(file.relative_to(folder)), _checksum(opened)


def _checksum(file: BinaryIO) -> int:
    """Of what is not zero, and where it stands: some libraries make files of many megabytes that are all but empty."""
    checksum = place = 0
    end = file.seek(0, os.SEEK_END)
    while place < end:
        if hasattr(os, "SEEK_DATA"):
            with suppress(OSError):  # nothing but a hole is left, or the file system does not know
                place = os.lseek(file.fileno(), place, os.SEEK_DATA) // _BLOCK * _BLOCK
        file.seek(place)
        block = file.read(_BLOCK)
        if block != _EMPTY[: len(block)]:
            checksum = crc32(block, crc32(place.to_bytes(8, "little"), checksum))
        place += _BLOCK
    return crc32(end.to_bytes(8, "little"), checksum)
