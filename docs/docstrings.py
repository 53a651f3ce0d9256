"""What the code says about itself, as markdown: signatures and docstrings, read by griffe; the types of a JSON Schema in words."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import griffe

ROOT = Path(__file__).parents[1]

_OPTIONS = {"returns_named_value": False, "returns_multiple_items": False, "warnings": False}
"""How griffe reads Google docstrings: a colon in what a function returns names nothing."""

_WIDEST = 100
"""Characters of a signature that stays on one line."""

logging.getLogger("griffe").setLevel(logging.ERROR)


@cache
def package(name: str) -> griffe.Object:
    """A package of this repository as it is written, without importing it."""
    folders = [ROOT / "core" / "src", *sorted(ROOT.glob("plugins/*/src"))]
    if name != "hierdoc":
        package("hierdoc")
    loaded = griffe.load(name, search_paths=folders, modules_collection=_MODULES)
    griffe.GriffeLoader(modules_collection=_MODULES).resolve_aliases(external=False)
    return loaded  # type: ignore[return-value]


_MODULES = griffe.ModulesCollection()


def find(path: str) -> griffe.Object:
    """What a dotted path names, `hierdoc.plugin.Record` for instance, where it is defined."""
    top, _, rest = path.partition(".")
    found = package(top)[rest] if rest else package(top)
    return found.final_target if found.is_alias else found


def described(name: str, item: griffe.Object) -> Iterator[str]:
    """A public name with all that belongs to it: parts of a page, headings at level 3 and 4."""
    yield f"### `{name}`"
    if item.is_function or (isinstance(item, griffe.Class) and "Enum" not in _bases(item)):
        yield code(signature(item))
    yield markdown(item)
    if not isinstance(item, griffe.Class):
        return
    if "Enum" in _bases(item):
        yield "\n".join(
            f"- `{one.name}` (`{str(one.value).strip(chr(39))}`)"
            + (f": {sentence(_text(one))}" if one.docstring else "")
            for one in item.members.values()
            if one.is_attribute
        )
    for member in _members(item):
        yield f"#### `{name}.{member.name}`"
        if member.is_function:
            yield code(signature(member))
        yield markdown(member)


def signature(item: griffe.Object) -> str:
    """`def name(parameters) -> result` or `class name(parameters)`, as written in the code."""
    if isinstance(item, griffe.Class):
        bases = ", ".join(_bases(item))
        if "Protocol" in bases or ("dataclass" not in item.labels and "Args:\n" not in _text(item)):
            return f"class {item.name}({bases})" if bases else f"class {item.name}"
        start = "class "
    else:
        start = "async def " if "async" in item.labels else "def "
    line = start + item.signature()  # type: ignore[attr-defined]
    if len(line) <= _WIDEST:
        return line
    begin = line.index("(") + 1
    *parts, end = _parts(line[begin:])
    return line[:begin] + "\n" + "".join(f"    {part},\n" for part in parts) + end


def code(text: str) -> str:
    """A block of Python that is for people only."""
    return f"```py\n{text}\n```"


def markdown(item: griffe.Object) -> str:
    """A Google docstring as markdown: what it lists becomes lists."""
    if item.docstring is None:
        return ""
    parts = []
    for section in item.docstring.parse("google", **_OPTIONS):
        if section.kind.value == "text":
            parts.append(section.value)
        elif section.kind.value == "admonition":
            parts.append(f"{section.title}:\n\n{section.value.description}")
        elif section.kind.value == "examples":
            parts.append("Example:\n\n" + "\n\n".join(text for _, text in section.value))
        else:
            title = {"parameters": "Args"}.get(section.kind.value, section.kind.value.capitalize())
            parts.append(f"{title}:\n\n" + "\n".join(map(_row, section.value)))
    return "\n\n".join(parts)


def sentence(text: str | None) -> str:
    """The first paragraph on one line, with a full stop."""
    first = " ".join(inspect.cleandoc(text or "").split("\n\n")[0].split())
    return first if first.endswith(".") else f"{first}."


def type_words(schema: Mapping[str, Any]) -> str:
    """The type of a JSON Schema in words."""
    if "$ref" in schema:
        return "mapping, see below"
    if "anyOf" in schema:
        return " or ".join(type_words(one) for one in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("format") == "password":
        return "secret string"
    names = schema.get("type", "any")
    names = [names] if isinstance(names, str) else names
    if schema.get("format") == "path":
        names = ["path" if name == "string" else name for name in names]
    text = " or ".join("`null`" if name == "null" else name for name in names)
    if text == "array":
        items = schema.get("items", {})
        text = f"list of {type_words(items)}s, or one"
        if "$ref" in items:
            text = "list of mappings, see below"
        elif "enum" in items:
            text = f"list of {type_words(items)}, or one"
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if low is not None and high is not None:
        return f"{text}, {low} to {high}"
    if low is not None:
        return f"{text}, {'above' if 'exclusiveMinimum' in schema else 'at least'} {low}"
    return text


def _members(item: griffe.Class) -> Iterator[griffe.Object]:
    """Public methods and properties that have a docstring, inherited ones included but for protocols, which are all on the page."""
    bases = _bases(item)
    if any(base.endswith(("Error", "Exception")) for base in bases):
        return
    found = item.members if "Protocol" in bases else item.all_members
    for name, member in found.items():
        known = member.is_function or "property" in member.labels
        if known and not name.startswith("_") and _text(member) not in ("", "See the class."):
            yield member.final_target if member.is_alias else member  # type: ignore[misc]


def _bases(item: griffe.Class) -> list[str]:
    return [str(base).partition("[")[0].rpartition(".")[2] for base in item.bases]


def _parts(text: str) -> list[str]:
    """`a: X, b: Y) -> Z` at its outermost commas; what begins with the closing bracket last."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            return [*parts, text[start:place].strip(), text[place:]]
        if character == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    raise ValueError(text)


def _row(item: Any) -> str:
    """An argument, an attribute or an exception with what is said of it; what a function returns without its type."""
    named = getattr(item, "name", None) or (
        item.annotation if isinstance(item, griffe.DocstringRaise) else ""
    )
    text = item.description.replace("\n", "\n  ")
    return f"- `{named}`: {text}" if named else text


def _text(item: griffe.Object | griffe.Alias) -> str:
    return item.docstring.value if item.docstring else ""
