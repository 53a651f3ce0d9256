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
        (("12  Fees", "12A  Dues", "13  Tolls"), ["sec_12", "sec_12a", "sec_13"]),
        (
            ("A Fees", "A.1 Dues", "A.2 Tolls", "B Marks", "B.1 Buoys"),
            ["sec_a", "sec_a > sec_a_1", "sec_a > sec_a_2", "sec_b", "sec_b > sec_b_1"],
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


def test_an_inserted_section_does_not_lie_in_the_one_before() -> None:
    text = (
        "## 1 Fees\n\nDues.\n\n## Part 2\n\n## 9 Lamps\n\nOil.\n\n## 10 Oil\n\nTar.\n\n## 10A Tar\n"
    )
    found = chains(section_tree(text, domain="auto"))
    assert found == ["sec_1", "part_2", *(f"part_2 > sec_{one}" for one in ("9", "10", "10a"))]


def test_sections_lie_in_the_hundred_that_they_count_from() -> None:
    text = "".join(f"## {number} Of it\n\nText.\n\n" for number in (1, 101, 102, 2, 201))
    found = chains(section_tree(f"# Part 1\n\n{text}", domain="auto"))
    assert [one.count(">") for one in found][1:] == [1, 1, 1, 1, 1]


def test_sections_that_count_on_behind_99_lie_beside_it() -> None:
    text = "".join(f"## {number} Of it\n\n" for number in range(1, 121))
    found = chains(section_tree(f"## Part 1\n\n{text}", domain="auto"))
    assert found == ["part_1", *(f"part_1 > sec_{number}" for number in range(1, 121))]
