"""What is particular to Chroma: configuration, metadata that are merged, partial failures, the server."""

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

if find_spec("chromadb") is None:  # not imported here: only the tests that run pay for it
    pytest.skip("chromadb is not installed", allow_module_level=True)

from hierdoc import IndexMismatchError, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.filters import And, Contains, Equals, Not, Or, Under
from hierdoc.plugin import ComponentKind, IndexSpec, default_registry
from hierdoc_chromadb import ChromadbConfig
from hierdoc_testing import DIMENSIONS, SPEC, direction, make_record


def backend(**fields: Any) -> Any:
    from hierdoc_chromadb.backend import ChromadbBackend

    return ChromadbBackend(ChromadbConfig.model_validate(fields))


def run(backend: Any, scenario: Callable[[], Awaitable[Any]], spec: IndexSpec = SPEC) -> Any:
    async def whole() -> Any:
        try:
            await backend.prepare(spec)
            return await scenario()
        finally:
            await backend.aclose()

    return asyncio.run(whole())


@pytest.mark.parametrize(
    "fields",
    [
        {"collection": "ab"},
        {"collection": "a b c"},
        {"collection": "../up"},
        {"url": "localhost:8000"},
        {"url": "http://user:open-sesame@host"},
        {"url": "http://host/path"},
        {"url": "http://host", "in_memory": True},
        {"headers": {"Authorization": "Bearer x"}},
    ],
)
def test_impossible_settings_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as raised:
        ChromadbConfig.model_validate(fields)
    assert "open-sesame" not in str(raised.value)


def test_the_top_module_does_not_import_the_library() -> None:
    code = "import sys, hierdoc_chromadb; sys.exit('chromadb' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_missing_library_gives_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("hierdoc_chromadb.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "chromadb", None)
    with pytest.raises(Exception, match="chromadb") as raised:
        default_registry().open(ComponentKind.VECTOR, ChromadbConfig())
    assert raised.value.hint == "pip install 'hierdoc[chromadb]'"


