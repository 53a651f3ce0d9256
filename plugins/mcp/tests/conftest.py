"""A small corpus, the tools over it, and the SDK's own clients, of version 1 or 2."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from hierdoc import Index, load_config
from hierdoc_mcp.corpus import Corpus
from hierdoc_mcp.tools import Answer, Tools

ACT = """\
---
effective: 2020-01-01
tags: [harbour, fees]
---
# Harbour Act

## Section 1 Definitions

“Harbour” means a place where ships lie at anchor and are loaded or unloaded.

“Master” means the person who has command of a ship.

## Section 2 Reports

(a) Every master of a ship shall report to the harbour office as Section 3(b) says.

(b) A report that is late costs the fee of Section 3(a).

## Section 3 Fees

(a) The fee for a berth is 23.2 crowns a day.

(b) It becomes due when the ship moors, subject to Section 9 of the Lost Act.
"""

RULES = """\
---
effective: 2022-01-01
tags: [fishing]
---
# Fishing Rules

## Section 1 Licences

A licence is granted to a master who has paid under Section 3 of the Harbour Act.

## Section 2 Fish

""" + "\n\n".join(
    f"({letter}) The catch of number {number} is landed at quay {number} and weighed there twice."
    for number, letter in enumerate("abcdefghijklmnopqrstuvwxyz")
) + "\n"  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents with definitions, references and metadata, and a configuration beside them."""
    return written(tmp_path)


def written(tmp_path: Path) -> Path:
    """The corpus in a folder."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "act.md").write_text(ACT, encoding="utf-8")
    (docs / "rules.md").write_text(RULES, encoding="utf-8")
    (tmp_path / "hierdoc.yaml").write_text(
        "source: docs\nvector: {provider: sqlite, path: .hierdoc}\nkeyword: {provider: tantivy, path: .hierdoc}\n"
        "metadata: {effective: date, tags: list}\n"
    )
    return tmp_path


Work = Callable[[Tools], Awaitable[Any]]

IN_MEMORY = {
    "vector": "in-memory",
    "keyword": "in-memory",
    "metadata": {"effective": "date", "tags": "list"},
}


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Work], Any]]:
    """Do something with tools over an index that all tests share."""
    folder = written(tmp_path_factory.mktemp("corpus"))
    loop = asyncio.new_event_loop()
    corpus = Corpus(load_config({"source": str(folder / "docs"), **IN_MEMORY}))
    loop.run_until_complete(corpus.__aenter__())
    loop.run_until_complete(corpus.settled())
    yield lambda work: loop.run_until_complete(work(Tools(corpus)))
    loop.run_until_complete(corpus.__aexit__())
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


@pytest.fixture
def using(folder: Path) -> Callable[..., Any]:
    """Do something with tools over an index in memory; settings of the configuration by name."""

    def using(work: Work, *, built: bool = True, options: Any = None, **settings: Any) -> Any:
        config = {"source": str(folder / "docs"), **IN_MEMORY, **settings}

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


# The SDK's clients


def plain(result: Any) -> dict[str, Any]:
    """A result as it goes over the wire."""
    dumped: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return dumped


def hierdoc(*arguments: str, cwd: Path, **environment: str) -> Any:
    """How a client starts the server as a child process."""
    from mcp import StdioServerParameters

    script = Path(sys.executable).with_name("hierdoc")
    return StdioServerParameters(
        command=str(script), args=list(arguments), cwd=str(cwd), env={**os.environ, **environment}
    )


@asynccontextmanager
async def over_stdio(*arguments: str, cwd: Path, **environment: str) -> AsyncIterator[Any]:
    """A session with `hierdoc mcp` as a child process."""
    from mcp import ClientSession
    from mcp.client.stdio import stdio_client

    started = hierdoc("mcp", *arguments, cwd=cwd, **environment)
    async with stdio_client(started) as (read, write), ClientSession(read, write) as session:
        yield session


@asynccontextmanager
async def over_http(url: str, token: str | None = None) -> AsyncIterator[Any]:
    """A session with a server at this address."""
    from mcp import ClientSession

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with AsyncExitStack() as stack:
        try:
            from mcp.client.streamable_http import streamablehttp_client
        except ImportError:  # version 2
            import httpx2
            from mcp.client.streamable_http import streamable_http_client

            client = await stack.enter_async_context(httpx2.AsyncClient(headers=headers))
            opened = streamable_http_client(url, http_client=client)
        else:
            opened = streamablehttp_client(url, headers=headers)
        read, write, *_ = await stack.enter_async_context(opened)
        yield await stack.enter_async_context(ClientSession(read, write))


@contextmanager
def http_server(*arguments: str, cwd: Path, **environment: str) -> Iterator[str]:
    """The address of `hierdoc mcp --http`, for as long as it is needed."""
    script = Path(sys.executable).with_name("hierdoc")
    command = [str(script), "mcp", "--http", "--port", "0", *arguments]
    settings = {**os.environ, **environment}
    with subprocess.Popen(command, cwd=cwd, env=settings, stderr=subprocess.PIPE, text=True) as ran:
        assert ran.stderr is not None
        try:
            said = ""
            for line in ran.stderr:
                said += line
                if found := re.search(r"http://\S+/mcp", line):
                    break
            else:
                pytest.fail(f"the server ended: {said}")
            threading.Thread(target=ran.stderr.read, daemon=True).start()
            yield found[0]
        finally:
            ran.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                ran.wait(10)
            ran.kill()


@pytest.fixture(scope="session")
def clients() -> Mapping[str, Any]:
    """The helpers above; test modules cannot import them."""
    return {"stdio": over_stdio, "http": over_http, "server": http_server, "plain": plain}


@pytest.fixture(scope="session")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the corpus, with its index."""
    folder = written(tmp_path_factory.mktemp("ingested"))
    with Index.open(folder / "hierdoc.yaml") as index:
        index.ingest()
    return folder
