"""Statutes and codes whose sections begin with a run-in heading, whatever sign stands behind it."""

from __future__ import annotations

import pytest

from hierdoc.models import Section
from hierdoc.structure.sections import section_tree


def outline(text: str) -> list[tuple[int, str | None]]:
    """Depth and key of each section."""
    found: list[tuple[int, str | None]] = []

    def visit(sections: tuple[Section, ...], depth: int) -> None:
        for one in sections:
            found.append((depth, one.key))
            visit(one.children, depth + 1)

    visit(section_tree(text, domain="auto"), 0)
    return found


def act(sign: str, label: str, gap: str) -> str:
    parts = []
    for number in range(1, 5):
        if number % 2:
            parts.append(f"{label}{number // 2 + 1}\nMatters of state")
        parts.append(
            f"{number}. Matter of it{sign} (1) The law is the law of the land.".replace("—  ", "—")
        )
        parts.append("   (2) Every person shall observe it.")
    return "THE LAW OF KITES\n\n" + gap.join(parts) + "\n"


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize("label", ["PART ", "Part-", "Part- ", "Part -"])
@pytest.mark.parametrize("sign", [".—", ".–", ".-", ". -", " :", ":", "."])
def test_signs_behind_a_heading(sign: str, label: str, gap: str) -> None:
    expected: list[tuple[int, str]] = []
    for number in range(1, 5):
        if number % 2:
            expected.append((0, f"part_{number // 2 + 1}"))
        expected += [(1, f"sec_{number}"), (2, f"sec_{number}_1"), (2, f"sec_{number}_2")]
    assert outline(act(sign, label, gap)) == expected


def test_sections_without_paragraphs_count_among_those_with_some() -> None:
    text = act(" :", "PART ", "\n").replace("3. Matter of it : (1) The", "3. Matter of it : The")
    assert (1, "sec_3") in outline(text)


def test_steps_with_a_colon_are_no_statute() -> None:
    text = "Notes\n\nDo this.\n\n" + "".join(
        f"{number}. Step of it: Take the kite and go on.\n" for number in range(1, 5)
    )
    assert outline(text) == []


def test_contents_before_the_first_section() -> None:
    contents = "".join(f"Part-{number}\nMatters of state\n" for number in (1, 2))
    assert outline(act(" :", "Part-", "\n").replace("THE LAW OF KITES\n", contents)) == outline(
        act(" :", "Part-", "\n")
    )


def code(sections: list[str]) -> str:
    text = "".join(
        f"{one}\n\nA. No person shall fly.\n\nB. The clerk shall see to it.\n\n(Ord. 351 § 3, 2005)\n\n"
        for one in sections
    )
    return f"TITLE 5 KITES\n\nChapter 5.04 FLYING\n\n{text}"


@pytest.mark.parametrize(
    ("form", "joint"),
    [("5.04.0{}0 Matters.", "_"), ("5.04.0{}0 - Matters.", "_"), ("5-4-{}: MATTERS:", "-")],
)
def test_sections_of_a_municipal_code(form: str, joint: str) -> None:
    numbers = [form.format(number).split()[0].rstrip(":").replace(".", "_") for number in (1, 2, 3)]
    expected = [(0, "title_5"), (1, "ch_5_04")]
    for number in numbers:
        expected += [(2, f"sec_{number}"), (3, f"sec_{number}_a"), (3, f"sec_{number}_b")]
    assert outline(code([form.format(number) for number in (1, 2, 3)])) == expected
    assert joint in numbers[0]


def test_notes_without_a_full_stop_between_sections_of_a_code() -> None:
    text = "Title 15 - Kites\n\n" + "".join(
        f"15.1.04.0{number}0 Matters Of It\nThe words are used so.\n\nHistory\nAmended by Ord. 24 on 12/12/2023\n"
        for number in (1, 2, 3)
    )
    assert [key for _, key in outline(text)][1:] == [f"sec_15_1_04_0{n}0" for n in (1, 2, 3)]


def test_definitions_that_count_beyond_a_hundred_hold_nothing() -> None:
    text = "Kite Agreement\n\n1 Terms\n\n1.1 Defined Terms.\n\n" + "".join(
        f"1.1.{number} Term means what it says here.\n\n" for number in range(98, 103)
    )
    found = outline(
        text.replace("1.1.98", "1.1.1", 1)
        + "1.2 Conflicts.\n\nThere are none.\n\n2 End\n\nSo be it.\n"
    )
    assert [key for depth, key in found if depth < 2][-2:] == ["sec_1_2", "sec_2"]
