"""`hierdoc eval` and `hierdoc tune` as a user meets them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ACT = """\
# Harbour Act

## Section 1 Definitions
“Harbour” means a place where ships lie at anchor.

## Section 2 Reports
Every master of a ship shall report to the harbour office before entering the inner
basin; see Section 1.

## Section 3 Fees
The fee for a berth is 23.2 crowns a day, payable in advance at the counter.
"""

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(autouse=True)
def corpus(tmp_path: Path) -> None:
    """A corpus and a ground truth in the folder of the test."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "act.md").write_text(ACT, encoding="utf-8")
    lines = [
        {"id": "a", "question": "Section 2", "kind": "citation", "source": "act.md", "section": "2"},
        {"id": "b", "question": "who reports", "source": "act.md", "text": "master of a ship"},
        {"id": "c", "question": "berth", "expected": [{"source": "act.md", "section": "Section 3"}]},
        {"id": "d", "question": "anchor", "source": "act.md", "keywords": ["ships", "anchor"]},
        {"id": "e", "question": "Do penguins huddle?", "kind": "off-corpus", "expected": []},
    ]  # fmt: skip
    write(tmp_path / "truth.jsonl", *map(json.dumps, lines))


def write(file: Path, *lines: str) -> None:
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def complaint(done: subprocess.CompletedProcess[str], status: int) -> str:
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


def printed(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_table_for_people(run: Run) -> None:
    done = run("eval", "truth.jsonl", "--source", "docs")
    assert done.returncode == 0, done.stderr
    header, _, row = done.stdout.splitlines()[:3]
    assert header.split()[:6] == ["run", "kind", "n", "recall@10", "hit@1", "hit@10"]
    assert row.split()[:4] == ["defaults", "hybrid", "all", "5"]
    assert "1 added" in done.stderr
    assert "off-corpus" in done.stdout


def test_json_for_programs(run: Run) -> None:
    value = printed(run("eval", "truth.jsonl", "--source", "docs", "--json", "--top-k", "3"))
    assert list(value) == ["questions", "top_k", "runs", "comparisons", "unsatisfied"]
    (only,) = value["runs"]
    assert only["metrics"]["recall@3"]["mean"] == 1.0
    assert only["kinds"]["off-corpus"]["metrics"]["low_confidence"]["mean"] == 1.0
    assert set(only["latency_ms"]) == {"p50", "p95"}
    assert [answer["id"] for answer in only["answers"]] == list("abcde")


def test_modes_side_by_side(run: Run) -> None:
    value = printed(run("eval", "truth.jsonl", "--source", "docs", "--json", "--modes", "all"))
    assert [one["mode"] for one in value["runs"]] == ["hybrid", "semantic", "keyword", "exact"]
    two = run(
        "eval", "truth.jsonl", "--source", "docs", "--json", "--mode", "exact", "--mode", "keyword"
    )
    assert [one["mode"] for one in printed(two)["runs"]] == ["keyword", "exact"]


def test_configurations_side_by_side_with_a_plot(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", "source: docs")
    write(tmp_path / "b.yaml", "source: docs", "search: {weights: {semantic: 0, keyword: 1}}")
    done = run("eval", "truth.jsonl", "--config", "a.yaml", "--config", "b.yaml", "--plot", "p.svg")
    assert done.returncode == 0, done.stderr
    assert "b hybrid against a hybrid:" in done.stdout
    assert "95 % interval" in done.stdout
    assert (tmp_path / "p.svg").read_text("utf-8").startswith("<svg ")


def test_failures_are_shown(run: Run, tmp_path: Path) -> None:
    write(
        tmp_path / "t.jsonl", '{"question": "berth", "source": "act.md", "section": "Section 99"}'
    )
    done = run("eval", "t.jsonl", "--source", "docs", "--failures")
    assert "1 not answered by defaults hybrid" in done.stdout
    assert "expected source 'docs/act.md', section 'Section 99'" in done.stdout
    assert "got docs/act.md:" in done.stdout
    assert "note: what 1 of 1 questions expect is not in any one chunk: 1" in done.stderr


def test_a_bad_line_is_named_before_anything_is_read(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "bad.jsonl", '{"question": "q", "source": "act.md"}', "{oops")
    said = complaint(run("eval", "bad.jsonl", "--source", "docs"), 2)
    assert "bad.jsonl:2: this is not JSON" in said
    assert "added" not in said


def test_an_empty_truth_is_an_error(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "empty.jsonl")
    assert "holds no question" in complaint(run("eval", "empty.jsonl", "--source", "docs"), 2)


def test_an_unknown_source_is_an_error(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "t.jsonl", '{"question": "q", "source": "akt.md"}')
    said = complaint(run("eval", "t.jsonl", "--source", "docs"), 2)
    assert "t.jsonl:1: the index holds no document 'akt.md'" in said
    assert "Did you mean docs/act.md?" in said


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["eval", "truth.jsonl"], 2, "no source is given"),
        (["eval", "none.jsonl", "--source", "docs"], 2, "none.jsonl: cannot be read"),
        (["eval", "--source", "docs"], 2, "Missing argument 'TRUTH'"),
        (["eval", "truth.jsonl", "--source", "none"], 1, "does not exist"),
        (["eval", "truth.jsonl", "--source", "docs", "--top-k", "0"], 2, "top_k is 0"),
        (["eval", "truth.jsonl", "--source", "docs", "--plot", "p.png"], 2, "p.svg"),
        (["eval", "truth.jsonl", "--source", "docs", "-o", "x"], 2, "goes with --make"),
        (["eval", "truth.jsonl", "--source", "docs", "--make", "3"], 2, "with -o"),
        (["eval", "--source", "docs", "--make", "3", "--kinds", "poems"], 2, "'poems'"),
        (["tune", "truth.jsonl"], 2, "no source is given"),
        (["tune", "truth.jsonl", "--source", "docs", "--folds", "9"], 2, "too few for 9 folds"),
        (["tune", "truth.jsonl", "--source", "docs", "-o", "no/x.yaml"], 2, "cannot be written"),
    ],
)  # fmt: skip
def test_wrong_usage(run: Run, arguments: list[str], status: int, said: str) -> None:
    assert said in complaint(run(*arguments), status)


