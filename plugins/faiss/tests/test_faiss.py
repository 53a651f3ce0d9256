"""What is particular to faiss: its file and the record store beside it, crashes between the two, and the approximate index."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

if find_spec("faiss") is None:  # not imported here: only the tests that run pay for it
    pytest.skip("faiss-cpu is not installed", allow_module_level=True)

from hierdoc import IndexLockedError, IndexMismatchError, StoreError
from hierdoc.filters import Equals
from hierdoc.plugin import ComponentKind, IndexSpec, default_registry
from hierdoc_faiss import FaissConfig
from hierdoc_testing import DIMENSIONS, SPEC, direction, directions, make_record

VECTORS = directions(300, seed=4)


def backend(folder: Path, **fields: Any) -> Any:
    from hierdoc_faiss.backend import FaissBackend

    return FaissBackend(FaissConfig.model_validate({"path": folder, **fields}))


def run(backend: Any, scenario: Callable[[], Awaitable[Any]], spec: IndexSpec = SPEC) -> Any:
    async def whole() -> Any:
        try:
            await backend.prepare(spec)
            return await scenario()
        finally:
            await backend.aclose()

    return asyncio.run(whole())


def records(first: int, last: int, **fields: Any) -> list[Any]:
    return [
        make_record(f"{n:03d}", vector=VECTORS[n], source=f"{n % 10}.md", **fields)
        for n in range(first, last)
    ]


def nearest(numbers: list[int], limit: int = 10) -> list[str]:
    scores = VECTORS[numbers] @ VECTORS[0]
    order = sorted(zip((-scores).tolist(), numbers, strict=True))
    return [f"{n:03d}" for _, n in order[:limit]]


async def found(backend: Any, limit: int = 10, filter: Any = None) -> list[str]:
    return [match.chunk_id for match in await backend.search(VECTORS[0], limit, filter)]


def files(folder: Path) -> list[Path]:
    return sorted((folder / "faiss" / "hierdoc").glob("index-*"))


@pytest.mark.parametrize("collection", ["", "a b", "../up", "a/b", ".hidden", "a'b", "ä"])
def test_a_collection_is_a_plain_name(collection: str) -> None:
    with pytest.raises(ValidationError):
        FaissConfig.model_validate({"collection": collection})


def test_the_top_module_does_not_import_the_library() -> None:
    code = "import sys, hierdoc_faiss; sys.exit('faiss' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_missing_library_gives_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("hierdoc_faiss.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(Exception, match="faiss") as raised:
        default_registry().open(ComponentKind.VECTOR, FaissConfig())
    assert raised.value.hint == "pip install 'hierdoc[faiss]'"


def test_doctor_checks_the_folder(tmp_path: Path) -> None:
    check = default_registry().find(ComponentKind.VECTOR, "faiss").check
    assert check is not None
    asyncio.run(check(FaissConfig(path=tmp_path / "new" / "folder")))  # type: ignore[arg-type]
    with pytest.raises(StoreError, match="written to"):
        asyncio.run(check(FaissConfig(path=Path("/proc/1"))))  # type: ignore[arg-type]


def test_another_embedder_is_refused_with_the_way_out(tmp_path: Path) -> None:
    first, second = backend(tmp_path), backend(tmp_path)
    run(first, first.count)
    with pytest.raises(IndexMismatchError, match="another") as raised:
        run(second, second.count, IndexSpec("another", DIMENSIONS))
    assert "--force" in str(raised.value.hint)


def test_the_saved_index_is_one_file_and_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hierdoc_faiss.index import FaissIndex

    for last in (100, 200):
        one = backend(tmp_path)

        async def scenario(one: Any = one, last: int = last) -> None:
            await found(one)
            await one.upsert(records(0, last))

        run(one, scenario)
        assert len(files(tmp_path)) == 1
    monkeypatch.delattr(FaissIndex, "_build")
    again = backend(tmp_path)
    assert run(again, lambda: found(again)) == nearest(list(range(200)))


@pytest.mark.parametrize("damage", ["missing", "cut", "garbage", "altered", "old"])
def test_a_file_that_is_not_of_the_records_is_made_anew(tmp_path: Path, damage: str) -> None:
    first = backend(tmp_path)

    async def fill() -> None:
        await first.upsert(records(0, 100))
        await found(first)

    run(first, fill)
    (file,) = files(tmp_path)
    if damage == "missing":
        file.unlink()
    elif damage == "cut":
        file.write_bytes(file.read_bytes()[:1000])
    elif damage == "altered":
        data = bytearray(file.read_bytes())
        data[500:900] = bytes(400)
        file.write_bytes(data)
    elif damage == "garbage":
        file.write_bytes(b"\0" * 500)
    else:  # the process was killed after the records were written, before the index was saved
        killed = backend(tmp_path)

        async def crash() -> None:
            await killed.prepare(SPEC)
            await found(killed)
            await killed.replace_documents(records(100, 110))
            killed._index = None  # so that it is not saved
            await killed.aclose()

        asyncio.run(crash())
        assert files(tmp_path) == [file]
    again = backend(tmp_path)
    held = list(range(100)) if damage != "old" else list(range(100, 110))
    assert run(again, lambda: found(again)) == nearest(held)


def test_another_writer_s_changes_are_found(tmp_path: Path) -> None:
    reader, writer = backend(tmp_path), backend(tmp_path)

    async def scenario() -> None:
        await writer.prepare(SPEC)
        await writer.upsert(records(0, 50))
        assert await found(reader) == nearest(list(range(50)))
        await writer.delete_documents(["3.md"])
        await reader.upsert(records(50, 60))
        assert await found(reader) == nearest([n for n in range(60) if n % 10 != 3 or n >= 50])
        assert await found(writer) == await found(reader)
        await writer.aclose()

    run(reader, scenario)


def test_who_waits_too_long_for_another_writer_is_told(tmp_path: Path) -> None:
    import sqlite3

    mine = backend(tmp_path, timeout=0.1)

    async def scenario() -> None:
        other = sqlite3.connect(tmp_path / "faiss" / "hierdoc" / "records.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(IndexLockedError):
            await mine.upsert(records(0, 1))
        assert await mine.count() == 0
        other.execute("ROLLBACK")
        other.close()

    run(mine, scenario)


def test_the_approximate_index_is_right_after_deletes_and_updates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hierdoc_faiss import index

    monkeypatch.setattr(index, "_EXACT_UNTIL", 20)
    mine, again = backend(tmp_path, index="hnsw"), backend(tmp_path, index="hnsw")

    async def scenario() -> None:
        await mine.upsert(records(0, 300))
        assert await found(mine) == nearest(list(range(300)))
        await mine.delete_documents(["0.md"])
        left = [n for n in range(300) if n % 10]
        assert await found(mine) == nearest(left)
        turned = make_record("005", vector=-VECTORS[0], source="5.md")
        await mine.upsert([turned])
        left.remove(5)
        assert await found(mine) == nearest(left)
        assert (await found(mine, 1000))[-1] == "005"
        chosen = await found(mine, 30, Equals("source", "7.md"))
        assert chosen == nearest(list(range(7, 300, 10)), 30)

    run(mine, scenario)
    left = [n for n in range(300) if n % 10 and n != 5]
    assert run(again, lambda: found(again)) == nearest(left)


@pytest.mark.parametrize(
    "odd", ["' OR 1 --", "'", "\\", "a\nb", ") OR (1", "%", '"', "\ud800", "\0"]
)
def test_no_value_becomes_part_of_a_statement(tmp_path: Path, odd: str) -> None:
    mine = backend(tmp_path)

    async def scenario() -> None:
        await mine.upsert(
            [
                make_record("plain", vector=direction(1)),
                make_record(odd, vector=direction(0, 1), source=odd, title=odd),
            ]
        )
        assert [one.id for one in await mine.find(Equals("title", odd), 9)] == [odd]
        assert [one.id for one in await mine.get([odd])] == [odd]
        await mine.delete_documents([odd])
        assert await mine.count() == 1

    run(mine, scenario)


def test_vectors_come_back_bit_for_bit(tmp_path: Path) -> None:
    mine = backend(tmp_path)

    async def scenario() -> None:
        await mine.upsert(records(0, 20))
        held = await mine.get([f"{n:03d}" for n in range(20)], vectors=True)
        await mine.replace_documents(held)
        again = await mine.get([f"{n:03d}" for n in range(20)], vectors=True)
        for one, other in zip(held, again, strict=True):
            assert np.array_equal(one.vector, other.vector)

    run(mine, scenario)


def test_the_whole_way(tmp_path: Path, check_pipeline: Any) -> None:
    check_pipeline(
        {
            "vector": {"provider": "faiss", "path": str(tmp_path / "index")},
            "keyword": {"provider": "tantivy", "path": str(tmp_path / "words")},
        }
    )
