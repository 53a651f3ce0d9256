"""A service that fails on the wire: nothing is lost, and nothing passes for an answer that is none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest


@pytest.mark.nightly
@pytest.mark.parametrize("keyword", [False, True], ids=["vector", "keyword"])
def test_faults_on_the_wire_lose_nothing(
    tmp_path: Path, server: Any, wire: Any, keyword: bool, count_faults: Any
) -> None:
    with wire.proxy(urlsplit(server.url).port) as proxy:

        def stores(timeout: float) -> dict[str, Any]:
            reached = {
                **server.fields,
                "provider": "azure-ai-search",
                "url": f"http://127.0.0.1:{proxy.port}",
                "timeout": timeout,
                "retries": 1,
            }
            if keyword:
                folder = {"provider": "sqlite", "path": str(tmp_path / "index")}
                return {"vector": folder, "keyword": reached}
            return {"vector": reached, "keyword": None}

        told = asyncio.run(wire.torture(tmp_path, stores, proxy))
    name = "azure-ai-search keyword" if keyword else "azure-ai-search"
    told.require(name, wire.HTTP_FAULTS, count_faults)
