"""Checksums of a table's files, kept beside it: LanceDB would read altered files without a word.

TABLE.lance/...      its files; LanceDB writes each under another name, renames it, and never changes it
TABLE.checksums      the CRC-32 of what stands after the first line; JSON with the CRC-32 of each file by its path
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from zlib import crc32

_FINAL = (".arrow", ".bin", ".lance", ".manifest")
"""How files end that searches depend on."""

_INDEXES = "_indices"
_AT_ONCE = 1 << 20


class Seal:
    """What is known of the files of a table.

    Args:
        table: Their folder.
    """

    def __init__(self, table: Path) -> None:
        self._table = table
        self._file = table.with_suffix(".checksums")

    def note(self, anew: Collection[str] = ()) -> None:
        """Note the checksums of files that are new, and forget files that are gone.

        Args:
            anew: Paths of files to be taken as they are now.
        """
        known = self._noted()
        found = {}
        for path in self._paths():
            try:
                is_known = path in known and path not in anew
                found[path] = known[path] if is_known else _checksum(self._table / path)
            except FileNotFoundError:  # another process has tidied up
                continue
        if found == known:
            return
        text = json.dumps(found).encode()
        aside = self._file.with_suffix(f".{os.getpid()}.tmp")
        aside.write_bytes(b"%d\n%b" % (crc32(text), text))
        aside.replace(self._file)

    def forget(self) -> bool:
        """Forget all files, which are about to be removed; whether anything was known of them."""
        was_known = self._file.exists()
        self._file.unlink(missing_ok=True)
        return was_known

    def altered(self) -> list[str]:
        """Paths of files that are not what was noted: reads all, some 2 GB a second.

        Files of which nothing is known, because a process was killed before it noted them, pass. Files that are gone are
        LanceDB's to report: another process may have tidied up.
        """
        altered = {}
        for path, wanted in self._noted().items():
            try:
                found = _checksum(self._table / path)
            except FileNotFoundError:
                continue
            if found != wanted:
                altered[path] = wanted
        # Else another process has dropped the table meanwhile and made one with the same paths.
        still = self._noted() if altered else {}
        return [path for path, wanted in altered.items() if still.get(path) == wanted]

    def _noted(self) -> dict[str, int]:
        """By path; nothing where the checksums themselves are damaged."""
        try:
            checksum, _, text = self._file.read_bytes().partition(b"\n")
        except FileNotFoundError:
            return {}
        if checksum != b"%d" % crc32(text):
            return {}
        noted: dict[str, int] = json.loads(text)
        return noted

    def _paths(self) -> Iterator[str]:
        for folder, _, names in os.walk(self._table):
            for name in names:
                if name.endswith(_FINAL):
                    yield (Path(folder) / name).relative_to(self._table).as_posix()


def is_derived(path: str) -> bool:
    """Whether a file belongs to an index of LanceDB's, which can be made anew from the records."""
    return path.startswith(f"{_INDEXES}/")


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while part := file.read(_AT_ONCE):
            checksum = crc32(part, checksum)
    return checksum
