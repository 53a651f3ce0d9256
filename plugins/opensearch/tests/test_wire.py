"""A cluster that fails on the wire: nothing is lost, and nothing passes for an answer that is none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from hierdoc import AsyncIndex


@pytest.mark.nightly
@pytest.mark.parametrize("keyword", [False, True], ids=["vector", "keyword"])
def test_faults_on_the_wire_lose_nothing(
    tmp_path: Path, node: Any, wire: Any, keyword: bool, count_faults: Any
) -> None:
    with wire.proxy(urlsplit(node.url).port) as proxy:

        def stores(timeout: float) -> dict[str, Any]:
            url = f"http://127.0.0.1:{proxy.port}"
            reached = {"provider": "opensearch", "url": url, "timeout": timeout, "retries": 1}
            if keyword:
                folder = {"provider": "sqlite", "path": str(tmp_path / "index")}
                return {"vector": folder, "keyword": reached}
            return {"vector": reached, "keyword": None}

        told = asyncio.run(wire.torture(tmp_path, stores, proxy))
    told.require("opensearch keyword" if keyword else "opensearch", wire.HTTP_FAULTS, count_faults)


def test_a_bulk_request_that_fails_in_part_loses_nothing(
    tmp_path: Path, node: Any, wire: Any
) -> None:
    wire.write(tmp_path / "corpus", 0)
    vector = {"provider": "opensearch", "url": node.url, "retries": 0}
    config = {
        "source": str(tmp_path / "corpus"),
        "embedder": "static",
        "vector": vector,
        "keyword": None,
    }

    async def work() -> None:
        async with AsyncIndex.open(config) as index:
            await index.ingest()
            wire.write(tmp_path / "corpus", 2)
            node.rejected = [("ship 1", 429, "rejected_execution_exception")] * 3
            report = await index.ingest()
            assert [failure.source for failure in report.failures] == ["corpus/act-1.md"]
        async with AsyncIndex.open(config) as index:
            found = await index.search("the berth of ship 1")
            assert [one.leg for one in found.degraded] == ["index"]
            assert not (await index.ingest()).failures
            found = await index.search("the berth of ship 1")
            assert not found.degraded
            assert any(hit.chunk.source == "corpus/act-1.md" for hit in found.hits)
        memory = {**config, "vector": "in-memory"}
        assert await wire.ids(config) == await wire.ids(memory)

    asyncio.run(work())
