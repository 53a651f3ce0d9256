"""The `tantivy` keyword backend beyond the contract: processes, locks, crashes, damage, and Tantivy's own formula."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from hierdoc import Chunk, IndexDamagedError, IndexLockedError, IndexMismatchError, StoreError
from hierdoc.filters import Equals
from hierdoc.plugin import DocumentVersion, IndexSpec, Record
from hierdoc_in_memory.keyword import InMemoryKeywordBackend
from hierdoc_tantivy.backend import TantivyKeywordBackend

SPEC = IndexSpec("embedder", 3)
VERSION = DocumentVersion("hash", "pipeline", 1)

Scenario = Callable[[TantivyKeywordBackend], Awaitable[Any]]

PREAMBLE = """
import asyncio, sys
from pathlib import Path
from hierdoc import Chunk
from hierdoc.plugin import IndexSpec, Record, DocumentVersion
from hierdoc_tantivy.backend import TantivyKeywordBackend

def record(id, text, source="doc.md"):
    return Record(Chunk(source, text, 0, len(text), 1, 1, id=id), DocumentVersion("hash", "pipeline", 1))

backend = TantivyKeywordBackend(Path(sys.argv[1]))
"""


def record(id: str, text: str, source: str = "doc.md", **fields: Any) -> Record:
    return Record(Chunk(source, text, 0, len(text), 1, 1, id=id, **fields), VERSION)


def run(folder: Path, scenario: Scenario, *, reset: bool = False, language: str = "auto") -> Any:
    async def whole() -> Any:
        backend = TantivyKeywordBackend(folder, language)
        await backend.prepare(SPEC, reset=reset)
        try:
            return await scenario(backend)
        finally:
            await backend.aclose()

    return asyncio.run(whole())


async def write_one(backend: TantivyKeywordBackend) -> None:
    await backend.upsert([record("a", "one word")])


async def found(backend: TantivyKeywordBackend, query: str = "word") -> list[str]:
    return [match.chunk_id for match in await backend.search(query, 1000)]


@contextlib.contextmanager
def process(folder: Path, code: str) -> Iterator[subprocess.Popen[str]]:
    """Another process, killed at the end; it says with a line of output how far it is."""
    child = subprocess.Popen(
        [sys.executable, "-c", PREAMBLE + code, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def line(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


# Several processes

HOLD_THE_LOCK = """
asyncio.run(backend.prepare(IndexSpec("embedder", 3)))
with backend._writer(backend._opened()):
    print("holding", flush=True)
    sys.stdin.readline()
"""


def test_while_another_process_writes_nobody_else_can(tmp_path: Path) -> None:
    async def scenario(backend: TantivyKeywordBackend) -> None:
        await write_one(backend)
        with process(tmp_path, HOLD_THE_LOCK) as child:
            assert line(child) == "holding"
            with pytest.raises(IndexLockedError) as caught:
                await backend.upsert([record("b", "word")])
            assert caught.value.hint
            with pytest.raises(IndexLockedError):
                await backend.delete_documents(["doc.md"])
            with pytest.raises(IndexLockedError):
                await backend.prepare(SPEC, reset=True)

    run(tmp_path, scenario)
    assert run(tmp_path, found) == ["a"]


def test_while_another_process_writes_everybody_can_search(tmp_path: Path) -> None:
    run(tmp_path, write_one)
    with process(tmp_path, HOLD_THE_LOCK) as child:
        assert line(child) == "holding"
        assert run(tmp_path, found) == ["a"]


def test_a_process_that_dies_holding_the_lock_leaves_it(tmp_path: Path) -> None:
    with process(tmp_path, HOLD_THE_LOCK) as child:
        assert line(child) == "holding"
    run(tmp_path, write_one)
    assert run(tmp_path, found) == ["a"]


def test_an_open_backend_does_not_keep_others_from_writing(tmp_path: Path) -> None:
    code = """
async def main():
    await backend.prepare(IndexSpec("embedder", 3))
    await backend.upsert([record("theirs", "word")])
    print("written", flush=True)
    await backend.aclose()
