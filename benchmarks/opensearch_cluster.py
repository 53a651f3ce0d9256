"""Three nodes of OpenSearch: ingest and hybrid search by one process and by four at once, through hierdoc's protocol.

    python benchmarks/opensearch_cluster.py [--chunks 100000] [--shards 3] [--replicas 1] [--quick]

The nodes run on this machine, so they share its processors with the processes that ask them: take ratios. Each process has a share of the
documents and writes them in batches as an ingest does, into one index; then all ask it the same questions, in turns of one process and of four.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from bench_backends import corpus
from common import HERE, Report, runner, skip
from stores import BATCH, LIMIT, WEIGHTS, Vector, loaded

from hierdoc.plugin import IndexSpec, Record
from hierdoc_opensearch import OpenSearchVectorConfig

CLIENTS = (1, 4)
TURNS = 3
SPEC = IndexSpec("benchmark", 384)

_forked = multiprocessing.get_context("fork")


def main() -> None:
    """Fill one index by each number of processes, ask the last, and tell."""
    options = _options()
    report = Report("opensearch_cluster", "Three nodes of OpenSearch.", ["opensearch-py"])
    with tempfile.TemporaryDirectory() as folder, runner() as run:
        records, asked = corpus(run, Path(folder), options.chunks)
        with three_nodes(Path(folder)) as urls:

            def configured(clients: int) -> OpenSearchVectorConfig:
                return OpenSearchVectorConfig.model_validate(
                    {
                        "url": urls,
                        "collection": f"by-{clients}",
                        "shards": options.shards,
                        "replicas": options.replicas,
                        "timeout": 300,
                    }
                )

            rows = []
            for clients in CLIENTS:
                config = configured(clients)
                run(_prepared(config))
                parts = [records[start::clients] for start in range(clients)]
                spans = at_once(_fill, [(config, part) for part in parts])
                seconds = max(end for _, end, _ in spans) - min(start for start, _, _ in spans)
                cpu = sum(used for _, _, used in spans)
                rows.append(
                    {
                        "processes": clients,
                        "chunks/s": len(records) / seconds,
                        "their CPU ms a chunk": 1000 * cpu / len(records),
                    }
                )
                print(f"{clients}: {seconds:.0f} s", flush=True)
            note = f"{options.shards} shards, {options.replicas} replica, batches of {BATCH}, visible at once"
            report.table(f"Ingest of {len(records):,} chunks", rows, note)
            rounds: dict[int, list[tuple[float, list[float]]]] = {
                clients: [] for clients in CLIENTS
            }
            questions = list(zip(asked.texts, asked.vectors, strict=True))
            for _ in range(TURNS):
                for clients in CLIENTS:
                    told = at_once(_ask, [(config, questions)] * clients)
                    seconds = max(end for _, end, _ in told) - min(start for start, _, _ in told)
                    times = [one for *_, each in told for one in each]
                    rounds[clients].append((len(times) / seconds, times))
            rows = [
                {
                    "processes": clients,
                    "p50 ms": median(time for _, times in turns for time in times),
                    "searches/s": median(rate for rate, _ in turns),
                }
                for clients, turns in rounds.items()
            ]
            note = f"limit {LIMIT}, fused by the cluster; medians of {TURNS} turns of {len(questions)} questions each"
            report.table("Hybrid search", rows, note)
    report.save()


async def _prepared(config: OpenSearchVectorConfig) -> None:
    backend = _backend(config)
    await backend.prepare(SPEC)
    await backend.aclose()


def at_once(work: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
    """What `work` gives in as many processes as there are arguments, all begun at the same time.

    They are forked, so nothing that they are given is copied.
    """
    begin, told = _forked.Barrier(len(arguments)), _forked.SimpleQueue()

    def child(one: tuple[Any, ...]) -> None:
        told.put(asyncio.run(work(begin, *one)))

    processes = [_forked.Process(target=child, args=(one,)) for one in arguments]
    for process in processes:
        process.start()
    outcomes = [told.get() for _ in processes]
    for process in processes:
        process.join()
    return outcomes


async def _fill(
    begin: Any, config: OpenSearchVectorConfig, records: Sequence[Record]
) -> tuple[float, float, float]:
    """When it began and ended, and the processor's seconds that it took."""
    backend = _backend(config)
    await backend.prepare(SPEC)
    begin.wait()
    started, used = time.monotonic(), time.process_time()
    for start in range(0, len(records), BATCH):
        await backend.upsert(records[start : start + BATCH])
    ended = time.monotonic(), time.process_time() - used
    await backend.aclose()
    return started, *ended


async def _ask(
    begin: Any, config: OpenSearchVectorConfig, questions: Sequence[tuple[str, Vector]]
) -> tuple[float, float, list[float]]:
    """When it began and ended, and the milliseconds of each search."""
    backend = _backend(config)
    await backend.prepare(SPEC)
    await backend.hybrid_search(*questions[0], LIMIT, WEIGHTS)
    begin.wait()
    started, times = time.monotonic(), []
    for text, vector in questions:
        asked = time.perf_counter()
        await backend.hybrid_search(text, vector, LIMIT, WEIGHTS)
        times.append((time.perf_counter() - asked) * 1000)
    ended = time.monotonic()
    await backend.aclose()
    return started, ended, times


def _backend(config: OpenSearchVectorConfig) -> Any:
    from hierdoc_opensearch.vector import OpenSearchVectorBackend

    return OpenSearchVectorBackend(config)


@contextmanager
def three_nodes(folder: Path) -> Iterator[list[str]]:
    """The addresses of three nodes of one cluster, each a process of its own."""
    servers = loaded(HERE.parent / "tests" / "servers.py")
    folders = [folder / f"node-{number}" for number in range(3)]
    cluster = ",".join(str(servers.ports(one, 2)[1]) for one in folders)
    given = {"OPENSEARCH_CLUSTER": cluster, "OPENSEARCH_HEAP": "1g"}
    nodes = [servers.Server("opensearch", one, **given) for one in folders]
    try:
        with ThreadPoolExecutor(3) as pool:  # none answers before two are there
            list(pool.map(lambda node: node.start(), nodes))
        yield [node.url for node in nodes]
    except servers.UnavailableError as error:
        skip(str(error))
    finally:
        for node in nodes:
            node.stop()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--shards", type=int, default=3)
    parser.add_argument("--replicas", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="1,000 chunks; shows that it runs")
    options = parser.parse_args()
    if options.quick:
        options.chunks = 1_000
    return options


if __name__ == "__main__":
    main()
