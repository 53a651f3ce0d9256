"""A server that fails on the wire: nothing is lost, and nothing passes for an answer that is none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

FAULTS = ("timeout", "cut", "refused", "restart")


@pytest.mark.nightly
def test_faults_on_the_wire_lose_nothing(
    tmp_path: Path, server: Any, wire: Any, count_faults: Any
) -> None:
    words = {"provider": "tantivy", "path": str(tmp_path / "index")}
    with wire.proxy(server.port) as proxy:
        dsn = server.reached(Server=f"127.0.0.1,{proxy.port}")

        def stores(timeout: float) -> dict[str, Any]:
            reached = {"provider": "sql-server", "dsn": dsn, "timeout": timeout, "retries": 1}
            return {"vector": reached, "keyword": words}

        told = asyncio.run(wire.torture(tmp_path, stores, proxy, FAULTS, (0, 6, 20)))
    told.require("sql-server", FAULTS, count_faults)
