"""Search quality: right passages first by kind of question, every mode beside hybrid, and other libraries on the same documents.

    python benchmarks/bench_quality.py [--embedder minilm] [--corpora gdpr,german] [--no-peers] [--given] [--failures] [--keep FOLDER] [--quick]

Questions are made from the documents by a seeded generator, as `hierdoc eval --make` makes them; those of kind `question` are
given, in `benchmarks/questions`. What is measured and how is told in docs/quality.md.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import mean
from typing import Any, get_args

from common import Report, shared, stores
from quality_peers import peers
from quality_truth import CORPORA, SETS, Corpus, made_questions

from hierdoc import AsyncIndex, Chunk, Document, Source, load_config
from hierdoc.models import Mode
from hierdoc.plugin import ComponentKind, default_registry
from hierdoc.structure import understand
from hierdoc_evaluation import (
    Answer,
    Evaluation,
    Judge,
    compare,
    evaluate,
    ndcg_at,
    recall_at,
)
from hierdoc_evaluation.relevance import names_place, section_names

MODES: tuple[Mode, ...] = get_args(Mode)
LEGS = tuple(mode for mode in MODES if mode != "hybrid")

TARGETS = {
    "citations": 0.99,
    "paragraphs": 0.95,
    "phrases": 0.99,
    "headings within": 0.85,
    "definitions within": 0.85,
}
"""Share of questions whose first hit is to be right, by set."""

LEGAL = ("US constitution", "GDPR", "German laws", "US bill", "Alabama constitution")
"""Corpora that the targets of citations hold for; standards are seldom cited by section."""

DEPTH = 10
"""Hits among which something relevant is to be."""

PEER_QUESTIONS = 50
"""Of each set at most: peers take their time."""


@dataclass(frozen=True)
class Outcome:
    """What was measured on one corpus: evaluations by mode, and scores of peers by their name, then by set."""

    corpus: Corpus
    chunks: int
    modes: Mapping[Mode, Evaluation]
    peers: Mapping[str, Mapping[str, Mapping[str, float]]]


def main() -> None:
    """Measure every corpus, then tell."""
    options = _options()
    packages = ("haystack-ai", "llama-index-core", "bm25s", "rank-bm25")
    name = "quality" if options.embedder == "static" else f"quality-{options.embedder}"
    report = Report(name, f"Search quality with the embedder {options.embedder}.", packages)
    outcomes = [asyncio.run(measured(CORPORA[one], options)) for one in options.corpora]
    first_hits(report, outcomes)
    modes(report, outcomes)
    criteria(report, outcomes)
    confidence(report, outcomes)
    if options.peers:
        beside_peers(report, outcomes)
    if options.failures:
        failures(outcomes)
    report.save()


async def measured(corpus: Corpus, options: argparse.Namespace) -> Outcome:
    """AsyncIndex a corpus in a temporary folder and ask it everything."""
    embedder: Any = "static"
    if options.embedder == "minilm-int8":
        embedder = {"provider": "minilm", "threads": 1}
    elif options.embedder == "minilm":
        model = shared("models", "all-MiniLM-L6-v2-onnx")
        embedder = {"provider": "fastembed", "path": str(model)}
    path = shared(*corpus.path)
    with stores(options.keep, f"{corpus.name} {options.embedder}") as folder:
        config = {
            "source": str(path),
            "embedder": embedder,
            "vector": {"provider": "sqlite", "path": str(folder)},
            "keyword": {"provider": "tantivy", "path": str(folder)},
        }
        async with AsyncIndex.open(config) as index:
            await index.ingest()
            chunks = await index.chunks()
            questions = await made_questions(index, corpus, 10 if options.quick else 1)
            if options.given:
                questions = [one for one in questions if one.kind == "question" and one.expected]
            print(f"{corpus.name}: {len(chunks):,} chunks, {len(questions)} questions", flush=True)
            found = {mode: await evaluate(index, questions, mode=mode, top_k=5) for mode in MODES}
            told = {}
            if options.peers:
                names = {Path(one.source).name: one.source for one in chunks}
                files = {name: path / name if path.is_dir() else path for name in names}
                documents = [await _document(names[name], file) for name, file in files.items()]
                told = await _peers(index, documents, chunks, corpus, found["hybrid"])
    return Outcome(corpus, len(chunks), found, told)


def first_hits(report: Report, outcomes: Sequence[Outcome]) -> None:
    """How often the first hit of a hybrid search is right, by kind of question, and the targets."""
    rows = []
    for outcome in outcomes:
        evaluation = outcome.modes["hybrid"]
        for kinds in SETS.values():
            for kind in kinds:
                answers = _answers(evaluation, (kind,))
                if answers:
                    rows.append({"corpus": outcome.corpus.name, "kind": kind, **_first(answers)})
    report.table(
        "first hits of hybrid search",
        rows,
        "right: the expected passage; stated: the hit names the expected section, too",
    )
    for name, limit in TARGETS.items():
        chosen = [one for one in outcomes if name != "citations" or one.corpus.name in LEGAL]
        answers = [answer for one in chosen for answer in _answers(one.modes["hybrid"], SETS[name])]
        if answers:
            share = mean(answer.rank == 1 for answer in answers)
            report.target(f"{name}: right first", share, ">=", limit)


def modes(report: Report, outcomes: Sequence[Outcome]) -> None:
    """Every mode on every set, and hybrid beside the better leg and beside semantic search."""
    rows: dict[str, list[dict[str, Any]]] = {"ndcg@10": [], "recall@5": []}
    for outcome in outcomes:
        for name, kinds in SETS.items():
            found = {mode: _part(outcome.modes[mode], kinds) for mode in MODES}
            if not found["hybrid"].answers:
                continue
            for metric, held in rows.items():
                means = {mode: found[mode].metrics[metric] for mode in MODES}
                better = max(LEGS, key=lambda leg: means[leg])
                gain = compare(found[better], found["hybrid"], metric).difference
                held.append(
                    {
                        "corpus": outcome.corpus.name,
                        "set": name,
                        "n": len(found["hybrid"].answers),
                        **means,
                        "better leg": better,
                        "hybrid - it": gain.mean,
                        "low": gain.low,
                        "high": gain.high,
                    }
                )
    for metric, held in rows.items():
        report.table(f"{metric} by mode", held, "low and high: 95 %, paired bootstrap")
        behind = sum(row["hybrid - it"] < -1e-9 for row in held)
        report.target(f"sets on which hybrid is behind a leg by {metric}", behind, "<=", 0)
    for chosen in (tuple(SETS), ("questions",)):
        held = [row for row in rows["ndcg@10"] if row["set"] in chosen]
        if held:
            hybrid, semantic = (mean(row[mode] for row in held) for mode in ("hybrid", "semantic"))
            label = "all sets" if len(chosen) > 1 else chosen[0]
            gain = 100 * (hybrid / semantic - 1)
            report.target(f"{label}: hybrid over semantic by mean nDCG@10, %", gain, ">=", 20)


def criteria(report: Report, outcomes: Sequence[Outcome]) -> None:
    """What every search is to meet, by set over all corpora, and over all sets: something relevant within ten, hybrid before its legs."""
    rows = []
    for name, kinds in {**SETS, "all": tuple(chain.from_iterable(SETS.values()))}.items():
        held = {
            mode: [answer for one in outcomes for answer in _answers(one.modes[mode], kinds)]
            for mode in MODES
        }
        if not held["hybrid"]:
            continue
        means = {
            mode: mean(answer.scores(DEPTH)["ndcg@10"] for answer in answers)
            for mode, answers in held.items()
        }
        ten = mean(bool(answer.rank and answer.rank <= DEPTH) for answer in held["hybrid"])
        rows.append(
            {
                "set": name,
                "n": len(held["hybrid"]),
                "within ten, %": 100 * ten,
                **means,
                "hybrid by semantic": means["hybrid"] / means["semantic"],
                "hybrid - best leg": means["hybrid"] - max(means[leg] for leg in LEGS),
            }
        )
    report.table("what searches are to meet", rows)
    for row in rows:
        report.target(f"{row['set']}: relevant within ten, %", row["within ten, %"], ">=", 90)
        report.target(f"{row['set']}: hybrid by semantic", row["hybrid by semantic"], ">=", 1.2)


def confidence(report: Report, outcomes: Sequence[Outcome]) -> None:
    """How many searches call their evidence thin: of questions without an answer, and of others."""
    rows = []
    for outcome in outcomes:
        answers = outcome.modes["hybrid"].answers
        parts = {
            "off-corpus": [one for one in answers if not one.question.expected],
            "given questions": [one for one in answers if one.question.kind == "question"],
            "made questions": [
                one for one in answers if one.question.expected and one.question.kind != "question"
            ],
        }
        row: dict[str, Any] = {"corpus": outcome.corpus.name}
        for name, part in parts.items():
            row[f"{name}, n"] = len(part)
            row[name] = mean(one.low_confidence for one in part) if part else None
        rows.append(row)
    report.table("share with low_confidence", rows)


def beside_peers(report: Report, outcomes: Sequence[Outcome]) -> None:
    """The same questions asked of everybody."""
    for metric in ("right first", "ndcg@10", "recall@5"):
        rows = []
        names = list(dict.fromkeys(name for one in outcomes for name in one.peers))
        for outcome in outcomes:
            for part in outcome.peers["hierdoc"]:
                scores = {name: outcome.peers[name][part][metric] for name in names}
                rows.append({"corpus": outcome.corpus.name, "set": part, **scores})
        report.table(f"{metric}, beside others", rows)
        parts = [*dict.fromkeys(row["set"] for row in rows), "all"]
        means = [
            {
                "set": part,
                **{
                    name: mean(row[name] for row in rows if part in ("all", row["set"]))
                    for name in names
                },
            }
            for part in parts
        ]
        report.table(f"{metric}, beside others, mean of the corpora", means)


def failures(outcomes: Sequence[Outcome]) -> None:
    """Questions whose first hit is wrong where one is expected, or that a leg answers better."""
    for outcome in outcomes:
        hybrid = outcome.modes["hybrid"].answers
        for number, answer in enumerate(hybrid):
            if not answer.question.expected:
                continue
            ours = answer.scores(5)["ndcg@10"]
            legs = {leg: outcome.modes[leg].answers[number] for leg in LEGS}
            better = [leg for leg in LEGS if legs[leg].scores(5)["ndcg@10"] > ours + 1e-9]
            if better or answer.rank != 1:
                first = answer.hits[0].chunk if answer.hits else None
                got = f"{first.source} {first.section_id} {first.section_keys[:4]}" if first else ""
                wanted = [(one.source, one.section) for one in answer.question.expected]
                print(
                    f"- {outcome.corpus.name} | {answer.question.kind} | {answer.question.question!r} | expected {wanted} "
                    f"at {answer.rank}; first: {got}; better: {', '.join(better)}"
                )


async def _peers(
    index: AsyncIndex,
    documents: Sequence[Document],
    chunks: Sequence[Chunk],
    corpus: Corpus,
    ours: Evaluation,
) -> dict[str, dict[str, dict[str, float]]]:
    """Scores by library and set, hierdoc's own on the same questions first."""
    embedder = index._components.embedder
    held, missing = await peers(documents, chunks, embedder.embed_documents, corpus.language)
    if missing:
        print(f"not installed, so not asked: {', '.join(missing)}")
    for name, peer in held.items():
        lost = f", {peer.lost} of them not found in their documents" if peer.lost else ""
        print(f"  {name}: {len(peer.passages):,} passages{lost}", flush=True)
    keys = section_names(chunks)
    told: dict[str, dict[str, dict[str, float]]] = {name: {} for name in ("hierdoc", *held)}
    for part, kinds in SETS.items():
        answers = _answers(ours, kinds)[:PEER_QUESTIONS]
        if not answers:
            continue
        judges = [Judge(answer.question, keys) for answer in answers]
        rankings = [[verdict.right for verdict in answer.verdicts] for answer in answers]
        told["hierdoc"][part] = _scores(answers, rankings)
        vectors = [await embedder.embed_query(one.question.question) for one in answers]
        for name, peer in held.items():
            rankings = [
                [judge(peer.passages[at]).right for at in peer.ask(one.question.question, vector)]
                for one, judge, vector in zip(answers, judges, vectors, strict=True)
            ]
            told[name][part] = _scores(answers, rankings)
    return told


