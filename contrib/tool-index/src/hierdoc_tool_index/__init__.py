"""hierdoc over an agent's tool definitions: which of them a request needs."""

from hierdoc_tool_index.index import FoundTool, ToolIndex

__all__ = ["FoundTool", "ToolIndex"]
