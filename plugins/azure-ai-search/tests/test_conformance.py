"""What every backend keeps, kept by the requests to Azure AI Search.

The service is a stand-in: these are shape tests, which were not run against Azure. With `HIERDOC_TEST_AZURE_SEARCH_URL` and
`HIERDOC_TEST_AZURE_SEARCH_KEY` they are run against it as well.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from hierdoc_azure_ai_search import AzureConfig, AzureVectorConfig
from hierdoc_azure_ai_search.backend import AzureKeywordBackend, AzureVectorBackend
from hierdoc_testing import KeywordBackendTests, OpenBackend, Stores, VectorBackendTests


def vector(fields: dict[str, Any], **more: Any) -> OpenBackend:
    return lambda name: AzureVectorBackend(
        AzureVectorConfig(collection=name.replace("_", "-"), **fields, **more)
    )


def keyword(fields: dict[str, Any]) -> OpenBackend:
    return lambda name: AzureKeywordBackend(
        AzureConfig(collection=name.replace("_", "-"), **fields)
    )


@pytest.fixture
def service() -> dict[str, Any]:
    names = {"url": "HIERDOC_TEST_AZURE_SEARCH_URL", "api_key": "HIERDOC_TEST_AZURE_SEARCH_KEY"}
    if not all(name in os.environ for name in names.values()):
        pytest.skip(f"not set: {', '.join(names.values())}")
    return {field: os.environ[name] for field, name in names.items()}


@pytest.mark.nightly
class TestShapeOfVector(VectorBackendTests):
    @pytest.fixture(params=["hnsw", "flat"])
    def open_backend(self, server: Any, request: pytest.FixtureRequest) -> OpenBackend:
        return vector(server.fields, index=request.param)

    @pytest.mark.xfail(
        reason="the stand-in works in this process, on the interpreter that it measures", run=False
    )
    def test_the_event_loop_is_never_blocked(self, stores: Stores) -> None:
        super().test_the_event_loop_is_never_blocked(stores)


@pytest.mark.nightly
class TestShapeOfKeyword(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self, server: Any) -> OpenBackend:
        return keyword(server.fields)

    @pytest.mark.xfail(
        reason="the stand-in works in this process, on the interpreter that it measures", run=False
    )
    def test_the_event_loop_is_never_blocked(self, stores: Stores) -> None:
        super().test_the_event_loop_is_never_blocked(stores)


@pytest.mark.nightly
class TestServiceVector(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, service: dict[str, Any]) -> OpenBackend:
        return vector(service, index="flat")


@pytest.mark.nightly
class TestServiceKeyword(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self, service: dict[str, Any]) -> OpenBackend:
        return keyword(service)
