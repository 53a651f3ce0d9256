"""Core's keyword backend keeps what every keyword backend promises."""

from __future__ import annotations

import pytest

from hierdoc.plugin import ComponentKind, default_registry
from hierdoc_testing import KeywordBackendTests, OpenBackend


class TestInMemory(KeywordBackendTests):
    @pytest.fixture
    def open_backend(self) -> OpenBackend:
        provider = default_registry().find(ComponentKind.KEYWORD, "in-memory")
        return lambda collection: provider.open(provider.config())
