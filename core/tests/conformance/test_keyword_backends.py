"""The built-in keyword backends keep what every keyword backend promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from hierdoc import Kind, default_registry
from hierdoc.testing import KeywordBackendTests, OpenBackend


class TestTantivy(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self, tmp_path: Path) -> OpenBackend:
        provider = default_registry().find(Kind.KEYWORD, "tantivy")
        return lambda collection: provider.open(provider.config(path=tmp_path / collection))


class TestInMemory(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self) -> OpenBackend:
        provider = default_registry().find(Kind.KEYWORD, "in-memory")
        return lambda collection: provider.open(provider.config())
