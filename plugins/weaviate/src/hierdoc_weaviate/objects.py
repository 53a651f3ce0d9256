"""Records as objects of Weaviate, and filters over them.

An object's id is the UUIDv5 of the chunk's id. Its properties:

    chunk_id   the chunk's id
    tags       a digest for each value that a filter can ask for; one tag is on every record
    place      source, position and id, in digits that sort as the three do
    state      the version of its document
    variant    by which variant of the analyzer its words are
    words      the terms of the record, each as often as it counts
    record     the whole record but its vector, as JSON; in the vector backend

Other objects have a `note` instead: the manifest, which says what the collection or tenant is made for, and a mark for the documents of
which records are being written.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hierdoc import Filter
from hierdoc.plugin import (
    Record,
    RecordTerms,
    TagFold,
    from_store_text,
    record_tags,
    state_key,
    tag,
    to_store_text,
)
from hierdoc_weaviate.protocol import base_pb2, batch_pb2

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCHEMA = 1
"""Changes with anything in this module that an existing collection would not agree with."""

VECTOR = "default"
"""The name of the vector."""

WORDS = "words"

MANIFEST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff"
"""The largest UUID, which is of no version (RFC 9562)."""

FIRST_ID = "00000000-0000-0000-0000-000000000000"

_NAMESPACE = uuid.UUID("6b1a52f7-1a0c-5c7e-9a0e-0d6f3b8f7c11")
_RECORD_TAG = tag("", "")
_NO_TAG = tag("", "none")

MARK_TAG = tag("", "mark")
"""On every mark."""

_Operator = base_pb2.Filters
_NOT: Any = 15
"""By its number: the first of the clients that we take lack the name."""


def properties() -> list[dict[str, Any]]:
    """The properties of a collection, for its making."""
    indexed = {"tags": "text[]", "place": "text", "variant": "text"}
    return [
        *(
            {"name": name, "dataType": [kind], "tokenization": "field", "indexSearchable": False}
            for name, kind in indexed.items()
        ),
        *(
            {"name": name, "dataType": ["text"], "indexFilterable": False, "indexSearchable": False}
            for name in ("chunk_id", "state", "record", "note")
        ),
        {
            "name": WORDS,
            "dataType": ["text"],
            "tokenization": "whitespace",
            "indexFilterable": False,
            "indexSearchable": True,
        },
    ]


def make_object(
    record: Record, terms: RecordTerms, vector: NDArray[np.float32] | None
) -> batch_pb2.BatchObject:
    """The object of a record.

    Args:
        record: It.
        terms: Its terms.
        vector: float32 of shape [dimensions], of length 1 or 0; None in a keyword backend, which then keeps no record.
    """
    made = batch_pb2.BatchObject(uuid=object_id(record.id))
    fields = {
        "chunk_id": to_store_text(record.id),
        "place": place(record),
        "state": state_key(record),
        "variant": terms.variant,
        WORDS: " ".join(terms.repeated()),
    }
    if vector is not None:
        fields["record"] = record.to_json()
        made.vectors.append(
            base_pb2.Vectors(
                name=VECTOR,
                vector_bytes=vector.astype("<f4").tobytes(),
                type=base_pb2.Vectors.VECTOR_TYPE_SINGLE_FP32,
            )
        )
    made.properties.non_ref_properties.update(fields)
    tags = made.properties.text_array_properties.add(prop_name="tags")
    tags.values.extend([_RECORD_TAG, *record_tags(record)])
    return made


def make_manifest_object(manifest: str) -> batch_pb2.BatchObject:
    """The object that says what a collection or tenant is made for."""
    made = batch_pb2.BatchObject(uuid=MANIFEST_ID)
    made.properties.non_ref_properties.update({"note": manifest})
    return made


def make_mark(sources: Sequence[str]) -> batch_pb2.BatchObject:
    """The object that says that records of these documents are being written; never the same twice."""
    made = batch_pb2.BatchObject(uuid=str(uuid.uuid4()))
    made.properties.non_ref_properties.update({"note": json.dumps(list(sources))})
    tags = made.properties.text_array_properties.add(prop_name="tags")
    tags.values.extend([MARK_TAG, mark_tag(made.uuid)])
    return made


def mark_tag(mark: str) -> str:
    """The tag of a mark's own."""
    return tag("mark", mark)


