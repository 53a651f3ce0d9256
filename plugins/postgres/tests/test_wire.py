"""A server that fails on the wire: nothing is lost, and nothing passes for an answer that is none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

FAULTS = ("timeout", "cut", "refused", "restart")


@pytest.mark.nightly
def test_faults_on_the_wire_lose_nothing(
    tmp_path: Path, server: Any, collection: str, wire: Any, count_faults: Any
) -> None:
    with wire.proxy(server.port) as proxy:
        dsn = server.dsn().replace(str(server.port), str(proxy.port))

        def stores(timeout: float) -> dict[str, Any]:
            reached = {"provider": "postgres", "dsn": dsn, "collection": collection}
            return {kind: {**reached, "timeout": timeout} for kind in ("vector", "keyword")}

        told = asyncio.run(wire.torture(tmp_path, stores, proxy, FAULTS, (0, 20, 60)))
    told.require("postgres", FAULTS, count_faults)
