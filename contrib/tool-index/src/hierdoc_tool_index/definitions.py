"""Reads tool definitions, in whichever of the common shapes they are written.

OpenAI      {"type": "function", "function": {"name", "description", "parameters"}}, or the same without the inner mapping
Anthropic   {"name", "description", "input_schema"}
MCP         {"name", "title", "description", "inputSchema"}, or the SDK's object
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_MOST_VALUES = 5_000
"""Keys and values of a schema that are looked at."""

_MOST_CHARACTERS = 20_000
"""Of a definition as a text."""


@dataclass(frozen=True)
class Definition:
    """What a model is told of a tool.

    Attributes:
        name: Of the tool.
        description: Title and description.
        parameters: Names, descriptions and choices of the arguments.
        given: As it was written.
    """

    name: str
    description: str
    parameters: tuple[str, ...]
    given: Any

    @property
    def text(self) -> str:
        """All of it; the name stands twice, as it says most."""
        lines = (self.name, self.name, self.description, *self.parameters)
        return "\n".join(filter(None, lines))[:_MOST_CHARACTERS]


def read_definition(given: Any) -> Definition:
    """A tool's definition.

    Args:
        given: A mapping in one of the shapes above, or an object that dumps itself as one.

    Raises:
        ValueError: It has no name.
    """
    dump = getattr(given, "model_dump", None)
    fields = given if isinstance(given, Mapping) else dump(by_alias=True) if dump else None
    if isinstance(fields, Mapping) and isinstance(fields.get("function"), Mapping):
        fields = fields["function"]
    if not isinstance(fields, Mapping) or not isinstance(fields.get("name"), str):
        raise ValueError(
            "a tool definition is a mapping with a `name`, as OpenAI, Anthropic or MCP write it"
        )
    if not fields["name"].strip():
        raise ValueError("the name of a tool is empty")
    schemas = (fields.get(key) for key in ("parameters", "input_schema", "inputSchema"))
    schema = next((one for one in schemas if isinstance(one, Mapping)), {})
    titles = (fields.get("title"), fields.get("description"))
    return Definition(
        fields["name"],
        "\n".join(one for one in titles if isinstance(one, str)),
        tuple(_told(schema)),
        given,
    )


def _told(schema: Mapping[str, Any]) -> Iterator[str]:
    """What a JSON Schema says in words: names of properties, titles, descriptions, choices."""
    left = [schema]
    for _ in range(_MOST_VALUES):
        if not left:
            return
        one = left.pop(0)
        for name, part in _mapping(one.get("properties")).items():
            said = part.get("description") if isinstance(part, Mapping) else None
            yield f"{name}: {said}" if isinstance(said, str) else name
            if isinstance(part, Mapping):
                left.append(part)
        choices = one.get("enum")
        if isinstance(choices, list):
            yield ", ".join(choice for choice in choices if isinstance(choice, str))
        if isinstance(one.get("items"), Mapping):
            left.append(one["items"])
        for key in ("anyOf", "oneOf", "allOf"):
            branches = one.get(key)
            if isinstance(branches, list):
                left += [branch for branch in branches if isinstance(branch, Mapping)]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
