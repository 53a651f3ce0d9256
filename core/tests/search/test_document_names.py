"""Documents that a query names: their passages come before those of others."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hierdoc import AsyncIndex
from hierdoc.search.ranking import DocumentNames

FILINGS = (
    "f/PEPSICO_2022_10K.pdf",
    "f/PEPSICO_2023_8K.pdf",
    "f/JPMORGAN_2021_10Q.pdf",
    "3M_2022.md",
)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What is Pepsico's EBITDA in 2023?", "f/PEPSICO_2023_8K.pdf"),
        ("which segments did JPM have", "f/JPMORGAN_2021_10Q.pdf"),
        ("is 3M capital intensive", "3M_2022.md"),
        ("jpmorg", "f/JPMORGAN_2021_10Q.pdf"),
    ],
)
def test_the_document_that_has_most_of_the_names(query: str, expected: str) -> None:
    shares = DocumentNames(FILINGS).shares(query)
    assert max(shares, key=shares.__getitem__) == expected
    assert shares[expected] == pytest.approx(1)


@pytest.mark.parametrize("query", ["what are the risks", "jpm", "f", "pdf", "", "of the"])
def test_a_query_without_names(query: str) -> None:
    assert DocumentNames(FILINGS).shares(query) == {}


def test_what_all_names_have_does_not_count() -> None:
    assert DocumentNames(["eip-1.md", "eip-2.md"]).shares("what is an eip") == {}
    assert DocumentNames(["terms-of-service.md"]).shares("terms of service") == {}
    assert DocumentNames().shares("anything") == {}


async def _sources(folder: Path, query: str) -> list[str]:
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    async with AsyncIndex.open({"source": str(folder), **stores}) as index:
        await index.ingest()
        return [hit.chunk.source for hit in (await index.search(query)).hits]


def test_passages_of_the_named_document_come_first(tmp_path: Path) -> None:
    for name in ("acme_2022", "brass_2022", "corona_2022"):
        rest = "".join(f"\n\n## Part {n}\n\nAbout {name} and its {n} plants." for n in range(12))
        more = " Restructuring costs again." if name == "acme_2022" else ""
        text = f"# Annual report\n\nRestructuring costs of the year were high.{more}{rest}\n"
        (tmp_path / f"{name}.md").write_text(text)
    found = asyncio.run(_sources(tmp_path, "restructuring costs of Corona"))
    assert found[0].endswith("corona_2022.md")
