"""More of the section around a hit, and texts that stand in many places."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hierdoc import AsyncIndex, QueryError, SearchResult

ACT = """# Act

## Part 1

### Section 1

The harbour master keeps a register of moorings.

### Section 2

A berth is let for one season at most.

### Section 3

Fees are due on the first of May.

## Part 2

### Section 4

Vessels carry lights at night.
"""


def ask(folder: Path, query: str, **options: Any) -> SearchResult:
    async def scenario() -> SearchResult:
        config = {"source": str(folder), "vector": "in-memory", "keyword": "in-memory"}
        async with AsyncIndex.open(config) as index:
            await index.ingest()
            return await index.search(query, **options)

    return asyncio.run(scenario())


@pytest.fixture
def act(tmp_path: Path) -> Path:
    (tmp_path / "act.md").write_text(ACT)
    return tmp_path


def sections(result: SearchResult) -> list[str | None]:
    return [one.section_id for one in result.hits[0].more]


def test_nothing_more_comes_with_a_hit_unless_asked_for(act: Path) -> None:
    hit = ask(act, "Section 2").hits[0]
    assert hit.more == ()
    assert "more" not in hit.to_dict()


def test_siblings_are_the_neighbours_in_the_section_around(act: Path) -> None:
    result = ask(act, "Section 3", expand="siblings")
    assert sections(result) == ["sec_2"]


def test_parent_is_the_whole_section_around(act: Path) -> None:
    result = ask(act, "Section 3", expand="parent")
    assert sections(result) == ["sec_1", "sec_2"]
    first = result.hits[0].to_dict()["more"][0]
    assert "register of moorings" in first["content"]
    assert first["section_id"] == "sec_1"


def test_an_unknown_expansion_is_refused(act: Path) -> None:
    with pytest.raises(QueryError, match="unknown expand"):
        ask(act, "Section 3", expand="all")


def test_one_text_in_many_places_does_not_crowd_out_others(tmp_path: Path) -> None:
    notice = (
        "Notice of the mooring fee is given in writing to every holder of a berth in the harbour."
    )
    for number in range(12):
        (tmp_path / f"copy-{number:02}.md").write_text(f"# Copy\n\n{notice}\n")
    (tmp_path / "other.md").write_text("# Other\n\nThe mooring fee is waived for lifeboats.\n")
    result = ask(tmp_path, "mooring fee", top_k=2)
    assert len({hit.chunk.text for hit in result.hits}) == 2
    assert [hit.rank for hit in result.hits] == [1, 2]
