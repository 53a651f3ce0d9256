"""The context generator: one chat completion for each chunk, the document first, so that servers which keep prefixes read it once."""

from __future__ import annotations

from typing import Any

from hierdoc import HierdocError, Usage
from hierdoc_openai import OpenAIContextConfig, bearer
from hierdoc_remote.contexts import GeneratedContexts, Question
from hierdoc_remote.endpoint import Endpoint


class OpenAIContexts(GeneratedContexts):
    """Asks the chat route of an endpoint that speaks as OpenAI's.

    Args:
        config: What is asked, and whom.
    """

    def __init__(self, config: OpenAIContextConfig) -> None:
        super().__init__(config, bearer(config))

    async def ask(self, endpoint: Endpoint, question: Question) -> tuple[str, Usage]:
        """The model's answer.

        Raises:
            HierdocError: There is none.
        """
        body = self.body(
            model=self._config.model,
            max_tokens=self._config.max_tokens,
            temperature=self._config.temperature,
            messages=[{"role": "user", "content": question.document + question.chunk}],
        )
        answer = await endpoint.post("/chat/completions", body)
        try:
            text = answer["choices"][0]["message"]["content"] or ""
            return str(text), _usage(answer.get("usage") or {})
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            raise HierdocError(
                f"openai: the server's answer holds no message: {type(error).__name__}: {error}",
                hint="Check `base_url` and `model`: is it a model for chat?",
            ) from error


def _usage(said: Any) -> Usage:
    cached = int((said.get("prompt_tokens_details") or {}).get("cached_tokens") or 0)
    read = int(said.get("prompt_tokens") or 0)
    return Usage(1, read - cached, 0, cached, int(said.get("completion_tokens") or 0))
