"""Records as documents of an index, and filters over them in OData.

key        32 hexadecimal digits that stand for the chunk's id
chunk_id   the chunk's id
tags       a digest for each value that a filter can ask for
place      source, position and id, in digits that sort as the three do
state      the version of its document
stamp      of the request that wrote it, by which it is seen that writes have arrived
variant    by which variant of the analyzer its words are
words      a digest for each term of the record, as often as the term counts
phrase     the same for the terms of the text, in order; in the keyword backend
about      the whole record but its vector, as JSON; in the vector backend, as is `vector`
content    what the semantic ranker reads, where it is used

One document has only `about`: what the index is made for.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from azure.search.documents.indexes.models import (
    BM25SimilarityAlgorithm,
    ExhaustiveKnnAlgorithmConfiguration,
    ExhaustiveKnnParameters,
    HnswAlgorithmConfiguration,
    HnswParameters,
    SearchField,
    SearchIndex,
    SemanticConfiguration,
    SemanticField,
    SemanticPrioritizedFields,
    SemanticSearch,
    VectorSearch,
    VectorSearchProfile,
)

from hierdoc import Filter, StoreError
from hierdoc.plugin import (
    Record,
    RecordTerms,
    TagFold,
    from_store_text,
    join_conditions,
    record_tags,
    state_key,
    tag,
    to_store_text,
)
from hierdoc_azure_ai_search import AzureConfig, AzureVectorConfig

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCHEMA = 1
"""Changes with anything in this module that an existing index would not agree with."""

MANIFEST = "manifest"
"""The key of the document that says what the index is made for."""

RANKER = "hierdoc"
"""The name of the semantic ranker's configuration."""

EVERYTHING = "place ne null"
NOTHING = "place eq ''"

_LONGEST = 32_000
"""Bytes of a value that can be filtered or sorted by; Azure takes 32,766."""

_MOST_VALUES = 2000
"""Values in one `search.in`."""


def make_index(name: str, config: AzureConfig, dimensions: int | None) -> SearchIndex:
    """The definition of an index.

    Args:
        name: Its name.
        config: How words are weighed and vectors are indexed.
        dimensions: Of its vectors; None for words alone.
    """
    fields = [
        _field("key", key=True, filterable=True, hidden=False),
        _field("chunk_id", hidden=False),
        SearchField(
            name="tags",
            type="Collection(Edm.String)",
            filterable=True,
            searchable=False,
            facetable=False,
            hidden=True,
        ),
        _field("place", filterable=True, sortable=True, hidden=False),
        _field("state", filterable=True, facetable=True, hidden=False),
        _field("stamp", filterable=True),
        _field("variant", filterable=True, facetable=True, hidden=False),
        _field("words", searchable=True, analyzer_name="whitespace"),
        _field("about", hidden=False),
    ]
    more: dict[str, Any] = {}
    if dimensions is None:
        fields.append(_field("phrase", searchable=True, analyzer_name="whitespace"))
    else:
        assert isinstance(config, AzureVectorConfig)
        vector = SearchField(
            name="vector",
            type="Collection(Edm.Single)",
            searchable=True,
            hidden=False,
            vector_search_dimensions=dimensions,
            vector_search_profile_name="profile",
        )
        fields.append(vector)
        profile = VectorSearchProfile(name="profile", algorithm_configuration_name="algorithm")
        more["vector_search"] = VectorSearch(profiles=[profile], algorithms=[_algorithm(config)])
        if config.semantic_ranker:
            fields.append(_field("content", searchable=True, hidden=False))
            content = SemanticPrioritizedFields(
                content_fields=[SemanticField(field_name="content")]
            )
            ranker = SemanticConfiguration(name=RANKER, prioritized_fields=content)
            more["semantic_search"] = SemanticSearch(configurations=[ranker])
    similarity = BM25SimilarityAlgorithm(k1=config.k1, b=config.b)
    return SearchIndex(name=name, fields=fields, similarity=similarity, **more)