def test_filters_that_select_all_or_nothing_need_no_condition() -> None:
    from hierdoc_chromadb.rows import where

    some = Equals("kind", "table")
    assert where(And()) is True
    assert where(Or()) is False
    assert where(Not(Or())) is True
    assert where(Under([])) is True
    assert where(And(some, Not(Under([])))) is False
    assert where(Or(some, Or())) == where(And(some)) == {"kind": {"$eq": "table"}}
    assert where(Not(Or(some, some))) == {"$and": [{"kind": {"$ne": "table"}}] * 2}


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "http://user:a/secret@host"},
        {"url": "http://host?key=secret"},
        {"url": "http://host", "headers": {"Authorization": "secret\u200b"}},
    ],
)
def test_secrets_in_the_wrong_place_are_refused_without_showing_them(fields: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        ChromadbConfig.model_validate(fields)
    assert "secret" not in str(caught.value)


def test_secrets_are_in_no_representation_and_no_error() -> None:
    config = ChromadbConfig.model_validate(
        {"url": "http://127.0.0.1:1", "headers": {"Authorization": "open-sesame"}}
    )
    assert "open-sesame" not in f"{config!r} {config.model_dump_json()}"
    check = default_registry().find(ComponentKind.VECTOR, "chromadb").check
    assert check is not None
    with pytest.raises(StoreError, match=r"127\.0\.0\.1:1") as raised:
        asyncio.run(check(config))  # type: ignore[arg-type]
    assert "open-sesame" not in f"{raised.value} {raised.value.hint}"
    assert "server" in str(raised.value.hint)


def test_doctor_checks_folder_and_server(tmp_path: Path, chroma_url: str) -> None:
    check = default_registry().find(ComponentKind.VECTOR, "chromadb").check
    assert check is not None
    asyncio.run(check(ChromadbConfig(path=tmp_path)))  # type: ignore[arg-type]
    asyncio.run(check(ChromadbConfig(url=chroma_url)))  # type: ignore[arg-type]


def test_another_embedder_is_refused_with_the_way_out(tmp_path: Path) -> None:
    first, second = backend(path=tmp_path), backend(path=tmp_path)
    run(first, first.count)
    with pytest.raises(IndexMismatchError, match="another") as raised:
        run(second, second.count, IndexSpec("another", DIMENSIONS))
    assert "--force" in str(raised.value.hint)


def churn(mine: Any, times: int) -> Callable[[], Awaitable[Any]]:
    """Write the same thirty documents again and again; what is held at the end, and whether searches still answer."""

    # Of no round length: a store that scales them again alters their last bits.
    vectors = np.random.default_rng(1).standard_normal((30, DIMENSIONS)).astype(np.float32)

    async def scenario() -> Any:
        for _ in range(times):
            records = [
                make_record(f"r{number}", f"harbour {number}", vector=vectors[number])
                for number in range(30)
            ]
            await mine.upsert(records)
        found = await mine.search(vectors[7], 1)
        held = [record async for page in mine.scan(vectors=True) for record in page]
        return found[0].chunk_id, sorted(
            (one.id, one.payload(), one.vector.tobytes()) for one in held
        )

    return scenario


@pytest.mark.parametrize("in_memory", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_vectors_of_deleted_records_do_not_pile_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_memory: bool
) -> None:
    from hierdoc_chromadb import backend as module

    monkeypatch.setattr(module, "_MOST_DEAD", 300)
    place = {"in_memory": True} if in_memory else {"path": tmp_path}
    once, often, later = (backend(**place) for _ in range(3))
    wanted = run(once, churn(once, 1))
    dead = []

    async def scenario() -> Any:
        held = await churn(often, 100)()
        dead.append(often._dead())
        return held

    assert run(often, scenario) == wanted
    assert dead[0] < 600  # of 3,000
    if not in_memory:
        assert run(later, churn(later, 0)) == wanted


def test_a_copy_that_a_killed_process_left_is_completed_or_dropped(tmp_path: Path) -> None:
    first, second, third = (backend(path=tmp_path) for _ in range(3))
    wanted = run(first, churn(first, 1))

    async def interrupted() -> None:
        """Killed while it copies: the copy lacks what the collection has."""
        await second._run(second._create_anew)

    run(second, interrupted)
    assert run(third, churn(third, 0)) == wanted
    fourth, fifth = (backend(path=tmp_path) for _ in range(2))

    async def nearly_done() -> None:
        """Killed after the collection was deleted and before the copy has its name."""
        assert fourth._find(fourth._anew) is None
        await fourth._run(lambda: fourth._collection.modify(name=fourth._anew))

    run(fourth, nearly_done)
    assert run(fifth, churn(fifth, 0)) == wanted


def test_another_client_of_the_process_follows_a_collection_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hierdoc_chromadb import backend as module

    monkeypatch.setattr(module, "_MOST_DEAD", 30)
    writer, reader = backend(path=tmp_path), backend(path=tmp_path)

    async def scenario() -> None:
        await reader.prepare(SPEC)
        before = reader._collection.id
        await churn(writer, 40)()
        assert len(await reader.search(direction(7), 3)) == 3
        assert await reader.count() == 30
        assert reader._collection.id != before
        await reader.aclose()

    run(writer, scenario)


def test_indexes_of_collections_that_are_gone_are_removed(tmp_path: Path) -> None:
    mine, other, later = (
        backend(path=tmp_path),
        backend(path=tmp_path, collection="other"),
        backend(path=tmp_path),
    )
    run(other, churn(other, 1))
    folders = [one.name for one in (tmp_path / "chroma").iterdir() if one.is_dir()]

    async def scenario() -> None:
        await churn(mine, 1)()
        await mine.prepare(SPEC, reset=True)

    run(mine, scenario)
    kept = [one.name for one in (tmp_path / "chroma").iterdir() if one.is_dir()]
    assert folders
    assert set(folders) <= set(kept)
    assert len(kept) <= 2
    assert run(later, later.count) == 0


def test_a_collection_of_somebody_else_is_left_alone(chroma_url: str) -> None:
    import chromadb
    from chromadb.config import Settings

    port = int(chroma_url.rpartition(":")[2])
    settings = Settings(anonymized_telemetry=False)
    client = chromadb.HttpClient("127.0.0.1", port, settings=settings)
    client.create_collection("theirs", embedding_function=None)
    mine = backend(url=chroma_url, collection="theirs")

    async def scenario() -> None:
        for reset in (False, True):
            with pytest.raises(StoreError, match="not of hierdoc"):
                await mine.prepare(SPEC, reset=reset)
        await mine.aclose()

    asyncio.run(scenario())
    client.delete_collection("theirs")  # it is still there
    client._server._session.close()  # type: ignore[attr-defined]
    client._admin_client._server._session.close()  # type: ignore[attr-defined]


def test_what_a_record_no_longer_has_does_not_select_it(tmp_path: Path) -> None:
    mine = backend(path=tmp_path)

    async def scenario() -> None:
        await mine.upsert(
            [make_record("a", vector=direction(1), headings=("old",), section_id="s")]
        )
        await mine.upsert([make_record("a", vector=direction(1), headings=("new",))])
        assert await mine.find(Contains("headings", "old"), 9) == []
        assert await mine.find(Equals("section_id", "s"), 9) == []
        assert len(await mine.find(Contains("headings", "new"), 9)) == 1

    run(mine, scenario)


def test_what_was_not_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hierdoc_chromadb import backend as module

    monkeypatch.setattr(module, "_BATCH", 2)
    mine = backend(path=tmp_path)
    records = [make_record(str(n), vector=direction(1)) for n in range(5)]
    put = module._put

    def failing(collection: Any, batch: Any, vectors: Any) -> Any:
        if batch[0].id == "2":
            raise RuntimeError("disk full")
        return put(collection, batch, vectors)

    async def scenario() -> None:
        monkeypatch.setattr(module, "_put", failing)
        with pytest.raises(PartialWriteError, match="disk full") as raised:
            await mine.upsert(records)
        assert set(raised.value.failed) == {"2", "3", "4"}
        assert [record.id for record in await mine.get(list("01234"))] == ["0", "1"]

    run(mine, scenario)


def test_two_indexes_in_memory_share_nothing() -> None:
    one, other = backend(in_memory=True), backend(in_memory=True)

    async def scenario() -> None:
        await other.prepare(SPEC)
        await one.upsert([make_record("a", vector=direction(1))])
        assert await other.count() == 0
        await other.aclose()
        assert await one.count() == 1

    run(one, scenario)


@pytest.mark.parametrize("place", ["folder", "server"])
def test_the_whole_way(
    place: str, tmp_path: Path, request: pytest.FixtureRequest, check_pipeline: Any
) -> None:
    where = (
        {"path": str(tmp_path / "index")}
        if place == "folder"
        else {"url": request.getfixturevalue("chroma_url"), "collection": "eips"}
    )
    check_pipeline(
        {
            "vector": {"provider": "chromadb", **where},
            "keyword": {"provider": "tantivy", "path": str(tmp_path / "words")},
        }
    )
