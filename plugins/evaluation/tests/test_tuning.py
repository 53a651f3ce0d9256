"""The search for better settings: what may change, on which questions it is judged, and what is written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from hierdoc import AsyncIndex, ConfigError, Match, load_config
from hierdoc.errors import GroundTruthError
from hierdoc.plugin import Provider, ProviderConfig, Registry, hookimpl
from hierdoc_evaluation import Expected, Question, Tuning, tune
from hierdoc_evaluation.folds import folds_of
from hierdoc_evaluation.rewriting import moved, rewritten
from hierdoc_evaluation.space import Space, numeric_fields

Using = Callable[..., Any]

QUESTIONS = tuple(
    Question(text, (Expected("act.md", section),), id=text)
    for text, section in (
        ("who has command of a ship", "art_1_sec_1"),
        ("inner basin", "art_1_sec_2"),
        ("report before the ship leaves", "art_1_sec_2"),
        ("berth a day", "art_1_sec_3"),
        ("when the ship moors", "art_1_sec_3"),
        ("council of the town", "art_2_sec_1"),
        ("fishing boats", "art_2_sec_1"),
        ("forty crowns a year", "art_2_sec_2"),
        ("payable in advance", "art_2_sec_2"),
        ("Section 3", "art_1_sec_3"),
    )
)


def tuned(using: Using, config: Mapping[str, Any] | None = None, **arguments: Any) -> Tuning:
    async def work(index: AsyncIndex) -> Any:
        given = {"trials": 12, "folds": 3, "sampler": "grid", **arguments}
        return await tune(index, QUESTIONS, **given)

    found: Tuning = using(work, **(config or {}))
    return found


class WorstConfig(ProviderConfig):
    """A fuser with a switch that matters: backwards, or not at all."""

    provider: Literal["worst"] = "worst"
    depth: int = Field(1, ge=1, le=5)
    name: str = "x"


class Worst:
    """Puts the best last."""

    def fuse(
        self,
        rankings: Mapping[str, Sequence[Match]],
        weights: Mapping[str, float],
        limit: int,
        coverage: Mapping[str, float] | None = None,
    ) -> Sequence[Match]:
        ids = sorted({match.chunk_id for ranking in rankings.values() for match in ranking})
        return [Match(name, float(len(ids) - number)) for number, name in enumerate(ids)]


@pytest.fixture
def registry() -> Registry:
    registry = Registry(allowed=frozenset({"html", "in-memory", "sqlite", "static", "tantivy"}))

    class Plugin:
        @hookimpl
        def hierdoc_fusers(self) -> Iterable[Provider[Any, Any]]:
            yield Provider(WorstConfig, lambda config: Worst())

    registry.register(Plugin(), "worst")
    return registry


# What may be tuned


def test_fields_of_any_provider_come_from_its_model() -> None:
    assert numeric_fields(WorstConfig()) == {"depth": (1, 2, 3, 4, 5)}


def test_values_stay_within_their_bounds_and_hold_the_present_one() -> None:
    class Bounded(ProviderConfig):
        provider: Literal["b"] = "b"
        above: float = Field(2.0, gt=0)
        share: float = Field(0.3, ge=0, le=1)
        open: float = Field(0.5, gt=0, lt=1)
        flag: bool = True
        maybe: int | None = Field(None, ge=1)

    assert numeric_fields(Bounded()) == {
        "above": (0.5, 1.0, 2.0, 4.0, 8.0),
        "share": (0.0, 0.25, 0.3, 0.5, 0.75, 1.0),
        "open": (0.25, 0.5, 0.75),
    }


def test_every_registered_fuser_is_in_the_space(registry: Registry) -> None:
    space = Space.of(load_config({"source": "x"}, registry=registry), registry)
    assert {"rrf", "weighted-sum", "worst"} <= set(space.fusers)


def test_k1_and_b_are_tuned_where_the_backend_takes_them(registry: Registry) -> None:
    taken = load_config({"source": "x", "keyword": {"provider": "in-memory", "k1": 2.0}})
    assert set(Space.of(taken, registry).keyword_fields) == {"k1", "b"}
    space = Space.of(load_config({"source": "x", "keyword": "tantivy"}), registry)
    assert space.keyword_fields == {}
    assert "tantivy takes no k1 and b" in space.notes[0]


def test_the_present_settings_come_first_and_weights_sum_to_1(registry: Registry) -> None:
    space = Space.of(load_config({"source": "x"}), registry)
    points = list(space.points(50, seed=1))
    assert points[0] == space.baseline
    assert len(points) == 50
    assert points == list(space.points(50, seed=1))
    for point in points:
        assert sum(space.weights(point).values()) == pytest.approx(1.0)
        assert space.candidates(point) >= 10


def test_only_what_differs_is_changed(registry: Registry) -> None:
    space = Space.of(load_config({"source": "x", "keyword": "in-memory"}), registry)
    assert space.changes(space.baseline) == {}
    fields = {"fuser.k": 15, "keyword.k1": 3.0, "keyword.b": 0.5}
    assert space.changes(space.point("rrf", 0.5, 0.2, 100, fields)) == {
        "fuser": {"provider": "rrf", "k": 15},
        "keyword": {"k1": 3.0, "b": 0.5},
        "search": {
            "weights": {"semantic": 0.4, "keyword": 0.4, "exact": 0.2},
            "candidates": 100,
        },
    }


# Folds


@given(st.lists(st.sampled_from("abc"), min_size=4, max_size=40), st.integers(2, 4))
def test_folds_hold_every_question_once_and_share_the_kinds(kinds: list[str], count: int) -> None:
    folds = folds_of(kinds, count, seed=1)
    assert sorted(number for fold in folds for number in fold) == list(range(len(kinds)))
    sizes = [len(fold) for fold in folds]
    assert max(sizes) - min(sizes) <= 1
    for kind in set(kinds):
        shares = [sum(kinds[number] == kind for number in fold) for fold in folds]
        assert max(shares) - min(shares) <= 1


def test_folds_depend_on_the_seed_alone() -> None:
    kinds = ["a"] * 30
    assert folds_of(kinds, 5, 1) == folds_of(kinds, 5, 1) != folds_of(kinds, 5, 2)


# The search


def test_a_bad_fuser_is_left_behind(corpus: Path, registry: Registry) -> None:
    async def run() -> Any:
        config = {"source": str(corpus), "vector": "in-memory", "keyword": "in-memory"}
        async with AsyncIndex.open({**config, "fuser": "worst"}, registry=registry) as index:
            await index.ingest()
            return await tune(
                index, QUESTIONS, trials=40, folds=3, sampler="grid", registry=registry
            )

    found = asyncio.run(run())
    assert found.winner["fuser"] != "worst"
    assert found.winner_score > found.baseline_score
    assert found.sure
    assert len(found.chosen) == 3


def test_the_same_seed_finds_the_same(using: Using) -> None:
    assert tuned(using, seed=2) == tuned(using, seed=2)


def test_the_winner_is_never_worse_than_the_present_settings(using: Using) -> None:
    found = tuned(using)
    assert found.winner_score >= found.baseline_score
    assert (found.trials, found.sampler, found.questions) == (12, "random", 10)


def test_the_baseline_scores_what_a_search_gives(using: Using) -> None:
    from hierdoc_evaluation import evaluate

    async def work(index: AsyncIndex) -> Any:
        return await evaluate(index, QUESTIONS)

    assert tuned(using).baseline_score == pytest.approx(using(work).metrics["ndcg@10"])


def test_the_index_is_not_changed_by_other_keyword_settings(using: Using, tmp_path: Path) -> None:
    async def work(index: AsyncIndex) -> Any:
        before = await index.search("berth", mode="keyword")
        await tune(index, QUESTIONS, trials=12, folds=2, sampler="grid")
        after = await index.search("berth", mode="keyword")
        return [[(hit.chunk.id, hit.score) for hit in found.hits] for found in (before, after)]

    before, after = using(work)
    assert before == after


def test_optuna_proposes_too(using: Using) -> None:
    pytest.importorskip("optuna")
    found = tuned(using, sampler="optuna", trials=8, folds=2)
    assert found.sampler == "optuna"
    assert found.winner_score >= found.baseline_score


def test_without_optuna_asking_for_it_is_an_error(
    using: Using, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="not installed") as caught:
        tuned(using, sampler="optuna")
    assert caught.value.hint == "pip install 'hierdoc[tune]'"


def test_questions_without_an_answer_take_no_part(using: Using) -> None:
    async def work(index: AsyncIndex) -> Any:
        return await tune(index, [Question("q", ())] * 9)

    with pytest.raises(GroundTruthError, match="0 questions have an answer"):
        using(work)


def test_another_mode_has_nothing_to_tune(using: Using) -> None:
    with pytest.raises(ConfigError, match="nothing to tune"):
        tuned(using, {"search": {"mode": "keyword"}})


# What is written


TEXT = """\
# mine
source: ./docs        # everything
vector: {provider: sqlite, path: "${INDEX:-.hierdoc}"}
keyword: in-memory    # BM25
search:
  # how
  top_k: 5            # few
  weights:
    semantic: 0.5
    keyword: 0.3
    exact: 0.2
