"""An application over a small corpus of markdown, HTML and PDF, asked in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from hierdoc import load_config
from hierdoc_serve.server import Served, Server
from hierdoc_tools.access import Token
from hierdoc_tools.corpus import Corpus
from hierdoc_tools.limits import Rate

TOKEN = "0123456789abcdef-token"

Get = Callable[..., httpx.Response]


@pytest.fixture(scope="session")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Where the application runs."""
    loop = asyncio.new_event_loop()
    yield loop
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


@pytest.fixture(scope="session")
def corpora(
    harbour: ModuleType, tmp_path_factory: pytest.TempPathFactory, loop: asyncio.AbstractEventLoop
) -> Iterator[Mapping[str, Corpus]]:
    """Two configurations over the same documents, ingested."""
    folder: Path = harbour.written_formats(tmp_path_factory.mktemp("served"))
    common = {"source": str(folder / "docs"), **harbour.IN_MEMORY}
    corpora = {
        "plain": Corpus(load_config(common)),
        "words": Corpus(load_config({**common, "search": {"mode": "keyword"}})),
    }
    for corpus in corpora.values():
        loop.run_until_complete(corpus.__aenter__())
        loop.run_until_complete(corpus.settled())
    yield corpora
    for corpus in corpora.values():
        loop.run_until_complete(corpus.__aexit__())


@pytest.fixture(scope="session")
def asking(
    corpora: Mapping[str, Corpus], loop: asyncio.AbstractEventLoop
) -> Iterator[Callable[..., Get]]:
    """Make a function that sends requests to an application with these options of `Served`."""
    opened: list[Server] = []

    def make(**options: Any) -> Get:
        server = Server(Served(corpora, **options))
        opened.append(server)

        def ask(path: str, method: str = "GET", **given: Any) -> httpx.Response:
            async def send() -> httpx.Response:
                transport = httpx.ASGITransport(app=server, raise_app_exceptions=False)  # type: ignore[arg-type]
                async with httpx.AsyncClient(
                    transport=transport, base_url="http://127.0.0.1:8766"
                ) as client:
                    return await client.request(method, path, **given)

            return loop.run_until_complete(send())

        return ask

    yield make
    for server in opened:
        loop.run_until_complete(server.__aexit__())


@pytest.fixture(scope="session")
def ask(asking: Callable[..., Get]) -> Get:
    """Ask an application that is open to this machine."""
    return asking()


@pytest.fixture(scope="session")
def ask_secured(asking: Callable[..., Get]) -> Get:
    """Ask an application that wants a token."""
    return asking(token=Token(TOKEN), only_loopback=False)


@pytest.fixture
def ask_slowed(asking: Callable[..., Get]) -> Get:
    """Ask an application that answers two calls a minute."""
    return asking(rate=Rate(2))