def _scores(
    answers: Sequence[Answer], rankings: Sequence[Sequence[frozenset[int]]]
) -> dict[str, float]:
    items = [len(answer.question.expected) for answer in answers]
    pairs = list(zip(rankings, items, strict=True))
    return {
        "right first": mean(bool(ranking and ranking[0]) for ranking in rankings),
        "ndcg@10": mean(ndcg_at(ranking, count) for ranking, count in pairs),
        "recall@5": mean(recall_at(ranking, count, 5) for ranking, count in pairs),
    }


def _first(answers: Sequence[Answer]) -> dict[str, float | None]:
    placed = [
        bool(answer.verdicts and answer.verdicts[0].placed)
        for answer in answers
        if any(map(names_place, answer.question.expected))
    ]
    return {
        "n": len(answers),
        "right first": mean(answer.rank == 1 for answer in answers),
        "and stated": mean(placed) if placed else None,
        "right in 5": mean(bool(answer.rank and answer.rank <= 5) for answer in answers),
    }


def _answers(evaluation: Evaluation, kinds: Sequence[str]) -> list[Answer]:
    return [answer for answer in evaluation.answers if answer.question.kind in kinds]


def _part(evaluation: Evaluation, kinds: Sequence[str]) -> Evaluation:
    answers = tuple(_answers(evaluation, kinds))
    return Evaluation(evaluation.name, evaluation.mode, evaluation.top_k, answers)


async def _document(name: str, file: Path) -> Document:
    """As the default configuration reads it."""
    converter = default_registry().open(ComponentKind.CONVERTER, load_config({}).converter)
    data = await asyncio.to_thread(file.read_bytes)
    return understand(await converter.convert(Source(name, data, file)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--embedder", choices=("static", "minilm", "minilm-int8"), default="static")
    parser.add_argument("--corpora", default=",".join(CORPORA), help="some of them, by comma")
    parser.add_argument("--no-peers", dest="peers", action="store_false", help="ask hierdoc alone")
    parser.add_argument("--given", action="store_true", help="ask the given questions alone")
    parser.add_argument("--failures", action="store_true", help="list what went wrong")
    parser.add_argument("--keep", type=Path, help="folder in which the indexes stay")
    parser.add_argument("--quick", action="store_true", help="few questions: measures nothing")
    options = parser.parse_args()
    options.corpora = options.corpora.split(",")
    if unknown := set(options.corpora) - set(CORPORA):
        parser.error(f"unknown corpora: {', '.join(sorted(unknown))}; known: {', '.join(CORPORA)}")
    return options


if __name__ == "__main__":
    main()
