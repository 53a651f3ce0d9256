"""Records as documents of MongoDB, the indexes over them, and filters and searches as stages of its pipelines.

_id                  the chunk's id; zero characters and lone surrogates, which BSON cannot hold, are written otherwise
tags                 a digest for each value that a filter can ask for; one is on every record
source, ordinal      where the record stands
state                the version of its document
variant              by which variant of the analyzer its words are
words                a digest for each term of the record, as often as the term counts
phrase               the same for the terms of the text, in order; in the keyword backend
record               the whole record but its vector, as JSON; in the vector backend
vector               float32, as BSON's binary vector; in the vector backend, unless its length is 0

One document, whose `_id` is the number 0, says what the collection is made for (`about`), has a `mark`, by which it is seen how far
MongoDB's search has come, and notes whether that has shown all (`settled`).
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from bson.binary import Binary
from pymongo.operations import SearchIndexModel

from hierdoc import Filter, StoreError
from hierdoc.plugin import (
    Record,
    RecordTerms,
    TagFold,
    record_tags,
    state_key,
    tag,
    to_store_text,
)
from hierdoc_mongodb import MongoConfig, MongoVectorConfig

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA = 1
"""Changes with anything in this module that an existing collection would not agree with."""

MANIFEST = 0
"""The `_id` of the document that says what the collection is made for; those of records are strings."""

RECORDS: dict[str, Any] = {"_id": {"$type": "string"}}
"""The condition for all records."""

ORDER = ("source", "ordinal", "_id")

WORDS, VECTORS = "hierdoc_words", "hierdoc_vectors"
"""The names of the indexes that MongoDB's search keeps."""

MOST_CANDIDATES = 10_000
"""Vectors that one search of a graph examines, and gives, at most."""

_EVERY, _NONE = tag("", ""), tag("", "none")
"""The tag on every record, and one on none."""

_LONGEST = 30_000
"""Bytes of an id; Lucene takes 32,766 for a term."""

_USUAL_GRAPH = {"maxEdges": 16, "numEdgeCandidates": 100}

_VECTOR, _FLOAT32 = 9, b"\x27\x00"
"""BSON's subtype for vectors, and what begins one of float32 (BSON Binary Subtype 9 - Vector)."""

Stage = dict[str, Any]


def search_indexes(config: MongoConfig, dimensions: int | None) -> list[SearchIndexModel]:
    """The indexes of a collection that MongoDB's search keeps.

    Args:
        config: How vectors are indexed.
        dimensions: Of its vectors; None for words alone.
    """
    fields: dict[str, Any] = {
        "tags": {"type": "token"},
        "mark": {"type": "number"},
        "words": _text_field("freqs"),
    }
    if dimensions is None:
        fields["phrase"] = _text_field("positions")
    mappings = {"mappings": {"dynamic": False, "fields": fields}}
    made = [SearchIndexModel(mappings, name=WORDS, type="search")]
    if dimensions is not None:
        assert isinstance(config, MongoVectorConfig)
        vector: dict[str, Any] = {
            "type": "vector",
            "path": "vector",
            "numDimensions": dimensions,
            "similarity": "cosine",
        }
        graph = {"maxEdges": config.m, "numEdgeCandidates": config.ef_construction}
        if graph != _USUAL_GRAPH:  # not every version of the search can be told of another
            vector["hnswOptions"] = graph
        filters = [{"type": "filter", "path": path} for path in ("tags", "mark")]
        definition = {"fields": [vector, *filters]}
        made.append(SearchIndexModel(definition, name=VECTORS, type="vectorSearch"))
    return made


def make_document(
    record: Record, terms: RecordTerms, vector: NDArray[np.float32] | None
) -> dict[str, Any]:
    """The document of a record.

    Args:
        record: It.
        terms: Its terms.
        vector: float32 of shape [dimensions], of length 1 or 0; None in a keyword backend.

    Raises:
        StoreError: Its id is longer than MongoDB's search takes.
    """
    made: dict[str, Any] = {
        "_id": to_store_text(record.id),
        "tags": [_EVERY, *record_tags(record)],
        "source": to_store_text(record.chunk.source),
        "ordinal": record.chunk.ordinal,
        "state": state_key(record),
        "variant": terms.variant,
        "words": tokens(terms.counts.elements()),
    }
    if len(made["_id"].encode()) > _LONGEST:
        raise StoreError(
            f"chunk {record.id[:100]!r} cannot be stored: its id is longer than MongoDB's search takes",
            hint="Give the file a shorter path.",
        )
    if vector is None:
        made["phrase"] = tokens(terms.text)
        return made
    made["record"] = record.to_json()
    if vector.any():
        made["vector"] = packed(vector)
    return made


def packed(vector: NDArray[np.float32]) -> Binary:
    """A vector as BSON has it."""
    packed: Binary = Binary(_FLOAT32 + vector.astype("<f4").tobytes(), _VECTOR)
    return packed


def unpacked(value: bytes | None, dimensions: int) -> NDArray[np.float32]:
    """The vector that `packed` made this of; zeros where a document has none."""
    if value is None:
        return np.zeros(dimensions, np.float32)
    return np.frombuffer(value, "<f4", offset=len(_FLOAT32)).astype(np.float32)


def first_axis(dimensions: int) -> NDArray[np.float32]:
    """A vector that any index takes."""
    vector = np.zeros(dimensions, np.float32)
    vector[0] = 1.0
    return vector


