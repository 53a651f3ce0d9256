"""A service that fails on the wire: nothing is lost, and nothing passes for an answer that is none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest


@pytest.mark.nightly
def test_faults_on_the_wire_lose_nothing(
    tmp_path: Path, server: Any, wire: Any, count_faults: Any
) -> None:
    with wire.proxy(urlsplit(server.url).port) as proxy:
        server.base = f"http://127.0.0.1:{proxy.port}"

        def stores(timeout: float) -> dict[str, Any]:
            reached = {
                **server.fields,
                "provider": "azure-cosmos-nosql",
                "url": server.base,
                "timeout": timeout,
                "retries": 1,
            }
            return {"vector": reached, "keyword": None}

        told = asyncio.run(wire.torture(tmp_path, stores, proxy))
    told.require("azure-cosmos-nosql", wire.HTTP_FAULTS, count_faults)
