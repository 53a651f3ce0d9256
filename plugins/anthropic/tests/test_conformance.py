"""The plugin keeps what every context generator and every plugin promises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hierdoc_anthropic import AnthropicContextConfig, open_contexts
from hierdoc_remote.loopback import Messages, serving
from hierdoc_testing import ContextGeneratorTests, OpenComponent, PluginTests, PluginUnderTest


@pytest.mark.nightly  # thousands of requests; test_contexts.py shows what counts
class TestShapeOfContexts(ContextGeneratorTests):
    @pytest.fixture
    def open_context_generator(self, tmp_path: Path) -> Iterator[OpenComponent]:
        with serving(Messages()) as server:
            config = AnthropicContextConfig(
                base_url=server.url, model="claude", cache_path=tmp_path, window_tokens=20_000
            )
            yield lambda: open_contexts(config)


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        context = {"provider": "anthropic", "model": "claude", "api_key": "${ANTHROPIC_API_KEY}"}
        return PluginUnderTest("hierdoc_anthropic", {"context": context})
