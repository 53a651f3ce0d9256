"""The module and configuration of the plugin keep the contract."""

from __future__ import annotations

import pytest

from hierdoc_testing import PluginTests, PluginUnderTest


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        config = {
            "vector": {"provider": "in-memory"},
            "keyword": {"provider": "in-memory", "k1": 1.2},
        }
        return PluginUnderTest("hierdoc_in_memory", config)
