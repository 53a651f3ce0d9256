"""What the code says about itself, as markdown: signatures, docstrings, the strings below constants, JSON types."""

from __future__ import annotations

import ast
import enum
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cached_property
from itertools import pairwise
from textwrap import dedent
from types import ModuleType
from typing import Any

_WITHOUT_DOCSTRING = {
    "Filter": "Any of the classes above.",
    "hookimpl": "Marks a function as the implementation of the hook of its name: `@hookimpl`.",
}
"""Public names that are neither classes nor functions, where the code says nothing."""

_WIDEST = 100
"""Characters of a signature that stays on one line."""


def described(module: ModuleType, name: str) -> Iterator[str]:
    """A public name of a module with all that belongs to it: parts of a page, headings at level 3 and 4."""
    value = getattr(module, name)
    value = inspect.unwrap(value) if callable(value) else value
    yield f"### `{name}`"
    if not inspect.isclass(value) and not inspect.isfunction(value):
        yield markdown(_constants(module).get(name) or _WITHOUT_DOCSTRING[name])
    elif inspect.isclass(value) and issubclass(value, enum.Enum):
        yield markdown(value.__doc__)
        docs = _constants(value)
        yield "\n".join(
            f"- `{one.name}` (`{one.value}`)" + (f": {docs[one.name]}" if one.name in docs else "")
            for one in value
        )
    else:
        yield code(signature(name, value))
        yield markdown(value.__doc__)
        for member, function in members(value) if inspect.isclass(value) else ():
            yield f"#### `{name}.{member}`"
            if not isinstance(function, (property, cached_property)):
                yield code(signature(member, function))
            yield markdown(function.__doc__)


def members(cls: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that have a docstring of their own, those inherited within hierdoc included."""
    if issubclass(cls, Exception):
        return
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("hierdoc"):
            found.update(vars(base))
    for name, value in found.items():
        value = getattr(value, "__func__", value)
        known = inspect.isfunction(value) or isinstance(value, (property, cached_property))
        hidden = name.startswith(("_", "model_")) or value.__doc__ in (None, "See the class.")
        if known and not hidden:
            yield name, value


def positions(module: ModuleType) -> dict[str, int]:
    """The line on which each name of a module is defined."""
    found: dict[str, int] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            found[node.name] = node.lineno
        elif (name := _assigned(node)) is not None:
            found[name] = node.lineno
    return found


def signature(name: str, value: Any) -> str:
    """`def name(parameters) -> result`, with annotations as they are written in the code."""
    if inspect.isclass(value):
        start, arrow = f"class {name}", ""
        if getattr(value, "_is_protocol", False):
            return f"{start}(Protocol)"
        if not is_dataclass(value) and "\nArgs:\n" not in inspect.cleandoc(value.__doc__ or ""):
            return (
                f"{start}({value.__bases__[0].__name__})" if issubclass(value, Exception) else start
            )
    found = inspect.signature(value)
    if not inspect.isclass(value):
        start = f"async def {name}" if inspect.iscoroutinefunction(value) else f"def {name}"
        result = found.return_annotation
        arrow = "" if result in (found.empty, None) else f" -> {_annotation(result)}"
    parameters = _parameters(list(found.parameters.values()))
    line = f"{start}({', '.join(parameters)}){arrow}"
    if len(line) <= _WIDEST:
        return line
    body = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"{start}(\n{body}){arrow}"


def code(text: str) -> str:
    """A block of Python that is for people only."""
    return f"```py\n{text}\n```"


def markdown(docstring: str | None) -> str:
    """A Google docstring as markdown: what it lists becomes lists, indented text becomes a block."""
    sections = r"^(Args|Attributes|Returns|Raises|Example):\n"
    parts = re.split(sections, inspect.cleandoc(docstring or ""), flags=re.MULTILINE)
    text = [_fenced(parts[0]).strip()]
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        body = dedent(body).strip()
        if heading not in ("Returns", "Example"):
            body = re.sub(r"^(\*{0,2}[\w, ]+):", r"- `\1`:", body, flags=re.MULTILINE)
            body = re.sub(r"^    +", "  ", body, flags=re.MULTILINE)
        text.append(f"{heading}:\n\n{body}")
    return "\n\n".join(part for part in text if part)


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
        text = "list of " + type_words(schema.get("items", {})) + "s, or one"
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if low is not None and high is not None:
        return f"{text}, {low} to {high}"
    if low is not None:
        return f"{text}, {'above' if 'exclusiveMinimum' in schema else 'at least'} {low}"
    return text


def _parameters(parameters: Sequence[inspect.Parameter]) -> list[str]:
    written: list[str] = []
    for one in parameters:
        if one.name in ("self", "cls"):
            continue
        starred = any(text.startswith("*") for text in written)
        if one.kind is one.KEYWORD_ONLY and not starred:
            written.append("*")
        stars = "*" * ((one.kind is one.VAR_POSITIONAL) + 2 * (one.kind is one.VAR_KEYWORD))
        text = f"{stars}{one.name}"
        if one.annotation is not one.empty:
            text += f": {_annotation(one.annotation)}"
        if one.default is not one.empty:
            shown = repr(one.default)
            text += f" = {'...' if shown.startswith('<') else shown}"
        written.append(text)
    return written


def _annotation(annotation: Any) -> str:
    if isinstance(annotation, str):
        return annotation
    return str(getattr(annotation, "__name__", annotation))


def _constants(owner: Any) -> dict[str, str]:
    """The strings that stand below assignments in a module or class."""
    body = ast.parse(inspect.getsource(owner)).body
    if inspect.isclass(owner):
        body = next(node.body for node in body if isinstance(node, ast.ClassDef))
    found = {}
    for node, following in pairwise(body):
        name = _assigned(node)
        text = following.value if isinstance(following, ast.Expr) else None
        if name is not None and isinstance(text, ast.Constant):
            found[name] = str(text.value)
    return found


def _assigned(node: ast.stmt) -> str | None:
    """The name that a statement assigns to, if it is one and a single one."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    target = targets[0]
    return target.id if isinstance(target, ast.Name) else None


def _fenced(text: str) -> str:
    """Indented text as a block of its own."""
    return re.sub(
        r"(?:^    .*\n?|^\n(?=    ))+",
        lambda block: f"\n{code(dedent(block[0]).strip())}\n",
        text,
        flags=re.MULTILINE,
    )
