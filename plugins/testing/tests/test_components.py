"""The components of core that are no backends keep what their protocols promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from hierdoc import Hit
from hierdoc.plugin import ComponentKind, default_registry
from hierdoc_testing import (
    ChunkerTests,
    ContextGeneratorTests,
    ConverterTests,
    FuserTests,
    OpenComponent,
    PluginTests,
    PluginUnderTest,
    RerankerTests,
)


def opener(kind: ComponentKind, name: str, **fields: Any) -> OpenComponent:
    provider = default_registry().find(kind, name)
    return lambda: provider.open(provider.config(**fields))


class TestMarkdown(ConverterTests):
    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        return opener(ComponentKind.CONVERTER, "markdown")


class TestText(ConverterTests):
    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        return opener(ComponentKind.CONVERTER, "text")


class TestAuto(ConverterTests):
    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        return opener(ComponentKind.CONVERTER, "auto")


class TestStructure(ChunkerTests):
    @pytest.fixture(params=[60, 800])
    def open_chunker(self, request: pytest.FixtureRequest) -> OpenComponent:
        return opener(
            ComponentKind.CHUNKER, "structure", max_chunk_tokens=request.param, chunk_overlap=15
        )


class TestToken(ChunkerTests):
    @pytest.fixture(params=[60, 800])
    def open_chunker(self, request: pytest.FixtureRequest) -> OpenComponent:
        return opener(
            ComponentKind.CHUNKER, "token", max_chunk_tokens=request.param, chunk_overlap=15
        )


class TestNone(ContextGeneratorTests):
    @pytest.fixture
    def open_context_generator(self) -> OpenComponent:
        return opener(ComponentKind.CONTEXT, "none")


class TestStructural(ContextGeneratorTests):
    @pytest.fixture
    def open_context_generator(self) -> OpenComponent:
        return opener(ComponentKind.CONTEXT, "structural")


class TestRrf(FuserTests):
    @pytest.fixture
    def open_fuser(self) -> OpenComponent:
        return opener(ComponentKind.FUSER, "rrf")


class TestWeightedSum(FuserTests):
    @pytest.fixture
    def open_fuser(self) -> OpenComponent:
        return opener(ComponentKind.FUSER, "weighted-sum")


class SharedWords:
    """The simplest reranker: how many of the query's words a text has."""

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Sequence[Hit]:
        words = set(query.split())
        scored = [replace(hit, score=self._score(words, hit)) for hit in hits]
        return sorted(scored, key=lambda hit: -hit.score)[:limit]

    def _score(self, words: set[str], hit: Hit) -> float:
        return float(len(words.intersection(hit.chunk.text.split())))


class TestSharedWords(RerankerTests):
    @pytest.fixture
    def open_reranker(self) -> OpenComponent:
        return SharedWords


class TestBuiltIns(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        config = {
            "converter": {"provider": "markdown"},
            "chunker": {"provider": "structure", "max_chunk_tokens": 100},
            "context": {"provider": "structural"},
            "fuser": {"provider": "rrf", "k": 10},
        }
        return PluginUnderTest("hierdoc.defaults", config)
