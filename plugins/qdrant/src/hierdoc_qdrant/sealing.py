"""What Qdrant's files held when they were closed: it would search altered vectors without a word."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

from hierdoc import IndexDamagedError
from hierdoc.plugin import REBUILD

_BLOCK = 1 << 16
_EMPTY = bytes(_BLOCK)


def seal(folder: Path, file: Path) -> None:
    """Note the checksums of all files below a folder that nobody has open.

    Args:
        folder: Whose files.
        file: Where to note them; not below the folder.
    """
    new = file.with_suffix(".new")
    new.write_text(json.dumps(dict(_checksums(folder))), "utf-8")
    new.replace(file)


def unseal(folder: Path, file: Path) -> None:
    """Compare the files with what was noted, if it was, and forget that, for they are about to change.

    A process that is killed notes nothing: then nothing is compared.

    Raises:
        IndexDamagedError: They are not what was closed.
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
            f"{folder.parent} is damaged: {altered[0]} is not what was written", hint=REBUILD
        )
    file.unlink()


def _checksums(folder: Path) -> Iterator[tuple[str, int]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            with file.open("rb") as opened:
                yield str(file.relative_to(folder)), _checksum(opened)


def _checksum(file: BinaryIO) -> int:
    """Of what is not zero, and where it stands: Qdrant makes files of many megabytes that are all but empty."""
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
