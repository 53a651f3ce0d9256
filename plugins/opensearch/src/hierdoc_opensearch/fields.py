"""What of a record is a field in OpenSearch, and queries over these fields."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hierdoc import And, Contains, Equals, Filter, In, Not, Or, Under
from hierdoc.plugin import LIST_FIELDS, PARENT_CHAIN, SCALAR_FIELDS, DocumentVersion, Record

SCHEMA = 2
"""Changes with anything in this module that an existing index would not agree with."""

TEXT = "text"
"""The analysed terms, between spaces."""

ORDER = ("source", "ordinal", "tie", "key")
"""The fields that records are ordered by: as documents are read."""

MOST_TERMS = 1000
"""Different terms of a query that count; a cluster takes 1,024 clauses by default."""

_KEYWORDS = (*SCALAR_FIELDS, *LIST_FIELDS, PARENT_CHAIN, "state_key", "variant", "tie", "key")
_MOST_VALUES = 10_000
_LONGEST = 1000
_MARK = "\x1f"


def mappings(manifest: Mapping[str, Any], **more: Mapping[str, Any]) -> dict[str, Any]:
    """The mapping of an index.

    Args:
        manifest: What the index is made for; kept as `_meta`.
        more: Further fields.
    """
    stored = {"type": "keyword", "index": False, "doc_values": False}
    properties: dict[str, Any] = {name: {"type": "keyword"} for name in _KEYWORDS}
    properties |= {
        TEXT: {"type": "text", "analyzer": "whitespace", "similarity": "hierdoc"},
        "ordinal": {"type": "long"},
        "chunk_id": stored,
        "state": stored,
        **more,
    }
    return {
        "dynamic": "strict",
        "_meta": {"hierdoc": {**manifest, "fields": sorted(properties)}},
        "_source": {"excludes": [TEXT]},
        "properties": properties,
    }


def source_of(record: Record, terms: Sequence[str], variant: str) -> dict[str, Any]:
    """The fields of a record."""
    chunk, version = record.chunk, record.version
    state = json.dumps([chunk.source, version.content_hash, version.fingerprint, version.records])
    made: dict[str, Any] = {
        TEXT: " ".join(terms),
        "variant": variant,
        "ordinal": chunk.ordinal,
        "chunk_id": json.dumps(record.id),
        "tie": keyword(record.id[:_LONGEST]),
        "key": document_id(record.id),
        "state": state,
        "state_key": document_id(state),
    }
    for name, value in record.fields().items():
        if name == PARENT_CHAIN:
            made[name] = [_chain(value[:depth]) for depth in range(1, len(value) + 1)]
        elif isinstance(value, str):
            made[name] = keyword(value)
        elif value is not None:
            made[name] = [keyword(one) for one in value]
    return made


def document_id(chunk_id: str) -> str:
    """A digest of a chunk's id, which may hold any characters; OpenSearch takes 512 bytes."""
    encoded = chunk_id.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(encoded, digest_size=20).hexdigest()


def chunk_id_of(source: Mapping[str, Any]) -> str:
    """The chunk's id."""
    return str(json.loads(source["chunk_id"]))


def state_of(source: Mapping[str, Any]) -> tuple[str, DocumentVersion]:
    """The document's source, and the version that the record belongs to."""
    name, content_hash, fingerprint, records = json.loads(source["state"])
    return name, DocumentVersion(content_hash, fingerprint, records)


def keyword(value: str) -> str:
    """What stands for a value in a keyword field: a digest for one that is long or not valid Unicode, else itself."""
    if len(value) <= _LONGEST and not value.startswith(_MARK):
        try:
            value.encode()
        except UnicodeEncodeError:
            return _MARK + document_id(value)
        return value
    return _MARK + document_id(value)


def any_of(terms: Sequence[str]) -> dict[str, Any]:
    """The query for texts with any of these terms, by BM25; a term counts as often as it is there."""
    counts = Counter(terms)
    clauses = [{"term": {TEXT: {"value": term, "boost": count}}} for term, count in counts.items()]
    return {"bool": {"should": clauses, "minimum_should_match": 1}}


def phrase(variants: Collection[tuple[str, ...]]) -> dict[str, Any]:
    """The query for texts in which the terms of a phrase follow each other, in one of its variants."""
    phrases = [
        {"match_phrase": {TEXT: {"query": " ".join(terms), "analyzer": "whitespace"}}}
        for terms in sorted(variants)
    ]
    return {"dis_max": {"queries": phrases}}


def within(query: Mapping[str, Any], filter: Filter | None) -> dict[str, Any]:
    """The query over the records that the filter selects, its scores unchanged."""
    if filter is None:
        return dict(query)
    return {"bool": {"must": [dict(query)], "filter": [selection(filter)]}}


def selection(filter: Filter) -> dict[str, Any]:
    """The query for the records that a filter selects."""
    if isinstance(filter, (Equals, Contains)):
        return {"term": {filter.field: {"value": keyword(filter.value)}}}
    if isinstance(filter, In):
        values = [keyword(value) for value in filter.values]
        parts = [
            {"terms": {filter.field: values[start : start + _MOST_VALUES]}}
            for start in range(0, len(values), _MOST_VALUES)
        ]
        return _or(parts)
    if isinstance(filter, Under):
        if not filter.chain:
            return {"match_all": {}}
        return {"term": {PARENT_CHAIN: {"value": _chain(filter.chain)}}}
    if isinstance(filter, And):
        parts = [selection(part) for part in filter.filters]
        return {"bool": {"filter": parts}} if parts else {"match_all": {}}
    if isinstance(filter, Or):
        return _or([selection(part) for part in filter.filters])
    assert isinstance(filter, Not)
    return {"bool": {"must_not": [selection(filter.filter)]}}


def _or(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if not parts:
        return {"match_none": {}}
    return {"bool": {"should": list(parts), "minimum_should_match": 1}}


def _chain(headings: Sequence[str]) -> str:
    return keyword(json.dumps(list(headings), ensure_ascii=False))
