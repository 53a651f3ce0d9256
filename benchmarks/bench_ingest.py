"""Ingest: chunks per second without embedding and with the static embedder, re-ingest of one changed file, peak memory."""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from common import (
    Report,
    Samples,
    arguments,
    interleaved,
    registry,
    run_measured,
    runner,
    shared,
    unit_vectors,
)
from corpora import Corpus, build
from peers import haystack_ingest

from hierdoc import AsyncIndex

CHUNKS_PER_SECOND = 5_000
REINGEST_RATIO = 2.0
PEAK_MIB = 1024

STORES = {
    "on disk": {"vector": "sqlite", "keyword": "tantivy"},
    "in memory": {"vector": "in-memory", "keyword": "in-memory"},
}


def main() -> None:
    """Measure rates, then a re-ingest, then memory."""
    options = arguments()
    report = Report("ingest", "Ingest of markdown.", ["tantivy", "haystack-ai"])
    with tempfile.TemporaryDirectory() as folder:
        rates(report, Path(folder), *((500, 1) if options.quick else (10_000, 3)))
    with tempfile.TemporaryDirectory() as folder:
        touched(report, Path(folder), 2 if options.quick else 9)
    if not options.quick:
        memory(report)
    report.save()


def rates(report: Report, folder: Path, chunks: int, rounds: int) -> None:
    """Ingest a corpus anew into every kind of index, in turns."""
    corpus = build(folder / "corpus", chunks)
    print(f"\n{corpus}")
    made: dict[str, int] = {}
    calls: dict[str, Callable[[int], object]] = {}
    embedders: dict[str, object] = {"no embedding": {"provider": "table"}, "static": "static"}

    def ours(what: str, embedder: object, stores: Mapping[str, str], number: int) -> None:
        made[what] = ingest_anew(corpus, folder / f"{what} {number}", embedder, stores)

    for label, embedder in embedders.items():
        for name, stores in STORES.items():
            what = f"hierdoc {name}, {label}"
            calls[what] = partial(ours, what, embedder, stores)
    texts = [
        (file.name, file.read_text(encoding="utf-8"))
        for file in sorted(corpus.folder.rglob("*.md"))
    ]
    vectors = unit_vectors(4096, 256, seed=1)
    peer = "Haystack in memory, no embedding"
    calls[peer] = lambda number: made.update({peer: haystack_ingest(texts, vectors)})
    samples = interleaved(calls, rounds)
    report.table(
        f"ingest of {corpus.megabytes:.1f} MB, {len(texts)} files, best of {rounds}",
        [
            {
                "pipeline": name,
                "chunks": made[name],
                "seconds": taken.best / 1000,
                "CPU seconds": min(taken.cpu_milliseconds) / 1000,
                "chunks/s": rate(made[name], taken),
                "MB/s": corpus.megabytes / taken.best * 1000,
            }
            for name, taken in samples.items()
        ],
        "hierdoc's includes the keyword index, sections, citations, definitions, references; Haystack's its own BM25 counts",
    )
    found = rate(made["hierdoc on disk, no embedding"], samples["hierdoc on disk, no embedding"])
    report.target("chunks/s on disk without embedding", found, ">=", CHUNKS_PER_SECOND)


def ingest_anew(corpus: Corpus, folder: Path, embedder: object, stores: Mapping[str, str]) -> int:
    """Make an index of the corpus, and drop it; the number of chunks."""
    index = opened(corpus.folder, folder, embedder, stores)

    async def work() -> int:
        async with index:
            return (await index.ingest()).chunks

    chunks = asyncio.run(work())
    shutil.rmtree(folder, ignore_errors=True)
    return chunks


def opened(source: Path, folder: Path, embedder: object, stores: Mapping[str, str]) -> AsyncIndex:
    """An index of the source in a folder."""
    paths = {
        kind: {"provider": provider} | ({} if provider == "in-memory" else {"path": str(folder)})
        for kind, provider in stores.items()
    }
    return AsyncIndex.open(
        {"source": str(source), "embedder": embedder, **paths}, registry=registry()
    )


def rate(chunks: int, taken: Samples) -> float:
    """Chunks per second."""
    return chunks / taken.best * 1000


def touched(report: Report, folder: Path, rounds: int) -> None:
    """Change one of 100 files and ingest again; beside it, ingest that file alone into an index of its own."""
    files = sorted(shared("technical", "eips").glob("*.md"))[:100]
    source = folder / "source"
    source.mkdir()
    for file in files:
        shutil.copyfile(file, source / file.name)
    middle = sorted(files, key=lambda file: file.stat().st_size)[len(files) // 2].name
    alone = folder / "alone"
    alone.mkdir()
    whole = opened(source, folder / "index", "static", STORES["on disk"])

    def change(number: int) -> None:
        text = (source / middle).read_text(encoding="utf-8").rstrip()
        (source / middle).write_text(f"{text}\n\nRevision {number}.\n", encoding="utf-8")
        shutil.copyfile(source / middle, alone / middle)

    taken: dict[str, list[float]] = {"changed": [], "alone": [], "unchanged": []}
    with runner() as run:
        run(whole.ingest())
        for number in range(rounds):
            change(number)
            again = run(whole.ingest())
            assert (again.counts["updated"], again.counts["unchanged"]) == (1, len(files) - 1)
            own = opened(alone, folder / f"own-{number}", "static", STORES["on disk"])
            run(own.count())  # opens its stores
            taken["changed"].append(again.seconds * 1000)
            taken["alone"].append(run(own.ingest()).seconds * 1000)
            taken["unchanged"].append(run(whole.ingest()).seconds * 1000)
            run(own.aclose())
        run(whole.aclose())
    labels = {
        "changed": f"one of {len(files)} files changed",
        "alone": "that file alone, into an empty index",
        "unchanged": "nothing changed",
    }
    report.table(
        f"re-ingest on disk with the static embedder, milliseconds, {rounds} times",
        [
            {"ingest": labels[name], "best": min(found), "median": median(found)}
            for name, found in taken.items()
        ],
    )
    ratio = min(taken["changed"]) / min(taken["alone"])
    report.target("re-ingest of one file of 100 / that file alone", ratio, "<=", REINGEST_RATIO)


def memory(report: Report) -> None:
    """Peak memory of `hierdoc ingest` as a program of its own."""
    sources = {
        "EIPs, constitutions, German laws": [
            shared("technical", "eips"),
            *sorted(shared("legal").glob("*.md")),
            shared("legal", "de"),
        ],
        "8 filings, PDF by the markitdown plugin": [shared("filings")],
    }
    rows: list[dict[str, Any]] = []
    for name, paths in sources.items():
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder, "hierdoc.yaml")
            chosen = "markitdown" if "filings" in name else "auto"
            listed = "".join(f"  - {path}\n" for path in paths)
            config.write_text(f"source:\n{listed}converter: {chosen}\n", encoding="utf-8")
            command = [sys.executable, "-m", "hierdoc", "ingest", "--json", "--config", str(config)]
            try:
                rows.append({"corpus": name, **run_measured(command)})
            except RuntimeError as error:
                print(f"{name}: {error}")
                continue
    report.table("`hierdoc ingest` with the default stores and embedder", rows)
    for row in rows:
        report.target(f"peak MiB, {row['corpus']}", row["peak_mib"], "<=", PEAK_MIB)


if __name__ == "__main__":
    main()
