"""Text whose lines were joined: where its sections begin can still be seen."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc.models import Section
from hierdoc.structure import section_tree
from hierdoc.structure.joined import unjoined

SENTENCE = "The Supplier shall deliver the goods in the manner that this Agreement describes. "
CONTRACT = (
    "SUPPLY AGREEMENT between the parties named below, who agree as follows: 1. DEFINITIONS 1.1 "
    f'"Goods" means what is sold. {SENTENCE * 4}1.2 "Price" means what is paid. {SENTENCE * 5}'
    f"2. Delivery and Risk 2.1 Delivery. {SENTENCE * 4}As set out in Section 2.2. Section 2.2 shall prevail. "
    f"2.2 Risk. {SENTENCE * 5}2.3 Documents (a) Invoices. {SENTENCE * 2}(b) Receipts. {SENTENCE * 3}"
    f"3. TERM AND TERMINATION This Agreement begins when it is signed. {SENTENCE * 6}12\n\n"
    f"3.1 Notice. {SENTENCE * 3}Either party may give it, to the other party 3.2 Effects. {SENTENCE * 8}"
)


def keys(text: str) -> list[str]:
    def walk(sections: tuple[Section, ...]) -> list[str]:
        return [key for one in sections for key in ((one.key or one.title), *walk(one.children))]

    return walk(section_tree(text, domain="auto"))


def test_sections_are_found_within_lines() -> None:
    assert keys(CONTRACT) == [
        *("sec_1", "sec_1_1", "sec_1_2", "sec_2", "sec_2_1", "sec_2_2", "sec_2_3", "sec_2_3_a"),
        *("sec_2_3_b", "sec_3", "sec_3_1", "sec_3_2"),
    ]


def test_titles_are_whole() -> None:
    titles = [one.title for one in section_tree(CONTRACT, domain="auto")]
    assert titles == ["1. DEFINITIONS", "2. Delivery and Risk", "3. TERM AND TERMINATION"]


@pytest.mark.parametrize("gap", ["   ", "        "])
def test_wide_gaps_stand_for_lines(gap: str) -> None:
    text = f"LEASE AGREEMENT between the parties{gap}Section 1.1 Rent{gap}(a) It is due. {SENTENCE * 9}"
    text += f"and the tenant pays{gap}Section 1.2 Repairs{gap}{SENTENCE * 9}"
    assert keys(text) == ["sec_1_1", "sec_1_1_a", "sec_1_2"]


@pytest.mark.parametrize(
    "text",
    [
        f"Nothing is numbered here. {SENTENCE * 20}",
        f"# Markdown\n\n1. One {SENTENCE * 20}2. Two {SENTENCE * 20}",
        "1. Short\n\n1.1 Lines\n\n2. Stay\n",
    ],
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert unjoined(text) == text


def test_a_figure_begins_no_section() -> None:
    text = f"AGREEMENT of the parties: 1. Price 1.1 Sum. {SENTENCE * 6}It is USD 1.2 Million or 1.3 Times the fee. {SENTENCE * 9}"
    assert "sec_1_2" not in keys(text)


@given(
    st.lists(
        st.sampled_from([SENTENCE, "1. A ", "1.1 B. ", "(a) c; ", "   ", "Section 2 ", "\n", "x"])
    )
)
def test_offsets_stay_what_they_are(pieces: list[str]) -> None:
    text = SENTENCE * 13 + "".join(pieces)
    broken = unjoined(text)
    assert len(broken) == len(text)
    assert all(
        a == b or b == "\n" or (b == " " and a == "\xa0") for a, b in zip(text, broken, strict=True)
    )


def test_long_runs_of_spaces_take_no_time() -> None:
    text = f"SUPPLY AGREEMENT between party and party\n\n{('X' + ' ' * 5_000 + chr(10) * 2) * 50}"
    started = process_time()
    unjoined(text)
    assert process_time() - started < 2
