"""The backends of `milvus` keep the contracts, on Milvus Lite in a folder."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from hierdoc_milvus import MilvusConfig, MilvusVectorConfig
from hierdoc_milvus.keyword import MilvusKeywordBackend
from hierdoc_milvus.vector import MilvusVectorBackend
from hierdoc_testing import KeywordBackendTests, OpenBackend, VectorBackendTests

pytestmark = [
    pytest.mark.skipif(find_spec("milvus_lite") is None, reason="milvus-lite is not installed"),
    pytest.mark.nightly,  # it takes a second to start, and does so in each test
]


class TestVector(VectorBackendTests):
    @pytest.fixture(params=["flat", "hnsw"])
    def open_backend(self, tmp_path: Path, request: pytest.FixtureRequest) -> OpenBackend:
        return lambda name: MilvusVectorBackend(
            MilvusVectorConfig(path=tmp_path, collection=name, index=request.param)
        )


class TestKeyword(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self, tmp_path: Path) -> OpenBackend:
        return lambda name: MilvusKeywordBackend(MilvusConfig(path=tmp_path, collection=name))
