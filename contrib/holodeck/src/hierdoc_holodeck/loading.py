"""Reads an agent's YAML, and with it what HoloDeck keeps for a project and for a user.

    agent.yaml ─► `tools:` of our two types ─► tools
                  `model:`, `embedding_provider:`, `execution.file_timeout:` ─► what these ask
    .holodeck/config.yaml of the project, ~/.holodeck/config.yaml ─► `vectorstore:`, `vectorstores:`, `providers:`, `execution:`

Everything else in these files concerns HoloDeck alone.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from hierdoc import ConfigError
from hierdoc_holodeck.models import Database, HierarchicalDocument, LanguageModel, Vectorstore

SettingsT = TypeVar("SettingsT", bound=BaseModel)

TYPES: Mapping[str, type[HierarchicalDocument] | type[Vectorstore]] = {
    "hierarchical_document": HierarchicalDocument,
    "vectorstore": Vectorstore,
}
"""The types of tools that are ours."""

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

_MOST_VALUES = 100_000
"""Keys and values that a file stands for, at most: aliases let a few lines stand for gigabytes."""

_MOST_BYTES = 10_000_000


@dataclass(frozen=True)
class Stores:
    """The stores of the project and the user.

    Attributes:
        shared: What `vectorstore:` says, for tools that name no database; None where it is not there.
        named: What `vectorstores:` says, by name.
    """

    shared: Database | None = None
    named: Mapping[str, Database] = field(default_factory=dict)

    def find(self, name: str) -> Database | None:
        """The store of this name."""
        return self.named.get(name)

    def near(self, name: str) -> str:
        """What else it may have been meant for, in words."""
        near = difflib.get_close_matches(name, self.named, n=1)
        if near:
            return f"did you mean {near[0]!r}?"
        return f"available: {', '.join(self.named) or 'none'}"


@dataclass(frozen=True)
class Surroundings:
    """What a tool is configured with besides its own fields.

    Attributes:
        base: The folder that relative paths start at: that of the agent's file.
        stores: Those of the project and the user.
        model: The agent's language model; None for a tool without an agent.
        embedding_provider: The agent's, for embeddings.
        file_timeout: Seconds that the conversion of a file may take; None for hierdoc's own limit.
    """

    base: Path
    stores: Stores = field(default_factory=Stores)
    model: LanguageModel | None = None
    embedding_provider: LanguageModel | None = None
    file_timeout: float | None = None


def read_agent(file: Path) -> tuple[list[HierarchicalDocument | Vectorstore], Surroundings]:
    """The tools of an agent that are ours, and what surrounds them.

    Raises:
        ConfigError: The file cannot be read, or something in it is wrong: with its place.
    """
    agent = _read(file)
    tools = agent.get("tools") or []
    if not isinstance(tools, list):
        raise ConfigError(f"{file}: tools: write a list of tools")
    found = [
        read_tool(tool, f"{file}: tools[{number}]")
        for number, tool in enumerate(tools)
        if isinstance(tool, Mapping) and tool.get("type") in TYPES
    ]
    names = [tool.name.casefold() for tool in found]
    for tool in found:
        if names.count(tool.name.casefold()) > 1:
            raise ConfigError(f"{file}: several tools are called {tool.name}")
    return found, surroundings(file.resolve().parent, agent, str(file))


def read_tool(tool: Mapping[str, Any], place: str = "") -> HierarchicalDocument | Vectorstore:
    """A tool from its mapping.

    Raises:
        ConfigError: It is none of ours, or a field is wrong.
    """
    kind = tool.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        raise ConfigError(
            f"{place or 'tool'}: type: {kind!r} is none of {', '.join(TYPES)}",
            hint="HoloDeck itself has the other types of tools.",
        )
    return _validated(TYPES[kind], tool, f"{place}.".removeprefix("."))


def surroundings(
    base: Path, agent: Mapping[str, Any] | None = None, place: str = ""
) -> Surroundings:
    """What surrounds the tools of an agent in this folder.

    Raises:
        ConfigError: A configuration of the project or the user is wrong, or the agent's models are.
    """
    agent = agent or {}
    shared = _shared(base)
    providers = shared.get("providers") or {}
    execution = {**(shared.get("execution") or {}), **(agent.get("execution") or {})}

    def model(name: str) -> LanguageModel | None:
        given = agent.get(name)
        if not isinstance(given, Mapping):
            return None
        named = given.get("provider")
        same = (one for one in providers.values() if one.get("provider") == named)
        known: Mapping[str, Any] = providers.get(named) or next(same, {})
        return _validated(LanguageModel, {**known, **given}, f"{place}: {name}.")

    return Surroundings(
        base,
        _stores(shared),
        model("model"),
        model("embedding_provider"),
        execution.get("file_timeout"),
    )


def _shared(base: Path) -> dict[str, Any]:
    """What the user's configuration says, and over it the project's."""
    merged: dict[str, Any] = {}
    for folders in ((Path.home() / ".holodeck",), (base / ".holodeck", base)):
        files = (folder / name for folder in folders for name in ("config.yml", "config.yaml"))
        if file := next((one for one in files if one.is_file()), None):
            _merge(merged, _read(file))
    return merged


def _merge(under: dict[str, Any], over: Mapping[str, Any]) -> None:
    for key, value in over.items():
        if key == "vectorstore" or not isinstance(under.get(key), dict):
            under[key] = value
        elif isinstance(value, dict):
            _merge(under[key], value)
        elif value is not None:
            under[key] = value


def _stores(shared: Mapping[str, Any]) -> Stores:
    def store(given: Any, place: str) -> Database:
        if isinstance(given, Mapping) and isinstance(given.get("options"), Mapping):
            given = {**{k: v for k, v in given.items() if k != "options"}, **given["options"]}
        return _validated(Database, given, place)

    one, several = shared.get("vectorstore"), shared.get("vectorstores") or {}
    return Stores(
        None if one is None else store(one, ".holodeck/config.yaml: vectorstore."),
        {
            name: store(given, f".holodeck/config.yaml: vectorstores.{name}.")
            for name, given in several.items()
        },
    )


def _read(file: Path) -> dict[str, Any]:
    """A file as a mapping, `${VAR}` replaced.

    Raises:
        ConfigError: It cannot be read, is not YAML, or no mapping; or a variable is not set where it is used.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise ConfigError(f"{file}: has more than {_MOST_BYTES:,} bytes")
        given = yaml.safe_load(data.decode("utf-8"))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: cannot be read: it is not UTF-8 text") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{file}:{line}: this is not YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = str(error).split("\n")[0]
        raise ConfigError(f"{file}: this is not YAML: {reason}") from None
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise ConfigError(f"{file}: this is no mapping of keys to values")
    ours = {key: given[key] for key in _OURS if key in given}
    _Counter(file).count(ours)
    return {key: _substituted(value, f"{file}: {key}") for key, value in ours.items()}


