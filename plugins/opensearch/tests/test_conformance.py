"""What every backend keeps, kept by both backends on a stand-in for a node: shape tests, not run against OpenSearch itself."""

from __future__ import annotations

from typing import Any

import pytest

from hierdoc.testing import KeywordBackendTests, OpenBackend, VectorBackendTests
from hierdoc_opensearch import OpenSearchConfig, OpenSearchVectorConfig
from hierdoc_opensearch.keyword import OpenSearchKeywordBackend
from hierdoc_opensearch.vector import OpenSearchVectorBackend


class TestShapeOfKeywordBackend(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self, node: Any) -> OpenBackend:
        return lambda collection: OpenSearchKeywordBackend(
            OpenSearchConfig(url=node.url, collection=collection)
        )


class TestShapeOfVectorBackend(VectorBackendTests):
    @pytest.fixture(params=["normalization", "rrf"])
    def open_backend(self, node: Any, request: pytest.FixtureRequest) -> OpenBackend:
        return lambda collection: OpenSearchVectorBackend(
            OpenSearchVectorConfig(url=node.url, collection=collection, fusion=request.param)
        )
