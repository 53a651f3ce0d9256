"""The module and configuration of the plugin keep the contract."""

from __future__ import annotations

import pytest

from hierdoc_testing import PluginTests, PluginUnderTest


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        fields = {
            "provider": "azure-cosmos-nosql",
            "url": "https://name.documents.azure.com:443",
            "api_key": "b25lIG9mIHRoZSB0ZXN0cw==",
        }
        return PluginUnderTest(
            "hierdoc_azure_cosmos_nosql", {"vector": fields}, sdk=["azure", "aiohttp"]
        )
