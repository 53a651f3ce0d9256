"""Requests handed in as batches: what is sent, what is waited for, and what an ingest that ended early leaves."""

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
from hierdoc_remote.account import CostLimitError
from hierdoc_remote.loopback import Loopback, MessageBatches, Messages, failure, reply, serving

PRICES = {"input": 1.0, "written": 1.25, "cached": 0.1, "output": 5.0}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hierdoc_remote.patience._FIRST_PAUSE", 0.001)
    monkeypatch.setattr("hierdoc_anthropic.batches._GATHERED", 0.02)
    monkeypatch.setattr("hierdoc_anthropic.batches._FIRST_LOOK", 0.001)


@pytest.fixture
def api() -> MessageBatches:
    return MessageBatches(Messages())


@pytest.fixture
def server(api: MessageBatches) -> Iterator[Loopback]:
    with serving(api) as loopback:
        yield loopback


def made(name: str, sections: int) -> tuple[Document, Sequence[Chunk]]:
    parts = [
        f"## Section {n}\n\nVessel {n} of {name} pays the fee of berth {n} within {n} days.\n"
        for n in range(1, sections + 1)
    ]
    chunker = default_registry().find(ComponentKind.CHUNKER, "structure")
    document = understand(Document(f"{name}.md", name, f"# {name}\n\n" + "\n".join(parts)))
    return document, chunker.open(chunker.config()).chunk(document)


def generate(
    server: Loopback, cache: Path, *documents: tuple[str, int], **settings: Any
) -> tuple[list[Any], Usage]:
    """The contexts of documents that wait at the same time, errors among them, and what they took."""

    async def call() -> tuple[list[Any], Usage]:
        options = {"base_url": server.url, "model": "claude", "cache_path": cache, "batches": True}
        config = AnthropicContextConfig.model_validate({**options, "retries": 0, **settings})
        generator = open_contexts(config)
        try:
            calls = (generator.generate(*made(*one)) for one in documents)
            return list(await asyncio.gather(*calls, return_exceptions=True)), generator.usage
        finally:
            await generator.aclose()

    return asyncio.run(call())


def test_shape_of_a_batch_is_what_the_reference_says(
    server: Loopback, api: MessageBatches, tmp_path: Path
) -> None:
    ((*contexts,),), usage = generate(server, tmp_path, ("Quay Act", 12), api_key="sk-ant-1")
    paths = [path for path, _, _ in server.requests]
    batch = "/v1/messages/batches/msgbatch_01"
    assert paths == ["/v1/messages/batches", batch, batch, f"{batch}/results"]
    for _, headers, _ in server.requests:
        assert (headers["x-api-key"], headers["anthropic-version"]) == ("sk-ant-1", "2023-06-01")
    first = server.bodies[0]["requests"][0]["params"]
    assert (first["model"], first["max_tokens"], first["temperature"]) == ("claude", 100, 0)
    assert first["messages"][0]["content"][0]["cache_control"] == {"type": "ephemeral"}
    assert len(contexts) == usage.requests == len(server.bodies[0]["requests"])


def test_every_chunk_gets_its_own_answer(server: Loopback, tmp_path: Path) -> None:
    (contexts,), _ = generate(server, tmp_path, ("Quay Act", 12))
    for chunk, context in zip(made("Quay Act", 12)[1], contexts, strict=True):
        words = " ".join(chunk.text.split()[:4])
        assert context.split("\n")[1].startswith(f"It is about {words} and has")


def test_documents_that_wait_at_the_same_time_share_a_batch(
    server: Loopback, api: MessageBatches, tmp_path: Path
) -> None:
    contexts, _ = generate(server, tmp_path, ("Quay Act", 5), ("Pilot Act", 5))
    assert len(api.batches) == 1
    assert len(contexts) == 2
    assert all(None not in one for one in contexts)


