"""What a query names: headings and terms, told apart by what stands above them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hierdoc import AsyncIndex, SearchResult
from hierdoc.models import Mode

FEES = """# Tariff of {name}

## Application

### Fees

{name} businesses pay ten per application.

## Definitions

"Applicant" means whoever applies to the {name} office.
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tariffs")
    for name in ("small", "large"):
        (folder / f"{name}.md").write_text(FEES.format(name=name))
    for number in range(40):
        (folder / f"note-{number}.md").write_text(f"# Note {number}\n\n## Fees\n\nNone.\n")
    return folder


def ask(folder: Path, query: str, mode: Mode = "hybrid") -> SearchResult:
    async def scenario() -> SearchResult:
        config = {"source": str(folder), "vector": "in-memory", "keyword": "in-memory"}
        async with AsyncIndex.open(config) as index:
            await index.ingest()
            return await index.search(query, mode=mode)

    return asyncio.run(scenario())


@pytest.mark.parametrize("query", ["Fees, large", "large tariff fees", "fees in large"])
def test_a_heading_is_told_apart_by_what_it_stands_in(folder: Path, query: str) -> None:
    first = ask(folder, query).hits[0]
    assert first.chunk.source == f"{folder.name}/large.md"
    assert "fees" in first.chunk.headings
    assert first.certain
    assert first.why.startswith("its heading is")


def test_a_term_is_found_where_it_is_defined(folder: Path) -> None:
    first = ask(folder, "What does applicant mean in the tariff of small?").hits[0]
    assert first.chunk.source == f"{folder.name}/small.md"
    assert first.why == "it defines 'applicant'"


def test_a_word_that_nothing_accounts_for_leaves_it_uncertain(folder: Path) -> None:
    assert not any(hit.certain for hit in ask(folder, "fees for submarines").hits)


def test_a_query_that_stands_in_a_text_is_found_word_for_word(folder: Path) -> None:
    first = ask(folder, "Large businesses pay ten per application").hits[0]
    assert first.certain
    assert first.why == "it holds the words of the query as they are"


def test_a_citation_that_does_not_exist_is_said_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "act.md").write_text("# Act\n\n## § 3 Aim\n\nA.\n\n## § 4 Scope\n\nB.\n")
    result = ask(tmp_path, "What does § 9 say?")
    assert result.low_confidence
    (absent,) = result.missing
    assert (absent.text, absent.key, absent.nearest) == ("§ 9", "sec_9", ("§ 4", "§ 3"))
    assert ask(tmp_path, "What does § 4 say?").missing == ()


@pytest.mark.parametrize(
    ("query", "source"),
    [("the Special Tax", "b.md"), ("special tax", "a.md"), ("Special Tax", "c.md")],
)
@pytest.mark.parametrize("mode", ["hybrid", "exact"])
def test_the_term_most_like_the_query_stands_first(
    tmp_path: Path, query: str, source: str, mode: Mode
) -> None:
    for name, term in (("a", "special tax"), ("b", "the Special Tax"), ("c", "Special Tax")):
        text = f'# Act {name}\n\n## Terms\n\n"{term}" means the levy of county {name}.\n'
        (tmp_path / f"{name}.md").write_text(text)
    assert ask(tmp_path, query, mode).hits[0].chunk.source == f"{tmp_path.name}/{source}"


TITLE = (
    "Comprehensive Harbour Modernisation, Berth Digitisation, Crane Governance, Pilotage Enhancement, Dredging Renewal, "
    "Quay Electrification, Warehouse Safety and Sustainable Lighthouse Development Act"
)
LONG = f"""# {TITLE}

## Title I - Berth Digitisation

"Berth" means a place to lie at.

### Data minimisation

Berths keep no data.

## Definitions

**Data minimisation**

"Data minimisation" means keeping little.

"Crane" means what lifts.
"""


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (f"crane, {TITLE}", "what lifts"),
        (f"Berth Digitisation, {TITLE}", "a place to lie at"),
        ("What is meant by data minimisation?", "keeping little"),
        ("something about data minimisation", "keep no data"),
    ],
)
def test_names_before_long_titles_and_of_both_kinds(tmp_path: Path, query: str, words: str) -> None:
    (tmp_path / "long.md").write_text(LONG)
    first = ask(tmp_path, query).hits[0]
    assert first.certain
    assert words in first.chunk.text


def test_the_heading_that_a_query_begins_with_stands_before_the_one_around_it(
    tmp_path: Path,
) -> None:
    text = "# Act\n\n## General Provisions\n\n### Short title and findings\n\nIt is the Act.\n\n### Findings\n\nWe found.\n"
    (tmp_path / "act.md").write_text(text)
    assert "We found" in ask(tmp_path, "Findings, General Provisions").hits[0].chunk.text


def test_a_heading_with_a_lettered_number_says_where_a_term_stands(tmp_path: Path) -> None:
    text = '# Berth Bill\n\n## D.1 Cranes\n\n"Hoist" means what lifts.\n\n## D.2 Ropes\n\n"Hoist" means a rope.\n'
    (tmp_path / "bill.md").write_text(text)
    result = ask(tmp_path, "Hoist, D.1 Cranes")
    assert [hit.certain for hit in result.hits][:2] == [True, False]
    assert "lifts" in result.hits[0].chunk.text
