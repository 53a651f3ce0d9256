"""The backend `lancedb` keeps the contract."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("lancedb") is None:  # not imported here: only the tests that run pay for it
    pytest.skip("lancedb is not installed", allow_module_level=True)

from hierdoc_lancedb import LancedbConfig
from hierdoc_testing import OpenBackend, VectorBackendTests


class TestLancedb(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, tmp_path: Path) -> OpenBackend:
        from hierdoc_lancedb.backend import LancedbBackend

        return lambda name: LancedbBackend(
            LancedbConfig.model_validate({"path": tmp_path, "collection": name})
        )
