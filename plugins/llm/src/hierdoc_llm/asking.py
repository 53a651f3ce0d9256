"""What both rerankers share: questions whose answers are JSON, checked, kept on disk and counted."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from hierdoc import HierdocError, Usage
from hierdoc.plugin import without_surrogates
from hierdoc.text.language import estimate_tokens, fits
from hierdoc_llm import ModelRerankerConfig
from hierdoc_remote import ChatConfig
from hierdoc_remote.account import Account, in_words
from hierdoc_remote.cache import DiskCache, cache_key
from hierdoc_remote.chat import (
    AnthropicChat,
    ChatModel,
    OpenAIChat,
    Question,
    azure,
    without_thoughts,
)

T = TypeVar("T")

logger = logging.getLogger("hierdoc")

_VERSION = 1
"""Counts the changes to this plugin that change answers."""

_FENCE = re.compile(r"\A```\w*\n(.*)\n```\Z", re.DOTALL)

_QUERY = 50
"""Tokens of a query, for estimates."""

_LONGEST_WORD, _LONGEST_TOKEN = 50, 8
"""Characters for each token that are looked at, white space included, and that a text may have which fits."""


class ModelReranker:
    """Base of rerankers that ask a chat model. Answers are kept by a digest of what was asked; queries are not.

    Args:
        config: Which model, and how it is asked.
        chat: It.

    Attributes:
        account: What was asked for since the reranker was opened.
    """

    def __init__(self, config: ChatConfig, chat: ChatModel) -> None:
        self._asked = cache_key(_VERSION, config.output_settings())
        self._most = config.max_tokens
        self._name = config.provider
        self._chat = chat
        self._cache = DiskCache(config.cache_path / "answers.sqlite")
        self.account = Account(config.provider, config.prices)

    async def aclose(self) -> None:
        """Close connections and cache."""
        await self._chat.aclose()
        await self._cache.aclose()

    def _of_request(self, prompt: str, shown: int, answered: int = 1_000_000) -> Usage:
        """What one request takes at most, by estimate.

        Args:
            prompt: What is asked, without what is shown.
            shown: Tokens of what is shown.
            answered: Tokens of an answer as it was asked for.
        """
        read = estimate_tokens(prompt) + _QUERY + shown
        return self.account.priced(Usage(1, read, output=min(answered, self._most)))

    async def _ask(
        self, prompt: str, schema: Mapping[str, Any], read: Callable[[Mapping[str, Any]], T]
    ) -> T:
        """What `read` makes of the model's answer.

        Args:
            prompt: What is asked.
            schema: JSON Schema of the answer.
            read: Raises KeyError, TypeError or ValueError for an answer that is not as it was asked for.

        Raises:
            HierdocError: There is none, or not as it was asked for.
        """
        key = cache_key(self._asked, prompt)
        held = (await self._cache.get([key])).get(key)
        if held is not None:
            return self._read(held.decode(), read)
        answer, usage = await self._chat.ask(Question(prompt, schema=schema))
        self.account.add(usage)
        logger.debug("%s: %s", self._name, in_words(self.account.usage))
        answer = without_surrogates(without_thoughts(answer)).strip()
        found = self._read(answer, read)
        await self._cache.put({key: answer.encode()})
        return found

    def _read(self, answer: str, read: Callable[[Mapping[str, Any]], T]) -> T:
        fenced = _FENCE.match(answer)
        try:
            said = json.loads(fenced[1] if fenced else answer)
            return read(said)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise HierdocError(
                f"{self._name}: the model's answer is not what was asked for: {' '.join(answer.split())[:200]!r}",
                hint="Take a larger model, raise `max_tokens`, or try another `json_format`.",
            ) from error


def chat_of(config: ModelRerankerConfig) -> ChatModel:
    """The model behind an API that is configured."""
    if config.api == "anthropic":
        return AnthropicChat(config)
    if config.api == "azure-openai":
        return OpenAIChat(*azure(config, None), json_format=config.json_format)
    return OpenAIChat(config, json_format=config.json_format)


def shortened(text: str, tokens: int) -> str:
    """What a text begins with, on one line, in at most so many tokens by estimate."""
    line = " ".join(text[: _LONGEST_WORD * tokens].split())
    if len(text) <= _LONGEST_WORD * tokens and fits(line, tokens):
        return line
    room = _LONGEST_TOKEN * tokens
    while not fits(line, tokens):
        line = line[:room].rpartition(" ")[0] or line[:room]
        room = room * 3 // 4
    return f"{line} ..."
