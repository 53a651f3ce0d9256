"""The files in a ZIP archive, never more of them than an honest document holds: counted while they are unpacked."""

from __future__ import annotations

import io
import zipfile
import zlib

from lxml import etree

from hierdoc import ConversionError, Source
from hierdoc_xml.parsing import parse

MOST_UNPACKED = 1 << 28
"""Bytes that are unpacked of one archive; one with more is refused."""

MOST_OF_ENTRY = 1 << 26
"""Bytes that are unpacked of one file in it."""

_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError),
    *(ValueError, KeyError),
)
"""What zipfile raises for archives that are damaged, encrypted or packed in an odd way."""


class Archive:
    """An archive.

    Args:
        source: The file.

    Raises:
        ConversionError: It is damaged, or no archive.
    """

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self._left = MOST_UNPACKED
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(source.data))
        except _DAMAGED as error:
            raise self._damaged(source.suffix) from error
        self._suffix = source.suffix
        self._names = frozenset(self._zip.namelist())

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def read(self, name: str) -> bytes:
        """A file in it.

        Raises:
            ConversionError: It is missing or damaged, or unpacks to more than the limit.
        """
        limit = min(MOST_OF_ENTRY, self._left)
        try:
            with self._zip.open(name) as stream:
                data = stream.read(limit + 1)
        except _DAMAGED as error:
            raise self._damaged(self._suffix) from error
        if len(data) > limit:
            raise ConversionError(
                f"{self.name}: unpacks to more than the limit: {MOST_OF_ENTRY >> 20:,} MiB for a file in it,"
                f" {MOST_UNPACKED >> 20:,} MiB for all"
            )
        self._left -= len(data)
        return data

    def parse(self, name: str) -> etree._Element:
        """The root of an XML file in it; raises as `read` does, and where it is no well-formed XML."""
        return parse(self.read(name), f"{self.name}: {name}")

    def _damaged(self, suffix: str) -> ConversionError:
        return ConversionError(f"{self.name}: is damaged, or no {suffix} file")
