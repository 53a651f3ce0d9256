"""References between documents: where they lead, and what cites a section."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hierdoc.index import Index

WATER = """\
# Clean Water Act

## Section 203

(a) The Administrator reports. Section 204 says how.

## Section 204

As the law says.

## Section 205

See Sections 203 to 204 and section 9 of the Lost Act.
"""
AIR = """\
# Clean Air Act

## Section 1

Reports are those of section 203(a)(1) of the Clean Water Act.

## Section 2

EIP-7 is not part of it.

## Section 203

Another one with this number.
"""
EIP = "---\neip: 7\ntitle: Delegated calls\n---\n\n## Abstract\n\nCalls.\n\n## Rationale\n\nBecause.\n"


@pytest.fixture(params=["in-memory", "sqlite"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Index]:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, text in (("water.md", WATER), ("air.md", AIR), ("eip-7.md", EIP)):
        (docs / name).write_text(text, encoding="utf-8")
    config = {"source": str(docs), "vector": request.param, "keyword": None}
    if request.param == "sqlite":
        config["vector"] = {"provider": "sqlite", "path": str(tmp_path / "store")}
    with Index.open(config) as opened:
        opened.ingest()
        yield opened


def cited_by(index: Index, reference: str) -> list[tuple[str, str | None]]:
    return [(Path(hit.chunk.source).name, hit.chunk.section_id) for hit in index.citing(reference)]


def test_a_reference_leads_to_the_section_of_another_document(index: Index) -> None:
    (hit,) = [hit for hit in index.section("Section 1") if hit.chunk.section_id == "sec_1"]
    (reference,) = hit.references
    assert reference.text == "section 203(a)(1) of the Clean Water Act"
    assert reference.resolved
    assert (Path(reference.source).name, reference.section_id) == ("water.md", "sec_203")
    (target,) = [one for one in index.section("sec_203") if one.chunk.source == reference.source]
    assert reference.chunk_ids == (target.chunk.id,)


def test_a_document_may_be_what_is_meant(index: Index) -> None:
    (hit,) = index.section("sec_2")
    (reference,) = hit.references
    assert (Path(reference.source).name, reference.section_id) == ("eip-7.md", "eip_7")


def test_hits_of_a_search_have_their_references_resolved_too(index: Index) -> None:
    (hit, *_) = index.search("Section 1", mode="exact").hits
    assert [one.resolved for one in hit.references] == [True]


def test_what_no_document_holds_stays_unresolved(index: Index) -> None:
    (hit,) = index.section("sec_205")
    lost = [one for one in hit.references if not one.resolved]
    assert [one.section_id for one in lost] == ["lost_act_sec_9"]


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("sec_204", [("water.md", "sec_203"), ("water.md", "sec_205")]),
        ("Section 203 of the Clean Water Act", [("air.md", "sec_1"), ("water.md", "sec_205")]),
        ("Section 203 of the Clean Air Act", []),
        ("EIP-7", [("air.md", "sec_2")]),
        ("Section 999", []),
    ],
)
def test_what_cites_a_section_is_found(
    index: Index, reference: str, expected: list[tuple[str, str]]
) -> None:
    assert cited_by(index, reference) == expected


def test_a_citation_with_its_work_finds_the_section_of_that_work(index: Index) -> None:
    hits = index.section("Section 203 of the Clean Water Act")
    assert {Path(hit.chunk.source).name for hit in hits} == {"water.md"}


def test_a_document_is_found_by_its_number(index: Index) -> None:
    assert {Path(hit.chunk.source).name for hit in index.section("EIP-7")} == {"eip-7.md"}
    (first, *_) = index.search("EIP-7", mode="exact").hits
    assert (Path(first.chunk.source).name, first.certain) == ("eip-7.md", True)


def test_a_range_finds_all_sections_in_it(index: Index) -> None:
    hits = index.search("Sections 203 to 205 of the Clean Water Act", mode="exact").hits
    assert {hit.chunk.section_id for hit in hits} >= {"sec_203", "sec_204", "sec_205"}
