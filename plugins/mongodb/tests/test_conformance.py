"""What every backend keeps, kept by the requests to MongoDB.

The server is a stand-in: these are shape tests, which were not run against MongoDB. With `HIERDOC_TEST_MONGODB_URL` and, where it wants them,
`HIERDOC_TEST_MONGODB_USERNAME` and `HIERDOC_TEST_MONGODB_PASSWORD` they are run against it as well.
"""

from __future__ import annotations

import os
import time
from typing import Any

import pymongo
import pytest
from pymongo.errors import PyMongoError

from hierdoc_mongodb import MongoConfig, MongoVectorConfig
from hierdoc_mongodb.backend import MongoKeywordBackend, MongoVectorBackend
from hierdoc_testing import KeywordBackendTests, OpenBackend, Stores, VectorBackendTests

_STARTS_WITHIN = 120
"""Seconds that a server may take to answer."""


def vector(fields: dict[str, Any], **more: Any) -> OpenBackend:
    return lambda name: MongoVectorBackend(MongoVectorConfig(collection=name, **fields, **more))


def keyword(fields: dict[str, Any]) -> OpenBackend:
    return lambda name: MongoKeywordBackend(MongoConfig(collection=name, **fields))


@pytest.fixture(scope="module")
def service() -> dict[str, Any]:
    """Of a configuration that reaches a real MongoDB, which may have been started only just now."""
    names = {one: f"HIERDOC_TEST_MONGODB_{one.upper()}" for one in ("url", "username", "password")}
    fields = {field: os.environ[name] for field, name in names.items() if os.environ.get(name)}
    if "url" not in fields:
        pytest.skip("HIERDOC_TEST_MONGODB_URL is not set")
    user = {name: fields[name] for name in ("username", "password") if name in fields}
    end = time.monotonic() + _STARTS_WITHIN
    while True:
        with pymongo.MongoClient(fields["url"], serverSelectionTimeoutMS=2000, **user) as client:
            try:
                client.admin.command("ping")
            except PyMongoError:
                if time.monotonic() > end:
                    raise
            else:
                return fields


@pytest.mark.nightly
class TestShapeOfVector(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, process: dict[str, Any]) -> OpenBackend:
        return vector(process)


@pytest.mark.nightly
class TestShapeOfVectorWithoutFusion(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, server: Any) -> OpenBackend:
        server.fusion = "none"
        return vector(server.fields)

    @pytest.mark.xfail(
        reason="this stand-in works in this process, on the interpreter that it measures", run=False
    )
    def test_the_event_loop_is_never_blocked(self, stores: Stores) -> None:
        super().test_the_event_loop_is_never_blocked(stores)


@pytest.mark.nightly
class TestShapeOfKeyword(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self, process: dict[str, Any]) -> OpenBackend:
        return keyword(process)


@pytest.mark.nightly
class TestServiceVector(VectorBackendTests):
    @pytest.fixture(params=["exact", "graph"])
    def open_backend(self, service: dict[str, Any], request: pytest.FixtureRequest) -> OpenBackend:
        return vector(service, exact=request.param == "exact")


@pytest.mark.nightly
class TestServiceKeyword(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self, service: dict[str, Any]) -> OpenBackend:
        return keyword(service)
