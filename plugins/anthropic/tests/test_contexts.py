"""What is sent to the messages route, what its cache makes of it, and what its errors become."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hierdoc import Chunk, Document, HierdocError, Usage
from hierdoc.plugin import ComponentKind, default_registry
from hierdoc.structure import understand
from hierdoc_anthropic import AnthropicContextConfig, open_contexts
from hierdoc_remote.loopback import Loopback, Messages, reply, serving


def make_text(sections: int = 3) -> str:
    return "# Harbour Act\n\n" + "\n".join(
        f"## Section {number}\n\nVessel {number} pays the fee of berth {number} within {number} days.\n"
        for number in range(1, sections + 1)
    )


pytestmark = pytest.mark.usefixtures("no_pauses")


@pytest.fixture
def api() -> Messages:
    return Messages()


@pytest.fixture
def server(api: Messages) -> Iterator[Loopback]:
    with serving(api) as loopback:
        yield loopback


def made(text: str) -> tuple[Document, Sequence[Chunk]]:
    chunker = default_registry().find(ComponentKind.CHUNKER, "structure")
    document = understand(Document("act.md", "Harbour Act", text))
    return document, chunker.open(chunker.config()).chunk(document)


def opened(server: Loopback, cache: Path, **settings: Any) -> Any:
    options = {"base_url": server.url, "model": "claude", "cache_path": cache, "retries": 1}
    return open_contexts(AnthropicContextConfig.model_validate({**options, **settings}))


def estimate(server: Loopback, cache: Path) -> Usage:
    async def call() -> Usage:
        generator = opened(server, cache)
        try:
            return await generator.estimate(*made(make_text()))
        finally:
            await generator.aclose()

    return asyncio.run(call())


def generate(
    server: Loopback, cache: Path, text: str = make_text(), **settings: Any
) -> tuple[list[str | None], Usage]:
    async def call() -> tuple[list[str | None], Usage]:
        generator = opened(server, cache, **settings)
        try:
            return list(await generator.generate(*made(text))), generator.usage
        finally:
            await generator.aclose()

    return asyncio.run(call())


def test_shape_of_a_request_is_what_the_reference_says(server: Loopback, tmp_path: Path) -> None:
    generate(server, tmp_path, api_key="sk-ant-1")
    path, headers, body = server.requests[0]
    assert path == "/v1/messages"
    assert (headers["x-api-key"], headers["anthropic-version"]) == ("sk-ant-1", "2023-06-01")
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("claude", 100, 0)
    document, chunk = body["messages"][0]["content"]
    assert document["cache_control"] == {"type": "ephemeral"}
    assert "cache_control" not in chunk
    assert document["text"].startswith("<document>")
    assert "<excerpt>" in chunk["text"]


def test_shape_of_the_cache_the_document_is_paid_for_once(
    server: Loopback, api: Messages, tmp_path: Path
) -> None:
    server.latency = 0.01
    contexts, usage = generate(server, tmp_path, make_text(125))
    assert len(server.requests) == len(contexts) == 125
    assert server.alone_first
    document = len(server.bodies[0]["messages"][0]["content"][0]["text"]) // 4
    assert api.usage["cache_creation_input_tokens"] == document
    assert api.usage["cache_read_input_tokens"] == 124 * document
    assert (usage.requests, usage.written, usage.cached) == (125, document, 124 * document)


def test_shape_of_the_cache_what_it_costs_is_known_before(server: Loopback, tmp_path: Path) -> None:
    estimated, usage = estimate(server, tmp_path), generate(server, tmp_path)[1]
    assert estimated.requests == usage.requests
    for kind in ("uncached", "written", "cached"):
        assert getattr(estimated, kind) == pytest.approx(getattr(usage, kind), rel=0.5)


def test_shape_of_the_cache_it_may_last_an_hour(server: Loopback, tmp_path: Path) -> None:
    generate(server, tmp_path, cache_ttl="1h")
    document = server.bodies[0]["messages"][0]["content"][0]
    assert document["cache_control"] == {"type": "ephemeral", "ttl": "1h"}


def test_a_document_with_one_chunk_is_not_cached(server: Loopback, tmp_path: Path) -> None:
    generate(server, tmp_path, text="# Harbour Act\n\nVessels pay.\n")
    assert "cache_control" not in server.bodies[0]["messages"][0]["content"][0]


def test_shape_of_an_overload_is_tried_again(server: Loopback, tmp_path: Path) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    server.failures = [reply(error, 529)]
    contexts, _ = generate(server, tmp_path)
    assert None not in contexts


def test_shape_of_a_refusal_is_said(server: Loopback, tmp_path: Path) -> None:
    error = {
        "type": "error",
        "error": {"type": "authentication_error", "message": "invalid x-api-key"},
    }
    server.failures = [reply(error, 401)]
    with pytest.raises(HierdocError, match="status 401: invalid x-api-key"):
        generate(server, tmp_path)


@pytest.mark.parametrize("body", [{}, {"content": 5}, {"content": [{"type": "text"}]}, []])
def test_an_answer_without_a_message_is_none(server: Loopback, tmp_path: Path, body: Any) -> None:
    server.handle = lambda *_: reply(body)
    contexts, _ = generate(server, tmp_path, text="# Harbour Act\n\nVessels pay.\n")
    assert contexts == [None]
