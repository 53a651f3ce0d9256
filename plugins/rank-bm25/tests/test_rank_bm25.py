"""The plugin `rank-bm25`: scores of the library itself, built when they are needed."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
from collections.abc import Sequence

import pytest
from pydantic import ValidationError
from rank_bm25 import BM25Okapi

from hierdoc import Analyzer, Chunk, Match
from hierdoc.plugin import (
    ComponentKind,
    DocumentVersion,
    IndexSpec,
    Record,
    Registry,
    record_terms,
)
from hierdoc_rank_bm25 import RankBm25Config
from hierdoc_rank_bm25.backend import RankBm25Backend

TEXTS = {
    "a": "The Administrator shall report to the committee within 30 days.",
    "b": "Reports are due in March; see Section 203(a)(1).",
    "c": "The gas cost of EIP-1559 transactions.",
    "d": "The committee reports to nobody.",
}


def record(id: str, text: str) -> Record:
    chunk = Chunk("doc.md", text, 0, len(text), 1, 1, id=id)
    return Record(chunk, DocumentVersion("hash", "pipeline", len(TEXTS)))


def search(query: str, config: RankBm25Config | None = None) -> Sequence[Match]:
    async def scenario() -> Sequence[Match]:
        backend = (
            Registry().find(ComponentKind.KEYWORD, "rank-bm25").open(config or RankBm25Config())
        )
        await backend.prepare(IndexSpec("embedder", 3))
        await backend.upsert([record(*one) for one in TEXTS.items()])
        found: Sequence[Match] = await backend.search(query, 10)
        return found

    return asyncio.run(scenario())


@pytest.mark.parametrize("query", ["reports to the committee", "Section 203(a)(1)", "EIP-1559 gas"])
@pytest.mark.parametrize("config", [RankBm25Config(), RankBm25Config(k1=0.9, b=0.1, epsilon=0.5)])
def test_scores_are_the_librarys(query: str, config: RankBm25Config) -> None:
    analyzer = Analyzer()
    okapi = BM25Okapi(
        [record_terms(record(*one), analyzer).repeated() for one in TEXTS.items()],
        k1=config.k1,
        b=config.b,
        epsilon=config.epsilon,
    )
    scores = dict(zip(TEXTS, okapi.get_scores(analyzer.query_terms(query)).tolist(), strict=True))
    found = search(query, config)
    assert found
    assert {match.chunk_id: match.score for match in found} == {
        match.chunk_id: scores[match.chunk_id] for match in found
    }


def test_a_chunk_without_a_word_of_the_query_is_no_match() -> None:
    assert {match.chunk_id for match in search("gas committee")} == {"a", "c", "d"}


def test_many_changes_are_built_once() -> None:
    async def scenario() -> None:
        backend = RankBm25Backend()
        for one in TEXTS.items():
            await backend.upsert([record(*one)])
        assert backend._built is None
        await backend.search("committee", 1)
        first = backend._built
        await backend.search("gas", 1)
        assert backend._built is first

    asyncio.run(scenario())


def test_texts_without_words_are_held_and_not_found() -> None:
    async def scenario() -> None:
        backend = RankBm25Backend()
        await backend.upsert([record("empty", ""), record("rule", "* * *")])
        assert await backend.search("anything", 10) == []
        assert await backend.count() == 2

    asyncio.run(scenario())


def test_empty_chunks_do_no_harm_whatever_b_is() -> None:
    async def scenario() -> None:
        backend = RankBm25Backend(b=1)
        await backend.upsert([record("empty", ""), *[record(*one) for one in TEXTS.items()]])
        found = await backend.search("gas fee", 10)
        assert [match.chunk_id for match in found] == ["c"]
        assert math.isfinite(found[0].score)

    asyncio.run(scenario())


@pytest.mark.parametrize("fields", [{"k1": 0}, {"b": 1.1}, {"epsilon": -0.1}, {"k2": 1}])
def test_impossible_settings_are_refused(fields: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        RankBm25Config.model_validate(fields)


def test_the_top_module_does_not_import_the_library() -> None:
    code = "import sys, hierdoc_rank_bm25; sys.exit('rank_bm25' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
