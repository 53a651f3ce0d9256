"""Embedding: megabytes and chunks per second of the built-in static embedder, and of MiniLM through fastembed."""

from __future__ import annotations

import tempfile
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from common import DATA, Report, arguments, registry, runner, timed
from corpora import make_records

from hierdoc import load_config
from hierdoc.errors import UnknownProviderError
from hierdoc.plugin import ComponentKind, SupportsClose

MEGABYTES_PER_SECOND = 5.0
"""What the static embedder should reach."""

MINILM = DATA / "models" / "all-MiniLM-L6-v2-onnx"


def main() -> None:
    """Embed real chunks, several times over, in turns."""
    options = arguments()
    report = Report("embed", "Embedding of documents and queries.", ["fastembed", "onnxruntime"])
    with tempfile.TemporaryDirectory() as folder:
        chunks = 500 if options.quick else 5_000
        records = make_records(Path(folder), chunks)
    texts = [record.text for record in records]
    rows = [measure("static", {"provider": "static"}, texts, rounds=5)]
    if not MINILM.is_dir():
        print("fastembed left out: the model folder of the shared data is missing")
    elif row := fastembed(texts[:: len(texts) // (50 if options.quick else 300)]):
        rows.append(row)
    report.table("embedding, medians", rows, "10^6 bytes of UTF-8 per MB")
    report.target("static embedder, MB/s", float(rows[0]["MB/s"]), ">=", MEGABYTES_PER_SECOND)
    report.save()


def fastembed(texts: Sequence[str]) -> dict[str, Any] | None:
    """MiniLM from the shared data, if the plugin is installed."""
    try:
        return measure(
            "fastembed, MiniLM", {"provider": "fastembed", "path": str(MINILM)}, texts, 2
        )
    except UnknownProviderError as error:
        print(f"fastembed left out: {error}")
        return None


def measure(
    name: str, config: Mapping[str, object], texts: Sequence[str], rounds: int
) -> dict[str, Any]:
    """Embed all texts, and then single queries."""
    chosen = load_config({"embedder": dict(config)}).embedder
    embedder = registry().open(ComponentKind.EMBEDDER, chosen)
    queries = [" ".join(text.split()[:8]) for text in texts[:50]]
    with runner() as run:

        def seconds_of(work: Coroutine[Any, Any, object]) -> float:
            return timed(lambda: run(work))[1]

        first = seconds_of(embedder.embed_query("warm up"))
        seconds = median(seconds_of(embedder.embed_documents(texts)) for _ in range(rounds))
        query = median(seconds_of(embedder.embed_query(text)) for text in queries)
        if isinstance(embedder, SupportsClose):
            run(embedder.aclose())
    size = sum(len(text.encode()) for text in texts)
    return {
        "embedder": name,
        "dimensions": embedder.dimensions,
        "chunks": len(texts),
        "MB/s": size / 1e6 / seconds,
        "chunks/s": len(texts) / seconds,
        "query ms": query * 1000,
        "first query ms": first * 1000,
    }


if __name__ == "__main__":
    main()
