"""The backends `in-memory` keep the contract."""

from __future__ import annotations

import pytest

from hierdoc.plugin import ComponentKind, default_registry
from hierdoc_testing import KeywordBackendTests, OpenBackend, VectorBackendTests


class TestVectors(VectorBackendTests):
    @pytest.fixture
    def open_backend(self) -> OpenBackend:
        provider = default_registry().find(ComponentKind.VECTOR, "in-memory")
        return lambda collection: provider.open(provider.config())


class TestKeywords(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self) -> OpenBackend:
        provider = default_registry().find(ComponentKind.KEYWORD, "in-memory")
        return lambda collection: provider.open(provider.config())
