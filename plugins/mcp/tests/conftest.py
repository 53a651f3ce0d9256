"""A small corpus, and the SDK's own clients, of version 1 or 2."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hierdoc import Index


@pytest.fixture
def folder(harbour: ModuleType, tmp_path: Path) -> Path:
    """Two documents with definitions, references and metadata, and a configuration beside them."""
    written: Path = harbour.written(tmp_path)
    return written


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

            # What is tried is what is answered, not how soon: a busy machine takes longer than the usual five seconds.
            waiting = httpx2.AsyncClient(headers=headers, timeout=60)
            client = await stack.enter_async_context(waiting)
            opened = streamable_http_client(url, http_client=client)
        else:
            opened = streamablehttp_client(url, headers=headers)
        read, write, *_ = await stack.enter_async_context(opened)
        yield await stack.enter_async_context(ClientSession(read, write))


@pytest.fixture(scope="session")
def clients(harbour: ModuleType) -> Mapping[str, Any]:
    """The helpers above; test modules cannot import them."""

    def server(*arguments: str, cwd: Path, **environment: str) -> AbstractContextManager[str]:
        started: AbstractContextManager[str] = harbour.running(
            "mcp", "--http", "--port", "0", *arguments, cwd=cwd, **environment
        )
        return started

    return {"stdio": over_stdio, "http": over_http, "server": server, "plain": plain}


@pytest.fixture(scope="session")
def ingested(harbour: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the corpus, with its index."""
    folder: Path = harbour.written(tmp_path_factory.mktemp("ingested"))
    with Index.open(folder / "hierdoc.yaml") as index:
        index.ingest()
    return folder
