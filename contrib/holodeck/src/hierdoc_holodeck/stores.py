"""From HoloDeck's `database` to the settings of a vector backend of hierdoc.

Providers are called the same in both. A connection string goes to the field of the plugin that takes one, whatever it is called there, and
what a string says of user, password and key goes to the fields for these. Further fields are handed on as they are: the plugin refuses what it does
not know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, get_args
from urllib.parse import unquote, urlsplit

from hierdoc import ConfigError
from hierdoc.errors import UnknownProviderError
from hierdoc.plugin import ComponentKind, ProviderConfig, Registry
from hierdoc_holodeck.models import Database

_PLACES = ("dsn", "url", "uri", "endpoint", "connection_string")
"""What plugins call the place of their server."""

_COLLECTIONS = ("namespace", "index_name", "collection_name", "collection", "db_schema")
"""What HoloDeck's stores call a corpus."""


def vector_settings(
    database: Database, tool: str, registry: Registry
) -> tuple[dict[str, Any], list[str]]:
    """The settings of the vector backend, and what the user should know of them.

    Args:
        database: As the YAML has it.
        tool: The tool's name: each tool has a collection of its own, since one corpus would remove another's documents.
        registry: Where the plugin is looked up.

    Raises:
        ConfigError: No installed plugin has this store, with the line that installs it; or a field does not fit.
    """
    try:
        model = registry.find(ComponentKind.VECTOR, database.provider).config
    except UnknownProviderError as error:
        hint = _NOT_THERE if not error.hint or "Installed:" in error.hint else error.hint
        raise ConfigError(
            f"database: the store {database.provider} needs a plugin", hint=hint
        ) from error
    given = database.connection_string
    reached = (
        _connection(given.get_secret_value(), database.provider, model) if given is not None else {}
    )
    settings: dict[str, Any] = {**reached, **database.options}
    notes = _measure(settings, model)
    bases = [settings.pop(name) for name in _COLLECTIONS if name in settings]
    if "collection" in model.model_fields:
        settings["collection"] = collection_name(bases[0] if bases else "holodeck", tool, model)
    if prepare := _OWN_FIELDS.get(database.provider):
        prepare(settings)
    if "host" in settings and "host" not in model.model_fields:
        secure = settings.pop("ssl", settings.pop("https", False))
        host, port = settings.pop("host"), settings.pop("port", None)
        settings["url"] = f"http{'s' if secure else ''}://{host}{f':{port}' if port else ''}"
    return {"provider": database.provider, **settings}, notes


_NOT_THERE = (
    "hierdoc has no plugin for it here; `hierdoc plugins list` shows those that are installed, and leaving out `database` "
    "keeps the index in memory."
)


def collection_name(base: str, tool: str, model: type[ProviderConfig]) -> str:
    """A name for a tool's collection, with hyphens and capitals as far as the plugin takes them."""
    name = f"{base}_{tool}"
    plain = name.replace("-", "_")
    metadata = model.model_fields["collection"].metadata
    patterns = [pattern for one in metadata if (pattern := getattr(one, "pattern", None))]
    for candidate in (name, plain, name.lower(), plain.lower()):
        if all(re.search(pattern, candidate) for pattern in patterns):
            return candidate
    return name


def _measure(settings: dict[str, Any], model: type[ProviderConfig]) -> list[str]:
    """Take out how vectors are compared and searched, in the words of the plugin."""
    notes = []
    metric = str(settings.pop("distance_metric", "COSINE")).upper()
    if "COSINE" not in metric:
        notes.append(
            f"distance_metric {metric}: hierdoc compares vectors by cosine, as its scores are; vectors of unit length rank the same"
        )
    algorithm = settings.pop("vector_algorithm", None)
    if algorithm is not None:
        wanted = {"HNSW": ("hnsw",), "FLAT": ("flat", "exact")}.get(str(algorithm).upper())
        if wanted is None:
            raise ConfigError(f"database: vector_algorithm {algorithm!r} is neither HNSW nor FLAT")
        fields = model.model_fields
        choices = get_args(fields["index"].annotation) if "index" in fields else ()
        fitting = [choice for choice in choices if choice in wanted]
        if fitting:
            settings.setdefault("index", fitting[0])
        elif "exact" in fields:
            settings.setdefault("exact", "flat" in wanted)
        else:
            notes.append(
                f"vector_algorithm {algorithm}: this store has one way of searching vectors"
            )
    return notes