asyncio.run(main())
"""

    async def scenario(backend: TantivyKeywordBackend) -> None:
        await backend.upsert([record("ours", "word")])
        assert await found(backend) == ["ours"]
        with process(tmp_path, code) as child:
            assert line(child) == "written"
        assert await found(backend) == ["ours", "theirs"]
        assert await backend.count() == 2
        await backend.upsert([record("theirs", "replaced")])
        assert await found(backend) == ["ours"]

    run(tmp_path, scenario)


def test_calls_of_one_backend_wait_for_each_other(tmp_path: Path) -> None:
    async def scenario(backend: TantivyKeywordBackend) -> None:
        batches = [[record(f"{batch}-{n}", "word") for n in range(5)] for batch in range(8)]
        await asyncio.gather(*(backend.upsert(batch) for batch in batches))
        assert await backend.count() == 40

    run(tmp_path, scenario)


def test_two_processes_may_make_the_index_at_once(tmp_path: Path) -> None:
    code = """
sys.stdin.readline()
asyncio.run(backend.prepare(IndexSpec("embedder", 3)))
print("made", flush=True)
"""
    with contextlib.ExitStack() as stack:
        children = [stack.enter_context(process(tmp_path, code)) for _ in range(4)]
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        assert [line(child) for child in children] == ["made"] * 4
    assert [path.name for path in tmp_path.iterdir()] == ["tantivy"]
    run(tmp_path, write_one)


# Crashes and damage

WRITE_FOREVER = """
async def main():
    await backend.prepare(IndexSpec("embedder", 3))
    batch = 0
    while True:
        records = [record(f"{batch % 3}-{n}", f"word {batch}", f"{batch % 3}.md") for n in range(100)]
        await backend.upsert(records)
        print(batch, flush=True)
        batch += 1
