"""The plugin's backend keeps what every keyword backend promises."""

from __future__ import annotations

import pytest

from hierdoc.testing import KeywordBackendTests, OpenBackend
from hierdoc_rank_bm25.backend import RankBm25Backend


class TestRankBm25(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self) -> OpenBackend:
        return lambda collection: RankBm25Backend()
