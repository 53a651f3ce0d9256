"""While an ingest runs, other processes find every document, old or new, in each leg, or their results say what is missing."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hierdoc import AsyncIndex, HierdocError

DOCUMENTS = 24
ROUNDS = int(os.environ.get("HIERDOC_ROUNDS", "2"))
MODES = ("keyword", "semantic", "hybrid", "exact")
NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()

STORES: Mapping[str, Mapping[str, Any]] = {
    "defaults": {},
    "faiss": {"vector": {"provider": "faiss", "path": ".hierdoc"}},
    "lancedb": {"vector": {"provider": "lancedb", "path": ".hierdoc"}},
}
"""What is configured, by name: the stores in which several processes may search while one writes."""


def keyword_of(number: int) -> str:
    """A word that only this document has."""
    return f"harbour{NUMBERS[number // 12]}{NUMBERS[number % 12]}"


def write(corpus: Path, version: int) -> None:
    """Every document with other text than in other versions, but for the first section."""
    for number in range(DOCUMENTS):
        word = keyword_of(number)
        sections = [f"## Section 1\n\nThe {word} stays as it is.\n"]
        sections += [
            f"## Section {one}\n\nThe {word} has a berth {version} of length {one * version}.\n"
            for one in range(2, 12)
        ]
        (corpus / f"act-{number}.md").write_text(f"# Act {number}\n\n" + "\n".join(sections))


async def ingest(config: Path, *, force: bool = False) -> Any:
    async with AsyncIndex.open(config) as index:
        report = await index.ingest(force=force)
        assert not report.failures
        return report


def make_index(folder: Path, stores: Mapping[str, Any]) -> Path:
    (folder / "corpus").mkdir()
    config = folder / "hierdoc.yaml"
    config.write_text(json.dumps({"source": "corpus", **stores}))
    write(folder / "corpus", 0)
    asyncio.run(ingest(config))
    return config


def ingest_elsewhere(config: Path) -> None:
    """What a person does in another window."""
    command = [sys.executable, "-m", "hierdoc", "ingest", "--config", str(config)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)


class Reader:
    """Another process that searches all documents in all modes until it is told to end."""

    def __init__(self, config: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(config)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def end(self) -> dict[str, int]:
        """How many searches it made, by what became of them."""
        out, _ = self._process.communicate("\n", timeout=60)
        assert self._process.returncode == 0
        told: dict[str, int] = json.loads(out)
        return told


def asked(mode: str, number: int) -> tuple[str, int]:
    """A query that a document answers, and among how many hits it is to be."""
    word = keyword_of(number)
    if mode == "semantic":  # the model does not know the word
        return f"Act {number}", 100
    return (f'"{word} has a berth"' if mode == "exact" else f"{word} berth"), 10


async def read_until_told(config: str) -> None:
    """Search in turn for what each document has; print what became of the searches."""
    told: Counter[str] = Counter()
    ended = asyncio.create_task(asyncio.to_thread(sys.stdin.readline))
    async with AsyncIndex.open(config) as index:
        await index.search("berth")
        print("ready", flush=True)
        number = 0
        while not ended.done():
            number = (number + 1) % DOCUMENTS
            for mode in MODES:
                query, top_k = asked(mode, number)
                result = await index.search(query, mode=mode, top_k=top_k)
                told[mode] += 1
                if result.degraded:
                    told[f"{mode} degraded"] += 1
                elif f"corpus/act-{number}.md" not in {hit.chunk.source for hit in result.hits}:
                    told[f"{mode} missing"] += 1
                await asyncio.sleep(0)
    print(json.dumps(told))


@pytest.mark.parametrize(
    "stores",
    [one if one == "defaults" else pytest.param(one, marks=pytest.mark.nightly) for one in STORES],
)
def test_no_document_is_missed_while_all_are_replaced(
    tmp_path: Path, stores: str, count_faults: Callable[[str, int, int], None]
) -> None:
    config = make_index(tmp_path, STORES[stores])
    reader = Reader(config)
    for version in range(1, ROUNDS + 1):
        write(tmp_path / "corpus", version)
        asyncio.run(ingest(config, force=version % 2 == 0))
    told = reader.end()
    missing = sum(count for name, count in told.items() if name not in MODES)
    count_faults(f"search during ingest, {stores}", sum(told[mode] for mode in MODES), missing)
    assert all(told[mode] > 4 for mode in MODES), told
    assert not missing, told


@pytest.mark.parametrize(
    "stores",
    [one if one == "defaults" else pytest.param(one, marks=pytest.mark.nightly) for one in STORES],
)
def test_what_another_process_ingests_is_known_by_its_name(tmp_path: Path, stores: str) -> None:
    """A query that names a document is about that one alone, also where it came or went while the index was open."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    config = tmp_path / "hierdoc.yaml"
    config.write_text(json.dumps({"source": "corpus", **STORES[stores]}))

    def write(name: str) -> None:
        text = f"# {name} report\n\n## Lamps\n\nLamps burn from dusk to dawn.\n"
        (corpus / f"{name}-2021.md").write_text(text)

    async def named(index: AsyncIndex, name: str) -> set[str]:
        result = await index.search(f"when did the lamps of {name} burn")
        assert not result.degraded
        return {Path(hit.chunk.source).stem.removesuffix("-2021") for hit in result.hits}

    async def named_at_last(index: AsyncIndex, name: str, expected: set[str]) -> None:
        """The index may take a moment to look, but no more."""
        deadline = time.monotonic() + 20
        while (found := await named(index, name)) != expected:
            assert time.monotonic() < deadline, found
            await asyncio.sleep(0.02)

    async def use() -> None:
        for name in ("Quay", "Pier", "Berth"):
            write(name)
        ingest_elsewhere(config)
        held = {"Quay", "Pier", "Berth"}
        async with AsyncIndex.open(config) as index:
            assert await named(index, "Quay") == {"Quay"}
            assert await named(index, "Wharf") == held
            write("Wharf")
            ingest_elsewhere(config)
            await named_at_last(index, "Wharf", {"Wharf"})
            (corpus / "Wharf-2021.md").unlink()
            ingest_elsewhere(config)
            await named_at_last(index, "Wharf", held)

    asyncio.run(use())


