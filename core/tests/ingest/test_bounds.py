"""What a document can make an ingest repeat: what is stored of it grows as the document does, whatever stands in it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from hierdoc import AsyncIndex, Chunk, Division, Document
from hierdoc.citations.grammar import MOST_LEVELS
from hierdoc.defaults.chunkers import StructureChunker
from hierdoc.ingest.pipeline import identify
from hierdoc.plugin import DocumentVersion, Record
from hierdoc.structure import understand
from hierdoc.structure.definitions import LONGEST_DEFINITION
from hierdoc.structure.markdown import LONGEST_TITLE
from hierdoc.structure.nesting import MOST_NESTED
from hierdoc.structure.sections import flatten

PLENTY = 2_000


def chunks_of(document: Document) -> list[Chunk]:
    understood = understand(document, "auto")
    chunks = StructureChunker().chunk(understood)
    return identify(chunks, [" > ".join(chunk.parent_chain) for chunk in chunks])


def stored(text: str) -> int:
    """Characters that a store gets of a document: each record and the fields that it is found by."""
    records = [
        Record(chunk, DocumentVersion("", "", 0))
        for chunk in chunks_of(Document("a.md", "A", text))
    ]
    return sum(len(one.to_json()) + len(json.dumps(one.fields())) for one in records)


@pytest.mark.parametrize(
    "part",
    [
        ("See Section 1", "(a)", " of it."),
        ("See Section 1", ".1", " of it."),
        ("See Section 1(a)", ", (b)", " of it."),
        ("# 1", ".1", " Scope\n\n" + "Text of it. " * PLENTY),
        ("# ", "some words ", "\n\n" + "Text of it. " * PLENTY),
        ("# Act\n\nSee ", "Section 2, ", "and no more."),
        ("# Act\n\nSee sections 1", ", 2", " and no more."),
        ("# Definitions\n\n", "“Harbour” means a port.\n\n", ""),
        ("# Definitions\n\n", "“Harbour” means the following:\n\n", ""),
        ("# Definitions\n\n“Harbour” means ", "a port or ", "a pier."),
        ("# Definitions\n\n", "“Harbour” or ", "“port” means a pier."),
        ("# Definitions\n\n“Harbour” means the following", ":\n\n“Port” means the following", "."),
        ("", "- ", "a"),
        ("", "> ", "a"),
        ("|", "a|", "\n|---|\n|" + "b|\n" * PLENTY),
    ],
    ids=lambda part: f"{part[0]}{part[1]}".replace("\n", " ")[:40],
)
def test_twice_the_document_is_twice_the_index(part: tuple[str, str, str]) -> None:
    begin, middle, end = part
    once, twice = (stored(f"{begin}{middle * count}{end}") for count in (PLENTY, 2 * PLENTY))
    assert twice < 2.5 * once
    assert twice < 60 * len(f"{begin}{middle * 2 * PLENTY}{end}") + 10_000


def test_a_long_heading_gives_its_section_a_short_title() -> None:
    text = f"# {'word ' * PLENTY}\n\n{'Text of it. ' * PLENTY}"
    for chunk in chunks_of(Document("a.md", "A", text)):
        assert all(len(title) <= LONGEST_TITLE for title in chunk.parent_chain)
        assert all(len(name) <= LONGEST_TITLE for name in chunk.headings)


def test_a_chunk_carries_so_much_of_definitions() -> None:
    brackets = "# A\n\nAcme Corporation " + "".join(
        f"(the “Company {number}”) " for number in range(PLENTY)
    )
    sentence = "# Definitions\n\n“Harbour” means " + "a port, " * 20_000
    for text in (brackets, sentence):
        chunks = chunks_of(Document("a.md", "A", text))
        carried = [sum(len(one.text) for one in chunk.definitions) for chunk in chunks]
        assert 0 < max(carried) <= LONGEST_DEFINITION


def test_a_stated_outline_is_bounded_too() -> None:
    text = "".join(f"{level:05} Title\n" for level in range(PLENTY))
    outline = tuple(
        Division(12 * level, 12 * level + 11, level + 1, "T" * PLENTY, "_".join("s" * PLENTY))
        for level in range(PLENTY)
    )
    document = understand(Document("a.xml", "A", text, outline=outline))
    sections = flatten(document.sections)
    assert len(sections) == PLENTY
    assert len({entry.section.id for entry in sections}) == PLENTY
    assert all(len(entry.section.title) <= LONGEST_TITLE for entry in sections)
    assert all((entry.section.key or "").count("_") <= MOST_LEVELS for entry in sections)
    assert max(len(chunk.parent_chain) for chunk in chunks_of(document)) == MOST_NESTED


def test_enumerated_subsections_of_any_depth_have_short_names() -> None:
    text = "".join(f"({level:05}) Text\n" for level in range(PLENTY))
    outline = tuple(
        Division(13 * level, 13 * level + 7, level + 1, f"({level:05})", enumerator="a" * PLENTY)
        for level in range(PLENTY)
    )
    document = understand(Document("a.xml", "A", text, outline=outline))
    assert all(len(entry.section.id) < PLENTY for entry in flatten(document.sections))


async def _ingested(file: Path) -> list[Record]:
    index = AsyncIndex.open({"source": str(file), "vector": "in-memory", "keyword": "in-memory"})
    async with index:
        report = await index.ingest()
        assert not report.failures
        return [record async for page in index._components.vector.scan() for record in page]


def test_a_file_with_a_citation_of_many_levels_is_ingested(tmp_path: Path) -> None:
    file = tmp_path / "act.md"
    file.write_text(f"# Act\n\nSee Section 1{'(a)' * 60_000} of it.\n", encoding="utf-8")
    records = asyncio.run(_ingested(file))
    assert sum(len(record.to_json()) for record in records) < 10 * file.stat().st_size


def test_a_file_with_a_long_title_is_ingested(tmp_path: Path) -> None:
    file = tmp_path / "act.html"
    file.write_text(f"<title>{'word ' * PLENTY}</title><p>{'Text. ' * PLENTY}", encoding="utf-8")
    records = asyncio.run(_ingested(file))
    assert max(len(record.chunk.title) for record in records) <= 300
