"""Search quality: right passages first by kind of question, every mode beside hybrid, and other libraries on the same documents.

    python benchmarks/bench_quality.py [--embedder minilm] [--corpora gdpr,german] [--failures] [--quick]

Questions are made from the documents by a seeded generator, as `hierdoc eval --make` makes them; those of kind `question` are
given, in `benchmarks/questions`. What is measured and how is told in docs/quality.md.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, get_args

from common import HERE, Report, shared
from quality_peers import Peer, peers

from hierdoc import Chunk, Document, Index, Kind, Source, default_registry, load_config
from hierdoc.errors import GroundTruthError
from hierdoc.evaluation import (
    Answer,
    Evaluation,
    Expected,
    Judge,
    Question,
    compare,
    evaluate,
    load_ground_truth,
    make_ground_truth,
    ndcg_at,
    recall_at,
)
from hierdoc.evaluation.relevance import section_names
from hierdoc.models import Mode
from hierdoc.structure import understand

MODES: tuple[Mode, ...] = get_args(Mode)
LEGS = tuple(mode for mode in MODES if mode != "hybrid")

SETS: Mapping[str, tuple[str, ...]] = {
    "citations": ("citation", "citation-in-question", "citation-scoped"),
    "paragraphs": (
        "citation-of-part",
        "citation-in-question-of-part",
        "citation-scoped-of-part",
    ),
    "phrases": ("phrase", "phrase-across-lines"),
    "headings": ("heading",),
    "headings within": ("heading-with-ancestor",),
    "definitions": ("definition",),
    "definitions within": ("definition-scoped", "definition-with-ancestor"),
    "questions": ("question",),
}
"""Kinds of questions that are told as one set."""

TARGETS = {
    "citations": 0.99,
    "paragraphs": 0.95,
    "phrases": 0.99,
    "headings within": 0.85,
    "definitions within": 0.85,
}
"""Share of questions whose first hit is to be right, by set."""

LEGAL = ("US constitution", "GDPR", "German laws", "Alabama constitution")
"""Corpora that the targets of citations hold for; standards are seldom cited by section."""

COUNTS = {"citations": 200, "phrases": 100, "headings": 200, "definitions": 100, "off-corpus": 100}
PEER_QUESTIONS = 50
"""Of each set at most: peers take their time."""


@dataclass(frozen=True)
class Corpus:
    """Documents, their language, and questions that people might ask of them, if there are any."""

    name: str
    path: tuple[str, ...]
    language: str = "en"
    given: str | None = None


CORPORA = {
    "us": Corpus("US constitution", ("legal", "us-constitution.md"), given="us-constitution"),
    "gdpr": Corpus("GDPR", ("legal", "gdpr.html"), given="gdpr"),
    "german": Corpus("German laws", ("legal", "de"), "de", given="german"),
    "eips": Corpus("EIPs", ("technical", "eips"), given="eips"),
    "alabama": Corpus("Alabama constitution", ("legal", "alabama-constitution.md")),
}


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
    confidence(report, outcomes)
    beside_peers(report, outcomes)
    if options.failures:
        failures(outcomes)
    report.save()


async def measured(corpus: Corpus, options: argparse.Namespace) -> Outcome:
    """Index a corpus in a temporary folder and ask it everything."""
    embedder: Any = "static"
    if options.embedder == "minilm":
        folder = shared("models", "all-MiniLM-L6-v2-onnx")
        embedder = {"provider": "fastembed", "path": str(folder)}
    path = shared(*corpus.path)
    with tempfile.TemporaryDirectory() as stores:
        config = {
            "source": str(path),
            "embedder": embedder,
            "vector": {"provider": "sqlite", "path": stores},
            "keyword": {"provider": "tantivy", "path": stores},
        }
        async with Index.open(config) as index:
            await index.ingest()
            chunks = await index.chunks()
            questions = await _questions(index, corpus, 10 if options.quick else 1)
            print(f"{corpus.name}: {len(chunks):,} chunks, {len(questions)} questions", flush=True)
            found = {mode: await evaluate(index, questions, mode=mode, top_k=5) for mode in MODES}
            documents = [await _document(file) for file in _files(path)]
            documents = [_named(one, chunks) for one in documents]
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
            share = mean(bool(answer.rank == 1) for answer in answers)
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
        means = {name: mean(row[name] for row in rows) for name in names}
        rows.append({"corpus": "mean of the sets", "set": "", **means})
        report.table(f"{metric}, beside others", rows)


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


async def _questions(index: Index, corpus: Corpus, divisor: int) -> list[Question]:
    """Made and given ones, with ids that are unique."""
    asked: list[Question] = []
    for kind, count in COUNTS.items():
        try:
            asked += await make_ground_truth(index, max(4, count // divisor), seed=1, kinds=[kind])
        except GroundTruthError:
            continue  # a corpus need not define or number anything
    within = list(_definitions_within(await index.chunks()))
    asked += within[: COUNTS["definitions"] // divisor]
    if corpus.given:
        given = load_ground_truth(HERE / "questions" / f"{corpus.given}.jsonl")
        asked += given[: len(given) // min(divisor, 5)]
    return [
        Question(one.question, one.expected, f"{number}", one.kind)
        for number, one in enumerate(asked, start=1)
    ]


def _definitions_within(chunks: Sequence[Chunk]) -> Iterator[Question]:
    """Defined terms, each with a heading around that tells it from others: "fee, Berths"."""
    held = [(one, chunk) for chunk in chunks for one in chunk.definitions if chunk.parent_chain]
    places = Counter(
        (one.term.casefold(), heading) for one, chunk in held for heading in set(chunk.parent_chain)
    )
    chance = random.Random(1)
    chance.shuffle(held)
    for one, chunk in held:
        around = [
            heading for heading in chunk.parent_chain if places[one.term.casefold(), heading] == 1
        ]
        if around:
            text = " ".join(one.text.split()[:20])
            expected = Expected(one.source, one.section_id, None, text)
            query = f"{one.term}, {chance.choice(around)}"
            yield Question(query, (expected,), kind="definition-with-ancestor")


async def _peers(
    index: Index,
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
                _ranking(peer, judge, answer.question.question, vector)
                for answer, judge, vector in zip(answers, judges, vectors, strict=True)
            ]
            told[name][part] = _scores(answers, rankings)
    return told


def _ranking(peer: Peer, judge: Judge, query: str, vector: Any) -> list[frozenset[int]]:
    return [judge(peer.passages[number]).right for number in peer.ask(query, vector)]


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


def _first(answers: Sequence[Answer]) -> dict[str, float | int]:
    firsts = [answer.verdicts[0] if answer.verdicts else None for answer in answers]
    return {
        "n": len(answers),
        "right first": mean(bool(one and one.right) for one in firsts),
        "and stated": mean(bool(one and one.placed) for one in firsts),
        "right in 5": mean(bool(answer.rank and answer.rank <= 5) for answer in answers),
    }


def _answers(evaluation: Evaluation, kinds: Sequence[str]) -> list[Answer]:
    return [answer for answer in evaluation.answers if answer.question.kind in kinds]


def _part(evaluation: Evaluation, kinds: Sequence[str]) -> Evaluation:
    answers = tuple(_answers(evaluation, kinds))
    return Evaluation(evaluation.name, evaluation.mode, evaluation.top_k, answers)


def _files(path: Path) -> list[Path]:
    return sorted(path.iterdir()) if path.is_dir() else [path]


async def _document(file: Path) -> Document:
    """As the default configuration reads it."""
    config = load_config({})
    converter = default_registry().open(Kind.CONVERTER, config.converter)
    return understand(await converter.convert(Source(file.name, file.read_bytes(), file)))  # noqa: ASYNC240 - a benchmark waits for nothing else


def _named(document: Document, chunks: Sequence[Chunk]) -> Document:
    """The document under the name that it has in the index, as questions expect it."""
    from dataclasses import replace

    names = {one.source for one in chunks}
    name = next(one for one in names if Path(one).name == document.source)
    return replace(document, source=name)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--embedder", choices=("static", "minilm"), default="static")
    parser.add_argument("--corpora", default=",".join(CORPORA), help="some of them, by comma")
    parser.add_argument("--failures", action="store_true", help="list what went wrong")
    parser.add_argument("--quick", action="store_true", help="few questions: measures nothing")
    options = parser.parse_args()
    options.corpora = options.corpora.split(",")
    if unknown := set(options.corpora) - set(CORPORA):
        parser.error(f"unknown corpora: {', '.join(sorted(unknown))}; known: {', '.join(CORPORA)}")
    return options


if __name__ == "__main__":
    main()
