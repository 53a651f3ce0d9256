"""Where requests go, by which header, and for which deployment."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from hierdoc import Document, HierdocError
from hierdoc.plugin import ComponentKind, default_registry
from hierdoc.structure import understand
from hierdoc_azure_openai import (
    AzureContextConfig,
    AzureEmbedderConfig,
    open_contexts,
    open_embedder,
)
from hierdoc_remote.loopback import Loopback, chat, embeddings, failure, serving


def answer(path: str, body: Any) -> Any:
    if "/embeddings" in path:
        return embeddings("/v1/embeddings", body)
    return chat("/v1/chat/completions", body)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with serving(answer) as loopback:
        loopback.url = loopback.url.removesuffix("/v1")
        yield loopback


def embed(server: Loopback, folder: Path, **settings: Any) -> Any:
    async def call() -> Any:
        config = AzureEmbedderConfig(
            base_url=server.url,
            model="our-embeddings",
            dimensions=64,
            cache_path=folder,
            retries=0,
            api_key=SecretStr("az-1"),
            **settings,
        )
        embedder = open_embedder(config)
        try:
            return await embedder.embed_documents(["berth"])
        finally:
            await embedder.aclose()

    return asyncio.run(call())


def generate(server: Loopback, folder: Path, **settings: Any) -> Any:
    async def call() -> Any:
        chunker = default_registry().find(ComponentKind.CHUNKER, "structure")
        document = understand(Document("act.md", "Act", "# Act\n\nShips pay.\n"))
        chunks = chunker.open(chunker.config()).chunk(document)
        config = AzureContextConfig(
            base_url=server.url, model="our chat", cache_path=folder, **settings
        )
        contexts = open_contexts(config)
        try:
            return await contexts.generate(document, chunks)
        finally:
            await contexts.aclose()

    return asyncio.run(call())


def test_shape_of_embeddings(server: Loopback, tmp_path: Path) -> None:
    embed(server, tmp_path)
    ((path, headers, body),) = server.requests
    assert (path, headers["api-key"]) == ("/openai/v1/embeddings", "az-1")
    assert "authorization" not in headers
    assert body["model"] == "our-embeddings"


def test_shape_of_embeddings_by_a_dated_version(server: Loopback, tmp_path: Path) -> None:
    embed(server, tmp_path, api_version="2024-10-21")
    path = server.requests[0][0]
    assert path == "/openai/deployments/our-embeddings/embeddings?api-version=2024-10-21"


def test_shape_of_contexts(server: Loopback, tmp_path: Path) -> None:
    (context,) = generate(server, tmp_path)
    assert "It is about" in context
    assert server.requests[0][0] == "/openai/v1/chat/completions"


def test_shape_of_contexts_by_a_dated_version(server: Loopback, tmp_path: Path) -> None:
    generate(server, tmp_path, api_version="2024-10-21")
    path = server.requests[0][0]
    assert path == "/openai/deployments/our%20chat/chat/completions?api-version=2024-10-21"


def test_shape_of_a_refusal_is_said_without_the_key(server: Loopback, tmp_path: Path) -> None:
    server.handle = lambda *_: failure(401, "Access denied due to invalid key az-1")
    with pytest.raises(HierdocError, match=r"azure-openai: .* invalid key \*\*\*"):
        embed(server, tmp_path)


def test_an_index_does_not_depend_on_where_the_resource_is(tmp_path: Path) -> None:
    here, there = (
        open_embedder(
            AzureEmbedderConfig(base_url=f"https://{name}.openai.azure.com", cache_path=tmp_path)
        )
        for name in ("here", "there")
    )
    assert here.fingerprint == there.fingerprint
