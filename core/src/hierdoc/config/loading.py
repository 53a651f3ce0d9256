"""Finds and reads the configuration: precedence, `${VAR}`, and errors that name the file, the line and the nearest key.

Precedence: an explicit argument, `HIERDOC_CONFIG`, `hierdoc.yaml` in the working directory or above it up to the project
root (the first folder with `.git` or `pyproject.toml`), `hierdoc.yaml` in the user's config directory, defaults.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from hierdoc.config.models import ByProvider, Config
from hierdoc.errors import ConfigError, HierdocError, PluginError, UnknownProviderError
from hierdoc.plugin.registry import Registry, default_registry
from hierdoc.plugin.settings import INDEX_FOLDER

FILE_NAME = "hierdoc.yaml"

_MOST_NODES = 100_000
"""Keys and values that a configuration stands for, at most."""

_ZERO = "a zero character, which no path or setting can have"

_VARIABLE = re.compile(r"\$(\$)?\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def load_config(
    config: str | Path | Mapping[str, Any] | Config | None = None,
    *,
    source: str | Path | Sequence[str | Path] | None = None,
    base: str | Path | None = None,
    include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    registry: Registry | None = None,
) -> Config:
    """The configuration, validated, its relative paths resolved.

    Args:
        config: A file, a mapping or a finished configuration. With None and no `source`, it is looked for; with None
            and a `source`, the defaults hold and nothing is looked for.
        source: Replaces the configured source.
        base: For a mapping, the folder that relative paths start at, as the folder of a file is for what stands in it.
        include: Replaces the configured patterns of documents to take, like `exclude` those of documents to leave out. A finished
            configuration keeps its own.
        exclude: See `include`.
        registry: Where providers are looked up; this process's by default.

    Raises:
        ConfigError: With file, line and key, and the nearest known key for an unknown one.
    """
    if isinstance(config, Config):
        return config if source is None else _with_source(config, source)
    patterns = (("include", include), ("exclude", exclude))
    given = {name: list(value) for name, value in patterns if value is not None}
    if isinstance(config, Mapping):
        return _validate(_Input({**config, **given}), source, registry, base)
    file = Path(config) if config is not None else (find_config() if source is None else None)
    read = _read(file) if file else _Input({})
    read.data.update(given)
    return _validate(read, source, registry)


def find_config(start: Path | None = None) -> Path | None:
    """The configuration file that applies in a folder, the working directory by default; None where there is none.

    Raises:
        ConfigError: `HIERDOC_CONFIG` names a file that is not there.
    """
    if named := os.environ.get("HIERDOC_CONFIG"):
        if not Path(named).is_file():
            raise ConfigError(
                f"HIERDOC_CONFIG names a file that is not there: {named}",
                hint="Correct the variable or unset it.",
            )
        return Path(named)
    folder = (start or Path.cwd()).resolve()
    for candidate in (folder, *folder.parents):
        if (candidate / FILE_NAME).is_file():
            return candidate / FILE_NAME
        if (candidate / ".git").exists() or (candidate / "pyproject.toml").exists():
            break
    from platformdirs import user_config_path

    file = user_config_path("hierdoc") / FILE_NAME
    return file if file.is_file() else None


class _Input:
    """A mapping that a configuration is made of and, where it was a file, the lines that its keys stand on."""

    def __init__(
        self, data: dict[str, Any], file: Path | None = None, root: yaml.Node | None = None
    ) -> None:
        self.data = data
        self.file = file
        self.root = root

    def place(self, location: Sequence[str | int]) -> str:
        """`file:line: a.b`, as far as it is known."""
        dotted = ".".join(str(part) for part in location)
        if self.file is None:
            return dotted
        line = 1
        node = self.root
        for part in location:
            found = _child(node, part)
            if found is None:
                break
            line, node = found
        return f"{self.file}:{line}: {dotted}" if dotted else f"{self.file}:{line}"


def _read(file: Path) -> _Input:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        if "\0" in str(file):
            reason = _ZERO
        raise ConfigError(
            f"{file}: cannot be read: {reason}",
            hint="`hierdoc init` writes a configuration to start from.",
        ) from error
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        _refuse_bombs(root, file)
        data = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{file}:{line}: this is not YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = str(error).split("\n")[0]
        raise ConfigError(f"{file}: this is not YAML: {reason}") from None
    if data is None:
        data = {}
    if not isinstance(data, dict):
        raise ConfigError(f"{file}:1: a configuration is a mapping of keys to values")
    _refuse_duplicates(root, file)
    return _Input(data, file, root)


def _refuse_bombs(root: yaml.Node | None, file: Path) -> None:
    """Aliases let a few lines stand for gigabytes, or for something within itself."""
    left = [] if root is None else [root]
    for _ in range(_MOST_NODES):
        if not left:
            return
        node = left.pop()
        if isinstance(node, yaml.MappingNode):
            left += [one for pair in node.value for one in pair]
        elif isinstance(node, yaml.SequenceNode):
            left += node.value
    line = left[-1].start_mark.line + 1
    raise ConfigError(
        f"{file}:{line}: this stands for more than {_MOST_NODES:,} values",
        hint="Write out what the aliases (`*name`) stand for; none may stand within itself.",
    )


def _refuse_duplicates(node: yaml.Node | None, file: Path) -> None:
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                line = key.start_mark.line + 1
                raise ConfigError(f"{file}:{line}: the key {key.value!r} stands here twice")
            seen.add(key.value)
            _refuse_duplicates(value, file)


def _child(node: yaml.Node | None, part: str | int) -> tuple[int, yaml.Node] | None:
    """The line, from 1, and the node of a key or list item."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == part:
                return key.start_mark.line + 1, value
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part].start_mark.line + 1, node.value[part]
    return None


