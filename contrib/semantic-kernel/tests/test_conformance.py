"""The collection backend keeps the contract over connectors that run in this process, and the embedder its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("semantic_kernel", reason="Semantic Kernel is installed in an environment of its own")  # fmt: skip

from hierdoc_semantic_kernel import CollectionConfig, open_collection
from hierdoc_testing import OpenBackend, VectorBackendTests

CONNECTORS = "semantic_kernel.connectors"


def opening(path: Path, **fields: Any) -> OpenBackend:
    def open_backend(name: str) -> Any:
        given = {"path": path, "collection": name, **fields}
        return open_collection(CollectionConfig.model_validate(given))

    return open_backend


class TestInMemory(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, tmp_path: Path) -> OpenBackend:
        return opening(tmp_path)


class TestFaiss(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, tmp_path: Path) -> OpenBackend:
        return opening(tmp_path, connector=f"{CONNECTORS}.faiss:FaissCollection")


class TestChroma(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, tmp_path: Path) -> OpenBackend:
        return opening(
            tmp_path,
            connector=f"{CONNECTORS}.chroma:ChromaCollection",
            arguments={"persist_directory": str(tmp_path / "chroma")},
            distance="cosine_similarity",
        )
