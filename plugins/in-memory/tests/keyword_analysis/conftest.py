"""What the keyword backends with our analyzer do beyond the conformance kit: one list, run for each through the registry."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from hierdoc.plugin import ComponentKind, IndexSpec, default_registry

Scenario = Callable[[Any], Awaitable[Any]]
Run = Callable[[Scenario], Any]
Open = Callable[[Path], Any]


@pytest.fixture(scope="module", params=["in-memory", "tantivy", "rank-bm25"])
def open_backend(request: pytest.FixtureRequest) -> Open:
    """Opens the backend; a persistent one keeps what it holds in the folder."""
    name = str(request.param)
    if name == "rank-bm25":
        pytest.importorskip("hierdoc_rank_bm25")

    def open_backend(folder: Path) -> Any:
        provider = default_registry().find(ComponentKind.KEYWORD, name)
        fields = {"path": folder} if "path" in provider.config.model_fields else {}
        return provider.open(provider.config.model_validate({"provider": name, **fields}))

    return open_backend


@pytest.fixture
def run(open_backend: Open, tmp_path: Path) -> Run:
    """Runs a scenario with a backend that is open; a second scenario finds what persists of the first."""

    def run(scenario: Scenario) -> Any:
        async def whole() -> Any:
            backend = open_backend(tmp_path)
            await backend.prepare(IndexSpec("embedder", 3))
            try:
                return await scenario(backend)
            finally:
                await backend.aclose()

        return asyncio.run(whole())

    return run
