"""The plugin keeps what every embedder and every plugin promises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hierdoc_azure_openai import AzureEmbedderConfig, open_embedder
from hierdoc_remote.loopback import embeddings, serving
from hierdoc_testing import EmbedderTests, OpenComponent, PluginTests, PluginUnderTest


def answer(path: str, body: Any) -> Any:
    assert path == "/v1/openai/v1/embeddings"
    return embeddings("/v1/embeddings", body)


class TestShapeOfEmbeddings(EmbedderTests):
    @pytest.fixture
    def open_embedder(self, tmp_path: Path) -> Iterator[OpenComponent]:
        with serving(answer) as server:
            config = AzureEmbedderConfig(
                base_url=server.url, model="bag", dimensions=64, cache_path=tmp_path
            )
            yield lambda: open_embedder(config)


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        embedder = {
            "provider": "azure-openai",
            "base_url": "https://harbour.openai.azure.com",
            "api_key": "${AZURE_OPENAI_API_KEY}",
        }
        context = {**embedder, "model": "small"}
        return PluginUnderTest("hierdoc_azure_openai", {"embedder": embedder, "context": context})
