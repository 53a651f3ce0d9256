"""The built-in chunkers: what holds of all chunks, and what each of their fields says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc import Chunk, Document, Section
from hierdoc.defaults.chunkers import StructureChunker, TokenChunker
from hierdoc.structure import understand
from hierdoc.text.language import estimate_tokens

ACT = """\
---
title: x
---
Preamble.

# Act

## Title I—General

### Section 1. Scope

This Act applies to Section 2 and section 5 of the Clean Air Act.

### Section 2. Definitions

In this Act, the term “child” means a person.

## Title II

### Section 1

Words.
"""

TEXTS = st.lists(
    st.sampled_from(
        [
            "# A\n",
            "## Section 1\n",
            "### B\n",
            "B\n===\n",
            "word ",
            "Words. ",
            "\n",
            "\n\n",
            "- item\n",
            "| a |\n",
            "```\n",
            "“x” means y.\n\n",
            "Section 1 ",
            "法律。",
            "x" * 90,
            "  ",
        ]
    ),
    max_size=40,
).map("".join)


def document(text: str, **fields: Any) -> Document:
    return understand(Document("act.md", "Act", text, **fields))


def structured(text: str, limit: int = 800, overlap: int = 50, **fields: Any) -> Sequence[Chunk]:
    return StructureChunker(limit, overlap).chunk(document(text, **fields))


def within(sections: Sequence[Section]) -> Iterator[str]:
    for section in sections:
        yield section.id
        yield from within(section.children)


def check(whole: Document, chunks: Sequence[Chunk], limit: int) -> None:
    """The contract of a chunker."""
    text = whole.text
    covered = [False] * len(text)
    for number, chunk in enumerate(chunks):
        assert chunk.ordinal == number
        assert chunk.text == text[chunk.char_start : chunk.char_end]
        assert chunk.text.strip()
        assert estimate_tokens(chunk.text) <= limit
        assert chunk.line_start == text.count("\n", 0, chunk.char_start) + 1
        assert chunk.line_end == text.count("\n", 0, chunk.char_end - 1) + 1
        covered[chunk.char_start : chunk.char_end] = [True] * len(chunk.text)
    starts = [chunk.char_start for chunk in chunks]
    assert starts == sorted(set(starts))
    assert all(there or character.isspace() for there, character in zip(covered, text, strict=True))
    assert [one.id for chunk in chunks for one in chunk.sections] == list(within(whole.sections))
    assert [one for chunk in chunks for one in chunk.definitions] == list(whole.definitions)


# Laws


@pytest.mark.parametrize("chunker", [StructureChunker, TokenChunker])
@given(text=TEXTS, limit=st.integers(8, 40), overlap=st.integers(0, 20))
def test_chunks_hold_everything_once_and_none_exceeds_the_limit(
    chunker: Any, text: str, limit: int, overlap: int
) -> None:
    whole = document(text)
    check(whole, chunker(limit, overlap).chunk(whole), limit)


@pytest.mark.parametrize("chunker", [StructureChunker, TokenChunker])
def test_chunks_of_real_documents(shared_data: Path, chunker: Any) -> None:
    paths = [
        shared_data / "legal" / "us-constitution.md",
        *shared_data.glob("legal/de/*.md"),
        *shared_data.glob("technical/eips/eip-1*.md"),
    ]
    for path in paths:
        whole = document(path.read_text(encoding="utf-8"))
        check(whole, chunker().chunk(whole), 800)


@pytest.mark.parametrize("chunker", [StructureChunker, TokenChunker])
@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.nightly)])
def test_the_limit_holds_for_a_real_tokenizer(shared_data: Path, chunker: Any, every: int) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the tokenizers package is not installed")
    file = shared_data / "models" / "all-MiniLM-L6-v2-onnx" / "tokenizer.json"
    tokenizer = tokenizers.Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    sizes = []
    folders = [shared_data / one for one in ("legal", "legal/de", "technical/eips")]
    for path in [file for one in folders for file in sorted(one.glob("*.md"))[::every]]:
        texts = [
            chunk.text for chunk in chunker().chunk(document(path.read_text(encoding="utf-8")))
        ]
        sizes += [len(one.ids) for one in tokenizer.encode_batch(texts, add_special_tokens=False)]
    assert sum(size > 800 for size in sizes) <= 0.01 * len(sizes)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "word is, it. " * 80_000,
        "# a\n" * 20_000,
        "法律很好。" * 100_000,
        "a\n\n" * 50_000,
    ],
    ids=lambda text: text[:6],
)
def test_hostile_text_is_cut(text: str) -> None:
    assert sum(len(chunk.text) for chunk in structured(text)) >= len(text.replace("\n", ""))


@pytest.mark.parametrize("arguments", [(7, 0), (800, -1)])
@pytest.mark.parametrize("chunker", [StructureChunker, TokenChunker])
def test_limits_that_cannot_hold_are_refused(chunker: Any, arguments: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=str(min(arguments) if min(arguments) else 7)):
        chunker(*arguments)


# Along the structure


def test_a_chunk_is_a_section_and_what_stands_before_the_first_is_one_too() -> None:
    assert [chunk.section_id for chunk in structured(ACT)] == [
        None,
        "title_1_sec_1",
        "sec_2",
        "title_2_sec_1",
    ]


def test_a_heading_without_text_goes_with_the_section_that_follows() -> None:
    chunk = structured(ACT)[1]
    assert chunk.text.startswith("# Act\n\n## Title I")
    assert [section.id for section in chunk.sections] == ["act", "title_1", "title_1_sec_1"]
    assert chunk.headings == ("act", "title i-general", "general", "section 1. scope", "scope")
    assert chunk.parent_chain == ("Act", "Title I—General", "Section 1. Scope")


def test_a_heading_that_nothing_follows_stands_alone() -> None:
    assert [chunk.text for chunk in structured("# A\n\na\n\n# B\n")] == ["# A\n\na", "# B"]


def test_a_section_begins_once_also_where_it_is_cut() -> None:
    chunks = structured("# A\n\n" + "Words and words. " * 200, 100, 20)
    assert len(chunks) > 3
    assert [len(chunk.sections) for chunk in chunks] == [1] + [0] * (len(chunks) - 1)
    assert {chunk.section_id for chunk in chunks} == {"a"}
    assert {chunk.section_keys for chunk in chunks} == {("a",)}


def test_pieces_of_a_section_overlap_and_sections_do_not() -> None:
    first, second, third = structured("# A\n\n" + "Words and words. " * 20 + "\n\n# B\n\nb", 80, 20)
    assert second.char_start < first.char_end
    assert third.text == "# B\n\nb"


def test_a_document_without_headings_is_cut_under_its_title() -> None:
    chunks = structured("Words and words. " * 100, 100, 0)
    assert len(chunks) > 3
    assert {(chunk.title, chunk.parent_chain, chunk.section_id) for chunk in chunks} == {
        ("Act", (), None)
    }


@pytest.mark.parametrize("text", ["", " \n\n"])
def test_an_empty_document_has_no_chunks(text: str) -> None:
    assert list(structured(text)) == []
    assert list(TokenChunker().chunk(document(text))) == []


def test_a_document_that_nobody_has_understood_is_understood_first() -> None:
    plain = Document("act.md", "Act", ACT)
    assert StructureChunker().chunk(plain) == StructureChunker().chunk(understand(plain))


def table(rows: int) -> str:
    lines = (f"| {number} | words about it |" for number in range(rows))
    return "\n".join(("# A", "", "| no | remark |", "|---|---|", *lines)) + "\n"


def test_a_table_that_goes_on_repeats_its_header_in_the_context_and_not_in_the_text() -> None:
    first, *others = structured(table(60), 100, 10)
    assert (first.context, first.kind) == ("", "table")
    assert len(others) > 3
    assert {chunk.context for chunk in others} == {"| no | remark |"}
    assert not any("remark" in chunk.text for chunk in others)


def test_a_long_table_is_cut_between_rows() -> None:
    rows = set(table(60).split("\n"))
    assert all(set(chunk.text.split("\n")) <= rows for chunk in structured(table(60), 100))


def test_text_behind_a_table_has_no_header() -> None:
    assert structured(table(5) + "\n# B\n\nwords\n")[-1].context == ""


@pytest.mark.parametrize("chunker", [StructureChunker, TokenChunker])
def test_the_limit_is_exact_where_tokens_can_be_counted(chunker: Any) -> None:
    text = "# A\n\n" + "Words, and words; more of them. " * 200
    per_word = lambda text: 2 * len(text.split())  # noqa: E731
    chunks = chunker(60, 0).counting(per_word).chunk(document(text))
    assert all(per_word(chunk.text) <= 60 for chunk in chunks)
    roomy = chunker(60, 0).counting(lambda text: len(text) // 9).chunk(document(text))
    assert len(roomy) <= len(chunker(60, 0).chunk(document(text)))


def test_tokens_are_counted_only_near_the_limit() -> None:
    asked = []
    counting = StructureChunker(800, 0).counting(lambda text: asked.append(text) or 1)
    counting.chunk(document("# A\n\nfew words\n\n# B\n\n" + "word " * 300))
    assert asked == []


def test_definitions_and_references_are_left_out_where_they_are_not_wanted() -> None:
    plain = StructureChunker(extract_definitions=False, extract_references=False)
    chunks = plain.chunk(Document("act.md", "Act", ACT))
    assert [(chunk.definitions, chunk.references) for chunk in chunks] == [((), ())] * 4
    assert [chunk.text for chunk in chunks] == [chunk.text for chunk in structured(ACT)]


# By length


def test_windows_lie_in_the_innermost_section_that_holds_them_whole() -> None:
    (chunk,) = TokenChunker().chunk(document(ACT))
    assert (chunk.section_id, chunk.parent_chain) == (None, ())
    assert chunk.section_keys[:3] == ("act", "title_1", "title_1_sec_1")
    small = TokenChunker(20, 0).chunk(
        document("# A\n\n" + "word " * 40 + "\n## B\n\n" + "word " * 40)
    )
    assert [chunk.section_id for chunk in small[:1]] == ["a"]
    assert small[-1].section_id == "b"


# Fields


def test_a_chunk_names_its_document() -> None:
    chunk = structured(ACT, language="en")[1]
    assert (chunk.source, chunk.title, chunk.language, chunk.id, chunk.context) == (
        "act.md",
        "Act",
        "en",
        "",
        "",
    )


def test_a_chunk_is_found_by_the_ids_and_keys_of_its_sections_and_of_those_around() -> None:
    chunk = structured(ACT)[-1]
    assert chunk.section_keys == ("title_2", "title_2_sec_1", "sec_1")
    assert chunk.ancestor_keys == ("act", "title_2")


def test_sections_of_a_chunk_have_no_children() -> None:
    chunk = structured(ACT)[1]
    assert all(section.children == () for section in chunk.sections)
    assert (chunk.sections[0].char_start, chunk.sections[0].char_end) == (
        chunk.char_start,
        len(ACT),
    )


def test_a_definition_belongs_to_the_chunk_in_which_it_begins() -> None:
    assert [[one.term for one in chunk.definitions] for chunk in structured(ACT)] == [
        [],
        [],
        ["child"],
        [],
    ]
    assert structured(ACT)[2].kind == "definition"


def test_references_say_what_they_mean_where_it_is_in_the_document() -> None:
    references = structured(ACT)[1].references
    assert [(one.text, one.section_id, one.resolved, one.chunk_ids) for one in references] == [
        ("Section 2", "sec_2", True, ()),
        ("section 5 of the Clean Air Act", "clean_air_act_sec_5", False, ()),
    ]


def test_neither_headings_nor_mentions_of_the_section_itself_are_references() -> None:
    assert structured("# Section 1\n\nSection 1(a) applies.\n")[0].references == ()


def test_lines_begin_at_one_and_include_the_last() -> None:
    chunk = structured("x\r\n\r\n# A\r\n\r\na\r\n")[1]
    assert (chunk.line_start, chunk.line_end) == (3, 5)


def test_pages_are_those_of_the_first_and_last_character() -> None:
    text = "# A\n\none\n\ntwo\n\n# B\n\nb\n"
    chunks = structured(text, page_starts=(0, text.index("two"), text.index("# B")))
    assert [(chunk.page_start, chunk.page_end) for chunk in chunks] == [(1, 2), (3, 3)]
    assert structured(text)[0].page_start is None


# Enumerated subsections

BILL = """SEC. 203. REPORTS.