def noted(result: Any) -> str:
    """The note of a hit, which is JSON."""
    return text_of(result, "note")


def text_of(result: Any, name: str) -> str:
    """A property of a hit; empty where it has none."""
    return str(result.properties.non_ref_props.fields[name].text_value)


def chunk_id_of(result: Any) -> str:
    """The chunk's id."""
    return from_store_text(text_of(result, "chunk_id"))


def object_id(chunk_id: str) -> str:
    """The UUIDv5 (RFC 9562) of a chunk's id, which may hold any characters."""
    name = _NAMESPACE.bytes + chunk_id.encode("utf-8", "surrogatepass")
    return str(uuid.UUID(bytes=hashlib.sha1(name, usedforsecurity=False).digest()[:16], version=5))


def place(record: Record) -> str:
    """Where a record stands. Weaviate does not tell capitals from small letters when it sorts; of hexadecimal digits there are none."""
    source, chunk_id = (
        to_store_text(one).encode().hex() for one in (record.chunk.source, record.id)
    )
    return f"{source}.{record.chunk.ordinal:016x}.{chunk_id}"


def selection(filter: Filter | None) -> base_pb2.Filters:
    """The condition for the records that a filter selects; for all records, where there is none."""
    return has_any("tags", [_RECORD_TAG]) if filter is None else _Selection()(filter)


def has_any(name: str, values: Sequence[str]) -> base_pb2.Filters:
    """The condition that a property has one of these values."""
    return _leaf(_Operator.OPERATOR_CONTAINS_ANY, name, values)


def has_none(name: str, values: Sequence[str]) -> base_pb2.Filters:
    """The condition for records of which a property has none of these values."""
    return negated(has_any(name, values)) if values else selection(None)


def after(name: str, value: str) -> base_pb2.Filters:
    """The condition that a property comes after this value."""
    return base_pb2.Filters(
        operator=_Operator.OPERATOR_GREATER_THAN,
        value_text=value,
        target=base_pb2.FilterTarget(property=name),
    )


def all_of(parts: Sequence[base_pb2.Filters]) -> base_pb2.Filters:
    """All conditions together."""
    return base_pb2.Filters(operator=_Operator.OPERATOR_AND, filters=parts)


def negated(part: base_pb2.Filters) -> base_pb2.Filters:
    """The condition for records that do not fulfil another."""
    negation = base_pb2.Filters(operator=_NOT, filters=[part])
    return all_of([selection(None), negation])


class _Selection(TagFold[base_pb2.Filters]):
    def has_any(self, tags: Sequence[str]) -> base_pb2.Filters:
        return has_any("tags", tags)

    def has_all(self, tags: Sequence[str]) -> base_pb2.Filters:
        return _leaf(_Operator.OPERATOR_CONTAINS_ALL, "tags", tags)

    def all_of(self, parts: Sequence[base_pb2.Filters]) -> base_pb2.Filters:
        return all_of(parts) if parts else selection(None)

    def any_of(self, parts: Sequence[base_pb2.Filters]) -> base_pb2.Filters:
        if not parts:
            return has_any("tags", [_NO_TAG])
        return base_pb2.Filters(operator=_Operator.OPERATOR_OR, filters=parts)

    def negation(self, part: base_pb2.Filters) -> base_pb2.Filters:
        return negated(part)


def _leaf(operator: Any, name: str, values: Sequence[str]) -> base_pb2.Filters:
    return base_pb2.Filters(
        operator=operator,
        value_text_array=base_pb2.TextArray(values=values),
        target=base_pb2.FilterTarget(property=name),
    )
