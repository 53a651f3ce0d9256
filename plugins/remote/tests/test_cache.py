"""What was paid for is kept, for others too, and never in the way."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hierdoc_remote.cache import DiskCache, cache_key


def test_values_are_found_by_another_cache_of_the_same_file(tmp_path: Path) -> None:
    async def scenario() -> None:
        one, other = (DiskCache(tmp_path / "cache.sqlite") for _ in range(2))
        await one.put({"a": b"1", "b": b"\x00"})
        assert await other.get(["a", "b", "c"]) == {"a": b"1", "b": b"\x00"}
        await one.aclose()
        await other.aclose()

    asyncio.run(scenario())


def test_caches_of_one_file_write_at_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        caches = [DiskCache(tmp_path / "cache.sqlite") for _ in range(4)]
        puts = [
            cache.put({f"{number}-{name}": b"x"})
            for number in range(50)
            for name, cache in enumerate(caches)
        ]
        await asyncio.gather(*puts)
        keys = [f"{number}-{name}" for number in range(50) for name in range(4)]
        assert len(await caches[0].get(keys)) == 200
        for cache in caches:
            await cache.aclose()

    asyncio.run(scenario())


def test_a_cache_waits_for_others_that_are_just_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = iter(["database is locked"] * 2)

    class Connection(sqlite3.Connection):
        def execute(self, statement: str, *parameters: Any) -> sqlite3.Cursor:
            if "journal_mode" in statement and (message := next(locked, None)):
                raise sqlite3.OperationalError(message)
            return super().execute(statement, *parameters)

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Connection))

    async def scenario() -> None:
        cache = DiskCache(tmp_path / "cache.sqlite")
        await cache.put({"a": b"1"})
        assert await cache.get(["a"]) == {"a": b"1"}
        await cache.aclose()

    asyncio.run(scenario())


def test_thousands_of_keys_are_looked_up(tmp_path: Path) -> None:
    async def scenario() -> None:
        cache = DiskCache(tmp_path / "cache.sqlite")
        values = {str(number): b"x" for number in range(3000)}
        await cache.put(values)
        assert await cache.get(list(values)) == values
        await cache.aclose()

    asyncio.run(scenario())


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_the_folder_is_the_owners_alone(tmp_path: Path) -> None:
    async def scenario() -> None:
        cache = DiskCache(tmp_path / "index" / "cache.sqlite")
        await cache.put({"a": b"1"})
        await cache.aclose()

    asyncio.run(scenario())
    assert stat.S_IMODE((tmp_path / "index").stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_made_costs_the_cache_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")

    async def scenario() -> None:
        cache = DiskCache(tmp_path / "file" / "cache.sqlite")
        await cache.put({"a": b"1"})
        await cache.put({"b": b"1"})
        assert await cache.get(["a"]) == {}
        await cache.aclose()

    asyncio.run(scenario())
    assert caplog.text.count("nothing is kept") == 1


def test_keys_tell_parts_apart() -> None:
    assert cache_key("ab", "c") != cache_key("a", "bc")
    assert cache_key({"a": 1, "b": 2}) == cache_key({"b": 2, "a": 1})
    assert cache_key("\ud800") != cache_key("?")
