"""Changes some keys of a configuration's text and leaves all else as its author wrote it: comments, order, `${VAR}`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from hierdoc.config.models import Config
from hierdoc.plugin.provider import ComponentKind


def rewritten(text: str, changes: Mapping[str, Any]) -> str:
    """The text with new values for some top-level keys.

    A mapping is merged into what is there; a bare provider's name counts as `{provider: NAME}`, and another provider's
    fields are not taken over. Where the text is written in a way that cannot be changed in place (anchors, braces around
    everything), it is written anew, without comments.

    Args:
        text: A valid configuration, its variables not replaced.
        changes: New values by top-level key.
    """
    data = yaml.safe_load(text) or {}
    wanted = {**data, **{key: _merged(data.get(key), value) for key, value in changes.items()}}
    changed = _in_place(text, data, wanted)
    if changed is not None and _loads_as(changed, wanted):
        return changed
    return yaml.safe_dump(wanted, sort_keys=False, allow_unicode=True)


def moved(text: str, config: Config, folder: Path) -> str:
    """The text for a file in another folder: relative sources and models lead to where they did.

    An index does not move along: its documents are named from the folder of the file. What a variable stands for is left alone.

    Args:
        text: A valid configuration, its variables not replaced.
        config: The same, loaded.
        folder: Of the new file.
    """
    data = yaml.safe_load(text) or {}
    changes: dict[str, Any] = {}
    if "source" in data:
        written = data["source"] if isinstance(data["source"], list) else [data["source"]]
        changes["source"] = [_from(folder, config.base, str(one)) for one in written]
    for kind in set(ComponentKind) - {ComponentKind.VECTOR, ComponentKind.KEYWORD}:
        fields, component = data.get(kind.value), config.component(kind)
        if not isinstance(fields, Mapping):
            continue
        paths = {
            name: _from(folder, config.base, value)
            for name, value in fields.items()
            if isinstance(value, str) and isinstance(getattr(component, name, None), Path)
        }
        if paths:
            changes[kind.value] = paths
    return rewritten(text, changes)


def _from(folder: Path, base: Path, path: str) -> str:
    if "${" in path or path.startswith("~") or Path(path).is_absolute():
        return path
    return Path(os.path.relpath(base / path, folder)).as_posix()


def _merged(before: Any, value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    if isinstance(before, str):
        before = {"provider": before}
    kept = before if isinstance(before, Mapping) else {}
    if "provider" in value and value["provider"] != kept.get("provider"):
        kept = {}
    return {**kept, **value}


def _in_place(text: str, data: Mapping[str, Any], wanted: Mapping[str, Any]) -> str | None:
    text = text if text.endswith("\n") else f"{text}\n"
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return None
    for start, end, new in sorted(_edits(text, root, data, wanted), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _edits(
    text: str, node: yaml.MappingNode, data: Mapping[str, Any], wanted: Mapping[str, Any]
) -> Iterator[tuple[int, int, str]]:
    """Which stretches of the text to replace by what, so that a mapping in block style holds what is wanted."""
    values = {key.value: value for key, value in node.value}
    behind = text.find("\n", _end(node))
    indent = "\n" + " " * node.value[0][0].start_mark.column
    added = ""
    for key, value in wanted.items():
        below, before = values.get(key), data.get(key)
        if below is None:
            added += f"{indent}{key}: {_flow(value)}"
        elif value == before:
            continue
        elif (
            isinstance(below, yaml.MappingNode)
            and not below.flow_style
            and isinstance(value, Mapping)
            and isinstance(before, Mapping)
            and set(before) <= set(value)
        ):
            yield from _edits(text, below, before, value)
        elif isinstance(below, yaml.CollectionNode) and not below.flow_style:
            start = text.rindex(":", 0, below.start_mark.index) + 1
            yield start, _end(below), f" {_flow(value)}"
        else:
            space = "" if text[below.start_mark.index - 1].isspace() else " "
            yield below.start_mark.index, _end(below), f"{space}{_flow(value)}"
    if added:
        yield behind, behind, added


def _end(node: yaml.Node) -> int:
    """Where a value really ends: a block ends with its last item, not with the comments behind it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def _flow(value: Any) -> str:
    dumped = yaml.safe_dump(
        value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10_000
    )
    return dumped.removesuffix("\n").removesuffix("\n...")


def _loads_as(text: str, wanted: Any) -> bool:
    try:
        return bool(yaml.safe_load(text) == wanted)
    except yaml.YAMLError:
        return False
