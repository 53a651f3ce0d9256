"""The index behind the tools: what they say while it is built, where it is missing or broken, and what they never say."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hierdoc import errors, load_config
from hierdoc.index import AsyncIndex
from hierdoc_static.embedder import StaticEmbedder
from hierdoc_tools.corpus import Corpus, Scrubber
from hierdoc_tools.tools import Answer, Tools

Using = Callable[..., Any]


def test_an_empty_index_says_who_can_fill_it(
    using: Using, caplog: pytest.LogCaptureFixture
) -> None:
    answer = using(lambda tools: tools.call("section", {"reference": "x"}), built=False)
    assert answer.failed
    assert "The index is empty" in answer.text
    assert "--ingest" in answer.text
    assert "the index is empty: `hierdoc ingest` fills it" in caplog.text


def test_tools_answer_while_the_index_is_built_and_say_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest = AsyncIndex.ingest
    begun, going_on = asyncio.Event(), asyncio.Event()

    async def slow(self: AsyncIndex, **options: Any) -> Any:
        await options["progress"](1, 2, "act.md")
        begun.set()
        await going_on.wait()
        return await ingest(self, **options)

    monkeypatch.setattr(AsyncIndex, "ingest", slow)

    async def ask() -> tuple[Answer, Answer, Answer]:
        async with Corpus(load_config(folder / "hierdoc.yaml"), ingest=True) as corpus:
            tools = Tools(corpus)
            await begun.wait()
            early = await tools.call("search", {"query": "fee for a berth"})
            lacking = await tools.call("section", {"reference": "Section 3"})
            going_on.set()
            await corpus.settled()
            return early, lacking, await tools.call("search", {"query": "fee for a berth"})

    early, lacking, late = asyncio.run(ask())
    assert early.data is not None
    assert early.data["notes"] == [
        "The index is being built: 1 of 2 files are read. Documents may be missing; ask again later."
    ]
    assert lacking.failed
    assert "No section is called 'Section 3'" in lacking.text
    assert "The index is being built: 1 of 2 files are read" in lacking.text
    assert late.data is not None
    assert late.data["hits"]
    assert not late.data["notes"]


def test_an_ingest_waits_between_documents_while_calls_are_answered(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hierdoc_tools.corpus._PATIENCE", 600)

    async def ask() -> tuple[int, int]:
        async with Corpus(load_config(folder / "hierdoc.yaml"), ingest=True) as corpus:
            tools = Tools(corpus)
            with corpus.answering():
                while not corpus.files_read:  # noqa: ASYNC110 - there is no event
                    await asyncio.sleep(0.001)
                for _ in range(20):
                    await tools.call("search", {"query": "fee for a berth"})
                beside = corpus.files_read
            await corpus.settled()
            return beside, corpus.files_read

    assert asyncio.run(ask()) == (1, 2)


def test_an_ingest_does_not_wait_for_long(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hierdoc_tools.corpus._PATIENCE", 0.001)

    async def ask() -> int:
        async with Corpus(load_config(folder / "hierdoc.yaml"), ingest=True) as corpus:
            with corpus.answering():
                await corpus.settled()
            return corpus.files_read

    assert asyncio.run(ask()) == 2


def test_of_many_calls_at_once_each_leaves_others_a_turn(using: Using) -> None:
    seen: list[str] = []

    async def work(index: AsyncIndex) -> None:
        seen.append("call")

    async def turns() -> None:
        while True:
            seen.append("turn")
            await asyncio.sleep(0)

    async def ask(tools: Tools) -> None:
        others = asyncio.create_task(turns())
        await asyncio.gather(*(tools.look(work) for _ in range(20)))
        others.cancel()

    using(ask)
    assert seen.count("call") == 20
    assert "call call" not in " ".join(seen)


def test_an_index_of_another_embedder_says_what_to_do(
    folder: Path, using: Using, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = {"vector": {"provider": "sqlite", "path": str(folder / "store")}}
    assert not using(lambda tools: tools.call("documents", {}), **store).failed
    opened = StaticEmbedder.__init__

    def another(self: StaticEmbedder) -> None:
        opened(self)
        self.fingerprint = "another"

    monkeypatch.setattr(StaticEmbedder, "__init__", another)
    answer = using(lambda tools: tools.call("documents", {}), built=False, **store)
    assert answer.failed
    assert "hierdoc ingest --force" in answer.text
    assert str(folder) not in answer.text


def test_what_could_not_be_ingested_is_noted(folder: Path) -> None:
    async def ask() -> Answer:
        config = load_config({"source": str(folder / "nowhere"), "vector": "in-memory"})
        async with Corpus(config) as corpus:
            await corpus.settled()
            assert "The source does not exist" in corpus.notes()[0]
            return await Tools(corpus).call("search", {"query": "fee"})

    answer = asyncio.run(ask())
    assert answer.failed
    assert str(folder) not in answer.text


def test_an_ingest_waits_for_that_of_another_process(
    using: Using, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest, locked = AsyncIndex.ingest, [True, True]

    async def busy(self: AsyncIndex, **options: Any) -> Any:
        if locked:
            locked.pop()
            raise errors.IndexLockedError("another process is writing to the index")
        return await ingest(self, **options)

    monkeypatch.setattr(AsyncIndex, "ingest", busy)
    monkeypatch.setattr("hierdoc_tools.apart.RETRY", 0.01)
    answer = using(lambda tools: tools.call("search", {"query": "fee"}))
    assert answer.data is not None
    assert answer.data["hits"]
    assert not answer.data["notes"]


def test_a_file_that_could_not_be_read_is_noted(folder: Path, using: Using) -> None:
    (folder / "docs" / "broken.md").write_bytes(b"\x00\x01\x02\xff" * 100)
    (folder / "docs" / "scan.pdf").write_bytes(b"%PDF-1.7 no more")
    answer = using(lambda tools: tools.call("search", {"query": "fee"}))
    assert answer.data is not None
    assert "could not be read and" in answer.data["notes"][0]


def test_an_error_that_nobody_foresaw_is_told_by_its_kind_alone(
    using: Using, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(self: AsyncIndex, *given: Any, **options: Any) -> Any:
        raise RuntimeError("password hunter2 in /home/someone/secrets")

    monkeypatch.setattr(AsyncIndex, "search", broken)
    with caplog.at_level(logging.CRITICAL, logger="hierdoc_tools"):
        answer = using(lambda tools: tools.call("search", {"query": "fee"}))
    assert answer.text == "Internal error (RuntimeError); the server's log says more."


def test_an_error_of_a_store_has_no_paths_and_no_secrets(
    using: Using, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(self: AsyncIndex, *given: Any, **options: Any) -> Any:
        raise errors.StoreError(
            "cannot open /var/lib/hierdoc/index.sqlite at https://user:hunter2@db.example:9200/x",
            hint="Look at ~/.config/hierdoc/hierdoc.yaml.",
        )

    monkeypatch.setattr(AsyncIndex, "search", broken)
    with caplog.at_level(logging.CRITICAL, logger="hierdoc_tools"):
        answer = using(lambda tools: tools.call("search", {"query": "fee"}))
    assert answer.text == (
        "Cannot open .../index.sqlite at https://***@db.example:9200/x. Look at .../hierdoc.yaml."
    )


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("cannot read {base}/docs/act.md", "cannot read docs/act.md"),
        ("no {base}/a b.md, sorry", "no a b.md, sorry"),
        ("/etc/passwd: no", ".../passwd: no"),
        (r"C:\Users\me\x.db is locked", ".../x.db is locked"),
        ("file '/a b/c.txt'", "file '.../c.txt'"),
        ("a/b/c and 1/2 stay", "a/b/c and 1/2 stay"),
        ("https://host/a/b stays", "https://host/a/b stays"),
    ],
)
def test_paths_are_told_from_the_source_on(folder: Path, said: str, shown: str) -> None:
    scrub = Scrubber(load_config(folder / "hierdoc.yaml"))
    assert scrub(said.format(base=folder.resolve())) == shown


def test_a_secret_of_the_configuration_is_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from pydantic import SecretStr

    config = load_config({"source": "docs", "vector": "in-memory"})
    secret = SecretStr("p@ss/word")
    monkeypatch.setattr("hierdoc_tools.corpus._secrets", lambda _: iter([secret]))
    assert Scrubber(config)("key p@ss/word or p%40ss%2Fword") == "key *** or ***"
