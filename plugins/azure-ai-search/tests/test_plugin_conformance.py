"""The module and configuration of the plugin keep the contract."""

from __future__ import annotations

import pytest

from hierdoc_testing import PluginTests, PluginUnderTest


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        fields = {
            "provider": "azure-ai-search",
            "url": "https://name.search.windows.net",
            "api_key": "one-of-the-tests",
        }
        config = {"vector": fields, "keyword": fields}
        return PluginUnderTest("hierdoc_azure_ai_search", config, sdk=["azure"])
