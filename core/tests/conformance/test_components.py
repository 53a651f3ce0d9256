"""The built-in components that are no backends keep what their protocols promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from hierdoc import Hit, Kind, default_registry
from hierdoc.testing import (
    ChunkerTests,
    ContextGeneratorTests,
    ConverterTests,
    EmbedderTests,
    FuserTests,
    OpenComponent,
    PluginTests,
    PluginUnderTest,
    RerankerTests,
)


def opener(kind: Kind, name: str, **fields: Any) -> OpenComponent:
    provider = default_registry().find(kind, name)
    return lambda: provider.open(provider.config(**fields))


class TestMarkdown(ConverterTests):
    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        return opener(Kind.CONVERTER, "markdown")


class TestText(ConverterTests):
    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        return opener(Kind.CONVERTER, "text")


class TestHtml(ConverterTests):
    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        return opener(Kind.CONVERTER, "html")


class TestAuto(ConverterTests):
    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        return opener(Kind.CONVERTER, "auto")


class TestStructure(ChunkerTests):
    @pytest.fixture(params=[60, 800])
    def open_chunker(self, request: pytest.FixtureRequest) -> OpenComponent:
        return opener(Kind.CHUNKER, "structure", max_chunk_tokens=request.param, chunk_overlap=15)


class TestToken(ChunkerTests):
    @pytest.fixture(params=[60, 800])
    def open_chunker(self, request: pytest.FixtureRequest) -> OpenComponent:
        return opener(Kind.CHUNKER, "token", max_chunk_tokens=request.param, chunk_overlap=15)


class TestNone(ContextGeneratorTests):
    @pytest.fixture
    def open_context_generator(self) -> OpenComponent:
        return opener(Kind.CONTEXT, "none")


class TestStructural(ContextGeneratorTests):
    @pytest.fixture
    def open_context_generator(self) -> OpenComponent:
        return opener(Kind.CONTEXT, "structural")


class TestStatic(EmbedderTests):
    @pytest.fixture
    def open_embedder(self) -> OpenComponent:
        return opener(Kind.EMBEDDER, "static")


class TestRrf(FuserTests):
    @pytest.fixture
    def open_fuser(self) -> OpenComponent:
        return opener(Kind.FUSER, "rrf")


class TestWeightedSum(FuserTests):
    @pytest.fixture
    def open_fuser(self) -> OpenComponent:
        return opener(Kind.FUSER, "weighted-sum")


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
            "embedder": {"provider": "static"},
            "vector": {"provider": "in-memory"},
            "keyword": {"provider": "in-memory", "k1": 1.2},
            "fuser": {"provider": "rrf", "k": 10},
        }
        return PluginUnderTest("hierdoc.builtin", config)
