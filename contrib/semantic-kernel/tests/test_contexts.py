"""Chat services of Semantic Kernel's as a context generator, against servers that speak as the APIs of OpenAI and Anthropic do."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("semantic_kernel", reason="Semantic Kernel is installed in an environment of its own")  # fmt: skip

from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from semantic_kernel.connectors.ai.anthropic import AnthropicChatCompletion
from semantic_kernel.connectors.ai.chat_completion_client_base import ChatCompletionClientBase
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.contents import ChatMessageContent

from hierdoc import AsyncIndex, ConfigError, IngestReport
from hierdoc_remote.loopback import Answer, Loopback, Messages, chat, failure
from hierdoc_semantic_kernel import ServiceContextConfig, open_contexts

HERE = "hierdoc_semantic_kernel_tests_chat"


class Parrot(ChatCompletionClientBase):
    """A service of one's own, which has no settings class and counts no tokens."""

    async def _inner_get_chat_message_contents(self, history: Any, settings: Any) -> Any:
        excerpt = history.messages[-1].content.rpartition("<excerpt>")[2].partition("</excerpt>")[0]
        return [ChatMessageContent(role="assistant", content=f"It has {len(excerpt)} characters.")]


class Silent(Parrot):
    """Answers nothing, and too late."""

    async def _inner_get_chat_message_contents(self, history: Any, settings: Any) -> Any:
        await asyncio.sleep(30)


class Empty(Parrot):
    """Answers without a message."""

    async def _inner_get_chat_message_contents(self, history: Any, settings: Any) -> Any:
        return []


def make_act(sections: int, changed: int | None = None) -> str:
    """An act of so many sections, each of which makes a chunk."""
    lines = ["# Harbour Act\n"]
    for number in range(1, sections + 1):
        prose = " ".join(f"Duty {number}.{part} is due on day {part}." for part in range(60))
        more = " It is repealed." if number == changed else ""
        lines.append(f"## Section {number} Duty {number}\n\nMark {number}: {prose}{more}\n")
    return "\n".join(lines)


pytestmark = pytest.mark.usefixtures("no_pauses")


