"""What the components of an index are known by, and who is named when one fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from hierdoc import AsyncIndex, Document, Index, load_config
from hierdoc.components import Components
from hierdoc.errors import PluginError
from hierdoc.plugin import Operational, Provider, ProviderConfig, Registry, hookimpl


class Settings(ProviderConfig):
    provider: Literal["test"] = "test"
    style: str = "plain"
    timeout: Operational[float] = 30.0


class Plain:
    """A converter, a chunker and a context generator that do nothing."""

    suffixes = (".md",)

    async def convert(self, source: Any) -> Document:
        raise NotImplementedError

    def chunk(self, document: Document) -> Sequence[Any]:
        return []

    async def generate(self, document: Document, chunks: Sequence[Any]) -> Sequence[str]:
        return []


class Failing:
    """An embedder whose model is broken."""

    fingerprint = "failing@1"
    dimensions = 2

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        return await asyncio.to_thread(lambda: {}["weights"])

    async def embed_query(self, text: str) -> Any:
        return await self.embed_documents([text])


class Plugin:
    """Registers these."""

    @hookimpl
    def hierdoc_embedders(self) -> list[Provider[Any, Any]]:
        return [Provider(Settings, lambda config: Failing())]

    @hookimpl
    def hierdoc_converters(self) -> list[Provider[Any, Any]]:
        return [Provider(Settings, lambda config: Plain())]

    hierdoc_chunkers = hierdoc_context_generators = hierdoc_converters


@pytest.fixture
def registry() -> Registry:
    registry = Registry(frozenset({"in-memory", "static", "sqlite", "tantivy"}))
    registry.register(Plugin(), "test", "acme-test", "1.0")
    return registry


def fingerprint(registry: Registry, kind: str, **settings: Any) -> str:
    config = load_config({kind: {"provider": "test", **settings}}, registry=registry)
    return Components.open(config, registry).fingerprint()


@pytest.mark.parametrize("kind", ["converter", "chunker", "context"])
def test_an_operational_setting_leaves_the_fingerprint_alone(registry: Registry, kind: str) -> None:
    before = fingerprint(registry, kind)
    assert fingerprint(registry, kind, timeout=5) == before
    assert fingerprint(registry, kind, style="fancy") != before


def test_a_new_version_of_a_plugin_changes_the_fingerprint(registry: Registry) -> None:
    newer = Registry(frozenset({"in-memory", "static", "sqlite", "tantivy"}))
    newer.register(Plugin(), "test", "acme-test", "2.0")
    assert fingerprint(newer, "context") != fingerprint(registry, "context")


def test_the_folder_of_the_index_is_operational() -> None:
    config = load_config({"vector": {"provider": "sqlite", "path": "elsewhere"}})
    assert config.vector.output_settings() == {"provider": "sqlite"}


def test_a_plugin_that_fails_while_it_works_is_named(tmp_path: Path, registry: Registry) -> None:
    (tmp_path / "a.md").write_text("# Harbour\n\nShips moor here.\n")
    config = {"embedder": "test", "vector": "in-memory", "keyword": None}
    with (
        Index.open(config, source=tmp_path, registry=registry) as index,
        pytest.raises(
            PluginError,
            match="the embedder provider 'test' of acme-test failed: KeyError: 'weights'",
        ) as caught,
    ):
        index.ingest()
    assert isinstance(caught.value.__cause__, KeyError)


def test_an_error_of_the_caller_stays_what_it_is(tmp_path: Path, registry: Registry) -> None:
    (tmp_path / "a.md").write_text("# Harbour\n\nShips moor here.\n")

    def stop(*progress: Any) -> None:
        raise LookupError("enough")

    async def work() -> None:
        async with AsyncIndex.open(
            {"embedder": "test", "vector": "in-memory", "keyword": None},
            source=tmp_path,
            registry=registry,
        ) as index:
            await index.ingest(progress=stop)

    with pytest.raises(LookupError, match="enough"):
        asyncio.run(work())
