"""Three nodes of OpenSearch: ingest and hybrid search by one process and by four at once, and without one of the nodes.

    python benchmarks/opensearch_cluster.py [--chunks 100000] [--shards 3] [--replicas 1] [--no-refresh] [--quick]

The nodes run on this machine, so they share its processors with the processes that ask them: take ratios. Each process has a share of the
documents and writes them in batches as an ingest does, into one index; then all ask it the same questions, in turns of one process and of four.
At last the node that all of them ask is killed, in the middle of an ingest and in the middle of their searches.
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
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from bench_backends import corpus
from common import HERE, Report, runner, skip
from stores import BATCH, LIMIT, WEIGHTS, Vector, loaded

from hierdoc import StoreError
from hierdoc.plugin import IndexSpec, Record
from hierdoc_opensearch import OpenSearchVectorConfig

CLIENTS = (1, 4)
TURNS = 3
WARM_UP = 4_000
"""Chunks that are written first: until Java has compiled what it runs, it takes twice as long."""

SPEC = IndexSpec("benchmark", 384)

_forked = multiprocessing.get_context("fork")


def main() -> None:
    """Fill one index by each number of processes, ask the last, take a node away, and tell."""
    options = _options()
    report = Report("opensearch_cluster", "Three nodes of OpenSearch.", ["opensearch-py"])
    with tempfile.TemporaryDirectory() as folder, runner() as run:
        records, asked = corpus(run, Path(folder), options.chunks)
        questions = list(zip(asked.texts, asked.vectors, strict=True))
        with three_nodes(Path(folder)) as nodes:
            named = partial(_config, [node.url for node in nodes], options)
            run_filled(run, named("warm-up"), records[:WARM_UP], 1)
            filled: dict[str, Any] = {}
            for clients in CLIENTS:
                config = named(f"by-{clients}")
                filled[f"{clients}"] = run_filled(run, config, records, clients)
            rounds: dict[int, list[Any]] = {clients: [] for clients in CLIENTS}
            for _ in range(TURNS):
                for clients in CLIENTS:
                    rounds[clients].append(at_once(_ask, [(config, questions)] * clients))
            half = filled["4"]["seconds"] / 2
            config = named("without")
            filled["4, a node killed half way"] = run_filled(
                run, config, records, 4, lambda: _killed(nodes[0], half)
            )
            nodes[0].start()
            half = median(_span(told) for told in rounds[4]) / 2
            without = at_once(_ask, [(config, questions)] * 4, lambda: _killed(nodes[0], half))
    refresh = "visible at once" if options.refresh else "visible within a second"
    note = f"{options.shards} shards, {options.replicas} replica, batches of {BATCH}, {refresh}"
    report.table(
        f"Ingest of {len(records):,} chunks",
        [{"processes": name, **told} for name, told in filled.items()],
        note,
    )
    rows = [_told(str(clients), turns) for clients, turns in rounds.items()]
    rows.append(_told("4, a node killed half way", [without]))
    note = f"limit {LIMIT}, fused by the cluster; {TURNS} turns of {len(questions)} questions each, one turn without a node"
    report.table("Hybrid search", rows, note)
    report.save()


def run_filled(
    run: Callable[[Any], Any],
    config: OpenSearchVectorConfig,
    records: Sequence[Record],
    clients: int,
    meanwhile: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Fill an index by so many processes; how fast, and what it then holds."""
    run(_prepared(config))
    parts = [records[start::clients] for start in range(clients)]
    told = at_once(_fill, [(config, part) for part in parts], meanwhile)
    seconds = _span(told)
    print(f"{config.collection}: {seconds:.0f} s", flush=True)
    return {
        "seconds": seconds,
        "chunks/s": len(records) / seconds,
        "their CPU ms a chunk": 1000 * sum(used for _, _, used in told) / len(records),
        "found": run(_count(config)),
    }


