"""The plugin's functions as Semantic Kernel finds and calls them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("semantic_kernel", reason="Semantic Kernel is installed in an environment of its own")  # fmt: skip

from semantic_kernel import Kernel

from hierdoc import Index
from hierdoc_semantic_kernel import HierdocPlugin


def call(index: Index, function: str, **arguments: Any) -> str:
    kernel = Kernel()
    kernel.add_plugin(HierdocPlugin(index), plugin_name="documents")
    result = asyncio.run(
        kernel.invoke(function_name=function, plugin_name="documents", **arguments)
    )
    assert result is not None
    return str(result.value)


def test_a_model_is_told_of_the_functions_and_their_arguments(acts: Index) -> None:
    kernel = Kernel()
    plugin = kernel.add_plugin(HierdocPlugin(acts), plugin_name="documents")
    assert set(plugin.functions) == {"search", "find", "section", "define"}
    metadata = plugin["search"].metadata
    assert "Search the documents" in (metadata.description or "")
    query, top_k = metadata.parameters
    assert (query.name, query.is_required, query.type_) == ("query", True, "str")
    assert (top_k.name, top_k.is_required, top_k.default_value) == ("top_k", False, 5)
    assert "citation" in (query.description or "")


def test_search_gives_passages_with_their_places(acts: Index) -> None:
    text = call(acts, "search", query="what does a berth cost?", top_k=1)
    assert text.startswith("[1] ")
    assert "Harbour Act > Section 3 Fees" in text
    assert "23.2 crowns" in text


def test_find_gives_all_that_is_known_of_hits(acts: Index) -> None:
    found = json.loads(call(acts, "find", query="Section 2"))
    best = found["hits"][0]
    assert best["parent_chain"] == ["Harbour Act", "Section 2 Reports"]
    assert (best["section_id"], best["certain"], best["ambiguous"]) == ("sec_2", True, False)
    assert {"source", "line_start", "page_start", "scores", "why"} <= best.keys()


def test_sections_and_terms_are_looked_up(acts: Index) -> None:
    assert "23.2 crowns" in call(acts, "section", reference="Section 3")
    assert "command of a ship" in call(acts, "define", term="masters")
    assert call(acts, "section", reference="Section 99") == "No document has Section 99."
    assert call(acts, "define", term="zebra") == "No document defines zebra."


def test_the_example_runs(run_example: Callable[[str], dict[str, Any]]) -> None:
    assert "23.2 crowns" in str(run_example("Semantic Kernel")["answer"])