def test_a_file_that_cannot_be_read_is_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs" / "bad.pdf").write_bytes(b"%PDF-1.4 damaged")
    done = run(
        "eval",
        "truth.jsonl",
        "--source",
        "docs",
        HIERDOC_PLUGINS="evaluation,html,sqlite,static,tantivy",
    )
    assert done.returncode == 1
    assert "failed: docs/bad.pdf" in done.stderr
    assert "recall@10" in done.stdout


def test_truth_is_made_and_can_be_answered(run: Run, tmp_path: Path) -> None:
    done = run("eval", "--source", "docs", "--make", "8", "--seed", "2", "-o", "made.jsonl")
    assert done.returncode == 0, done.stderr
    assert "wrote 8 questions to made.jsonl" in done.stderr
    first = (tmp_path / "made.jsonl").read_bytes()
    assert run("eval", "--source", "docs", "--make", "8", "--seed", "2").stdout.encode() == first
    value = printed(run("eval", "made.jsonl", "--source", "docs", "--json"))
    assert (value["questions"], value["unsatisfied"]) == (8, [])


def test_tune_writes_the_best_configuration_and_keeps_the_rest(run: Run, tmp_path: Path) -> None:
    text = [
        "# ours", "source: ${SHELF:-docs}", "fuser: {provider: rrf, k: 1}", "keyword: in-memory",
        "search: {weights: {semantic: 1, keyword: 0, exact: 0}}  # to begin with",
    ]  # fmt: skip
    write(tmp_path / "my.yaml", *text)
    done = run(
        "tune", "truth.jsonl", "--config", "my.yaml", "--folds", "2", "--trials", "20", "--json",
        "--sampler", "grid", SHELF=str(tmp_path / "docs"),
    )  # fmt: skip
    found = printed(done)
    assert found["written"] == "my.tuned.yaml"
    assert found["winner"]["score"] >= found["baseline"]["score"]
    assert set(found["gain"]) == {"mean", "low", "high"}
    written = (tmp_path / "my.tuned.yaml").read_text("utf-8")
    assert written.splitlines()[:2] == text[:2]
    assert str(tmp_path) not in written
    assert yaml.safe_load(written)["keyword"]
    again = run("eval", "truth.jsonl", "--config", "my.tuned.yaml", "--json")
    assert printed(again)["runs"][0]["config"] == "my.tuned"


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0.01, 0.2, "sure: the interval lies above 0"), (-0.1, 0.1, "not sure"), (-0.2, -0.1, "no gain")],
)  # fmt: skip
def test_the_interval_decides_what_is_said(low: float, high: float, said: str) -> None:
    from hierdoc_evaluation import Interval, Tuning
    from hierdoc_evaluation.commands.tune import _described
    from hierdoc_evaluation.space import Point

    before, after = Point(fuser="rrf"), Point(fuser="weighted-sum")
    gain = Interval((low + high) / 2, low, high)
    found = Tuning(before, after, 0.5, 0.6, gain, (after, before), 9, "grid", 20)
    assert f"\n{said}" in _described(found)
    assert "rrf, weighted-sum" in _described(found)


def test_tune_says_how_sure_it_is(run: Run) -> None:
    done = run("tune", "truth.jsonl", "--source", "docs", "--folds", "2", "--trials", "5")
    assert done.returncode == 0, done.stderr
    assert "gain on held-out questions: " in done.stdout
    assert any(
        said in done.stdout
        for said in ("sure: the interval", "not sure", "nothing beats", "no gain")
    )
    assert "takes no k1 and b" in done.stderr
    assert "wrote hierdoc.tuned.yaml" in done.stderr