def _connection(text: str, provider: str, model: type[ProviderConfig]) -> dict[str, Any]:
    """What a connection string says, as fields of the plugin."""
    special = _CONNECTIONS.get(provider)
    found = special(text) if special else None
    if found is not None:
        return found
    fields = model.model_fields
    place = next((name for name in _PLACES if name in fields), None)
    if place is None:
        raise ConfigError(f"database: the store {provider} takes no connection_string")
    if place == "dsn" or "://" not in text:
        return {place: text}
    parts = urlsplit(text)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if not user and not password:
        return {place: text}
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    if password and {"username", "password"} <= set(fields):
        return {place: bare, **({"username": user} if user else {}), "password": password}
    if "api_key" in fields:
        return {place: bare, "api_key": password or user}
    return {place: text}


def _qdrant(text: str) -> dict[str, Any] | None:
    if text == ":memory:":
        return {"location": text}
    if text.startswith(("/", "file://")):
        return {"path": text.removeprefix("file://")}
    parts = urlsplit(text)
    if parts.scheme in ("grpc", "qdrant+grpc"):
        raise ConfigError(
            "database: hierdoc speaks HTTP with Qdrant, and the connection_string names its gRPC port",
            hint=f"Write http://{parts.hostname}:6333, or the port at which it answers HTTP.",
        )
    if parts.scheme not in ("http", "https", "qdrant"):
        raise ConfigError(
            "database: the connection_string of qdrant is http://, https://, qdrant://, a folder or :memory:"
        )
    scheme = {"qdrant": "https" if parts.port == 443 else "http"}.get(parts.scheme, parts.scheme)
    key = {"api_key": unquote(parts.username)} if parts.username else {}
    return {"url": f"{scheme}://{parts.hostname}:{parts.port or 6333}", **key}


def _pinecone(text: str) -> dict[str, Any] | None:
    if not text.startswith("pinecone://"):
        return {"api_key": text}
    parts = urlsplit(text)
    key = parts.username or parts.hostname or ""
    namespace = (parts.hostname if parts.username else "") or parts.path.strip("/")
    return {"api_key": key, **({"namespace": namespace} if namespace else {})}


def _mongodb(text: str) -> dict[str, Any] | None:
    parts = urlsplit(text)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2], path="/")
    database = parts.path.strip("/")
    return {
        "url": bare.geturl(),
        **({"username": user, "password": password} if user else {}),
        **({"database": database} if database else {}),
    }


def _cosmos(text: str) -> dict[str, Any] | None:
    parts = dict(part.split("=", 1) for part in text.split(";") if "=" in part)
    if "AccountEndpoint" not in parts:
        return None
    key = {"api_key": parts["AccountKey"]} if parts.get("AccountKey") else {}
    return {"url": parts["AccountEndpoint"], **key}


_CONNECTIONS: Mapping[str, Callable[[str], dict[str, Any] | None]] = {
    "mongodb": _mongodb,
    "qdrant": _qdrant,
    "pinecone": _pinecone,
    "azure-cosmos-nosql": _cosmos,
}
"""Of stores whose strings are no URL, or not only that."""


def _of_chromadb(settings: dict[str, Any]) -> None:
    folder = settings.pop("persist_directory", None)
    if folder is not None:
        settings["path"] = folder
    if not {"path", "url", "host"} & settings.keys():
        settings["in_memory"] = True


def _of_qdrant(settings: dict[str, Any]) -> None:
    if settings.pop("prefer_grpc", False) or settings.pop("grpc_port", None):
        raise ConfigError(
            "database: hierdoc speaks HTTP with Qdrant",
            hint="Leave out prefer_grpc and grpc_port, and give its `url`, as in http://localhost:6333.",
        )


def _of_weaviate(settings: dict[str, Any]) -> None:
    if "local_host" in settings or "local_port" in settings:
        host = settings.pop("local_host", "localhost")
        settings["url"] = f"http://{host}:{settings.pop('local_port', 8080)}"
        if "local_grpc_port" in settings:
            settings["grpc_url"] = f"http://{host}:{settings.pop('local_grpc_port')}"


def _of_mongodb(settings: dict[str, Any]) -> None:
    if "database_name" in settings:
        settings["database"] = settings.pop("database_name")


def _of_postgres(settings: dict[str, Any]) -> None:
    if "dsn" not in settings:
        raise ConfigError(
            "database: postgres needs a connection_string",
            hint="Write it as in postgresql://user:password@host:5432/name, best as ${DATABASE_URL}.",
        )


_OWN_FIELDS: Mapping[str, Callable[[dict[str, Any]], None]] = {
    "chromadb": _of_chromadb,
    "mongodb": _of_mongodb,
    "postgres": _of_postgres,
    "qdrant": _of_qdrant,
    "weaviate": _of_weaviate,
}
"""Of stores with fields that the plugins have under other names or not at all."""