# the end
"""


def test_everything_else_stays_as_it_was_written() -> None:
    changes = {
        "keyword": {"k1": 0.9},
        "fuser": {"provider": "rrf", "k": 30},
        "search": {"weights": {"semantic": 0.4, "keyword": 0.4, "exact": 0.2}, "candidates": 100},
    }
    assert (
        rewritten(TEXT, changes)
        == """\
# mine
source: ./docs        # everything
vector: {provider: sqlite, path: "${INDEX:-.hierdoc}"}
keyword: {provider: in-memory, k1: 0.9}    # BM25
search:
  # how
  top_k: 5            # few
  weights:
    semantic: 0.4
    keyword: 0.4
    exact: 0.2
  candidates: 100
fuser: {provider: rrf, k: 30}
# the end
"""
    )


def test_no_change_changes_nothing() -> None:
    assert rewritten(TEXT, {}) == TEXT


@pytest.mark.parametrize(
    "text",
    [
        "",
        "source: a",
        "{source: a, fuser: rrf}",
        "fuser:\n  provider: weighted-sum\nsource: a\n",
        "fuser:\nsource: a",
        "fuser: {provider: rrf,\n  k: 3}\n",
        "search: &s\n  top_k: 3\nsource: a\n",
        "  source: a\n  search:\n    top_k: 3\n",
        "search:\n  weights: {semantic: 1}\n\n\n# end",
        "--- \nsource: a\n...\n",
    ],
)
def test_however_it_is_written_the_result_holds_what_is_wanted(text: str) -> None:
    before = yaml.safe_load(text) or {}
    after = yaml.safe_load(
        rewritten(text, {"fuser": {"provider": "rrf", "k": 9}, "search": {"candidates": 20}})
    )
    assert after["fuser"] == {"provider": "rrf", "k": 9}
    assert after["search"] == {**(before.get("search") or {}), "candidates": 20}
    assert after.get("source") == before.get("source")


def test_fields_of_another_provider_are_not_taken_over() -> None:
    changed = rewritten("fuser: {provider: rrf, k: 3}\n", {"fuser": {"provider": "weighted-sum"}})
    assert yaml.safe_load(changed) == {"fuser": {"provider": "weighted-sum"}}


def test_in_another_folder_sources_lead_to_the_same_files(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    file = tmp_path / "a" / "hierdoc.yaml"
    file.write_text('source: [./docs, "${OTHER:-x}", /data]\nvector: {provider: sqlite, path: i}\n')
    text = moved(file.read_text(), load_config(file), tmp_path / "b")
    assert yaml.safe_load(text) == {
        "source": ["../a/docs", "${OTHER:-x}", "/data"],
        "vector": {"provider": "sqlite", "path": "i"},
    }
