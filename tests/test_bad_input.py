"""Bad input through the whole pipeline: each gives a clear error or report, and nothing else is lost."""

from __future__ import annotations

import asyncio
import os
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hierdoc import (
    AsyncIndex,
    IndexDamagedError,
    IndexLockedError,
    IngestReport,
    SourceError,
    StoreError,
)

GOOD = "# Good\n\nA lighthouse warns ships.\n"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "good.md").write_text(GOOD)
    return folder


def using(source: Path, work: Callable[[AsyncIndex], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with AsyncIndex.open(source=source) as index:
            return await work(index)

    return asyncio.run(run())


def ingested(source: Path) -> IngestReport:
    report: IngestReport = using(source, lambda index: index.ingest())
    return report


def finds_the_good_one(docs: Path) -> bool:
    result = using(docs, lambda index: index.search("lighthouse"))
    return any("lighthouse" in hit.chunk.text for hit in result.hits)


@pytest.mark.parametrize(
    "data",
    [
        "Prüfung der Überschüsse gemäß Gesetz über die Häfen".encode("latin-1"),
        "Prüfung der Überschüsse".encode("utf-16"),
        "Prüfung der Überschüsse gemäß Gesetz über die Häfen".encode("utf-16-le"),
        "\ufeffPrüfung der Überschüsse".encode(),
    ],
)
def test_other_encodings_are_read(docs: Path, data: bytes) -> None:
    (docs / "other.txt").write_bytes(data)
    assert not ingested(docs).failures
    result = using(docs, lambda index: index.search("Prüfung Überschüsse", mode="keyword"))
    assert "Prüfung der Überschüsse" in result.hits[0].chunk.text


def test_a_nul_byte_loses_nothing(docs: Path) -> None:
    (docs / "nul.md").write_bytes(b"# Nul\n\nThe harbour\x00 master reports.\n")
    assert not ingested(docs).failures
    result = using(docs, lambda index: index.search("master reports", mode="keyword"))
    assert "master reports" in result.hits[0].chunk.text


@pytest.mark.nightly
def test_a_line_of_100_megabytes_is_ingested(docs: Path) -> None:
    with (docs / "long.txt").open("w") as stream:
        for number in range(1_000_000):
            stream.write(
                f"The berth number {number:07} of this harbour costs a fee to its user, every day and night. "
            )
            if number % 100 == 0:
                stream.write("x" * 1000)
    assert (docs / "long.txt").stat().st_size > 85_000_000
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "hierdoc",
            "search",
            "berth 0500000",
            "--mode",
            "keyword",
            "--source",
            str(docs),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "0500000" in done.stdout
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert peak < 2_000_000, f"peak memory {peak} KiB"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_reported(docs: Path) -> None:
    (docs / "secret.md").write_text("secret")
    (docs / "secret.md").chmod(0)
    report = ingested(docs)
    assert [one.source for one in report.failures] == ["docs/secret.md"]
    assert finds_the_good_one(docs)


def test_a_file_that_becomes_unreadable_keeps_its_passages(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingested(docs)
    real_open = os.open

    def refuse(path: Any, *arguments: Any, **options: Any) -> int:
        if str(path).endswith("good.md"):
            raise PermissionError(13, "Permission denied", path)
        return real_open(path, *arguments, **options)

    monkeypatch.setattr(os, "open", refuse)
    report = ingested(docs)
    assert "Permission denied" in report.failures[0].error
    assert finds_the_good_one(docs)


def test_documents_below_a_folder_that_becomes_unreadable_stay(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (docs / "deep").mkdir()
    (docs / "deep" / "kept.md").write_text("# Kept\n\nA beacon.\n")
    ingested(docs)
    real_listdir = os.listdir

    def refuse(path: Any) -> list[str]:
        if str(path).endswith("deep"):
            raise PermissionError(13, "Permission denied", path)
        return real_listdir(path)

    monkeypatch.setattr(os, "listdir", refuse)
    report = ingested(docs)
    assert [one.source for one in report.failures] == ["docs/deep"]
    assert report.removed == []
    assert using(docs, lambda index: index.search("beacon", mode="keyword")).hits


def test_a_loop_of_links_ends(docs: Path) -> None:
    (docs / "loop").symlink_to(docs)
    (docs / "self.md").symlink_to(docs / "self.md")
    report = ingested(docs)
    assert list(report.added) == ["docs/good.md"]


def test_a_link_that_leaves_the_source_is_not_followed(docs: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("# Outside\n\nclassified dossier\n")
    (docs / "link.md").symlink_to(tmp_path / "outside.md")
    (docs / "folder").symlink_to(tmp_path)
    report = ingested(docs)
    assert list(report.added) == ["docs/good.md"]
    assert any("docs/link.md" in note for note in report.notes)
    assert not using(docs, lambda index: index.search("classified", mode="keyword")).hits


def test_an_empty_folder_is_an_error_and_removes_nothing(docs: Path) -> None:
    ingested(docs)
    (docs / "good.md").rename(docs.parent / "good.md")
    with pytest.raises(SourceError, match="holds no document"):
        ingested(docs)
    assert finds_the_good_one(docs)


def index_folder(docs: Path) -> Path:
    async def where(index: AsyncIndex) -> Path:
        await index.count()
        path: Path = index.config.vector.model_dump()["path"]
        return path

    folder: Path = using(docs, where)
    return folder


def test_a_locked_database_is_told(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hierdoc_sqlite import backend as vector_sqlite

    ingested(docs)
    real = vector_sqlite.SqliteVectorBackend

    monkeypatch.setattr(vector_sqlite, "SqliteVectorBackend", lambda path: real(path, timeout=0.1))
    (docs / "new.md").write_text("# New\n")
    other = sqlite3.connect(index_folder(docs) / "index.db", isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(IndexLockedError) as caught:
            ingested(docs)
        assert caught.value.hint
        assert finds_the_good_one(docs)
    finally:
        other.close()
    assert list(ingested(docs).added) == ["docs/new.md"]


def test_a_full_disk_loses_nothing_that_was_there(docs: Path) -> None:
    ingested(docs)
    for number in range(50):
        (docs / f"more-{number}.md").write_text(f"# More {number}\n\n" + f"text {number} " * 2000)

    async def work(index: AsyncIndex) -> None:
        await index.count()
        writer = index._components.vector._open.writer  # type: ignore[attr-defined]
        (pages,) = writer.execute("PRAGMA page_count").fetchone()
        writer.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreError, match="no space left") as caught:
            await index.ingest()
        assert "Free some space" in str(caught.value.hint)

    using(docs, work)
    assert finds_the_good_one(docs)
    assert ingested(docs).counts["failed"] == 0
    assert len(using(docs, lambda index: index.documents())) == 51


def test_a_damaged_database_is_told_with_the_way_out(docs: Path) -> None:
    ingested(docs)
    file = index_folder(docs) / "index.db"
    file.write_bytes(b"garbage" * 10_000)
    for suffix in ("-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    with pytest.raises(StoreError) as caught:
        using(docs, lambda index: index.search("lighthouse"))
    assert "--force" in str(caught.value.hint)
    assert using(docs, lambda index: index.ingest(force=True)).counts["added"] == 1
    assert finds_the_good_one(docs)


def overwrite(docs: Path, statement: str) -> None:
    with closing(sqlite3.connect(index_folder(docs) / "index.db")) as connection, connection:
        connection.execute(statement)


def test_altered_text_is_refused_and_doctor_finds_it(
    docs: Path, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    ingested(docs)
    assert "index: 1 documents" in run("doctor", "--source", str(docs)).stdout
    overwrite(docs, "UPDATE texts SET text = CAST('A lighthouse sells ships.' AS BLOB)")
    with pytest.raises(IndexDamagedError):
        using(docs, lambda index: index.search("lighthouse"))
    told = run("doctor", "--source", str(docs))
    assert told.returncode == 1
    assert "WRONG index: the index is damaged" in told.stdout
    using(docs, lambda index: index.ingest(force=True))
    assert finds_the_good_one(docs)


def test_an_ingest_builds_a_damaged_database_anew_and_notes_it(docs: Path) -> None:
    ingested(docs)
    overwrite(docs, "DROP TABLE documents")
    report = ingested(docs)
    assert report.counts["added"] == 1
    assert "built anew from the source" in report.notes[0]
    assert finds_the_good_one(docs)
    assert not ingested(docs).notes


def test_an_ingest_makes_a_damaged_keyword_index_anew_and_notes_it(docs: Path) -> None:
    ingested(docs)
    file = next((index_folder(docs) / "tantivy").glob("*.idx"))
    file.write_bytes(bytes(file.stat().st_size))
    report = ingested(docs)
    assert report.counts["unchanged"] == 1
    assert "made anew from the records" in report.notes[0]
    assert finds_the_good_one(docs)


WRITER = """
import sys
from pathlib import Path
from hierdoc import Index

docs = Path(sys.argv[1])
with Index.open(source=docs) as index:
    for version in range(int(sys.argv[2])):
        for number in range(12):
            sections = "".join(f"## Section {s}\\n\\nversion{version} of part {s}, a zebra.\\n\\n" for s in range(9))
            (docs / f"act-{number}.md").write_text(f"# Act {number}\\n\\n{sections}")
        report = index.ingest()
        assert not report.failures, report.failures
"""


def test_readers_see_whole_documents_while_another_process_ingests(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "first.md").write_text("# First\n\nzebra\n")
    ingested(docs)
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(docs), "6"], stderr=subprocess.PIPE, text=True
    )

    async def read(index: AsyncIndex) -> int:
        seen = 0
        while writer.poll() is None:
            for mode in ("semantic", "hybrid"):
                await index.search("zebra", mode=mode, top_k=100)
            by_document: dict[str, list[str]] = {}
            async for page in index._components.vector.scan():
                for record in page:
                    words = record.chunk.text.split()
                    versions = [word for word in words if word.startswith("version")]
                    by_document.setdefault(record.chunk.source, []).extend(versions)
            for versions in by_document.values():
                assert len(set(versions)) <= 1
                assert len(versions) in (0, 9)
            seen += 1
        return seen

    try:
        assert using(docs, read) > 3
    finally:
        _, errors = writer.communicate(timeout=60)
    assert writer.returncode == 0, errors
    result = using(docs, lambda index: index.search("version5", mode="keyword", top_k=100))
    assert len(result.hits) == 100


def test_the_event_loop_is_never_blocked_for_long(docs: Path) -> None:
    (docs / "big.md").write_text("".join(f"## Section {n}\n\n{GOOD * 20}\n" for n in range(500)))
    gaps: list[float] = []

    async def work(index: AsyncIndex) -> None:
        async def tick() -> None:
            before = time.perf_counter()
            while True:
                await asyncio.sleep(0.001)
                now = time.perf_counter()
                gaps.append(now - before)
                before = now

        ticking = asyncio.create_task(tick())
        await index.ingest()
        await asyncio.gather(*(index.search("lighthouse ships") for _ in range(20)))
        ticking.cancel()

    using(docs, work)
    gaps.sort()
    assert gaps[int(len(gaps) * 0.99)] < 0.1, "the event loop stalls again and again"
