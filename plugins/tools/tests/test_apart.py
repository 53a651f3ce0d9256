"""An ingest in a process of its own: what it does, what it says, and how it ends."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hierdoc import load_config
from hierdoc.index import AsyncIndex
from hierdoc_tools.corpus import Corpus
from hierdoc_tools.tools import Answer, Tools


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    """What is loaded is kept from the garbage collector in a server, not in the tests that follow."""
    was_frozen = gc.get_freeze_count() > 0
    yield
    if not was_frozen:
        gc.unfreeze()


@pytest.fixture
def never_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """No ingest in this process."""

    async def ingest(self: AsyncIndex, **options: Any) -> Any:
        raise AssertionError("the ingest runs in the process that answers calls")

    monkeypatch.setattr(AsyncIndex, "ingest", ingest)


def asked(folder: Path, name: str, **arguments: str) -> tuple[Corpus, Answer]:
    """An answer once the ingest is over, and whom it was asked."""

    async def ask() -> tuple[Corpus, Answer]:
        async with Corpus(load_config(folder / "hierdoc.yaml"), ingest=True, apart=True) as corpus:
            await corpus.settled()
            return corpus, await Tools(corpus).call(name, arguments)

    return asyncio.run(ask())


@pytest.mark.usefixtures("never_here")
def test_an_ingest_runs_in_a_process_of_its_own_and_says_how_far_it_is(folder: Path) -> None:
    corpus, answer = asked(folder, "search", query="fee for a berth")
    assert answer.data is not None
    assert answer.data["hits"]
    assert not answer.data["notes"]
    assert corpus.files_read == 2


@pytest.mark.usefixtures("never_here")
def test_calls_are_answered_meanwhile_and_learn_what_was_added(folder: Path) -> None:
    asked(folder, "documents")
    (folder / "docs" / "lamps.md").write_text("# Lamp Ordinance\n\nLamps burn from dusk.\n")

    async def ask() -> tuple[Answer, Answer]:
        async with Corpus(load_config(folder / "hierdoc.yaml"), ingest=True, apart=True) as corpus:
            tools = Tools(corpus)
            early = await tools.call("search", {"query": "fee for a berth"})
            await corpus.settled()
            named = {"query": "what does the Lamp Ordinance say of dusk", "top_k": 1}
            while "Lamps burn" not in (late := await tools.call("search", named)).text:  # noqa: ASYNC110 - there is no event
                await asyncio.sleep(0.05)
            return early, late

    early, late = asyncio.run(ask())
    assert early.data is not None
    assert early.data["hits"]
    assert "The index is being built" in early.data["notes"][0]
    assert "Lamps burn" in late.text


@pytest.mark.usefixtures("never_here")
def test_what_the_process_cannot_do_is_told(folder: Path) -> None:
    for file in (folder / "docs").iterdir():
        file.unlink()
    corpus, answer = asked(folder, "search", query="fee")
    assert answer.failed
    assert "The source holds no document: docs." in corpus.notes()[0]


def test_a_process_that_ends_before_its_time_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("hierdoc_tools.apart._PROGRAM", "import os; os._exit(9)")
    with caplog.at_level(logging.CRITICAL, logger="hierdoc_tools"):
        corpus, _ = asked(folder, "search", query="fee")
    assert "ended before it was done, by status 9" in corpus.notes()[0]


def test_the_process_ends_with_the_corpus(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hierdoc_tools.apart._PROGRAM", "import time; time.sleep(600)")
    monkeypatch.setattr("hierdoc_tools.apart._PATIENCE", 0.1)
    start, started = asyncio.create_subprocess_exec, []

    async def noted(*given: Any, **options: Any) -> Any:
        started.append(await start(*given, **options))
        return started[0]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)

    async def use() -> None:
        async with Corpus(load_config(folder / "hierdoc.yaml"), ingest=True, apart=True):
            while not started:  # noqa: ASYNC110 - there is no event
                await asyncio.sleep(0.01)

    asyncio.run(use())
    with pytest.raises(ProcessLookupError):
        os.kill(started[0].pid, 0)


def test_what_lives_in_this_process_alone_is_filled_in_it(folder: Path) -> None:
    config = {"source": str(folder / "docs"), "vector": "in-memory", "keyword": "rank-bm25"}

    async def ask() -> Answer:
        async with Corpus(load_config(config), ingest=True, apart=True) as corpus:
            await corpus.settled()
            return await Tools(corpus).call("search", {"query": "fee for a berth"})

    answer = asyncio.run(ask())
    assert answer.data is not None
    assert answer.data["hits"]
