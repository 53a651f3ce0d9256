"""What is kept in the container, and the queries over it.

An item is a record. It lies in the logical partition of its document, so that a document is written and deleted in transactional batches:

    id          of the chunk, as a digest
    document    of the source, as a digest: the partition key
    name        the chunk's id
    source, ordinal     what records are ordered by
    state       the document and its version
    variant     how its words are analysed
    tags        a digest for each value that a filter can ask for
    words       the terms, as often as they count, each as digits
    vector      of length 1
    record      all but the vector, as JSON; of a very long one the beginning
    parts       how many items there are with the rest of it

One more item says what the container was made for. No query holds what a document or a user wrote: only digests, numbers and terms as digits.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from hierdoc import Analyzer, Filter
from hierdoc.plugin import (
    Record,
    TagFold,
    join_conditions,
    record_tags,
    record_terms,
    state_key,
    tag,
    to_store_text,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCHEMA = 1
"""Raised with every change of what is kept."""

MANIFEST = "manifest"
"""Id and partition of the item that says what the container was made for."""

_PART = 250_000
"""Characters of a record in one item, which takes 2 MB."""

_MOST_WORDS = 40_000
"""Terms of a record that are looked for."""

MOST_TERMS = 30
"""Terms of a query that are looked for."""

MOST_RANKED = 100
"""Matches that are counted, to weigh the words."""

PARTITION = "/document"

_INDEXES = {"diskann": "diskANN", "quantized-flat": "quantizedFlat", "flat": "flat"}

_RECORDS = "IS_DEFINED(c.state)"
"""The condition that leaves the manifest out."""

STATES = f"SELECT VALUE c.state FROM c WHERE {_RECORDS}"  # noqa: S608 - constants
COLUMNS = "c.id, c.record, c.parts"
ALL = f"SELECT {COLUMNS}{{vector}} FROM c WHERE {_RECORDS}"  # noqa: S608 - constants
VARIANTS = f"SELECT DISTINCT VALUE c.variant FROM c WHERE {_RECORDS}"  # noqa: S608 - constants
ANY = "SELECT TOP 1 VALUE c.id FROM c"
OF_PARTITION = "SELECT VALUE c.id FROM c"
AND_VECTOR = ", c.vector"


def vector_policy(dimensions: int) -> dict[str, Any]:
    """How vectors are compared: by dot product, which of vectors of length 1 is the cosine, and of those of length 0 is 0."""
    one = {
        "path": "/vector",
        "dataType": "float32",
        "distanceFunction": "dotproduct",
        "dimensions": dimensions,
    }
    return {"vectorEmbeddings": [one]}


FULL_TEXT_POLICY: dict[str, Any] = {
    "defaultLanguage": "en-US",
    "fullTextPaths": [{"path": "/words", "language": "en-US"}],
}


def indexing_policy(index: str) -> dict[str, Any]:
    """What the container can look up."""
    looked_up = ("document", "source", "ordinal", "name", "state", "variant", "tags/[]")
    order = ("/source", "/ordinal", "/name")
    return {
        "indexingMode": "consistent",
        "automatic": True,
        "includedPaths": [{"path": f"/{one}/?"} for one in looked_up],
        "excludedPaths": [{"path": "/*"}],
        "compositeIndexes": [[{"path": one, "order": "ascending"} for one in order]],
        "vectorIndexes": [{"path": "/vector", "type": _INDEXES[index]}],
        "fullTextIndexes": [{"path": "/words"}],
    }


def make_items(
    record: Record, vector: NDArray[np.float32], analyzer: Analyzer
) -> list[dict[str, Any]]:
    """The item of a record, behind those with the rest of a very long one."""
    key, document = key_of(record.id), partition_of(record.chunk.source)
    counts = record_terms(record, analyzer).counts
    words = [token(term) for term, count in sorted(counts.items()) for _ in range(count)]
    text = record.to_json()
    parts = [text[start : start + _PART] for start in range(_PART, len(text), _PART)]
    item = {
        "id": key,
        "document": document,
        "name": to_store_text(record.id),
        "source": to_store_text(record.chunk.source),
        "ordinal": record.chunk.ordinal,
        "state": state_key(record),
        "variant": analyzer.variant(record.chunk.language),
        "tags": record_tags(record),
        "words": " ".join(words[:_MOST_WORDS]),
        "vector": vector.tolist(),
        "record": text[:_PART],
        "parts": len(parts),
    }
    rest = [
        {"id": name, "document": document, "record": part}
        for name, part in zip(part_keys(key, len(parts)), parts, strict=True)
    ]
    return [*rest, item]


def part_keys(key: str, parts: int) -> list[str]:
    """The ids of the items with the rest of a very long record."""
    return [f"{key}p{number}" for number in range(parts)]


def make_manifest_item(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The item that says what the container was made for."""
    return {"id": MANIFEST, "document": MANIFEST, "made_for": json.dumps(manifest)}


