"""A server that fails on the wire: nothing is lost, and nothing passes for an answer that is none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

FAULTS = ("timeout", "cut", "refused", "restart")
"""429 and 503 are of HTTP; what MongoDB says instead is in `test_mongodb.py`."""


@pytest.mark.nightly
@pytest.mark.usefixtures("swept")
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
@pytest.mark.parametrize("keyword", [False, True], ids=["vector", "keyword"])
def test_faults_on_the_wire_lose_nothing(
    tmp_path: Path, server: Any, wire: Any, keyword: bool, count_faults: Any
) -> None:
    with wire.proxy(server.port) as proxy:

        def stores(timeout: float) -> dict[str, Any]:
            reached = {
                **server.fields,
                "provider": "mongodb",
                "url": f"mongodb://127.0.0.1:{proxy.port}/?directConnection=true",
                "timeout": timeout,
                "retries": 1,
            }
            if keyword:
                folder = {"provider": "sqlite", "path": str(tmp_path / "index")}
                return {"vector": folder, "keyword": reached}
            return {"vector": reached, "keyword": None}

        told = asyncio.run(wire.torture(tmp_path, stores, proxy, FAULTS))
    told.require("mongodb keyword" if keyword else "mongodb", FAULTS, count_faults)
