"""What a chunk is, mostly."""

from __future__ import annotations

import pytest

from hierdoc import Chunk, Definition, Document
from hierdoc.structure import understand
from hierdoc.structure.chunks import MOST_REFERENCES, ChunkMaker
from hierdoc.structure.cutting import Piece
from hierdoc.structure.kinds import MOST_ROW_IDS, kind_of


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# A\n\n```py\nvalue = compute(one, two)\nprint(value)\n```", "code"),
        ("# A\n\n| a | b |\n|---|---|\n| 1 | 2 |", "table"),
        ("The Secretary shall report to Congress.", "requirement"),
        ("Clients **MUST** verify the signature.", "requirement"),
        ("Words:\n\n- one\n- two\n- three", "list"),
        ("1. one\n   goes on\n2. two\n3. three", "list"),
        ("A paragraph of plain words, a - b | c.", "content"),
        ("a | b\n--- | ---\n1 | 2", "table"),
        ("It **must** end. " + "Plain words say no more than that. " * 20, "content"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    assert kind_of(text, language="en") == kind


def test_definitions_that_are_half_of_a_passage_make_it_one() -> None:
    text = "In this Act: “child” shall mean a person."
    assert kind_of(text, [Definition("child", "“child” shall mean a person.", "a")]) == "definition"


def test_words_of_duty_are_those_of_the_language() -> None:
    assert kind_of("Der Antrag muss schriftlich sein.", language="de") == "requirement"
    assert kind_of("Der Antrag muss schriftlich sein.", language="en") == "content"
    assert kind_of("Der Antrag muss schriftlich sein.") == "requirement"


def test_duties_whose_words_stand_apart_are_duties() -> None:
    assert kind_of("Der Träger hat den Antrag zu stellen.", language="de") == "requirement"
    assert kind_of("Die Stelle hat die Frist einzuhalten.", language="de") == "requirement"
    assert kind_of("Er hat gestern geschrieben.", language="de") == "content"


def test_rows_in_a_fence_are_code() -> None:
    assert kind_of("```\n| a | b |\n|---|---|\n```") == "code"


def test_a_passage_keeps_so_many_references() -> None:
    text = " ".join(f"Section {number} and" for number in range(1, 200))
    document = understand(Document("a", "a", text))
    chunk = ChunkMaker(document).chunk(Piece(0, len(text), 0), -1, 0)
    assert len(chunk.references) == MOST_REFERENCES


def test_the_innermost_section_of_a_place_and_of_a_span() -> None:
    text = "x\n# A\na\n## B\nb\n## C\nc\n"
    maker = ChunkMaker(understand(Document("a", "a", text)))
    assert maker.section_at(0) == -1
    assert maker.section_at(text.index("b")) == 1
    assert maker.common_section(text.index("b"), len(text)) == 0
    assert maker.common_section(0, len(text)) == -1


def only_chunk(text: str) -> Chunk:
    document = understand(Document("a.md", "A", text))
    return ChunkMaker(document).chunk(Piece(0, len(text), 0), 0, 1)


def table(*cells: str, first: str = "#") -> str:
    rows = "".join(f"| {cell} | Verify this. |\n" for cell in cells)
    return f"# V6 Passwords\n\n| {first} | Description |\n|:-:|---|\n{rows}"


@pytest.mark.parametrize(
    ("cell", "keys"),
    [
        ("6.2.4", {"sec_6_2_4", "6.2.4", "v6.2.4"}),
        ("**6.2.4**", {"sec_6_2_4", "6.2.4", "v6.2.4"}),
        ("V7.1.2", {"sec_7_1_2", "v7.1.2"}),
        ("[`AC-2(1)`](#ac-2)", set()),
        ("AC-2(1)", {"ac_2_1", "ac-2(1)"}),
        ("[AC-2](#ac-2)", {"ac_2", "ac-2"}),
        ("EIP-1559", set()),
        ("SHA-256", set()),
        ("6.2.4 and more", set()),
        ("7", set()),
        ("1.5", set()),
    ],
)
def test_the_id_of_a_row_is_a_name_of_the_chunk(cell: str, keys: set[str]) -> None:
    chunk, without = only_chunk(table(cell)), only_chunk(table("none"))
    assert {*chunk.section_keys, *chunk.headings} == {
        *without.section_keys, *without.headings, *keys,
    }  # fmt: skip


def test_two_parts_are_an_id_beside_the_next_and_not_in_a_table_of_versions() -> None:
    assert {"sec_1_1", "sec_1_2"} <= {*only_chunk(table("1.1", "1.2")).section_keys}
    assert "sec_1_1" not in only_chunk(table("1.1", "1.2", first="Version")).section_keys


def test_the_ids_of_rows_are_bounded() -> None:
    chunk = only_chunk(table(*(f"6.1.{number}" for number in range(1, 1_000))))
    assert sum(key.startswith("sec_6_1_") for key in chunk.section_keys) == MOST_ROW_IDS
