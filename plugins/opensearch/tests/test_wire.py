"""A cluster that fails on the wire: nothing is lost, and nothing passes for an answer that is none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest


@pytest.mark.nightly
@pytest.mark.parametrize("keyword", [False, True], ids=["vector", "keyword"])
def test_faults_on_the_wire_lose_nothing(
    tmp_path: Path, node: Any, wire: Any, keyword: bool, count_faults: Any
) -> None:
    with wire.proxy(urlsplit(node.url).port) as proxy:
        reached = {
            "provider": "opensearch",
            "url": f"http://127.0.0.1:{proxy.port}",
            "timeout": 0.5,
            "retries": 1,
        }
        stores = {"vector": reached, "keyword": None}
        if keyword:
            folder = {"provider": "sqlite", "path": str(tmp_path / "index")}
            stores = {"vector": folder, "keyword": reached}
        told = asyncio.run(wire.torture(tmp_path, stores, proxy))
    told.require("opensearch keyword" if keyword else "opensearch", wire.HTTP_FAULTS, count_faults)
