"""Packing: which sections make a chunk together, whatever the depth of the tree."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hierdoc import Chunk, Document, Section
from hierdoc.citations import section_key
from hierdoc.defaults.chunkers import StructureChunker
from hierdoc.structure import understand
from hierdoc.text.language import estimate_tokens


def tree(text: str) -> Document:
    """A document whose lines `1.. Title|own text` are sections at the depth that the dots say, without markdown."""
    sections: list[dict[str, Any]] = []
    plain = ""
    for line in text.strip("\n").split("\n"):
        depth = len(line) - len(line.lstrip("."))
        title, _, own = line.lstrip(".").partition("|")
        if depth:
            start = len(plain)
            body = start + len(title)
            sections.append(
                {"title": title, "level": depth, "char_start": start, "body_start": body}
            )
        plain += f"{title} {own}".rstrip() + "\n"
    for index, one in enumerate(sections):
        ends = (two["char_start"] for two in sections[index + 1 :] if two["level"] <= one["level"])
        one["char_end"] = next(ends, len(plain))
    return Document("a", "a", plain, sections=_nested(sections), language="en")


def _nested(sections: list[dict[str, Any]]) -> tuple[Section, ...]:
    found = []
    while sections:
        one, *rest = sections
        inside = [two for two in rest if two["char_start"] < one["char_end"]]
        sections = rest[len(inside) :]
        key = section_key(one["title"])
        identifier = f"{key or one['title'].lower()}@{one['char_start']}"
        found.append(
            Section(
                **one, id=identifier, line_start=1, line_end=1, children=_nested(inside), key=key
            )
        )
    return tuple(found)


def chunks(document: Document, limit: int = 60, small: int = 20) -> list[Chunk]:
    chunker = StructureChunker(limit, 0, small, extract_references=False)
    return list(chunker.chunk(document))


def begun(document: Document, limit: int = 60, small: int = 20) -> list[list[str]]:
    """The titles of the sections that begin in each chunk."""
    return [[one.title for one in chunk.sections] for chunk in chunks(document, limit, small)]


LONG = "words " * 24
"""About 50 tokens."""


def test_small_siblings_go_together_under_their_parent() -> None:
    document = tree(f".Act|{LONG}\n..Aims|one two\n..Scope|three\n..Rest|{LONG}")
    assert begun(document) == [["Act"], ["Aims", "Scope"], ["Rest"]]
    packed = chunks(document)[1]
    assert (packed.section_id or "").startswith("act@")
    assert packed.parent_chain == ("Act",)
    assert {name.partition("@")[0] for name in packed.section_keys} == {"aims", "scope"}
    assert packed.headings == ("aims", "scope")


def test_small_subsections_go_with_the_text_above_them() -> None:
    document = tree(f".Act|{LONG}\n..Part|one\n...Aims|two\n...Scope|three\n..Rest|{LONG}")
    assert begun(document)[1] == ["Part", "Aims", "Scope"]
    assert chunks(document)[1].parent_chain == ("Act", "Part")


def test_numbered_sections_never_share_a_chunk_with_their_siblings() -> None:
    document = tree(".Act|one\n..Section 1|two\n..Section 2|three\n..Section 3|four")
    assert begun(document) == [["Act"], ["Section 1"], ["Section 2"], ["Section 3"]]


def test_outermost_sections_stay_apart() -> None:
    assert begun(tree(".Aims|one\n.Scope|two")) == [["Aims"], ["Scope"]]


def test_nothing_is_packed_when_that_is_not_wanted() -> None:
    document = tree(".Act|one\n..Aims|two\n..Scope|three")
    assert begun(document, small=0) == [["Act"], ["Aims"], ["Scope"]]


def test_enumerated_parts_that_fit_stand_in_one_chunk_with_their_section() -> None:
    document = tree(".Section 5|one\n..(a)|two\n...(1)|three\n...(2)|four\n..(b)|five")
    assert begun(document) == [["Section 5", "(a)", "(1)", "(2)", "(b)"]]
    assert chunks(document)[0].parent_chain == ("Section 5",)


def test_enumerated_parts_that_do_not_fit_are_cut_between_at_the_deepest_boundary_that_fits() -> (
    None
):
    half = "words " * 12
    document = tree(
        f".Section 5|one\n..(a)|{half}\n...(1)|{half}\n...(2)|{half}\n..(b)|{half}\n..(c)|x"
    )
    found = begun(document)
    assert found == [["Section 5"], ["(a)", "(1)"], ["(2)"], ["(b)", "(c)"]]


def test_a_part_of_a_chunk_is_found_by_its_key() -> None:
    (chunk,) = chunks(tree(".Section 5|one\n..(a)|two\n...(1)|three"))
    assert len(chunk.section_keys) == len(set(chunk.section_keys)) >= 3


def test_headings_without_text_go_with_what_follows() -> None:
    document = tree(
        ".Act|\n..Part I|\n...Section 1|one\n...Section 2|two\n..Part II|\n...Section 3|three"
    )
    assert begun(document) == [
        ["Act", "Part I", "Section 1"],
        ["Section 2"],
        ["Part II", "Section 3"],
    ]
    assert [chunk.parent_chain[-1] for chunk in chunks(document)] == [
        "Section 1",
        "Section 2",
        "Section 3",
    ]


TITLES = st.sampled_from(["A", "Section 1", "(a)", "(1)", "Part I", "1.", "b."])
LINES = st.tuples(
    st.integers(1, 12), TITLES, st.sampled_from(["", "x", "one two.", "words " * 9, LONG])
)


@given(st.lists(LINES, min_size=1, max_size=25), st.integers(12, 60), st.integers(0, 40))
@example([(1, "A", ""), (2, "A", "x"), (2, "A", "")], 12, 2)
@example([(1, "A", ""), (2, "A", "x"), (2, "A", ""), (3, "A", "")], 12, 3)
def test_any_tree_is_held_whole_and_in_order(
    lines: list[tuple[int, str, str]], limit: int, small: int
) -> None:
    document = tree("\n".join(f"{'.' * depth}{title}|{own}" for depth, title, own in lines))
    made = chunks(document, limit, small)
    ends = [0, *(chunk.char_end for chunk in made)]
    starts = [*(chunk.char_start for chunk in made), len(document.text)]
    assert not any(
        document.text[end:start].strip() for end, start in zip(ends, starts, strict=True)
    )
    assert all(before.char_end <= after.char_start for before, after in pairwise(made))
    assert all(estimate_tokens(chunk.text) <= limit for chunk in made)
    assert sum(len(chunk.sections) for chunk in made) == len(lines)
    for chunk in made:
        for own in (one for one in chunk.sections if one.id == chunk.section_id):
            beyond = [one for one in chunk.sections if one.char_start >= own.char_end]
            titles = " ".join(one.title for one in beyond)
            assert document.text[own.char_end : chunk.char_end].split() == titles.split()
            assert beyond or chunk.char_end <= own.char_end


def test_a_tree_of_hundreds_of_levels_is_packed() -> None:
    deep = tree("\n".join(f"{'.' * depth}A|x" for depth in range(1, 300)))
    assert sum(len(chunk.sections) for chunk in chunks(deep)) == 299


def test_real_markdown_is_understood_and_packed_alike() -> None:
    text = f"# Act\n\n{LONG}\n\n## Aims\n\none\n\n## Scope\n\ntwo\n"
    assert begun(understand(Document("a", "a", text))) == [["Act"], ["Aims", "Scope"]]


ANCHORS = [
    "r[type.x]",
    "[[type-x]]",
    "{#type-x}",
    '<a id="x"></a>',
    '<a name="x">',
    "(type-x)=",
    ".. _type-x:",
    "[](){#x}",
]


@pytest.mark.parametrize("anchor", ANCHORS)
def test_an_anchor_is_no_chunk_of_its_own(anchor: str) -> None:
    prose = "This says what a type is, and how one is made of others. " * 4
    text = (
        f"{anchor}\n\n# Types\n\n{anchor}\n\n## 1 Scalars\n\n{anchor}\n\n{prose}\n\n{anchor}\n\n{prose}\n\n"
        f"{anchor}\n{prose}\n\n{anchor}\n\n## 2 Others\n\n{prose}\n"
    )
    document = understand(Document("a", "a", text))
    for chunk in chunks(document):
        assert "This says" in chunk.text, chunk.text
    assert "".join(chunk.text for chunk in chunks(document)).count(anchor) == text.count(anchor)