asyncio.run(main())
"""


@pytest.mark.parametrize("batches", [0, 1, 3, 9, 12])
def test_a_batch_is_there_whole_or_not_at_all_after_a_kill(tmp_path: Path, batches: int) -> None:
    with process(tmp_path, WRITE_FOREVER) as child:
        for _ in range(batches):
            line(child)

    async def scenario(backend: TantivyKeywordBackend) -> None:
        count = await backend.count()
        assert count % 100 == 0
        assert count >= min(batches, 3) * 100
        assert len(await found(backend)) == count
        states = await backend.documents()
        assert {state.records for state in states.values()} <= {100}
        await backend.upsert([record("new", "needle")])
        assert await found(backend, "needle") == ["new"]

    run(tmp_path, scenario)


def damage_nothing_but_the_marker(folder: Path) -> None:
    (folder / "hierdoc.json").unlink()


def garble_the_marker(folder: Path) -> None:
    (folder / "hierdoc.json").write_bytes(b"\xff{")


def another_schema(folder: Path) -> None:
    marker = json.loads((folder / "hierdoc.json").read_text())
    (folder / "hierdoc.json").write_text(json.dumps({**marker, "schema": 0}))


def remove_the_list_of_segments(folder: Path) -> None:
    (folder / "meta.json").unlink()


def garble_the_list_of_segments(folder: Path) -> None:
    (folder / "meta.json").write_text("{}")


def truncate_the_segments(folder: Path) -> None:
    for path in folder.glob("*.store"):
        path.write_bytes(b"")


def remove_the_segments(folder: Path) -> None:
    for path in folder.glob("*.idx"):
        path.unlink()


def empty_the_folder(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


@pytest.mark.parametrize(
    "damage",
    [
        damage_nothing_but_the_marker,
        garble_the_marker,
        another_schema,
        remove_the_list_of_segments,
        garble_the_list_of_segments,
        truncate_the_segments,
        remove_the_segments,
        empty_the_folder,
    ],
)
def test_a_damaged_index_is_refused_and_can_be_reset(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    run(tmp_path, write_one)
    damage(tmp_path / "tantivy")
    with pytest.raises((IndexDamagedError, IndexMismatchError)) as caught:
        run(tmp_path, found)
    assert str(tmp_path / "tantivy") in str(caught.value)
    assert caught.value.hint
    assert run(tmp_path, found, reset=True) == []
    run(tmp_path, write_one)
    assert run(tmp_path, found) == ["a"]
    assert [path.name for path in tmp_path.iterdir()] == ["tantivy"]


def test_only_the_owner_may_read_a_new_index(tmp_path: Path) -> None:
    run(tmp_path / "new", write_one)
    for folder in (tmp_path / "new", tmp_path / "new" / "tantivy"):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_flipped_bit_anywhere_in_a_segment_is_noticed(tmp_path: Path) -> None:
    run(tmp_path, write_one)
    for file in sorted((tmp_path / "tantivy").glob("*.*")):
        content = file.read_bytes()
        if file.suffix == ".json" or not content:
            continue
        file.write_bytes(bytes([content[0] ^ 4]) + content[1:])
        with pytest.raises(IndexDamagedError, match=file.name):
            run(tmp_path, found)
        file.write_bytes(content)
    assert run(tmp_path, found) == ["a"]


def test_a_panic_is_an_error_of_the_store(tmp_path: Path) -> None:
    class PanicException(BaseException):
        pass

    class Panicking:
        num_docs = 1

        def search(self, *_: object, **__: object) -> None:
            raise PanicException("index out of bounds")

    async def scenario(backend: TantivyKeywordBackend) -> None:
        await write_one(backend)
        assert await found(backend) == ["a"]
        assert backend._view is not None
        object.__setattr__(backend._view, "searcher", Panicking())
        with pytest.raises(IndexDamagedError, match="out of bounds"):
            await found(backend)
        assert await found(backend) == ["a"]

    run(tmp_path, scenario)


def test_an_index_of_another_analysis_is_refused_until_it_is_reset(tmp_path: Path) -> None:
    run(tmp_path, write_one)
    with pytest.raises(IndexMismatchError):
        run(tmp_path, found, language="de")
    assert run(tmp_path, found) == ["a"]
    assert run(tmp_path, found, language="de", reset=True) == []
    assert run(tmp_path, found, language="de") == []


def test_an_index_that_vanishes_while_it_is_open_is_an_error_of_the_store(tmp_path: Path) -> None:
    async def scenario(backend: TantivyKeywordBackend) -> None:
        await write_one(backend)
        shutil.rmtree(tmp_path / "tantivy")
        with pytest.raises(StoreError):
            await found(backend)

    run(tmp_path, scenario)


def test_what_cannot_be_made_is_an_error_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError) as caught:
        run(tmp_path / "file", found)
    assert not isinstance(caught.value, IndexMismatchError)


def test_before_prepare_and_after_aclose_it_says_so(tmp_path: Path) -> None:
    async def scenario() -> None:
        backend = TantivyKeywordBackend(tmp_path)
        with pytest.raises(StoreError, match="not open"):
            await backend.search("word", 1)
        await backend.prepare(SPEC)
        await backend.aclose()
        with pytest.raises(StoreError, match="not open"):
            await backend.upsert([record("a", "word")])

    asyncio.run(scenario())


def test_a_closed_backend_holds_no_file(tmp_path: Path) -> None:
    async def scenario(backend: TantivyKeywordBackend) -> None:
        await write_one(backend)
        assert await found(backend) == ["a"]

    run(tmp_path, scenario)
    this = psutil.Process()
    held = [file.path for file in this.open_files()]
    if hasattr(this, "memory_maps"):
        held += [region.path for region in this.memory_maps()]
    assert [path for path in held if path.startswith(str(tmp_path))] == []


# Numbers


def test_scores_are_those_of_the_in_memory_backend_with_tantivys_constants(tmp_path: Path) -> None:
    words = "the gas fee of base transactions section 203(a)(1) Verträge to a block".split()
    # Below 40 terms Tantivy does not round lengths.
    texts = [
        " ".join(words[(n * k) % len(words)] for k in range(1, 4 + n % 17)) for n in range(150)
    ]
    records = [
        record(f"{n:03d}", text, context=f"{words[n % 7]} {words[n % 3]}")
        for n, text in enumerate(texts)
    ]
    # Tantivy scores a phrase by the text alone: here it is all that is searched, for the name has no word.
    bare = [record(f"{n:03d}", text, source="_.md") for n, text in enumerate(texts)]
    queries = ["gas fee", "base fee of transactions fee", "section 203(a)(1)", "Vertrag"]
    phrases = ["gas fee", "the fee", "block", "to a"]

    async def scenario(backend: Any) -> list[dict[str, float]]:
        await backend.upsert(records)
        found = [await backend.search(query, 1000) for query in queries]
        await backend.delete_documents([records[0].chunk.source])
        await backend.upsert(bare)
        found += [await backend.search_phrase(phrase, 1000) for phrase in phrases]
        assert all(found)
        return [{match.chunk_id: match.score for match in one} for one in found]

    expected = asyncio.run(scenario(InMemoryKeywordBackend(k1=1.2, b=0.75)))
    for ours, theirs in zip(run(tmp_path, scenario), expected, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-5)


def test_of_too_many_terms_the_rarest_count(tmp_path: Path) -> None:
    async def scenario(backend: TantivyKeywordBackend) -> None:
        text = " ".join(f"w{n}" for n in range(1500))
        await backend.upsert([record("all", text), record("all again", text)])
        await backend.upsert([record(f"common {n}", "common") for n in range(9)])
        await backend.upsert([record("rare", "rare")])
        query = f"common {text} rare"
        ids = await found(backend, query)
        assert "rare" in ids
        assert not any(one.startswith("common") for one in ids)

    run(tmp_path, scenario)


@pytest.mark.nightly
def test_documents_are_counted_exactly_however_many_there_are(tmp_path: Path) -> None:
    async def scenario(backend: TantivyKeywordBackend) -> None:
        await backend.upsert([record(str(n), "word", f"{n % 80_000}.md") for n in range(100_000)])
        await backend.delete_documents(["7.md"])
        states = await backend.documents()
        assert len(states) == 79_999
        assert sum(state.records for state in states.values()) == await backend.count() == 99_998
        assert len(await backend.search("word", 3, Equals("source", "9.md"))) == 2

    run(tmp_path, scenario)


def test_a_file_that_a_killed_writer_left_in_the_way_is_swept_aside(tmp_path: Path) -> None:
    async def run() -> None:
        backend = TantivyKeywordBackend(tmp_path)
        await backend.prepare(SPEC)
        await backend.upsert([record("a", "harbour"), record("b", "harbour")])
        folder = tmp_path / "tantivy"
        before = set(folder.iterdir())
        saved = {path: path.read_bytes() for path in before}
        await backend.upsert([record("a", "berth")])
        (deletions,) = (
            path.name for path in set(folder.iterdir()) - before if path.suffix == ".del"
        )
        await backend.aclose()
        for (
            path
        ) in folder.iterdir():  # back to the commit before, but for the file that marks deletions
            path.unlink()
        for path, content in saved.items():
            path.write_bytes(content)
        (folder / deletions).write_bytes(b"half written")
        backend = TantivyKeywordBackend(tmp_path)
        await backend.prepare(SPEC)
        await backend.upsert([record("a", "berth")])
        assert [match.chunk_id for match in await backend.search("harbour", 10)] == ["b"]
        assert [match.chunk_id for match in await backend.search("berth", 10)] == ["a"]
        await backend.aclose()

    asyncio.run(run())


def test_replacing_a_document_drops_its_other_records_in_the_same_commit(tmp_path: Path) -> None:
    async def replace(backend: TantivyKeywordBackend) -> None:
        await backend.upsert(
            [record("a", "harbour"), record("b", "harbour"), record("c", "harbour", "other.md")]
        )
        await backend.replace_documents([record("a", "berth")])
        assert [match.chunk_id for match in await backend.search("harbour", 10)] == ["c"]
        assert [match.chunk_id for match in await backend.search("berth", 10)] == ["a"]

    run(tmp_path, replace)
