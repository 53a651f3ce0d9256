"""The backend `tantivy` keeps the contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from hierdoc.plugin import ComponentKind, default_registry
from hierdoc_testing import KeywordBackendTests, OpenBackend


class TestTantivy(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self, tmp_path: Path) -> OpenBackend:
        provider = default_registry().find(ComponentKind.KEYWORD, "tantivy")
        return lambda collection: provider.open(provider.config(path=tmp_path / collection))
