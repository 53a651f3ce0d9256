"""LangChain's own tests of retrievers, and what its documents say."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("langchain_core", reason="LangChain is installed in an environment of its own")
pytest.importorskip("langchain_tests", reason="LangChain's tests are not installed")

from langchain_tests.integration_tests import RetrieversIntegrationTests

from hierdoc import Index, QueryError
from hierdoc.filters import Equals
from hierdoc_langchain import HierdocRetriever


class TestStandard(RetrieversIntegrationTests):
    """The standard tests."""

    @pytest.fixture(autouse=True)
    def _given(self, acts: Index) -> None:
        self._index = acts

    @property
    def retriever_constructor(self) -> type[HierdocRetriever]:
        return HierdocRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"index": self._index}

    @property
    def retriever_query_example(self) -> str:
        return "what shall the master of a ship report to the harbour, and what is the fee?"


def test_a_document_says_all_that_is_known_of_the_hit(acts: Index) -> None:
    best, *_ = HierdocRetriever(index=acts).invoke("what shall the master do under Section 2?")
    assert best.page_content.startswith("## Section 2 Reports")
    known = best.metadata
    assert known["source"].endswith("act.md")
    assert known["parent_chain"] == ["Harbour Act", "Section 2 Reports"]
    assert (known["section_id"], known["certain"], known["ambiguous"]) == ("sec_2", True, False)
    assert set(known["scores"]) >= {"exact"}
    assert known["definitions"][0]["term"] == "Master"
    assert known["references"][0]["section_id"] == "sec_3"
    assert {"line_start", "page_start", "rank", "score", "why"} <= known.keys()
    assert best.id == known["chunk_id"]


def test_a_wrong_argument_is_refused(acts: Index) -> None:
    with pytest.raises(ValueError, match="Extra inputs are not permitted"):
        HierdocRetriever(index=acts, top_k=3)  # type: ignore[call-arg]
    with pytest.raises(QueryError, match="top_k is 0"):
        HierdocRetriever(index=acts).invoke("berth", k=0)


def test_arguments_of_the_search_are_passed_on(acts: Index) -> None:
    nothing = HierdocRetriever(index=acts, filter=Equals("source", "another.md"))
    assert nothing.invoke("fee") == []
    words = HierdocRetriever(index=acts, mode="keyword")
    (found,) = asyncio.run(words.ainvoke("berth"))
    assert set(found.metadata["scores"]) == {"keyword"}
    assert HierdocRetriever(index=acts).invoke("ship", mode="keyword", k=1)[0].metadata["rank"] == 1


def test_the_example_runs(run_example: Callable[[str], dict[str, Any]]) -> None:
    names = run_example("LangChain")
    assert "23.2 crowns" in names["documents"][0].page_content
