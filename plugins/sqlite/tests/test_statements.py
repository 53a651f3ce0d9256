"""What a search asks of the default stores: a handful of statements, and one search by words."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from hierdoc import AsyncIndex

ACT = """# Harbour Act

## Section 1. Definitions

"Berth" means a place where a vessel lies.

## Section 2. Fees

(a) The harbour master sets the fees for a berth each year. They are due under Section 3.

## Section 3. Payment

Whoever lets a vessel lie pays within thirty days.
"""

MOST = 5
"""Statements that an ordinary query may take, those aside that begin and end a transaction or ask whether anything has changed."""


@pytest.mark.parametrize(
    "query",
    ["who sets the fees", "fees for a berth", "Section 2(a)", "what does berth mean", "payment"],
)
def test_a_query_takes_few_statements_and_one_search_by_words(
    query: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: list[str] = []
    connect = sqlite3.connect

    def traced(*arguments: object, **options: object) -> sqlite3.Connection:
        connection = connect(*arguments, **options)  # type: ignore[call-overload]
        connection.set_trace_callback(statements.append)
        return connection

    searches: list[str] = []

    async def scenario() -> None:
        config = {
            "source": str(tmp_path / "act.md"),
            "vector": {"provider": "sqlite", "path": str(tmp_path / "index")},
            "keyword": {"provider": "tantivy", "path": str(tmp_path / "index")},
        }
        async with AsyncIndex.open(config) as index:
            await index.ingest()
            await index.search("warm")  # reads the vectors
            keyword = index._components.keyword
            asked = keyword.search

            async def counted(text: str, *rest: object) -> object:
                searches.append(text)
                return await asked(text, *rest)

            monkeypatch.setattr(keyword, "search", counted)
            for most in (MOST, MOST - 2):  # records that were read before are not read again
                statements.clear()
                searches.clear()
                assert (await index.search(query)).hits
                own = [one for one in statements if one.startswith("SELECT")]
                assert len(own) <= most, own
                assert len(searches) == 1

    (tmp_path / "act.md").write_text(ACT)
    monkeypatch.setattr(sqlite3, "connect", traced)
    monkeypatch.setattr("hierdoc_sqlite.backend._HASTE", 60.0)  # a busy machine asks no second time
    asyncio.run(scenario())
