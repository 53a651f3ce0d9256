"""What stores hold: records, each a chunk with the version of its document and, for vector backends, its vector."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from hierdoc.errors import StoreError
from hierdoc.filters import METADATA
from hierdoc.metadata import metadata_entries
from hierdoc.models import Box, Chunk, Definition, MetadataValue, Reference, Section, Version
from hierdoc.quick import quick

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


TEXT_FIELDS: Mapping[str, int] = {"name": 1, "context": 2, "text": 1}
"""The fields of a record that are searched by keyword, and how often a word in each of them counts.

The weighted occurrences of a word are added up before they saturate, as in BM25F (Robertson, Zaragoza and Taylor, "Simple BM25
Extension to Multiple Weighted Fields", CIKM 2004).
"""

REBUILD = "Build the index anew with `hierdoc ingest --force`."
"""The way out of an index that is damaged or was made for something else: the hint of such errors."""


UNFINISHED = "\0unfinished"
"""Id and source, which no file can have, of the record that stands in a store while an ingest leaves gaps there."""


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """Which version of a document a record belongs to; the same on all its records.

    Attributes:
        content_hash: Of the file's bytes, and of the metadata that came beside it.
        fingerprint: Of the pipeline that made the record.
        records: How many records the document has: with fewer in the store it is incomplete.
    """

    content_hash: str
    fingerprint: str
    records: int


@dataclass(frozen=True, slots=True)
class DocumentState:
    """What a store holds of one document.

    Attributes:
        version: Of its records; None where they disagree, which a crash between two writes can leave.
        records: How many it holds.
        held: How many of each version, where the state was counted.
    """

    version: DocumentVersion | None
    records: int
    held: Mapping[DocumentVersion, int] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, versions: Iterable[DocumentVersion]) -> DocumentState:
        """The state of a document whose records are of these versions.

        Args:
            versions: That of each record; or, as a mapping, how many records each version has.
        """
        held = Counter(versions)
        return cls(next(iter(held)) if len(held) == 1 else None, sum(held.values()), held)

    @property
    def complete(self) -> bool:
        """Whether all records are there and of one version."""
        return self.version is not None and self.version.records == self.records

    def covers(self, other: DocumentState) -> bool:
        """Whether all that is held of the other state's version is here too, whatever there is besides."""
        return other.version is not None and self.held.get(other.version) == other.records


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """What a backend stores: a chunk, the version of its document and, for vector backends, its vector.

    Attributes:
        chunk: With its id.
        version: The version of its document.
        vector: float32 of shape [d], of length 1 or 0; None where it was not asked for.
    """

    chunk: Chunk
    version: DocumentVersion
    vector: NDArray[np.float32] | None = None

    @property
    def id(self) -> str:
        """The chunk's id."""
        return self.chunk.id

    def text_fields(self) -> dict[str, str]:
        """What is searched by keyword, by the names of `TEXT_FIELDS`: the document's name, context and text of the chunk."""
        name = PurePosixPath(self.chunk.source).stem
        return {"name": name, "context": self.chunk.context, "text": self.chunk.text}

    @property
    def text(self) -> str:
        """All that is searched by keyword as one text; see `record_terms` for its words and what they weigh."""
        return "\n\n".join(self.text_fields().values())

    def fields(self) -> dict[str, Any]:
        """The declared fields that filters look at: a string (or None) each, a tuple of strings for list fields."""
        chunk = self.chunk
        return {
            "source": chunk.source,
            "title": chunk.title,
            "section_id": chunk.section_id,
            "kind": chunk.kind,
            "language": chunk.language,
            "section_keys": chunk.section_keys,
            "ancestor_keys": chunk.ancestor_keys,
            "headings": chunk.headings,
            "terms": tuple(dict.fromkeys(one.term.casefold() for one in chunk.definitions)),
            "reference_keys": cited_keys(chunk.references),
            "parent_chain": chunk.parent_chain,
            METADATA: metadata_entries(chunk.metadata) if chunk.metadata else (),
        }

    def payload(self) -> dict[str, Any]:
        """All but the vector as JSON-ready data, for stores that spread it over columns; see `from_payload`."""
        chunk = {name: getattr(self.chunk, name) for name in Chunk.__slots__}
        for name in ("sections", "definitions", "references", "boxes"):
            chunk[name] = [_flat(part) for part in chunk[name]]
        chunk[METADATA] = {
            name: {type(value).__name__: str(value)}
            if isinstance(value, (date, Version))
            else value
            for name, value in self.chunk.metadata.items()
        }
        return {"chunk": chunk, "version": _flat(self.version)}

    @classmethod
    def from_payload(
        cls, payload: Mapping[str, Any], vector: NDArray[np.float32] | None = None
    ) -> Record:
        """The record that `payload` was made from, also after a journey through JSON; fields may be left out if empty."""
        chunk = dict(payload["chunk"])
        if chunk.get(METADATA):
            chunk[METADATA] = {name: _metadata_value(one) for name, one in chunk[METADATA].items()}
        for name, value in chunk.items():
            if isinstance(value, (list, tuple)):
                make = _PARTS.get(name)
                chunk[name] = (
                    tuple(value) if make is None else tuple([make(part) for part in value])
                )
        return cls(_chunk(**chunk), DocumentVersion(**payload["version"]), vector)

    def to_json(self) -> str:
        """All but the vector, for stores that keep a record in one piece: valid Unicode without zero characters."""
        payload = self.payload()
        text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
        try:
            text.encode()
        except UnicodeEncodeError:  # lone surrogates
            text = json.dumps(payload, separators=(",", ":"))
        return text

    @classmethod
    def from_json(cls, data: str | bytes, vector: NDArray[np.float32] | None = None) -> Record:
        """The record that `to_json` made this of.

        Args:
            data: The JSON, as text or as its bytes in UTF-8.
            vector: float32 of shape [d], where it was asked for.

        Raises:
            StoreError: It cannot be read.
        """
        try:
            return cls.from_payload(read_json(data), vector)
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"a record in the index cannot be read: {error}", hint=REBUILD
            ) from error


