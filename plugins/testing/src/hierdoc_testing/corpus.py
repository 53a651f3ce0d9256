"""A small corpus made on the spot, always the same: records with vectors, chunks and documents for tests of your own too."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierdoc import Chunk, Definition, Document, Hit, LegScore, Reference, Section, Version
from hierdoc.plugin import DocumentVersion, IndexSpec, Record
from hierdoc.structure import understand

DIMENSIONS = 384
"""Length of the vectors: that of small embedding models."""

SPEC = IndexSpec("hierdoc-testing@1", DIMENSIONS)
"""What the kit's indexes are made for."""

DOCUMENT_VERSION = DocumentVersion("hash", "pipeline", 1)

_WORDS = (
    "harbour master berth vessel anchor pilot tide channel cargo permit fee notice order inspection register owner crew "
    "signal light buoy quay crane customs storm shelter repair survey licence appeal record"
).split()


def direction(*components: float) -> NDArray[np.float32]:
    """A vector of length 1 with these first components; the others are 0."""
    vector = np.zeros(DIMENSIONS, np.float32)
    vector[: len(components)] = components
    length = float(np.linalg.norm(vector))
    return (vector / length if length else vector).astype(np.float32)


def directions(count: int, seed: int = 0) -> NDArray[np.float32]:
    """Vectors of length 1 in all directions, float32 of shape [count, DIMENSIONS]."""
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSIONS))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def make_record(
    id: str,
    text: str = "word",
    *,
    source: str = "docs/a.md",
    vector: NDArray[np.float32] | None = None,
    version: DocumentVersion = DOCUMENT_VERSION,
    **fields: Any,
) -> Record:
    """A record; without a vector it points along the first axis.

    Args:
        id: Its chunk's id.
        text: Its chunk's text.
        source: The document's name.
        vector: float32 of shape [DIMENSIONS].
        version: The version of its document.
        fields: Further fields of its `Chunk`.
    """
    chunk = Chunk(source, text, 0, len(text), 1, 1 + text.count("\n"), id=id, **fields)
    return Record(chunk, version, direction(1) if vector is None else vector)


def make_document_records(source: str, count: int, version: str = "1") -> list[Record]:
    """All records of one version of a document, in order."""
    document_version = DocumentVersion(f"hash {version}", "pipeline", count)
    return [
        make_record(
            f"{source}#{version}.{ordinal:05d}",
            f"word {version} number{ordinal}",
            source=source,
            ordinal=ordinal,
            version=document_version,
        )
        for ordinal in range(count)
    ]


def make_whole_record(id: str = "whole") -> Record:
    """A record in which every field has a value, and lists are neither sorted nor without repetitions."""
    chunk = Chunk(
        source="acts/ä b/harbour.md",
        text="§ 4 “Berth” means a place,\r\nsee Section 5.\r\u0085\u2028\n\n| a | b |",
        char_start=10,
        char_end=63,
        line_start=2,
        line_end=4,
        page_start=1,
        page_end=2,
        id=id,
        ordinal=123_456,
        title="Harbour Act",
        parent_chain=(
            "Part I > One",
            "",
            "a/b",
            "x, y; z | w",
            "\t\x1f\x1e\n",
            "Section 4",
            "Section 4",
        ),
        section_id="sec_4",
        section_keys=("sec_4_b", "sec_4", "sec_4_a", "sec_4"),
        ancestor_keys=("part_ii", "part_i", "part_ii"),
        headings=("zeta", "berths", "alpha", "berths", ""),
        sections=(Section("sec_4", "Section 4", 2, 10, 63, 2, 4, 1, None),),
        definitions=(Definition("Berth", "means a place", "acts/ä b/harbour.md", "sec_4"),),
        references=(
            Reference(
                "§ 9 of the Fees Act", "sec_9", False, (), "fees_act", ("art_1", "sec_9"), "fees.md"
            ),
            Reference("Section 5", "sec_5", True, ("other", "another", "other")),
        ),
        kind="definition",
        language="en",
        context="Harbour Act > Part I",
        metadata={
            "effective": date(2020, 5, 31),
            "version": Version("2.10"),
            "tags": ("berths", "é"),
        },
    )
    return Record(chunk, DocumentVersion("0123abcd", "fedc9876", 7), direction(1, 2, 3, 4))


def make_text(words: int, seed: int = 0) -> str:
    """So many words of prose, in sentences and paragraphs."""
    chosen = np.random.default_rng(seed).integers(0, len(_WORDS), words)
    parts = []
    for place, word in enumerate(chosen):
        end = ".\n\n" if place % 60 == 59 else ". " if place % 12 == 11 else " "
        parts.append(_WORDS[word] + end)
    return "".join(parts).strip()


def unique_word(number: int) -> str:
    """A word that no stemmer, tokenizer or spelling correction takes for that of another number."""
    return "z" + "".join("bcdfghjklm"[int(digit)] for digit in str(number)) + "x"


def make_markdown(sections: int = 12, words: int = 80) -> str:
    """Markdown with a preamble, headings of three levels, a list, a table, code and letters of other scripts."""
    parts = ["Preamble before any heading.\n"]
    for number in range(1, sections + 1):
        level = 1 + (number - 1) % 3
        parts.append(f"{'#' * level} Section {number} Topic{number}\n")
        parts.append(f"Unique{number} says it. {make_text(words, seed=number)}\n")
        if number % 4 == 1:
            parts.append("- first item\n- second item\n- third item\n")
        if number % 4 == 2:
            parts.append("| key | value |\n|---|---|\n| one | 1 |\n| two | 2 |\n")
        if number % 4 == 3:
            parts.append("```python\n# not a heading\nprint('code')\n```\n")
        if number % 4 == 0:
            parts.append("Straße, naïve, 法律责任, договор, 😀.\n")
    return "\n".join(parts)


def make_document(
    text: str | None = None,
    *,
    source: str = "docs/harbour.md",
    title: str = "Harbour Act",
    pages: int = 0,
) -> Document:
    """A document as a chunker gets it: with its sections, definitions and language.

    Args:
        text: Its markdown; that of `make_markdown` by default.
        source: Its name.
        title: Its title.
        pages: Into how many pages of about equal length it is divided; 0 for none.
    """
    text = make_markdown() if text is None else text
    starts = tuple(len(text) * page // pages for page in range(pages))
    return understand(Document(source, title, text, page_starts=starts))


def make_hits(texts: Sequence[str]) -> list[Hit]:
    """Hits with these texts, as a fusion ranked them: in this order, scores falling."""
    hits = []
    for rank, text in enumerate(texts, start=1):
        record = make_record(f"chunk-{rank:03d}", text, ordinal=rank, title=f"Title {rank}")
        score = 1 / (60 + rank)
        legs = {"semantic": LegScore(rank, score)}
        reference = Reference("Section 5", "sec_5")
        hits.append(Hit(rank, score, legs, record.chunk, references=(reference,)))
    return hits
