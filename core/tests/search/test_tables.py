"""Tables that are known by their rows."""

from __future__ import annotations

import pytest

from hierdoc.config.models import SearchSettings
from hierdoc.search.tables import has_column, longest_row_in, recognised, rows_of
from hierdoc.search.terminology import TableKind, terminology_of

KIND = TableKind("tide table", (), ("high water", "low water", "neap tide", "spring tide"))


def test_rows_are_counted_by_their_beginnings_whatever_stands_between_the_cells() -> None:
    table = "| **High water**, at noon | 3.1 |\n\nlow water     0.4   0.5\n"
    assert rows_of(KIND, table) == 2


def test_a_sentence_about_a_row_is_none() -> None:
    assert rows_of(KIND, "The high water of 1953 rose. \nLow water is when boats rest.") == 0


def test_a_table_that_was_cut_is_known_in_each_part() -> None:
    texts = {
        "whole": "| high water | 1 |\n| low water | 2 |\n| neap tide | 3 |\n| spring tide | 4 |",
        "part": "| high water | 1 |\n| neap tide | 3 |\n| spring tide | 4 |",
        "other": "| high water | 1 |\n| berths | 3 |",
    }
    assert recognised([KIND], [list(texts)], texts) == {"whole": 1.0, "part": 0.75}


def test_statements_are_known_in_the_words_of_reports() -> None:
    terminology = terminology_of(SearchSettings())
    assert terminology is not None
    (kind,) = terminology.read("What does the balance sheet say?").tables
    sheet = """
    | Cash and cash equivalents | $1,526 |
    | Accounts receivable, net | 657 |
    | Total current assets | 2,526 |
    | Retained earnings | 2,423 |
    """
    assert rows_of(kind, sheet) == 4


@pytest.mark.parametrize("header", ["| Vessel | Fee (euros) |", "Vessel | Annual fee"])
def test_a_table_of_any_rows_is_known_by_a_column(header: str) -> None:
    kind = TableKind("schedule of fees", (), columns=("fee",))
    table = f"Some text.\n\n{header}\n|---|---|\n| dinghy | 12 |\n"
    assert has_column(kind, table)
    assert recognised([kind], [["a"]], {"a": table}) == {"a": 1.0}
    assert not has_column(kind, table.replace("ee", "ish"))


def test_a_row_is_no_header() -> None:
    kind = TableKind("schedule of fees", (), columns=("fee",))
    assert not has_column(kind, "| Vessel | Length |\n|---|---|\n| fee | 12 |\n")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("| Cold storage | 1 |", 2),
        ("| **Cold Storage**, per day | 1 |", 2),
        ("| Cold storage of fish | 1 |", 0),
        ("| storage | 1 |", 1),
        ("Cold storage is dear.", 0),
    ],
)
def test_a_row_is_named_by_its_whole_label(row: str, words: int) -> None:
    assert longest_row_in(" what does cold storage cost ", f"| Service | Fee |\n|---|---|\n{row}") == words  # fmt: skip