def make_document(
    record: Record,
    terms: RecordTerms,
    vector: NDArray[np.float32] | None,
    *,
    readable: bool = False,
) -> dict[str, Any]:
    """The document of a record.

    Args:
        record: It.
        terms: Its terms.
        vector: float32 of shape [dimensions], of length 1 or 0; None in a keyword backend.
        readable: With what the semantic ranker reads.

    Raises:
        StoreError: Its source or id is longer than Azure sorts by.
    """
    made: dict[str, Any] = {
        "key": key_of(record.id),
        "chunk_id": to_store_text(record.id),
        "tags": record_tags(record),
        "place": place(record),
        "state": state_key(record),
        "variant": terms.variant,
        "words": " ".join(token(term) for term in terms.counts.elements()),
    }
    for name in ("place", "state"):
        if len(made[name]) > _LONGEST:
            raise StoreError(
                f"chunk {record.id[:100]!r} cannot be stored: its source and id are longer than Azure AI Search sorts by",
                hint="Give the file a shorter path.",
            )
    if vector is None:
        made["phrase"] = tokens(terms.text)
        return made
    made["about"] = record.to_json()
    if vector.any():
        made["vector"] = [float(f"{one:.9g}") for one in vector.tolist()]
    if readable:
        fields = record.text_fields()
        made["content"] = to_store_text(f"{fields['context']}\n\n{fields['text']}")
    return made


def chunk_id_of(found: Any) -> str:
    """The chunk's id."""
    return from_store_text(found["chunk_id"])


def key_of(chunk_id: str) -> str:
    """What stands for a chunk's id, which may hold any characters."""
    return tag("id", chunk_id)


def place(record: Record) -> str:
    """Where a record stands: hexadecimal digits sort alike under every collation."""
    source, chunk_id = (
        to_store_text(one).encode().hex() for one in (record.chunk.source, record.id)
    )
    return f"{source}.{record.chunk.ordinal:016x}.{chunk_id}"


@lru_cache(maxsize=131_072)
def token(term: str) -> str:
    """Eight letters and digits that stand for a term: none of them means anything to a query's syntax."""
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=5).digest()
    return base64.b32encode(digest).decode().lower()


def tokens(terms: Iterable[str]) -> str:
    """Terms in order."""
    return " ".join(map(token, terms))


def selection(filter: Filter | None) -> str:
    """The condition for the records that a filter selects."""
    return EVERYTHING if filter is None else f"{EVERYTHING} and ({_Expression()(filter)})"


def one_of(field: str, values: Sequence[str]) -> str:
    """The condition that a field has one of these values, which hold letters and digits only."""
    return _any(values, lambda some: f"search.in({field}, '{some}', ',')")


def has_any(tags: Sequence[str]) -> str:
    """The condition that a record has one of these tags."""
    return _any(tags, lambda some: f"tags/any(t: search.in(t, '{some}', ','))")


def literal(text: str) -> str:
    """A string of OData."""
    return "'" + text.replace("'", "''") + "'"


def _any(values: Sequence[str], make: Any) -> str:
    starts = range(0, len(values), _MOST_VALUES)
    return join_conditions([make(",".join(values[n : n + _MOST_VALUES])) for n in starts], "or")


class _Expression(TagFold[str]):
    def has_any(self, tags: Sequence[str]) -> str:
        return has_any(tags)

    def all_of(self, parts: Sequence[str]) -> str:
        return join_conditions([f"({part})" for part in parts], "and") if parts else EVERYTHING

    def any_of(self, parts: Sequence[str]) -> str:
        return join_conditions([f"({part})" for part in parts], "or") if parts else NOTHING

    def negation(self, part: str) -> str:
        return f"not ({part})"


def _algorithm(config: AzureVectorConfig) -> Any:
    if config.index == "flat":
        parameters = ExhaustiveKnnParameters(metric="cosine")
        return ExhaustiveKnnAlgorithmConfiguration(name="algorithm", parameters=parameters)
    graph = HnswParameters(
        m=config.m, ef_construction=config.ef_construction, ef_search=config.ef, metric="cosine"
    )
    return HnswAlgorithmConfiguration(name="algorithm", parameters=graph)


def _field(name: str, **traits: Any) -> SearchField:
    """A string that can do nothing but what is said."""
    none = {"searchable": False, "filterable": False, "sortable": False, "facetable": False}
    return SearchField(name=name, type="Edm.String", **{**none, "hidden": True, **traits})
