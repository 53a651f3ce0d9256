"""Ground truth made from a corpus: always the same, and never with two answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hierdoc import AsyncIndex
from hierdoc.errors import GroundTruthError
from hierdoc_evaluation import Judge, Question, evaluate, make_ground_truth
from hierdoc_evaluation.relevance import section_names
from hierdoc_evaluation.templates import OFF_CORPUS

Using = Callable[..., Any]


def made(using: Using, count: int = 60, **arguments: Any) -> tuple[Question, ...]:
    async def work(index: AsyncIndex) -> Any:
        return await make_ground_truth(index, count, **arguments)

    questions: tuple[Question, ...] = using(work)
    return questions


def test_the_same_seed_makes_the_same_questions(using: Using) -> None:
    assert made(using, 20, seed=3) == made(using, 20, seed=3)
    assert made(using, 20, seed=3) != made(using, 20, seed=4)


def test_kinds_take_turns(using: Using) -> None:
    kinds = [question.kind.split("-")[0] for question in made(using, 5)]
    assert sorted(kinds) == ["citation", "definition", "heading", "off", "phrase"]


def test_ids_and_questions_are_unique(using: Using) -> None:
    questions = made(using)
    assert len({one.id for one in questions}) == len({one.question for one in questions})
    assert len({one.id for one in questions}) == len(questions)


def test_every_question_has_its_answer_in_one_section(using: Using) -> None:
    async def work(index: AsyncIndex) -> Any:
        return await make_ground_truth(index, 80), await index.chunks()

    questions, chunks = using(work)
    answerable = [question for question in questions if question.expected]
    assert len(answerable) > 20
    for question in answerable:
        judge = Judge(question, section_names(chunks))
        right = [chunk for chunk in chunks if judge(chunk).right]
        assert right, question
        assert all(judge(chunk).placed for chunk in right), question
        if question.kind.startswith(("phrase", "definition")):
            assert len(right) == 1, question


def test_a_citation_that_two_sections_share_is_never_alone(using: Using) -> None:
    citations = [one for one in made(using, kinds=["citations"]) if one.kind != "citation-scoped"]
    assert citations
    for question in citations:
        assert not re.search(r"Section [12]\b", question.question), question


def test_a_shared_citation_is_asked_for_within_its_parent(using: Using) -> None:
    scoped = [one for one in made(using, kinds=["citations"]) if one.kind == "citation-scoped"]
    fees = [one for one in scoped if one.expected[0].section == "art_2_sec_2"]
    assert fees
    assert all("Section 2" in one.question and "Article II" in one.question for one in fees)


def test_headings_that_are_shared_come_with_an_ancestor(using: Using) -> None:
    questions = made(using, kinds=["headings"])
    fees = [one.question for one in questions if one.question.startswith("Fees")]
    assert sorted(fees) == ["Fees, Fishing", "Fees, General"]


def test_phrases_have_five_to_nine_words_in_quotes(using: Using) -> None:
    phrases = made(using, kinds=["phrases"])
    assert phrases
    for question in phrases:
        (text,) = re.findall(r'["„](.+)["“]', question.question)
        assert 5 <= len(text.split()) <= 9
        assert question.expected[0].text == text


def test_some_phrases_span_a_line_break(using: Using, corpus: Path) -> None:
    texts = "".join(file.read_text("utf-8") for file in corpus.iterdir())
    found = {seed: made(using, kinds=["phrases"], seed=seed) for seed in range(3)}
    across = [
        one for several in found.values() for one in several if one.kind == "phrase-across-lines"
    ]
    assert across
    assert all(one.expected[0].text not in texts for one in across)


def test_the_language_of_the_document_is_that_of_the_question(using: Using) -> None:
    for question in made(using, kinds=["definitions"]):
        german = question.expected[0].source == "docs/ordnung.md"
        assert german == ("Liegeplatz" in question.question)
        words = {"was", "wie", "definition von"} if german else {"what", "how", "definition of"}
        assert question.question.lower().startswith(tuple(words))


def test_off_corpus_questions_have_no_rare_word_in_the_corpus(using: Using, corpus: Path) -> None:
    (corpus / "zoo.md").write_text("# Zoo\n\nPenguins and giraffes eat popcorn.\n", "utf-8")
    questions = [one.question for one in made(using, 99, kinds=["off-corpus"])]
    assert questions
    assert not any(re.search("penguin|giraffe|popcorn", one, re.IGNORECASE) for one in questions)
    assert all("*" not in one for one in questions)
    assert {one.expected for one in made(using, 99, kinds=["off-corpus"])} == {()}


def test_off_corpus_questions_are_sixty_and_each_has_rare_words() -> None:
    texts = [text for texts in OFF_CORPUS.values() for text in texts]
    assert len(texts) == len(set(texts)) == 60
    assert all(re.search(r"\*\w+\*", text) for text in texts)


def test_what_the_index_finds_with_certainty_is_found(using: Using) -> None:
    async def work(index: AsyncIndex) -> Any:
        questions = await make_ground_truth(index, 60, kinds=["citations", "phrases"])
        return await evaluate(index, questions, top_k=3)

    assert using(work).metrics["retrieval_accuracy"] == 1.0


def test_an_unknown_kind_is_an_error(using: Using) -> None:
    with pytest.raises(GroundTruthError, match="'poems'") as caught:
        made(using, kinds=["poems"])
    assert "citations, phrases" in (caught.value.hint or "")


def test_a_corpus_without_definitions_gives_none(using: Using, corpus: Path) -> None:
    for file in corpus.iterdir():
        file.unlink()
    (corpus / "note.md").write_text("Nothing much here.\n", "utf-8")
    with pytest.raises(GroundTruthError, match="nothing to make"):
        made(using, kinds=["definitions"])
