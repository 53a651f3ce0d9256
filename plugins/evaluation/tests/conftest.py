"""A small corpus, and work done on an index of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from hierdoc import AsyncIndex

ACT = """\
# Harbour Act

## Article I General

### Section 1 Definitions
“Harbour” means a place where ships lie at anchor and are loaded or unloaded.

“Master” means the person who has command of a ship.

### Section 2 Reports
Every master of a ship shall report to the harbour office before the ship
enters the inner basin or leaves it for the open sea.

### Section 3 Fees
The fee for a berth is 23.2 crowns a day and becomes due when the ship moors.

## Article II Fishing

### Section 1 Licences
A licence for fishing boats is granted on application by the council of the town.

### Section 2 Fees
The fee for a fishing licence is forty crowns a year, payable in advance.
"""

ORDINANCE = """\
# Hafenordnung

## § 1 Begriffe
„Liegeplatz“ bezeichnet eine Stelle, an der ein Schiff fest vertäut werden kann.

## § 2 Gebühren
Die Gebühr für einen Liegeplatz wird vom Hafenamt für jeden Tag des Aufenthalts
erhoben und ist bei der Ausfahrt zu entrichten.

## § 3 Aufsicht
Das Hafenamt kann Schiffe zurückweisen, wenn deren Zustand eine Gefahr für andere ist.
"""

Work = Callable[[AsyncIndex], Awaitable[Any]]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two documents, in English and German."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "act.md").write_text(ACT, encoding="utf-8")
    (folder / "ordnung.md").write_text(ORDINANCE, encoding="utf-8")
    return folder


@pytest.fixture
def using(corpus: Path) -> Callable[..., Any]:
    """Do something with an index of the corpus that is gone afterwards."""

    def using(work: Work, **config: Any) -> Any:
        settings = {"source": str(corpus), "vector": "in-memory", "keyword": "in-memory", **config}

        async def run() -> Any:
            async with AsyncIndex.open(settings) as index:
                await index.ingest()
                return await work(index)

        return asyncio.run(run())

    return using
