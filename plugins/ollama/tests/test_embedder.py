"""What is asked of Ollama, and what becomes of its refusals."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hierdoc import ConfigError, EmbeddingError, HierdocError, Usage
from hierdoc_ollama import OllamaConfig, open_embedder
from hierdoc_remote.loopback import Loopback, ollama, reply, serving


@pytest.fixture
def server() -> Iterator[Loopback]:
    with serving(ollama) as loopback:
        yield loopback


def embed(server: Loopback, folder: Path, *texts: str, **settings: Any) -> Any:
    async def call() -> Any:
        given = {"model": "bag", "dimensions": 64, "cache_path": folder, "retries": 0, **settings}
        embedder = open_embedder(OllamaConfig(base_url=server.url, **given))
        try:
            return await embedder.embed_documents(texts)
        finally:
            await embedder.aclose()

    return asyncio.run(call())


def test_shape_of_a_request_that_forbids_to_cut_texts(server: Loopback, tmp_path: Path) -> None:
    embed(server, tmp_path, "berth", options={"num_ctx": 2048}, keep_alive="10m")
    wanted = {
        "model": "bag",
        "truncate": False,
        "options": {"num_ctx": 2048},
        "keep_alive": "10m",
        "input": ["berth"],
    }
    assert server.bodies == [wanted]


def test_shape_of_a_refusal_names_the_model(server: Loopback, tmp_path: Path) -> None:
    said = {"error": 'model "bag" not found, try pulling it first'}
    server.handle = lambda *_: reply(said, 404)
    with pytest.raises(HierdocError, match="try pulling it first"):
        embed(server, tmp_path, "berth")


def test_shape_of_a_text_that_is_too_long_fails_its_document(
    server: Loopback, tmp_path: Path
) -> None:
    said = {"error": "the input length exceeds the context length"}
    server.handle = lambda *_: reply(said, 400)
    with pytest.raises(EmbeddingError, match="exceeds the context length"):
        embed(server, tmp_path, "berth")


def test_shape_of_vectors_of_another_model_is_refused(server: Loopback, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="vectors of 64, not 32 dimensions"):
        embed(server, tmp_path, "berth", dimensions=32)


def test_shape_of_an_answer_without_vectors_is_said(server: Loopback, tmp_path: Path) -> None:
    server.handle = lambda *_: reply({"embedding": [1.0]})
    with pytest.raises(HierdocError, match="holds no vectors"):
        embed(server, tmp_path, "berth")


def test_the_tokens_that_the_server_counts_are_told(server: Loopback, tmp_path: Path) -> None:
    async def call() -> Any:
        config = OllamaConfig(
            base_url=server.url, model="bag", dimensions=64, cache_path=tmp_path / "cache"
        )
        embedder = open_embedder(config)
        try:
            await embedder.embed_documents(["a berth", "for one night"])
            await embedder.embed_query("which berth")
            return embedder.usage
        finally:
            await embedder.aclose()

    assert asyncio.run(call()) == Usage(1, 5)
