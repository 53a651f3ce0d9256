"""People cite as an article or chapter what bears a number alone: it is shown, and never certain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hierdoc import Index

PARTS = "## {}1{} Start\n\nIt begins.\n\n## {}2{} Fares\n\nFares are low.\n\n## {}3{} Crews\n\nCrews rest.\n"


def laid_out(title: str, before: str = "", behind: str = "") -> str:
    return f"# {title}\n\n" + PARTS.format(*[before, behind] * 3)


TREATY = laid_out("Weir Treaty", "Article ") + "\n## Annex\n\n### 8. Gates\n\nShut.\n"


@pytest.fixture(scope="module")
def shelf(indexed: Callable[[Mapping[str, str]], Index]) -> Index:
    return indexed(
        {
            "charter.md": laid_out("Ferry Charter", behind="."),
            "statute.md": laid_out("Boat Statute", "§ "),
            "treaty.md": TREATY,
        }
    )


@pytest.mark.parametrize("label", ["Article 2", "Chapter 2", "Item 2", "Art. II"])
def test_a_number_alone_is_shown_for_whatever_label(shelf: Index, label: str) -> None:
    result = shelf.search(f"{label} of the Ferry Charter")
    first = result.hits[0]
    assert (Path(first.chunk.source).name, first.named) == ("charter.md", "sec_2")
    assert not any(hit.certain for hit in result.hits)
    assert not result.missing


@pytest.mark.parametrize(
    "query",
    [
        "Article 2 of the Boat Statute",  # its sections bear a sign
        "Article 8 of the Weir Treaty",  # which has articles
        "Article 9 of the Ferry Charter",
        "Article 2 of the Canoe Charter",
        "Article 9",
    ],
)
def test_another_label_is_not_that_one(shelf: Index, query: str) -> None:
    result = shelf.search(query)
    assert not any(hit.certain for hit in result.hits)
    assert result.missing


def test_an_article_is_meant_where_there_is_one(shelf: Index) -> None:
    (certain,) = [hit for hit in shelf.search("Article 2").hits if hit.certain]
    assert Path(certain.chunk.source).name == "treaty.md"


def test_of_one_document_a_number_is_meant_without_its_name(
    indexed: Callable[[Mapping[str, str]], Index],
) -> None:
    alone = indexed({"charter.md": laid_out("Ferry Charter")})
    result = alone.search("what does Article 2 say?")
    assert result.hits[0].named == "sec_2"
    assert not result.hits[0].certain
    assert not result.missing
