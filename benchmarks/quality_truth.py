"""The corpora and questions that search quality is measured by."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from common import HERE

from hierdoc import AsyncIndex, Chunk
from hierdoc.errors import GroundTruthError
from hierdoc_evaluation import Expected, Question, load_ground_truth, make_ground_truth

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

COUNTS = {"citations": 200, "phrases": 100, "headings": 200, "definitions": 100, "off-corpus": 100}
"""Questions to make, where the corpus gives so many."""


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
    "bill": Corpus("US bill", ("legal", "bill-hr8847.pdf")),
    "alabama": Corpus("Alabama constitution", ("legal", "alabama-constitution.md")),
}


async def made_questions(index: AsyncIndex, corpus: Corpus, divisor: int = 1) -> list[Question]:
    """Made and given ones, with ids that are unique.

    Args:
        index: Ingested.
        corpus: What it holds.
        divisor: Ask only one in so many.
    """
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
