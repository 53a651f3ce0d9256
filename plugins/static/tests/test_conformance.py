"""The embedder keeps what every embedder promises."""

from __future__ import annotations

import pytest

from hierdoc.plugin import ComponentKind, default_registry
from hierdoc_testing import EmbedderTests, OpenComponent


class TestStatic(EmbedderTests):
    @pytest.fixture
    def open_embedder(self) -> OpenComponent:
        provider = default_registry().find(ComponentKind.EMBEDDER, "static")
        return lambda: provider.open(provider.config())
