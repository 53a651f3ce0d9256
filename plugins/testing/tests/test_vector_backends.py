"""Core's vector backend keeps what every vector backend promises."""

from __future__ import annotations

import pytest

from hierdoc.plugin import ComponentKind, default_registry
from hierdoc_testing import OpenBackend, VectorBackendTests


class TestInMemory(VectorBackendTests):
    @pytest.fixture
    def open_backend(self) -> OpenBackend:
        provider = default_registry().find(ComponentKind.VECTOR, "in-memory")
        return lambda collection: provider.open(provider.config())
