"""Chat services of Semantic Kernel's as what answers questions, as patiently as an API of one's own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from semantic_kernel.connectors.ai.chat_completion_client_base import ChatCompletionClientBase
from semantic_kernel.connectors.ai.prompt_execution_settings import PromptExecutionSettings
from semantic_kernel.contents import ChatHistory

from hierdoc import ConfigError, HierdocError, Usage
from hierdoc.plugin import masked
from hierdoc.text.language import estimate_tokens
from hierdoc_remote.chat import Prefixes, Question, usage_of
from hierdoc_remote.patience import BusyError, Turns, failure_of, patiently, retry_after
from hierdoc_semantic_kernel import ServiceChatConfig
from hierdoc_semantic_kernel.named import close_made, made

_KEEPING = "semantic_kernel.connectors.ai.open_ai."
"""Where the services are whose servers keep prefixes without being told to."""

_UNREACHABLE = (OSError, TimeoutError, asyncio.TimeoutError)

_HINTS = {
    401: "Check the key in `secrets`.",
    404: "Check the model and the address in `arguments`.",
}


class ServiceChat:
    """Asks a chat service.

    Args:
        config: Which, and how.

    Raises:
        ConfigError: There is no such service, or it knows no such settings.
    """

    def __init__(self, config: ServiceChatConfig) -> None:
        base: type[ChatCompletionClientBase] = ChatCompletionClientBase
        self._service = made(config.service, base, config.arguments, config.secrets)
        self._secrets = list(config.secrets.values())
        self._timeout, self._retries = config.timeout, config.retries
        self._name = config.service
        self._settings = self._made_settings(config.body())
        keeps = config.keeps_prefixes
        if keeps is None:
            kinds = type(self._service).__mro__
            keeps = any(kind.__module__.startswith(_KEEPING) for kind in kinds)
        self.prefixes: Prefixes = "kept" if keeps else "forgotten"
        self.turns = Turns(config.concurrency)

    async def ask(self, question: Question) -> tuple[str, Usage]:
        """The model's answer; tokens by estimate where the service counts none.

        Raises:
            HierdocError: There is none.
        """
        async with self.turns.slot:
            said, usage = await patiently(
                lambda: self._attempt(question), self._retries, "semantic-kernel"
            )
        if not usage.uncached + usage.cached + usage.written:
            read = estimate_tokens(question.first) + estimate_tokens(question.rest)
            usage = Usage(1, read, output=estimate_tokens(said))
        return said, usage

    async def aclose(self) -> None:
        """Close the client."""
        await close_made(self._name, self._service)

    async def _attempt(self, question: Question) -> tuple[str, Usage]:
        history = ChatHistory()
        history.add_user_message(question.first + question.rest)
        asked = self._service.get_chat_message_contents(history, self._settings)
        try:
            answers = await asyncio.wait_for(asked, self._timeout)
        except Exception as error:
            raise self._failure(error) from None
        if not answers:
            raise HierdocError(f"semantic-kernel: {self._name} answers without a message")
        usage = (answers[0].metadata or {}).get("usage")
        try:
            return answers[0].content or "", usage_of(_fields(usage))
        except (TypeError, ValueError, AttributeError) as error:
            raise HierdocError(
                f"semantic-kernel: {self._name} says what is no usage: {error}"
            ) from error

    def _made_settings(self, fields: Mapping[str, Any]) -> PromptExecutionSettings:
        """The settings of requests, all of which the service must know: it leaves out others without a word."""
        kind = self._service.get_prompt_execution_settings_class()
        known = kind.model_fields.keys()
        unknown = [] if kind is PromptExecutionSettings else sorted(fields.keys() - known)
        if unknown:
            raise ConfigError(
                f"semantic-kernel: {self._name} knows no setting called {' or '.join(unknown)}",
                hint="Leave ours out in `extra` with null and give its own, as in `{max_tokens: null, max_output_tokens: 100}`. "
                f"It knows {', '.join(sorted(known - PromptExecutionSettings.model_fields.keys()))}.",
            )
        try:
            return kind(**fields)
        except ValidationError as error:
            raise ConfigError(
                f"semantic-kernel: {self._name} refuses the settings: {error}"
            ) from error

    def _failure(self, error: Exception) -> Exception:
        """What an error of the service means, which wraps that of its library."""
        chain = list(_chain(error))
        *_, cause = chain[:2]
        said = masked(f"{type(cause).__name__}: {cause}", self._secrets)
        if isinstance(error, (TimeoutError, asyncio.TimeoutError)):
            said = f"no answer within {self._timeout:g} s"
        message = f"semantic-kernel: {self._name} fails: {said}"
        status = next((one for one in map(_status, chain) if one is not None), None)
        if any(getattr(one, "code", None) == "insufficient_quota" for one in chain):
            return HierdocError(message, hint="See the credit of the account.")
        if status is not None:
            return failure_of(status, message, _HINTS.get(status), _seconds(chain))
        if any(isinstance(one, _UNREACHABLE) or _is_transport(one) for one in chain):
            hint = "See that the server runs, and raise `timeout` where it is slow."
            return BusyError(HierdocError(message, hint=hint), said)
        return HierdocError(message)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what it came from."""
    while error is not None:
        yield error
        error = error.__cause__


def _status(error: BaseException) -> int | None:
    """The status of HTTP that a library's error tells of, whatever it calls it."""
    for name in ("status_code", "status", "code"):
        value = getattr(error, name, None)
        if type(value) is int and 100 <= value < 600:
            return value
    return None


def _seconds(chain: Sequence[BaseException]) -> float | None:
    """What the server asks to wait for, where the library's error has its response."""
    headers = (getattr(getattr(one, "response", None), "headers", None) for one in chain)
    return next((retry_after(one) for one in headers if isinstance(one, Mapping)), None)


def _is_transport(error: BaseException) -> bool:
    """Whether the connection failed, by what httpx calls it, under whatever name a library brings it."""
    return any(kind.__name__ == "TransportError" for kind in type(error).__mro__)


def _fields(usage: Any) -> Mapping[str, Any]:
    """What a service says of its usage, as a mapping."""
    if usage is None or isinstance(usage, Mapping):
        return usage or {}
    return dict(usage.model_dump())
