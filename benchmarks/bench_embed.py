"""Embedding: megabytes and chunks per second of the static embedder and of MiniLM.

MiniLM runs in 8 bits, in 32 bits through fastembed, and by the library fastembed alone, which is given the same windows as they come.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from common import DATA, Report, arguments, registry, runner, timed
from corpora import make_records

from hierdoc import load_config
from hierdoc.errors import HierdocError
from hierdoc.plugin import ComponentKind, SupportsClose

T = TypeVar("T")

MEGABYTES_PER_SECOND = 5.0
"""What the static embedder should reach."""

MINILM = DATA / "models" / "all-MiniLM-L6-v2-onnx"

MODELS: Mapping[str, Mapping[str, object]] = {
    "minilm": {"provider": "minilm"},
    "fastembed, MiniLM": {"provider": "fastembed", "path": str(MINILM)},
}


def main() -> None:
    """Embed real chunks, several times over, in turns."""
    options = arguments()
    report = Report("embed", "Embedding of documents and queries.", ["fastembed", "onnxruntime"])
    with tempfile.TemporaryDirectory() as folder:
        chunks = 500 if options.quick else 5_000
        records = make_records(Path(folder), chunks)
    texts = [record.text for record in records]
    rows = [measure("static", {"provider": "static"}, texts, rounds=5)]
    some = texts[:: len(texts) // (50 if options.quick else 300)]
    for name, config in MODELS.items():
        try:
            rows.append(measure(name, config, some, rounds=2))
        except HierdocError as error:
            print(f"{name} left out: {error}")
    if MINILM.is_dir():
        rows.append(library_alone(some))
    report.table("embedding, medians", rows, "10^6 bytes of UTF-8 per MB")
    report.target("static embedder, MB/s", float(rows[0]["MB/s"]), ">=", MEGABYTES_PER_SECOND)
    report.save()


def library_alone(texts: Sequence[str]) -> dict[str, Any]:
    """Fastembed itself with the windows of the texts as they come, in batches of its own size."""
    from hierdoc_fastembed import FastembedConfig
    from hierdoc_fastembed.embedder import FastembedEmbedder

    embedder = FastembedEmbedder(FastembedConfig(path=MINILM))
    windows = [window for text in texts for window, _ in embedder.model.windows(text, False)]
    library = embedder.model._embedding
    (_, seconds), processor = on_processor(lambda: timed(lambda: list(library.embed(windows))))
    asyncio.run(embedder.aclose())
    pace = _pace(texts, seconds, processor)
    return {"embedder": "fastembed alone", **pace, "query ms": "", "first query ms": ""}


def on_processor(work: Callable[[], T]) -> tuple[T, float]:
    """What it returns, and the seconds of all cores together."""
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


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
        rounds_taken = [
            on_processor(lambda: seconds_of(embedder.embed_documents(texts))) for _ in range(rounds)
        ]
        query = median(seconds_of(embedder.embed_query(text)) for text in queries)
        if isinstance(embedder, SupportsClose):
            run(embedder.aclose())
    seconds, processor = (median(column) for column in zip(*rounds_taken, strict=True))
    return {
        "embedder": name,
        **_pace(texts, seconds, processor),
        "query ms": query * 1000,
        "first query ms": first * 1000,
    }


def _pace(texts: Sequence[str], seconds: float, processor: float) -> dict[str, Any]:
    size = sum(len(text.encode()) for text in texts)
    return {
        "chunks": len(texts),
        "MB/s": size / 1e6 / seconds,
        "chunks/s": len(texts) / seconds,
        "chunks/s of a core": len(texts) / processor,
    }


if __name__ == "__main__":
    main()
