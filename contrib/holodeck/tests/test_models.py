"""What HoloDeck's YAML may say, and what of it is refused with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hierdoc import ConfigError
from hierdoc_holodeck import load_tool

LAWS = {"type": "hierarchical_document", "name": "laws", "description": "The laws", "source": "."}
STORE = {"type": "vectorstore", "name": "notes", "source": "."}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without a configuration of the user's own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": "no spaces"}, "name: String should match pattern"),
        ({"top_k": 101}, "top_k: Input should be less than or equal to 100"),
        ({"max_chunk_tokens": 99}, "max_chunk_tokens: Input should be greater"),
        ({"chunk_overlap": 201}, "chunk_overlap: Input should be less"),
        ({"min_score": 1.5}, "min_score: Input should be less"),
        ({"semantic_weight": 0.6}, "Hybrid search weights must sum to 1.0, got 1.100000"),
        (
            {"semantic_weight": 0, "keyword_weight": 0, "exact_weight": 1},
            "Hybrid search requires semantic_weight + keyword_weight > 0",
        ),
        ({"enable_reranking": True}, "reranker_model is required when enable_reranking=True"),
        ({"searchmode": "hybrid"}, "searchmode: unknown field; did you mean `search_mode`?"),
        ({"source": "s3://bucket/laws"}, "hierdoc reads local files"),
        ({"source": "ftp://host/laws"}, "Unsupported source URI scheme 'ftp'"),
        ({"database": {"provider": "azure-cosmos-mongo"}}, "takes no text beside a vector"),
        ({"database": {"provider": "oracle"}}, "no store is called 'oracle'"),
        ({"keyword_index": {"provider": "opensearch"}}, "endpoint is required"),
        (
            {"context_model": {"provider": "azure_openai", "name": "gpt"}},
            "endpoint is required for azure_openai",
        ),
        ({"embedding_model": "somebodys-model"}, "nothing says who serves 'somebodys-model'"),
    ],
)
def test_a_wrong_field_of_a_document_tool_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load_tool({**LAWS, **fields})
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"top_k": 0}, "top_k: Input should be greater"),
        ({"min_similarity_score": -0.1}, "min_similarity_score: Input should be greater"),
        ({"chunk_size": 0}, "chunk_size: Input should be greater"),
        ({"vector_field": "text", "id_field": "id"}, "vector_field, id_field: hierdoc searches"),
        ({"embedding_dimensions": 128}, "embedding_dimensions needs an embedding_model"),
    ],
)
def test_a_wrong_field_of_a_vectorstore_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load_tool({**STORE, **fields})
    assert message in str(raised.value)


def test_weights_matter_in_hybrid_search_alone() -> None:
    tool = load_tool({**LAWS, "search_mode": "keyword", "semantic_weight": 0.9})
    assert tool.name == "laws"


def test_a_type_of_holodecks_own_is_refused() -> None:
    with pytest.raises(ConfigError, match="type: 'mcp' is none of hierarchical_document, vector"):
        load_tool({"type": "mcp", "name": "files", "description": "Files"})


def test_a_tool_tells_a_language_model_what_it_is() -> None:
    definition = load_tool(LAWS).definition()
    assert definition["name"] == "laws"
    assert definition["description"] == "The laws"
    assert definition["parameters"]["required"] == ["query"]
