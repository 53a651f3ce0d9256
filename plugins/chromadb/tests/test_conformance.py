"""The backend `chromadb` keeps the contract, in a folder, in memory and on a real server."""

from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("chromadb") is None:  # not imported here: only the tests that run pay for it
    pytest.skip("chromadb is not installed", allow_module_level=True)

from hierdoc_chromadb import ChromadbConfig
from hierdoc_testing import OpenBackend, Stores, VectorBackendTests

OLD = tuple(map(int, version("chromadb").split(".")[:3])) < (1, 5, 5)


def backend(**fields: Any) -> Any:
    from hierdoc_chromadb.backend import ChromadbBackend

    return ChromadbBackend(ChromadbConfig.model_validate(fields))


class _Embedded(VectorBackendTests):
    @pytest.mark.xfail(
        reason="Chroma's engine holds the interpreter's lock while it writes, some 0.5 s whatever the batch",
        strict=False,
    )
    def test_the_event_loop_is_never_blocked(self, stores: Stores) -> None:
        super().test_the_event_loop_is_never_blocked(stores)


class TestFolder(_Embedded):
    @pytest.fixture
    def open_backend(self, tmp_path: Path) -> OpenBackend:
        return lambda name: backend(path=tmp_path, collection=name)

    @pytest.mark.xfail(
        OLD, reason="Chroma before 1.5.5 keeps files of a closed folder open", strict=False
    )
    def test_nothing_is_left_after_aclose(self, open_backend: OpenBackend) -> None:
        super().test_nothing_is_left_after_aclose(open_backend)


@pytest.mark.nightly
class TestMemory(_Embedded):
    @pytest.fixture
    def open_backend(self) -> OpenBackend:
        return lambda name: backend(in_memory=True, collection=name)


@pytest.mark.nightly
class TestServer(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, chroma_url: str) -> OpenBackend:
        return lambda name: backend(url=chroma_url, collection=name)
