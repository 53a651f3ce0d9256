"""What the commands print with `--json`, for the command line reference."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from typing import Any

import hierdoc
from hierdoc.plugin import Registry


def json_examples() -> dict[str, Any]:
    """By command, made by the code that prints it."""
    from hierdoc.cli.doctor import Finding
    from hierdoc.cli.outline import as_dict

    definition = hierdoc.Definition("Harbour", "“Harbour” means ...", "docs/act.md", "sec_1")
    reference = hierdoc.Reference("Section 1", "sec_1", True, ("4f5a",))
    chunk = hierdoc.Chunk(
        "docs/act.md", "### Section 2 ...", 58, 75, 5, 7, id="9c1e", title="Act", section_id="sec_2",
        parent_chain=("Act", "Section 2"), context="Act > Section 2",
        metadata={"effective": date(2020, 5, 31), "tags": ("ports", "ships")},
        boxes=(hierdoc.Box(3, 0.12, 0.2, 0.88, 0.26, 58, 75),),
    )  # fmt: skip
    legs = {"semantic": hierdoc.LegScore(2, 0.41), "keyword": hierdoc.LegScore(1, 7.3)}
    hit = hierdoc.Hit(1, 0.0131, legs, chunk, False, (definition,), (reference,))
    degraded = (hierdoc.Degradation("exact", "StoreError: no answer"),)
    times = {
        "embed": 0.1,
        "semantic": 0.3,
        "keyword": 0.2,
        "exact": 0.1,
        "fuse": 0.1,
        "rerank": 0.0,
        "total": 0.9,
    }
    missing = (hierdoc.MissingCitation("§ 9", "sec_9", ("sec_4", "sec_3")),)
    result = hierdoc.SearchResult(
        "who reports", "hybrid", 10, (hit,), degraded, False, missing, timings_ms=times
    )
    failure = hierdoc.Failure("docs/scan.pdf", "is damaged")
    report = hierdoc.IngestReport(
        added=["docs/act.md"],
        failures=[failure],
        notes=["docs/empty.md holds no text"],
        chunks=12,
        seconds=0.3,
        usage=hierdoc.Usage(12, 2400, 0, 26400, 900, 0.01),
    )
    section = hierdoc.Section("sec_1", "Section 1", 2, 7, 58, 3, 4)
    origin = {"distribution": "hierdoc-acme", "version": "0.1.0"}
    check = Finding("vector sqlite", True, "opens")
    return {
        "hierdoc search --json": result.to_dict(),
        "hierdoc section --json": {
            "matches": ["hits, as above"],
            "cited_by": ["hits that cite the section"],
        },
        "hierdoc define --json": {"matches": [asdict(definition)]},
        "hierdoc ingest --json": report.to_dict(),
        "hierdoc outline --json": {
            "source": "docs/act.md",
            "title": "Act",
            "sections": [as_dict(section)],
            "doubts": ["18 numbers are missing between Section 1 and Section 20"],
        },
        **_evaluation_examples(hit, result),
        "hierdoc plugins list --json": {
            "providers": [
                {
                    "kind": "vector",
                    "name": "acme",
                    **origin,
                    "summary": "Vectors in Acme",
                    "capabilities": ["persistent", "filter_equals"],
                    "reason": None,
                }
            ],
            "broken": [
                {"name": "acme", **origin, "reason": "ModuleNotFoundError: No module named 'acme'"}
            ],
        },
        "hierdoc doctor --json": {"checks": [check._asdict()]},
    }


def _evaluation_examples(hit: hierdoc.Hit, result: hierdoc.SearchResult) -> dict[str, Any]:
    from hierdoc_evaluation import Answer, Evaluation, Expected, Interval, Question, Tuning, Verdict
    from hierdoc_evaluation.report import as_dict
    from hierdoc_evaluation.space import Space

    question = Question("who reports", (Expected("docs/act.md", "Section 2"),), "q1")
    verdict = Verdict(frozenset((0,)), frozenset((0,)))
    answer = Answer(question, (hit,), (verdict,), False, (), result.timings_ms["total"])
    run = Evaluation("hierdoc", "hybrid", 10, (answer,))
    registry = Registry(allowed=frozenset(("sqlite", "static", "tantivy")))
    space = Space.of(hierdoc.load_config({"source": "docs"}, registry=registry), registry)
    best = space.point("rrf", 0.5, 0.2, 100, {"fuser.k": 30})
    gain = Interval(0.02, 0.004, 0.037)
    tuning = Tuning(
        space.baseline, best, 0.81, 0.84, gain, (best,), 200, "optuna", 150, space.notes
    )
    return {
        "hierdoc eval --json": as_dict([run, Evaluation("other", "hybrid", 10, (answer,))]),
        "hierdoc tune --json": {**tuning.to_dict(), "written": "hierdoc.tuned.yaml"},
    }
