"""Terms that texts have other words for."""

from __future__ import annotations

import pytest

from hierdoc.config.models import SearchSettings
from hierdoc.search.terminology import Reading, terminology_of


def read(text: str, **settings: object) -> Reading:
    """What a text says by these settings."""
    terminology = terminology_of(SearchSettings.model_validate(settings))
    assert terminology is not None
    return terminology.read(text)


@pytest.mark.parametrize("name", ["capital expenditure", "Capital Expenditures", "CAPEX", "cap-ex"])
def test_case_hyphens_and_plurals_do_not_count(name: str) -> None:
    assert "purchases" in read(f"What were the {name} of Acme?").words.split()


@pytest.mark.parametrize("query", ["What does a DPO do?", "Which PPE do welders wear?"])
def test_an_abbreviation_of_many_meanings_means_nothing_by_itself(query: str) -> None:
    assert read(query) == Reading()


def test_it_means_what_another_term_of_its_domain_suggests() -> None:
    assert "payable" in read("DPO, given the COGS").words.split()


def test_a_clause_is_searched_for_by_its_own_words() -> None:
    assert {"competing", "business"} <= set(read("Is there a non-compete?").words.split())


def test_a_domain_can_be_left_out() -> None:
    assert read("Is there a non-compete?", domains=["accounting"]) == Reading()


def test_the_tables_of_a_term_are_asked_for() -> None:
    assert [one.name for one in read("the quick ratio").tables] == ["balance sheet"]


def test_a_configured_term_may_stand_in_built_in_and_in_configured_tables() -> None:
    reading = read(
        "How large is the float?",
        terms=[{"names": "float", "also": "premiums", "tables": ["balance sheet", "reserves"]}],
        tables=[{"name": "reserves", "rows": ["loss reserves", "claims"]}],
    )
    assert reading.words == "premiums"
    assert [one.name for one in reading.tables] == ["balance sheet", "reserves"]


def test_queries_can_be_left_as_they_are() -> None:
    assert terminology_of(SearchSettings(reword=False)) is None
