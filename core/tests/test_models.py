"""Values: what a record is stored as, and what a hit is printed as."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from hierdoc import (
    Chunk,
    Definition,
    Hit,
    LegScore,
    Reference,
    SearchResult,
    Section,
    Source,
    StoreError,
)
from hierdoc.plugin import REBUILD, TEXT_FIELDS, DocumentState, DocumentVersion, Record

CHUNK = Chunk(
    source="docs/act.md",
    text="“Person” means a natural person; see section 5.",
    char_start=10,
    char_end=57,
    line_start=3,
    line_end=3,
    page_start=1,
    page_end=1,
    id="c1",
    ordinal=4,
    title="An Act",
    parent_chain=("Title I", "Section 2"),
    section_id="sec_2",
    section_keys=("sec_2",),
    ancestor_keys=("title_1",),
    headings=("section 2",),
    sections=(Section("sec_2", "Section 2", 2, 10, 57, 3, 3, 1, 1),),
    definitions=(Definition("Person", "a natural person", "docs/act.md", "sec_2"),),
    references=(Reference("section 5", "sec_5", True, ("c9",)),),
    kind="definition",
    language="en",
    context="An Act > Title I",
)
VERSION = DocumentVersion("hash", "pipeline", 7)


def test_a_record_survives_the_way_through_json() -> None:
    record = Record(CHUNK, VERSION)
    again = Record.from_payload(json.loads(json.dumps(record.payload())))
    assert (again.chunk, again.version) == (CHUNK, VERSION)
    again = Record.from_json(record.to_json().encode())
    assert (again.chunk, again.version) == (CHUNK, VERSION)


@pytest.mark.parametrize("text", ["", "\0", "lone \ud800", "ä 法 😀", '"\\\u2028'])
def test_any_text_survives_as_json_that_any_store_takes(text: str) -> None:
    record = Record(replace(CHUNK, text=text, source=text), VERSION)
    stored = record.to_json()
    assert "\0" not in stored
    assert stored.encode()
    assert Record.from_json(stored).chunk == record.chunk


@pytest.mark.parametrize("data", ["", "{", "{}", '{"chunk": {}}', "[]", b"\xff"])
def test_json_that_is_no_record_is_an_error_with_the_way_out(data: str | bytes) -> None:
    with pytest.raises(StoreError, match="cannot be read") as raised:
        Record.from_json(data)
    assert raised.value.hint == REBUILD


def test_a_record_gets_its_vector_back() -> None:
    vector = np.ones(3, dtype=np.float32)
    assert Record.from_payload(Record(CHUNK, VERSION).payload(), vector).vector is vector


def test_name_and_context_are_indexed_but_not_returned() -> None:
    record = Record(CHUNK, VERSION)
    assert record.text_fields() == {"name": "act", "context": CHUNK.context, "text": CHUNK.text}
    assert record.text_fields().keys() == TEXT_FIELDS.keys()
    assert record.text == f"act\n\nAn Act > Title I\n\n{CHUNK.text}"
    assert CHUNK.text.startswith("“Person”")


def test_terms_are_compared_without_case() -> None:
    assert Record(CHUNK, VERSION).fields()["terms"] == ("person",)


def test_a_hit_prints_every_field_of_the_contract() -> None:
    hit = Hit(1, 0.5, {"keyword": LegScore(1, 3.2)}, CHUNK, references=CHUNK.references)
    printed = SearchResult("q", "hybrid", 10, (hit,), timings_ms={"total": 1.0}).to_dict()
    assert list(printed) == [
        "query", "mode", "top_k", "hits", "degraded", "low_confidence", "ambiguous", "scope", "timings_ms",
    ]  # fmt: skip
    assert list(printed["hits"][0]) == [
        "rank", "score", "certain", "ambiguous", "scores", "chunk_id", "source", "title", "parent_chain", "section_id", "kind", "content",
        "context", "metadata", "char_start", "char_end", "line_start", "line_end", "page_start", "page_end", "definitions",
        "references",
    ]  # fmt: skip
    assert printed["hits"][0]["scores"] == {"keyword": {"rank": 1, "score": 3.2}}
    assert printed["hits"][0]["references"][0]["chunk_ids"] == ["c9"]
    json.dumps(printed)


def test_the_state_of_a_document_is_that_of_its_records() -> None:
    other = DocumentVersion("hash", "another pipeline", 7)
    assert DocumentState.of([VERSION] * 7) == DocumentState(VERSION, 7)
    assert DocumentState.of({VERSION: 7}) == DocumentState(VERSION, 7)
    assert DocumentState.of([VERSION, other]) == DocumentState(None, 2)
    assert DocumentState.of([]) == DocumentState(None, 0)


def test_a_document_is_complete_when_all_its_records_are_of_one_version() -> None:
    assert DocumentState(VERSION, 7).complete
    assert not DocumentState(VERSION, 6).complete
    assert not DocumentState(None, 7).complete


def test_a_suffix_is_lower_case() -> None:
    assert Source("docs/Act.MD", b"").suffix == ".md"
    assert Source("docs/LICENSE", b"").suffix == ""
