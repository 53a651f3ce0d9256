"""Tables: where they are, and their headers."""

from __future__ import annotations

import pytest

from hierdoc.structure.kinds import Kinds
from hierdoc.structure.layout import Spans, find_tables

GITHUB = "| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |"


def held(text: str) -> list[tuple[str, str]]:
    return [(text[one.start : one.end], one.header) for one in find_tables(text)]


def test_a_table_has_a_header_above_its_delimiters() -> None:
    assert held(f"x\n\n{GITHUB}\n\ny") == [(GITHUB, "| a | b |")]


def test_pipes_around_rows_are_optional() -> None:
    text = "a | b\n--- | ---\n1 | 2"
    assert held(text) == [(text, "a | b")]


def test_a_table_says_where_its_header_ends() -> None:
    (table,) = find_tables(GITHUB)
    assert GITHUB[: table.header_end] == table.header


def test_rows_without_delimiters_are_a_table_without_header() -> None:
    assert held("x | y\n\n| 1 | 2 |\n| 3 | 4 |\n\nz") == [("| 1 | 2 |\n| 3 | 4 |", "")]


def test_tables_stand_apart_where_a_line_without_pipe_is_between() -> None:
    assert [header for _, header in held(f"{GITHUB}\n\n{GITHUB.upper()}")] == [
        "| a | b |",
        "| A | B |",
    ]


@pytest.mark.parametrize("text", ["", "a | b", "a || b\nc", "no pipes"])
def test_a_pipe_makes_no_table(text: str) -> None:
    assert held(text) == []


def test_there_are_no_tables_in_fences() -> None:
    text = f"```\n{GITHUB}\n```"
    assert find_tables(text, Spans([(0, len(text))])) == []


def test_lines_may_end_with_carriage_returns() -> None:
    assert held(GITHUB.replace("\n", "\r\n"))[0][1] == "| a | b |"


def above(text: str, row: str) -> str:
    """What is said to stand above the table where this row continues it."""
    return Kinds(text).header(text.index(row))


def test_a_table_that_goes_on_has_its_caption_and_header_above() -> None:
    text = f"# Fees\n\nThe harbour is old.\n\nTable 2: Berths\n(in euros)\n\n{GITHUB}"
    assert above(text, "| 3 | 4 |") == "Table 2: Berths\n(in euros)\n| a | b |"


@pytest.mark.parametrize(
    "line", ["# Heading", "A sentence of a paragraph.", "| x | y |", "w " * 100]
)
def test_other_lines_above_are_no_caption(line: str) -> None:
    assert above(f"{line}\n\n{GITHUB}", "| 3 | 4 |") == "| a | b |"


def test_the_row_that_names_the_columns_is_a_header_where_the_first_names_none() -> None:
    rows = "| December 31, | 2018 | 2017 |\n| Cash | 7,637 | 8,813 |\n| Debt | 3,190 | 1,335 |"
    text = f"| (in millions) | | |\n|---|--:|--:|\n{rows}"
    assert above(text, "| Debt") == "| (in millions) | | |\n| December 31, | 2018 | 2017 |"
    figures = text.replace("| December 31, | 2018 | 2017 |\n", "")
    assert above(figures, "| Debt") == "| (in millions) | | |"


def test_nothing_is_above_a_table_that_begins() -> None:
    assert above(f"Berths\n\n{GITHUB}", "| a | b |") == ""
