"""What HoloDeck's YAML says: its two kinds of tools that search documents, with the stores and language models that they name.

Names, ranges and defaults are HoloDeck's. What it takes and hierdoc has nothing for is refused here, with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    field_validator,
    model_validator,
)

STORES = (
    "postgres",
    "azure-ai-search",
    "qdrant",
    "weaviate",
    "chromadb",
    "faiss",
    "azure-cosmos-nosql",
    "sql-server",
    "pinecone",
    "in-memory",
    "redis",
    "mongodb",
)
"""The stores that a `database` may name; hierdoc's plugins for them are called the same."""

_ALIASES = {"postgresql": "postgres"}

_REFUSED_STORES = {
    "azure-cosmos-mongo": "its search (MongoDB vCore) takes no text beside a vector, so hybrid search is not possible; "
    "use mongodb (Atlas) or azure-cosmos-nosql"
}

_REMOTE = ("s3", "az", "https", "http")
_SCHEMES = ("az", "file", "http", "https", "s3")


class _Model(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, hide_input_in_errors=True, protected_namespaces=()
    )


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text


Text = Annotated[str, AfterValidator(_not_blank)]
Fraction = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Name = Annotated[str, Field(pattern=r"^[0-9A-Za-z_]+$")]


class LanguageModel(_Model):
    """A language model, as HoloDeck names one."""

    provider: Literal["openai", "azure_openai", "anthropic", "ollama"]
    name: Text
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] | None = 0.3
    max_tokens: Annotated[int, Field(gt=0)] | None = 1000
    top_p: Fraction | None = None
    endpoint: str | None = None
    api_key: SecretStr | None = None
    api_version: str | None = None
    auth_provider: (
        Literal["api_key", "oauth_token", "bedrock", "vertex", "foundry", "custom"] | None
    ) = None

    @model_validator(mode="after")
    def _has_endpoint(self) -> LanguageModel:
        if self.provider == "azure_openai" and not (self.endpoint or "").strip():
            raise ValueError("endpoint is required for azure_openai provider")
        return self


class Database(_Model):
    """A vector store; further fields are those of the provider."""

    model_config = ConfigDict(extra="allow")

    provider: str
    connection_string: SecretStr | None = None

    @field_validator("provider")
    @classmethod
    def _known(cls, provider: str) -> str:
        provider = _ALIASES.get(provider.lower(), provider)
        if provider in _REFUSED_STORES:
            raise ValueError(f"{provider} is not supported: {_REFUSED_STORES[provider]}")
        if provider not in STORES:
            raise ValueError(f"no store is called {provider!r}; there are {', '.join(STORES)}")
        return provider

    @field_validator("connection_string")
    @classmethod
    def _not_empty(cls, given: SecretStr | None) -> SecretStr | None:
        if given is not None:
            _not_blank(given.get_secret_value())
        return given

    @property
    def options(self) -> Mapping[str, Any]:
        """The fields of the provider."""
        return self.model_extra or {}


class KeywordIndex(_Model):
    """Where words are searched: in memory, or in an OpenSearch cluster; further fields are those of the provider."""

    model_config = ConfigDict(extra="allow")

    provider: Literal["in-memory", "opensearch"] = "in-memory"
    endpoint: str | None = None
    index_name: str | None = None
    username: str | None = None
    password: SecretStr | None = None
    api_key: SecretStr | None = None
    verify_certs: bool = True
    timeout_seconds: Annotated[int, Field(ge=1, le=120)] = 10

    @model_validator(mode="after")
    def _complete(self) -> KeywordIndex:
        if self.provider == "opensearch":
            for name in ("endpoint", "index_name"):
                if not getattr(self, name):
                    raise ValueError(f"{name} is required when provider is 'opensearch'")
        return self

    @property
    def options(self) -> Mapping[str, Any]:
        """The fields of the provider that are not HoloDeck's."""
        return self.model_extra or {}