def _validate(
    given: _Input,
    source: str | Path | Sequence[str | Path] | None,
    registry: Registry | None,
    base: str | Path | None = None,
) -> Config:
    data: dict[str, Any] = _substitute(given.data, (), given)
    if source is not None:
        data["source"] = _absolute(source)
    registry = registry or default_registry()
    folder, index_folder = _folders(given.file, data.get("source"), base)
    context = {"registry": registry, "base": folder, "index_folder": index_folder}
    try:
        config = Config.model_validate(data, context=context)
    except ValidationError as error:
        described = _config_error(error, given, data, registry)
        raise described from described.__cause__
    config._base = folder
    config._file = given.file
    return config


def _with_source(config: Config, source: str | Path | Sequence[str | Path]) -> Config:
    copy = config.model_copy(update={"source": tuple(_absolute(source))})
    copy._base, copy._file = config._base, config._file
    return copy


def _absolute(source: str | Path | Sequence[str | Path]) -> list[str]:
    several = [source] if isinstance(source, (str, Path)) else source
    if any("\0" in str(one) for one in several):
        raise ConfigError(f"source: {_ZERO}")
    return [os.path.abspath(Path(one).expanduser()) for one in several]


def _folders(file: Path | None, source: Any, base: str | Path | None) -> tuple[Path, Path]:
    """The folder that relative paths start at, and the index's own folder."""
    if base is None and file is not None:
        base = file.resolve().parent
    if base is not None:
        folder = Path(base).resolve()
        return folder, folder / INDEX_FOLDER
    paths = _absolute(source) if isinstance(source, (str, Path)) or source else []
    if not paths:
        return Path.cwd(), Path.cwd() / INDEX_FOLDER
    from platformdirs import user_cache_path

    roots = [_literal_part(path) for path in paths]
    common = Path(os.path.commonpath([str(root.parent) for root in roots]))
    key = hashlib.sha256("\n".join(sorted(paths)).encode("utf-8", "surrogatepass")).hexdigest()
    return common, user_cache_path("hierdoc") / f"{roots[0].name or 'root'}-{key[:16]}"


