"""Keyword search alone: the built-in backends and the plugin beside the library rank_bm25, at 10,000 chunks.

All share hierdoc's analysis, so all look for the same terms; rank_bm25 is given them ready-made.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from common import Report, arguments, interleaved, registry, runner, skip, timed
from corpora import make_records, questions

from hierdoc import Analyzer, load_config
from hierdoc.errors import UnknownProviderError
from hierdoc.plugin import ComponentKind, IndexSpec, Record, record_terms

TIMES_FASTER = 50
"""How much faster than rank_bm25 the in-memory backend should be with the same formula."""

LIMIT = 50
BACKENDS: dict[str, dict[str, object]] = {
    "in-memory, okapi": {"provider": "in-memory", "variant": "okapi"},
    "in-memory, lucene": {"provider": "in-memory"},
    "tantivy": {"provider": "tantivy"},
    "plugin rank-bm25": {"provider": "rank-bm25"},
}
LIBRARY = "library rank_bm25"
Run = Callable[[Coroutine[Any, Any, Any]], Any]
Search = Callable[[str], object]


def main() -> None:
    """Build and ask all of them."""
    options = arguments()
    report = Report("keyword", "Keyword backends.", ["tantivy", "rank-bm25"])
    with tempfile.TemporaryDirectory() as folder, runner() as run:
        records = make_records(Path(folder, "corpus"), 1_000 if options.quick else 10_000)
        calls, building = backends(run, records, Path(folder))
        slow = {name: 30 for name in calls if "rank" in name}
        samples = interleaved(calls, 30 if options.quick else 300, slow, burst=10)
    library = samples[LIBRARY].p50
    report.table(
        f"keyword search at {len(records):,} chunks",
        [
            {
                "backend": name,
                "chunks/s to build": len(records) / building[name],
                "p50 ms": taken.p50,
                "p95 ms": taken.p95,
                "CPU p50 ms": taken.cpu,
                "times as fast as rank_bm25": library / taken.p50,
            }
            for name, taken in samples.items()
        ],
        f"limit {LIMIT}; building includes the analysis of the texts and the first search",
    )
    if not options.quick:
        fast = library / samples["in-memory, okapi"].p50
        report.target("in-memory okapi, times as fast as rank_bm25", fast, ">=", TIMES_FASTER)
    report.save()


def backends(
    run: Run, records: Sequence[Record], folder: Path
) -> tuple[dict[str, Callable[[int], object]], dict[str, float]]:
    """Searches by backend's name, and the seconds that it took to build it."""
    asked = questions([record.chunk for record in records], 100)
    calls: dict[str, Callable[[int], object]] = {}
    building: dict[str, float] = {}
    for name, config in BACKENDS.items():
        search, building[name] = timed(partial(filled, run, opened(config, folder), records))
        calls[name] = partial(ask, search, asked)
    library, building[LIBRARY] = timed(partial(rank_bm25, records))
    calls[LIBRARY] = partial(ask, library, asked)
    return calls, building


def ask(search: Search, asked: Sequence[str], number: int) -> None:
    """The next of the questions."""
    search(asked[number % len(asked)])


def filled(run: Run, backend: Any, records: Sequence[Record]) -> Search:
    """A search of the backend once it holds the records and has answered for the first time."""

    def search(query: str) -> object:
        return run(backend.search(query, LIMIT))

    run(backend.prepare(IndexSpec("none", 1)))
    run(backend.upsert(records))
    search("warm up")
    return search


def opened(config: dict[str, object], folder: Path) -> Any:
    """The backend of a configuration; its folder, if it has one, is within `folder`."""
    try:
        chosen = load_config({"keyword": config}, source=folder).keyword
    except UnknownProviderError as error:
        skip(str(error))
    assert chosen is not None
    if hasattr(chosen, "path"):
        chosen = chosen.model_copy(update={"path": folder / "index"})
    return registry().open(ComponentKind.KEYWORD, chosen)


def rank_bm25(records: Sequence[Record]) -> Search:
    """A search by the library alone."""
    from rank_bm25 import BM25Okapi

    analyzer = Analyzer()
    terms = [record_terms(record, analyzer).repeated() for record in records]
    languages = {record.chunk.language for record in records}
    ids = [record.id for record in records]
    library = BM25Okapi(terms)
    return lambda query: library.get_top_n(analyzer.query_terms(query, languages), ids, LIMIT)


if __name__ == "__main__":
    main()
