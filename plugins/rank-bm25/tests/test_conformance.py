"""The plugin's backend keeps what every keyword backend promises."""

from __future__ import annotations

import pytest

from hierdoc_rank_bm25.backend import RankBm25Backend
from hierdoc_testing import KeywordBackendTests, OpenBackend, PluginTests, PluginUnderTest


class TestRankBm25(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self) -> OpenBackend:
        return lambda collection: RankBm25Backend()


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        return PluginUnderTest("hierdoc_rank_bm25", {"keyword": {"provider": "rank-bm25"}})
