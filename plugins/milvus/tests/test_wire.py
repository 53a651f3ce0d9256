"""A server that fails on the wire, or is killed: nothing is lost, and nothing passes for an answer that is none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hierdoc import AsyncIndex, HierdocError
from hierdoc_milvus.collection import Collection

FAULTS = ("timeout", "cut", "refused", "restart")
"""The proxy says 429 and 503 in HTTP/1.1, which gRPC takes for a connection that breaks."""

DOCUMENTS = 20


@pytest.mark.nightly
def test_faults_on_the_wire_lose_nothing(
    tmp_path: Path, make_server: Any, wire: Any, count_faults: Any
) -> None:
    with wire.proxy(make_server(tmp_path / "server").port) as proxy:

        def stores(timeout: float) -> dict[str, Any]:
            uri = f"http://127.0.0.1:{proxy.port}"
            return {
                "vector": {"provider": "milvus", "uri": uri, "timeout": timeout},
                "keyword": None,
            }

        told = asyncio.run(wire.torture(tmp_path, stores, proxy, FAULTS, (0, 8)))
    told.require("milvus", FAULTS, count_faults)


@pytest.mark.nightly
@pytest.mark.parametrize("keyword", [False, True], ids=["vector", "keyword"])
def test_a_server_that_is_killed_loses_nothing(
    tmp_path: Path, make_server: Any, wire: Any, monkeypatch: pytest.MonkeyPatch, keyword: bool
) -> None:
    server = make_server(tmp_path / "server")
    config = _config(tmp_path, server, keyword)
    _write(tmp_path / "corpus", 0)
    assert asyncio.run(_ingest(config)) == "whole"
    for version, after in enumerate((1, 4), start=1):
        _write(tmp_path / "corpus", version)
        with monkeypatch.context() as patch:
            _kill_after(patch, server, after)
            assert asyncio.run(_ingest(config)) != "whole"
        with pytest.raises(HierdocError) as caught:
            asyncio.run(_found(config, version))
        assert caught.value.hint
        server.restart()
        assert asyncio.run(_ingest(config)) == "whole"
        assert asyncio.run(_found(config, version)) == DOCUMENTS
        memory = {**config, "vector": "in-memory", "keyword": None}
        assert asyncio.run(wire.ids(config)) == asyncio.run(wire.ids(memory))


def _config(folder: Path, server: Any, keyword: bool) -> dict[str, Any]:
    milvus = {"provider": "milvus", "uri": server.uri, "timeout": 10, "batch_size": 5}
    stores: dict[str, Any] = {"vector": milvus, "keyword": None}
    if keyword:
        sqlite = {"provider": "sqlite", "path": str(folder / "index")}
        stores = {"vector": sqlite, "keyword": milvus}
    return {"source": str(folder / "corpus"), "embedder": "static", **stores}


def _write(folder: Path, version: int) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(DOCUMENTS):
        text = f"# Act {number}\n\n## Section 1\n\nThe berth of ship {number} is {version} yards long.\n"
        (folder / f"act-{number:02d}.md").write_text(text)


def _kill_after(patch: pytest.MonkeyPatch, server: Any, requests: int) -> None:
    """Kill the server when so many requests have written to it."""
    upsert, left = Collection._upsert, requests

    def counted(self: Collection, rows: Any) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            server.kill()
        upsert(self, rows)

    patch.setattr(Collection, "_upsert", counted)


async def _ingest(config: dict[str, Any]) -> str:
    try:
        async with AsyncIndex.open(config) as index:
            return str((await index.ingest()).failures or "whole")
    except HierdocError as error:
        return str(error)


async def _found(config: dict[str, Any], version: int) -> int:
    """How many documents the store's own search finds in this version."""
    async with AsyncIndex.open({**config, "search": {"on_degraded": "raise"}}) as index:
        mode = "keyword" if config["keyword"] else "hybrid"
        query = f"berth of ship that is {version} yards long"
        hits = (await index.search(query, top_k=50, mode=mode)).hits
        return sum(f"is {version} yards long" in hit.chunk.text for hit in hits)
