"""What questions are searched for by."""

from __future__ import annotations

import pytest

from hierdoc.config.models import SearchSettings
from hierdoc.search.query import rewrite as rewritten_by
from hierdoc.search.terminology import terminology_of

TERMINOLOGY = terminology_of(SearchSettings())


def rewrite(query: str) -> tuple[str, bool]:
    """The query to search for, and whether words were added."""
    assert TERMINOLOGY is not None
    text, reading = rewritten_by(query, TERMINOLOGY)
    return text, bool(reading.words)


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        ("What is the capex of Acme?", "capital expenditures"),
        ("Is Acme capital-intensive?", "property, plant and equipment"),
        ("How did working capital develop?", "current assets liabilities balance sheet"),
        ("What is the inventory turnover?", "inventories cost of sales"),
        ("See the statement of financial position.", "balance sheet"),
        ("EBITDA margin of Acme", "depreciation amortization"),
    ],
)
def test_terms_are_spelt_out_as_the_lines_they_stand_for(query: str, lines: str) -> None:
    text, spelt_out = rewrite(query)
    assert spelt_out
    assert text.startswith(query)
    assert set(lines.split()) <= set(text.removeprefix(query).split())


@pytest.mark.parametrize(
    "query",
    [
        "",
        "Who reports on borders? What is a base fee?",
        "Article 5(1)(a)",
        "the DPO of a controller",
        "If a master dies, who reports?",
        "Give the number of senators. Who elects them?",
    ],
)
def test_other_queries_stay_as_they_are(query: str) -> None:
    assert rewrite(query) == (query, False)


@pytest.mark.parametrize(
    "form",
    [
        "Answer in USD millions.",
        "Round your answer to two decimal places.",
        "If it is not a useful metric, then please state that and explain why.",
        "Please respond in one sentence.",
    ],
)
def test_sentences_about_the_form_of_the_answer_are_left_out(form: str) -> None:
    assert rewrite(f"How many ships has Acme? {form}") == ("How many ships has Acme?", False)


def test_a_query_of_such_sentences_alone_is_kept() -> None:
    assert rewrite("Answer in USD millions.") == ("Answer in USD millions.", False)


def test_a_sentence_that_names_a_statement_is_kept() -> None:
    query = "What did Acme earn? Give a response from the income statement alone."
    assert rewrite(query)[0].startswith(query)
