"""The backends of `postgres` keep the contracts, on a real server."""

from __future__ import annotations

from typing import Any

import pytest

from hierdoc_postgres import PostgresKeywordConfig, PostgresVectorConfig
from hierdoc_postgres.keyword import PostgresKeywordBackend
from hierdoc_postgres.vector import PostgresVectorBackend
from hierdoc_testing import KeywordBackendTests, OpenBackend, VectorBackendTests


class TestVector(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, dsn: str, collection: str) -> OpenBackend:
        return lambda name: vector_backend(dsn, f"{collection}_{name}")


@pytest.mark.nightly
class TestVectorExactWithoutHybrid(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, dsn: str, collection: str) -> OpenBackend:
        return lambda name: vector_backend(dsn, f"{collection}_{name}", index="exact", hybrid=False)


class TestKeyword(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self, dsn: str, collection: str) -> OpenBackend:
        return lambda name: PostgresKeywordBackend(
            PostgresKeywordConfig.model_validate({"dsn": dsn, "collection": f"{collection}_{name}"})
        )


def vector_backend(dsn: str, collection: str, **fields: Any) -> PostgresVectorBackend:
    config = {"dsn": dsn, "collection": collection, **fields}
    return PostgresVectorBackend(PostgresVectorConfig.model_validate(config))
