"""What the Tantivy index consists of, and the queries that find it again.

Three fields are searched. `text` holds the analysed terms between spaces, with positions. `key` holds everything that is
looked up whole, as `name<unit separator>value`: the id, the source, each field of a filter, the parent chain at every depth.
`state` says which version of which document a record belongs to, for counting. The id is stored as bytes.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any

import tantivy
from tantivy import Occur, Query

from hierdoc import And, Contains, Equals, Filter, In, Or, Under
from hierdoc.plugin import DocumentVersion, Record

VERSION = 1
"""Changes with anything in this module that an existing index would not agree with."""

SHARDS = 16
"""Parts that the documents are counted in: Tantivy tells at most 65,000 values apart at once."""

_MOST_VALUES = 65_000
_LONGEST_KEY = 200


@cache
def schema() -> tantivy.Schema:
    """The fields."""
    builder = tantivy.SchemaBuilder()
    builder.add_bytes_field("id", stored=True)
    builder.add_text_field("text", tokenizer_name="whitespace", index_option="position")
    builder.add_text_field("key", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("state", tokenizer_name="raw", index_option="basic", fast=True)
    return builder.build()


def document(record: Record, terms: Sequence[str], variant: str) -> tantivy.Document:
    """What is indexed of a record: the terms of its text, by which variant of the analysis, and its keys."""
    source, version = record.chunk.source, record.version
    made = tantivy.Document()
    made.add_bytes("id", record.id.encode("utf-8", "surrogatepass"))
    made.add_text("text", " ".join(terms))
    state = (source, version.content_hash, version.fingerprint, version.records)
    made.add_text("state", json.dumps(state))
    shard = zlib.crc32(source.encode("utf-8", "surrogatepass")) % SHARDS
    made.add_text("key", key("id", record.id))
    made.add_text("key", key("shard", str(shard)))
    made.add_text("key", key("variant", variant))
    for one in _filter_keys(record):
        made.add_text("key", one)
    return made


def record_id(found: tantivy.Document) -> str:
    """The id of a stored document."""
    stored: bytes = found["id"][0]
    return stored.decode("utf-8", "surrogatepass")


def key(name: str, value: str) -> str:
    """The term for a value; a digest stands for one that is too long for a term, or not valid Unicode."""
    if len(value) > _LONGEST_KEY or not value.isprintable():
        digest = blake2b(value.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return f"{name}\x1f\x1f{digest}"
    return f"{name}\x1f{value}"


def count_states(
    searcher: tantivy.Searcher, shard: int
) -> Iterator[tuple[str, DocumentVersion, int]]:
    """Source, version and number of records of every version of every document in a shard."""
    request: dict[str, Any] = {"states": {"terms": {"field": "state", "size": _MOST_VALUES}}}
    answer = searcher.aggregate(_lookup("shard", str(shard)), request)
    for bucket in answer["states"]["buckets"]:
        source, *version = json.loads(bucket["key"])
        yield source, DocumentVersion(*version), int(bucket["doc_count"])


def any_of(queries: Sequence[Query]) -> Query:
    """What at least one of the queries finds, scores added; of none, nothing."""
    parts = [(Occur.Should, query) for query in queries]
    return Query.boolean_query(parts) if parts else Query.empty_query()


def term(text: str, count: int = 1) -> Query:
    """Texts with the term, which counts that many times."""
    query = Query.term_query(schema(), "text", text, "freq")
    return query if count == 1 else Query.boost_query(query, float(count))


def phrase(terms: Sequence[str]) -> Query:
    """Texts in which the terms follow each other."""
    return term(terms[0]) if len(terms) == 1 else Query.phrase_query(schema(), "text", list(terms))


def within(query: Query, filter: Filter | None) -> Query:
    """The query over the records that the filter selects, its scores unchanged."""
    if filter is None:
        return query
    selected = Query.const_score_query(_selection(filter), 0.0)
    return Query.boolean_query([(Occur.Must, query), (Occur.Must, selected)])


def _selection(filter: Filter) -> Query:
    if isinstance(filter, (Equals, Contains)):
        return _lookup(filter.field, filter.value)
    if isinstance(filter, In):
        return any_of([_lookup(filter.field, value) for value in filter.values])
    if isinstance(filter, Under):
        return _lookup("parent_chain", _chain(filter.chain)) if filter.chain else Query.all_query()
    if isinstance(filter, And):
        parts = [(Occur.Must, _selection(part)) for part in filter.filters]
        return Query.boolean_query(parts) if parts else Query.all_query()
    if isinstance(filter, Or):
        return any_of([_selection(part) for part in filter.filters])
    excluded = (Occur.MustNot, _selection(filter.filter))
    return Query.boolean_query([(Occur.Must, Query.all_query()), excluded])


def _lookup(name: str, value: str) -> Query:
    return Query.term_query(schema(), "key", key(name, value), "basic")


def _filter_keys(record: Record) -> Iterator[str]:
    for name, value in record.fields().items():
        if name == "parent_chain":
            yield from _chain_keys(value)
        elif isinstance(value, str):
            yield key(name, value)
        elif value is not None:
            yield from (key(name, one) for one in value)


@lru_cache(maxsize=1024)
def _chain_keys(chain: tuple[str, ...]) -> tuple[str, ...]:
    """A key for each depth; neighbouring chunks share most of them."""
    return tuple(key("parent_chain", _chain(chain[:depth])) for depth in range(1, len(chain) + 1))


def _chain(headings: Sequence[str]) -> str:
    return json.dumps(list(headings))
