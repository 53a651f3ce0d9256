"""What every vector backend keeps, kept by an embedded Qdrant, by one in memory, and by the REST requests to a server.

The server is a stand-in: its class holds shape tests, which were not run against Qdrant's own server.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hierdoc_qdrant import QdrantConfig
from hierdoc_qdrant.backend import open_backend
from hierdoc_testing import OpenBackend, Stores, VectorBackendTests


class ResetStallError(Exception):
    """`prepare(reset=True)` has kept the event loop, and nothing before it has."""


class TestEmbedded(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, tmp_path: Path) -> OpenBackend:
        return lambda collection: open_backend(QdrantConfig(path=tmp_path, collection=collection))

    @pytest.mark.xfail(
        raises=ResetStallError,
        reason="qdrant-edge holds the interpreter while it closes a shard, here of 10,300 records: some 60 ms",
    )
    def test_the_event_loop_is_never_blocked(self, stores: Stores) -> None:
        try:
            super().test_the_event_loop_is_never_blocked(stores)
        except AssertionError as error:
            if str(error).startswith("prepare kept the event loop"):
                raise ResetStallError from error
            raise


@pytest.mark.nightly
class TestInMemory(VectorBackendTests):
    @pytest.fixture
    def open_backend(self) -> OpenBackend:
        return lambda collection: open_backend(
            QdrantConfig(location=":memory:", collection=collection)
        )

    @pytest.mark.xfail(
        reason="the client's local mode keeps every point in Python objects, which garbage collection walks in one go"
    )
    def test_the_event_loop_is_never_blocked(self, stores: Stores) -> None:
        super().test_the_event_loop_is_never_blocked(stores)


@pytest.mark.nightly
class TestShapeOfServer(VectorBackendTests):
    @pytest.fixture
    def open_backend(self, server: Any) -> OpenBackend:
        url = server.url
        return lambda collection: open_backend(QdrantConfig(url=url, collection=collection))

    @pytest.mark.xfail(
        reason="the stand-in works in this process, on the interpreter that it measures", run=False
    )
    def test_the_event_loop_is_never_blocked(self, stores: Stores) -> None:
        super().test_the_event_loop_is_never_blocked(stores)
