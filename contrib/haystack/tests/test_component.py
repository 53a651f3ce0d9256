"""The component of Haystack, in pipelines with and without asyncio, saved and loaded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("haystack", reason="Haystack is installed in an environment of its own")
pytest.importorskip("hierdoc_haystack", reason="hierdoc-haystack is installed beside Haystack")

from haystack import Document, Pipeline

from hierdoc import Index
from hierdoc_haystack import HierdocRetriever

QUERY = "what shall the master do under Section 2?"


def test_a_document_says_all_that_is_known_of_the_hit(acts: Index) -> None:
    found = HierdocRetriever(acts).run(QUERY)
    best = found["documents"][0]
    assert isinstance(best, Document)
    assert best.content is not None
    assert best.content.startswith("## Section 2 Reports")
    known = best.meta
    assert known["parent_chain"] == ["Harbour Act", "Section 2 Reports"]
    assert (known["section_id"], known["certain"], known["ambiguous"]) == ("sec_2", True, False)
    assert set(known["scores"]) >= {"exact"}
    assert known["definitions"][0]["term"] == "Master"
    assert {"source", "line_start", "page_start", "rank", "score", "why"} <= known.keys()
    assert (best.score, best.id) == (known["score"], known["chunk_id"])
    assert found["degraded"] == []
    assert found["low_confidence"] is False


def test_it_runs_in_a_pipeline(acts: Index) -> None:
    pipeline = Pipeline()
    pipeline.add_component("retriever", HierdocRetriever(acts, top_k=1))
    found = pipeline.run({"retriever": {"query": "what does a berth cost?"}})
    assert "23.2 crowns" in found["retriever"]["documents"][0].content


def test_it_runs_in_a_pipeline_with_asyncio(acts: Index) -> None:
    pipeline = Pipeline()
    pipeline.add_component("retriever", HierdocRetriever(acts, mode="keyword"))
    given = {"retriever": {"query": "berth", "top_k": 1}}
    found = asyncio.run(pipeline.run_async(given))
    assert "23.2 crowns" in found["retriever"]["documents"][0].content


def test_it_is_saved_with_its_configuration(corpus: Path) -> None:
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    config = {"source": str(corpus / "docs"), **stores}
    pipeline = Pipeline()
    pipeline.add_component("retriever", HierdocRetriever(config, top_k=2, mode="keyword"))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["hierdoc_haystack"])
    retriever = again.get_component("retriever")
    assert isinstance(retriever, HierdocRetriever)
    assert (retriever.index, retriever.top_k, retriever.mode) == (config, 2, "keyword")
    retriever.warm_up()
    assert retriever.run("berth")["documents"] == []  # nothing was ingested
    retriever.close()


def test_an_open_index_cannot_be_saved(acts: Index) -> None:
    with pytest.raises(ValueError, match="cannot be saved"):
        HierdocRetriever(acts).to_dict()


def test_the_example_runs(run_example: Callable[[str], dict[str, Any]]) -> None:
    assert "23.2 crowns" in run_example("Haystack")["documents"][0].content
