"""A server that fails on the wire, or is killed: nothing is lost, and nothing passes for an answer that is none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hierdoc import AsyncIndex, HierdocError

FAULTS = ("timeout", "cut", "refused", "restart")
"""429 and 503 are of HTTP."""


@pytest.mark.nightly
@pytest.mark.parametrize("keyword", [False, True], ids=["vector", "keyword"])
def test_faults_on_the_wire_lose_nothing(
    tmp_path: Path, relay: Any, fields: Any, wire: Any, keyword: bool, count_faults: Any
) -> None:
    with wire.proxy(relay.port) as proxy:

        def stores(timeout: float) -> dict[str, Any]:
            url = f"redis://127.0.0.1:{proxy.port}"
            reached = {"provider": "redis", **fields(url=url, timeout=timeout, retries=1)}
            if keyword:
                folder = {"provider": "sqlite", "path": str(tmp_path / "index")}
                return {"vector": folder, "keyword": reached}
            return {"vector": reached, "keyword": None}

        told = asyncio.run(wire.torture(tmp_path, stores, proxy, FAULTS, (0, 8)))
    told.require("redis keyword" if keyword else "redis", FAULTS, count_faults)


@pytest.mark.nightly
def test_a_server_that_is_killed_loses_nothing_that_it_had_confirmed(
    tmp_path: Path, make_server: Any, relay_of: Any, fields: Any, wire: Any
) -> None:
    server = make_server()
    given = {"provider": "redis", **fields(url=relay_of(server), retries=0, timeout=5)}
    config = {
        "source": str(tmp_path / "corpus"),
        "embedder": "static",
        "vector": given,
        "keyword": None,
    }

    async def ingest() -> None:
        async with AsyncIndex.open(config) as index:
            assert not (await index.ingest()).failures

    wire.write(tmp_path / "corpus", 0)
    asyncio.run(ingest())
    before = asyncio.run(wire.ids(config))
    server.kill()
    with pytest.raises(HierdocError) as caught:
        asyncio.run(wire.ids(config))
    assert caught.value.hint
    server.start()
    assert asyncio.run(wire.ids(config)) == before
    wire.write(tmp_path / "corpus", 1)
    asyncio.run(ingest())
    memory = {**config, "vector": "in-memory"}
    assert asyncio.run(wire.ids(config)) == asyncio.run(wire.ids(memory))
