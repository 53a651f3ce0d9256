"""Chat models behind an API: a question and its answer, in the formats of OpenAI and of Anthropic."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar
from urllib.parse import quote

from hierdoc import HierdocError, Usage
from hierdoc.plugin import without_surrogates
from hierdoc_remote import ModelConfig, RemoteChatConfig, RemoteConfig
from hierdoc_remote.endpoint import Endpoint
from hierdoc_remote.patience import Turns

C = TypeVar("C", bound=ModelConfig)

_ANTHROPIC_VERSION = "2023-06-01"

_TOOL = "answer"
"""The tool whose input is the answer, where one in JSON is asked for."""

Prefixes = Literal["kept", "written", "forgotten"]
"""What a server does with what requests begin with alike: keeps it, keeps it and counts what it writes apart, or reads it in full each time."""

_TAG = re.compile(r"<(?=/?(?:document|excerpts?|outline|query)\b)", re.IGNORECASE)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|$)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Question:
    """What one request asks.

    Attributes:
        first: What comes first: servers that keep prefixes read it once where requests share it.
        rest: What follows.
        is_shared: Whether requests with the same first part follow.
        schema: JSON Schema of the answer; None for plain text.
    """

    first: str
    rest: str = ""
    is_shared: bool = False
    schema: Mapping[str, Any] | None = None


class ChatModel(Protocol):
    """What can be asked questions.

    Attributes:
        turns: Who may ask, and when.
        prefixes: What becomes of what requests begin with alike.
    """

    turns: Turns
    prefixes: Prefixes

    async def ask(self, question: Question) -> tuple[str, Usage]:
        """The answer, and what it took.

        Raises:
            HierdocError: There is none.
        """
        ...

    async def aclose(self) -> None:
        """Close connections."""
        ...


class OpenAIChat:
    """The chat route of an endpoint that speaks as OpenAI's.

    Args:
        config: Which model, and how it is asked.
        headers: Of each request; the configured key as a bearer token by default.
        parameters: Of the URL.
        json_format: How an answer in JSON is asked for: by a `schema`, by an `object` of the older form with a schema beside it, as
            llama-cpp-python takes it, or by `none`, in words alone.
    """

    prefixes: Prefixes = "kept"

    def __init__(
        self,
        config: RemoteChatConfig,
        headers: Mapping[str, str] | None = None,
        parameters: Mapping[str, str] | None = None,
        json_format: str = "schema",
    ) -> None:
        self._config = config
        self._json_format = json_format
        self._parameters = parameters
        headers = bearer(config) if headers is None else headers
        self.endpoint = Endpoint(config, headers, config.concurrency)
        self.turns = self.endpoint.turns

    async def ask(self, question: Question) -> tuple[str, Usage]:
        """The model's answer.

        Raises:
            HierdocError: There is none.
        """
        body = self._config.body(
            messages=[{"role": "user", "content": question.first + question.rest}],
            response_format=self._format(question.schema),
        )
        answer = await self.endpoint.post("/chat/completions", body, self._parameters)
        try:
            text = answer["choices"][0]["message"]["content"] or ""
            return str(text), usage_of(answer.get("usage") or {})
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            raise _no_message(self._config, error) from error

    async def aclose(self) -> None:
        """Close connections."""
        await self.endpoint.aclose()

    def _format(self, schema: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        if schema is None or self._json_format == "none":
            return None
        if self._json_format == "object":
            return {"type": "json_object", "schema": schema}
        named = {"name": _TOOL, "strict": True, "schema": schema}
        return {"type": "json_schema", "json_schema": named}


class AnthropicChat:
    """The messages route of Anthropic's API; a first part that requests share is marked as what is to be cached.

    Writing the cache costs more than reading, so what only one request has is not.

    Args:
        config: Which model, and how it is asked.
        cache_ttl: How long the API keeps what is cached: `5m` or `1h`.
    """

    prefixes: Prefixes = "written"

    def __init__(self, config: RemoteChatConfig, cache_ttl: str = "5m") -> None:
        self._config = config
        key = {"x-api-key": config.api_key.get_secret_value()} if config.api_key else {}
        headers = {"anthropic-version": _ANTHROPIC_VERSION, **key}
        self.endpoint = Endpoint(config, headers, config.concurrency)
        self.turns = self.endpoint.turns
        lasting = {} if cache_ttl == "5m" else {"ttl": cache_ttl}
        self._cached = {"cache_control": {"type": "ephemeral", **lasting}}

    async def ask(self, question: Question) -> tuple[str, Usage]:
        """The model's answer.

        Raises:
            HierdocError: There is none.
        """
        answer = await self.endpoint.post("/messages", self.body(question))
        return self.read(answer)

    async def aclose(self) -> None:
        """Close connections."""
        await self.endpoint.aclose()

    def body(self, question: Question) -> dict[str, Any]:
        """What is sent; an answer in JSON is asked for as the input of a tool."""
        parts: list[dict[str, Any]] = [{"type": "text", "text": question.first}]
        if question.is_shared:
            parts[0] |= self._cached
        if question.rest:
            parts.append({"type": "text", "text": question.rest})
        tools: dict[str, Any] = {}
        if question.schema is not None:
            said = "Takes the answer."
            tool = {"name": _TOOL, "description": said, "input_schema": question.schema}
            tools = {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}
        return self._config.body(messages=[{"role": "user", "content": parts}], **tools)

    def read(self, answer: Any) -> tuple[str, Usage]:
        """The text of a response, or the tool's input as JSON.

        Raises:
            HierdocError: It holds neither.
        """
        try:
            texts = [_anthropic_text(part) for part in answer["content"]]
            return "".join(texts), usage_of(answer.get("usage") or {})
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise _no_message(self._config, error) from error


def filled(prompt: str, **texts: str) -> str:
    """The prompt with a text in place of each `{name}`; tags in a text cannot end its part of the prompt."""
    marks = re.compile("|".join(rf"\{{{name}\}}" for name in texts))
    return marks.sub(lambda mark: _harmless(texts[mark[0][1:-1]]), prompt)


def without_thoughts(answer: str) -> str:
    """The answer without what a model thinks aloud before it."""
    return _THOUGHT.sub(" ", answer)


def azure(config: C, api_version: str | None) -> tuple[C, dict[str, str], dict[str, str]]:
    """A configuration whose URL is that of a resource of Azure OpenAI, with that of its API; and the headers and parameters of requests.

    Args:
        config: Its model is a deployment's name.
        api_version: For the API with dated versions; None for that which needs none.
    """
    path = f"deployments/{quote(config.model, safe='')}" if api_version else "v1"
    url = f"{config.base_url}/openai/{path}"
    headers = {"api-key": config.api_key.get_secret_value()} if config.api_key else {}
    parameters = {"api-version": api_version} if api_version else {}
    return config.model_copy(update={"base_url": url}), headers, parameters


def usage_of(said: Mapping[str, Any]) -> Usage:
    """What one request took, as OpenAI's API or Anthropic's says it; no tokens where it does not.

    Raises:
        TypeError, ValueError, AttributeError: It says what is no number.
    """

    def count(name: str) -> int:
        return int(said.get(name) or 0)

    if "input_tokens" in said:
        written, cached = count("cache_creation_input_tokens"), count("cache_read_input_tokens")
        return Usage(1, count("input_tokens"), written, cached, count("output_tokens"))
    cached = int((said.get("prompt_tokens_details") or {}).get("cached_tokens") or 0)
    return Usage(1, count("prompt_tokens") - cached, 0, cached, count("completion_tokens"))


def bearer(config: RemoteConfig) -> dict[str, str]:
    """The header that carries the key, if there is one."""
    if config.api_key is None:
        return {}
    return {"authorization": f"Bearer {config.api_key.get_secret_value()}"}


def _harmless(text: str) -> str:
    return _TAG.sub("‹", without_surrogates(text).replace("\0", " "))


def _anthropic_text(part: Any) -> str:
    if part["type"] == "tool_use":
        return json.dumps(part["input"])
    return str(part["text"]) if part["type"] == "text" else ""


def _no_message(config: RemoteChatConfig, error: Exception) -> HierdocError:
    return HierdocError(
        f"{config.provider}: the server's answer holds no message: {type(error).__name__}: {error}",
        hint="Check `base_url` and `model`: is it a model for chat?",
    )