(a) IN GENERAL.—The Secretary shall—

(1) report to Congress; and

(2) publish the report.

(b) TIMING.—The report is due each year.

SEC. 204. RULES.

The Secretary shall make rules.
"""


def test_a_section_is_one_chunk_with_its_enumerated_subsections() -> None:
    first, second = structured(BILL)
    assert first.section_id == "sec_203"
    assert first.section_keys == (
        "sec_203",
        "sec_203_a",
        "sec_203_a_1",
        "sec_203_a_2",
        "sec_203_b",
    )
    assert second.section_keys == ("sec_204",)


def test_a_chunk_within_a_subsection_has_that_as_its_section() -> None:
    text = BILL.replace("Congress;", "Congress " + "on all that was done " * 60 + ";")
    chunks = StructureChunker(max_chunk_tokens=100, chunk_overlap=0).chunk(
        Document("act.md", "Act", text)
    )
    inner = [chunk for chunk in chunks if chunk.section_id == "sec_203_a_1"]
    assert inner
    assert all({"sec_203_a_1", "sec_203_a", "sec_203"} <= set(one.section_keys) for one in inner)


def test_every_section_begins_in_one_chunk() -> None:
    text = BILL.replace("\n(1)", "\n    (1)").replace("\n(2)", "\n    (2)")
    for limit in (20, 30, 50, 800):
        chunks = StructureChunker(limit, 5).chunk(Document("act.md", "Act", text))
        begun = [section.id for chunk in chunks for section in chunk.sections]
        assert begun == [
            "sec_203",
            "sec_203_a",
            "sec_203_a_1",
            "sec_203_a_2",
            "sec_203_b",
            "sec_204",
        ]


def test_a_bold_title_leaves_the_chunk_to_its_numbered_section() -> None:
    text = "# Article I\n\n## Section 4\n**Freedom of speech.**\n\nNo law shall be passed.\n\n## Section 5\n\nx\n"
    chunk = structured(text)[0]
    assert chunk.section_id == "sec_4"
    assert "freedom of speech" in chunk.headings


def test_headings_of_subsections_are_headings_without_the_enumerator() -> None:
    assert {"in general", "timing"} <= set(structured(BILL)[0].headings)
    assert "(1)" not in structured(BILL)[0].headings


def test_a_chunker_may_be_told_how_to_understand() -> None:
    document = Document("act.md", "Act", BILL)
    assert StructureChunker(domain="none").chunk(document)[0].section_id is None
    chunk = StructureChunker(max_subsection_depth=1).chunk(document)[0]
    assert chunk.section_keys == ("sec_203", "sec_203_a", "sec_203_b")
