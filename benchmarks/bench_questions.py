"""Questions in everyday words, with and without what hierdoc knows of such words.

    python benchmarks/bench_questions.py [--sets german-civil,peps] [--failures]

The questions are in `benchmarks/questions/lay`, all written by one person. *Looked at*: what was missed of them was looked at before the everyday
words were collected. *Not looked at*: it was not. *Random*: a seeded generator drew the sections after the words were collected, and each got
a question. *Other documents*: written last, about documents that no question was about before, from their outlines and before anything was
asked; then what was missed of them was looked at. *Later*: 34 more about the same documents, written before words were added for what was missed.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from common import HERE, Report, shared

from hierdoc import AsyncIndex
from hierdoc.models import Mode
from hierdoc_evaluation import Answer, Evaluation, evaluate, load_ground_truth

MODES: tuple[Mode, ...] = ("hybrid", "semantic", "keyword")
DEPTH = 10
DOMAINS = {"without": ["accounting", "law"], "with": ["accounting", "law", "everyday"]}

LAWS = ("legal/gesetze/bgb.md", "legal/gesetze/ao_1977.md")
CODES = ("legal/fr/code-civil.md", "legal/fr/code-de-la-route.md")
ALABAMA = ("legal/alabama-constitution.md",)
SECURITY = ("technical/nist-800-63b/*.md", "technical/asvs/*.md")
RULES = tuple(
    f"legal/gesetze/{name}.md" for name in ("bbhv", "blg", "bgbeg", "bkrfqv_2020", "bimschv_24")
)
TAX = ("legal/fr/cgi-annexe-3.md",)
FRANCHISES = tuple(f"legal/contracts/cuad/{name}*.txt" for name in ("AIRTECH", "PfHosp", "Soupman"))
AGREEMENTS = ("legal/contracts/*.md", *FRANCHISES)
ACTS = ("legal/uslm/*.xml",)
ROUTING = ("technical/rfc/rfc7230.txt",)


@dataclass(frozen=True)
class Set:
    """Questions about some documents, the files given as patterns."""

    group: str
    name: str
    files: tuple[str, ...]


SETS = (
    Set("looked at", "german-civil", (*LAWS, "legal/gesetze/bwaldg.md")),
    Set("looked at", "french-civil", CODES),
    Set("looked at", "http", ("technical/rfc/rfc9110.html",)),
    Set("looked at", "security", SECURITY),
    Set("looked at", "peps", ("technical/peps/*.rst",)),
    Set(
        "not looked at",
        "german-tax",
        tuple(f"legal/gesetze/{name}.md" for name in ("estg", "aktg", "stgb")),
    ),
    Set("not looked at", "french-elections", ("legal/fr/code-electoral.md",)),
    Set("not looked at", "alabama", ALABAMA),
    Set("random", "random-german", (*LAWS, "legal/gesetze/stgb.md", "legal/gesetze/aktg.md")),
    Set("random", "random-french", (*CODES, "legal/fr/code-electoral.md")),
    Set("random", "random-alabama", ALABAMA),
    Set("random", "random-security", SECURITY),
    Set("random", "random-eips", ("technical/eips/*.md",)),
    Set("other documents", "german-rules", RULES),
    Set("other documents", "french-tax", TAX),
    Set("other documents", "agreements", AGREEMENTS),
    Set("other documents", "acts", ACTS),
    Set("other documents", "routing", ROUTING),
    Set("other documents, later", "later-german", RULES),
    Set("other documents, later", "later-french", TAX),
    Set("other documents, later", "later-english", (*AGREEMENTS, *ACTS, *ROUTING)),
)


def main() -> None:
    """Print and save."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--failures",
        action="store_true",
        help="tell what is not within ten, or better found by a leg",
    )
    parser.add_argument("--sets", help="some of them, by comma")
    options = parser.parse_args()
    names = options.sets.split(",") if options.sets else [one.name for one in SETS]
    sets = [one for one in SETS if one.name in names]
    report = Report("questions", "Questions in everyday words.", [])
    found = {one: asyncio.run(measured(one)) for one in sets}
    rows = [_row(one.name, [found[one]]) for one in sets]
    groups = dict.fromkeys(one.group for one in sets)
    rows += [_row(name, [found[one] for one in sets if one.group == name]) for name in groups]
    report.table("nDCG@10, and per cent with something relevant within ten", rows)
    if options.failures:
        for evaluations in found.values():
            for number, answer in enumerate(evaluations["with", "hybrid"].answers):
                legs = {
                    mode: evaluation.answers[number]
                    for (label, mode), evaluation in evaluations.items()
                    if label == "with" and mode != "hybrid"
                }
                _tell(answer, legs)
    report.save()


async def measured(chosen: Set) -> dict[tuple[str, Mode], Evaluation]:
    """An evaluation by domains and mode."""
    questions = load_ground_truth(HERE / "questions" / "lay" / f"{chosen.name}.jsonl")
    with tempfile.TemporaryDirectory() as folder:
        source = _sources(chosen.files, Path(folder, "source"))
        found = {}
        for label, domains in DOMAINS.items():
            config = {
                "source": str(source),
                "vector": {"provider": "sqlite", "path": folder},
                "keyword": {"provider": "tantivy", "path": folder},
                "search": {"domains": domains},
            }
            async with AsyncIndex.open(config) as index:
                await index.ingest()
                for mode in MODES:
                    found[label, mode] = await evaluate(index, questions, mode=mode, top_k=5)
    print(f"{chosen.name}: {len(questions)} questions", flush=True)
    return found


def _sources(files: Sequence[str], folder: Path) -> Path:
    folder.mkdir()
    for pattern in files:
        path = shared(*pattern.split("/")[:-1])
        for file in path.glob(Path(pattern).name):
            _copy(file, folder)
    return folder


def _copy(file: Path, folder: Path) -> None:
    if file.name != "alabama-constitution.md":
        shutil.copy(file, folder)
        return
    # Its amendments have most sections of the constitution once more.
    text = file.read_text("utf-8")
    lines = text.splitlines()
    end = next(n for n, line in enumerate(lines) if line.startswith("#") and "Amendment 1" in line)
    Path(folder, "alabama.md").write_text("\n".join(lines[:end]), "utf-8")


def _row(name: str, found: Sequence[dict[tuple[str, Mode], Evaluation]]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "set": name,
        "n": sum(len(one["with", "hybrid"].answers) for one in found),
    }
    for label in DOMAINS:
        for mode in MODES:
            if (label, mode) == ("without", "semantic"):  # the same with them
                continue
            answers = [answer for one in found for answer in one[label, mode].answers]
            row[f"{mode} {label}"] = mean(answer.scores(5)["ndcg@10"] for answer in answers)
            if mode == "hybrid":
                row[f"within ten {label}, %"] = 100 * mean(map(_is_found, answers))
    return row


def _tell(answer: Answer, legs: Mapping[Mode, Answer]) -> None:
    """Print a question that has nothing relevant within ten, or that a leg answers better."""
    ours = answer.scores(5)["ndcg@10"]
    better = [leg for leg, one in legs.items() if one.scores(5)["ndcg@10"] > ours + 1e-9]
    if better or not _is_found(answer):
        ranks = ", ".join(f"{leg} {one.rank}" for leg, one in legs.items())
        wanted = ", ".join(str(one.section or one.source) for one in answer.question.expected)
        print(f"  {answer.question.question!r}: {wanted} at {answer.rank}; {ranks}")


def _is_found(answer: Answer) -> bool:
    return answer.rank is not None and answer.rank <= DEPTH


if __name__ == "__main__":
    main()
