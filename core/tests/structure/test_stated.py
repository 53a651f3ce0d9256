"""Documents whose markup states their outline: the sections are that and nothing else."""

from __future__ import annotations

import pytest

from hierdoc import ConversionError, Division, Document, Section
from hierdoc.defaults.chunkers import StructureChunker, TokenChunker
from hierdoc.structure import flatten, understand

TEXT = """\
Harbour Act

SEC. 203. REPORTS

(a) In general. Every master reports.

(1) the ship, and

(2) SEC. 9. OF ANOTHER ACT is quoted here.

# not a heading

Annex

The list.
"""


def division(title: str, level: int, enumerator: str = "", key: str | None = None) -> Division:
    start = TEXT.index(title)
    return Division(start, start + len(title), level, title, key, enumerator)


OUTLINE = (
    division("SEC. 203. REPORTS", 2),
    division("(a) In general", 3, "a"),
    division("(1)", 9, "1"),
    division("(2)", 9, "2"),
    division("Annex", 1),
)


def stated(*outline: Division) -> Document:
    return Document("act.xml", "Harbour Act", TEXT, outline=outline or OUTLINE)


def sections(document: Document, depth: int | None = None) -> list[Section]:
    understood = understand(document, max_subsection_depth=depth)
    return [one.section for one in flatten(understood.sections)]


def test_the_sections_are_those_of_the_outline() -> None:
    assert [one.id for one in sections(stated())] == [
        "sec_203", "sec_203_a", "sec_203_a_1", "sec_203_a_2", "annex",
    ]  # fmt: skip


def test_ids_and_keys_are_those_of_enumerated_subsections_in_text() -> None:
    text = "# Act\n\n## SEC. 203. REPORTS\n\n(a) Every ship.\n\n(b) Every boat.\n"
    found = [one.section for one in flatten(understand(Document("a.md", "Act", text)).sections)]
    outline = tuple(
        Division(one.char_start, one.body_start or 0, one.level, one.title, None, enumerator)
        for one, enumerator in zip(found, ("", "", "a", "b"), strict=True)
    )
    again = understand(Document("a.md", "Act", text, outline=outline))
    assert [one.section for one in flatten(again.sections)] == found


def test_they_lie_in_each_other_by_their_levels() -> None:
    first, last = understand(stated()).sections
    assert [one.title for one in first.children[0].children] == ["(1)", "(2)"]
    assert last.title == "Annex"
    assert first.char_end == last.char_start


def test_a_stated_key_is_the_key() -> None:
    outline = (division("SEC. 203", 1, key="art_7"), division("Annex", 1, key=""))
    assert [one.key for one in sections(stated(*outline))] == ["art_7", None]


def test_enumerated_subsections_are_kept_to_the_depth_asked_for() -> None:
    assert [one.id for one in sections(stated(), 1)] == ["sec_203", "sec_203_a", "annex"]
    assert [one.id for one in sections(stated(), 0)] == ["sec_203", "annex"]


@pytest.mark.parametrize("chunker", [StructureChunker(), TokenChunker()])
def test_chunkers_honour_it(chunker: StructureChunker | TokenChunker) -> None:
    begun = [one.id for chunk in chunker.chunk(stated()) for one in chunk.sections]
    assert begun == [one.id for one in sections(stated())]


@pytest.mark.parametrize(
    ("outline", "complaint"),
    [
        ((OUTLINE[1], OUTLINE[0]), "begins at 13, where the one before it has begun at 32"),
        ((OUTLINE[0], OUTLINE[0]), "where the one before it has begun"),
        ((Division(5, 4, 1, "Act"),), "goes from 5 to 4"),
        ((Division(-1, 4, 1, "Act"),), "goes from -1 to 4"),
        ((Division(5, 9_999, 1, "Act"),), "goes from 5 to 9999 in a text of"),
        ((Division(len(TEXT), len(TEXT), 1, "Act"),), "in a text of"),
        ((Division(0, 4, 0, "Act"),), "has the level 0"),
    ],
)
def test_an_outline_that_does_not_fit_the_text_is_an_error(
    outline: tuple[Division, ...], complaint: str
) -> None:
    with pytest.raises(ConversionError, match=r"act\.xml: division \d of the outline") as raised:
        understand(stated(*outline))
    assert complaint in str(raised.value)
    assert raised.value.hint
