"""The plugin keeps what every embedder and every plugin promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from hierdoc_fastembed import FastembedConfig
from hierdoc_fastembed.embedder import FastembedEmbedder
from hierdoc_testing import EmbedderTests, OpenComponent, PluginTests, PluginUnderTest


class TestFastembed(EmbedderTests):
    @pytest.fixture
    def open_embedder(self, shared_data: Path) -> OpenComponent:
        folder = shared_data / "models" / "all-MiniLM-L6-v2-onnx"
        if not folder.is_dir():
            pytest.skip("no model in the shared data")
        return lambda: FastembedEmbedder(FastembedConfig(path=folder, threads=2))


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        config = {"embedder": {"provider": "fastembed", "model": "BAAI/bge-small-en-v1.5"}}
        return PluginUnderTest("hierdoc_fastembed", config)
