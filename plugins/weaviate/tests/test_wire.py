"""A server that fails on the wire, or is killed: nothing is lost, and nothing passes for an answer that is none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from hierdoc import AsyncIndex, HierdocError, StoreError
from hierdoc_weaviate.connection import Connection

GRPC_FAULTS = ("timeout", "cut", "refused", "restart")
"""The proxy says 429 and 503 in HTTP/1.1, which gRPC takes for a connection that breaks."""

DOCUMENTS = 30


@pytest.mark.nightly
@pytest.mark.parametrize("interface", ["rest", "grpc"])
@pytest.mark.parametrize("keyword", [False, True], ids=["vector", "keyword"])
def test_faults_on_the_wire_lose_nothing(
    tmp_path: Path, weaviate: Any, wire: Any, count_faults: Any, keyword: bool, interface: str
) -> None:
    field, faults, moments = ("url", wire.HTTP_FAULTS, (0, 1))
    if interface == "grpc":
        field, faults, moments = ("grpc_url", GRPC_FAULTS, (0, 3, 8))
    with wire.proxy(urlsplit(getattr(weaviate, field)).port) as proxy:

        def stores(timeout: float) -> dict[str, Any]:
            behind = {field: f"http://127.0.0.1:{proxy.port}"}
            reached = weaviate.fields(timeout=timeout, retries=1) | behind
            return _stores(tmp_path, reached, keyword)

        told = asyncio.run(wire.torture(tmp_path, stores, proxy, faults, moments))
    name = "weaviate keyword" if keyword else "weaviate"
    told.require(f"{name}, {interface}", faults, count_faults)


@pytest.mark.nightly
@pytest.mark.parametrize("keyword", [False, True], ids=["vector", "keyword"])
def test_a_server_that_is_killed_during_an_ingest_loses_nothing(
    tmp_path: Path, start_server: Any, wire: Any, monkeypatch: pytest.MonkeyPatch, keyword: bool
) -> None:
    server = start_server("weaviate")
    _write(tmp_path / "corpus")
    config = _config(tmp_path, server, keyword)
    asyncio.run(_ingest(config, 0))
    for number, after in enumerate((2, 7, 15), start=1):
        _write(tmp_path / "corpus", number)
        with monkeypatch.context() as patch:
            _kill_after(patch, server, after)
            assert asyncio.run(_ingest(config, number)) == "failed"
        with pytest.raises(HierdocError) as caught:
            asyncio.run(_find(config, number))
        assert caught.value.hint
        server.start()
        assert asyncio.run(_ingest(config, number)) == "whole"
        assert asyncio.run(_find(config, number)) == DOCUMENTS
        memory = {**config, "vector": "in-memory", "keyword": None}
        assert asyncio.run(wire.ids(config)) == asyncio.run(wire.ids(memory))


@pytest.mark.nightly
def test_a_server_that_is_killed_between_searches_answers_again_after_its_restart(
    tmp_path: Path, start_server: Any
) -> None:
    server = start_server("weaviate")
    _write(tmp_path / "corpus")
    config = _config(tmp_path, server, False)

    async def work() -> None:
        async with AsyncIndex.open(config) as index:
            await index.ingest()
            before = [hit.chunk.id for hit in (await index.search("the berth of ship 7")).hits]
            searches = [
                asyncio.ensure_future(index.search("the berth of ship 7")) for _ in range(20)
            ]
            await asyncio.to_thread(server.kill)
            for outcome in await asyncio.gather(*searches, return_exceptions=True):
                if isinstance(outcome, BaseException):
                    assert isinstance(outcome, HierdocError)
                    assert outcome.hint
                elif not outcome.degraded:
                    assert [hit.chunk.id for hit in outcome.hits] == before
            await asyncio.to_thread(server.start)
            after = await index.search("the berth of ship 7")
            assert not after.degraded
            assert [hit.chunk.id for hit in after.hits] == before

    asyncio.run(work())


def _stores(folder: Path, weaviate: dict[str, Any], keyword: bool) -> dict[str, Any]:
    if not keyword:
        return {"vector": weaviate, "keyword": None}
    return {"vector": {"provider": "sqlite", "path": str(folder / "index")}, "keyword": weaviate}


def _config(folder: Path, server: Any, keyword: bool) -> dict[str, Any]:
    url, grpc_url = server.url.split()
    fields = {"provider": "weaviate", "url": url, "grpc_url": grpc_url, "batch_size": 2}
    stores = _stores(folder, {**fields, "timeout": 20, "retries": 1}, keyword)
    return {"source": str(folder / "corpus"), "embedder": "static", **stores}


def _write(folder: Path, version: int = 0) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(DOCUMENTS):
        text = f"# Act {number}\n\n## Section 1\n\nThe berth of ship {number} is {version} yards long.\n"
        (folder / f"act-{number:02d}.md").write_text(text)


def _kill_after(patch: pytest.MonkeyPatch, server: Any, requests: int) -> None:
    """Kill the server when so many requests have written to it."""
    call, left = Connection.call, requests

    async def counted(self: Connection, method: str, request: Any) -> Any:
        nonlocal left
        left -= method == "BatchObjects"
        if left == 0 and method == "BatchObjects":
            await asyncio.to_thread(server.kill)
        return await call(self, method, request)

    patch.setattr(Connection, "call", counted)


async def _ingest(config: dict[str, Any], version: int) -> str:
    try:
        async with AsyncIndex.open(config) as index:
            return "failed" if (await index.ingest()).failures else "whole"
    except StoreError:
        return "failed"


async def _find(config: dict[str, Any], version: int) -> int:
    """How many documents are found in this version by the store's own search."""
    async with AsyncIndex.open(config) as index:
        mode = "keyword" if config["keyword"] else "hybrid"
        result = await index.search(
            f"berth of ship that is {version} yards long", top_k=50, mode=mode
        )
        if result.degraded:
            raise StoreError("degraded", hint=str(result.degraded))
        wanted = f"is {version} yards long"
        return sum(wanted in hit.chunk.text for hit in result.hits)
