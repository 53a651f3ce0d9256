"""Kill an ingest at any moment; the next one makes an index that equals one built from scratch, also in its ranks.

Three kills of the default stores by default, 1,000 of all embedded ones in `nox -s nightly`. HIERDOC_KILLS asks for another number of each,
HIERDOC_KILL_SEED for another course of events.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hierdoc import AsyncIndex
from hierdoc.plugin import SupportsDeletedCount

KILLS = int(os.environ.get("HIERDOC_KILLS", "3"))
SEED = int(os.environ.get("HIERDOC_KILL_SEED", "1"))

INGEST = """
import sys
from hierdoc import Index
from hierdoc.ingest import pipeline

pipeline._EMBED_AT, pipeline._INDEX_AT = 32, 128  # so that it writes often

def progress(done, total, name):
    if done == 1:
        print("begun", flush=True)

with Index.open(sys.argv[1]) as index:
    index.ingest(progress=progress, force=len(sys.argv) > 2)
print("done", flush=True)
"""

STORES: Mapping[str, Mapping[str, Any]] = {
    "defaults": {},
    "faiss": {"vector": {"provider": "faiss", "path": ".hierdoc"}},
    "lancedb": {"vector": {"provider": "lancedb", "path": ".hierdoc"}},
    "qdrant": {"vector": {"provider": "qdrant", "path": ".hierdoc"}},
    "chromadb": {"vector": {"provider": "chromadb", "path": ".hierdoc"}},
}
"""What is configured, by name: all embedded stores."""

ROOM = 10_000_000
"""Bytes that an index may take beyond a few times what it takes if it is made at once: logs, and versions that readers may use."""

WORDS = "duty report agency importer permit hearing appeal notice penalty register licence".split()


class Corpus:
    """A folder of documents that changes at random, reproducibly."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder = folder
        self.chance = chance
        folder.mkdir()
        for number in range(60):
            self.write(number)

    def write(self, number: int) -> None:
        sections = []
        for section in range(1, self.chance.randint(2, 30)):
            words = " ".join(self.chance.choices(WORDS, k=self.chance.randint(5, 60)))
            sections.append(f"## Section {section}\n\nThe {words} of document {number}.\n")
        text = f"# Act {number}\n\n" + "\n".join(sections)
        (self.folder / f"act-{number:02}.md").write_text(text)

    def change(self) -> None:
        """Rewrite, remove and add some documents."""
        for number in self.chance.sample(range(60), k=25):
            file = self.folder / f"act-{number:02}.md"
            if file.exists() and self.chance.random() < 0.3:
                file.unlink()
            else:
                self.write(number)


def configure(folder: Path, corpus: Path, stores: Mapping[str, Any]) -> Path:
    folder.mkdir()
    file = folder / "hierdoc.yaml"
    file.write_text(json.dumps({"source": os.path.relpath(corpus, folder), **stores}))
    return file


async def contents(config: Path) -> dict[str, Any]:
    """All that an up-to-date index holds, comparable with another's."""
    async with AsyncIndex.open(config) as index:
        report = await index.ingest()
        assert not report.failures
        components = index._components
        keyword = components.keyword
        assert keyword is not None
        records = {}
        async for page in components.vector.scan(vectors=True):
            for record in page:
                assert record.id not in records
                assert record.vector is not None
                records[record.id] = (record.payload(), record.vector.tobytes())
        found = {word: await keyword.search(word, 10_000) for word in WORDS}
        is_pure = not isinstance(keyword, SupportsDeletedCount) or not await keyword.deleted()
        return {
            "records": records,
            "documents": await index.documents(),
            "keyword": await keyword.documents(),
            "found": {word: {match.chunk_id for match in found[word]} for word in WORDS},
            "ranks": [
                [(one.chunk_id, round(one.score, 4)) for one in found[word]] for word in WORDS
            ]
            if is_pure
            else None,
        }


def size(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def kill_at(config: Path, seconds: float, *, force: bool = False) -> bool:
    """Start an ingest in another process and kill it so long after it begins; whether it was still running."""
    options = ["--force"] if force else []
    with subprocess.Popen(
        [sys.executable, "-c", INGEST, str(config), *options], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        begun = process.stdout.readline()
        time.sleep(seconds)
        running = process.poll() is None
        process.kill()
        assert begun == "begun\n"
    return running


def duration(config: Path) -> float:
    """Seconds from the beginning to the end of a whole ingest in another process."""
    with subprocess.Popen(
        [sys.executable, "-c", INGEST, str(config)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        started = time.perf_counter()
        process.wait()
        return time.perf_counter() - started


@pytest.mark.parametrize(
    "stores",
    [one if one == "defaults" else pytest.param(one, marks=pytest.mark.nightly) for one in STORES],
)
def test_an_index_survives_kills(
    tmp_path: Path, stores: str, count_faults: Callable[[str, int, int], None]
) -> None:
    chance = random.Random(SEED)
    corpus = Corpus(tmp_path / "corpus", chance)
    whole = duration(configure(tmp_path / "measured", corpus.folder, STORES[stores]))
    tortured = configure(tmp_path / "tortured", corpus.folder, STORES[stores])
    interrupted = compared = 0
    wrong = []
    for number in range(KILLS):
        force = chance.random() < 0.2
        interrupted += kill_at(tortured, chance.uniform(0, whole), force=force)
        fresh = configure(tmp_path / "fresh", corpus.folder, STORES[stores])
        found, wanted = asyncio.run(contents(tortured)), asyncio.run(contents(fresh))
        if found["ranks"] is None:
            wanted["ranks"] = None
        compared += found["ranks"] is not None
        wrong += [f"kill {number}: other {name}" for name in wanted if found[name] != wanted[name]]
        if size(tortured.parent) > 5 * size(fresh.parent) + ROOM:
            wrong.append(f"kill {number}: {size(tortured.parent):,} bytes")
        shutil.rmtree(fresh.parent)
        corpus.change()
    count_faults(f"kill, {stores}", interrupted, len({one.partition(":")[0] for one in wrong}))
    assert not wrong, "\n".join(wrong)
    assert interrupted >= KILLS / 4, "too few kills hit a running ingest to mean anything"
    assert compared >= KILLS / 4, "the ranks of too few were compared to mean anything"
