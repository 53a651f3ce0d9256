"""A small corpus, and the tools over it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hierdoc import load_config
from hierdoc_tools.corpus import Corpus
from hierdoc_tools.tools import Answer, Tools

Work = Callable[[Tools], Awaitable[Any]]


@pytest.fixture
def folder(harbour: ModuleType, tmp_path: Path) -> Path:
    """Two documents with definitions, references and metadata, and a configuration beside them."""
    written: Path = harbour.written(tmp_path)
    return written


@pytest.fixture(scope="session")
def asked(
    harbour: ModuleType, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Work], Any]]:
    """Do something with tools over an index that all tests share."""
    folder = harbour.written(tmp_path_factory.mktemp("corpus"))
    loop = asyncio.new_event_loop()
    corpus = Corpus(load_config({"source": str(folder / "docs"), **harbour.IN_MEMORY}))
    loop.run_until_complete(corpus.__aenter__())
    loop.run_until_complete(corpus.settled())
    yield lambda work: loop.run_until_complete(work(Tools(corpus)))
    loop.run_until_complete(corpus.__aexit__())
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


@pytest.fixture
def using(harbour: ModuleType, folder: Path) -> Callable[..., Any]:
    """Do something with tools over an index in memory; settings of the configuration by name."""

    def using(work: Work, *, built: bool = True, options: Any = None, **settings: Any) -> Any:
        config = {"source": str(folder / "docs"), **harbour.IN_MEMORY, **settings}

        async def run() -> Any:
            async with Corpus(load_config(config), ingest=built) as corpus:
                await corpus.settled()
                return await work(Tools(corpus, **(options or {})))

        return asyncio.run(run())

    return using


@pytest.fixture
def call(asked: Callable[..., Any]) -> Callable[..., Answer]:
    """Call a tool over the corpus."""

    def call(name: str, **arguments: Any) -> Answer:
        given = {key.rstrip("_"): value for key, value in arguments.items()}
        answer: Answer = asked(lambda tools: tools.call(name, given))
        return answer

    return call
