"""What the Tantivy index consists of, and the queries that find it again.

Four fields are searched. `terms` holds the terms of a record between spaces, each as often as it counts: Tantivy scores a field
for itself, and the sum over several fields ranks worse than one whose terms are weighted before they saturate. `text` holds
the terms of the chunk's text with their positions, for phrases. `key` holds everything that is looked up whole, as
`name<unit separator>value`: the id, the source, each value that a filter can ask for. `state` says which version of which
document a record belongs to, for counting. The id is stored as bytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any

import tantivy
from tantivy import Occur, Query

from hierdoc import Filter
from hierdoc.plugin import (
    PARENT_CHAIN,
    DocumentVersion,
    FilterFold,
    Record,
    RecordTerms,
    chain_value,
    filter_values,
    read_state_key,
    state_key,
)

VERSION = 2
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
    builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("text", tokenizer_name="whitespace", index_option="position")
    builder.add_text_field("key", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("state", tokenizer_name="raw", index_option="basic", fast=True)
    return builder.build()


def document(record: Record, terms: RecordTerms) -> tantivy.Document:
    """What is indexed of a record: its terms, and its keys."""
    made = tantivy.Document()
    made.add_bytes("id", record.id.encode("utf-8", "surrogatepass"))
    made.add_text("terms", " ".join(terms.repeated()))
    made.add_text("text", " ".join(terms.text))
    made.add_text("state", state_key(record))
    shard = zlib.crc32(record.chunk.source.encode("utf-8", "surrogatepass")) % SHARDS
    made.add_text("key", key("id", record.id))
    made.add_text("key", key("shard", str(shard)))
    made.add_text("key", key("variant", terms.variant))
    for name, value in filter_values(record):
        made.add_text("key", key(name, value))
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
        yield *read_state_key(bucket["key"]), int(bucket["doc_count"])


def any_of(queries: Sequence[Query]) -> Query:
    """What at least one of the queries finds, scores added; of none, nothing."""
    parts = [(Occur.Should, query) for query in queries]
    return Query.boolean_query(parts) if parts else Query.empty_query()


def term(text: str, count: int = 1) -> Query:
    """Records with the term, which counts that many times."""
    query = Query.term_query(schema(), "terms", text, "freq")
    return query if count == 1 else Query.boost_query(query, float(count))


def phrase(terms: Sequence[str]) -> Query:
    """Texts in which the terms follow each other."""
    if len(terms) == 1:
        return Query.term_query(schema(), "text", terms[0], "freq")
    return Query.phrase_query(schema(), "text", list(terms))


def within(query: Query, filter: Filter | None) -> Query:
    """The query over the records that the filter selects, its scores unchanged."""
    if filter is None:
        return query
    selected = Query.const_score_query(_Selection()(filter), 0.0)
    return Query.boolean_query([(Occur.Must, query), (Occur.Must, selected)])


class _Selection(FilterFold[Query]):
    """The query for the records that a filter selects."""

    def equals(self, field: str, value: str) -> Query:
        return _lookup(field, value)

    def contains(self, field: str, value: str) -> Query:
        return _lookup(field, value)

    def one_of(self, field: str, values: Sequence[str]) -> Query:
        return any_of([_lookup(field, value) for value in values])

    def under(self, chain: Sequence[str]) -> Query:
        return _lookup(PARENT_CHAIN, chain_value(chain))

    def all_of(self, parts: Sequence[Query]) -> Query:
        required = [(Occur.Must, part) for part in parts]
        return Query.boolean_query(required) if parts else Query.all_query()

    def any_of(self, parts: Sequence[Query]) -> Query:
        return any_of(parts)

    def negation(self, part: Query) -> Query:
        return Query.boolean_query([(Occur.Must, Query.all_query()), (Occur.MustNot, part)])


def _lookup(name: str, value: str) -> Query:
    return Query.term_query(schema(), "key", key(name, value), "basic")
