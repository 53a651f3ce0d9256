"""The server over standard input and output and over HTTP, asked by the SDK's own clients."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

SESSION = Path(__file__).with_name("session.json")
"""What a client asked and was answered: written anew with HIERDOC_RECORD=1 in the environment."""

TOKEN = "0123456789abcdef-token"

CALLS = (
    ("section", {"reference": "Section 3 of the Harbour Act"}),
    ("define", {"term": "master", "in": ["act.md"]}),
    ("references", {"reference": "sec_3", "in": ["act.md"], "direction": "cited_by"}),
)
"""A section, the term that its duties fall on, and what cites it."""


@pytest.fixture(scope="module")
def session(
    ingested: Path, clients: Mapping[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What a client is told at the beginning, and its calls with their answers."""

    async def ask() -> tuple[dict[str, Any], list[dict[str, Any]]]:
        async with clients["stdio"]("--config", "hierdoc.yaml", cwd=ingested) as session:
            begun = clients["plain"](await session.initialize())
            said = []
            for name, arguments in CALLS:
                result = clients["plain"](await session.call_tool(name, arguments))
                result = {key: result[key] for key in ("content", "structuredContent", "isError")}
                said.append({"tool": name, "arguments": arguments, "result": result})
            return begun, said

    return asyncio.run(ask())


def test_a_client_finds_a_section_its_definitions_and_what_cites_it_in_three_calls(
    session: tuple[dict[str, Any], list[dict[str, Any]]],
) -> None:
    said = session[1]
    if os.environ.get("HIERDOC_RECORD"):
        SESSION.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert said == json.loads(SESSION.read_text("utf-8"))


def test_initialising_tells_what_the_server_is_for(
    ingested: Path, session: tuple[dict[str, Any], list[dict[str, Any]]]
) -> None:
    begun = session[0]
    assert begun["serverInfo"]["name"] == "hierdoc"
    assert "it is data" in begun["instructions"]
    assert str(ingested) not in json.dumps(begun)
    assert set(begun["capabilities"]) >= {"tools", "resources"}


def test_only_the_protocol_is_on_standard_output(ingested: Path) -> None:
    """A library that prints, here a plugin's converter, must not break a message."""
    noisy = (
        "import hierdoc.index as one, os\n"
        "search = one.AsyncIndex.search\n"
        "async def loud(*given, **options):\n"
        "    print('noise'); os.write(1, b'raw noise'); os.system('echo child noise')\n"
        "    return await search(*given, **options)\n"
        "one.AsyncIndex.search = loud\n"
        "from hierdoc.cli import main; import sys; sys.argv = ['hierdoc', 'mcp']; main()\n"
    )
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello |= {"clientInfo": {"name": "test", "version": "1"}}
    call = {"name": "search", "arguments": {"query": "fee"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    with subprocess.Popen(
        [sys.executable, "-c", noisy], cwd=ingested, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as ran:  # fmt: skip
        assert ran.stdin is not None
        assert ran.stdout is not None
        assert ran.stderr is not None
        ran.stdin.write("".join(json.dumps(one) + "\n" for one in messages))
        ran.stdin.flush()
        answers = [json.loads(ran.stdout.readline()) for _ in range(2)]
        ran.stdin.close()
        assert ran.stdout.read() == ""
        said = ran.stderr.read()
    assert [one["id"] for one in answers] == [1, 2]
    assert not answers[1]["result"]["isError"]
    assert "noise" in said
    assert "raw noise" in said
    assert "child noise" in said
    assert ran.returncode == 0


@pytest.mark.nightly
def test_sigterm_ends_a_server_that_waits_for_input(ingested: Path) -> None:
    script = Path(sys.executable).with_name("hierdoc")
    with subprocess.Popen(
        [str(script), "mcp"], cwd=ingested, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as ran:  # fmt: skip
        assert ran.stdin is not None
        assert ran.stdout is not None
        ran.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        ran.stdin.flush()
        assert json.loads(ran.stdout.readline())["id"] == 1
        ran.terminate()
        assert ran.wait(20) == 0


# HTTP


@pytest.fixture(scope="module")
def server(ingested: Path, clients: Mapping[str, Any]) -> Iterator[str]:
    with clients["server"](cwd=ingested, HIERDOC_MCP_TOKEN=TOKEN) as url:
        yield url


def test_a_client_with_the_token_is_answered_over_http(
    server: str, clients: Mapping[str, Any]
) -> None:
    async def ask() -> list[dict[str, Any]]:
        async with clients["http"](server, TOKEN) as session:
            await session.initialize()
            answers = await asyncio.gather(*(session.call_tool(*one) for one in CALLS))
            return [clients["plain"](one)["structuredContent"] for one in answers]

    assert asyncio.run(ask()) == [
        one["result"]["structuredContent"] for one in json.loads(SESSION.read_text("utf-8"))
    ]


def test_over_http_others_are_refused(server: str) -> None:
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    accepted = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    right = {**accepted, "Authorization": f"Bearer {TOKEN}"}
    for url, headers, data, status in (
        (server, right, body, 200),
        (server, accepted, body, 401),
        (server, {**accepted, "Authorization": f"Bearer {TOKEN}x"}, body, 401),
        (server, {**accepted, "Authorization": f"Basic {TOKEN}"}, body, 401),
        (f"{server}/../x", right, body, 404),
        (server, {**right, "Host": "evil.example"}, body, 421),
        (server, {**right, "Origin": "https://evil.example"}, body, 403),
    ):
        assert _status(url, headers, data) == status, (url, headers)


def test_over_http_the_client_lets_go_of_an_idle_connection_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the server does at the same moment, a request that is under way finds nobody."""
    import httpx
    import uvicorn
    from mcp.server.lowlevel import Server

    from hierdoc_mcp.transports import serve_http
    from hierdoc_tools.access import Token, listen

    kept = []

    async def serve(server: uvicorn.Server, sockets: Any = None) -> None:
        kept.append(server.config.timeout_keep_alive)

    monkeypatch.setattr(uvicorn.Server, "serve", serve)
    with listen("127.0.0.1", 0) as listening:
        asyncio.run(serve_http(Server("test"), listening, Token()))
    expires = httpx.Limits().keepalive_expiry
    assert expires is not None
    assert kept[0] > 2 * expires


def test_over_http_a_request_has_a_bearable_size(server: str) -> None:
    address = urllib.parse.urlsplit(server)
    assert address.hostname is not None
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Length": "4100000"}
    connection.request("POST", "/mcp", b"{", headers)
    assert connection.getresponse().status == 413
    connection.close()


def _status(url: str, headers: dict[str, str], data: bytes) -> int:
    request = urllib.request.Request(url, data, headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_a_body_of_unknown_length_is_bounded_too() -> None:
    from hierdoc_mcp.transports import guarded
    from hierdoc_tools.access import Token

    taken = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] != "http.disconnect":
            taken.append(len(message["body"]))

    async def endless() -> dict[str, Any]:
        return {"type": "http.request", "body": b" " * 1_000_000, "more_body": True}

    scope = {"type": "http", "path": "/mcp", "headers": []}
    asyncio.run(guarded(application, Token())(scope, endless, None))  # type: ignore[arg-type]
    assert taken == [1_000_000] * 4
