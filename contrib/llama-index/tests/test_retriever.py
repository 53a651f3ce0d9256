"""The retriever of LlamaIndex, with and without asyncio, and in a query engine of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip(
    "llama_index.core", reason="LlamaIndex is installed in an environment of its own"
)

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode

from hierdoc import Index
from hierdoc_llama_index import HierdocRetriever


def test_a_node_says_all_that_is_known_of_the_hit(acts: Index) -> None:
    retriever = HierdocRetriever(acts)
    assert isinstance(retriever, BaseRetriever)
    best, *_ = retriever.retrieve("what shall the master do under Section 2?")
    assert best.text.startswith("## Section 2 Reports")
    known = best.node.metadata
    assert known["parent_chain"] == ["Harbour Act", "Section 2 Reports"]
    assert (known["section_id"], known["certain"], known["ambiguous"]) == ("sec_2", True, False)
    assert set(known["scores"]) >= {"exact"}
    assert known["definitions"][0]["term"] == "Master"
    assert {"source", "line_start", "page_start", "rank", "score", "why"} <= known.keys()
    assert (best.score, best.node.node_id) == (known["score"], known["chunk_id"])
    assert best.node.source_node is not None
    assert best.node.source_node.node_id == known["source"]


def test_what_is_no_index_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match=r"Index\.open.* not 'hierdoc\.yaml'"):
        HierdocRetriever("hierdoc.yaml")  # type: ignore[arg-type]


def test_a_model_gets_the_place_and_no_more(acts: Index) -> None:
    best, *_ = HierdocRetriever(acts, top_k=1).retrieve("berth")
    shown = best.node.get_content(MetadataMode.LLM)
    assert "source: " in shown
    assert "scores" not in shown


def test_async_finds_the_same(acts: Index) -> None:
    retriever = HierdocRetriever(acts, top_k=2, search={"mode": "keyword"})
    plain = [one.node.node_id for one in retriever.retrieve("ship berth")]
    found = asyncio.run(retriever.aretrieve("ship berth"))
    assert [one.node.node_id for one in found] == plain
    assert len(plain) == 2


def test_a_query_engine_answers_from_it(acts: Index) -> None:
    engine = RetrieverQueryEngine.from_args(HierdocRetriever(acts, top_k=1), llm=MockLLM())
    answer = engine.query("what does a berth cost?")
    assert "23.2 crowns" in answer.source_nodes[0].text


def test_the_example_runs(run_example: Callable[[str], dict[str, Any]]) -> None:
    assert "23.2 crowns" in run_example("LlamaIndex")["nodes"][0].text
