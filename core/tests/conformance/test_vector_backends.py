"""The built-in vector backends keep what every vector backend promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from hierdoc import Kind, default_registry
from hierdoc.testing import OpenBackend, VectorBackendTests


class TestSqlite(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, tmp_path: Path) -> OpenBackend:
        provider = default_registry().find(Kind.VECTOR, "sqlite")
        return lambda collection: provider.open(provider.config(path=tmp_path / collection))


class TestInMemory(VectorBackendTests):
    @pytest.fixture
    def open_backend(self) -> OpenBackend:
        provider = default_registry().find(Kind.VECTOR, "in-memory")
        return lambda collection: provider.open(provider.config())