@lru_cache(maxsize=131_072)
def token(term: str) -> str:
    """Eight letters and digits that stand for a term: an analyzer leaves them as they are."""
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=5).digest()
    return base64.b32encode(digest).decode().lower()


def tokens(terms: Iterable[str]) -> str:
    """Terms in order."""
    return " ".join(map(token, terms))


def selection(filter: Filter | None) -> dict[str, Any]:
    """The condition for the records that a filter selects, for look-ups and among vectors."""
    return _EVERYTHING if filter is None else {"$and": [_EVERYTHING, _Condition()(filter)]}


def with_words(words: str, filter: Filter | None) -> list[Stage]:
    """The stage that finds records with one of these tokens, by BM25."""
    return [_search({"text": {"query": words, "path": "words"}}, filter)]


def with_phrases(phrases: Sequence[str], filter: Filter | None) -> list[Stage]:
    """The stage that finds records with one of these phrases, which are tokens in order."""
    return [_search({"phrase": {"query": list(phrases), "path": "phrase"}}, filter)]


def marked(mark: int) -> list[Stage]:
    """The stages that find the mark, where the index of words has come as far."""
    return [_stage({"range": {"path": "mark", "gte": mark}}), {"$limit": 1}]


def marked_vector(mark: int, dimensions: int) -> list[Stage]:
    """The same in the index of vectors."""
    asked = {"queryVector": packed(first_axis(dimensions)), "exact": True, "limit": 1}
    return [_nearest({**asked, "filter": {"mark": {"$gte": mark}}})]


def nearest(
    query: NDArray[np.float32], wanted: int, filter: Filter | None, config: MongoVectorConfig
) -> list[Stage]:
    """The stage that finds the nearest vectors; the filter is applied before they are compared."""
    asked: dict[str, Any] = {
        "queryVector": packed(query),
        "limit": wanted,
        "filter": selection(filter),
    }
    if config.exact:
        asked["exact"] = True
    else:
        asked["numCandidates"] = min(max(config.ef, 2 * wanted), MOST_CANDIDATES)
    return [_nearest(asked)]


def fused(
    by_vector: Sequence[Stage], by_words: Sequence[Stage], semantic: float, keyword: float
) -> list[Stage]:
    """The stage that fuses two rankings by reciprocal ranks: `weight / (60 + rank)`, added up."""
    pipelines = {"semantic": list(by_vector), "keyword": list(by_words)}
    weights = {"semantic": semantic, "keyword": keyword}
    return [
        {"$rankFusion": {"input": {"pipelines": pipelines}, "combination": {"weights": weights}}}
    ]


def scored(name: str) -> Stage:
    """The stage that leaves id and score of each match: `searchScore`, `vectorSearchScore`, or `score` of what is fused."""
    return {"$project": {"score": {"$meta": name}}}


class _Condition(TagFold[dict[str, Any]]):
    """In MongoDB's query language, as far as searches for vectors take it too: without `$nor`, which older ones lack."""

    def has_any(self, tags: Sequence[str]) -> dict[str, Any]:
        return {"tags": {"$in": list(tags)}}

    def all_of(self, parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return _joined("$and", parts) if parts else _EVERYTHING

    def any_of(self, parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return _joined("$or", parts) if parts else {"tags": {"$in": [_NONE]}}

    def negation(self, part: dict[str, Any]) -> dict[str, Any]:
        return _negated(part)


class _Operator(TagFold[dict[str, Any]]):
    """In the operators of `$search`."""

    def has_any(self, tags: Sequence[str]) -> dict[str, Any]:
        return {"in": {"path": "tags", "value": list(tags)}}

    def all_of(self, parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {"compound": {"filter": list(parts) or [self.has_any([_EVERY])]}}

    def any_of(self, parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
        if not parts:
            return self.has_any([_NONE])
        return {"compound": {"should": list(parts), "minimumShouldMatch": 1}}

    def negation(self, part: dict[str, Any]) -> dict[str, Any]:
        return {"compound": {"filter": [self.has_any([_EVERY])], "mustNot": [part]}}


_EVERYTHING = {"tags": {"$in": [_EVERY]}}

_OPPOSITE = {"$and": "$or", "$or": "$and", "$in": "$nin", "$nin": "$in"}


def _joined(operator: str, parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Conditions under one operator; what is under it already is not nested, for MongoDB limits how deep a query is."""
    flat = [inner for part in parts for inner in part.get(operator, [part])]
    return flat[0] if len(flat) == 1 else {operator: flat}


def _negated(condition: dict[str, Any]) -> dict[str, Any]:
    """The opposite of a condition, by De Morgan's laws."""
    ((name, inner),) = condition.items()
    if name == "tags":
        ((operator, tags),) = inner.items()
        return {"tags": {_OPPOSITE[operator]: tags}}
    return _joined(_OPPOSITE[name], [_negated(one) for one in inner])


def _search(operator: dict[str, Any], filter: Filter | None) -> Stage:
    """The filter adds nothing to the scores."""
    if filter is None:
        return _stage(operator)
    return _stage({"compound": {"must": [operator], "filter": [_Operator()(filter)]}})


def _stage(operator: dict[str, Any]) -> Stage:
    return {"$search": {"index": WORDS, **operator}}


def _nearest(asked: dict[str, Any]) -> Stage:
    return {"$vectorSearch": {"index": VECTORS, "path": "vector", **asked}}


def _text_field(kept: str) -> dict[str, Any]:
    """Text of tokens that an analyzer only parts at spaces; its words are kept as far as searches need them."""
    return {"type": "string", "analyzer": "lucene.whitespace", "indexOptions": kept, "store": False}
