"""The plugin keeps what every embedder and every plugin promises, with a model that the library made and saved."""

from __future__ import annotations

from pathlib import Path

import pytest

from hierdoc_model2vec import Model2VecConfig, open_embedder
from hierdoc_testing import EmbedderTests, OpenComponent, PluginTests, PluginUnderTest


class TestModel2Vec(EmbedderTests):
    @pytest.fixture
    def open_embedder(self, model: Path) -> OpenComponent:
        return lambda: open_embedder(Model2VecConfig(path=model))


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self, model: Path) -> PluginUnderTest:
        embedder = {"provider": "model2vec", "path": str(model)}
        return PluginUnderTest("hierdoc_model2vec", {"embedder": embedder})
