"""Damage the files of an index at any place: answers are right, an error of ours says what is wrong, or an ingest repairs it.

A dozen faults by default, many in `nox -s nightly`; HIERDOC_FAULTS asks for another number, HIERDOC_FAULT_SEED for other places.
Each runs in a process of several, so that a crash or a hang is one failure and not the end of the tests.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hierdoc import AsyncIndex, HierdocError

FAULTS = int(os.environ.get("HIERDOC_FAULTS", "12"))
SEED = int(os.environ.get("HIERDOC_FAULT_SEED", "1"))
AT_ONCE = 30

WORDS = "duty report agency importer permit hearing appeal notice penalty register licence".split()
QUERIES = (
    ("duty report of the importer", "hybrid"),
    ("appeal hearing licence", "keyword"),
    ("penalty notice", "semantic"),
    ("Section 3", "exact"),
    ('"of document 7"', "hybrid"),
)
STORES: dict[str, dict[str, Any]] = {
    "defaults": {},
    "faiss": {"vector": "faiss"},
    "lancedb": {"vector": "lancedb", "search": {"hybrid": "fallback"}},
    "qdrant": {
        "vector": {"provider": "qdrant", "path": ".hierdoc"},
        "search": {
            "hybrid": "fallback"
        },  # an index that was made anew fuses equals in another order
    },
    "chromadb": {"vector": "chromadb"},
    "milvus": {
        "vector": {"provider": "milvus", "path": ".hierdoc"},
        "search": {"hybrid": "fallback"},
    },
}
"""What is configured, by name."""


def make_index(folder: Path, stores: dict[str, Any]) -> None:
    """An index of a dozen documents that was changed once, so that it has what was deleted too."""
    chance = random.Random(0)
    corpus = folder / "corpus"
    corpus.mkdir(parents=True)
    (folder / "hierdoc.yaml").write_text(json.dumps({"source": "corpus", **stores}))

    def write(number: int) -> None:
        sections = [
            f"## Section {section}\n\nThe {' '.join(chance.choices(WORDS, k=60))} of document {number}.\n"
            for section in range(1, 12)
        ]
        (corpus / f"act-{number}.md").write_text(f"# Act {number}\n\n" + "\n".join(sections))

    async def ingest() -> None:
        async with AsyncIndex.open(folder / "hierdoc.yaml") as index:
            assert not (await index.ingest()).failures

    for number in range(12):
        write(number)
    asyncio.run(ingest())
    for number in range(3):
        write(number)
    asyncio.run(ingest())


def damage(folder: Path, seed: int) -> str:
    """Spoil one file below a folder at one place; what was done."""
    chance = random.Random(seed)
    files = sorted(
        file
        for file in folder.rglob("*")
        if file.is_file() and file.stat().st_size and not file.name.endswith((".lock", "-shm"))
    )
    file = chance.choice(files)
    data = bytearray(file.read_bytes())
    place = chance.randrange(len(data))
    kind = chance.choice(("flip", "zero", "page"))
    if kind == "flip":
        data[place] ^= 1 << chance.randrange(8)
    else:
        size = 512 if kind == "zero" else 16_384
        start = place - place % size
        data[start : start + size] = bytes(len(data[start : start + size]))
    file.write_bytes(data)
    return f"fault {seed}: {kind} at {place} of {file.relative_to(folder)}"


async def answers(config: Path) -> dict[str, list[Any]]:
    """What the queries find, hits by query; nothing that is degraded passes for an answer."""
    found: dict[str, list[Any]] = {}
    async with AsyncIndex.open(config) as index:
        for query, mode in QUERIES:
            result = await index.search(query, mode=mode)
            name = f"{mode}: {query}"
            found[name] = [[hit.chunk.id, hit.chunk.source, hit.chunk.text] for hit in result.hits]
            if result.degraded:
                found[name] = ["degraded", *(one.reason for one in result.degraded)]
    return found


async def held_texts(config: Path) -> dict[str, list[str]]:
    """Source and text of all chunks by id."""
    async with AsyncIndex.open(config) as index:
        return {chunk.id: [chunk.source, chunk.text] for chunk in await index.chunks()}


async def attempt(folder: Path, seed: int) -> dict[str, Any]:
    """Damage a copy of an index and use it; what became of each step."""
    config = folder / "hierdoc.yaml"
    told: dict[str, Any] = {"what": damage(folder / ".hierdoc", seed)}
    for step in ("search", "ingest", "search again"):
        try:
            if step == "ingest":
                async with AsyncIndex.open(config) as index:
                    report = await index.ingest()
                told[step] = report.to_dict()
            else:
                told[step] = await answers(config)
        except HierdocError as error:
            told[step] = {"error": str(error), "hint": error.hint}
        except BaseException as error:  # reported: also what libraries derive from it
            told[step] = {"bug": f"{type(error).__name__}: {error}"}
    return told


def attempts(pristine: Path, folder: Path, seeds: list[int]) -> Iterator[dict[str, Any]]:
    """What became of these faults, found out by another process."""
    left = list(seeds)
    while left:
        command = [sys.executable, __file__, str(pristine), str(folder), *map(str, left)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=120 + 20 * len(left), check=False
            )
            printed, ended = done.stdout, f"ended with {done.returncode}: {done.stderr[-500:]}"
        except subprocess.TimeoutExpired as error:
            printed, ended = (error.stdout or b"").decode(), "hangs"
        told = [json.loads(line) for line in printed.splitlines()]
        yield from told
        left = left[len(told) :]
        if left:
            yield {"what": f"fault {left.pop(0)}", "process": {"bug": ended}}


def faults_in(
    told: dict[str, Any], truth: dict[str, Any], texts: dict[str, list[str]]
) -> list[str]:
    """What is not allowed of what became of a fault."""
    wrong = [
        f"{step}: {outcome['bug']}"
        for step, outcome in told.items()
        if isinstance(outcome, dict) and "bug" in outcome
    ]
    for step in ("search", "search again"):
        outcome = told.get(step, {})
        if "error" in outcome and outcome["hint"] is None:
            wrong.append(f"{step}: no way out of {outcome['error']}")
        for query, hits in outcome.items():
            if query not in truth or hits[:1] == ["degraded"] or hits == truth[query]:
                continue
            altered = [one for one, *text in hits if texts.get(one) != text]
            wrong.append(f"{step}: {'altered text' if altered else 'another answer'} to {query}")
    return wrong


@pytest.mark.parametrize(
    "stores",
    [one if one == "defaults" else pytest.param(one, marks=pytest.mark.nightly) for one in STORES],
)
def test_damage_is_noticed_or_repaired(
    tmp_path: Path, stores: str, count_faults: Callable[[str, int, int], None]
) -> None:
    pristine = tmp_path / "pristine"
    make_index(pristine, STORES[stores])
    truth = asyncio.run(answers(pristine / "hierdoc.yaml"))
    assert all(hits and hits[0] != "degraded" for hits in truth.values()), truth
    texts = asyncio.run(held_texts(pristine / "hierdoc.yaml"))
    wrong = []
    for start in range(0, FAULTS, AT_ONCE):
        seeds = [SEED * 1_000_000 + number for number in range(start, min(start + AT_ONCE, FAULTS))]
        for told in attempts(pristine, tmp_path / "damaged", seeds):
            wrong += [f"{told['what']}: {one}" for one in faults_in(told, truth, texts)]
    count_faults(f"damaged file, {stores}", FAULTS, len({one.partition(":")[0] for one in wrong}))
    assert not wrong, "\n".join(wrong)


def main(pristine: str, folder: str, *seeds: str) -> None:
    """Print what becomes of each fault, a line of JSON each."""
    for seed in seeds:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(pristine, folder)
        print(json.dumps(asyncio.run(attempt(Path(folder), int(seed)))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