def test_a_batch_holds_no_more_than_it_may(
    server: Loopback, api: MessageBatches, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunks = len(made("Quay Act", 60)[1])
    assert chunks > 2
    monkeypatch.setattr("hierdoc_anthropic.batches._MOST_REQUESTS", 2)
    (contexts,), _ = generate(server, tmp_path, ("Quay Act", 60))
    assert None not in contexts
    sizes = [len(one) for one in api.batches.values()]
    assert sizes == [2] * (chunks // 2) + [1] * (chunks % 2)


def test_what_was_answered_is_not_asked_again(server: Loopback, tmp_path: Path) -> None:
    first, _ = generate(server, tmp_path, ("Quay Act", 5))
    asked = len(server.requests)
    assert generate(server, tmp_path, ("Quay Act", 5))[0] == first
    assert len(server.requests) == asked


def test_an_ingest_that_ended_early_leaves_its_batch_to_the_next(
    server: Loopback, api: MessageBatches, tmp_path: Path
) -> None:
    server.handle = lambda path, body: api(path, body) if body else failure(500, "down")
    (contexts,), _ = generate(server, tmp_path, ("Quay Act", 5))
    assert set(contexts) == {None}
    server.handle = api
    (contexts,), usage = generate(server, tmp_path, ("Quay Act", 5))
    assert None not in contexts
    assert usage.requests == len(contexts)
    assert len(api.batches) == 1


def test_a_batch_that_is_no_more_is_handed_in_anew(
    server: Loopback, api: MessageBatches, tmp_path: Path
) -> None:
    server.handle = lambda path, body: api(path, body) if body else failure(500, "down")
    generate(server, tmp_path, ("Quay Act", 5))
    api.batches.clear()
    server.handle = api
    assert set(generate(server, tmp_path, ("Quay Act", 5))[0][0]) == {None}
    assert None not in generate(server, tmp_path, ("Quay Act", 5))[0][0]


@pytest.mark.parametrize(
    "result",
    [
        {"type": "errored", "error": {"type": "invalid_request_error", "message": "too long"}},
        {"type": "expired"},
        {"type": "canceled"},
        {"type": "succeeded", "message": {"content": 5}},
    ],
)
def test_a_request_without_an_answer_is_asked_again_by_the_next_ingest(
    server: Loopback, api: MessageBatches, tmp_path: Path, result: Any
) -> None:
    api.results = {0: result}
    (contexts,), _ = generate(server, tmp_path, ("Quay Act", 60))
    assert contexts[0] is None
    assert None not in contexts[1:]
    api.results = {}
    assert None not in generate(server, tmp_path, ("Quay Act", 60))[0][0]
    assert [len(one) for one in api.batches.values()] == [len(contexts), 1]


def test_a_batch_that_would_cost_too_much_is_not_handed_in(
    server: Loopback, api: MessageBatches, tmp_path: Path
) -> None:
    (error,), _ = generate(server, tmp_path, ("Quay Act", 60), prices=PRICES, max_cost=1e-4)
    assert isinstance(error, CostLimitError)
    assert "what comes next would cost" in str(error)
    assert not api.batches


def test_documents_that_wait_together_stay_within_the_limit_together(
    server: Loopback, api: MessageBatches, tmp_path: Path
) -> None:
    _, usage = generate(server, tmp_path / "one", ("Quay Act", 60), prices=PRICES)
    assert usage.cost
    most = 4 * usage.cost
    names = [(f"Quay Act {n}", 60) for n in range(12)]
    outcomes, usage = generate(server, tmp_path / "two", *names, prices=PRICES, max_cost=most)
    refused = [one for one in outcomes if isinstance(one, CostLimitError)]
    assert 0 < len(refused) < len(names)
    assert usage.cost is not None
    assert usage.cost <= most


def test_a_wrong_key_is_said_and_loses_no_batch(
    server: Loopback, api: MessageBatches, tmp_path: Path
) -> None:
    refusal = failure(401, "invalid x-api-key")
    server.handle = lambda path, body: api(path, body) if body else refusal
    (error,), _ = generate(server, tmp_path, ("Quay Act", 5))
    assert isinstance(error, HierdocError)
    assert "status 401: invalid x-api-key" in str(error)
    server.handle = api
    assert None not in generate(server, tmp_path, ("Quay Act", 5))[0][0]
    assert len(api.batches) == 1


@pytest.mark.parametrize("answer", [{}, [], {"id": 5}, {"id": "x", "processing_status": None}])
def test_a_server_without_batches_gives_no_contexts(
    server: Loopback, tmp_path: Path, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hierdoc_anthropic.batches._PATIENCE", 0.0)
    server.handle = lambda *_: reply(answer)
    assert set(generate(server, tmp_path, ("Quay Act", 5))[0][0]) == {None}