def _literal_part(path: str) -> Path:
    """The part of a path before its first wildcard."""
    parts = Path(path).parts
    wild = next((i for i, part in enumerate(parts) if re.search(r"[*?\[]", part)), len(parts))
    return Path(path) if Path(path).exists() else Path(*parts[:wild])


def _substitute(value: Any, location: tuple[str | int, ...], given: _Input) -> Any:
    """The value with `${VAR}` and `${VAR:-default}` replaced in every string; `$${VAR}` stands for itself."""
    if isinstance(value, dict):
        return {key: _substitute(item, (*location, key), given) for key, item in value.items()}
    if isinstance(value, list):
        return [_substitute(item, (*location, i), given) for i, item in enumerate(value)]
    if not isinstance(value, str):
        return value
    if "\0" in value:
        raise ConfigError(f"{given.place(location)}: {_ZERO}")

    def replace(match: re.Match[str]) -> str:
        escaped, name, default = match.groups()
        if escaped:
            return match.group()[1:]
        found = os.environ.get(name)
        if found or (found is not None and default is None):
            return found
        if default is not None:
            return default
        raise ConfigError(
            f"{given.place(location)}: the environment variable {name} is not set",
            hint=f"Set it, or give a default: ${{{name}:-default}}",
        )

    return _VARIABLE.sub(replace, value)


def _config_error(
    error: ValidationError, given: _Input, data: Mapping[str, Any], registry: Registry
) -> HierdocError:
    """One error for all that is wrong; it never shows a value, which may be a secret."""
    details = error.errors(include_url=False, include_input=False)
    lines = [
        f"{given.place(detail['loc'])}: {_describe(detail, data, registry)}" for detail in details
    ]
    cause = details[0].get("ctx", {}).get("error")
    if len(details) == 1 and isinstance(cause, (UnknownProviderError, PluginError)):
        alone = type(cause)(lines[0], hint=cause.hint)
        alone.__cause__ = cause.__cause__
        return alone
    causes = [detail.get("ctx", {}).get("error") for detail in details]
    extras = [
        name
        for one in causes
        if isinstance(one, UnknownProviderError)
        for name in re.findall(r"hierdoc\[([\w-]+)\]", one.hint or "")
    ]
    if len(extras) == len(details):  # nothing is wrong but that several plugins are missing
        hint = f"pip install 'hierdoc[{','.join(extras)}]'"
        return UnknownProviderError("\n".join(lines), hint=hint)
    return ConfigError("\n".join(lines), hint="`hierdoc schema` prints what a configuration takes.")


def _describe(detail: Any, data: Mapping[str, Any], registry: Registry) -> str:
    cause = detail.get("ctx", {}).get("error")
    if isinstance(cause, HierdocError):
        return str(cause)
    if detail["type"] != "extra_forbidden":
        return str(detail["msg"]).removeprefix("Value error, ")
    known = _known_keys(detail["loc"][:-1], data, registry)
    near = difflib.get_close_matches(str(detail["loc"][-1]), known, n=1)
    if near:
        return f"unknown key; did you mean `{near[0]}`?"
    return f"unknown key; known here: {', '.join(known)}"


def _known_keys(
    location: Sequence[str | int], data: Mapping[str, Any], registry: Registry
) -> list[str]:
    """The keys that the model at this place takes."""
    model: type[BaseModel] = Config
    for part in location:
        field = model.model_fields.get(str(part))
        if field is None:
            return []
        data = data.get(str(part), {})
        kinds = [meta.kind for meta in field.metadata if isinstance(meta, ByProvider)]
        for argument in getattr(field.annotation, "__args__", ()):
            metadata = getattr(argument, "__metadata__", ())
            kinds += [meta.kind for meta in metadata if isinstance(meta, ByProvider)]
        if kinds:
            model = registry.find(kinds[0], data["provider"]).config
        elif isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            model = field.annotation
        else:
            return []
    return list(model.model_fields)
