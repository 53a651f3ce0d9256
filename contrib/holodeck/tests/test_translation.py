"""Each field of HoloDeck's YAML, and what it means to hierdoc."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from hierdoc import Config, ConfigError
from hierdoc.errors import UnknownProviderError
from hierdoc.plugin import ComponentKind, ProviderConfig, Registry
from hierdoc_holodeck.loading import Surroundings, read_tool
from hierdoc_holodeck.models import Database, LanguageModel
from hierdoc_holodeck.stores import vector_settings
from hierdoc_holodeck.translation import translate

MODEL = {"provider": "anthropic", "name": "claude", "api_key": "key"}


def translated(around: Surroundings | None = None, **fields: Any) -> tuple[Config, tuple[str, ...]]:
    kind = fields.pop("type", "hierarchical_document")
    tool = {"type": kind, "name": "laws", "description": "The laws", "source": "docs", **fields}
    made = translate(read_tool(tool), around or Surroundings(Path("/agents")))
    return made.config, made.warnings


def component(config: Config, kind: ComponentKind) -> ProviderConfig:
    found = config.component(kind)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("fields", "kind", "settings"),
    [
        ({"chunking_strategy": "token"}, ComponentKind.CHUNKER, {"provider": "token"}),
        ({"max_chunk_tokens": 300}, ComponentKind.CHUNKER, {"max_chunk_tokens": 300}),
        ({"chunk_overlap": 0}, ComponentKind.CHUNKER, {"chunk_overlap": 0}),
        ({"document_domain": "none"}, ComponentKind.CHUNKER, {"domain": "none"}),
        ({"document_domain": "academic"}, ComponentKind.CHUNKER, {"domain": "academic"}),
        ({}, ComponentKind.CHUNKER, {"domain": "auto"}),
        ({"max_subsection_depth": 2}, ComponentKind.CHUNKER, {"max_subsection_depth": 2}),
        ({"extract_definitions": False}, ComponentKind.CHUNKER, {"extract_definitions": False}),
        (
            {"extract_cross_references": False, "chunking_strategy": "token"},
            ComponentKind.CHUNKER,
            {"extract_references": False},
        ),
        ({"rrf_k": 30}, ComponentKind.FUSER, {"provider": "rrf", "k": 30}),
        ({}, ComponentKind.FUSER, {"provider": "adaptive"}),
        ({}, ComponentKind.CONTEXT, {"provider": "structural"}),
        ({"contextual_embeddings": False}, ComponentKind.CONTEXT, {"provider": "none"}),
        (
            {"context_model": MODEL, "context_max_tokens": 150, "context_concurrency": 3},
            ComponentKind.CONTEXT,
            {"provider": "anthropic", "model": "claude", "max_tokens": 150, "concurrency": 3},
        ),
        (
            {"context_model": {**MODEL, "max_tokens": 60, "top_p": 0.5, "temperature": 0.0}},
            ComponentKind.CONTEXT,
            {"max_tokens": 60, "temperature": 0.0, "extra": {"top_p": 0.5}},
        ),
        (
            {"context_model": {"provider": "ollama", "name": "llama3"}},
            ComponentKind.CONTEXT,
            {"provider": "openai", "base_url": "http://localhost:11434/v1"},
        ),
        ({}, ComponentKind.KEYWORD, {"provider": "in-memory"}),
        (
            {
                "keyword_index": {
                    "provider": "opensearch",
                    "endpoint": "https://search:9200",
                    "index_name": "Corpus",
                    "timeout_seconds": 5,
                    "verify_certs": False,
                }
            },
            ComponentKind.KEYWORD,
            {
                "url": "https://search:9200",
                "collection": "corpus_laws",
                "timeout": 5.0,
                "verify_certs": False,
            },
        ),
        ({}, ComponentKind.EMBEDDER, {"provider": "static"}),
        ({"embedding_model": "minilm"}, ComponentKind.EMBEDDER, {"provider": "minilm"}),
        (
            {"embedding_model": "BAAI/bge-small-en-v1.5"},
            ComponentKind.EMBEDDER,
            {"provider": "fastembed", "model": "BAAI/bge-small-en-v1.5"},
        ),
        (
            {"embedding_model": "text-embedding-3-large"},
            ComponentKind.EMBEDDER,
            {"provider": "openai", "model": "text-embedding-3-large"},
        ),
        (
            {"type": "vectorstore"},
            ComponentKind.CHUNKER,
            {"provider": "token", "max_chunk_tokens": 512, "chunk_overlap": 50},
        ),
        (
            {"type": "vectorstore", "chunk_size": 200, "chunk_overlap": 20},
            ComponentKind.CHUNKER,
            {"max_chunk_tokens": 200, "chunk_overlap": 20},
        ),
        (
            {"type": "vectorstore", "embedding_model": "text-embedding-3-small", "embedding_dimensions": 256},
            ComponentKind.EMBEDDER,
            {"dimensions": 256},
        ),
    ],
)  # fmt: skip
def test_a_field_sets_what_it_means(
    fields: dict[str, Any], kind: ComponentKind, settings: dict[str, Any]
) -> None:
    config, warnings = translated(**fields)
    found = component(config, kind).model_dump(mode="json")
    assert {name: found[name] for name in settings} == settings
    assert not warnings


def test_search_is_configured_as_the_tool_says() -> None:
    config, _ = translated(
        search_mode="hybrid", top_k=7, semantic_weight=0.2, keyword_weight=0.5, exact_weight=0.3
    )
    assert (config.search.mode, config.search.top_k) == ("hybrid", 7)
    assert config.search.weights.model_dump() == {"semantic": 0.2, "keyword": 0.5, "exact": 0.3}


def test_a_vectorstore_searches_by_meaning_alone() -> None:
    config, _ = translated(type="vectorstore", top_k=3)
    assert (config.search.mode, config.search.top_k, config.keyword) == ("semantic", 3, None)


DATABASES = [
    (
        {"provider": "postgres", "connection_string": "postgresql://me:pw@db/x", "db_schema": "law"},
        {"dsn": "**********", "collection": "law_laws"},
    ),
    (
        {"provider": "qdrant", "connection_string": "https://secret@qdrant:6333"},
        {"url": "https://qdrant:6333", "api_key": "**********", "collection": "holodeck_laws"},
    ),
    ({"provider": "qdrant", "connection_string": ":memory:"}, {"location": ":memory:"}),
    ({"provider": "qdrant", "connection_string": "qdrant://q"}, {"url": "http://q:6333"}),
    ({"provider": "qdrant", "host": "q", "port": 7000}, {"url": "http://q:7000"}),
    ({"provider": "qdrant", "url": "http://q", "vector_algorithm": "FLAT"}, {"exact": True}),
    (
        {"provider": "weaviate", "url": "https://w:8080", "api_key": "k", "index_name": "Corpus"},
        {"url": "https://w:8080", "api_key": "**********", "collection": "Corpus_laws"},
    ),
    (
        {"provider": "weaviate", "local_host": "w", "local_port": 81, "local_grpc_port": 82},
        {"url": "http://w:81", "grpc_url": "http://w:82"},
    ),
    ({"provider": "weaviate", "url": "http://w", "vector_algorithm": "FLAT"}, {"index": "flat"}),
    ({"provider": "chromadb"}, {"in_memory": True}),
    ({"provider": "chromadb", "connection_string": "http://c:8000"}, {"url": "http://c:8000"}),
    ({"provider": "chromadb", "persist_directory": "here"}, {"path": "/agents/here"}),
    ({"provider": "faiss", "path": "store"}, {"path": "/agents/store"}),
    ({"provider": "faiss", "vector_algorithm": "HNSW"}, {"index": "hnsw"}),
    (
        {"provider": "sql-server", "connection_string": "Server=db;User ID=me;Password=pw"},
        {"dsn": "**********", "collection": "holodeck_laws"},
    ),
    (
        {
            "provider": "azure-cosmos-nosql",
            "connection_string": "AccountEndpoint=https://c.documents.azure.com:443/;AccountKey=a2V5==;",
        },
        {"url": "https://c.documents.azure.com:443/", "api_key": "**********"},
    ),
    ({"provider": "postgresql", "connection_string": "host=db"}, {"provider": "postgres"}),
    ({"provider": "in-memory"}, {"provider": "in-memory"}),
]  # fmt: skip


@pytest.mark.parametrize(("database", "settings"), DATABASES)
def test_a_database_is_the_plugin_of_its_name(
    database: dict[str, Any], settings: dict[str, Any]
) -> None:
    config, warnings = translated(database=database)
    found = component(config, ComponentKind.VECTOR).model_dump(mode="json")
    assert {name: found[name] for name in settings} == settings
    assert not warnings


@pytest.mark.parametrize(
    ("database", "message"),
    [
        ({"provider": "postgres"}, "postgres needs a connection_string"),
        ({"provider": "qdrant", "connection_string": "qdrant+grpc://q:6334"}, "its gRPC port"),
        ({"provider": "qdrant", "url": "http://q", "prefer_grpc": True}, "speaks HTTP"),
        ({"provider": "faiss", "connection_string": "x"}, "takes no connection_string"),
        ({"provider": "faiss", "vector_algorithm": "IVF"}, "neither HNSW nor FLAT"),
        ({"provider": "qdrant", "url": "http://q", "colection": "x"}, "unknown key; did you mean"),
    ],
)
def test_a_database_that_does_not_fit_is_refused(database: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        translated(database=database)


@pytest.mark.parametrize(
    ("fields", "warning"),
    [
        ({"context_max_tokens": 60}, "context_max_tokens without effect: there is no context_mod"),
        (
            {"contextual_embeddings": False, "context_model": MODEL},
            "context_model without effect: contextual_embeddings is false",
        ),
        ({"reranker_model": MODEL}, "reranker_model has no effect"),
        ({"database": "nowhere"}, "no store is called 'nowhere' in `vectorstores:`; available: n"),
        ({"database": {"provider": "in-memory", "url": "x"}}, "url without effect: the store is"),
        ({"keyword_index": {"endpoint": "x"}}, "endpoint without effect: only opensearch"),
        (
            {"database": {"provider": "faiss", "distance_metric": "L2"}},
            "distance_metric L2: hierdoc compares vectors by cosine",
        ),
        (
            {"database": {"provider": "chromadb", "vector_algorithm": "HNSW"}},
            "vector_algorithm HNSW: this store has one way",
        ),
        (
            {
                "context_model": {
                    "provider": "azure_openai",
                    "name": "g",
                    "endpoint": "https://x.test",
                    "api_version": "1",
                }
            },
            "api_version has no effect",
        ),
    ],
)
def test_what_has_no_effect_is_said(fields: dict[str, Any], warning: str) -> None:
    _, warnings = translated(**fields)
    assert len(warnings) == 1
    assert warning in warnings[0]


def test_what_is_not_there_is_an_error_if_the_program_says_so() -> None:
    tool = {"type": "hierarchical_document", "name": "a", "description": "b", "source": "."}
    with pytest.raises(ConfigError):
        translate(
            read_tool({**tool, "database": "nowhere"}),
            Surroundings(Path.cwd()),
            on_degraded="raise",
        )


@pytest.mark.parametrize(
    ("model", "api", "url"),
    [
        ({"provider": "openai", "name": "gpt-4o-mini"}, "openai", "https://api.openai.com/v1"),
        ({"provider": "anthropic", "name": "c"}, "anthropic", "https://api.anthropic.com/v1"),
        ({"provider": "ollama", "name": "qwen"}, "openai", "http://localhost:11434/v1"),
    ],
)
def test_a_model_puts_hits_in_order(model: dict[str, Any], api: str, url: str) -> None:
    config, warnings = translated(enable_reranking=True, reranker_model=model)
    assert not warnings
    reranker: Any = config.reranker
    assert (reranker.provider, reranker.api, reranker.model) == ("llm", api, model["name"])
    assert reranker.base_url == url


def test_without_the_plugin_hits_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(self: Registry, kind: ComponentKind, name: str) -> Any:
        if kind is ComponentKind.RERANKER:
            raise UnknownProviderError("no reranker", hint="pip install 'hierdoc[llm]'")
        return found(self, kind, name)

    found = Registry.find
    monkeypatch.setattr(Registry, "find", missing)
    config, warnings = translated(enable_reranking=True, reranker_model=MODEL)
    assert config.reranker is None
    assert "pip install 'hierdoc[llm]'; hits keep the order of the fusion" in warnings[0]


def test_the_agents_provider_serves_the_embedding_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from-the-environment")
    agent = LanguageModel(provider="ollama", name="llama3", endpoint="http://gpu:11434/")
    config, _ = translated(
        Surroundings(Path("/agents"), model=agent), embedding_model="nomic-embed-text:latest"
    )
    found = component(config, ComponentKind.EMBEDDER).model_dump()
    assert (found["base_url"], found["dimensions"]) == ("http://gpu:11434/v1", 768)
    assert found["api_key"] is None
    config, _ = translated(embedding_model="text-embedding-3-small")
    key = component(config, ComponentKind.EMBEDDER).model_dump()["api_key"]
    assert key.get_secret_value() == "from-the-environment"


def test_the_dimension_of_an_unknown_model_is_assumed_and_said() -> None:
    agent = LanguageModel(provider="openai", name="gpt")
    config, warnings = translated(
        Surroundings(Path("/agents"), model=agent), embedding_model="own-model"
    )
    assert component(config, ComponentKind.EMBEDDER).model_dump()["dimensions"] == 1536
    assert "are taken to have 1536 numbers" in warnings[0]


def test_an_embedding_provider_of_the_agent_embeds_without_more() -> None:
    provider = LanguageModel(provider="ollama", name="mxbai-embed-large")
    config, _ = translated(Surroundings(Path("/agents"), embedding_provider=provider))
    found = component(config, ComponentKind.EMBEDDER).model_dump()
    assert (found["model"], found["dimensions"]) == ("mxbai-embed-large", 1024)


def test_azure_is_asked_at_its_versionless_api() -> None:
    agent = LanguageModel(provider="azure_openai", name="gpt", endpoint="https://me.azure.test/")
    config, _ = translated(
        Surroundings(Path("/agents"), model=agent), embedding_model="text-embedding-3-small"
    )
    found = component(config, ComponentKind.EMBEDDER).model_dump()
    assert found["base_url"] == "https://me.azure.test/openai/v1"


def test_a_secret_with_a_dollar_stays_as_it_is() -> None:
    model = {**MODEL, "api_key": "a${HOME}b"}
    config, _ = translated(context_model=model)
    key = component(config, ComponentKind.CONTEXT).model_dump()["api_key"]
    assert key.get_secret_value() == "a${HOME}b"


def test_a_store_without_a_plugin_names_the_way_out() -> None:
    database = Database(provider="qdrant", connection_string=SecretStr("http://localhost:6333"))
    with pytest.raises(ConfigError, match="the store qdrant needs a plugin") as raised:
        vector_settings(database, "laws", Registry(allowed=frozenset()))
    assert raised.value.hint
    assert "hierdoc-qdrant" in raised.value.hint


@pytest.mark.parametrize(
    ("given", "collection"),
    [
        ("pinecone://KEY@legal", "legal_laws"),
        ("KEY", "holodeck_laws"),
    ],
)
def test_the_namespace_of_pinecone_begins_the_name_of_the_collection(
    given: str, collection: str
) -> None:
    database = Database.model_validate({"provider": "pinecone", "connection_string": given})
    settings, _ = vector_settings(database, "laws", Registry())
    assert settings == {"provider": "pinecone", "api_key": "KEY", "collection": collection}


def test_the_address_of_atlas_is_taken_apart() -> None:
    address = "mongodb+srv://me:p%40ss@cluster0.abcde.mongodb.net/legal?retryWrites=true&w=majority"
    given = {"provider": "mongodb", "connection_string": address, "index_name": "acts"}
    settings, _ = vector_settings(Database.model_validate(given), "laws", Registry())
    assert settings == {
        "provider": "mongodb",
        "url": "mongodb+srv://cluster0.abcde.mongodb.net/?retryWrites=true&w=majority",
        "username": "me",
        "password": "p@ss",
        "database": "legal",
        "collection": "acts_laws",
    }
