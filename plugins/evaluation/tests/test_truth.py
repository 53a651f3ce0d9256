"""Ground truth files: what they may look like, and what is said about those that are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierdoc.errors import GroundTruthError
from hierdoc_evaluation import Expected, Question, dump_ground_truth, load_ground_truth
from hierdoc_evaluation.truth import resolve_sources


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write(*lines: Any) -> Path:
        file = tmp_path / "truth.jsonl"
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        file.write_text("\n".join(texts), encoding="utf-8")
        return file

    return write


def test_expected_items_may_be_a_list(write: Any) -> None:
    items = [{"source": "a.md", "section": "Section 1"}, {"source": "b.md", "keywords": ["fee"]}]
    (question,) = load_ground_truth(write({"question": "q", "expected": items}))
    assert question.expected == (
        Expected("a.md", "Section 1"),
        Expected("b.md", keywords=("fee",)),
    )
    assert (question.id, question.kind) == ("1", "question")


def test_expected_may_be_flat(write: Any) -> None:
    file = write("", {"id": "x", "kind": "k", "question": "q", "source": "a.md", "page": 3})
    (question,) = load_ground_truth(file)
    assert question.expected == (Expected("a.md", page=3),)
    assert (question.id, question.kind, question.place) == ("x", "k", f"{file}:2")


def test_evidence_has_the_source_of_its_line(write: Any) -> None:
    line = {
        "id": "f1", "question": "q", "answer": "42", "source": "a.pdf",
        "evidence": [{"page": 4, "text": "so it is"}, {"page": 9, "text": "and so"}],
    }  # fmt: skip
    (question,) = load_ground_truth(write(line))
    assert question.expected == (
        Expected("a.pdf", page=4, text="so it is"),
        Expected("a.pdf", page=9, text="and so"),
    )


def test_no_answer_may_be_what_is_right(write: Any) -> None:
    (question,) = load_ground_truth(write({"question": "q", "expected": []}))
    assert question.expected == ()


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"question": "q", "source": "a.md"}\r\n')
    assert len(load_ground_truth(file)) == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"question": ', "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ("[1]", "not a JSON object"),
        ({"source": "a.md"}, "`question` is missing"),
        ({"question": " ", "source": "a.md"}, "`question` is missing"),
        ({"question": "q"}, "nothing says what is expected"),
        ({"question": "q", "expected": ["a.md"]}, "not a list of objects"),
        ({"question": "q", "expected": [{}]}, "says nothing"),
        ({"question": "q", "expected": [{"sorce": "a"}]}, "did you mean `source`"),
        ({"question": "q", "expectd": []}, "did you mean `expected`"),
        ({"question": "q", "source": "a", "page": 0}, "`page` is not a number from 1"),
        ({"question": "q", "source": "a", "page": "4"}, "`page` is not a number from 1"),
        ({"question": "q", "source": "a", "text": 4}, "`text` is not a string"),
        ({"question": "q", "source": "a", "keywords": [4]}, "`keywords` is not a list"),
        ({"question": "q", "source": "a", "kind": 4}, "`id` and `kind` are strings"),
        ({"question": "q", "source": "a", "id": "1"}, "is that of line 1 too"),
    ],
)
def test_a_wrong_line_is_named(write: Any, line: Any, said: str) -> None:
    file = write({"question": "fine", "source": "a.md"}, line)
    with pytest.raises(GroundTruthError) as caught:
        load_ground_truth(file)
    assert str(caught.value).startswith(f"{file}:2: ")
    assert said in str(caught.value)


@pytest.mark.parametrize("lines", [[], ["", "  "]])
def test_an_empty_file_is_an_error(write: Any, lines: list[str]) -> None:
    with pytest.raises(GroundTruthError, match="holds no question") as caught:
        load_ground_truth(write(*lines))
    assert "--make" in (caught.value.hint or "")


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GroundTruthError, match="cannot be read: No such file"):
        load_ground_truth(tmp_path / "none.jsonl")


def test_a_file_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GroundTruthError, match="not UTF-8"):
        load_ground_truth(tmp_path / "t.jsonl")


texts = st.text(min_size=1).filter(str.strip)


@settings(deadline=None)  # each example writes a file
@given(st.lists(st.tuples(texts, texts, st.integers(1, 99)), min_size=1, max_size=5))
def test_what_is_written_is_read(tmp_path_factory: Any, values: list[tuple[str, str, int]]) -> None:
    questions = [
        Question(question, (Expected("a.md", page=page, text=text),), id=str(number))
        for number, (question, text, page) in enumerate(values)
    ]
    file = tmp_path_factory.mktemp("truth") / "t.jsonl"
    file.write_text(dump_ground_truth(questions), encoding="utf-8")
    read = load_ground_truth(file)
    assert [(one.id, one.question, one.expected) for one in read] == [
        (one.id, one.question, one.expected) for one in questions
    ]


# Sources

DOCUMENTS = ["docs/act.md", "docs/old/act.md", "docs/fees.md"]


def resolved(source: str) -> str | None:
    question = Question("q", (Expected(source),), place="t.jsonl:7")
    return resolve_sources([question], DOCUMENTS)[0].expected[0].source


@pytest.mark.parametrize(
    "source",
    ["docs/fees.md", "fees.md", "./docs/fees.md", "/home/me/docs/fees.md", "docs\\fees.md"],
)
def test_a_source_may_be_part_of_a_path_or_more(source: str) -> None:
    assert resolved(source) == "docs/fees.md"


def test_a_whole_name_is_never_ambiguous() -> None:
    assert resolved("docs/act.md") == "docs/act.md"
    assert resolved("old/act.md") == "docs/old/act.md"


def test_part_of_a_name_is_no_source() -> None:
    with pytest.raises(GroundTruthError, match="no document"):
        resolved("ees.md")


def test_an_ambiguous_source_is_an_error() -> None:
    with pytest.raises(GroundTruthError, match="may be several documents") as caught:
        resolved("act.md")
    assert "docs/act.md, docs/old/act.md" in str(caught.value)


def test_an_unknown_source_names_the_line_and_the_nearest() -> None:
    with pytest.raises(GroundTruthError) as caught:
        resolved("feess.md")
    assert str(caught.value) == "t.jsonl:7: the index holds no document 'feess.md'"
    assert caught.value.hint == "Did you mean docs/fees.md?"
