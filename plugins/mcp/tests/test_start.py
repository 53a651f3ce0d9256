"""How soon a client can use the server."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest


@pytest.mark.nightly
@pytest.mark.alone
def test_it_is_there_in_a_second_and_answers_in_five(ingested: Path) -> None:
    """Best of five, so that a busy moment does not count; prints what a server without tools takes, by which a slow machine is told."""
    bare = [sys.executable, "-c", BARE]
    ours = [str(Path(sys.executable).with_name("hierdoc")), "mcp"]
    least, _ = map(min, zip(*(_started(bare, ingested) for _ in range(5)), strict=True))
    there, answered = map(min, zip(*(_started(ours, ingested) for _ in range(5)), strict=True))
    print(
        f"\ninitialised in {there:.2f} s ({least:.2f} s without tools), answered in {answered:.2f} s"
    )
    assert there < max(1.0, 1.5 * least)
    assert answered < max(5.0, 5 * least)


BARE = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
async def main():
    server = Server("bare")
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
anyio.run(main)
"""


def _started(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds until the server is initialised, and until it has answered a call."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello |= {"clientInfo": {"name": "test", "version": "1"}}
    call = {"name": "search", "arguments": {"query": "fee"}}
    begun = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as ran:  # fmt: skip
        assert ran.stdin is not None
        assert ran.stdout is not None
        seconds = []
        for number, (method, params) in enumerate(
            (("initialize", hello), ("tools/call", call)), start=1
        ):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            ran.stdin.write(json.dumps(message) + "\n")
            if number == 1:
                ran.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
            ran.stdin.flush()
            assert json.loads(ran.stdout.readline())["id"] == number
            seconds.append(time.perf_counter() - begun)
        ran.stdin.close()
    return seconds[0], seconds[1]