def unfinished_mark(dimensions: int) -> Record:
    """The record by which searches tell that documents may be missing: written before, deleted when all is done.

    Args:
        dimensions: Of the index's vectors; that of the mark is of length 0.
    """
    import numpy as np

    chunk = Chunk(UNFINISHED, "unfinished", 0, 10, 1, 1, id=UNFINISHED)
    return Record(chunk, DocumentVersion("", "", 1), np.zeros(dimensions, np.float32))


def read_json(data: str | bytes) -> Any:
    """What JSON says: by a parser of bytes, twice as fast, where no string has a lone surrogate.

    Raises:
        ValueError: It is not JSON.
    """
    try:
        return from_json(data)
    except ValueError:
        return json.loads(data if isinstance(data, str) else data.decode("utf-8", "surrogatepass"))


def cited_keys(references: tuple[Reference, ...]) -> tuple[str, ...]:
    """Names by which what cites a section is found: its id and those around it, of another work behind that work's key and a colon.

    `sec_203_a`, `sec_203` for Section 203(a); `bgb:sec_823_1`, `bgb:sec_823`, `bgb:` for § 823 Abs. 1 BGB.
    """
    found: dict[str, None] = {}
    for reference in references:
        if reference.work:
            found[f"{reference.work}:"] = None
            found |= dict.fromkeys(
                f"{reference.work}:{key}" for key in _enclosing(reference.keys[-1:])
            )
        elif reference.resolved:
            found[reference.section_id] = None
            if reference.section_id in reference.keys:
                found |= dict.fromkeys(_enclosing((reference.section_id,)))
    return tuple(found)


def _enclosing(keys: tuple[str, ...]) -> Iterator[str]:
    for key in keys:
        parts = key.split("_")
        for count in range(len(parts), 1, -1):
            yield "_".join(parts[:count])


def _reference(fields: Mapping[str, Any]) -> Reference:
    lists = {name: tuple(fields[name]) for name in ("chunk_ids", "keys") if name in fields}
    return _plain_reference(**{**fields, **lists})


def _metadata_value(stored: Any) -> MetadataValue:
    """What JSON has no type for is a mapping of one entry: the type's name and the text."""
    if isinstance(stored, Mapping):
        return (
            Version(stored["Version"])
            if "Version" in stored
            else date.fromisoformat(stored["date"])
        )
    value: MetadataValue = tuple(stored) if isinstance(stored, (list, tuple)) else stored
    return value


_chunk, _section, _definition = quick(Chunk), quick(Section), quick(Definition)
_plain_reference, _box = quick(Reference), quick(Box)
_PARTS: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    "sections": lambda fields: _section(**fields),
    "definitions": lambda fields: _definition(**fields),
    "references": _reference,
    "boxes": lambda fields: _box(**fields),
}


def _flat(value: Section | Definition | Reference | Box | DocumentVersion) -> dict[str, Any]:
    """The fields by name, one level deep: a tenth of the time of `dataclasses.asdict`, which copies recursively."""
    return {name: getattr(value, name) for name in type(value).__slots__ if name != "children"}
