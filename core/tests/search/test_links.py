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


LIBRARY = {
    "bgb.md": "---\njurabk: BGB\n---\n\n# Bürgerliches Gesetzbuch\n\n## § 1 Beginn\n\nText.\n\n## § 2 Ende\n\nText.\n",
    "loi.md": "# Loi n° 78-17 du 6 janvier 1978 relative aux fichiers\n\n## Article 1\n\nTexte.\n",
    "usc.md": "# Title 42—The Public Health\n\n## § 1983. Civil action\n\nEvery person.\n",
    "rfc.txt": "Request for Comments: 7234\n\n1.  Introduction\n\n   Words.\n\n1.1.  Scope\n\n   Words.\n\n2.  Storage\n\n   More words.\n\n2.1.  Rules\n\n   Words.\n",
    "harbour.md": '# An Act on harbours\n\n## Section 1. Title\n\nThis Act may be cited as the "Harbour Act".\n\n## Section 2. Fees\n\nDue.\n',
    "twin-a.md": "# Twin Act\n\n## Section 1\n\nOne.\n",
    "twin-b.md": "# Twin Act\n\n## Section 1\n\nTwo.\n",
}


@pytest.mark.parametrize(
    ("sentence", "source", "section_id"),
    [
        ("§ 1 des Bürgerlichen Gesetzbuchs", "bgb.md", "sec_1"),
        ("§ 2 BGB", "bgb.md", "sec_2"),
        ("l'article 1 de la loi n° 78-17 du 6 janvier 1978", "loi.md", "art_1"),
        ("section 1983 of title 42", "usc.md", "sec_1983"),
        ("Section 2 of RFC 7234", "rfc.txt", "sec_2"),
        ("RFC 7234", "rfc.txt", "rfc_7234"),
        ("section 2 of the Harbour Act", "harbour.md", "sec_2"),
        ("Harbour Act, section 2", "harbour.md", "sec_2"),
        ("section 1 of the Twin Act", "", "twin_act_sec_1"),
        ("section 1 of the Lost Act", "", "lost_act_sec_1"),
    ],
)
def test_documents_are_found_by_title_short_title_number_and_identifier(
    sentence: str, source: str, section_id: str, tmp_path: Path
) -> None:
    for name, text in {
        **LIBRARY,
        "own.md": f"# Notes\n\n## Section 9. Links\n\nSee {sentence}, as it is.\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with Index.open({"source": str(tmp_path), "vector": "in-memory", "keyword": None}) as index:
        index.ingest()
        (hit,) = index.section("Section 9")
    (reference,) = hit.references
    assert (Path(reference.source).name, reference.section_id) == (source, section_id)
    assert reference.resolved == bool(source)


def test_a_section_is_looked_up_in_named_documents(index: Index) -> None:
    hits = index.section("Section 203", documents=["air.md"])
    assert {Path(hit.chunk.source).name for hit in hits} == {"air.md"}


def test_the_hit_in_which_a_section_begins_says_which_it_is(index: Index) -> None:
    (hit,) = index.section("Section 204")
    assert hit.named == "sec_204"
    assert hit.why == "Section 204 begins here"


def test_the_document_of_what_is_cited_may_be_named(index: Index) -> None:
    hits = index.citing("Section 203", documents=["water.md"])
    assert [hit.chunk.section_id for hit in hits] == ["sec_1", "sec_205"]
    assert not index.citing("Section 203", documents=["air.md"])


def test_what_cites_comes_with_the_references_that_do(index: Index) -> None:
    hits = index.citing("Section 204")
    texts = {hit.chunk.section_id: [one.text for one in hit.references] for hit in hits}
    assert texts == {"sec_203": ["Section 204"], "sec_205": ["204"]}


def test_documents_begin_with_their_titles(index: Index) -> None:
    begins = index.beginnings()
    assert [(Path(one.source).name, one.title) for one in begins] == [
        ("air.md", "Clean Air Act"),
        ("eip-7.md", "Delegated calls"),
        ("water.md", "Clean Water Act"),
    ]
    (air,) = index.beginnings(filter=index.within(documents=["air.md"]))
    assert air.ordinal == 0
