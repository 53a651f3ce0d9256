"""`hierdoc watch`: what is watched, which changes count, and the ingests that follow."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest
from click.testing import CliRunner

from hierdoc import Config, IngestReport, SourceError, load_config
from hierdoc.cli import cli
from hierdoc.errors import HierdocError
from hierdoc_watch.watching import Relevance, Watcher, stores, watched


def configured(folder: Path, **settings: object) -> Config:
    given = {"source": "docs", "vector": "in-memory", "keyword": "in-memory", **settings}
    return load_config(given, base=folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs" / "old").mkdir(parents=True)
    (tmp_path / "docs" / "act.md").write_text("# Act\n\nA quay is a wall.\n")
    return tmp_path


def test_folders_are_watched_of_files_and_globs_those_that_hold_them(folder: Path) -> None:
    docs = (folder / "docs").resolve()
    assert watched(["docs"], folder) == [docs]
    assert watched(["docs/act.md"], folder) == [docs]
    assert watched(["docs/**/*.md"], folder) == [docs]
    assert watched(["docs/old", "docs", "docs/act.md"], folder) == [docs]


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("/a/docs/x.md", True),
        ("/a/docs/deep/folder", True),
        ("/a/docs/.git/index", False),
        ("/a/docs/node_modules/x/readme.md", False),
        ("/a/docs/index/chunks.db", False),
    ],
)
def test_changes_of_what_is_never_ingested_do_not_count(path: str, counts: bool) -> None:
    relevant = Relevance([Path("/a/docs")], [Path("/a/docs/index")])
    assert relevant(path) is counts


def test_the_stores_of_an_index_are_known(folder: Path) -> None:
    config = configured(folder, vector={"provider": "sqlite", "path": "docs/index"})
    assert (folder / "docs" / "index").resolve() in stores(config)


def after_each(folder: Path, *steps: Callable[[], object]) -> list[IngestReport | HierdocError]:
    """What a watcher reports at first and after each of these changes."""

    async def watch() -> list[IngestReport | HierdocError]:
        found: list[IngestReport | HierdocError] = []
        waiting = list(steps)
        async with (
            Watcher(configured(folder), quiet=50) as watcher,
            aclosing(watcher.reports()) as reports,
        ):
            async for report in reports:
                found.append(report)
                if not waiting:
                    break
                waiting.pop(0)()
        return found

    return asyncio.run(asyncio.wait_for(watch(), 120))


def test_each_change_is_ingested(folder: Path) -> None:
    docs = folder / "docs"
    first, added, removed = after_each(
        folder,
        lambda: (docs / "new.md").write_text("# New\n\nText.\n"),
        lambda: (docs / "new.md").unlink(),
    )
    assert isinstance(first, IngestReport)
    assert isinstance(added, IngestReport)
    assert isinstance(removed, IngestReport)
    assert (list(first.added), list(added.added)) == (["docs/act.md"], ["docs/new.md"])
    assert list(removed.removed) == ["docs/new.md"]


def test_a_source_that_vanishes_is_told_and_waited_for(folder: Path) -> None:
    act = folder / "docs" / "act.md"
    _, gone, back = after_each(
        folder, act.unlink, lambda: act.write_text("# Act\n\nAnother text.\n")
    )
    assert isinstance(gone, SourceError)
    assert isinstance(back, IngestReport)
    assert list(back.updated) == ["docs/act.md"]


def test_a_source_that_was_never_there_is_an_error(folder: Path) -> None:
    shown = CliRunner().invoke(cli, ["watch", "--source", str(folder / "nowhere")])
    assert shown.exit_code != 0
    assert "does not exist" in str(shown.exception) + shown.output


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="an interrupt is sent otherwise there")
def test_ctrl_c_ends_it_in_order(folder: Path) -> None:
    import signal

    command = [sys.executable, "-m", "hierdoc", "watch", "--source", str(folder / "docs")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as one:
        assert one.stdout is not None
        assert "1 added" in one.stdout.readline()
        one.send_signal(signal.SIGINT)
        _, told = one.communicate(timeout=60)
    assert one.returncode == 0
    assert "stopped" in told
    assert "Traceback" not in told
