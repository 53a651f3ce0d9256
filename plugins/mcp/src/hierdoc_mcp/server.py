"""The tools as a server of the SDK, whose versions 1 and 2 take handlers in different ways.

The handlers here take plain values and give the SDK's own results; `build` registers them with whichever version is installed.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import mcp.types as types
from mcp.server.lowlevel import Server

from hierdoc_tools.arguments import ToolError
from hierdoc_tools.replies import SCHEME
from hierdoc_tools.tools import Answer, Tool, Tools

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

try:
    from mcp.shared.exceptions import MCPError
except ImportError:  # version 1
    from mcp.shared.exceptions import McpError as MCPError  # type: ignore[no-redef, attr-defined]

_NOT_FOUND = -32002
"""The protocol's error code for a resource that is not there."""


def build(tools: Tools, instructions: str) -> Server[Any]:
    """A server that offers these tools.

    Args:
        tools: What it offers.
        instructions: What a model is told of it.
    """
    handlers = _Handlers(tools)
    about = {"version": version("hierdoc-mcp"), "instructions": instructions}
    if hasattr(types, "ServerResult") and hasattr(Server, "request_context"):
        return _build_1(handlers, about)
    named: Any = {
        **about,
        "on_list_tools": lambda context, params: handlers.list_tools(params),
        "on_call_tool": lambda context, params: handlers.call_tool(params),
        "on_list_resources": lambda context, params: handlers.list_resources(params),
        "on_list_resource_templates": lambda context, params: handlers.list_templates(params),
        "on_read_resource": lambda context, params: handlers.read_resource(params),
    }
    server: Server[Any] = Server("hierdoc", **named)
    return server


def _build_1(handlers: _Handlers, about: dict[str, Any]) -> Server[Any]:
    server: Any = Server("hierdoc", **about)
    of_version_1: Any = types

    def take(request: type, handler: Callable[[Any], Awaitable[Any]]) -> None:
        async def answer(given: Any) -> Any:
            return of_version_1.ServerResult(await handler(given.params))

        server.request_handlers[request] = answer

    take(types.ListToolsRequest, handlers.list_tools)
    take(types.CallToolRequest, handlers.call_tool)
    take(types.ListResourcesRequest, handlers.list_resources)
    take(types.ListResourceTemplatesRequest, handlers.list_templates)
    take(types.ReadResourceRequest, handlers.read_resource)
    result: Server[Any] = server
    return result


class _Handlers:
    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._listed = [_tool(one) for one in tools.offered.values()]

    async def list_tools(self, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._listed)

    async def call_tool(self, params: types.CallToolRequestParams) -> types.CallToolResult:
        return _result(await self._tools.call(params.name, params.arguments))

    async def list_resources(self, params: Any) -> types.ListResourcesResult:
        try:
            page, cursor = await self._tools.resources(params.cursor if params else None)
        except ToolError as error:
            raise _protocol_error(types.INTERNAL_ERROR, error) from None
        found = [
            {
                "uri": one.uri,
                "name": one.source,
                "title": one.title or one.source,
                "description": f"The outline of {one.title or one.source}.",
                "mimeType": "text/markdown",
            }
            for one in page
        ]
        return types.ListResourcesResult.model_validate({"resources": found, "nextCursor": cursor})

    async def list_templates(self, params: Any) -> types.ListResourceTemplatesResult:
        templates = [
            {
                "uriTemplate": f"{SCHEME}{{source}}",
                "name": "document",
                "title": "A document's outline",
                "description": "The sections of a document, each with its resource.",
                "mimeType": "text/markdown",
            },
            {
                "uriTemplate": f"{SCHEME}{{source}}/sections/{{section_id}}",
                "name": "section",
                "title": "A section",
                "description": "The text of a section and all that lies in it.",
                "mimeType": "text/markdown",
            },
        ]
        return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": templates})

    async def read_resource(
        self, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            text = await self._tools.resource(uri)
        except ToolError as error:
            raise _protocol_error(_NOT_FOUND, error) from None
        contents = [{"uri": uri, "mimeType": "text/markdown", "text": text}]
        return types.ReadResourceResult.model_validate({"contents": contents})


def _tool(tool: Tool) -> types.Tool:
    return types.Tool.model_validate(
        {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": tool.input_schema(),
            "outputSchema": tool.output_schema(),
            "annotations": {
                "title": tool.title,
                "readOnlyHint": True,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        }
    )


def _result(answer: Answer) -> types.CallToolResult:
    result: dict[str, Any] = {
        "content": [{"type": "text", "text": answer.text}],
        "isError": answer.failed,
    }
    if answer.data is not None:
        result["structuredContent"] = answer.data
    return types.CallToolResult.model_validate(result)


def _protocol_error(code: int, error: ToolError) -> Exception:
    try:
        return MCPError(code, str(error))
    except TypeError:  # version 1
        of_version_1: Any = MCPError
        found: Exception = of_version_1(types.ErrorData(code=code, message=str(error)))
        return found
