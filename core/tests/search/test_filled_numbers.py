"""Numbers that zeros fill up, `ADR-0011` and `Rule 007`, are found with the zeros and without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hierdoc import Index, SearchResult

FILES = {
    "0011-one-queue.md": "# ADR-0011: Use one queue\n\nTwo queues were hard to watch.\n",
    "0012-no-cache.md": "# ADR-0012: Drop the cache\n\nIt was stale all day.\n",
    "adr-0013.md": "# Keep the logs\n\nLogs are kept for a year.\n",
    "rfc0793.txt": "RFC: 793\n\n1.  Introduction\n\n   Boats move.\n\n2.  Operation\n\n   They wait for the tide.\n\n3.  Security\n\n   None.\n",
    "yard.txt": "RULES OF THE YARD\n\nRule 006. Speed\n\nSix knots.\n\nRule 007. Anchors\n\nOnly in the east.\n",
    "terms.md": "# Terms\n\n## 12.01 Pay\n\nIt is paid.\n\n## 12.02 Hours\n\nThey are long.\n",
    "needs.md": "# Needs\n\n## REQ-0010 Locks\n\nEach door has a lock.\n\n## REQ-0011 Doors\n\nThey shut.\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder: Path = tmp_path_factory.mktemp("filled")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    settings = {"vector": "in-memory", "keyword": "in-memory", "embedder": "static"}
    with Index.open({"source": str(folder), **settings}) as opened:
        opened.ingest()
        yield opened


def certain(result: SearchResult) -> list[str]:
    return [Path(hit.chunk.source).name for hit in result.hits if hit.certain]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ADR-0011", "0011-one-queue.md"),
        ("ADR-11", "0011-one-queue.md"),
        ("ADR 11", "0011-one-queue.md"),
        ("adr 12", "0012-no-cache.md"),
        ("ADR 0013", "adr-0013.md"),
        ("ADR 13", "adr-0013.md"),
        ("RFC 0793", "rfc0793.txt"),
        ("RFC 793", "rfc0793.txt"),
        ("Section 2 of RFC 0793", "rfc0793.txt"),
        ("Rule 7", "yard.txt"),
        ("Rule 007", "yard.txt"),
        ("12.02", "terms.md"),
        ("REQ-10", "needs.md"),
        ("REQ 0010", "needs.md"),
    ],
)
def test_zeros_before_a_number_tell_nothing_apart(index: Index, query: str, expected: str) -> None:
    assert set(certain(index.search(query))) == {expected}


@pytest.mark.parametrize(
    "query", ["ADR 14", "ADR-1", "Rule 70", "RFC 7930", "12.2", "REQ-100", "USD 12"]
)
def test_what_is_not_there_is_not_found_for_its_zeros(index: Index, query: str) -> None:
    assert not certain(index.search(query))
