"""What every vector backend keeps, kept by the requests to Azure Cosmos DB.

The service is a stand-in: these are shape tests, which were not run against Azure. With `HIERDOC_TEST_COSMOS_URL` and
`HIERDOC_TEST_COSMOS_KEY` they are run against it as well.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from hierdoc_azure_cosmos_nosql import CosmosConfig
from hierdoc_azure_cosmos_nosql.backend import CosmosBackend
from hierdoc_testing import OpenBackend, Stores, VectorBackendTests


def opened(fields: dict[str, Any]) -> OpenBackend:
    return lambda name: CosmosBackend(CosmosConfig(collection=name, **fields))


@pytest.mark.nightly
@pytest.mark.filterwarnings(
    "ignore:Sending a large body:ResourceWarning"
)  # an item of more than a megabyte
class TestShape(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, server: Any) -> OpenBackend:
        return opened(server.fields)

    @pytest.mark.xfail(
        reason="the stand-in works in this process, on the interpreter that it measures", run=False
    )
    def test_the_event_loop_is_never_blocked(self, stores: Stores) -> None:
        super().test_the_event_loop_is_never_blocked(stores)


@pytest.mark.nightly
class TestService(VectorBackendTests):
    @pytest.fixture
    def open_backend(self) -> OpenBackend:
        names = {"url": "HIERDOC_TEST_COSMOS_URL", "api_key": "HIERDOC_TEST_COSMOS_KEY"}
        if not all(name in os.environ for name in names.values()):
            pytest.skip(f"not set: {', '.join(names.values())}")
        fields = {field: os.environ[name] for field, name in names.items()}
        return opened({"database": "hierdoc-test", **fields})
