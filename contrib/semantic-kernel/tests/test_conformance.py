"""The collection backend keeps the contract over connectors that run in this process, the context generator over OpenAI's service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("semantic_kernel", reason="Semantic Kernel is installed in an environment of its own")  # fmt: skip

from hierdoc_remote.loopback import chat, serving
from hierdoc_semantic_kernel import (
    CollectionConfig,
    ServiceContextConfig,
    open_collection,
    open_contexts,
)
from hierdoc_testing import (
    ContextGeneratorTests,
    OpenBackend,
    OpenComponent,
    PluginTests,
    PluginUnderTest,
    VectorBackendTests,
)

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


class TestShapeOfContexts(ContextGeneratorTests):
    @pytest.fixture
    def open_context_generator(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[OpenComponent]:
        with serving(chat) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            config = ServiceContextConfig.model_validate(
                {
                    "service": f"{CONNECTORS}.ai.open_ai:OpenAIChatCompletion",
                    "arguments": {"ai_model_id": "gpt"},
                    "secrets": {"api_key": "sk-1"},
                    "model": "gpt",
                    "cache_path": tmp_path,
                    "window_tokens": 20_000,
                }
            )
            yield lambda: open_contexts(config)


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        service = {
            "provider": "semantic-kernel",
            "service": f"{CONNECTORS}.ai.open_ai:OpenAIChatCompletion",
            "arguments": {"ai_model_id": "gpt"},
            "secrets": {"api_key": "${OPENAI_API_KEY}"},
            "model": "gpt",
        }
        settings = {
            "context": service,
            "reranker": service,
            "vector": {"provider": "semantic-kernel"},
        }
        return PluginUnderTest("hierdoc_semantic_kernel", settings)
