"""Records as entries of a Chroma collection and back, and filters as Chroma's `where`.

Chroma's metadata are scalars. A field with one value is a string; each value of a list field is a key of its own that is true, as is
each beginning of the parent chain: that holds in every version of Chroma. The record itself is JSON in the entry's document.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

from hierdoc import And, Contains, Equals, Filter, In, Or, StoreError, Under
from hierdoc.plugin import Record, to_store_text

Where = dict[str, Any]
"""A condition of Chroma."""

SCALARS = ("source", "title", "section_id", "kind", "language")


def entry_id(chunk_id: str) -> str:
    """The id of an entry, which may not be empty."""
    return f"={to_store_text(chunk_id)}"


def metadata(record: Record) -> dict[str, Any]:
    """What filters and `documents` look at."""
    fields = record.fields()
    found: dict[str, Any] = {
        name: to_store_text(fields[name]) for name in SCALARS if fields[name] is not None
    }
    found |= dict.fromkeys(_keys(fields), True)
    found["ordinal"] = record.chunk.ordinal
    found["content_hash"] = to_store_text(record.version.content_hash)
    found["fingerprint"] = to_store_text(record.version.fingerprint)
    found["records"] = record.version.records
    return found


def document(record: Record) -> str:
    """The record as JSON, without its vector."""
    payload = record.payload()
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # lone surrogates
        text = json.dumps(payload, separators=(",", ":"))
    return text


def record(document: str | None, vector: Any = None) -> Record:
    """The record that `document` made this of.

    Raises:
        StoreError: It cannot be read.
    """
    try:
        return Record.from_payload(json.loads(document or ""), vector)
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"chromadb: a record in the index cannot be read: {error}",
            hint="Build the index anew with `hierdoc ingest --force`.",
        ) from error


def where(filter: Filter, *, negated: bool = False) -> Where | bool:
    """The condition under which an entry is selected; True for all, False for none."""
    if isinstance(filter, (And, Or)):
        parts = [where(part, negated=negated) for part in filter.filters]
        return _joined(parts, "$and" if isinstance(filter, And) != negated else "$or")
    if isinstance(filter, Equals):
        return {filter.field: {"$ne" if negated else "$eq": to_store_text(filter.value)}}
    if isinstance(filter, In):
        if not filter.values:
            return negated
        values = [to_store_text(value) for value in dict.fromkeys(filter.values)]
        return {filter.field: {"$nin" if negated else "$in": values}}
    if isinstance(filter, Contains):
        return {_key(filter.field, filter.value): {"$ne" if negated else "$eq": True}}
    if isinstance(filter, Under):
        if not filter.chain:
            return not negated
        chain = _key("parent_chain", json.dumps(filter.chain))
        return {chain: {"$ne" if negated else "$eq": True}}
    return where(filter.filter, negated=not negated)


def _joined(parts: Sequence[Where | bool], operator: str) -> Where | bool:
    """Chroma takes two parts or more, and neither all nor nothing."""
    neutral = operator == "$and"
    if (not neutral) in parts:
        return not neutral
    kept = [part for part in parts if isinstance(part, dict)]
    if len(kept) <= 1:
        return kept[0] if kept else neutral
    return {operator: kept}


def _keys(fields: dict[str, Any]) -> Iterator[str]:
    for name, value in fields.items():
        if name == "parent_chain":
            for depth in range(1, len(value) + 1):
                yield _key(name, json.dumps(value[:depth]))
        elif isinstance(value, tuple):
            yield from (_key(name, one) for one in value)


def _key(name: str, value: str) -> str:
    """A key for a value of a list field, short whatever the value."""
    digest = blake2b(value.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{name}.{digest}"
