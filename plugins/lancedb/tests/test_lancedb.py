"""What is particular to LanceDB: configuration, its folder, its versions, its hybrid query."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

if find_spec("lancedb") is None:  # not imported here: only the tests that run pay for it
    pytest.skip("lancedb is not installed", allow_module_level=True)

from hierdoc import CapabilityError, IndexDamagedError, IndexMismatchError, StoreError
from hierdoc.filters import And, Equals, In, Not, Or
from hierdoc.plugin import ComponentKind, IndexSpec, default_registry
from hierdoc_lancedb import LancedbConfig
from hierdoc_testing import DIMENSIONS, SPEC, direction, make_document_records, make_record


def backend(folder: Path, **fields: Any) -> Any:
    from hierdoc_lancedb.backend import LancedbBackend

    return LancedbBackend(LancedbConfig.model_validate({"path": folder, **fields}))


def run(backend: Any, scenario: Callable[[], Awaitable[Any]], spec: IndexSpec = SPEC) -> Any:
    async def whole() -> Any:
        try:
            await backend.prepare(spec)
            return await scenario()
        finally:
            await backend.aclose()

    return asyncio.run(whole())


@pytest.mark.parametrize("collection", ["", "a b", "../up", "a/b", ".hidden", "a'b", "ä"])
def test_a_collection_is_a_plain_name(collection: str) -> None:
    with pytest.raises(ValidationError):
        LancedbConfig.model_validate({"collection": collection})


def test_the_top_module_does_not_import_the_library() -> None:
    code = "import sys, hierdoc_lancedb; sys.exit('lancedb' in sys.modules or 'pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_missing_library_gives_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("hierdoc_lancedb.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "lancedb", None)
    with pytest.raises(Exception, match="lancedb") as raised:
        default_registry().open(ComponentKind.VECTOR, LancedbConfig())
    assert raised.value.hint == "pip install 'hierdoc[lancedb]'"


def test_doctor_checks_the_folder(tmp_path: Path) -> None:
    check = default_registry().find(ComponentKind.VECTOR, "lancedb").check
    assert check is not None
    asyncio.run(check(LancedbConfig(path=tmp_path / "new" / "folder")))  # type: ignore[arg-type]
    with pytest.raises(StoreError, match="written to"):
        asyncio.run(check(LancedbConfig(path=Path("/proc/1"))))  # type: ignore[arg-type]


@pytest.mark.parametrize("reset", [False, True])
def test_a_table_of_somebody_else_is_left_alone(tmp_path: Path, reset: bool) -> None:
    import lancedb

    mine = backend(tmp_path, collection="mine")

    async def scenario() -> None:
        connection = await lancedb.connect_async(str(tmp_path / "lancedb"))
        await connection.create_table("mine", data=[{"a": 1}])
        with pytest.raises(StoreError, match="not of hierdoc") as raised:
            await mine.prepare(SPEC, reset=reset)
        assert "collection" in str(raised.value.hint)
        assert await (await connection.open_table("mine")).count_rows() == 1
        await mine.aclose()

    asyncio.run(scenario())


def test_another_embedder_is_refused_with_the_way_out(tmp_path: Path) -> None:
    first, second = backend(tmp_path), backend(tmp_path)
    run(first, first.count)
    with pytest.raises(IndexMismatchError, match="embedder") as raised:
        run(second, second.count, IndexSpec("another", DIMENSIONS))
    assert "--force" in str(raised.value.hint)


def test_an_index_without_words_is_refused_where_hybrid_search_is_on(tmp_path: Path) -> None:
    first, second = backend(tmp_path, hybrid=False), backend(tmp_path)
    with pytest.raises(CapabilityError):
        run(first, lambda: first.hybrid_search("x", direction(1), 1, {}))
    with pytest.raises(IndexMismatchError, match="words"):
        run(second, second.count)


def test_the_folder_does_not_grow_without_bound(tmp_path: Path) -> None:
    mine = backend(tmp_path, retention=0)

    def files() -> int:
        return sum(file.is_file() for file in tmp_path.rglob("*"))

    async def scenario() -> list[int]:
        counts = []
        for _ in range(3):
            for version in range(16):
                await mine.replace_documents(
                    make_document_records("docs/a.md", 5, version=str(version))
                )
            counts.append(files())
        return counts

    first, second, third = run(mine, scenario)
    assert max(second, third) <= 1.5 * first
    assert files() < 16 * 5


def filled(folder: Path) -> Path:
    """A table of ten records below this folder, written and closed; its folder."""
    writer = backend(folder)
    records = make_document_records("docs/a.md", 10)
    run(writer, lambda: writer.upsert(records))
    return folder / "lancedb" / "hierdoc.lance"


def zero(file: Path) -> None:
    file.write_bytes(bytes(file.stat().st_size))


async def everything(opened: Any) -> Any:
    """What a table answers by each of its indexes."""
    found = await opened.hybrid_search(
        "record", direction(1), 10, {"semantic": 1.0, "keyword": 1.0}, Equals("source", "docs/a.md")
    )
    records = await opened.get([match.chunk_id for match in found])
    return found, [record.id for record in records]


def test_damaged_indexes_are_made_anew_from_the_rows(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table = filled(tmp_path)
    whole, spoiled, again = (backend(tmp_path) for _ in range(3))
    wanted = run(whole, lambda: everything(whole))
    assert len(wanted[0]) == 10
    for file in (table / "_indices").rglob("*.lance"):
        zero(file)
    assert run(spoiled, lambda: everything(spoiled)) == wanted
    assert "made anew" in caplog.text
    caplog.clear()
    assert run(again, lambda: everything(again)) == wanted
    assert "made anew" not in caplog.text


@pytest.mark.parametrize("part", ["data", "_versions"])
def test_damaged_rows_are_an_error_until_the_table_is_made_anew(tmp_path: Path, part: str) -> None:
    file = next(one for one in sorted((filled(tmp_path) / part).iterdir()) if one.suffix != ".json")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    spoiled = backend(tmp_path)
    with pytest.raises(IndexDamagedError, match=file.name) as raised:
        run(spoiled, spoiled.count)
    assert "--force" in str(raised.value.hint)
    zero(file)  # and so that it cannot be opened
    anew = backend(tmp_path)

    async def scenario() -> int:
        await anew.prepare(SPEC, reset=True)
        held: int = await anew.count()
        await anew.aclose()
        return held

    assert asyncio.run(scenario()) == 0


@pytest.mark.parametrize("spoil", [Path.unlink, zero], ids=["missing", "damaged"])
def test_checksums_that_are_lost_are_noted_anew(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    table, writer, spoiled = filled(tmp_path), backend(tmp_path), backend(tmp_path)
    spoil(tmp_path / "lancedb" / "hierdoc.checksums")
    run(writer, lambda: writer.upsert([make_record("a", vector=direction(1))]))
    zero(next((table / "data").iterdir()))
    with pytest.raises(IndexDamagedError):
        run(spoiled, spoiled.count)


def test_another_process_sees_a_write_at_once(tmp_path: Path) -> None:
    writer, reader = backend(tmp_path), backend(tmp_path)

    async def scenario() -> None:
        await reader.prepare(SPEC)
        await writer.upsert([make_record("a", "harbour", vector=direction(1))])
        assert await reader.count() == 1
        found = await reader.hybrid_search(
            "harbour", direction(1), 5, {"semantic": 0.5, "keyword": 0.5}
        )
        assert [match.chunk_id for match in found] == ["a"]
        await reader.aclose()

    run(writer, scenario)


def test_hybrid_scores_are_weighted_reciprocal_ranks(tmp_path: Path) -> None:
    mine = backend(tmp_path, rrf_k=10)

    async def scenario() -> dict[str, float]:
        await mine.upsert(
            [
                make_record("near", "nothing", vector=direction(1)),
                make_record("both", "harbour", vector=direction(2, 1)),
                make_record("far", "harbour harbour", vector=direction(0, 1)),
            ]
        )
        found = await mine.hybrid_search(
            "harbour", direction(1), 9, {"semantic": 0.7, "keyword": 0.2, "exact": 9.0}
        )
        return {match.chunk_id: match.score for match in found}

    by_words = {"far": 1, "both": 2}
    by_vector = {"near": 1, "both": 2, "far": 3}
    expected = {
        name: 0.7 / (10 + rank) + (0.2 / (10 + by_words[name]) if name in by_words else 0)
        for name, rank in by_vector.items()
    }
    assert run(mine, scenario) == pytest.approx(expected)


@pytest.mark.parametrize("odd", ["' OR true --", "'", "\\", "a\nb", "]) OR (true", "%", '"'])
def test_no_value_becomes_part_of_a_predicate(tmp_path: Path, odd: str) -> None:
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
        found = await mine.search(direction(1), 9, And(In("source", [odd]), Not(Or())))
        assert [match.chunk_id for match in found] == [odd]
        await mine.delete_documents([odd])
        assert await mine.count() == 1

    run(mine, scenario)


@pytest.mark.parametrize("keyword", [None, "tantivy"])
def test_the_whole_way(keyword: str | None, tmp_path: Path, check_pipeline: Any) -> None:
    words = keyword and {"provider": keyword, "path": str(tmp_path / "words")}
    check_pipeline(
        {"vector": {"provider": "lancedb", "path": str(tmp_path / "index")}, "keyword": words}
    )
