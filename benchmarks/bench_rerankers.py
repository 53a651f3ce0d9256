"""Rerankers: the same searches with and without one, on every set of questions, and what a search takes.

    python benchmarks/bench_rerankers.py [--reranker late-interaction] [--embedder static] [--sets GDPR,contracts] [--quick]

Sets are those of `bench_quality.py`, their given questions apart from the made ones, those of `bench_languages.py`, and the contracts of
`bench_spans.py`, every second question. Every reranker gets the fifty best hits that are not certain. Differences are those of nDCG@10, of the contracts
those of the first hit, with their 95 % interval by a paired bootstrap.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

import bench_languages
import bench_spans
from common import Report, shared
from quality_truth import CORPORA, Corpus, made_questions

from hierdoc import AsyncIndex
from hierdoc_evaluation import Evaluation, Question, compare, evaluate

CANDIDATES = 50
CONTRACTS = "contracts"


def main() -> None:
    """Print and save."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--reranker", default="late-interaction", help="a name, or JSON")
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--sets", help="names, apart by commas; all by default")
    parser.add_argument("--quick", action="store_true", help="few questions: measures nothing")
    options = parser.parse_args()
    if options.reranker.startswith("{"):
        options.reranker = json.loads(options.reranker)
    report = Report("rerankers", "Searches with and without a reranker.", ["onnxruntime"])
    corpora = {one.name: one for one in CORPORA.values()}
    languages = {one.name: one for one in bench_languages.SETS}
    chosen = options.sets.split(",") if options.sets else [*corpora, *languages, CONTRACTS]
    rows: list[dict[str, Any]] = []
    spans: list[dict[str, Any]] = []
    for name in chosen:
        with tempfile.TemporaryDirectory() as folder:
            if name == CONTRACTS:
                spans = asyncio.run(contracts(Path(folder), options))
            else:
                made = corpora.get(name) or languages[name]
                rows += asyncio.run(measured(made, Path(folder), options))
    if rows:
        report.table("hybrid search, without and with the reranker", rows)
        behind = sum(row["difference"] < -1e-9 for row in rows)
        report.target("sets on which it is worse by nDCG@10", behind, "<=", 0)
    if spans:
        report.table("questions that name their contract", spans)
    report.save()


def opened(source: Path, folder: Path, options: argparse.Namespace, reranker: Any) -> AsyncIndex:
    """An index of these files, all in one folder."""
    return AsyncIndex.open(
        {
            "source": str(source),
            "embedder": options.embedder,
            "vector": {"provider": "sqlite", "path": str(folder / "index")},
            "keyword": {"provider": "tantivy", "path": str(folder / "index")},
            "reranker": reranker,
            "search": {"rerank": {"candidates": CANDIDATES, "timeout": 600}},
        }
    )


async def measured(
    made: Corpus | bench_languages.Set, folder: Path, options: argparse.Namespace
) -> list[dict[str, Any]]:
    """A row for the given questions, and one for the made ones."""
    questions: Sequence[Question] | None = None
    if isinstance(made, Corpus):
        source = shared(*made.path)
    else:
        source = folder / "source"
        source.mkdir()
        asked = await asyncio.to_thread(made.make, source)
        questions = [
            Question(one.question, one.expected, f"{number}", one.kind)
            for number, one in enumerate(asked)
        ][:: 25 if options.quick else 1]
    found: list[Evaluation] = []
    for reranker in (None, options.reranker):
        async with opened(source, folder, options, reranker) as index:
            if questions is None:
                await index.ingest()
                questions = await made_questions(index, made, 10 if options.quick else 1)  # type: ignore[arg-type]
            elif not found:
                await index.ingest()
            found.append(await evaluate(index, questions, mode="hybrid", top_k=5))
    rows = []
    for label, kinds in (("", ("question", "title")), (", made", None)):
        plain, ranked = (_part(one, kinds) for one in found)
        if not plain.answers:
            continue
        gain = compare(plain, ranked, "ndcg@10").difference
        rows.append(
            {
                "set": f"{made.name}{label}",
                "n": len(plain.answers),
                "nDCG@10": plain.metrics["ndcg@10"],
                "with": ranked.metrics["ndcg@10"],
                "difference": gain.mean,
                "low": gain.low,
                "high": gain.high,
                "recall@5": plain.metrics["recall@5"],
                "with ": ranked.metrics["recall@5"],
                "first": plain.metrics["hit@1"],
                "with  ": ranked.metrics["hit@1"],
                "ms": median(answer.milliseconds for answer in ranked.answers),
                "ms, mean": mean(answer.milliseconds for answer in ranked.answers),
                "degraded": sum(bool(answer.degraded) for answer in ranked.answers),
            }
        )
        print("  ", rows[-1], flush=True)
    return rows


async def contracts(folder: Path, options: argparse.Namespace) -> list[dict[str, Any]]:
    """What `bench_spans.py` tells of hybrid searches, without and with the reranker."""
    lines = shared("legal", "contracts", "cuad-questions.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in lines][:: 40 if options.quick else 2]
    rows = []
    for reranker in (None, options.reranker):
        source = shared("legal", "contracts", "cuad")
        async with opened(source, folder, options, reranker) as index:
            await index.ingest()
            told = await bench_spans.row(index, "hybrid", questions)
            rows.append({"reranker": json.dumps(reranker), **told})
    return rows


def _part(evaluation: Evaluation, kinds: Sequence[str] | None) -> Evaluation:
    """The answers of these kinds, or of all others that have an answer."""
    answers = tuple(
        one
        for one in evaluation.answers
        if one.question.expected
        and (
            one.question.kind in kinds if kinds else one.question.kind not in ("question", "title")
        )
    )
    return Evaluation(evaluation.name, evaluation.mode, evaluation.top_k, answers)


if __name__ == "__main__":
    main()
