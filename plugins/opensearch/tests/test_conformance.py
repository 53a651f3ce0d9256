"""What every backend keeps, kept by both backends on a stand-in for a node: shape tests, not run against OpenSearch itself."""

from __future__ import annotations

import os
from typing import Any

import pytest

from hierdoc_opensearch import OpenSearchConfig, OpenSearchVectorConfig
from hierdoc_opensearch.keyword import OpenSearchKeywordBackend
from hierdoc_opensearch.vector import OpenSearchVectorBackend
from hierdoc_testing import KeywordBackendTests, OpenBackend, Stores, VectorBackendTests

if os.environ.get("HIERDOC_TEST_OPENSEARCH_URL"):
    pytest.skip("a real node is there", allow_module_level=True)


@pytest.mark.nightly  # the vector backend writes and filters by the same requests
class TestShapeOfKeywordBackend(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self, node: Any) -> OpenBackend:
        url = node.url
        return lambda collection: OpenSearchKeywordBackend(
            OpenSearchConfig(url=url, collection=collection)
        )

    @pytest.mark.xfail(
        reason="the stand-in works in this process, on the interpreter that it measures", run=False
    )
    def test_the_event_loop_is_never_blocked(self, stores: Stores) -> None:
        super().test_the_event_loop_is_never_blocked(stores)


class TestShapeOfVectorBackend(VectorBackendTests):
    @pytest.fixture(params=["normalization", pytest.param("rrf", marks=pytest.mark.nightly)])
    def open_backend(self, node: Any, request: pytest.FixtureRequest) -> OpenBackend:
        url, fusion = node.url, request.param
        return lambda collection: OpenSearchVectorBackend(
            OpenSearchVectorConfig(url=url, collection=collection, fusion=fusion)
        )

    @pytest.mark.xfail(
        reason="the stand-in works in this process, on the interpreter that it measures", run=False
    )
    def test_the_event_loop_is_never_blocked(self, stores: Stores) -> None:
        super().test_the_event_loop_is_never_blocked(stores)
