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
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hierdoc import AsyncIndex
from hierdoc.plugin import SupportsDeletedCount

KILLS = int(os.environ.get("HIERDOC_KILLS", "3"))
SEED = int(os.environ.get("HIERDOC_KILL_SEED", "1"))

INGESTS = """
import os
import sys
from importlib import import_module

from hierdoc import Index
from hierdoc.ingest import pipeline

for name in sys.argv[1:]:
    import_module(name)
pipeline._EMBED_AT, pipeline._INDEX_AT = 32, 128  # so that it writes often

def progress(done, total, name):
    if done == 1:
        print("begun", flush=True)

for line in sys.stdin:
    config, force = line.rstrip().split("\\t")
    child = os.fork()
    if not child:
        print(os.getpid(), flush=True)
        with Index.open(config) as index:
            index.ingest(progress=progress, force=force == "True")
        print("done", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    print("over", flush=True)
"""
"""A process that ingests in children of its own, which need not import anything."""

STORES: Mapping[str, Mapping[str, Any]] = {
    "defaults": {},
    "faiss": {"vector": {"provider": "faiss", "path": ".hierdoc"}},
    "lancedb": {"vector": {"provider": "lancedb", "path": ".hierdoc"}},
    "qdrant": {"vector": {"provider": "qdrant", "path": ".hierdoc"}},
    "chromadb": {"vector": {"provider": "chromadb", "path": ".hierdoc"}},
}
"""What is configured, by name: all embedded stores."""

SHARED: Mapping[str, Sequence[str]] = {
    "defaults": ["hierdoc_sqlite.search", "hierdoc_sqlite.backend", "hierdoc_tantivy.backend"],
    "faiss": ["hierdoc_faiss.backend", "hierdoc_tantivy.backend"],
    "lancedb": ["hierdoc_tantivy.backend"],
    "qdrant": ["hierdoc_qdrant.edge", "hierdoc_tantivy.backend"],
    "chromadb": ["hierdoc_tantivy.backend"],
}
"""Modules that may be imported before a process forks."""

DOCUMENTS = 24
ROOM = 10_000_000
"""Bytes that an index may take beyond a few times what it takes if it is made at once: logs, and versions that readers may use."""

WORDS = "duty report agency importer permit hearing appeal notice penalty register licence".split()


class Corpus:
    """A folder of documents that changes at random, reproducibly."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder = folder
        self.chance = chance
        folder.mkdir()
        for number in range(DOCUMENTS):
            self.write(number)

    def write(self, number: int) -> None:
        sections = []
        for section in range(1, self.chance.randint(2, 16)):
            words = " ".join(self.chance.choices(WORDS, k=self.chance.randint(5, 60)))
            sections.append(f"## Section {section}\n\nThe {words} of document {number}.\n")
        text = f"# Act {number}\n\n" + "\n".join(sections)
        (self.folder / f"act-{number:02}.md").write_text(text)

    def change(self) -> None:
        """Rewrite, remove and add some documents."""
        for number in self.chance.sample(range(DOCUMENTS), k=DOCUMENTS // 2):
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


class Ingests:
    """Ingests in processes that can be killed.

    Args:
        modules: What they share; not those that start threads.
    """

    def __init__(self, modules: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", INGESTS, *modules],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(self, config: Path, seconds: float | None = None, *, force: bool = False) -> float:
        """Run an ingest, and kill it so long after it begins; how long it ran, or 0 where it was over before."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{config}\t{force}\n")
        self._process.stdin.flush()
        child = int(self._line())
        assert self._line() == "begun"
        started = time.perf_counter()
        if seconds is not None:
            time.sleep(seconds)
            with suppress(ProcessLookupError):  # it is over
                os.kill(child, signal.SIGKILL)
        line = self._line()
        if line == "done":
            assert self._line() == "over"
        return time.perf_counter() - started if seconds is None or line == "over" else 0.0

    def end(self) -> None:
        """End the process."""
        self._process.communicate()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip()


@pytest.mark.parametrize(
    "stores",
    [one if one == "defaults" else pytest.param(one, marks=pytest.mark.nightly) for one in STORES],
)
def test_an_index_survives_kills(
    tmp_path: Path, stores: str, count_faults: Callable[[str, int, int], None]
) -> None:
    chance = random.Random(SEED)
    corpus = Corpus(tmp_path / "corpus", chance)
    ingests = Ingests(SHARED[stores])
    whole = ingests.run(configure(tmp_path / "measured", corpus.folder, STORES[stores]))
    tortured = configure(tmp_path / "tortured", corpus.folder, STORES[stores])
    interrupted = compared = 0
    wrong = []
    for number in range(KILLS):
        force = chance.random() < 0.2
        interrupted += ingests.run(tortured, chance.uniform(0, whole), force=force) > 0
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
    ingests.end()
    count_faults(f"kill, {stores}", interrupted, len({one.partition(":")[0] for one in wrong}))
    assert not wrong, "\n".join(wrong)
    assert interrupted >= KILLS / 4, "too few kills hit a running ingest to mean anything"
    assert compared >= KILLS / 4, "the ranks of too few were compared to mean anything"
