"""The backends of `redis` keep the contracts: keys on a real server, searches as the stand-in of `conftest.py` answers them.

Where HIERDOC_TEST_REDIS_URL names a Redis 8, and HIERDOC_TEST_REDIS_PASSWORD its password, searches are real too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hierdoc_redis import RedisConfig, RedisVectorConfig
from hierdoc_redis.keyword import RedisKeywordBackend
from hierdoc_redis.vector import RedisVectorBackend
from hierdoc_testing import KeywordBackendTests, OpenBackend, VectorBackendTests

Fields = Callable[..., dict[str, Any]]


class TestShapeOfVector(VectorBackendTests):
    @pytest.fixture(params=["8.4", pytest.param("8.0", marks=pytest.mark.nightly)])
    def open_backend(self, fields: Fields, request: pytest.FixtureRequest) -> OpenBackend:
        if request.param == "8.0":
            relay = request.getfixturevalue("relay")
            relay.version = "8.0.3"
            relay.commands.remove("FT.HYBRID")
        return lambda name: RedisVectorBackend(RedisVectorConfig(**fields(name)))


@pytest.mark.nightly
class TestShapeOfGraph(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, fields: Fields) -> OpenBackend:
        return lambda name: RedisVectorBackend(RedisVectorConfig(**fields(name, index="hnsw")))


@pytest.mark.nightly  # the vector backend writes and filters by the same commands
class TestShapeOfKeyword(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self, fields: Fields) -> OpenBackend:
        return lambda name: RedisKeywordBackend(RedisConfig(**fields(name)))