def _told(name: str, turns: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """A row about searches: turns of what each process tells."""
    times = [one for told in turns for *_, each, _ in told for one in each]
    return {
        "processes": name,
        "p50 ms": median(times),
        "slowest ms": max(times),
        "searches/s": len(times) / sum(map(_span, turns)),
        "not answered": sum(unanswered for told in turns for *_, unanswered in told),
    }


def _span(told: Sequence[Any]) -> float:
    """Seconds from the first beginning to the last end."""
    return float(max(end for _, end, *_ in told) - min(start for start, *_ in told))


def _killed(node: Any, seconds: float) -> None:
    time.sleep(seconds)
    node.kill()


def _config(
    urls: Sequence[str], options: argparse.Namespace, collection: str
) -> OpenSearchVectorConfig:
    return OpenSearchVectorConfig.model_validate(
        {
            "url": list(urls),
            "collection": collection,
            "shards": options.shards,
            "replicas": options.replicas,
            "refresh": options.refresh,
            "timeout": 300,
            "retries": 8,
        }
    )


async def _count(config: OpenSearchVectorConfig) -> int:
    backend = _backend(config)
    await backend.prepare(SPEC)
    await backend._index.refresh(always=True)
    held = int(await backend.count())
    await backend.aclose()
    return held


async def _prepared(config: OpenSearchVectorConfig) -> None:
    backend = _backend(config)
    await backend.prepare(SPEC)
    await backend.aclose()


def at_once(
    work: Callable[..., Any],
    arguments: Sequence[tuple[Any, ...]],
    meanwhile: Callable[[], None] = lambda: None,
) -> list[Any]:
    """What `work` gives in as many processes as there are arguments, all begun at the same time.

    They are forked, so nothing that they are given is copied.

    Args:
        work: Called with a barrier, to begin at, and the arguments.
        arguments: Of each process.
        meanwhile: Called here when they have begun.
    """
    begin, told = _forked.Barrier(len(arguments) + 1), _forked.SimpleQueue()

    def child(one: tuple[Any, ...]) -> None:
        try:
            told.put(asyncio.run(work(begin, *one)))
        except Exception as error:  # raised by who waits for it
            told.put(error)

    processes = [_forked.Process(target=child, args=(one,)) for one in arguments]
    for process in processes:
        process.start()
    begin.wait()
    meanwhile()
    outcomes = [told.get() for _ in processes]
    for process in processes:
        process.join()
    for outcome in outcomes:
        if isinstance(outcome, Exception):
            raise outcome
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
) -> tuple[float, float, list[float], int]:
    """When it began and ended, the milliseconds of each search, and how many were not answered."""
    backend = _backend(config)
    await backend.prepare(SPEC)
    await backend.hybrid_search(*questions[0], LIMIT, WEIGHTS)
    begin.wait()
    started, times, unanswered = time.monotonic(), [], 0
    for text, vector in questions:
        asked = time.perf_counter()
        try:
            await backend.hybrid_search(text, vector, LIMIT, WEIGHTS)
        except StoreError:
            unanswered += 1
        times.append((time.perf_counter() - asked) * 1000)
    ended = time.monotonic()
    await backend.aclose()
    return started, ended, times, unanswered


def _backend(config: OpenSearchVectorConfig) -> Any:
    from hierdoc_opensearch.vector import OpenSearchVectorBackend

    return OpenSearchVectorBackend(config)


@contextmanager
def three_nodes(folder: Path) -> Iterator[list[Any]]:
    """Three nodes of one cluster, each a process of its own."""
    servers = loaded(HERE.parent / "tests" / "servers.py")
    folders = [folder / f"node-{number}" for number in range(3)]
    cluster = ",".join(str(servers.ports(one, 2)[1]) for one in folders)
    given = {"OPENSEARCH_CLUSTER": cluster, "OPENSEARCH_HEAP": "1g"}
    nodes = [servers.Server("opensearch", one, **given) for one in folders]
    try:
        with ThreadPoolExecutor(3) as pool:  # none answers before two are there
            list(pool.map(lambda node: node.start(), nodes))
        yield nodes
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
    parser.add_argument("--no-refresh", dest="refresh", action="store_false")
    parser.add_argument("--quick", action="store_true", help="1,000 chunks; shows that it runs")
    options = parser.parse_args()
    if options.quick:
        options.chunks = 1_000
    return options


if __name__ == "__main__":
    main()