@pytest.mark.parametrize(
    "stores",
    [one if one == "defaults" else pytest.param(one, marks=pytest.mark.nightly) for one in STORES],
)
def test_an_index_that_is_deleted_is_missed_and_found_again(tmp_path: Path, stores: str) -> None:
    """What was deleted is not answered from, and what another process or this one makes in its place is."""
    config = make_index(tmp_path, STORES[stores])
    acts = sorted((tmp_path / "corpus").iterdir())

    async def found(index: AsyncIndex) -> set[str]:
        result = await index.search("section 1", top_k=100)
        assert not result.degraded
        assert await index.count() == 11 * len(await index.documents())
        return set(await index.documents())

    async def is_missed(index: AsyncIndex) -> None:
        with pytest.raises(HierdocError, match=r"(?i)gone|no such|not found") as raised:
            await index.search("section 1")
        assert raised.value.hint
        with pytest.raises(HierdocError):
            await index.count()

    async def use() -> None:
        async with AsyncIndex.open(config) as index:
            assert len(await found(index)) == DOCUMENTS
            shutil.rmtree(tmp_path / ".hierdoc")
            await is_missed(index)
            acts[0].unlink()
            ingest_elsewhere(config)
            assert len(await found(index)) == DOCUMENTS - 1
            shutil.rmtree(tmp_path / ".hierdoc")
            await is_missed(index)
            acts[1].unlink()
            report = await index.ingest()
            assert len(report.added) == DOCUMENTS - 2
            assert len(await found(index)) == DOCUMENTS - 2
            assert await index.count() == 11 * (DOCUMENTS - 2)

    asyncio.run(use())


if __name__ == "__main__":
    asyncio.run(read_until_told(sys.argv[1]))
