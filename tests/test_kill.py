"""Kill an ingest at any moment; the next one makes an index that equals one built from scratch.

Three kills by default, 200 in `nox -s nightly`; HIERDOC_KILLS asks for another number, HIERDOC_KILL_SEED for another course of events.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from hierdoc import AsyncIndex

KILLS = int(os.environ.get("HIERDOC_KILLS", "3"))
SEED = int(os.environ.get("HIERDOC_KILL_SEED", "1"))

INGEST = """
import sys
from hierdoc import Index

def progress(done, total, name):
    if done == 1:
        print("begun", flush=True)

with Index.open(sys.argv[1]) as index:
    index.ingest(progress=progress)
print("done", flush=True)
"""

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


def configure(folder: Path, corpus: Path) -> Path:
    folder.mkdir()
    file = folder / "hierdoc.yaml"
    file.write_text(f"source: {os.path.relpath(corpus, folder)}\n")
    return file


async def contents(config: Path) -> dict[str, Any]:
    """All that an up-to-date index holds, comparable with another's."""
    async with AsyncIndex.open(config) as index:
        report = await index.ingest()
        assert not report.failures
        components = index._components
        assert components.keyword is not None
        records = {}
        async for page in components.vector.scan(vectors=True):
            for record in page:
                assert record.id not in records
                assert record.vector is not None
                records[record.id] = (record.payload(), record.vector.tobytes())
        found = {
            word: {match.chunk_id for match in await components.keyword.search(word, 10_000)}
            for word in WORDS
        }
        return {
            "records": records,
            "documents": await index.documents(),
            "keyword": await components.keyword.documents(),
            "found": found,
        }


def kill_at(config: Path, seconds: float) -> bool:
    """Start an ingest in another process and kill it so long after it begins; whether it was still running."""
    with subprocess.Popen(
        [sys.executable, "-c", INGEST, str(config)], stdout=subprocess.PIPE, text=True
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


def test_an_index_survives_kills(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    corpus = Corpus(tmp_path / "corpus", chance)
    whole = duration(configure(tmp_path / "measured", corpus.folder))
    tortured = configure(tmp_path / "tortured", corpus.folder)
    interrupted = 0
    for number in range(KILLS):
        interrupted += kill_at(tortured, chance.uniform(0, whole))
        fresh = configure(tmp_path / f"fresh-{number}", corpus.folder)
        assert asyncio.run(contents(tortured)) == asyncio.run(contents(fresh)), f"kill {number}"
        corpus.change()
    assert interrupted >= KILLS / 4, "too few kills hit a running ingest to mean anything"
