"""The module and configuration of the plugin keep the contract."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from hierdoc_testing import PluginTests, PluginUnderTest

pytestmark = pytest.mark.skipif(
    find_spec("milvus_lite") is None, reason="milvus-lite is not installed"
)


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        fields = {"provider": "milvus", "token": "one-of-the-tests"}
        config = {"vector": fields, "keyword": fields}
        return PluginUnderTest("hierdoc_milvus", config, sdk=["pymilvus", "grpc", "milvus_lite"])
