"""The tree of sections: nesting, spans, ids."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc import Document, Section
from hierdoc.structure import understand
from hierdoc.structure.sections import NO_PARENT, flatten, section_ids, section_tree, slug


def outline(sections: tuple[Section, ...]) -> list[object]:
    """Ids, each followed by the list of those within it."""
    found: list[object] = []
    for section in sections:
        found.append(section.id)
        if section.children:
            found.append(outline(section.children))
    return found


def ids(text: str) -> list[str]:
    return [entry.section.id for entry in flatten(section_tree(text))]


# Nesting and spans


def test_a_section_holds_the_deeper_ones_that_follow_it() -> None:
    text = "# A\n## B\n### C\n## D\n# E\n"
    assert outline(section_tree(text)) == ["a", ["b", ["c"], "d"], "e"]


def test_levels_may_be_skipped() -> None:
    text = "## A\n###### B\n### C\n# D\n"
    assert outline(section_tree(text)) == ["a", ["b", "c"], "d"]


def test_a_section_ends_where_one_of_its_own_or_an_outer_level_begins() -> None:
    text = "x\n# A\na\n## B\nb\n## C\n\n# D\n"
    spans = {
        entry.section.id: text[entry.section.char_start : entry.section.char_end]
        for entry in flatten(section_tree(text))
    }
    assert spans == {
        "a": "# A\na\n## B\nb\n## C\n\n",
        "b": "## B\nb\n",
        "c": "## C\n\n",
        "d": "# D\n",
    }


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_are_counted_from_one_to_the_last_of_the_section(ending: str) -> None:
    text = "x\n# A\na\n## B\nb\n\n# C\nc\n".replace("\n", ending)
    lines = {
        entry.section.id: (entry.section.line_start, entry.section.line_end)
        for entry in flatten(section_tree(text))
    }
    assert lines == {"a": (2, 6), "b": (4, 6), "c": (7, 8)}


def test_pages_are_those_of_the_heading_and_of_the_last_text() -> None:
    text = "# A\na\n\n## B\nb\n\n# C\n"
    pages = {
        entry.section.id: (entry.section.page_start, entry.section.page_end)
        for entry in flatten(
            section_tree(text, page_starts=(0, text.index("b"), text.index("# C")))
        )
    }
    assert pages == {"a": (1, 2), "b": (1, 2), "c": (3, 3)}


def test_without_pages_there_are_none() -> None:
    (section,) = section_tree("# A\n")
    assert (section.page_start, section.page_end) == (None, None)


@given(st.lists(st.integers(1, 6), max_size=30))
def test_every_section_lies_in_the_nearest_smaller_level_before_it(levels: list[int]) -> None:
    text = "".join(f"{'#' * level} h\n\ntext\n" for level in levels)
    flat = flatten(section_tree(text))
    assert [entry.section.level for entry in flat] == levels
    for index, entry in enumerate(flat):
        before = [place for place in range(index) if levels[place] < levels[index]]
        assert entry.parent == (before[-1] if before else NO_PARENT)
        later = [
            one.section.char_start
            for one in flat[index + 1 :]
            if one.section.level <= levels[index]
        ]
        assert entry.section.char_end == (later[0] if later else len(text))


# Ids


def test_a_numbered_heading_has_its_key_and_another_its_words() -> None:
    assert ids("# Article IV\n# Security Considerations\n# § 5 Begriffe\n# 4.2 Scope\n") == [
        "art_4", "security_considerations", "sec_5", "sec_4_2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Rationale", "rationale"),
        ("Für Öffentliche Stellen", "fur_offentliche_stellen"),
        ("Straße", "strasse"),
        ("web3_sha3 — `x`", "web3_sha3_x"),
        ("法律 总则", "法律_总则"),
        ("???", "section"),
        ("", "section"),
    ],
)
def test_slugs(title: str, expected: str) -> None:
    assert slug(title) == expected


def test_a_long_heading_is_shortened_between_words() -> None:
    words = slug("word " * 100)
    assert len(words) <= 80
    assert words.endswith("word")


def test_sections_that_share_a_number_are_told_apart_by_what_is_around_them() -> None:
    assert ids("# Article I\n## Section 1\n## Section 2\n# Article II\n## Section 1\n") == [
        "art_1", "art_1_sec_1", "sec_2", "art_2", "art_2_sec_1",
    ]  # fmt: skip


def test_an_ancestor_that_they_share_does_not_tell_them_apart() -> None:
    text = "# A\n## Methods\n### Returns\n# B\n## Methods\n### Returns\n"
    assert ids(text) == ["a", "a_methods", "a_returns", "b", "b_methods", "b_returns"]


def test_what_is_still_equal_is_numbered() -> None:
    assert ids("# A\n## B\n## B\n# C\n## B\n# A\n") == ["a", "a_b", "a_b_2", "c", "c_b", "a_2"]


def test_a_number_at_the_end_takes_no_other_sections_id() -> None:
    assert ids("# A\n# A\n# A 2\n# A\n") == ["a", "a_3", "a_2", "a_4"]


def test_sections_that_differ_only_by_case_have_distinct_ids() -> None:
    assert ids("# Section 5(A)\n# Section 5(a)\n") == ["sec_5_a", "sec_5_a__2"]


@given(
    st.lists(st.tuples(st.integers(1, 6), st.sampled_from(["A", "B", "A 2", "Sec. 1", "§ 1", "?"])))
)
def test_ids_are_unique(parts: list[tuple[int, str]]) -> None:
    found = ids("".join(f"{'#' * level} {title}\n" for level, title in parts))
    assert len(set(found)) == len(parts)


def test_thousands_of_equal_headings_get_ids() -> None:
    titles = ["Section 1"] * 20_000
    assert len(set(section_ids(titles, [NO_PARENT] * len(titles)))) == len(titles)


def test_the_amendments_of_a_constitution_have_their_own_sections(shared_data: Path) -> None:
    text = (shared_data / "legal" / "us-constitution.md").read_text(encoding="utf-8")
    found = ids(text)
    assert {"art_1_sec_1", "art_1_sec_2", "sec_8", "amend_14_sec_1", "amend_27"} <= set(found)
    assert len(set(found)) == len(found) == 89


def test_the_paragraphs_of_a_german_act_keep_their_numbers(shared_data: Path) -> None:
    text = (shared_data / "legal" / "de" / "bdsg_2018.md").read_text(encoding="utf-8")
    assert {f"sec_{number}" for number in range(1, 86)} <= set(ids(text))


# understand


def test_understanding_fills_sections_definitions_and_language() -> None:
    text = "# Act\n\nIn this Act, the term “child” means a person who has not reached the age of 16 of years.\n"
    document = understand(Document("act.md", "Act", text))
    assert [section.id for section in document.sections] == ["act"]
    assert [(one.term, one.section_id) for one in document.definitions] == [("child", "act")]
    assert document.language == "en"


def test_understanding_keeps_a_known_language() -> None:
    assert understand(Document("a", "a", "the of and to in a", language="de")).language == "de"


def test_a_heading_ends_where_its_section_does() -> None:
    first, second = section_tree("1.1.\x0cTITLE I—X", domain="legal_contract")
    assert first.body_start == first.char_end == second.char_start
