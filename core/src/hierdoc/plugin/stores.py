"""What backends need again and again, beside records, vectors and filters: states, manifests, secrets, and strings that any store takes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from pydantic import SecretStr

from hierdoc.errors import IndexMismatchError
from hierdoc.plugin.protocols import IndexSpec
from hierdoc.plugin.records import REBUILD, DocumentState, DocumentVersion, Record

_EMBEDDER = ("embedder", "dimensions")
_UNSAFE = re.compile("[\0\1\ud7ff-\udfff]")
_WRITTEN = re.compile("[\1\ud7ff](.)", re.DOTALL)


def unique_records(records: Iterable[Record]) -> list[Record]:
    """The records without those that a later one of the same id replaces."""
    return list({record.id: record for record in records}.values())


def document_states(
    held: Iterable[tuple[str, DocumentVersion, int]],
) -> dict[str, DocumentState]:
    """What `documents` gives: the state of each document, by source.

    Args:
        held: Sources, versions and how many records there are of each; any number of times.
    """
    versions: dict[str, Counter[DocumentVersion]] = {}
    for source, version, records in held:
        versions.setdefault(source, Counter())[version] += records
    return {source: DocumentState.of(counted) for source, counted in versions.items()}


def states_from_rows(rows: Iterable[tuple[str, str, str, int, int]]) -> dict[str, DocumentState]:
    """The same from the columns of a store whose strings `to_store_text` made.

    Args:
        rows: Source, content hash, fingerprint and number of records of a version, and how many of these records there are.
    """
    return document_states(
        (
            from_store_text(source),
            DocumentVersion(from_store_text(content_hash), from_store_text(fingerprint), records),
            held,
        )
        for source, content_hash, fingerprint, records, held in rows
    )


def state_key(record: Record) -> str:
    """The document of a record and its version as one string in ASCII, for stores that count the values of a field."""
    version = record.version
    return json.dumps(
        [record.chunk.source, version.content_hash, version.fingerprint, version.records]
    )


def read_state_key(key: str) -> tuple[str, DocumentVersion]:
    """The source and the version that `state_key` made this of."""
    source, content_hash, fingerprint, records = json.loads(key)
    return source, DocumentVersion(content_hash, fingerprint, records)


def make_manifest(schema: int, spec: IndexSpec | None = None, **more: Any) -> dict[str, Any]:
    """What an index is made for, JSON-ready: the store keeps it with the index.

    Args:
        schema: A number that the plugin raises with every change of what it stores.
        spec: The embedder; None where no vectors are held.
        more: What else the index depends on, such as the fingerprint of the analysis. Values that JSON gives back as they were.
    """
    embedder = {} if spec is None else {"embedder": spec.embedder, "dimensions": spec.dimensions}
    return {"schema": schema, **embedder, **more}


def require_manifest(
    found: object, wanted: Mapping[str, Any], place: str, *, or_else: str = ""
) -> None:
    """Raise `IndexMismatchError`, with the way out, unless an index was made for what is wanted.

    Args:
        found: The manifest that the store kept; anything else where there is none or it cannot be read.
        wanted: The one that the index is opened for.
        place: The index, to begin a sentence with.
        or_else: Another way out than to build it anew, in the imperative.
    """
    if found == wanted:
        return
    out = f"{REBUILD[:-1]}, or {or_else}." if or_else else REBUILD
    kept = found if isinstance(found, Mapping) else {}
    was, now = kept.get("schema"), wanted["schema"]
    if was != now:
        age = "another"
        if isinstance(was, int):
            age = "a newer" if was > now else "an older"
            out = f"Update hierdoc, or {out[0].lower()}{out[1:]}" if was > now else out
        raise IndexMismatchError(
            f"{place} was made by {age} version of hierdoc (schema {was}, here {now})", hint=out
        )
    names = dict.fromkeys([*wanted, *kept])
    differing = [name for name in names if kept.get(name) != wanted.get(name)]
    said = [
        f"{name} {kept.get(name)!r} and not {wanted.get(name)!r}"
        for name in differing
        if name not in _EMBEDDER
    ]
    if len(said) < len(differing):
        said.insert(0, f"the embedder {_embedder(kept)} and not {_embedder(wanted)}")
    raise IndexMismatchError(f"{place} was made for {', '.join(said)}", hint=out)


def _embedder(manifest: Mapping[str, Any]) -> str:
    embedder, dimensions = (manifest.get(name) for name in _EMBEDDER)
    return f"{embedder!r} with {dimensions} dimensions"


def masked(text: str, secrets: Sequence[SecretStr | str | None]) -> str:
    """The text, such as the message of an error, without these secrets, as they are and as URLs write them."""
    plain = [one.get_secret_value() if isinstance(one, SecretStr) else one for one in secrets]
    forms = {form for one in plain if one for form in (one, unquote(one), quote(one, safe=""))}
    for form in sorted(forms, key=len, reverse=True):  # one may be a part of another
        text = text.replace(form, "***")
    return text


def make_private_folder(folder: Path) -> None:
    """Make a folder of an index and those around it, as far as they are not there.

    Nobody but the owner may read them: documents are confidential more often than not.
    """
    if not folder.parent.exists():
        make_private_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def to_store_text(text: str) -> str:
    """A string for stores that take valid Unicode without zero characters; other strings, nearly all, stay as they are.

    Different strings stay different, and they sort by code point as the originals do. `from_store_text` gives them back.
    File names may hold lone surrogates, texts zero characters.
    """
    return _UNSAFE.sub(_write, text) if _UNSAFE.search(text) else text


def from_store_text(text: str) -> str:
    """The string that `to_store_text` made this of."""
    return _WRITTEN.sub(_read, text) if _WRITTEN.search(text) else text


def _write(found: re.Match[str]) -> str:
    """A surrogate becomes the last character before all surrogates and a character of the same order."""
    code = ord(found[0])
    if code < 2:
        return "\1" + chr(code + 1)
    return "\ud7ff" + chr(code - 0xD7FF + 1)


def _read(found: re.Match[str]) -> str:
    code = ord(found[1])
    return chr(code - 1) if found[0][0] == "\1" else chr(code + 0xD7FF - 1)