_OURS = (
    "tools",
    "model",
    "embedding_provider",
    "execution",
    "vectorstore",
    "vectorstores",
    "providers",
)
"""The keys of these files that are read; a variable in another one need not be set."""


class _Counter:
    def __init__(self, file: Path) -> None:
        self._file = file
        self._left = _MOST_VALUES

    def count(self, value: Any, depth: int = 0) -> None:
        self._left -= 1
        if self._left < 0 or depth > 100:
            raise ConfigError(
                f"{self._file}: this stands for more than {_MOST_VALUES:,} values, or is nested too deep",
                hint="Write out what the aliases (`*name`) stand for.",
            )
        for one in _within(value):
            self.count(one, depth + 1)


def _within(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _substituted(value: Any, place: str) -> Any:
    if isinstance(value, Mapping):
        if value.get("type") not in (None, *TYPES) and "provider" not in value:
            return value  # a tool that is HoloDeck's
        return {key: _substituted(one, f"{place}.{key}") for key, one in value.items()}
    if isinstance(value, list):
        return [_substituted(one, f"{place}[{number}]") for number, one in enumerate(value)]
    if not isinstance(value, str):
        return value

    def replaced(found: re.Match[str]) -> str:
        if found[1] not in os.environ:
            raise ConfigError(f"{place}: the environment variable {found[1]} is not set")
        return os.environ[found[1]]

    return _VARIABLE.sub(replaced, value)


def _validated(model: type[SettingsT], given: Any, place: str) -> SettingsT:
    try:
        return model.model_validate(given)
    except ValidationError as error:
        lines = []
        for detail in error.errors(include_url=False, include_input=False):
            # The branches of a union are no part of what the user wrote.
            location = [str(one) for one in detail["loc"] if str(one) not in _BRANCHES]
            message = str(detail["msg"]).removeprefix("Value error, ")
            if detail["type"] == "extra_forbidden":
                near = difflib.get_close_matches(location[-1], model.model_fields, n=1)
                message = "unknown field" + (f"; did you mean `{near[0]}`?" if near else "")
            lines.append(f"{place}{'.'.join(location)}: {message}".replace(".: ", ": "))
        raise ConfigError("\n".join(dict.fromkeys(lines))) from None


_BRANCHES = ("Database", "function-after[_not_blank(), str]")
