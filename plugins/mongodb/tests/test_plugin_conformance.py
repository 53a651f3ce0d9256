"""The module and configuration of the plugin keep the contract."""

from __future__ import annotations

import pytest

from hierdoc_testing import PluginTests, PluginUnderTest


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        fields = {"provider": "mongodb", "username": "tests", "password": "one-of-the-tests"}
        config = {"vector": fields, "keyword": fields}
        return PluginUnderTest("hierdoc_mongodb", config, sdk=["bson", "pymongo"])
