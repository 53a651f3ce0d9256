"""Searches of documents by their metadata, and as of a day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from hierdoc import Index, QueryError
from hierdoc.filters import Compare, Equals, Not, Under

FRONT = {
    "leave-1.md": "title: Leave Act\neffective: 2018-01-01\nversion: 2.9\ntags: labour",
    "leave-2.md": "title: Leave Act\neffective: 2020-07-01\nversion: 2.10\ntags: [labour, leave]",
    "leave-3.md": "title: Leave Act\neffective: 2023-01-01\nexpires: 2025-01-01\nversion: 3",
    "rules-a.md": "work: rules\neffective: 2019-01-01",
    "rules-b.md": "work: Rules\neffective: 2021-01-01",
    "report-a.md": "title: Report\neffective: 2019-01-01",
    "report-b.md": "title: Report\neffective: 2021-01-01",
    "notes.md": "author: Ada",
}
DECLARED = {
    "effective": "date",
    "expires": "date",
    "version": "version",
    "tags": "list",
    "work": "text",
    "author": "text",
}


def configuration(docs: Path, **more: Any) -> dict[str, Any]:
    return {"source": str(docs), "vector": "in-memory", "keyword": "in-memory", **more}


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    for name, front in FRONT.items():
        text = f"---\n{front}\n---\n# Section 1\n\nDays of leave are counted. {name}\n"
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def index(docs: Path) -> Iterator[Index]:
    with Index.open(configuration(docs, metadata=DECLARED)) as index:
        index.ingest()
        yield index


def found(index: Index, **options: Any) -> set[str]:
    result = index.search("days of leave", top_k=50, **options)
    assert not result.degraded
    return {Path(hit.chunk.source).stem for hit in result.hits}


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword"])
def test_an_expression_selects_documents(index: Index, mode: str) -> None:
    assert found(index, where="version > 2.9", mode=mode) == {"leave-2", "leave-3"}
    assert found(index, where="tags contains LEAVE", mode=mode) == {"leave-2"}
    assert found(index, where="effective = 2019 and not work = rules", mode=mode) == {"report-a"}


def test_the_exact_leg_obeys_it_too(index: Index) -> None:
    hits = index.search("Section 1", mode="exact", where="author = ada").hits
    assert {Path(hit.chunk.source).name for hit in hits} == {"notes.md"}


def test_a_filter_and_an_expression_hold_both(index: Index, docs: Path) -> None:
    both = found(index, where="version >= 2.9", filter=Compare("effective", "<", date(2022, 1, 1)))
    assert both == {"leave-1", "leave-2"}
    source = next(name for name in index.documents() if name.endswith("notes.md"))
    assert found(index, where="version >= 2.9", filter=Equals("source", source)) == set()
    inside = Not(Under(["Section 1"]))
    assert found(index, where="author = Ada", filter=inside) <= {"notes"}


def test_hits_show_the_fields(index: Index) -> None:
    (hit, *_) = index.search("days of leave", where="version = 2.10").hits
    assert hit.to_dict()["metadata"] == {
        "effective": "2020-07-01",
        "version": "2.10",
        "tags": ["labour", "leave"],
    }


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ("2017-01-01", {"notes"}),
        ("2018-01-01", {"leave-1", "notes"}),
        ("2020-06-30", {"leave-1", "rules-a", "report-a", "notes"}),
        (date(2020, 7, 1), {"leave-2", "rules-a", "report-a", "notes"}),
        ("2024-12-31", {"leave-3", "rules-b", "report-a", "report-b", "notes"}),
        ("2025-01-01", {"rules-b", "report-a", "report-b", "notes"}),
    ],
)
def test_as_of_a_day_the_version_in_force_then_is_searched(
    index: Index, day: Any, expected: set[str]
) -> None:
    assert found(index, as_of=day) == expected


def test_as_of_a_day_and_an_expression_hold_both(index: Index) -> None:
    assert found(index, as_of="2021-05-01", where="tags contains labour") == {"leave-2"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"where": "version >"}, "should be a value at character 10"),
        ({"where": "verson = 3"}, "no field is called 'verson'"),
        ({"filter": Compare("tags", "=", "a")}, "tags does not take ="),
        ({"as_of": "2020"}, "as of '2020': that is not a day"),
        ({"as_of": "yesterday"}, "as of 'yesterday': that is not a day"),
    ],
)
def test_what_cannot_be_asked_is_said_before_anything_is_read(
    index: Index, options: Any, said: str
) -> None:
    with pytest.raises(QueryError, match=said):
        index.check("leave", **options)
    with pytest.raises(QueryError, match=said):
        index.search("leave", **options)


def test_as_of_needs_its_field(docs: Path) -> None:
    with (
        Index.open(configuration(docs, metadata={"version": "version"})) as index,
        pytest.raises(QueryError, match="needs the field 'effective'"),
    ):
        index.check("leave", as_of="2020-05-31")


def test_a_version_that_another_process_ingests_supersedes_the_older_ones(
    docs: Path, tmp_path: Path
) -> None:
    copies = tmp_path / "docs"
    copies.mkdir()
    path = {"provider": "sqlite", "path": str(tmp_path / "index")}
    config = configuration(copies, vector=path, metadata=DECLARED)
    (copies / "rules-a.md").write_text((docs / "rules-a.md").read_text())
    with Index.open(config) as first, Index.open(config) as second:
        first.ingest()
        assert found(first, as_of="2022-01-01") == {"rules-a"}
        (copies / "rules-b.md").write_text((docs / "rules-b.md").read_text())
        second.ingest()
        assert "rules-a" not in found(first, as_of="2022-01-01")


class TestIndexesOfOtherFields:
    def stored(self, docs: Path, tmp_path: Path, **declared: str) -> Index:
        path = {"provider": "sqlite", "path": str(tmp_path / "index")}
        return Index.open(configuration(docs, vector=path, metadata=declared))

    def test_a_filter_is_refused_until_the_next_ingest(self, docs: Path, tmp_path: Path) -> None:
        with self.stored(docs, tmp_path) as index:
            index.ingest()
        with self.stored(docs, tmp_path, author="text") as index:
            assert index.search("leave").hits
            with pytest.raises(QueryError, match="made before these fields") as raised:
                index.search("leave", where="author = Ada")
            assert "hierdoc ingest" in str(raised.value.hint)
            index.ingest()
            assert found(index, where="author = Ada") == {"notes"}

    def test_documents_that_lack_the_fields_are_said(self, docs: Path, tmp_path: Path) -> None:
        copies = tmp_path / "docs"
        copies.mkdir()
        for name in ("notes.md", "leave-1.md"):
            (copies / name).write_text((docs / name).read_text())
        with self.stored(copies, tmp_path) as index:
            index.ingest()
        (copies / "leave-1.md").write_bytes(b"\0\1\2\3" * 100)  # cannot be read any more
        with self.stored(copies, tmp_path, author="text") as index:
            index.ingest()
            (one,) = index.search("leave", where="author = Ada").degraded
            assert one.leg == "metadata"
            assert one.reason.startswith("1 of 2 documents were ingested with other fields")