@pytest.fixture
def services(chat_server: Loopback, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module as somebody has it who configures clients in Python; these do not try again by themselves."""
    address = chat_server.url.removesuffix("/v1")

    class OpenAI(OpenAIChatCompletion):
        def __init__(self) -> None:
            client = AsyncOpenAI(api_key="sk-1", base_url=chat_server.url, max_retries=0)
            super().__init__("gpt", async_client=client)

    class Claude(AnthropicChatCompletion):
        def __init__(self) -> None:
            client = AsyncAnthropic(api_key="sk-2", base_url=address, max_retries=0)
            super().__init__("claude", api_key="sk-2", async_client=client)

    module = ModuleType(HERE)
    for kind in (OpenAI, Claude, Parrot, Silent, Empty):
        setattr(module, kind.__name__, kind)
    module.instance = OpenAI()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, HERE, module)
    return module


@pytest.fixture
def settings(services: ModuleType, tmp_path: Path) -> dict[str, Any]:
    docs = tmp_path / "docs"
    docs.mkdir()
    context = {
        "provider": "semantic-kernel",
        "service": f"{HERE}:OpenAI",
        "model": "gpt",
        "retries": 1,
        "cache_path": str(tmp_path / "cache"),
    }
    return {
        "source": str(docs),
        "context": context,
        "vector": {"provider": "sqlite", "path": str(tmp_path / "index")},
        "keyword": "in-memory",
    }


@pytest.fixture
def write(settings: dict[str, Any]) -> Callable[..., None]:
    return lambda text: Path(settings["source"], "act.md").write_text(text)


def ingest(settings: dict[str, Any], *, dry: bool = False, **context: Any) -> IngestReport:
    async def call() -> IngestReport:
        config = {**settings, "context": {**settings["context"], **context}}
        async with AsyncIndex.open(config) as index:
            return await index.ingest(dry=dry)

    return asyncio.run(call())


def context_of(settings: dict[str, Any], query: str, **context: Any) -> str:
    async def call() -> str:
        config = {**settings, "context": {**settings["context"], **context}}
        async with AsyncIndex.open(config) as index:
            return str((await index.search(query)).hits[0].chunk.context)

    return asyncio.run(call())


class TestShapeOfOpenAI:
    def test_each_chunk_is_asked_about_once_the_document_first(
        self, chat_server: Loopback, settings: dict[str, Any], write: Callable[..., None]
    ) -> None:
        chat_server.latency = 0.02
        write(make_act(125))
        report = ingest(settings)
        assert (report.chunks, len(chat_server.requests)) == (125, 125)
        assert 1 < chat_server.most_at_once <= 10
        assert chat_server.alone_first
        prompts = [body["messages"][0]["content"] for body in chat_server.bodies]
        assert len({prompt.rpartition("<excerpt>")[0] for prompt in prompts}) == 1
        assert report.usage
        assert (report.usage.uncached, report.usage.cached) == (125 * 100, 125 * 900)

    def test_a_request_has_the_settings(
        self, chat_server: Loopback, settings: dict[str, Any], write: Callable[..., None]
    ) -> None:
        write(make_act(1))
        ingest(settings, extra={"seed": 5, "max_tokens": None, "max_completion_tokens": 90})
        (body,) = chat_server.bodies
        assert (body["model"], body["temperature"], body["seed"]) == ("gpt", 0, 5)
        assert body["max_completion_tokens"] == 90
        assert "max_tokens" not in body

    def test_only_what_changed_is_asked_about(
        self, chat_server: Loopback, settings: dict[str, Any], write: Callable[..., None]
    ) -> None:
        write(make_act(6))
        ingest(settings)
        chat_server.requests.clear()
        ingest(settings)
        assert chat_server.requests == []
        write(make_act(6, changed=4))
        planned = ingest(settings, dry=True).usage
        assert planned
        assert (planned.requests, chat_server.requests) == (1, [])
        ingest(settings)
        assert len(chat_server.requests) == 1

    @pytest.mark.parametrize("status", [429, 500, 529])
    def test_a_busy_server_is_asked_again(
        self,
        chat_server: Loopback,
        settings: dict[str, Any],
        write: Callable[..., None],
        status: int,
    ) -> None:
        chat_server.failures = [failure(status, "busy", retry_after="0.01")]
        write(make_act(3))
        assert ingest(settings).notes == ()
        assert len(chat_server.requests) == 4

    def test_a_connection_that_breaks_is_tried_again(
        self, chat_server: Loopback, settings: dict[str, Any], write: Callable[..., None]
    ) -> None:
        chat_server.failures = [None]
        write(make_act(2))
        assert ingest(settings).notes == ()

    def test_a_chunk_without_an_answer_has_its_headings_until_the_next_ingest(
        self, chat_server: Loopback, settings: dict[str, Any], write: Callable[..., None]
    ) -> None:
        def no_twos(path: str, body: Any) -> Answer:
            asked = body["messages"][0]["content"].rpartition("<excerpt>")[2]
            return failure(503, "two") if "Mark 2:" in asked else chat(path, body)

        chat_server.handle = no_twos
        write(make_act(4))
        (note,) = ingest(settings).notes
        assert "no context could be generated for 1 chunk" in note
        assert context_of(settings, "Section 2") == "Harbour Act > Section 2 Duty 2"
        chat_server.handle = chat
        chat_server.requests.clear()
        assert ingest(settings).notes == ()
        assert len(chat_server.requests) == 1
        assert "It is about" in context_of(settings, "Section 2")

    @pytest.mark.parametrize(
        ("status", "said"), [(401, "wrong key"), (403, "no right"), (404, "no such model")]
    )
    def test_a_wrong_key_or_model_fails_the_document_at_the_first_request(
        self,
        chat_server: Loopback,
        settings: dict[str, Any],
        write: Callable[..., None],
        status: int,
        said: str,
    ) -> None:
        chat_server.handle = lambda *_: failure(status, said)
        write(make_act(5))
        (failed,) = ingest(settings).failures
        assert f"Error code: {status}" in failed.error
        assert said in failed.error
        assert len(chat_server.requests) == 1

    def test_an_account_without_credit_is_not_asked_again(
        self, chat_server: Loopback, settings: dict[str, Any], write: Callable[..., None]
    ) -> None:
        chat_server.handle = lambda *_: failure(429, "no credit", "insufficient_quota")
        write(make_act(1))
        assert "for 1 chunk" in ingest(settings).notes[0]
        assert len(chat_server.requests) == 1

    def test_an_ingest_ends_where_it_has_cost_what_it_may(
        self, chat_server: Loopback, settings: dict[str, Any], write: Callable[..., None]
    ) -> None:
        write(make_act(20))
        prices = {"input": 1.0, "cached": 0.1, "output": 5.0}
        report = ingest(settings, prices=prices, max_cost=1e-3, concurrency=1)
        assert "`max_cost` is" in report.failures[0].error
        assert len(chat_server.requests) == 5

    def test_a_class_is_called_with_its_secret_which_is_never_shown(
        self,
        chat_server: Loopback,
        settings: dict[str, Any],
        write: Callable[..., None],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", chat_server.url)
        write(make_act(1))
        given = {
            "service": "semantic_kernel.connectors.ai.open_ai:OpenAIChatCompletion",
            "arguments": {"ai_model_id": "gpt"},
            "secrets": {"api_key": "sk-secret-9"},
        }
        assert ingest(settings, **given).notes == ()
        assert chat_server.requests[0][1]["authorization"] == "Bearer sk-secret-9"
        chat_server.handle = lambda *_: failure(401, "Incorrect API key provided: sk-secret-9")
        write(make_act(2))
        (failed,) = ingest(settings, **given).failures
        assert "Incorrect API key provided: ***" in failed.error

    def test_an_instance_may_be_named_and_stays_open(
        self,
        chat_server: Loopback,
        services: ModuleType,
        settings: dict[str, Any],
        write: Callable[..., None],
    ) -> None:
        write(make_act(3))
        assert ingest(settings, service=f"{HERE}:instance").notes == ()
        assert not services.instance.client.is_closed()

    def test_the_client_of_a_class_is_closed_with_the_index(
        self, services: ModuleType, settings: dict[str, Any], write: Callable[..., None]
    ) -> None:
        made: list[Any] = []

        class Remembered(services.OpenAI):  # type: ignore[misc, name-defined]
            def __init__(self) -> None:
                super().__init__()
                made.append(self)

        services.Remembered = Remembered  # type: ignore[attr-defined]
        write(make_act(1))
        ingest(settings, service=f"{HERE}:Remembered")
        assert [one.client.is_closed() for one in made] == [True]


class TestShapeOfAnthropic:
    def test_contexts_come_and_the_tokens_are_those_that_it_counts(
        self, chat_server: Loopback, settings: dict[str, Any], write: Callable[..., None]
    ) -> None:
        def messages(path: str, body: Any) -> Answer:
            (message,) = body["messages"]
            text = message["content"]
            text = text if isinstance(text, str) else text[0]["text"]
            document, _, rest = text.partition("</document>")
            parts = [{"type": "text", "text": part} for part in (document, rest)]
            return Messages()(path, {**body, "messages": [{"role": "user", "content": parts}]})

        chat_server.handle = messages
        write(make_act(3))
        planned = ingest(settings, dry=True, service=f"{HERE}:Claude").usage
        report = ingest(settings, service=f"{HERE}:Claude")
        assert report.notes == ()
        assert report.usage
        assert planned
        # Nothing marks what is to be cached, and the estimate knows it.
        assert (planned.cached, report.usage.cached, report.usage.requests) == (0, 0, 3)
        assert planned.uncached / 2 < report.usage.uncached <= planned.uncached


class TestEstimate:
    def planned(self, settings: dict[str, Any], **context: Any) -> Any:
        return ingest(settings, dry=True, **context).usage

    def test_a_document_is_read_in_full_once_where_the_server_keeps_prefixes(
        self, settings: dict[str, Any], write: Callable[..., None]
    ) -> None:
        write(make_act(6))
        kept = self.planned(settings)
        forgotten = self.planned(settings, keeps_prefixes=False)
        assert kept.cached > kept.uncached
        assert forgotten.cached == 0
        assert forgotten.uncached == kept.uncached + kept.cached


class TestServicesOfOnesOwn:
    def test_one_without_settings_and_usage_serves_and_is_counted_by_estimate(
        self, settings: dict[str, Any], write: Callable[..., None]
    ) -> None:
        write(make_act(2))
        given = {"service": f"{HERE}:Parrot", "arguments": {"ai_model_id": "parrot"}}
        report = ingest(settings, **given)
        assert report.usage
        assert report.usage.requests == 2
        assert report.usage.uncached > 500
        assert "It has" in context_of(settings, "Section 2", **given)

    def test_one_that_is_too_slow_is_given_up(
        self, settings: dict[str, Any], write: Callable[..., None], caplog: pytest.LogCaptureFixture
    ) -> None:
        write(make_act(1))
        given = {"service": f"{HERE}:Silent", "arguments": {"ai_model_id": "silent"}}
        assert "for 1 chunk" in ingest(settings, **given, timeout=0.05).notes[0]
        assert "no answer within 0.05 s" in caplog.text

    def test_an_answer_without_a_message_is_none(
        self, settings: dict[str, Any], write: Callable[..., None], caplog: pytest.LogCaptureFixture
    ) -> None:
        write(make_act(1))
        given = {"service": f"{HERE}:Empty", "arguments": {"ai_model_id": "empty"}}
        assert "for 1 chunk" in ingest(settings, **given).notes[0]
        assert "answers without a message" in caplog.text


class TestConfiguration:
    def opened(self, path: Path, **fields: Any) -> Any:
        given = {"service": f"{HERE}:OpenAI", "model": "gpt", "cache_path": path, **fields}
        return open_contexts(ServiceContextConfig.model_validate(given))

    @pytest.mark.parametrize("service", ["os:system", f"{HERE}:nothing", f"{HERE}:AsyncOpenAI"])
    def test_nothing_else_can_be_named(
        self, services: ModuleType, tmp_path: Path, service: str
    ) -> None:
        services.AsyncOpenAI = AsyncOpenAI
        with pytest.raises(ConfigError, match="is no ChatCompletionClientBase"):
            self.opened(tmp_path, service=service)

    def test_a_setting_that_the_service_would_leave_out_is_refused(
        self, services: ModuleType, tmp_path: Path
    ) -> None:
        with pytest.raises(ConfigError, match="knows no setting called num_predict") as caught:
            self.opened(tmp_path, extra={"num_predict": 100})
        assert "max_completion_tokens" in str(caught.value.hint)
        self.opened(tmp_path, extra={"num_predict": None})

    def test_a_setting_that_the_service_refuses_is_said(
        self, services: ModuleType, tmp_path: Path
    ) -> None:
        with pytest.raises(ConfigError, match="refuses the settings"):
            self.opened(tmp_path, extra={"top_p": 7})
