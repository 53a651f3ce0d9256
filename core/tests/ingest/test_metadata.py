"""Where metadata comes from, what is said of values that cannot be read, and what changes of it do."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from hierdoc import Config, ConfigError, Index, IngestReport, Source, Version, load_config
from hierdoc.models import MetadataValue

DECLARED = {
    "date": "date",
    "version": "version",
    "tags": "list",
    "jurisdiction": "text",
    "pages": "number",
    "draft": "boolean",
}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


def opened(docs: Path, callback: Any = None, **declared: str) -> Index:
    config = {
        "source": str(docs),
        "metadata": declared or DECLARED,
        "vector": {"provider": "sqlite", "path": str(docs.parent / "index")},
        "keyword": None,
    }
    return Index.open(config, metadata=callback)


def ingested(
    docs: Path, callback: Any = None
) -> tuple[IngestReport, dict[str, Mapping[str, MetadataValue]]]:
    with opened(docs, callback) as index:
        report = index.ingest()
        chunks = index.chunks()
    return report, {Path(one.source).name: one.metadata for one in chunks}


def write(path: Path, front: str, text: str = "# Title\n\nText.\n") -> None:
    path.write_text(f"---\n{front}\n---\n{text}" if front else text, encoding="utf-8")


def test_front_matter_gives_fields_their_types(docs: Path) -> None:
    write(
        docs / "a.md",
        "Date: 2020-05-31\nversion: 2.10\ntags: [Energy, law]\njurisdiction: NO\npages: 12\ndraft: no\nother: 3",
    )
    assert ingested(docs)[1]["a.md"] == {
        "date": date(2020, 5, 31),
        "version": Version("2.10"),
        "tags": ("Energy", "law"),
        "jurisdiction": "NO",
        "pages": 12,
        "draft": False,
    }


def test_every_chunk_of_a_document_has_its_fields(docs: Path) -> None:
    sections = "".join(f"\n## Section {n}\n\n{'Words of it. ' * 100}\n" for n in range(5))
    write(docs / "a.md", "pages: 12", f"# Title\n{sections}")
    with opened(docs) as index:
        index.ingest()
        chunks = index.chunks()
    assert len(chunks) > 3
    assert all(one.metadata == {"pages": 12} for one in chunks)


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".meta.yaml", "version: 1.20\ntags: a, b\n"),
        (".meta.yml", "Version: '1.20'\nTAGS:\n- a\n- b\n"),
        (".meta.json", '{\n\t"version": 1.20,\n\t"tags": ["a", "b"]\n}'),
    ],
)
def test_a_sidecar_file_gives_fields_to_any_document(docs: Path, suffix: str, text: str) -> None:
    write(docs / "a.txt", "", "Plain text.\n")
    (docs / f"a.txt{suffix}").write_text(text)
    report, held = ingested(docs)
    assert held == {"a.txt": {"version": Version("1.20"), "tags": ("a", "b")}}
    assert not report.notes


def test_a_document_that_is_named_alone_has_its_sidecar_too(docs: Path) -> None:
    write(docs / "a.txt", "", "Plain text.\n")
    (docs / "a.txt.meta.yaml").write_text("pages: 3")
    assert ingested(docs / "a.txt")[1] == {"a.txt": {"pages": 3}}


def test_a_callback_gives_fields(docs: Path) -> None:
    write(docs / "a.txt", "", "Plain text.\n")
    write(docs / "b.txt", "", "Plain text too.\n")

    def callback(source: Source) -> Mapping[str, Any] | None:
        assert source.path is not None
        if source.path.name == "b.txt":
            return None
        return {"date": date(2020, 5, 31), "tags": {"b", "a"}, "other": object()}

    held = ingested(docs, callback)[1]
    assert held == {"a.txt": {"date": date(2020, 5, 31), "tags": ("a", "b")}, "b.txt": {}}


def test_a_callback_stands_above_a_sidecar_and_that_above_the_document(docs: Path) -> None:
    write(docs / "a.md", "pages: 1\nversion: 1\njurisdiction: DE")
    (docs / "a.md.meta.yaml").write_text("pages: 2\nversion: 2\n")
    held = ingested(docs, lambda source: {"pages": 3})[1]
    assert held["a.md"] == {"pages": 3, "version": Version("2"), "jurisdiction": "DE"}


class TestWrongValues:
    def test_they_are_noted_with_their_place_and_all_else_stays(self, docs: Path) -> None:
        write(docs / "a.md", "date: 2020-02-30\npages: 12\nversion: newest")
        write(docs / "b.md", "date: 2020-02-28\npages: [1, 2]")
        (docs / "b.md.meta.json").write_text('{"draft": 7, "version": "2.0"}')
        report, held = ingested(docs, lambda source: {"jurisdiction": ["DE"]})
        assert held == {
            "a.md": {"pages": 12},
            "b.md": {"date": date(2020, 2, 28), "version": Version("2.0")},
        }
        assert not report.failures
        assert sorted(note.removeprefix("docs/") for note in report.notes) == [
            "a.md and 1 other: the metadata callback: jurisdiction: ['DE'] is not text of at most 1,000 characters; the field is left out",
            "a.md: date: '2020-02-30' is not a date such as 2020-05-31; the field is left out",
            "a.md: version: 'newest' is not a version such as 2.10.1; the field is left out",
            "b.md: b.md.meta.json: draft: '7' is not true or false; the field is left out",
            "b.md: pages: ['1', '2'] is not a number such as 2.5; the field is left out",
        ]

    @pytest.mark.parametrize(
        ("front", "said"),
        [
            ("a: [1, 2", "it is not YAML in line"),
            ("a: &x [1]\nb: *x", "it uses aliases or is nested too deep"),
            ("a: " + "[" * 60, "it uses aliases or is nested too deep"),
            ("a: " + "x" * 70_000, "it has more than 65,536 characters"),
        ],
    )
    def test_front_matter_that_cannot_be_read_is_noted(
        self, docs: Path, front: str, said: str
    ) -> None:
        write(docs / "a.md", f"pages: 3\n{front}")
        report, held = ingested(docs)
        assert held == {"a.md": {}}
        (note,) = report.notes
        assert f"the front matter cannot be read, its fields are left out: {said}" in note

    def test_a_document_that_begins_with_lines_of_dashes_is_no_wrong_one(self, docs: Path) -> None:
        (docs / "a.txt").write_text("---\nMinutes of the council.\n---\n\nBerths.\n")
        report, held = ingested(docs)
        assert (held, list(report.notes)) == ({"a.txt": {}}, [])

    @pytest.mark.parametrize(
        ("name", "data", "said"),
        [
            ("a.md.meta.yaml", b"a: [1, 2", "it is not YAML in line"),
            ("a.md.meta.yaml", b"- a\n", "it is no mapping of fields to values"),
            ("a.md.meta.yaml", b"\xff\xfe\xff", "it is not UTF-8 text"),
            ("a.md.meta.yaml", b"a: " + b"x" * 70_000, "is too large: 68 KiB, the limit is 64"),
            ("a.md.meta.json", b'{"a": }', "it is not JSON in line 1"),
            ("a.md.meta.json", b"[" * 60_000, "it is nested too deep"),
            ("a.md.meta.json", b"[]", "it is no mapping of fields to values"),
        ],
    )
    def test_a_sidecar_that_cannot_be_read_is_noted(
        self, docs: Path, name: str, data: bytes, said: str
    ) -> None:
        write(docs / "a.md", "pages: 3")
        (docs / name).write_bytes(data)
        report, held = ingested(docs)
        assert held == {"a.md": {"pages": 3}}
        (note,) = report.notes
        assert f"{name} cannot be read, its fields are left out: {said}" in note

    def test_a_sidecar_that_leads_out_of_the_source_is_noted(self, docs: Path) -> None:
        write(docs / "a.md", "")
        (docs.parent / "secret.yaml").write_text("pages: 3")
        os.symlink(docs.parent / "secret.yaml", docs / "a.md.meta.yaml")
        report, held = ingested(docs)
        assert held == {"a.md": {}}
        assert "leads out of its source" in report.notes[0]

    def test_a_sidecar_without_a_document_is_noted(self, docs: Path) -> None:
        write(docs / "a.md", "")
        (docs / "b.md.meta.yaml").write_text("pages: 3")
        report, _ = ingested(docs)
        assert list(report.notes) == [
            "docs/b.md.meta.yaml: holds metadata of no document: there is no b.md beside it"
        ]

    def test_a_callback_that_fails_fails_the_document_alone(self, docs: Path) -> None:
        for name in "abc":
            write(docs / f"{name}.md", "pages: 3")

        def callback(source: Source) -> Any:
            name = Path(source.name).name
            return {"a.md": {}, "b.md": [1]}[name]

        report, held = ingested(docs, callback)
        assert held == {"a.md": {"pages": 3}}
        first, second = sorted(report.failures, key=lambda one: one.source)
        assert (first.source, second.source) == ("docs/b.md", "docs/c.md")
        assert "gave no mapping but list" in first.error
        assert "the metadata callback raised KeyError: 'c.md'" in second.error


class TestChanges:
    def test_a_document_whose_sidecar_changes_is_updated_and_keeps_its_vectors(
        self, docs: Path
    ) -> None:
        write(docs / "a.md", "pages: 1")
        write(docs / "b.md", "")
        assert len(ingested(docs)[0].added) == 2
        assert len(ingested(docs)[0].unchanged) == 2
        sidecar = docs / "a.md.meta.yaml"
        sidecar.write_text("pages: 2")
        report, held = ingested(docs)
        assert (report.updated, report.embedded) == (["docs/a.md"], 0)
        assert held["a.md"] == {"pages": 2}
        sidecar.unlink()
        report, held = ingested(docs)
        assert (report.updated, held["a.md"]) == (["docs/a.md"], {"pages": 1})

    def test_a_document_whose_callback_answers_otherwise_is_updated(self, docs: Path) -> None:
        write(docs / "a.md", "")
        ingested(docs, lambda source: {"pages": 1})
        assert ingested(docs, lambda source: {"pages": 1})[0].unchanged == ["docs/a.md"]
        report, held = ingested(docs, lambda source: {"pages": 2})
        assert (report.updated, held) == (["docs/a.md"], {"a.md": {"pages": 2}})

    def test_documents_are_read_again_where_other_fields_are_declared(self, docs: Path) -> None:
        write(docs / "a.md", "pages: 1\nversion: 2")
        write(docs / "b.md", "pages: 2")
        ingested(docs)
        with opened(docs, pages="text") as index:
            report = index.ingest()
            assert report.counts["updated"] == 2
            assert report.embedded == 0
            assert list(report.notes) == [
                "other fields of metadata are declared: 2 documents were read again"
            ]
            assert [dict(one.metadata) for one in index.chunks() if one.ordinal == 0] == [
                {"pages": "1"},
                {"pages": "2"},
            ]
            assert index.ingest().counts["unchanged"] == 2


class TestDeclaring:
    @pytest.mark.parametrize(
        ("fields", "said"),
        [
            ({"title": "text"}, "every chunk has one of that name"),
            ({"Section-ID": "text"}, "every chunk has one of that name"),
            ({"in-force": "date", "in_force": "date"}, "the configuration declares one of that"),
            ({"not": "text"}, "a name is a letter"),
            ({"1st": "text"}, "a name is a letter"),
            ({"a b": "text"}, "a name is a letter"),
            ({"date": "day"}, "'text', 'number', 'date', 'version', 'boolean' or 'list'"),
            ({f"f{number}": "text" for number in range(51)}, "51 fields; there may be 50"),
        ],
    )
    def test_fields_that_cannot_be_are_refused(self, fields: Any, said: str) -> None:
        with pytest.raises(ConfigError, match=said):
            load_config({"metadata": fields})

    def test_without_declared_fields_all_is_as_it_was(self, docs: Path) -> None:
        write(docs / "a.md", "pages: 1")
        (docs / "a.md.meta.yaml").write_text("pages: [")
        config: dict[str, Any] = {"source": str(docs), "vector": "in-memory", "keyword": None}
        with Index.open(config) as index:
            assert not index.ingest().notes
            assert [dict(one.metadata) for one in index.chunks()] == [{}] * index.count()
        assert Config().metadata == {}
