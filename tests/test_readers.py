"""While an ingest runs, other processes find every document, old or new, in each leg, or their results say what is missing."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hierdoc import AsyncIndex

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


if __name__ == "__main__":
    asyncio.run(read_until_told(sys.argv[1]))
