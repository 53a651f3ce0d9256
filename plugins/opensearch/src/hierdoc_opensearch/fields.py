"""What of a record is a field in OpenSearch, and queries over these fields."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hierdoc import Filter
from hierdoc.plugin import (
    LIST_FIELDS,
    PARENT_CHAIN,
    SCALAR_FIELDS,
    DocumentVersion,
    FilterFold,
    Record,
    RecordTerms,
    chain_value,
    filter_values,
    read_state_key,
    state_key,
)

SCHEMA = 3
"""Changes with anything in this module that an existing index would not agree with."""

WORDS = "words"
"""The terms of a record between spaces, each as often as it counts: `combined_fields`, which would weigh fields, came with OpenSearch 3."""

TEXT = "text"
"""The terms of the chunk's text in order, for phrases."""

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
    words = {"type": "text", "analyzer": "whitespace", "similarity": "hierdoc"}
    stored = {"type": "keyword", "index": False, "doc_values": False}
    properties: dict[str, Any] = {name: {"type": "keyword"} for name in _KEYWORDS}
    properties |= {
        WORDS: {**words, "index_options": "freqs"},
        TEXT: words,
        "ordinal": {"type": "long"},
        "chunk_id": stored,
        "state": stored,
        **more,
    }
    return {
        "dynamic": "strict",
        "_meta": {"hierdoc": {**manifest, "fields": sorted(properties)}},
        "_source": {"excludes": [WORDS, TEXT]},
        "properties": properties,
    }


def source_of(record: Record, terms: RecordTerms) -> dict[str, Any]:
    """The fields of a record."""
    state = state_key(record)
    made: dict[str, Any] = {
        WORDS: " ".join(terms.repeated()),
        TEXT: " ".join(terms.text),
        "variant": terms.variant,
        "ordinal": record.chunk.ordinal,
        "chunk_id": json.dumps(record.id),
        "tie": keyword(record.id[:_LONGEST]),
        "key": document_id(record.id),
        "state": state,
        "state_key": document_id(state),
    }
    for name, value in filter_values(record):
        made.setdefault(name, []).append(keyword(value))
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
    return read_state_key(source["state"])


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
    clauses = [{"term": {WORDS: {"value": term, "boost": count}}} for term, count in counts.items()]
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
    return _Selection()(filter)


class _Selection(FilterFold[dict[str, Any]]):
    def equals(self, field: str, value: str) -> dict[str, Any]:
        return {"term": {field: {"value": keyword(value)}}}

    def contains(self, field: str, value: str) -> dict[str, Any]:
        return self.equals(field, value)

    def contains_any(self, field: str, values: Sequence[str]) -> dict[str, Any]:
        return self.one_of(field, values)

    def one_of(self, field: str, values: Sequence[str]) -> dict[str, Any]:
        some = [keyword(value) for value in values]
        starts = range(0, len(some), _MOST_VALUES)
        return _or([{"terms": {field: some[start : start + _MOST_VALUES]}} for start in starts])

    def under(self, chain: Sequence[str]) -> dict[str, Any]:
        return self.equals(PARENT_CHAIN, chain_value(chain))

    def all_of(self, parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {"bool": {"filter": list(parts)}} if parts else {"match_all": {}}

    def any_of(self, parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return _or(parts)

    def negation(self, part: dict[str, Any]) -> dict[str, Any]:
        return {"bool": {"must_not": [part]}}


def _or(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if not parts:
        return {"match_none": {}}
    return {"bool": {"should": list(parts), "minimum_should_match": 1}}
