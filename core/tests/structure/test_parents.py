"""Headings whose number only the next ones prove: `9 vi on a Mac` before `9.1`, `A Files` before `A.1`."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hierdoc import Section
from hierdoc.structure import section_tree


def chains(sections: Sequence[Section], around: str = "") -> list[str]:
    return [
        line
        for one in sections
        for line in (f"{around}{one.key}", *chains(one.children, f"{around}{one.key} > "))
    ]


def printed(*titles: str) -> str:
    return "\n\n".join(f"# {title}\n\nThe keeper lights the lamps." for title in titles)


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        (
            ("8 Fees", "8.1 Dues", "9 vi on a boat", "9.1 Keys", "9.2 Marks"),
            ["sec_8", "sec_8 > sec_8_1", "sec_9", "sec_9 > sec_9_1", "sec_9 > sec_9_2"],
        ),
        (
            ("8 Fees", "8.1 Dues", "A files of the harbour", "A.1 Keys", "B Marks", "B.1 Buoys"),
            ["sec_8", "sec_8 > sec_8_1", "app_a", "app_a > sec_a_1", "app_b", "app_b > sec_b_1"],
        ),
        (("8 Fees", "8.1 Dues", "A boat", "8.2 Tolls"), None),
        (("7 Fees", "7.1 Dues", "3 men in a boat", "8.1 Tolls"), None),
        (("A BILL", "TITLE I", "TITLE II", "APPENDIX A", "A.1 Keys"), None),
    ],
)
def test_the_next_number_proves_that_of_the_heading_above(
    titles: tuple[str, ...], expected: list[str] | None
) -> None:
    found = chains(section_tree(printed(*titles), domain="auto"))
    if expected is None:
        assert [one for one in found if one.endswith("None")]
    else:
        assert found == expected
