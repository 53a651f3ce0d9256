"""Embedding services of Semantic Kernel's as an embedder, and what a configuration may name."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("semantic_kernel", reason="Semantic Kernel is installed in an environment of its own")  # fmt: skip

from semantic_kernel.connectors.ai.embedding_generator_base import EmbeddingGeneratorBase

from hierdoc import ConfigError, HierdocError, Index
from hierdoc_semantic_kernel import ServiceConfig, open_embedder

HERE = "hierdoc_semantic_kernel_tests_services"


class Letters(EmbeddingGeneratorBase):
    """Counts letters."""

    ai_model_id: str = "letters"
    api_key: str = ""

    async def generate_embeddings(self, texts: list[str], settings: Any = None, **_: Any) -> Any:
        """One dimension for each letter."""
        if self.api_key == "wrong":
            raise RuntimeError(f"the key {self.api_key} is refused")
        letters = "abcdefghijklmnopqrstuvwxyz"
        return np.array([[1.0 + text.lower().count(one) for one in letters] for text in texts])


@pytest.fixture(autouse=True)
def _module(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    from types import ModuleType

    module = ModuleType(HERE)
    module.Letters = Letters  # type: ignore[attr-defined]
    module.service = Letters()  # type: ignore[attr-defined]
    module.function = print  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, HERE, module)


def config(path: Path, **fields: Any) -> ServiceConfig:
    given = {"service": f"{HERE}:Letters", "model": "letters", "dimensions": 26, "cache_path": path}
    return ServiceConfig.model_validate({**given, **fields})


def embed(config: ServiceConfig, *texts: str) -> Any:
    async def call() -> Any:
        embedder = open_embedder(config)
        try:
            return await embedder.embed_documents(texts), embedder.usage
        finally:
            await embedder.aclose()

    return asyncio.run(call())


def test_vectors_have_length_1_and_long_texts_are_read_to_their_end(tmp_path: Path) -> None:
    vectors, usage = embed(
        config(tmp_path, max_tokens=32), "berth", " ".join(f"quay{n}" for n in range(99))
    )
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert usage.requests == 1
    assert usage.uncached > 99


def test_what_was_embedded_is_kept(tmp_path: Path) -> None:
    embed(config(tmp_path), "berth")
    assert embed(config(tmp_path), "berth")[1].requests == 0


def test_an_instance_may_be_named(tmp_path: Path) -> None:
    vectors, _ = embed(config(tmp_path, service=f"{HERE}:service"), "berth")
    assert vectors.shape == (1, 26)


def test_an_index_is_ingested_and_searched(tmp_path: Path) -> None:
    (tmp_path / "act.md").write_text("# Act\n\n## Fees\n\nShips pay.\n\n## Bees\n\nBuzz, zzz.\n")
    embedder = {
        "provider": "semantic-kernel",
        "service": f"{HERE}:Letters",
        "model": "letters",
        "dimensions": 26,
        "prices": {"input": 1.0},
    }
    vector = {"provider": "semantic-kernel", "path": str(tmp_path / "index")}
    settings = {
        "source": str(tmp_path / "act.md"),
        "embedder": {**embedder, "cache_path": str(tmp_path / "cache")},
        "vector": vector,
        "keyword": "in-memory",
    }
    with Index.open(settings) as index:
        planned = index.ingest(dry=True).embedding_usage
        assert planned
        assert planned.cost
        assert index.ingest().embedding_usage == planned
        result = index.search("zzz buzz", mode="semantic", top_k=1)
        assert "Buzz" in result.hits[0].chunk.text
    with Index.open(settings) as index:  # the collection in memory is gone, its manifest is not
        assert index.ingest().counts["unchanged"] == 1
        assert index.search("zzz buzz", mode="semantic", top_k=1).hits


@pytest.mark.parametrize(
    ("service", "said"),
    [
        ("os:system", "is no EmbeddingGeneratorBase"),
        (f"{HERE}:function", "is no EmbeddingGeneratorBase"),
        (f"{HERE}:nothing", "is no EmbeddingGeneratorBase"),
        ("no_such_module_here:Thing", "no module is called"),
    ],
)
def test_nothing_else_can_be_named(tmp_path: Path, service: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        open_embedder(config(tmp_path, service=service))


def test_wrong_arguments_are_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be made"):
        open_embedder(config(tmp_path, arguments={"ai_model_id": 5}))


def test_a_secret_is_never_shown(tmp_path: Path) -> None:
    wrong = config(tmp_path, secrets={"api_key": "wrong"})
    assert "'wrong'" not in repr(wrong)
    with pytest.raises(HierdocError, match=r"the key \*\*\* is refused"):
        embed(wrong, "berth")
