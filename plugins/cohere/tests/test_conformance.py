"""The plugin keeps what every reranker and every plugin promises."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hierdoc_cohere import CohereConfig, open_reranker
from hierdoc_remote.loopback import reranks, serving
from hierdoc_testing import OpenComponent, PluginTests, PluginUnderTest, RerankerTests


class TestShapeOfReranking(RerankerTests):
    @pytest.fixture
    def open_reranker(self) -> Iterator[OpenComponent]:
        with serving(reranks) as server:
            config = CohereConfig(base_url=server.url, model="rerank-v3.5", batch_size=40)
            yield lambda: open_reranker(config)


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        reranker = {"provider": "cohere", "model": "rerank-v3.5", "api_key": "${COHERE_API_KEY}"}
        return PluginUnderTest("hierdoc_cohere", {"reranker": reranker})
