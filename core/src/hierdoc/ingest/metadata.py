"""Each document's metadata, of the declared fields: from the document itself, a sidecar file beside it, and a program.

A sidecar file is called as its document and `.meta.yaml`, `.meta.yml` or `.meta.json`. A program's values stand above a sidecar's, and
those above the document's own. What cannot be read is noted and left out; all else stays.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hierdoc.errors import HierdocError, SourceError
from hierdoc.ingest.sources import SIDECAR_SUFFIXES, SourceFile, read
from hierdoc.metadata import normal_name, read_value
from hierdoc.models import Document, MetadataType, MetadataValue, Source
from hierdoc.plugin.decoding import FRONT_MATTER_LIMIT, written_front_matter, written_values

MetadataCallback = Callable[[Source], Mapping[str, Any] | None]
"""Gives the fields of a file, or None; called for every file at every ingest, in a thread of its own."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Values by declared name, and what could not be read."""

    values: Mapping[str, MetadataValue] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __bytes__(self) -> bytes:
        """The same for the same fields."""
        if not self.values and not self.notes:
            return b""
        return repr((sorted(self.values.items()), self.notes)).encode("utf-8", "surrogatepass")

    def __or__(self, other: Fields) -> Fields:
        return Fields({**self.values, **other.values}, self.notes + other.notes)


class MetadataReader:
    """Reads what is declared.

    Args:
        declared: The fields with their types.
        callback: The program's.
    """

    def __init__(
        self, declared: Mapping[str, MetadataType], callback: MetadataCallback | None = None
    ) -> None:
        self._declared = declared
        self._names = {normal_name(name): name for name in declared}
        self._callback = callback

    def beside(self, file: SourceFile, source: Source) -> Fields:
        """What does not stand in the file itself.

        Raises:
            SourceError: The callback raised, or gave no mapping.
        """
        if not self._declared:
            return Fields()
        found = self._sidecar(file)
        return found if self._callback is None else found | self._called(self._callback, source)

    def of(self, document: Document, beside: Fields) -> Fields:
        """All fields of a document."""
        if not self._declared:
            return Fields()
        try:
            written = written_front_matter(document.text)
        except ValueError as error:
            problem = f"the front matter cannot be read, its fields are left out: {error}"
            return Fields({}, (problem,)) | beside
        return self._typed({**document.metadata, **written}, "") | beside

    def _sidecar(self, file: SourceFile) -> Fields:
        found = Fields()
        for suffix in SIDECAR_SUFFIXES:
            path = Path(f"{file.path}{suffix}")
            if os.path.lexists(path):
                found |= self._read(replace(file, name=f"{file.name}{suffix}", path=path), suffix)
        return found

    def _read(self, sidecar: SourceFile, suffix: str) -> Fields:
        name = sidecar.path.name
        if not os.path.isdir(sidecar.root):  # the document was named alone
            sidecar = replace(sidecar, root=Path(os.path.realpath(sidecar.path.parent)))
        try:
            text = read(sidecar, FRONT_MATTER_LIMIT).data.decode("utf-8-sig")
            written = _json_values(text) if suffix.endswith(".json") else written_values(text)
        except (HierdocError, ValueError) as error:
            reason = str(error).removeprefix(f"{sidecar.name}: ")
            if isinstance(error, UnicodeDecodeError):
                reason = "it is not UTF-8 text"
            return Fields({}, (f"{name} cannot be read, its fields are left out: {reason}",))
        return self._typed(written, f"{name}: ")

    def _called(self, callback: MetadataCallback, source: Source) -> Fields:
        try:
            given = callback(source)
        except Exception as error:  # reported for this document; the others go on
            raise SourceError(
                f"the metadata callback raised {type(error).__name__}: {error}",
                hint="What the index held of the document, it still holds.",
            ) from error
        if given is not None and not isinstance(given, Mapping):
            raise SourceError(
                f"the metadata callback gave no mapping but {type(given).__name__}",
                hint="It gives a mapping of fields to values, or None.",
            )
        return self._typed(given or {}, "the metadata callback: ")

    def _typed(self, given: Mapping[Any, Any], place: str) -> Fields:
        values: dict[str, MetadataValue] = {}
        notes: list[str] = []
        for key, raw in given.items():
            name = self._names.get(normal_name(str(key)[:200]))
            if name is None:
                continue
            try:
                value = read_value(raw, self._declared[name])
            except ValueError as error:
                shown = repr(raw if not isinstance(raw, str) else raw[:80])[:100]
                notes.append(f"{place}{name}: {shown} is not {error}; the field is left out")
            else:
                if value is not None:
                    values[name] = value
        return Fields(values, tuple(notes))


def _json_values(text: str) -> dict[str, Any]:
    """What JSON says, numbers as they are written.

    Raises:
        ValueError: It is no mapping in JSON.
    """
    try:
        values = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON in line {error.lineno}: {error.msg}") from None
    if not isinstance(values, dict):
        raise ValueError("it is no mapping of fields to values")
    return values
