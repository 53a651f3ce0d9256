"""Documents that a query names: their passages come before those of others."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hierdoc import AsyncIndex, Index, QueryError
from hierdoc.search.naming import DocumentNames

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
    assert 0.4 < shares[expected] <= 1


def test_a_folder_of_many_names_none_of_them(tmp_path: Path) -> None:
    folder = tmp_path / "asvs"
    folder.mkdir()
    for name in ("What-is-the-ASVS", "Access", "Crypto", "Sessions", "Appendix-C"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nAbout {name}.\n")
    with Index.open(
        {"source": str(tmp_path), "vector": "in-memory", "keyword": "in-memory"}
    ) as index:
        index.ingest()
        assert index.search("ASVS and its sessions").scope == ()


def test_a_whole_name_names_more_than_a_common_part_of_one() -> None:
    names = DocumentNames(["gdpr.html", "V14-Data-Protection.md", "services.md", "leave.md"])
    shares = names.shares("age of consent for online services gdpr")
    assert shares["gdpr.html"] == 1
    shares = names.shares("when do I need a data protection officer")
    assert 0 < shares["V14-Data-Protection.md"] < 1


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


CONTRACTS = {
    "ACME_EX-10.1-SUPPLY AGREEMENT.txt": (
        'SUPPLY AGREEMENT\n\nThis Supply Agreement is made by and between Acme Metals, Inc. ("Acme") and Borealis LLC '
        '("Buyer").\n\nSection 1. Term. It lasts three years.\n\nSection 2. Price. Ten per ton.\n'
    ),
    "ACME_EX-10.2-LEASE.txt": (
        "LEASE\n\nThis Lease is made by and between Acme Metals, Inc. and Cyan Homes Ltd.\n\nSection 1. Term. It lasts nine "
        "years.\n\nSection 2. Rent. Five per month.\n"
    ),
    "DELTA_2018_10K.txt": (
        "DELTA WIDGETS CORPORATION\n\nANNUAL REPORT\n\nFor the fiscal year ended December 31, 2018\n\nItem 1. Business. It sells widgets for "
        "a price. Its term is long.\n"
    ),
    "DELTA_2019_10K.txt": (
        "DELTA WIDGETS CORPORATION\n\nANNUAL REPORT\n\nFor the fiscal year ended December 31, 2019\n\nItem 1. Business. It sells gadgets for "
        "a price. Its term is short.\n"
    ),
    "notes.md": "# Notes on terms\n\nWhat is a term? A price and a term are agreed upon.\n",
    "more.md": "# More notes\n\nA term may be long, a price may be high, and rent is rent.\n",
}


CONTRACTS |= {
    f"ore{n}.md": f"# Ore {n}\n\nMetals of all sorts are in ore {n}.\n" for n in range(20)
}


def scope_of(tmp_path: Path, query: str, **wanted: bool) -> tuple[set[str], set[str]]:
    """The documents that the query is limited to, and those of its hits."""
    for name, text in CONTRACTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    async def ask() -> tuple[set[str], set[str]]:
        async with AsyncIndex.open(
            {"source": str(tmp_path), "vector": "in-memory", "keyword": "in-memory"}
        ) as index:
            await index.ingest()
            result = await index.search(query, **wanted)
            hits = {Path(hit.chunk.source).name for hit in result.hits}
            return {Path(one).name for one in result.scope}, hits

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Consider the Supply Agreement between Acme Metals, Inc. and Borealis LLC; what is its term?", {"ACME_EX-10.1-SUPPLY AGREEMENT.txt"}),
        ("What rent does Cyan Homes get?", {"ACME_EX-10.2-LEASE.txt"}),
        ("What did Delta Widgets sell in FY2018?", {"DELTA_2018_10K.txt"}),
        ("What is the term of Acme Metals?", {"ACME_EX-10.1-SUPPLY AGREEMENT.txt", "ACME_EX-10.2-LEASE.txt"}),
    ],
)  # fmt: skip
def test_what_a_query_names_for_certain_is_searched_alone(
    tmp_path: Path, query: str, names: set[str]
) -> None:
    scope, hits = scope_of(tmp_path, query)
    assert scope == names
    assert hits <= names


@pytest.mark.parametrize(
    "query",
    [
        "What is the term?",
        "the price of a widget",
        "Consider the Supply Agreement between Foo Works Inc. and Bar Mills LLC; what is its term?",
        "Consider the Loan between Acme Metals, Inc. and Zenith Bank of Ohio; what is its term?",
        "Compare Borealis with Cyan and Delta",
        "What do the Metals cost?",
    ],
)
def test_what_no_name_or_several_fit_is_searched_everywhere(tmp_path: Path, query: str) -> None:
    assert scope_of(tmp_path, query)[0] == set()


def test_a_scope_can_be_turned_off(tmp_path: Path) -> None:
    scope, hits = scope_of(tmp_path, "What rent does Cyan Homes get?", scope=False)
    assert not scope
    assert len(hits) > 1


def test_whoever_filters_is_not_second_guessed(tmp_path: Path) -> None:
    for name, text in CONTRACTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with Index.open(
        {"source": str(tmp_path), "vector": "in-memory", "keyword": "in-memory"}
    ) as index:
        index.ingest()
        part = index.within(documents=["notes.md"])
        result = index.search("What term does Cyan Homes get?", filter=part)
        assert not result.scope
        assert {Path(hit.chunk.source).name for hit in result.hits} == {"notes.md"}


@pytest.mark.parametrize(
    ("documents", "under", "expected"),
    [
        (["notes.md"], [], {"notes.md"}),
        (["*ore1?.md"], [], {f"ore1{n}.md" for n in range(10)}),
        (["notes.md", "more.md"], ["More notes"], {"more.md"}),
        ([], ["Section 2"], {"ACME_EX-10.1-SUPPLY AGREEMENT.txt", "ACME_EX-10.2-LEASE.txt"}),
    ],
)
def test_a_part_of_the_index_is_named(
    tmp_path: Path, documents: list[str], under: list[str], expected: set[str]
) -> None:
    for name, text in CONTRACTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with Index.open({"source": str(tmp_path), "vector": "in-memory", "keyword": None}) as index:
        index.ingest()
        part = index.within(documents=documents, under=under)
        hits = index.search("term price rent ore metals", filter=part, top_k=50).hits
    assert {Path(hit.chunk.source).name for hit in hits} == expected


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\nText.\n", encoding="utf-8")
    with Index.open({"source": str(tmp_path), "vector": "in-memory", "keyword": None}) as index:
        index.ingest()
        assert index.within() is None
        with pytest.raises(QueryError, match=r"no document called 'note\.md'"):
            index.within(documents=["note.md"])
        with pytest.raises(QueryError, match="no section called 'Section 9'"):
            index.within(under=["Section 9"])
