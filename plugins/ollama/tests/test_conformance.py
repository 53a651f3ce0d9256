"""The plugin keeps what every embedder and every plugin promises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hierdoc_ollama import OllamaConfig, open_embedder
from hierdoc_remote.loopback import ollama, serving
from hierdoc_testing import EmbedderTests, OpenComponent, PluginTests, PluginUnderTest


class TestShapeOfEmbeddings(EmbedderTests):
    @pytest.fixture
    def open_embedder(self, tmp_path: Path) -> Iterator[OpenComponent]:
        with serving(ollama) as server:
            config = OllamaConfig(
                base_url=server.url, model="bag", dimensions=64, cache_path=tmp_path
            )
            yield lambda: open_embedder(config)


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        embedder = {"provider": "ollama", "model": "nomic-embed-text", "dimensions": 768}
        return PluginUnderTest("hierdoc_ollama", {"embedder": embedder})
