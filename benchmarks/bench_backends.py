"""Backends: every store with the same 10,000 chunks and vectors of 384 dimensions, asked through hierdoc's protocols alone.

    python benchmarks/bench_backends.py [--stores sqlite,lancedb] [--only speed|fusion] [--corpora us,gdpr] [--quick]

The vectors are the default embedder's, of 256 dimensions, turned into 384 by a fixed matrix with orthonormal columns: cosines stay
as they are, and work is that of 384. Then native hybrid search beside hierdoc's own fusion and beside its legs, each in the same store.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import tempfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest
from common import HERE, Report, Samples, interleaved, runner, shared, skip, timed
from corpora import build, questions, records_of
from quality_truth import CORPORA, Corpus
from stores import BATCH, DIMENSIONS, LIMIT, SERVERS, SETTLES, STORES, Store, Vector, configured

from hierdoc import AsyncIndex
from hierdoc.models import Mode
from hierdoc.plugin import Capability, Record
from hierdoc_evaluation import (
    Evaluation,
    compare,
    evaluate,
    load_ground_truth,
    make_ground_truth,
)

SLOW = 0.1
"""Seconds; a search that takes longer is done 20 times, others 100."""

GENERATED = 300
"""Questions of the generated ground truth, at most."""

FUSED = ("eips", "gdpr", "us")
"""Corpora of `bench_quality.py` that fusion is measured on."""

WAYS: Mapping[str, Mode] = {
    "native": "hybrid",
    "fused": "hybrid",
    "semantic": "semantic",
    "keyword": "keyword",
}
"""What is compared on them, and the mode of its searches."""

Servers = Mapping[str, Mapping[str, str]]
Run = Callable[[Coroutine[Any, Any, Any]], Any]


@dataclass(frozen=True)
class Asked:
    """The questions, their vectors, and what an exact search finds for each."""

    texts: Sequence[str]
    vectors: Sequence[Vector]
    nearest: Sequence[frozenset[str]]


def main() -> None:
    """Fill every store, ask all of them in turns, reopen, delete; then the quality of fusion."""
    options = _options()
    packages = [
        "tantivy", "qdrant-client", "qdrant-edge-py", "lancedb", "faiss-cpu", "chromadb", "psycopg", "milvus-lite", "pymilvus",
        "weaviate-client", "opensearch-py",
    ]  # fmt: skip
    report = Report("backends", "Backends, each through hierdoc's protocols.", packages)
    failures: dict[str, str] = {}
    # Chroma keeps its folder open until the process ends, so some files may be left to the system's cleaning.
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        runner() as run,
        ExitStack() as services,
    ):
        work, servers = Path(folder), {}
        for provider in SERVERS.keys() & options.stores:
            try:
                servers[provider] = services.enter_context(SERVERS[provider]())
            except (ImportError, OSError, RuntimeError, pytest.fail.Exception) as error:
                failures[provider] = f"{type(error).__name__}: {error}"
        chosen = [name for name in options.stores if name not in failures]
        if options.only != "fusion":
            records, asked = corpus(run, work, 1_000 if options.quick else 10_000)
            speed(report, run, work, chosen, servers, records, asked, failures)
        if options.only != "speed":
            fusion(report, run, work, chosen, servers, options.corpora, options.quick, failures)
    for name, reason in failures.items():
        print(f"left out: {name}: {reason}")
    report.save()


def corpus(run: Run, folder: Path, chunks: int) -> tuple[list[Record], Asked]:
    """The records of all chunks, and what is asked."""
    built = build(folder / "corpus", chunks)
    print(f"\n{built}")
    turned = np.linalg.qr(np.random.default_rng(1).standard_normal((DIMENSIONS, 256)))[0]
    turned = turned.astype(np.float32)

    async def made() -> tuple[list[Record], list[str], list[Vector]]:
        config = {"vector": "in-memory", "keyword": None}
        async with AsyncIndex.open(config, source=built.folder) as index:
            await index.ingest()
            held = await records_of(index)
            texts = questions([record.chunk for record in held], 100)
            embedder = index._components.embedder
            return held, texts, [turned @ await embedder.embed_query(text) for text in texts]

    held, texts, vectors = run(made())
    records = [replace(one, vector=turned @ one.vector) for one in held if one.vector is not None]
    table = np.stack([one.vector for one in records if one.vector is not None])
    nearest = []
    for vector in vectors:
        best = np.argsort(-(table @ vector), kind="stable")[:10]
        nearest.append(frozenset(records[place].id for place in best))
    return records, Asked(texts, vectors, nearest)


def speed(
    report: Report,
    run: Run,
    folder: Path,
    chosen: Sequence[str],
    servers: Servers,
    records: Sequence[Record],
    asked: Asked,
    failures: dict[str, str],
) -> None:
    """Fill, reopen and ask the stores, delete from them, and tell; what fails is named and left out."""
    stores: dict[str, Store] = {}
    slow: dict[str, int] = {}
    for name in chosen:
        place = folder / "".join(filter(str.isalnum, name))
        try:
            store = Store(configured(name, place, servers, "speed"))
            _, store.seconds = timed(partial(run, filled(store, records, asked)))
            run(reopened(store, asked))
            store.calls = calls(run, store, asked)
            for what, call in store.calls.items():
                call(0)
                if timed(partial(call, 1))[1] > SLOW:
                    slow[f"{name}|{what}"] = 20
        except Exception as error:  # named at the end: the others go on
            failures[name] = f"{type(error).__name__}: {error}"
            continue
        stores[name] = store
        print(f"{name}: filled in {store.seconds:.1f} s", flush=True)
    if not stores:
        skip("; ".join(f"{name}: {reason}" for name, reason in failures.items()))
    every = {f"{name}|{what}": call for name in stores for what, call in stores[name].calls.items()}
    samples = interleaved(every, 100, slow, burst=10)
    sources = _typical(records)
    rows = []
    for name, store in stores.items():
        recall = run(_recall(store, asked))
        deleting = [timed(partial(run, store.delete(source)))[1] * 1000 for source in sources]
        run(store.close())
        rows.append(
            {
                "store": name,
                "chunks/s in": len(records) / store.seconds,
                **_medians(name, samples),
                "hybrid CPU ms": samples[f"{name}|hybrid"].cpu,
                "hybrid": "native" if store.native else "fused",
                "recall@10": recall,
                "close ms": store.closing,
                "reopen ms": store.reopening,
                "delete ms": median(deleting),
            }
        )
    report.table(
        f"{len(records):,} chunks, {DIMENSIONS} dimensions",
        rows,
        f"limit {LIMIT}, one process; in: both backends, batches of {BATCH}, to the first answer; reopen: to the first answer; "
        "delete: one document of median size; CPU: of this process; fused: by hierdoc, where the store could; faiss and chromadb have "
        "tantivy beside them; postgres: no fsync",
    )


async def filled(store: Store, records: Sequence[Record], asked: Asked) -> None:
    """Open it, give it everything, wait for an answer."""
    await store.open()
    await store.fill(records)
    await store.hybrid(asked.texts[0], asked.vectors[0])


async def reopened(store: Store, asked: Asked) -> None:
    """Close and open it again, if it keeps what it holds."""
    if not all(Capability.PERSISTENT in backend.capabilities for backend in store.backends):
        return
    loop = asyncio.get_running_loop()
    started = loop.time()
    await store.close()
    closed = loop.time()
    await store.open()
    await store.hybrid(asked.texts[0], asked.vectors[0])
    store.closing, store.reopening = 1000 * (closed - started), 1000 * (loop.time() - closed)


def calls(run: Run, store: Store, asked: Asked) -> Mapping[str, Callable[[int], object]]:
    """The searches that are timed."""

    def dense(number: int) -> object:
        return run(store.vector.search(asked.vectors[number], LIMIT))

    def keyword(number: int) -> object:
        return run(store.keyword.search(asked.texts[number], LIMIT))

    def both(number: int) -> object:
        return run(store.hybrid(asked.texts[number], asked.vectors[number]))

    def fused(number: int) -> object:
        return run(store.fused(asked.texts[number], asked.vectors[number]))

    made: dict[str, Callable[[int], object]] = {"dense": dense, "hybrid": both}
    if store.keyword:
        made["keyword"] = keyword
        if store.native:
            made["fused"] = fused
    return made


def fusion(
    report: Report,
    run: Run,
    folder: Path,
    chosen: Sequence[str],
    servers: Servers,
    corpora: Sequence[str],
    quick: bool,
    failures: dict[str, str],
) -> None:
    """nDCG@10 of native hybrid search, of hierdoc's own fusion, and of the legs alone, in the same store."""
    rows: list[dict[str, object]] = []
    for name in chosen:
        if name in failures or name in ("in-memory", "qdrant, :memory:"):
            continue
        for key in corpora:
            source = shared(*CORPORA[key].path)
            if quick and source.is_dir():
                source = _few(source, folder / key)
            collection = f"fusion{key}"
            place = folder / "".join(filter(str.isalnum, f"{collection} {name}"))
            try:
                configs = configured(name, place, servers, collection)
                rows += run(_fusion(name, CORPORA[key], configs, source, quick))
            except Exception as error:  # as above
                failures[f"{name}, fusion, {key}"] = f"{type(error).__name__}: {error}"
        print(f"{name}: fusion measured", flush=True)
    if rows:
        report.table(
            "native hybrid search beside hierdoc's fusion and beside its legs, nDCG@10",
            rows,
            "whole searches, default settings; the exact leg is part of both fusions and of neither leg; made: citations, quoted phrases, "
            "headings, definitions; low and high: of the difference before them, 95 %, paired bootstrap",
        )


