"""What HoloDeck itself takes and refuses, and how it writes results down, beside what we do: truth from the real thing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hierdoc import Chunk, ConfigError, Definition, Hit, LegScore
from hierdoc_holodeck import Found
from hierdoc_holodeck.loading import read_tool
from hierdoc_holodeck.models import HierarchicalDocument, Vectorstore
from hierdoc_holodeck.tools import written

LAWS = {"type": "hierarchical_document", "name": "laws", "description": "The laws", "source": "d"}
STORE = {"type": "vectorstore", "name": "notes", "description": "Notes", "source": "d"}
MODEL = {"provider": "openai", "name": "gpt-4o"}

OF_DOCUMENTS: list[dict[str, Any]] = [
    {},
    {"name": "a1_B"}, {"name": "a-b"}, {"name": ""}, {"name": "a b"}, {"name": 3},
    {"description": None}, {"source": ""}, {"source": " "}, {"source": "docs/*.md"},
    {"source": "file:///docs"}, {"source": "ftp://x"},
    {"chunking_strategy": "structure"}, {"chunking_strategy": "token"}, {"chunking_strategy": "x"},
    {"max_chunk_tokens": 100}, {"max_chunk_tokens": 2000}, {"max_chunk_tokens": 99},
    {"max_chunk_tokens": 2001}, {"max_chunk_tokens": "200"}, {"max_chunk_tokens": 100.5},
    {"max_chunk_tokens": None}, {"chunk_overlap": 0}, {"chunk_overlap": 200},
    {"chunk_overlap": -1}, {"chunk_overlap": 201},
    *({"document_domain": one} for one in ("none", "us_legislative", "au_legislative", "academic", "technical", "legal_contract", "medical")),
    {"max_subsection_depth": 1}, {"max_subsection_depth": 0}, {"max_subsection_depth": None},
    *({"search_mode": one} for one in ("hybrid", "semantic", "keyword", "fuzzy")),
    {"top_k": 1}, {"top_k": 100}, {"top_k": 0}, {"top_k": 101}, {"top_k": True},
    {"min_score": 0}, {"min_score": 1}, {"min_score": None}, {"min_score": -0.1},
    {"min_score": 1.1}, {"min_score": "a"},
    {"semantic_weight": 0.6}, {"semantic_weight": 0.6, "exact_weight": 0.1},
    {"semantic_weight": 1, "keyword_weight": 0, "exact_weight": 0},
    {"semantic_weight": 0, "keyword_weight": 0, "exact_weight": 1},
    {"semantic_weight": 1.1, "keyword_weight": -0.1, "exact_weight": 0},
    {"semantic_weight": 0.5000001}, {"semantic_weight": 0.9, "search_mode": "keyword"},
    {"rrf_k": 1}, {"rrf_k": 0}, {"contextual_embeddings": False}, {"contextual_embeddings": "no"},
    {"context_max_tokens": 50}, {"context_max_tokens": 200}, {"context_max_tokens": 49},
    {"context_max_tokens": 201}, {"context_concurrency": 1}, {"context_concurrency": 50},
    {"context_concurrency": 0}, {"context_concurrency": 51},
    {"extract_definitions": False}, {"extract_cross_references": False},
    {"enable_reranking": True}, {"enable_reranking": True, "reranker_model": MODEL},
    {"context_model": MODEL}, {"context_model": "gpt-4o"}, {"context_model": {"provider": "openai"}},
    {"context_model": {**MODEL, "provider": "mistral"}}, {"context_model": {**MODEL, "name": " "}},
    {"context_model": {**MODEL, "temperature": 2}}, {"context_model": {**MODEL, "temperature": 2.1}},
    {"context_model": {**MODEL, "temperature": None}}, {"context_model": {**MODEL, "max_tokens": 0}},
    {"context_model": {**MODEL, "max_tokens": None}}, {"context_model": {**MODEL, "top_p": 1.1}},
    {"context_model": {**MODEL, "api_key": "k", "endpoint": "http://x"}},
    {"context_model": {**MODEL, "provider": "azure_openai"}},
    {"context_model": {**MODEL, "provider": "azure_openai", "endpoint": "https://x", "api_version": "1"}},
    {"context_model": {**MODEL, "provider": "anthropic", "auth_provider": "custom"}},
    {"context_model": {**MODEL, "provider": "anthropic", "auth_provider": "magic"}},
    {"context_model": {**MODEL, "seed": 3}},
    {"embedding_model": None}, {"embedding_model": "text-embedding-3-small"},
    {"database": None}, {"database": "named"}, {"database": {}}, {"database": 3},
    *({"database": {"provider": one}} for one in ("postgres", "azure-ai-search", "qdrant", "weaviate", "chromadb", "faiss", "azure-cosmos-nosql", "sql-server", "pinecone", "in-memory", "sqlite")),
    {"database": {"provider": "qdrant", "connection_string": "http://q"}},
    {"database": {"provider": "qdrant", "connection_string": " "}},
    {"database": {"provider": "qdrant", "url": "http://q", "api_key": "k"}},
    {"keyword_index": None}, {"keyword_index": {}}, {"keyword_index": {"provider": "in-memory"}},
    {"keyword_index": {"provider": "solr"}}, {"keyword_index": {"provider": "opensearch"}},
    {"keyword_index": {"provider": "opensearch", "endpoint": "http://o"}},
    {"keyword_index": {"provider": "opensearch", "endpoint": "http://o", "index_name": "i"}},
    {"keyword_index": {"provider": "opensearch", "endpoint": "http://o", "index_name": "i", "timeout_seconds": 121}},
    {"keyword_index": {"provider": "opensearch", "endpoint": "http://o", "index_name": "i", "username": "u", "password": "p", "api_key": "k", "verify_certs": False, "timeout_seconds": 120}},
    {"defer_loading": False}, {"defer_loading": "maybe"}, {"instructions": "x"}, {"top_n": 3},
]  # fmt: skip

OF_STORES: list[dict[str, Any]] = [
    {}, {"name": "a.b"}, {"source": ""}, {"source": "gopher://x"}, {"defer_loading": False},
    {"top_k": 1}, {"top_k": 100}, {"top_k": 0}, {"top_k": 101}, {"top_k": -1},
    {"min_similarity_score": 0.7}, {"min_similarity_score": 1.01}, {"min_similarity_score": -1},
    {"chunk_size": 1}, {"chunk_size": 0}, {"chunk_overlap": 0}, {"chunk_overlap": -1},
    {"embedding_dimensions": 1}, {"embedding_dimensions": 0}, {"embedding_dimensions": 10001},
    {"embedding_model": "text-embedding-3-small"}, {"database": "named"}, {"database": "  "},
    {"database": {"provider": "chromadb", "persist_directory": "here"}},
    {"vector_field": "text"}, {"field_separator": "\n"}, {"vector_field": None, "id_field": None},
    {"min_score": 0.5}, {"search_mode": "hybrid"},
]  # fmt: skip

REFUSED_BY_US: list[dict[str, Any]] = [
    {**LAWS, "source": "https://example.org/law.md"},
    {**LAWS, "source": "s3://bucket/laws"},
    {**LAWS, "database": {"provider": "azure-cosmos-mongo"}},
    {**STORE, "source": "az://container/docs"},
    {**STORE, "vector_field": "text", "id_field": "id"},
    {**STORE, "vector_field": ["a", "b"], "id_field": "id", "field_separator": " "},
    {**STORE, "delimiter": ";"},
    {**STORE, "record_path": "items"},
    {**STORE, "meta_fields": ["a"]},
    {**LAWS, "embedding_model": ""},
]
"""HoloDeck takes these; we have nothing for them, and say so. An empty embedding model means nothing."""

TAKEN_BY_US: list[dict[str, Any]] = [
    {**LAWS, "search_mode": "exact"},
    {**LAWS, "database": {"provider": "mongodb"}},
    {**LAWS, "database": {"provider": "redis", "connection_string": "redis://localhost:6379"}},
    {**LAWS, "database": {"provider": "postgresql", "connection_string": "postgresql://db"}},
    {name: value for name, value in STORE.items() if name != "description"},
]
"""HoloDeck 0.7.1 refuses these, though its documentation or its contract has them."""

RESULT = {
    "chunk_id": "1",
    "content": "## Section 2\n\nText.",
    "fused_score": 0.35449,
    "source_path": "docs/act.md",
    "parent_chain": ["Act", "Section 2"],
    "section_id": "sec_2",
}
DEFINED = [("Master", "a person"), ("Quay", "a wall " * 20), ("Exact", "x" * 100)]


def refused(tool: dict[str, Any]) -> str | None:
    try:
        read_tool(tool)
    except ConfigError as error:
        return str(error)
    return None


@pytest.fixture(scope="module")
def holodeck(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What HoloDeck answers."""
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("no uv here, which installs holodeck-ai")
    place = tmp_path_factory.mktemp("holodeck") / "env"
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    subprocess.run([uv, "venv", "--quiet", "--python", version, place], check=True)
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = [uv, "pip", "install", "--quiet", "--python", python, "holodeck-ai==0.7.1"]
    # exceptiongroup: HoloDeck 0.7.1 imports it without declaring it.
    installed = subprocess.run([*install, "exceptiongroup"], capture_output=True, text=True)
    if installed.returncode:
        pytest.skip(f"holodeck-ai cannot be installed: {installed.stderr[-500:]}")
    found = [
        {"score": 0.894, "source_path": "docs/act.md", "content": "One."},
        {"score": 0.5, "source_path": "docs/code.md", "content": "Two.\n"},
    ]
    definitions = [{"term": term, "definition_text": text} for term, text in DEFINED]
    asked = {
        "tools": tools() + REFUSED_BY_US + TAKEN_BY_US,
        "result": {**RESULT, "definitions_context": definitions},
        "results": found,
    }
    judge = Path(__file__).with_name("judge.py")
    done = subprocess.run(
        [python, judge], input=json.dumps(asked), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def tools() -> list[dict[str, Any]]:
    return [
        *({**LAWS, **fields} for fields in OF_DOCUMENTS),
        *({**STORE, **fields} for fields in OF_STORES),
    ]


@pytest.mark.nightly
def test_we_take_and_refuse_what_holodeck_does(holodeck: dict[str, Any]) -> None:
    different = [
        (tool, theirs, refused(tool))
        for tool, theirs in zip(tools(), holodeck["refused"], strict=False)
        if bool(theirs) != bool(refused(tool))
    ]
    assert not different
    assert sum(map(bool, holodeck["refused"])) > 40
    assert not all(holodeck["refused"])


@pytest.mark.nightly
def test_the_known_differences_are_as_documented(holodeck: dict[str, Any]) -> None:
    theirs = dict(zip(map(json.dumps, tools() + REFUSED_BY_US + TAKEN_BY_US), holodeck["refused"]))  # noqa: B905
    for tool in REFUSED_BY_US:
        assert not theirs[json.dumps(tool)], tool
        assert refused(tool), tool
    for tool in TAKEN_BY_US:
        assert theirs[json.dumps(tool)], tool
        assert not refused(tool), tool


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("kind", "model"), [("hierarchical_document", HierarchicalDocument), ("vectorstore", Vectorstore)]
)  # fmt: skip
def test_our_defaults_are_holodecks(holodeck: dict[str, Any], kind: str, model: Any) -> None:
    ours = model(name="n", description="d", source="s").model_dump(mode="json", exclude={"type"})
    theirs = holodeck["defaults"][kind]
    assert {name: theirs.get(name, "missing") for name in ours} == ours


@pytest.mark.nightly
def test_a_result_is_written_as_holodeck_writes_it(holodeck: dict[str, Any]) -> None:
    definitions = [Definition(term, text, "act.md") for term, text in DEFINED]
    assert Found(**RESULT, definitions_context=definitions).format() == holodeck["result"]  # type: ignore[arg-type]


@pytest.mark.nightly
def test_results_of_a_vectorstore_are_written_as_holodeck_writes_them(
    holodeck: dict[str, Any],
) -> None:
    def hit(score: float, source: str, text: str) -> Hit:
        chunk = Chunk(source, text, 0, len(text), 1, 1)
        return Hit(1, score, {"semantic": LegScore(1, score)}, chunk)

    hits = [hit(0.894, "docs/act.md", "One."), hit(0.5, "docs/code.md", "Two.\n")]
    assert written([(one.score, one) for one in hits]) == holodeck["results"]
