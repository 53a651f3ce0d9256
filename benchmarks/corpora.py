"""Folders of real markdown of any size, and queries for them.

The real documents hold several thousand chunks. For larger corpora they are varied: the sentences of a document are put in
another order, which leaves its headings, tables and code, its vocabulary and the lengths of its paragraphs as they are.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from common import DATA, registry, shared

from hierdoc import AsyncIndex, Chunk, Source, load_config
from hierdoc.plugin import ComponentKind, Record, default_registry
from hierdoc.structure import understand

QUESTIONS = (
    "who may grant pardons and reprieves",
    "how are judges of the supreme court appointed or elected",
    "compensation of probate judges and fees of the clerk",
    "may property be taken for public use without just compensation",
    "freedom of speech and of the press",
    "issue bonds for the construction of public schools",
    "ad valorem tax rate for municipalities",
    "when does an amendment to the constitution take effect",
    "gas cost of storage writes and refunds",
    "how is the domain separator of typed data computed",
    "backwards compatibility of a new opcode",
    "base fee per gas and the fee market",
    "precompiled contract for elliptic curve pairing",
    "validator exits and deposits on the beacon chain",
    "blob transactions and data availability sampling",
    "replay protection with the chain id",
    "Widerspruchsrecht der betroffenen Person",
    "Strafe bei gefährlicher Körperverletzung",
    "Wann ist der Versuch strafbar?",
    "Aufgaben der oder des Bundesbeauftragten für den Datenschutz",
    "Freiheit der Kunst und der Wissenschaft",
    "Verjährung der Strafverfolgung",
)
"""Questions that the real documents answer."""

CITATIONS = (
    "Article I, Section 9",
    "Section 104",
    "Article IV, Section 2",
    "Amendment 14, Section 1",
    "§ 211 StGB",
    "§ 32 Abs. 2",
    "Art. 5 Abs. 1",
    "Artikel 20",
    "Section 225",
    "Section 71.01",
)

_BLANK = re.compile(r"(\n[ \t]*\n)")
_PROSE = re.compile(r"(?:\(\w{1,4}\)\s+)?[A-Za-zÀ-ÿ\"“„'][^|`]*\Z")
_SENTENCE = re.compile(r"(?<=[.;!?])\s+(?=[A-ZÄÖÜ(\"“„])")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Corpus:
    """A folder of markdown files.

    Attributes:
        folder: It.
        chunks: How many chunks the default chunker makes of it, within a hundredth.
        real: How many of them are of unchanged documents.
        megabytes: Of text, 10^6 bytes each.
    """

    folder: Path
    chunks: int
    real: int
    megabytes: float

    def __str__(self) -> str:
        varied = self.chunks - self.real
        what = "all real" if not varied else f"{self.real:,} real, {varied:,} of varied documents"
        return f"{self.chunks:,} chunks ({what}), {self.megabytes:.1f} MB"


def build(folder: Path, chunks: int, seed: int = 1) -> Corpus:
    """Write real documents, then varied ones, until there are so many chunks."""
    chance = random.Random(seed)
    documents = [(name, text, len(cut(name, text))) for name, text in real_documents()]
    documents = [document for document in documents if document[2] <= chunks]
    made = real = size = 0
    for turn in range(1 + chunks // sum(count for _, _, count in documents)):
        for name, text, count in documents:
            if made + count > chunks + chunks // 100:
                continue
            if turn:
                name, text = f"varied-{turn:02}/{name}", vary(text, chance)
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            size += file.stat().st_size
            made += count
            real += 0 if turn else count
    return Corpus(folder, made, real, size / 1e6)


def real_documents() -> list[tuple[str, str]]:
    """Name and text of every real markdown document, the largest first."""
    files = [*shared("legal").rglob("*.md"), *shared("technical").rglob("*.md")]
    files.sort(key=lambda file: (-file.stat().st_size, file))
    return [(file.relative_to(DATA).as_posix(), file.read_text("utf-8")) for file in files]


def cut(name: str, text: str) -> Sequence[Chunk]:
    """The document's chunks, as the default configuration makes them."""
    providers, config = default_registry(), load_config({})
    converter = providers.open(ComponentKind.CONVERTER, config.converter)
    chunker = providers.open(ComponentKind.CHUNKER, config.chunker)
    document = asyncio.run(converter.convert(Source(name, text.encode())))
    chunks: Sequence[Chunk] = chunker.chunk(understand(document))
    return chunks


def vary(text: str, chance: random.Random) -> str:
    """The document with the sentences of its prose in another order."""
    parts = _BLANK.split(text)
    prose = list(_prose(parts))
    sentences = [_SENTENCE.split(parts[i]) for i in prose]
    pool = [sentence for several in sentences for sentence in several]
    chance.shuffle(pool)
    drawn = iter(pool)
    for i, several in zip(prose, sentences, strict=True):
        parts[i] = " ".join(next(drawn) for _ in several)
    return "".join(parts)


def make_records(folder: Path, chunks: int) -> list[Record]:
    """Records of a corpus as ingest makes them, for parts that are measured alone; their vectors are nothing."""
    config = {
        "embedder": {"provider": "table", "dimensions": 1},
        "vector": "in-memory",
        "keyword": None,
    }
    source = build(folder, chunks).folder

    async def ingested() -> list[Record]:
        async with AsyncIndex.open(config, source=source, registry=registry()) as index:
            await index.ingest()
            return await records_of(index)

    return asyncio.run(ingested())


async def records_of(index: AsyncIndex) -> list[Record]:
    """All records of an index, with their vectors: what peers are given."""
    held: list[Record] = []
    async for page in index._components.vector.scan(vectors=True):
        held += page
    return held


def questions(chunks: Sequence[Chunk], count: int, seed: int = 1) -> list[str]:
    """Half of them questions that people ask, half runs of 4 to 9 words of random passages."""
    chance = random.Random(seed)
    asked = [QUESTIONS[i % len(QUESTIONS)] for i in range(count // 2)]
    asked += [_run(chunks, chance, 4, 9) for _ in range(count - len(asked))]
    chance.shuffle(asked)
    return asked


def phrases(chunks: Sequence[Chunk], count: int, seed: int = 1) -> list[str]:
    """Runs of 3 to 5 words of random passages, in double quotes."""
    chance = random.Random(seed)
    return [f'"{_run(chunks, chance, 3, 5)}"' for _ in range(count)]


def headings(chunks: Sequence[Chunk], count: int, seed: int = 1) -> list[str]:
    """The innermost headings of random passages."""
    chance = random.Random(seed)
    headed = [chunk for chunk in chunks if chunk.parent_chain]
    return [chance.choice(headed).parent_chain[-1] for _ in range(count)]


def _prose(parts: Sequence[str]) -> Iterator[int]:
    """The positions of blocks that are plain paragraphs: no headings, lists, tables, code or front matter."""
    fenced = False
    for i, part in enumerate(parts):
        fences = sum(line.lstrip().startswith(("```", "~~~")) for line in part.split("\n"))
        if not fenced and not fences and _PROSE.match(part.strip()):
            yield i
        fenced ^= bool(fences % 2)


def _run(chunks: Sequence[Chunk], chance: random.Random, least: int, most: int) -> str:
    while True:
        text = chance.choice(chunks).text
        lines = [line for line in text.split("\n") if len(_WORD.findall(line)) >= most]
        if lines:
            line = chance.choice(lines)
            words = list(_WORD.finditer(line))
            length = chance.randint(least, most)
            first = chance.randrange(len(words) - length + 1)
            run = line[words[first].start() : words[first + length - 1].end()]
            if not set(run) & set('"“”„«»|`'):
                return run