def _few(source: Path, folder: Path) -> Path:
    """Twenty of the files, in a folder."""
    if not folder.is_dir():
        folder.mkdir()
        for file in sorted(source.iterdir())[:20]:
            shutil.copy(file, folder)
    return folder


async def _fusion(
    name: str, corpus: Corpus, configs: Mapping[str, Any], source: Path, quick: bool
) -> list[dict[str, object]]:
    keyword = configs["keyword"] or {"provider": "tantivy", "path": str(configs["place"])}
    config = {"source": str(source), "vector": configs["vector"], "keyword": keyword}
    async with AsyncIndex.open(config) as index:
        if Capability.NATIVE_HYBRID not in index._components.vector.capabilities:
            return []
        await index.ingest()
        chunks = await index.count()
        made = await make_ground_truth(index, 30 if quick else GENERATED)
        phrases = await make_ground_truth(index, 30 if quick else GENERATED, kinds=["phrases"])
    await asyncio.sleep(SETTLES.get(configs["vector"]["provider"], 0))
    sets = {
        "made": [one for one in made if one.expected],
        "phrases, no quotes": [
            replace(one, question=one.question.replace('"', "")) for one in phrases
        ],
    }
    if corpus.given and not quick:
        sets["given"] = list(load_ground_truth(HERE / "questions" / f"{corpus.given}.jsonl"))
    found: dict[str, dict[str, Evaluation]] = {}
    for way, mode in WAYS.items():
        hybrid = "native" if way == "native" else "fallback"
        async with AsyncIndex.open({**config, "search": {"hybrid": hybrid}}) as index:
            found[way] = {one: await evaluate(index, sets[one], mode=mode) for one in sets}
    rows: list[dict[str, object]] = []
    for one, asked in sets.items():
        told = {way: found[way][one].metrics["ndcg@10"] for way in WAYS}
        leg = max(("semantic", "keyword"), key=told.__getitem__)
        row: dict[str, object] = {"store": name, "corpus": corpus.name, "chunks": chunks}
        row |= {"questions": one, "n": len(asked), **told}
        for other in ("fused", leg):
            gain = compare(found[other][one], found["native"][one], "ndcg@10").difference
            label = "leg" if other == leg else other
            row |= {
                f"native - {label}": gain.mean,
                f"low, {label}": gain.low,
                f"high, {label}": gain.high,
            }
        rows.append(row)
    return rows


