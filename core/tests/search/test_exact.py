"""The exact leg on citations as people write them: clauses, schedules, bare numbers, number words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hierdoc.index import Index

AGREEMENT = """
This Agreement (the "Agreement") is made by and between Alpha and Beta (the parties).

1. DEFINITIONS

1.1 "Affiliate" means a company.

2. SERVICES

2.1 Personnel.

(a) Provider shall assign qualified personnel to all of the services under this clause.

(b) Customer may ask for others. What the paragraph 2 of Schedule 1 says is not concerned.

3. FEES

3.1 Invoices. Fees are due within thirty days.
"""

ACT = """
Protection Act 2018

PART 1
Preliminary

1 Overview
(1) This Act makes provision about protection.

2 Protection
(1) This Act protects individuals.

3 Terms
(1) This section defines terms.

SCHEDULE 1
Section 2
Special categories
PART 1
Employment
1 (1) This condition is met if it is necessary.
2 (1) This condition is met for health.
"""

CODE = """
DIVISION 3. OBLIGATIONS

1798.100.  General Duties

(a) A business shall inform consumers.

(b) A third party may provide it.

1798.105.  Right to Delete

(a) A consumer may request deletion.
"""

BILL = """
# A BILL to modernise things

## TITLE VII - RESEARCH

### CHAPTER 1 - SHORT TITLE AND FINDINGS

#### SEC. 701. PROGRAMS.

(a) There is a program.

#### SEC. 702. INSTITUTES.

(a) There are institutes.

(b) They are twelve.

### CHAPTER 4 - INSTITUTES ABROAD

#### SEC. 703. TRAVEL.

(a) Travel is paid.

#### Amendment of Article XIV, Section 8

It is struck.
"""

HANDBOOK = "CHAPTER ONE\nINTRODUCTION\n\nIt begins.\n\nCHAPTER TWO\nCONTROLS\n\nThey follow.\n"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("cited")
    texts = {"agreement": AGREEMENT, "act": ACT, "code": CODE, "handbook": HANDBOOK}
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text.lstrip(), encoding="utf-8")
    (folder / "bill.md").write_text(BILL.lstrip(), encoding="utf-8")
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(folder), **stores}) as opened:
        opened.ingest()
        yield opened


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("clause 2.1(a)", "assign qualified"),
        ("What does clause 3.1 say about invoices?", "thirty days"),
        ("paragraph 2 of Schedule 1", "met for health"),
        ("2.1", "assign qualified"),
        ("1798.105(a)", "request deletion"),
        ("1798.100", "inform consumers"),
        ("Chapter Two", "They follow"),
        ("TITLE VII, SEC. 702(b)", "twelve"),
        ("SEC. 702(b), TITLE VII", "twelve"),
        ("TITLE VII, CHAPTER 4", "Travel is paid"),
    ],
)
def test_the_cited_passage_stands_first(index: Index, query: str, words: str) -> None:
    result = index.search(query)
    assert words in result.hits[0].chunk.text
    assert result.hits[0].certain
    assert result.missing == ()


@pytest.mark.parametrize("query", ["clause 9.9", "9.9", "Chapter Nine"])
def test_what_is_not_there_is_said_to_be_absent(index: Index, query: str) -> None:
    result = index.search(query)
    assert [one.text for one in result.missing] != []
    assert not any(hit.certain for hit in result.hits)


def test_a_citation_within_a_quoted_phrase_is_part_of_the_phrase(index: Index) -> None:
    result = index.search('"paragraph 2 of Schedule 1 says"')
    assert "is not concerned" in result.hits[0].chunk.text
    assert [hit.certain for hit in result.hits[:2]] == [True, False]
    assert result.missing == ()


def test_a_quoted_citation_that_no_text_holds_is_one(index: Index) -> None:
    assert "request deletion" in index.search('"Section 1798.105(a)"').hits[0].chunk.text


def test_a_heading_that_cites_is_found_by_all_of_it(index: Index) -> None:
    first = index.search("Amendment of Article XIV, Section 8").hits[0]
    assert "It is struck" in first.chunk.text
    assert first.why.startswith("its heading is")


@pytest.mark.parametrize(
    ("phrase", "why"),
    [
        ('"on-site inspection is free"', "it holds the quoted words"),
        ('"on site inspection is free"', "it holds the quoted words, with other punctuation"),
        ('"On–site inspection, is free"', "it holds the quoted words, with other punctuation"),
        ('"fair share as agreed is due"', "it holds the quoted words, with other punctuation"),
        (
            '"every non profit ship owner shall"',
            "it holds the quoted words, with other punctuation",
        ),
        (
            '"every non-profit ship-owner shall"',
            "it holds the quoted words, with other punctuation",
        ),
        ('"the owners crew boards"', "it holds the quoted words, with other punctuation"),
    ],
)
def test_punctuation_within_a_phrase_does_not_count(tmp_path: Path, phrase: str, why: str) -> None:
    (tmp_path / "act.md").write_text(
        "# Act\n\n## Section 1\n\nAn on-site inspection is free.\n\n## Section 2\n\nThe “fair share” — as agreed — is due.\n\n"
        "## Section 3\n\nBefore every non-profit ship owner shall sail, the owner’s crew boards.\n",
        encoding="utf-8",
    )
    with Index.open(
        {"source": str(tmp_path), "vector": "in-memory", "keyword": "in-memory"}
    ) as index:
        index.ingest()
        hit = index.search(phrase).hits[0]
    assert (hit.certain, hit.why) == (True, why)


@pytest.mark.parametrize(
    "query",
    [
        "What does Berth mean?",
        'What does "Berth" mean?',
        "definition of Berth",
        "Qu’entend-on par « Berth » ?",
        "Que veut dire Berth ?",
        "Was bedeutet „Berth“?",
    ],
)
def test_a_query_that_asks_what_a_term_means_gets_its_definition(
    tmp_path: Path, query: str
) -> None:
    (tmp_path / "act.md").write_text(
        "# Act\n\n## Section 1\n\nEach Berth is free.\n\n## Section 2\n\n“Berth” means a place for a boat.\n\n"
        "## Section 3\n\nWhat a Berth costs is agreed.\n\n## Berth, fees\n\nNo fees.\n",
        encoding="utf-8",
    )
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as index:
        index.ingest()
        hit = index.search(query).hits[0]
    assert "means a place" in hit.chunk.text


STORES = {"vector": "in-memory", "keyword": "in-memory"}


def test_a_heading_is_sought_below_the_one_that_is_all_else_that_the_query_says(
    tmp_path: Path,
) -> None:
    (tmp_path / "act.md").write_text(
        f"# Act\n\n## Liability and sanctions\n\n### Offences\n\n{'Sanctions follow offences. ' * 30}\n\n"
        f"## Sanctions\n\n### Offences\n\n{'Whoever discloses records is fined. ' * 30}\n",
        encoding="utf-8",
    )
    with Index.open({"source": str(tmp_path), **STORES}) as index:
        index.ingest()
        first, second = index.search("Offences, sanctions").hits[:2]
    assert "discloses records" in first.chunk.text
    assert (first.ambiguous, second.ambiguous) == (True, True)
