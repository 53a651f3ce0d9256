"""What was paid for, on disk: a table of keys and values that processes share. It may be lost at any time and costs nothing but money."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hierdoc.plugin import Worker, make_private_folder

logger = logging.getLogger("hierdoc")

_AT_ONCE = 500
"""Keys of one query."""

_PATIENCE, _PAUSE = 30.0, 0.02
"""Seconds to wait for another process, and between two attempts."""


class DiskCache:
    """One file. Where it cannot be read or written, that is logged once and nothing is found in it.

    Args:
        file: Of SQLite; made at the first use, its folder too, for the owner alone.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._worker = Worker("hierdoc-cache")
        self._connection: sqlite3.Connection | None = None
        self._failed = False

    async def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The values of those keys that it holds."""
        if self._failed or not keys:
            return {}
        return await self._worker.run(lambda: self._get(keys))

    async def put(self, values: Mapping[str, bytes]) -> None:
        """Keep values, also where the process ends right after."""
        if not self._failed and values:
            await self._worker.run(lambda: self._put(values))

    async def aclose(self) -> None:
        """Close the file."""
        await self._worker.aclose(self._close)

    def _get(self, keys: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        try:
            connection = self._open()
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, value FROM cache WHERE key IN ({marks})"  # noqa: S608
                found.update(connection.execute(query, some))
        except (OSError, sqlite3.Error) as error:
            self._fail(error)
        return found

    def _put(self, values: Mapping[str, bytes]) -> None:
        try:
            with self._open() as connection:
                connection.executemany("INSERT OR REPLACE INTO cache VALUES (?, ?)", values.items())
        except (OSError, sqlite3.Error) as error:
            self._fail(error)

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            make_private_folder(self._file.parent)
            connection = sqlite3.connect(self._file, timeout=_PATIENCE, check_same_thread=False)
            _write_ahead(connection)
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS cache (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID"
            )
            self._connection = connection
        return self._connection

    def _fail(self, error: Exception) -> None:
        self._failed = True
        logger.warning("%s cannot be used, so nothing is kept: %s", self._file, error)
        self._close()

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Let readers and a writer pass each other. At this alone SQLite does not wait for others that do the same."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(_PAUSE)


def cache_key(*parts: Any) -> str:
    """A digest of what decides an answer.

    Args:
        parts: Anything that JSON can say.
    """
    text = json.dumps(parts, sort_keys=True)  # in ASCII, lone surrogates too
    return hashlib.blake2b(text.encode(), digest_size=20).hexdigest()
