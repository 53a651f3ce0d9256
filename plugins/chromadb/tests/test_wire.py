"""A server that fails on the wire: nothing is lost, and nothing passes for an answer that is none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest


@pytest.mark.nightly
def test_faults_on_the_wire_lose_nothing(
    tmp_path: Path, chroma_url: str, wire: Any, count_faults: Any
) -> None:
    with wire.proxy(urlsplit(chroma_url).port) as proxy:

        def stores(timeout: float) -> dict[str, Any]:
            url = f"http://127.0.0.1:{proxy.port}"
            vector = {"provider": "chromadb", "url": url, "timeout": timeout, "retries": 1}
            keyword = {"provider": "tantivy", "path": str(tmp_path / "index")}
            return {"vector": {**vector, "collection": "wire"}, "keyword": keyword}

        told = asyncio.run(wire.torture(tmp_path, stores, proxy))
    told.require("chromadb", wire.HTTP_FAULTS, count_faults)
