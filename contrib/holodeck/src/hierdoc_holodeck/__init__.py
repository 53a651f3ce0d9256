"""hierdoc behind HoloDeck's YAML: tools of `type: hierarchical_document` and `type: vectorstore`.

from hierdoc_holodeck import load_tools

for tool in load_tools("agent.yaml"):
    await tool.initialize()
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hierdoc_holodeck.loading import Surroundings, read_agent, read_tool, surroundings
from hierdoc_holodeck.models import HierarchicalDocument, Vectorstore
from hierdoc_holodeck.tools import (
    Found,
    HierarchicalDocumentTool,
    ValidationError,
    VectorStoreTool,
)
from hierdoc_holodeck.translation import OnDegraded

__all__ = [
    "Found",
    "HierarchicalDocumentTool",
    "ValidationError",
    "VectorStoreTool",
    "load_tool",
    "load_tools",
]


def load_tools(
    agent: str | Path, *, on_degraded: OnDegraded = "warn"
) -> list[HierarchicalDocumentTool | VectorStoreTool]:
    """The tools of an agent that search documents, in the order of its YAML; those of other types are HoloDeck's own.

    Args:
        agent: Its file; relative paths in it start at its folder.
        on_degraded: What a `hierarchical_document` does where something that it asks for is not there, such as its database: go on with
            a warning, or raise. A `vectorstore` always goes on.

    Raises:
        ConfigError: The file, or a configuration of the project or the user, is wrong: where, what, and the way out.
    """
    tools, around = read_agent(Path(agent))
    return [_made(tool, around, on_degraded) for tool in tools]


def load_tool(
    tool: Mapping[str, Any],
    *,
    base_dir: str | Path | None = None,
    on_degraded: OnDegraded = "warn",
) -> HierarchicalDocumentTool | VectorStoreTool:
    """One tool, from a mapping as it stands in the list `tools:` of an agent.

    Args:
        tool: The mapping, `type` included.
        base_dir: The folder that relative paths start at; the working directory by default.
        on_degraded: As for `load_tools`.

    Raises:
        ConfigError: A field, or a configuration of the project or the user, is wrong.
    """
    around = surroundings(Path(base_dir or ".").resolve())
    return _made(read_tool(tool), around, on_degraded)


def _made(
    tool: HierarchicalDocument | Vectorstore, around: Surroundings, on_degraded: OnDegraded
) -> HierarchicalDocumentTool | VectorStoreTool:
    if isinstance(tool, HierarchicalDocument):
        return HierarchicalDocumentTool(tool, around, on_degraded)
    return VectorStoreTool(tool, around, on_degraded)
