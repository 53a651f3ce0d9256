"""HoloDeck's own loader and bridges on agent.yaml, without a language model: they start hierdoc, and call search.

    python examples/holodeck/run.py [QUERY] [--documents FOLDER]

Runs in an environment with `holodeck-ai` (`holodeck-ai[openai-agents]` for its second bridge, and `hierdoc[mcp]` for the function), and
with `uvx` on the PATH. Prints why and does nothing where HoloDeck is not installed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LEGAL = HERE.parents[2] / "shared" / "data" / "legal"


def main() -> None:
    """Load the agent, and call search over each of its tools."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("query", nargs="?", default="when must a data breach be notified?")
    parser.add_argument("--documents", type=Path, default=LEGAL)
    given = parser.parse_args()
    if not find_spec("holodeck"):
        print("skipped: holodeck-ai is not installed; it needs an environment of its own")
        return
    if not given.documents.exists():
        print(f"skipped: there are no documents at {given.documents}")
        return
    os.environ["DOCUMENTS"] = str(given.documents.resolve())
    from holodeck.config.loader import ConfigLoader

    agent = ConfigLoader().load_agent_yaml(str(HERE / "agent.yaml"))
    tools = {tool.type: tool for tool in agent.tools}
    print(f"agent {agent.name}: {', '.join(f'{tool.name} ({tool.type})' for tool in agent.tools)}")
    asyncio.run(over_claude_bridge(tools["mcp"], given.query))
    if find_spec("agents"):
        asyncio.run(over_openai_bridge(tools["mcp"], given.query))
    else:
        print("\nOpenAI bridge: skipped: holodeck-ai[openai-agents] is not installed")
    os.environ["MCP_CONFIG"] = json.dumps(tools["mcp"].config)  # the function reads the same index
    as_function(tools["function"], given.query)


BUILDING = "The index is being built"
"""Stands in each answer as long as it is, and in the reason why there is none yet."""


async def over_claude_bridge(tool: Any, query: str) -> None:
    """Start the server as HoloDeck has the Claude Agent SDK start it, and ask until the index is built."""
    from holodeck.lib.backends.mcp_bridge import build_claude_mcp_configs
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    started = build_claude_mcp_configs([tool])[tool.name]
    server = StdioServerParameters(
        command=started["command"], args=started["args"], env=started.get("env")
    )
    begun = time.perf_counter()
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        told("Claude bridge: initialised", begun)
        listed = await session.list_tools()
        print(f"tools: {', '.join(one.name for one in listed.tools)}")
        begun = time.perf_counter()
        answer = await session.call_tool("search", {"query": query, "top_k": 3})
        told("Claude bridge: first answer", begun)
        while BUILDING in answer.content[0].text:  # type: ignore[union-attr]
            print(BUILDING)
            await asyncio.sleep(2)
            answer = await session.call_tool("search", {"query": query, "top_k": 3})
        print(f"\n{answer.content[0].text}\n")  # type: ignore[union-attr]


async def over_openai_bridge(tool: Any, query: str) -> None:
    """Connect as HoloDeck's backend for the OpenAI Agents SDK does, with its five seconds of patience."""
    from holodeck.lib.backends.openai_agents_mcp import build_mcp_servers

    (server,) = build_mcp_servers([tool], HERE)
    begun = time.perf_counter()
    try:
        await server.connect()
        told("OpenAI bridge: initialised", begun)
        begun = time.perf_counter()
        answer = await server.call_tool("search", {"query": query, "top_k": 1})
        told("OpenAI bridge: first answer", begun)
        print(best(answer.content[0].text))  # type: ignore[union-attr]
    finally:
        await server.cleanup()


def as_function(tool: Any, query: str) -> None:
    """Load the function as HoloDeck does, and call it; it runs in this environment."""
    if not find_spec("hierdoc_mcp"):
        print("\nfunction: skipped: hierdoc[mcp] is not installed beside HoloDeck")
        return
    from holodeck.lib.function_tool_loader import load_function_tool

    search = load_function_tool(tool, HERE)
    print("\nfunction:", best(search(query, top_k=1)))


def best(text: str) -> str:
    """The line of a reply that says where the best hit stands."""
    return next((line for line in text.splitlines() if line.startswith("[1]")), text)


def told(what: str, begun: float) -> None:
    """How long it took."""
    print(f"{what} in {time.perf_counter() - begun:.2f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
