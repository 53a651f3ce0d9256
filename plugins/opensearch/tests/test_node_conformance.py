"""What every backend keeps, kept by both backends on a real node: HIERDOC_TEST_OPENSEARCH_URL says where one is.

`nox -s "conformance(plugin='opensearch', sdk='latest')"` starts one for these tests, `python tests/servers.py opensearch run` one for oneself.
"""

from __future__ import annotations

import os
import urllib.request
from collections.abc import Iterator
from uuid import uuid4

import pytest

from hierdoc_opensearch import OpenSearchConfig, OpenSearchVectorConfig
from hierdoc_opensearch.keyword import OpenSearchKeywordBackend
from hierdoc_opensearch.vector import OpenSearchVectorBackend
from hierdoc_testing import KeywordBackendTests, OpenBackend, VectorBackendTests

URL = os.environ.get("HIERDOC_TEST_OPENSEARCH_URL", "")

if not URL:
    pytest.skip("HIERDOC_TEST_OPENSEARCH_URL names no node", allow_module_level=True)


@pytest.fixture
def prefix() -> Iterator[str]:
    """What the names of a test's indices start with; these are gone after it."""
    name = f"kit-{uuid4().hex}"
    yield f"{name}-"
    gone = urllib.request.Request(f"{URL}/{name}-*", method="DELETE")
    urllib.request.urlopen(gone, timeout=60).close()


class TestKeywordBackend(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self, prefix: str) -> OpenBackend:
        return lambda collection: OpenSearchKeywordBackend(
            OpenSearchConfig(url=URL, collection=prefix + collection)
        )


class TestVectorBackend(VectorBackendTests):
    @pytest.fixture(params=["normalization", "rrf"])
    def open_backend(self, prefix: str, request: pytest.FixtureRequest) -> OpenBackend:
        fusion = request.param
        return lambda collection: OpenSearchVectorBackend(
            OpenSearchVectorConfig(url=URL, collection=prefix + collection, fusion=fusion)
        )
