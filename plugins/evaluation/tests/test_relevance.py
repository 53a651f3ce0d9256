"""What counts as a right chunk, and as the right place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hierdoc import Chunk, Document
from hierdoc.defaults.chunkers import StructureChunker
from hierdoc.structure import understand
from hierdoc_evaluation import Expected, Judge, Question
from hierdoc_evaluation.relevance import holds_text, section_names

ACT = """\
# Harbour Act

## Article I

### Section 1 Definitions
A harbour is a place where ships lie at anchor.

### Section 2 Reports
(a) Every master shall report. See Section 1.

#### Section 2.1 Late reports
They cost twenty crowns.

## Article II

### Section 1 Fees
The fee for a berth is 23.2 crowns a day.
"""


@pytest.fixture(scope="module")
def chunks() -> list[Chunk]:
    document = understand(Document("docs/act.md", "Harbour Act", ACT))
    return list(StructureChunker(max_chunk_tokens=800, chunk_overlap=0).chunk(document))


def judged(chunks: list[Chunk], expected: Expected) -> tuple[list[str], list[str]]:
    """Headings of the right passages, and of those whose place is right."""
    judge = Judge(Question("q", (expected,)), section_names(chunks))
    verdicts = [(chunk.parent_chain[-1], judge(chunk)) for chunk in chunks]
    right = [heading for heading, verdict in verdicts if verdict.right]
    return right, [heading for heading, verdict in verdicts if verdict.placed]


def of_act(**fields: object) -> Expected:
    return Expected("docs/act.md", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("section", "right"),
    [
        ("Article II, Section 1", ["Section 1 Fees"]),
        ("art_2_sec_1", ["Section 1 Fees"]),
        ("Section 1 Fees", ["Section 1 Fees"]),
        ("fees", ["Section 1 Fees"]),
        ("Section 2", ["(a)", "Section 2.1 Late reports"]),
        ("Section 2(a)", ["(a)"]),
        ("Section 2(b)", ["(a)", "Section 2.1 Late reports"]),
        ("Section 1", ["Section 1 Definitions", "Section 1 Fees"]),
        ("2.1", ["Section 2.1 Late reports"]),
        ("3", []),
        ("Section 9", []),
        ("Article I, Section 9", []),
    ],
)
def test_a_section_is_it_or_within_it(chunks: list[Chunk], section: str, right: list[str]) -> None:
    assert judged(chunks, of_act(section=section)) == (right, right)


def test_a_reference_to_a_section_is_not_the_section(chunks: list[Chunk]) -> None:
    right, _ = judged(chunks, of_act(section="Article I, Section 1"))
    assert right == ["Section 1 Definitions"]


def test_another_document_is_never_right(chunks: list[Chunk]) -> None:
    assert judged(chunks, Expected("docs/other.md", section="Section 2")) == ([], [])


def test_only_a_source_is_any_passage_of_it(chunks: list[Chunk]) -> None:
    right, placed = judged(chunks, of_act())
    assert len(right) == len(chunks)
    assert placed == []


def test_text_makes_the_passage_and_the_section_the_place(chunks: list[Chunk]) -> None:
    text = "ships lie at anchor"
    assert judged(chunks, of_act(text=text)) == (["Section 1 Definitions"], [])
    assert judged(chunks, of_act(text=text, section="Article I")) == (
        ["Section 1 Definitions"],
        ["Section 1 Definitions"],
    )
    assert judged(chunks, of_act(text=text, section="Article II")) == (
        ["Section 1 Definitions"],
        [],
    )


def test_a_passage_that_begins_in_the_section_before_states_another_place(
    chunks: list[Chunk],
) -> None:
    first, second = chunks[0], chunks[1]
    long = replace(
        first,
        text=first.text + second.text,
        section_keys=(*first.section_keys, *second.section_keys),
    )
    verdict = Judge(Question("q", (of_act(section="Section 2"),)))(long)
    assert verdict.right
    assert not verdict.placed


def test_keywords_must_all_stand_in_the_passage(chunks: list[Chunk]) -> None:
    assert judged(chunks, of_act(keywords=("fee", "23.2 crowns")))[0] == ["Section 1 Fees"]
    assert judged(chunks, of_act(keywords=("fee", "anchor")))[0] == []


def test_a_keyword_is_a_whole_word(chunks: list[Chunk]) -> None:
    assert judged(chunks, of_act(keywords=("ship",)))[0] == []


@pytest.mark.parametrize(
    ("page", "right"), [(2, False), (3, True), (4, True), (5, True), (6, False)]
)
def test_a_page_is_covered(chunks: list[Chunk], page: int, right: bool) -> None:
    chunk = replace(chunks[0], page_start=3, page_end=5)
    verdict = Judge(Question("q", (of_act(page=page),)))(chunk)
    assert (bool(verdict.right), bool(verdict.placed)) == (right, right)


def test_without_pages_no_page_is_right(chunks: list[Chunk]) -> None:
    assert judged(chunks, of_act(page=1)) == ([], [])


def test_items_are_told_apart(chunks: list[Chunk]) -> None:
    items = (of_act(section="Section 9"), of_act(section="Section 2"), of_act(text="shall report"))
    judge = Judge(Question("q", items), section_names(chunks))
    assert {number for chunk in chunks for number in judge(chunk).right} == {1, 2}


# Text

TABLE = "Net sales 34,229 35,355 32,184 Cost of sales 19,232 18,795 16,605 Total 15,000"


@pytest.mark.parametrize(
    ("passage", "text"),
    [
        ("The **fee** for\na berth", "the fee for a berth"),
        ("“Quay” means – well – a wall", '"quay" means well a wall'),
        ("see [the Act](https://example.org/act) first", "see the act first"),
        ("a co\u00adoperation", "A cooperation"),
        ("港口是船舶停泊的地方", "船舶停泊"),
        ("one | two | three", "one two three"),
    ],
)
def test_text_is_compared_by_words_in_order(passage: str, text: str) -> None:
    assert holds_text(passage, text)


@pytest.mark.parametrize(
    ("passage", "text"),
    [("the refee", "fee"), ("a berth for the fee", "the fee for a berth"), ("anything", "...")],
)
def test_other_words_or_another_order_is_another_text(passage: str, text: str) -> None:
    assert not holds_text(passage, text)


def test_a_table_may_be_read_in_another_order() -> None:
    assert holds_text(" ".join(reversed(TABLE.split())), TABLE)


def test_a_passage_may_end_before_the_evidence_does() -> None:
    words = [f"word{number}" for number in range(60)]
    evidence = " ".join(words)
    assert holds_text("before " + " ".join(words[:30]), evidence)
    assert not holds_text(" ".join(words[:10]), evidence)  # less than a quarter


def test_a_table_with_other_figures_is_another_text() -> None:
    other = "Net sales 11,111 22,222 33,333 Cost of sales 44,444 55,555 66,666 Total 77,777"
    assert not holds_text(other, TABLE)
