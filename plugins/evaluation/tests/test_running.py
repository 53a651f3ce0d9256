"""An index asked every question, its report and its plot."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hierdoc import AsyncIndex, QueryError
from hierdoc.errors import GroundTruthError
from hierdoc_evaluation import Evaluation, Expected, Question, compare, evaluate
from hierdoc_evaluation.plot import svg
from hierdoc_evaluation.report import as_dict, comparisons, misses, tables

Using = Callable[..., Any]

QUESTIONS = (
    Question("Section 3", (Expected("act.md", "Section 3"),), id="a", kind="citation"),
    Question("loaded or unloaded", (Expected("act.md", text="loaded or unloaded"),), id="b"),
    Question("Gebühr", (Expected("ordnung.md", "§ 2"), Expected("act.md", "Section 99")), id="c"),
    Question("Why do penguins huddle?", (), id="d", kind="off-corpus"),
)


def evaluated(using: Using, **arguments: Any) -> Evaluation:
    async def work(index: AsyncIndex) -> Any:
        return await evaluate(index, QUESTIONS, **arguments)

    found: Evaluation = using(work)
    return found


def test_every_question_is_judged(using: Using) -> None:
    seen: list[int] = []
    found = evaluated(using, top_k=5, progress=lambda done, total, name: seen.append(done))
    assert [answer.question.id for answer in found.answers] == ["a", "b", "c", "d"]
    assert [answer.rank for answer in found.answers] == [1, 1, 1, None]
    assert seen == [1, 2, 3, 4]
    assert found.metrics["recall@5"] == pytest.approx((1 + 1 + 0.5) / 3)
    assert found.metrics["hit@1"] == found.metrics["mrr"] == 1.0
    assert found.latency(50) > 0


def test_a_question_without_an_answer_has_only_its_confidence(using: Using) -> None:
    found = evaluated(using)
    assert found.answers[3].scores(10) == {"low_confidence": 1.0}
    assert found.of("off-corpus").metrics == {"low_confidence": 1.0}


def test_attribution_is_asked_only_where_a_place_is_named(using: Using) -> None:
    found = evaluated(using)
    assert set(found.values("attribution_accuracy")) == {"a", "c"}
    assert found.metrics["attribution_accuracy"] == 1.0


def test_what_no_passage_holds_is_named(using: Using) -> None:
    assert [question.id for question in evaluated(using).unsatisfied] == ["c"]


def test_an_unknown_source_is_an_error(using: Using) -> None:
    async def work(index: AsyncIndex) -> Any:
        wrong = Question("q", (Expected("akt.md"),), place="t.jsonl:1")
        return await evaluate(index, [wrong])

    with pytest.raises(GroundTruthError, match=r"t.jsonl:1: .*'akt.md'") as caught:
        using(work)
    assert caught.value.hint == "Did you mean docs/act.md?"


@pytest.mark.parametrize("arguments", [{"top_k": 101}, {"top_k": -1}, {"mode": "none"}])
def test_arguments_out_of_range_are_errors(using: Using, arguments: dict[str, Any]) -> None:
    with pytest.raises(QueryError):
        evaluated(using, **arguments)


def test_an_evaluation_compared_with_itself_does_not_differ(using: Using) -> None:
    found = evaluated(using)
    compared = compare(found, found)
    assert (compared.difference.mean, compared.sure) == (0.0, False)


def test_only_answers_to_the_same_questions_can_be_compared(using: Using) -> None:
    found = evaluated(using)
    with pytest.raises(ValueError, match="same questions"):
        compare(found, replace(found, answers=found.answers[1:]))


def test_configurations_are_compared_in_the_same_mode_and_modes_in_one_configuration(
    using: Using,
) -> None:
    hybrid, keyword = evaluated(using, name="a"), evaluated(using, name="a", mode="keyword")
    other = replace(keyword, name="b")
    first = [(one.first, one.second) for one in comparisons([hybrid, keyword])]
    assert set(first) == {("a hybrid", "a keyword")}
    several = [hybrid, keyword, replace(hybrid, name="b"), other]
    pairs = {(one.first, one.second) for one in comparisons(several)}
    assert pairs == {("a hybrid", "b hybrid"), ("a keyword", "b keyword")}


def test_the_table_has_every_kind_and_the_json_every_answer(using: Using) -> None:
    hybrid, exact = evaluated(using, name="a"), evaluated(using, name="a", mode="exact")
    shown = tables([hybrid, exact])
    for word in ("recall@10", "attribution", "off-corpus", "citation", "a exact against a hybrid"):
        assert word in shown
    value = as_dict([hybrid, exact])
    assert [run["mode"] for run in value["runs"]] == ["hybrid", "exact"]
    assert value["runs"][0]["kinds"]["citation"]["metrics"]["hit@1"]["mean"] == 1.0
    assert value["unsatisfied"] == ["c"]


def test_misses_are_what_was_not_found_and_what_was_found_without_reason(using: Using) -> None:
    exact = evaluated(using, mode="exact")
    assert [answer.question.id for answer in misses(exact)] == ["b", "c"]
    confident = tuple(replace(answer, low_confidence=False) for answer in exact.answers)
    assert misses(replace(exact, answers=confident))[-1].question.id == "d"


def test_the_plot_is_an_svg_with_a_bar_for_every_run_and_metric(using: Using) -> None:
    found = evaluated(using, name='<b>&"')
    tree = ElementTree.fromstring(svg([found, found]))
    space = "{http://www.w3.org/2000/svg}"
    assert tree.tag == f"{space}svg"
    bars = [bar for bar in tree.iter(f"{space}rect") if bar.find(f"{space}title") is not None]
    assert len(bars) == 2 * len(found.metrics)
    assert all(float(bar.attrib["height"]) >= 0 for bar in bars)
    assert any('<b>&"' in (text.text or "") for text in tree.iter(f"{space}text"))
