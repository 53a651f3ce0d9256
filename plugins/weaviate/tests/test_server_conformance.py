"""The backends of `weaviate` keep the contracts, on a real server."""

from __future__ import annotations

from typing import Any

import pytest

from hierdoc_testing import KeywordBackendTests, OpenBackend, VectorBackendTests
from hierdoc_weaviate import WeaviateConfig, WeaviateVectorConfig
from hierdoc_weaviate.keyword import WeaviateKeywordBackend
from hierdoc_weaviate.vector import WeaviateVectorBackend


class TestVector(VectorBackendTests):
    @pytest.fixture(params=["relative_score", "ranked"])
    def open_backend(self, weaviate: Any, request: pytest.FixtureRequest) -> OpenBackend:
        return _vector(weaviate.fields, fusion=request.param)


class TestVectorFlat(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, weaviate: Any) -> OpenBackend:
        return _vector(weaviate.fields, index="flat")


class TestVectorOfATenant(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, weaviate: Any) -> OpenBackend:
        return lambda name: WeaviateVectorBackend(
            WeaviateVectorConfig(**weaviate.fields("kit", tenant=name))
        )


class TestKeyword(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self, weaviate: Any) -> OpenBackend:
        return lambda name: WeaviateKeywordBackend(WeaviateConfig(**weaviate.fields(name)))


class TestKeywordOfATenant(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self, weaviate: Any) -> OpenBackend:
        return lambda name: WeaviateKeywordBackend(
            WeaviateConfig(**weaviate.fields("kit", tenant=name))
        )


def _vector(fields: Any, **more: Any) -> OpenBackend:
    return lambda name: WeaviateVectorBackend(WeaviateVectorConfig(**fields(name, **more)))