def key_of(chunk_id: str) -> str:
    """The id of a record's item."""
    return tag("id", chunk_id)


def partition_of(source: str) -> str:
    """The logical partition of a document."""
    return tag("source", source)


def token(term: str) -> str:
    """A term as 12 digits, in which no tokenizer finds an end and no stemmer an ending."""
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return f"{int.from_bytes(digest, 'big') % 10**12:012d}"


def nearest(vector: NDArray[np.float32], limit: int, filter: Filter | None) -> str:
    """The query for the most similar, with names and scores."""
    distance = f"VectorDistance(c.vector, {_numbers(vector)})"
    return (
        f"SELECT TOP {limit} c.name, {distance} AS score FROM c WHERE {selection(filter)} "  # noqa: S608 - numbers and digests
        f"ORDER BY {distance}"
    )


def matching(terms: Sequence[str], filter: Filter | None) -> str:
    """The query for items with any of the terms: as many as make a difference in `fused`."""
    found = f"FullTextContainsAny(c.words, {_tokens(terms)})"
    return f"SELECT TOP {MOST_RANKED} VALUE c.id FROM c WHERE {selection(filter)} AND {found}"  # noqa: S608 - digests


def fused(
    vector: NDArray[np.float32],
    terms: Sequence[str],
    weights: tuple[float, float],
    limit: int,
    filter: Filter | None,
) -> str:
    """The query for the best by both legs, with names.

    Args:
        vector: Of length 1, or of length 0 where the words decide alone.
        terms: One or more.
        weights: Of the semantic leg, and of the words.
        limit: How many.
        filter: Which records to consider.
    """
    order = f"FullTextScore(c.words, {_tokens(terms)})"
    if vector.any():
        semantic, keyword = (repr(float(one)) for one in weights)
        distance = f"VectorDistance(c.vector, {_numbers(vector)})"
        order = f"RRF({distance}, {order}, [{semantic}, {keyword}])"
    return f"SELECT TOP {limit} c.name FROM c WHERE {selection(filter)} ORDER BY RANK {order}"  # noqa: S608 - numbers and digests


def in_order(filter: Filter | None, limit: int) -> str:
    """The query for records by source and position."""
    return (
        f"SELECT TOP {limit} {COLUMNS} FROM c WHERE {selection(filter)} "  # noqa: S608 - digests
        "ORDER BY c.source, c.ordinal, c.name"
    )


def among(keys: Sequence[str], columns: str) -> str:
    """The query for items by id."""
    return f"SELECT {columns} FROM c WHERE c.id IN ({', '.join(map(_string, keys))})"  # noqa: S608 - digests


def selection(filter: Filter | None) -> str:
    """The condition for the records that a filter selects."""
    return _RECORDS if filter is None else f"{_RECORDS} AND ({_Selection()(filter)})"


class _Selection(TagFold[str]):
    def has_any(self, tags: Sequence[str]) -> str:
        if len(tags) == 1:
            return f"ARRAY_CONTAINS(c.tags, {_string(tags[0])})"
        listed = ", ".join(map(_string, tags))
        return f"EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t IN ({listed}))"  # noqa: S608 - digests

    def all_of(self, parts: Sequence[str]) -> str:
        return join_conditions(parts, "AND") if parts else "true"

    def any_of(self, parts: Sequence[str]) -> str:
        return join_conditions(parts, "OR") if parts else "false"

    def negation(self, part: str) -> str:
        return f"NOT ({part})"


def _tokens(terms: Sequence[str]) -> str:
    return ", ".join(_string(token(term)) for term in terms[:MOST_TERMS])


def _numbers(vector: NDArray[np.float32]) -> str:
    return "[" + ",".join(map(str, vector)) + "]"


def _string(plain: str) -> str:
    """A string of letters and digits as a literal."""
    if not plain.isalnum():
        raise ValueError(f"no digest and no token: {plain!r}")
    return f'"{plain}"'


def distinct(terms: Iterable[str]) -> list[str]:
    """The terms without repetitions, in order."""
    return list(dict.fromkeys(terms))