async def _recall(store: Store, asked: Asked) -> float:
    shares = []
    for vector, nearest in zip(asked.vectors, asked.nearest, strict=True):
        found = {match.chunk_id for match in await store.vector.search(vector, 10)}
        shares.append(len(found & nearest) / len(nearest))
    return float(np.mean(shares))


def _medians(name: str, samples: Mapping[str, Samples]) -> dict[str, float | None]:
    asked = {
        what: samples.get(f"{name}|{what}") for what in ("dense", "keyword", "hybrid", "fused")
    }
    return {f"{what} p50 ms": taken.p50 if taken else None for what, taken in asked.items()}


def _typical(records: Sequence[Record]) -> list[str]:
    """Five documents of about the median number of records."""
    counts: dict[str, int] = {}
    for record in records:
        counts[record.chunk.source] = counts.get(record.chunk.source, 0) + 1
    middle = median(counts.values())
    return sorted(counts, key=lambda source: (abs(counts[source] - middle), source))[:5]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--stores", default="", help="some of: " + "; ".join(STORES))
    parser.add_argument("--corpora", default="", help="for fusion, some of: " + ", ".join(FUSED))
    parser.add_argument("--only", choices=["speed", "fusion"], help="both by default")
    parser.add_argument("--quick", action="store_true", help="shows that it runs, measures nothing")
    options = parser.parse_args()
    wanted = [one.strip() for one in options.stores.split(",") if one.strip()]
    known = [name for name in STORES if not wanted or any(map(name.startswith, wanted))]
    if not known:
        parser.error(f"no store of {', '.join(wanted)}: there are {'; '.join(STORES)}")
    options.stores = known
    corpora = options.corpora.split(",") if options.corpora else FUSED
    options.corpora = [key for key in FUSED if key in corpora]
    return options


if __name__ == "__main__":
    main()
