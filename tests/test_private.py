"""What belongs to an index on disk: nobody else may read it, and who may only read it can search it."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hierdoc import AsyncIndex, StoreError
from hierdoc.cli import doctor

NOBODY = 65534

QUERIES = (
    ("berth", "keyword"),
    ("berth", "semantic"),
    ("berth fee", "hybrid"),
    ('"costs a fee"', "exact"),
)

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid"), reason="permissions work otherwise here"
)

READABLE = [
    "sqlite",
    pytest.param("faiss", marks=pytest.mark.nightly),
    pytest.param("lancedb", marks=pytest.mark.nightly),
]
"""Vector stores that several processes may search."""

STORES = [
    *READABLE,
    *(pytest.param(one, marks=pytest.mark.nightly) for one in ("qdrant", "chromadb")),
]
"""All vector stores in a folder."""


def make_index(folder: Path, vector: str) -> Path:
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "act.md").write_text("# Harbour Act\n\n## Section 1\n\nA berth costs a fee.\n")
    config = folder / "hierdoc.yaml"
    config.write_text(
        json.dumps(
            {
                "source": "corpus",
                "vector": {"provider": vector, "path": "in/here"},
                "keyword": {"provider": "tantivy", "path": "in/here"},
            }
        )
    )
    asyncio.run(ingest(config))
    return config


async def ingest(config: Path) -> None:
    async with AsyncIndex.open(config) as index:
        await index.ingest()


def others_see(folder: Path) -> Iterator[Path]:
    """What another user can reach below a folder."""
    for file in folder.iterdir():
        mode = file.stat().st_mode
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            yield file
            if file.is_dir():
                yield from others_see(file)


@pytest.mark.parametrize("vector", STORES)
def test_nobody_else_reads_an_index(tmp_path: Path, vector: str) -> None:
    before = os.umask(0o022)
    try:
        make_index(tmp_path, vector)
    finally:
        os.umask(before)
    assert {file.name for file in others_see(tmp_path)} == {"corpus", "act.md", "hierdoc.yaml"}


@pytest.fixture
def readable(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that this process, from `forbid` on, can only read."""
    before = os.geteuid()
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        folder, temporary = Path(name, "index"), Path(name, "temporary")
        folder.mkdir()
        temporary.mkdir()
        temporary.chmod(0o777)
        monkeypatch.setattr(tempfile, "tempdir", str(temporary))
        try:
            yield folder
        finally:
            os.seteuid(before)
            for place in (folder, *folder.rglob("*")):
                place.chmod(0o755)


def forbid(folder: Path) -> None:
    """Let this process only read what is in the folder, as another user if it is one who may write anywhere."""
    for place in (folder, *folder.rglob("*")):
        place.chmod(0o555 if place.is_dir() else 0o444)
    if os.geteuid() == 0:
        os.seteuid(NOBODY)


@pytest.mark.parametrize("vector", READABLE)
def test_an_index_that_can_only_be_read_is_searched_in_all_legs(
    readable: Path, vector: str
) -> None:
    config = make_index(readable, vector)
    forbid(readable)

    async def use() -> None:
        async with AsyncIndex.open(config) as index:
            for query, mode in QUERIES:
                found = await index.search(query, mode=mode)
                assert found.hits
                assert not found.degraded
            with pytest.raises(StoreError) as caught:
                await index.ingest(force=True)
            assert caught.value.hint

    asyncio.run(use())
    findings = asyncio.run(doctor._collect(config, ()))
    assert all(finding.ok for finding in findings), findings
