"""The context generator: one message for each chunk, in which the document is marked as what is to be cached."""

from __future__ import annotations

from typing import Any

from hierdoc import HierdocError, Usage
from hierdoc_anthropic import AnthropicContextConfig
from hierdoc_remote.contexts import GeneratedContexts, Question
from hierdoc_remote.endpoint import Endpoint

_API_VERSION = "2023-06-01"


class AnthropicContexts(GeneratedContexts):
    """Asks the messages route of Anthropic's API.

    Args:
        config: What is asked, and whom.
    """

    writes_cache = True

    def __init__(self, config: AnthropicContextConfig) -> None:
        key = {"x-api-key": config.api_key.get_secret_value()} if config.api_key else {}
        super().__init__(config, {"anthropic-version": _API_VERSION, **key})
        lasting = {} if config.cache_ttl == "5m" else {"ttl": config.cache_ttl}
        self._cached = {"cache_control": {"type": "ephemeral", **lasting}}

    async def ask(self, endpoint: Endpoint, question: Question) -> tuple[str, Usage]:
        """The model's answer; what is cached costs more to write, so a document with one chunk to ask about is not.

        Raises:
            HierdocError: There is none.
        """
        cached = self._cached if question.is_shared else {}
        content = [
            {"type": "text", "text": question.document, **cached},
            {"type": "text", "text": question.chunk},
        ]
        body = self.body(
            model=self._config.model,
            max_tokens=self._config.max_tokens,
            temperature=self._config.temperature,
            messages=[{"role": "user", "content": content}],
        )
        answer = await endpoint.post("/messages", body)
        try:
            text = "".join(part["text"] for part in answer["content"] if part["type"] == "text")
            return text, _usage(answer.get("usage") or {})
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise HierdocError(
                f"anthropic: the server's answer holds no message: {type(error).__name__}: {error}",
                hint="Check `base_url`.",
            ) from error


def _usage(said: Any) -> Usage:
    return Usage(
        1,
        int(said.get("input_tokens") or 0),
        int(said.get("cache_creation_input_tokens") or 0),
        int(said.get("cache_read_input_tokens") or 0),
        int(said.get("output_tokens") or 0),
    )
