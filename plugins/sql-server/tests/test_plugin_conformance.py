"""The module and configuration of the plugin keep the contract."""

from __future__ import annotations

import pytest

from hierdoc_testing import PluginTests, PluginUnderTest


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        fields = {"provider": "sql-server", "dsn": "Server=db;User ID=me;Password=one-of-the-tests"}
        return PluginUnderTest("hierdoc_sql_server", {"vector": fields}, sdk=["pytds"])
