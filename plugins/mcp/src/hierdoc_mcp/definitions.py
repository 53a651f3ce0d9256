"""The tools for programs that call a model's API themselves: definitions as OpenAI and Anthropic take them, and answers to calls.

No server and no protocol: names, descriptions, arguments and answers are those of `hierdoc mcp`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierdoc.config.loading import load_config
from hierdoc_tools import limits
from hierdoc_tools.corpus import Corpus
from hierdoc_tools.tools import TOOLS, Tools, instructions

if TYPE_CHECKING:
    from hierdoc.config.models import Config

__all__ = ["Toolbox"]


class Toolbox:
    """The tools over one index; use it with `async with`.

        async with Toolbox("hierdoc.yaml") as tools:
            message = await client.messages.create(tools=tools.anthropic(), ...)
            answer = await tools.call(block.name, block.input)

    Args:
        config: As `Index.open` takes it.
        source: Instead of the configured source.
        ingest: Whether to bring the index up to date first, beside the calls; None for only where it keeps nothing.
        only: Names of the tools to offer; all without.
        budget: Tokens of an answer where the call does not say.

    Raises:
        ConfigError: The configuration is wrong.
        ValueError: `only` names a tool that there is not.
    """

    def __init__(
        self,
        config: str | Path | Mapping[str, Any] | Config | None = None,
        *,
        source: str | Path | Sequence[str | Path] | None = None,
        ingest: bool | None = None,
        only: Sequence[str] = (),
        budget: int = limits.BUDGET,
    ) -> None:
        if unknown := sorted(set(only) - set(TOOLS)):
            raise ValueError(f"no tool is called {unknown[0]!r}; there are {', '.join(TOOLS)}")
        loaded = load_config(config, source=source)
        self._corpus = Corpus(loaded, ingest=ingest)
        self._tools = Tools(self._corpus, only=only, budget=budget)
        self.instructions = instructions(loaded)
        """What a model should be told of the tools as a whole, for its system prompt."""

    def openai(self, *, responses: bool = False) -> list[dict[str, Any]]:
        """The definitions for OpenAI's API.

        Args:
            responses: Whether for the responses API, which has the fields of a function beside its type.
        """
        functions = [
            {
                "name": one.name,
                "description": one.description,
                "parameters": one.input_schema(),
            }
            for one in self._tools.offered.values()
        ]
        if responses:
            return [{"type": "function", **one} for one in functions]
        return [{"type": "function", "function": one} for one in functions]

    def anthropic(self) -> list[dict[str, Any]]:
        """The definitions for Anthropic's API."""
        return [
            {
                "name": one.name,
                "description": one.description,
                "input_schema": one.input_schema(),
            }
            for one in self._tools.offered.values()
        ]

    async def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> str:
        """The answer to a model's call, as a text; what cannot be answered is answered with the reason.

        Args:
            name: Of the tool.
            arguments: As the API gives them: a mapping, or JSON.
        """
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments or "{}")
            except ValueError as error:
                return f"The arguments are not JSON: {error}"
            if not isinstance(arguments, dict):
                return "The arguments are no JSON object of names and values."
        return (await self._tools.call(name, arguments)).text

    async def settled(self) -> None:
        """Wait until the index is open and no ingest is under way."""
        await self._corpus.settled()

    async def __aenter__(self) -> Toolbox:
        await self._corpus.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._corpus.__aexit__(*error)
