"""The backend `faiss` keeps the contract."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("faiss") is None:  # not imported here: only the tests that run pay for it
    pytest.skip("faiss-cpu is not installed", allow_module_level=True)

from hierdoc_faiss import FaissConfig
from hierdoc_testing import OpenBackend, VectorBackendTests


def backend(**fields: Any) -> Any:
    from hierdoc_faiss.backend import FaissBackend

    return FaissBackend(FaissConfig.model_validate(fields))


class TestFlat(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, tmp_path: Path) -> OpenBackend:
        return lambda name: backend(path=tmp_path, collection=name)


@pytest.mark.nightly
class TestHnsw(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, tmp_path: Path) -> OpenBackend:
        return lambda name: backend(path=tmp_path, collection=name, index="hnsw")
