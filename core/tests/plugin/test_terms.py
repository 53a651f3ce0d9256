"""The words of a record and what they weigh."""

from __future__ import annotations

from collections import Counter

from hierdoc import Analyzer, Chunk
from hierdoc.plugin import TEXT_FIELDS, DocumentVersion, Record, record_terms

RECORD = Record(
    Chunk(
        "acts/harbour.md", "The pilot boards.", 0, 17, 1, 1, context="Pilot rules", language="en"
    ),
    DocumentVersion("hash", "pipeline", 1),
)


def test_a_word_of_the_context_counts_twice() -> None:
    assert dict(TEXT_FIELDS) == {"name": 1, "context": 2, "text": 1}
    terms = record_terms(RECORD, Analyzer("en"))
    assert terms.counts == {"harbour": 1, "pilot": 3, "rule": 2, "the": 1, "board": 1}
    assert terms.length == 8
    assert Counter(terms.repeated()) == terms.counts


def test_phrases_are_looked_for_in_the_text_alone() -> None:
    assert list(record_terms(RECORD, Analyzer("en")).text) == ["the", "pilot", "board"]


def test_terms_are_of_the_documents_language() -> None:
    assert record_terms(RECORD, Analyzer()).variant == "en"
    assert record_terms(RECORD, Analyzer("none")).counts["rules"] == 2
