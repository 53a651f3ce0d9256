"""The numbered paragraphs of judgments and resolutions."""

from __future__ import annotations

import pytest

from hierdoc.structure import flatten, section_tree

SENTENCE = "The appellant keeps a mill on the river, and the respondent has long fished below it without leave."


def keys(text: str) -> list[str | None]:
    return [one.section.key for one in flatten(section_tree(text, domain="auto"))]


@pytest.mark.parametrize("form", ["[{}]", "{}.", "{}   ", "**{}.**"])
def test_paragraphs_that_count_through_a_judgment_are_sections(form: str) -> None:
    paragraphs = [f"{form.format(number)} {SENTENCE} {SENTENCE}" for number in range(1, 7)]
    text = (
        "Miller v Weir\n\nTHE FACTS\n\n"
        + "\n\n".join(paragraphs[:3])
        + "\n\nTHE LAW\n\n"
        + "\n\n".join(paragraphs[3:])
    )
    assert [one for one in keys(text) if one] == [f"para_{number}" for number in range(1, 7)]


def test_they_stand_below_the_headings_of_the_judgment() -> None:
    text = f"Miller v Weir\n\nI. Facts\n\n[1] {SENTENCE}\n\n[2] {SENTENCE}\n\nII. Law\n\nA. Title\n\n[3] {SENTENCE}\n\n[4] {SENTENCE}\n"
    flat = flatten(section_tree(text, domain="auto"))
    around = {one.section.key: flat[one.parent].section.title for one in flat if one.parent >= 0}
    assert around["para_2"] == "I. Facts"
    assert around["para_3"] == around["para_4"] == "A. Title"


def test_they_may_count_through_chapters_that_have_numbers_of_their_own() -> None:
    chapters = ["1 INTRODUCTION", "2 SCOPE", "3 ADVICE"]
    paragraphs = [f"{number}. {SENTENCE} {SENTENCE}" for number in range(1, 7)]
    text = "Guidelines 4/2033\n\n" + "\n\n".join(
        f"{chapter}\n\n{paragraphs[2 * place]}\n\n{paragraphs[2 * place + 1]}"
        for place, chapter in enumerate(chapters)
    )
    flat = flatten(section_tree(text, domain="auto"))
    around = {one.section.key: flat[one.parent].section.title for one in flat if one.parent >= 0}
    assert around["para_2"] == "1 INTRODUCTION"
    assert around["para_3"] == "2 SCOPE"
    assert [one.section.key for one in flat if one.parent < 0] == ["sec_1", "sec_2", "sec_3"]


@pytest.mark.parametrize(
    "text",
    [
        f"Report\n\n{SENTENCE * 8}\n\n[1] Miller, On mills.\n\n[2] Weir, On rivers.\n\n[3] Fisher, On fish.\n",  # a bibliography
        f"Manual\n\n1. Open it. {SENTENCE * 2}\n\n2. Close it. {SENTENCE * 2}\n\n3. Rest. {SENTENCE * 2}\n\n1. Fill it. {SENTENCE * 2}\n\n2. Empty it. {SENTENCE * 2}\n",
        "# Mill\n\n## Use\n\n"
        + "\n\n".join(f"{number}. Turn it. {SENTENCE * 2}" for number in range(1, 6)),  # one list
    ],
)
def test_lists_are_no_numbered_paragraphs(text: str) -> None:
    assert not any(key and key.startswith("para_") for key in keys(text))
