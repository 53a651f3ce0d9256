"""The module and configuration of the plugin keep the contract."""

from __future__ import annotations

import pytest

from hierdoc_testing import PluginTests, PluginUnderTest


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        config = {"vector": {"provider": "pinecone", "api_key": "one-of-the-tests"}}
        return PluginUnderTest("hierdoc_pinecone", config, sdk=["pinecone"])