class SearchTool(_Model):
    """What both kinds of tools have."""

    name: Name
    defer_loading: bool = True
    source: Text
    embedding_model: Text | None = None
    database: Database | Text | None = None

    @field_validator("source")
    @classmethod
    def _on_this_machine(cls, source: str) -> str:
        if "://" not in source:
            return source
        scheme = source.split("://", 1)[0].lower()
        if scheme in _REMOTE:
            raise ValueError(
                f"hierdoc reads local files, and {scheme}:// is elsewhere: fetch the documents into a folder and name that"
            )
        if scheme != "file":
            raise ValueError(
                f"Unsupported source URI scheme '{scheme}'. Supported schemes: {', '.join(_SCHEMES)}"
            )
        return source

    @field_validator("database", mode="before")
    @classmethod
    def _flat(cls, given: Any) -> Any:
        """A store with its fields beside the provider, also where they are written under `options`, as in a global configuration."""
        if isinstance(given, Mapping) and isinstance(given.get("options"), Mapping):
            rest = {key: value for key, value in given.items() if key != "options"}
            return {**rest, **given["options"]}
        return given


class HierarchicalDocument(SearchTool):
    """A tool of `type: hierarchical_document`."""

    type: Literal["hierarchical_document"] = "hierarchical_document"
    description: str

    chunking_strategy: Literal["structure", "token"] = "structure"
    max_chunk_tokens: Annotated[int, Field(ge=100, le=2000)] = 800
    chunk_overlap: Annotated[int, Field(ge=0, le=200)] = 50
    document_domain: Literal[
        "none", "us_legislative", "au_legislative", "academic", "technical", "legal_contract"
    ] = "none"
    max_subsection_depth: Annotated[int, Field(ge=1)] | None = None

    search_mode: Literal["hybrid", "semantic", "keyword", "exact"] = "hybrid"
    top_k: Annotated[int, Field(ge=1, le=100)] = 10
    min_score: Fraction | None = None
    semantic_weight: Fraction = 0.5
    keyword_weight: Fraction = 0.3
    exact_weight: Fraction = 0.2
    rrf_k: Annotated[int, Field(ge=1)] = 60

    contextual_embeddings: bool = True
    context_max_tokens: Annotated[int, Field(ge=50, le=200)] = 100
    context_concurrency: Annotated[int, Field(ge=1, le=50)] = 10
    context_model: LanguageModel | None = None

    extract_definitions: bool = True
    extract_cross_references: bool = True

    enable_reranking: bool = False
    reranker_model: LanguageModel | None = None

    keyword_index: KeywordIndex | None = None

    @model_validator(mode="after")
    def _weighed(self) -> HierarchicalDocument:
        if self.search_mode != "hybrid":
            return self
        total = self.semantic_weight + self.keyword_weight + self.exact_weight
        if not math.isclose(total, 1.0, rel_tol=0.0, abs_tol=1e-6):
            raise ValueError(
                f"Hybrid search weights must sum to 1.0, got {total:.6f} "
                "(semantic_weight + keyword_weight + exact_weight)"
            )
        if self.semantic_weight + self.keyword_weight <= 0:
            raise ValueError("Hybrid search requires semantic_weight + keyword_weight > 0")
        return self

    @model_validator(mode="after")
    def _has_reranker(self) -> HierarchicalDocument:
        if self.enable_reranking and self.reranker_model is None:
            raise ValueError("reranker_model is required when enable_reranking=True")
        return self


_OF_RECORDS = (
    "vector_field",
    "meta_fields",
    "id_field",
    "field_separator",
    "delimiter",
    "record_path",
    "record_prefix",
    "meta_prefix",
)


class Vectorstore(SearchTool):
    """A tool of `type: vectorstore`."""

    type: Literal["vectorstore"] = "vectorstore"
    description: str = "Semantic search over documents"
    chunk_size: Annotated[int, Field(gt=0)] | None = None
    chunk_overlap: Annotated[int, Field(ge=0)] | None = None
    embedding_dimensions: Annotated[int, Field(gt=0, le=10_000)] | None = None
    top_k: Annotated[int, Field(ge=1, le=100)] = 5
    min_similarity_score: Fraction | None = None

    @model_validator(mode="before")
    @classmethod
    def _documents_only(cls, given: Any) -> Any:
        """Refuse the fields that make rows of a table records; those that only repeat the default are left out."""
        if not isinstance(given, Mapping):
            return given
        defaults: dict[str, Any] = {"field_separator": "\n"}
        used = [name for name in _OF_RECORDS if given.get(name) != defaults.get(name)]
        used = [name for name in used if name in given]
        if used:
            raise ValueError(
                f"{', '.join(used)}: hierdoc searches documents, not the rows of a table as records of their own; leave these fields out"
            )
        return {name: value for name, value in given.items() if name not in _OF_RECORDS}
