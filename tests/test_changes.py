"""An index that was maintained by changes ranks like one built at once."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from hierdoc import AsyncIndex

WORDS = [f"word{number}" for number in range(200)]
QUERIES = 100


def write(folder: Path, number: int, chance: random.Random) -> None:
    sections = [
        f"## Section {section}\n\n{' '.join(chance.choices(WORDS, WEIGHTS, k=40))}.\n"
        for section in range(1, 9)
    ]
    (folder / f"act-{number}.md").write_text(f"# Act {number}\n\n" + "\n".join(sections))


WEIGHTS = [1 / (number + 1) for number in range(len(WORDS))]


async def ranks(docs: Path, cache: Path) -> list[list[tuple[str, float]]]:
    """The ten best of each query by keyword, with their scores."""
    chance = random.Random(7)
    config = {
        "source": str(docs),
        "vector": {"provider": "sqlite", "path": str(cache)},
        "keyword": {"provider": "tantivy", "path": str(cache)},
    }
    async with AsyncIndex.open(config) as index:
        await index.ingest()
        found = []
        for _ in range(QUERIES):
            query = " ".join(chance.sample(WORDS, k=3))
            hits = (await index.search(query, mode="keyword")).hits
            found.append([(hit.chunk.id, round(hit.score, 4)) for hit in hits])
        return found


def test_a_changed_index_ranks_like_a_fresh_one(tmp_path: Path) -> None:
    chance = random.Random(1)
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(30):
        write(docs, number, chance)
    for changed in (12, 3, 6):
        asyncio.run(ranks(docs, tmp_path / "changed"))
        for number in chance.sample(range(30), k=changed):
            write(docs, number, chance)
    (docs / "act-0.md").unlink()
    assert asyncio.run(ranks(docs, tmp_path / "changed")) == asyncio.run(
        ranks(docs, tmp_path / "fresh")
    )
