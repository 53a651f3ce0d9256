"""Search: the whole of `Index.search` but the embedding of the query, at 10,000 and 100,000 chunks, beside peers.

The vectors of queries are made beforehand, by the static embedder of 256 dimensions that also embeds the chunks. The stores are
open and warm; every search goes through planning, all legs, fusion, the records of its hits, their definitions and the
judgement of confidence.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from common import Report, Samples, arguments, interleaved, registry, runner, timed
from corpora import CITATIONS, Corpus, build, headings, phrases, questions, records_of
from peers import Haystack, RankBm25AndNumpy

from hierdoc import AsyncIndex
from hierdoc.filters import Equals
from hierdoc.plugin import Record

TARGETS = {10_000: 1.0, 100_000: 5.0}
"""Milliseconds that the median hybrid search may take, by number of chunks."""


STORES = {
    "on disk": {"vector": "sqlite", "keyword": "tantivy"},
    "in memory": {"vector": "in-memory", "keyword": "in-memory"},
}
Run = Callable[[Coroutine[Any, Any, Any]], Any]
Search = Callable[[int], Coroutine[Any, Any, object]]
STEPS = ("embed", "semantic", "keyword", "exact", "fuse", "total")


def main() -> None:
    """Measure every size in a folder of its own."""
    options = arguments()
    report = Report(
        "search", "Hybrid search without embedding.", ["tantivy", "haystack-ai", "rank-bm25"]
    )
    for chunks in [1_000] if options.quick else list(TARGETS):
        with tempfile.TemporaryDirectory() as folder, runner() as run:
            measure(report, run, Path(folder), chunks, repetitions=20 if options.quick else 200)
    report.save()


def measure(report: Report, run: Run, folder: Path, chunks: int, repetitions: int) -> None:
    """Fill the stores, time all searches in turns, tell."""
    corpus = build(folder / "corpus", chunks)
    print(f"\n{corpus}")
    indexes = {name: fill(run, corpus, folder / name, stores) for name, stores in STORES.items()}
    records = run(records_of(indexes["on disk"]))
    asked = Asked(records)
    for index in indexes.values():
        for query in asked.all:
            run(index._components.embedder.embed_query(query))
    calls: dict[str, Callable[[int], object]] = {
        f"hierdoc {name}: {what}": partial(run_search, run, search)
        for name, index in indexes.items()
        for what, search in searches(index, asked).items()
    }
    calls |= peers(run, indexes["on disk"], records, asked.questions)
    slow = {name: max(3, 200_000 // chunks) for name in calls if not name.startswith("hierdoc")}
    tell(report, chunks, interleaved(calls, repetitions, slow, burst=10))
    steps(report, run, chunks, indexes, asked.questions)
    for index in indexes.values():
        run(index.aclose())


def fill(run: Run, corpus: Corpus, folder: Path, stores: Mapping[str, str]) -> AsyncIndex:
    """An open index that holds the corpus."""
    paths = {
        kind: {"provider": provider} | ({} if provider == "in-memory" else {"path": str(folder)})
        for kind, provider in stores.items()
    }
    config = {"source": str(corpus.folder), "embedder": "remembered", **paths}
    index = AsyncIndex.open(config, registry=registry())
    outcome, seconds = timed(lambda: run(index.ingest()))
    print(f"{folder.name}: {outcome.chunks:,} chunks ingested in {seconds:.1f} s")
    return index


class Asked:
    """The queries of one run, the same for everybody."""

    def __init__(self, records: Sequence[Record]) -> None:
        chunks = [record.chunk for record in records]
        self.questions = questions(chunks, 100)
        self.phrases = phrases(chunks, 100)
        self.headings = headings(chunks, 100)
        self.all = [*self.questions, *self.phrases, *self.headings, *CITATIONS]
        self.sources = sorted({chunk.source for chunk in chunks})


def searches(index: AsyncIndex, asked: Asked) -> dict[str, Search]:
    """The kinds of searches: each gets the number of the round."""

    def of(queries: Sequence[str], mode: str) -> Search:
        return lambda number: index.search(queries[number % len(queries)], mode=mode)

    def within_one_document(number: int) -> Coroutine[Any, Any, object]:
        chosen = Equals("source", asked.sources[number % len(asked.sources)])
        return index.search(asked.questions[number % 100], filter=chosen)

    def of_one_language(number: int) -> Coroutine[Any, Any, object]:
        return index.search(asked.questions[number % 100], filter=Equals("language", "de"))

    return {
        "hybrid, question": of(asked.questions, "hybrid"),
        "hybrid, citation": of(CITATIONS, "hybrid"),
        "hybrid, quoted phrase": of(asked.phrases, "hybrid"),
        "hybrid, heading": of(asked.headings, "hybrid"),
        "hybrid, filter: one document": within_one_document,
        "hybrid, filter: one language": of_one_language,
        "semantic": of(asked.questions, "semantic"),
        "keyword": of(asked.questions, "keyword"),
        "exact, citation": of(CITATIONS, "exact"),
        "exact, quoted phrase": of(asked.phrases, "exact"),
    }


def run_search(run: Run, search: Search, number: int) -> None:
    """Carry one out."""
    run(search(number))


def peers(
    run: Run, index: AsyncIndex, records: Sequence[Record], asked: Sequence[str]
) -> dict[str, Callable[[int], object]]:
    """The same questions and vectors, asked elsewhere."""
    vectors = {query: run(index._components.embedder.embed_query(query)) for query in asked}
    haystack, seconds = timed(lambda: Haystack(records))
    print(f"Haystack: filled in {seconds:.1f} s")
    by_hand, seconds = timed(lambda: RankBm25AndNumpy(records))
    print(f"rank_bm25 + numpy: filled in {seconds:.1f} s")

    def ask(search: Callable[..., object], number: int) -> None:
        query = asked[number % len(asked)]
        search(query, vectors[query])

    return {
        "Haystack in memory: hybrid, question": partial(ask, haystack.hybrid),
        "rank_bm25 + numpy: hybrid, question": partial(ask, by_hand.hybrid),
    }


def tell(report: Report, chunks: int, samples: dict[str, Samples]) -> None:
    """The table, the targets, the ratios."""
    ours = samples["hierdoc on disk: hybrid, question"]
    report.table(
        f"search at {chunks:,} chunks, milliseconds",
        [
            {
                "search": name,
                "p50": taken.p50,
                "p95": taken.p95,
                "CPU p50": taken.cpu,
                "best": taken.best,
                "times": len(taken.milliseconds),
                "p50 / hierdoc's": taken.p50 / ours.p50,
            }
            for name, taken in samples.items()
        ],
    )
    if chunks in TARGETS:
        for name in STORES:
            found = samples[f"hierdoc {name}: hybrid, question"].p50
            report.target(
                f"hybrid p50 at {chunks:,} chunks {name}, ms", found, "<=", TARGETS[chunks]
            )


def steps(
    report: Report,
    run: Run,
    chunks: int,
    indexes: dict[str, AsyncIndex],
    asked: Sequence[str],
) -> None:
    """Where the time of a hybrid search goes, as its own `timings_ms` say."""
    rows = []
    for name, index in indexes.items():
        found = [run(index.search(query)).timings_ms for query in asked]
        spent = {step: median(one.get(step, 0.0) for one in found) for step in STEPS}
        rows.append({"stores": name, **spent})
    report.table(
        f"steps of a hybrid search at {chunks:,} chunks, median milliseconds",
        rows,
        "legs run side by side, so each includes waiting for the others",
    )


if __name__ == "__main__":
    main()
