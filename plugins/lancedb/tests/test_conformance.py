"""The backend `lancedb` keeps the contract."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("lancedb", reason="lancedb is not installed")

from hierdoc_lancedb import LancedbConfig
from hierdoc_testing import OpenBackend, VectorBackendTests


class TestLancedb(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, tmp_path: Path) -> OpenBackend:
        from hierdoc_lancedb.backend import LancedbBackend

        return lambda name: LancedbBackend(
            LancedbConfig.model_validate({"path": tmp_path, "collection": name})
        )
